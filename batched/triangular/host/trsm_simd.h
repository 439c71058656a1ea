/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of trsm: substitution, a matrix per SIMD lane, chunks of columns (rows) of B.
 */
#include "batched/triangular/host/sides_simd.h"

static int NAME(simd)(batched_ctx *ctx, const batched_trsm_args *t)
{
  return NAME(apply_triangle)(ctx, t, NAME(solve_lanes));
}
#include "batched/host/lanes_end.h"
