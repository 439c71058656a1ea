/* SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs that talk to each other, by NCCL or by themselves, where there are none: defined once in a build, by none.c or
 * by model.c.
 */
#include "mesh/comm/halo_device.h"
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

int halo_device_identity(int64_t identity[2])
{
  identity[0] = identity[1] = 0;
  return BATCHED_NO_DEVICE;
}

bool halo_device_take_peers(halo_device *d, const halo *h)
{
  (void)d, (void)h;
  return false;
}

int halo_device_pass_on(halo_device *d, int ncomp, int n, const double *x)
{
  (void)d, (void)ncomp, (void)n, (void)x;
  return BATCHED_NO_DEVICE;
}

int halo_device_take_in(halo_device *d, int ncomp, int n, double *x)
{
  (void)d, (void)ncomp, (void)n, (void)x;
  return BATCHED_NO_DEVICE;
}
