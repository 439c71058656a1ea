/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.composed of unmtr_he2hb, whose steps are in steps.cu.
 */
#include "batched/cuda/rows.cuh"
#include "batched/two_stage/steps.h"

using namespace batched_cuda;

static int composed(batched_ctx *ctx, const batched_unmtr_he2hb_args &p)
{
  return batched_unmtr_he2hb_composed(ctx, &p);
}

const batched_variant batched_unmtr_he2hb_cuda[] = {row<nullptr, nullptr, composed>("cuda.composed"), BATCHED_LAST_ROW};
