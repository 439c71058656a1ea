/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every element of A, or of a triangle, becomes one number, or another on the diagonal.
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::vectors
{
namespace
{

template <class T, bool triangle> struct fill {
  T off, diag;
  bool lower;
  batch<T> y;

  struct matrix {
    T off, diag, *y;
    int64_t ld;
    bool lower;

    __device__ __forceinline__ T load(int i, int j) const
    {
      return i == j ? diag : off;
    }
    __device__ __forceinline__ void store(int i, int j, T value) const
    {
      if (!triangle || is_in_triangle(lower, i, j)) y[i + j * ld] = value;
    }
  };
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {off, diag, y.at(b), y.leading(b), lower};
  }
};

int elements(batched_ctx *ctx, const batched_set_args &s)
{
  return with_type(s.a.type, [&](auto t) {
    using T = decltype(t);
    const bool lower = s.region == BATCHED_LOWER_TRIANGLE;
    if (s.region != BATCHED_WHOLE)
      return for_each_element(ctx, fill<T, true>{make<T>(s.off), make<T>(s.diag), lower, view<T>(s.a)});
    fill<T, false> f = {make<T>(s.off), make<T>(s.diag), lower, view<T>(s.a)};
    if (f.off == f.diag && can_lengthen(f.y)) lengthen(f.y);
    return for_each_element(ctx, f);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_set_cuda[] = {row<nullptr, nullptr, elements>("cuda.elements"), BATCHED_LAST_ROW};
