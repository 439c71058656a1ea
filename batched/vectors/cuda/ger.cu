/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A = A + alpha x y^T, or alpha x y^H, element by element.
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::vectors
{
namespace
{

/* Y = Y + alpha u v^T: A is the matrix that is written. */
template <class T> struct rank_one {
  bool conjugate;
  T alpha;
  batch<T> u, v, y;

  struct matrix {
    bool conjugate;
    T alpha;
    const T *u, *v;
    T *y;
    int64_t incu, incv, ld;

    __device__ __forceinline__ T load(int i, int j) const
    {
      return mad(u[i * incu], alpha * conj_if(conjugate, v[j * incv]), y[i + j * ld]);
    }
    __device__ __forceinline__ void store(int i, int j, T value) const
    {
      y[i + j * ld] = value;
    }
  };
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {conjugate, alpha, u.at(b), v.at(b), y.at(b), u.increment(b), v.increment(b), y.leading(b)};
  }
};

int elements(batched_ctx *ctx, const batched_ger_args &g)
{
  return with_type(g.a.type, [&](auto t) {
    using T = decltype(t);
    return for_each_element(
      ctx, rank_one<T>{g.trans == BATCHED_CONJ_TRANS, make<T>(g.alpha), view<T>(g.x), view<T>(g.y), view<T>(g.a)});
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_ger_cuda[] = {row<nullptr, nullptr, elements>("cuda.elements"), BATCHED_LAST_ROW};
