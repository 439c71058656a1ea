/* SPDX-License-Identifier: BSD-3-Clause
 *
 * r = sum of |re| + |im| by a tree (tree.cuh).
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/tree.cuh"

namespace batched_cuda::vectors
{
namespace
{

template <class T> struct sum_of_abs1 : sum_of<real_of<T>> {
  __device__ __forceinline__ void add(T x)
  {
    this->value += abs1(x);
  }
  __device__ __forceinline__ sum_of_abs1 shuffled(int lanes, int width) const
  {
    sum_of_abs1 a;
    a.value = shuffle_xor(this->value, lanes, width);
    return a;
  }
};

int tree(batched_ctx *ctx, const batched_asum_args &d)
{
  return with_type(d.x.type, [&](auto t) {
    using T = decltype(t);
    const elements_of<T> f = {view<T>(d.x), view<real_of<T>>(d.r), d.r.count};
    return reduce<sum_of_abs1<T>>(ctx, f, d.x.m, d.x.n);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_asum_cuda[] = {row<nullptr, nullptr, tree>("cuda.tree"), BATCHED_LAST_ROW};
