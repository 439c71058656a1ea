/* SPDX-License-Identifier: BSD-3-Clause
 *
 * r = x^T y, or x^H y: the products of a matrix are added by a tree (tree.cuh).
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/tree.cuh"

namespace batched_cuda::vectors
{
namespace
{

template <class T> struct products {
  static constexpr int together = 4;
  bool conjugate;
  batch<T> x, y, r;
  int64_t count;

  struct matrix {
    bool conjugate;
    const T *x, *y;
    int64_t incx, incy;

    __device__ __forceinline__ T load(int i, int) const
    {
      return conj_if(conjugate, x[i * incx]) * y[i * incy];
    }
  };
  __device__ __forceinline__ int rows(int64_t b) const
  {
    return x.length(b);
  }
  __device__ __forceinline__ int cols(int64_t) const
  {
    return 1;
  }
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {conjugate, x.at(b), y.at(b), x.increment(b), y.increment(b)};
  }
  __device__ __forceinline__ void store(int64_t b, T sum) const
  {
    *r.at(b) = sum;
  }
};

int tree(batched_ctx *ctx, const batched_dot_args &d)
{
  return with_type(d.x.type, [&](auto t) {
    using T = decltype(t);
    const products<T> f = {d.trans == BATCHED_CONJ_TRANS, view<T>(d.x), view<T>(d.y), view<T>(d.r), d.r.count};
    return reduce<sum_of<T>>(ctx, f, d.x.n == 1 && !d.x.ns ? d.x.m : d.x.n, 1);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_dot_cuda[] = {row<nullptr, nullptr, tree>("cuda.tree"), BATCHED_LAST_ROW};
