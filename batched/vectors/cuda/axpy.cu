/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Y = Y + alpha X, element by element.
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::vectors
{
namespace
{

template <class T> struct add_multiple {
  T alpha;
  batch<T> x, y;

  struct matrix {
    T alpha;
    const T *x;
    T *y;
    int64_t ldx, ldy;

    __device__ __forceinline__ T load(int i, int j) const
    {
      return mad(alpha, x[i + j * ldx], y[i + j * ldy]);
    }
    __device__ __forceinline__ void store(int i, int j, T value) const
    {
      y[i + j * ldy] = value;
    }
  };
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {alpha, x.at(b), y.at(b), x.leading(b), y.leading(b)};
  }
};

int elements(batched_ctx *ctx, const batched_axpy_args &s)
{
  return with_type(s.y.type, [&](auto t) {
    using T = decltype(t);
    add_multiple<T> f = {make<T>(s.alpha), view<T>(s.x), view<T>(s.y)};
    lengthen_both(f.x, f.y);
    return for_each_element(ctx, f);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_axpy_cuda[] = {row<nullptr, nullptr, elements>("cuda.elements"), BATCHED_LAST_ROW};
