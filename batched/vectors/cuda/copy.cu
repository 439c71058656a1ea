/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Y = X, element by element, or in a triangle.
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::vectors
{
namespace
{

template <class T, bool triangle> struct duplicate {
  bool lower;
  batch<T> x, y;

  struct matrix {
    const T *x;
    T *y;
    int64_t ldx, ldy;
    bool lower;

    __device__ __forceinline__ bool is_wanted(int i, int j) const
    {
      return !triangle || is_in_triangle(lower, i, j);
    }
    __device__ __forceinline__ T load(int i, int j) const
    {
      return is_wanted(i, j) ? x[i + j * ldx] : make<T>(0);
    }
    __device__ __forceinline__ void store(int i, int j, T value) const
    {
      if (is_wanted(i, j)) y[i + j * ldy] = value;
    }
  };
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {x.at(b), y.at(b), x.leading(b), y.leading(b), lower};
  }
};

int elements(batched_ctx *ctx, const batched_copy_args &s)
{
  return with_type(s.y.type, [&](auto t) {
    using T = decltype(t);
    const bool lower = s.region == BATCHED_LOWER_TRIANGLE;
    if (s.region != BATCHED_WHOLE) return for_each_element(ctx, duplicate<T, true>{lower, view<T>(s.x), view<T>(s.y)});
    duplicate<T, false> f = {lower, view<T>(s.x), view<T>(s.y)};
    lengthen_both(f.x, f.y);
    return for_each_element(ctx, f);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_copy_cuda[] = {row<nullptr, nullptr, elements>("cuda.elements"), BATCHED_LAST_ROW};
