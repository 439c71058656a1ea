/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every element of A becomes one number, or another on the diagonal.
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::vectors
{
namespace
{

template <class T> struct fill {
  T off, diag;
  batch<T> y;

  struct matrix {
    T off, diag, *y;
    int64_t ld;

    __device__ __forceinline__ T load(int i, int j) const
    {
      return i == j ? diag : off;
    }
    __device__ __forceinline__ void store(int i, int j, T value) const
    {
      y[i + j * ld] = value;
    }
  };
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {off, diag, y.at(b), y.leading(b)};
  }
};

int elements(batched_ctx *ctx, const batched_set_args &s)
{
  return with_type(s.a.type, [&](auto t) {
    using T = decltype(t);
    fill<T> f = {make<T>(s.off), make<T>(s.diag), view<T>(s.a)};
    if (f.off == f.diag && can_lengthen(f.y)) lengthen(f.y);
    return for_each_element(ctx, f);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_set_cuda[] = {row<nullptr, nullptr, elements>("cuda.elements"), BATCHED_LAST_ROW};
