/* SPDX-License-Identifier: BSD-3-Clause
 *
 * X = alpha X, element by element; zeros for alpha = 0, whatever X holds.
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::vectors
{
namespace
{

template <class T> struct scale {
  T alpha;
  batch<T> y;

  struct matrix {
    T alpha, *y;
    int64_t ld;

    __device__ __forceinline__ T load(int i, int j) const
    {
      return alpha == make<T>(0) ? alpha : alpha * y[i + j * ld];
    }
    __device__ __forceinline__ void store(int i, int j, T value) const
    {
      y[i + j * ld] = value;
    }
  };
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {alpha, y.at(b), y.leading(b)};
  }
};

int elements(batched_ctx *ctx, const batched_scal_args &s)
{
  return with_type(s.x.type, [&](auto t) {
    using T = decltype(t);
    scale<T> f = {make<T>(s.alpha), view<T>(s.x)};
    if (can_lengthen(f.y)) lengthen(f.y);
    return for_each_element(ctx, f);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_scal_cuda[] = {row<nullptr, nullptr, elements>("cuda.elements"), BATCHED_LAST_ROW};
