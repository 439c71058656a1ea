/* SPDX-License-Identifier: BSD-3-Clause
 *
 * r = |x|_2, without overflow or underflow on the way (scaled_norm in reduce.cuh).
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/tree.cuh"

namespace batched_cuda::vectors
{
namespace
{

int tree(batched_ctx *ctx, const batched_nrm2_args &d)
{
  return with_type(d.x.type, [&](auto t) {
    using T = decltype(t);
    const elements_of<T> f = {view<T>(d.x), view<real_of<T>>(d.r), d.r.count};
    return reduce<scaled_norm<T>>(ctx, f, d.x.m, d.x.n);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_nrm2_cuda[] = {row<nullptr, nullptr, tree>("cuda.tree"), BATCHED_LAST_ROW};
