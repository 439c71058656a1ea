/* SPDX-License-Identifier: BSD-3-Clause
 *
 * NCCL where there is none: defined once in a build, by none.c or by model.c.
 */
#include "mesh/comm/nccl.h"

const char *nccl_open(void)
{
  return "this build has no NCCL";
}

int nccl_begin(batched_ctx *ctx, const nccl_exchange *e)
{
  (void)ctx, (void)e;
  return BATCHED_NO_DEVICE;
}

int nccl_end(batched_ctx *ctx)
{
  (void)ctx;
  return BATCHED_NO_DEVICE;
}
