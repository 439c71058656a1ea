/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of lrgemm: cuda.composed, calls of other operations, as on the host, and cuda.stream for what is added to a
 * dense C.
 */
#include "batched/lowrank/cuda/lrgemm_stream.cuh"

namespace batched_cuda::lowrank
{
namespace
{

using shape = stream_shape<16, 256, 6>;

bool fits_stream(const batched_lrgemm_args &g)
{
  const batched_matrix &c = g.cu;
  const int rank = lowrank_rank_of_update(&g);
  return c.type == BATCHED_D && rank > 0 && rank <= shape::depth && g.beta.re != 0 && !batched_is_variable(&c) &&
         !c.array && c.m % 2 == 0 && c.ld % 2 == 0 && (c.stride % 2 == 0 || c.count == 1) &&
         reinterpret_cast<uintptr_t>(c.data) % 16 == 0 && shape::shared <= most_shared();
}

int add_by_stream(batched_ctx *ctx, batched_scalar alpha, batched_matrix p, batched_matrix q, batched_scalar beta,
                  batched_matrix c)
{
  return stream<shape, false>(ctx,
                              {view<double>(c), view<double>(p), view<double>(q), {}, {}, alpha.re, beta.re, 0, 0, 1});
}

/* A_u (B_v W^T)^T with W = A_v^T B_u, by one kernel. */
int add_thin_product(batched_ctx *ctx, const batched_lrgemm_args &g)
{
  return stream<shape, true>(ctx, {view<double>(g.cu), view<double>(g.au), view<double>(g.bv), view<double>(g.av),
                                   view<double>(g.bu), g.alpha.re, g.beta.re, 0, 0, 1});
}

int stream_row(batched_ctx *ctx, const batched_lrgemm_args &g)
{
  if (lowrank_is_there(&g.av) && lowrank_is_there(&g.bv) && g.au.n <= shape::depth && g.bu.n <= shape::depth)
    return add_thin_product(ctx, g);
  return lowrank_compose_lrgemm_by(ctx, &g, add_by_stream);
}

} // namespace
} // namespace batched_cuda::lowrank

using namespace batched_cuda;
using namespace batched_cuda::lowrank;

const batched_variant batched_lrgemm_cuda[] = {
  row<fits_stream, batched_by_table, stream_row>("cuda.stream"),
  {"cuda.composed", nullptr, nullptr, lowrank_compose_lrgemm},
  BATCHED_LAST_ROW,
};
