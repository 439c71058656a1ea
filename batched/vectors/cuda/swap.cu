/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exchanges X and Y, element by element.
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::vectors
{
namespace
{

template <class T> struct exchange {
  batch<T> x, y;

  struct pair {
    T x, y;
  };
  struct matrix {
    T *x, *y;
    int64_t ldx, ldy;

    __device__ __forceinline__ pair load(int i, int j) const
    {
      return {x[i + j * ldx], y[i + j * ldy]};
    }
    __device__ __forceinline__ void store(int i, int j, pair value) const
    {
      x[i + j * ldx] = value.y;
      y[i + j * ldy] = value.x;
    }
  };
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {x.at(b), y.at(b), x.leading(b), y.leading(b)};
  }
};

int elements(batched_ctx *ctx, const batched_swap_args &s)
{
  return with_type(s.y.type, [&](auto t) {
    using T = decltype(t);
    exchange<T> f = {view<T>(s.x), view<T>(s.y)};
    lengthen_both(f.x, f.y);
    return for_each_element(ctx, f);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_swap_cuda[] = {row<nullptr, nullptr, elements>("cuda.elements"), BATCHED_LAST_ROW};
