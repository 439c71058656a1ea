/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.composed of ge2gb, whose steps are in general_steps.cu.
 */
#include "batched/cuda/rows.cuh"
#include "batched/two_stage/general_steps.h"

using namespace batched_cuda;

static int composed(batched_ctx *ctx, const batched_ge2gb_args &p)
{
  return batched_ge2gb_composed(ctx, &p);
}

const batched_variant batched_ge2gb_cuda[] = {row<nullptr, nullptr, composed>("cuda.composed"), BATCHED_LAST_ROW};
