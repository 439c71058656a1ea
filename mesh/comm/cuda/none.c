/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built: no context is on a GPU then.
 */
#include "mesh/comm/halo_device.h"
#include "mesh/comm/cuda/no_peers.h"

int halo_device_create(halo_device **d, batched_ctx *ctx, const halo_lists *lists, bool direct)
{
  (void)ctx, (void)lists, (void)direct;
  *d = NULL;
  return BATCHED_NO_DEVICE;
}

void halo_device_destroy(halo_device **d)
{
  *d = NULL;
}

int halo_device_make_room(halo_device *d, int ncomp)
{
  (void)d, (void)ncomp;
  return BATCHED_NO_DEVICE;
}

double *halo_device_out(const halo_device *d)
{
  (void)d;
  return NULL;
}

double *halo_device_in(const halo_device *d)
{
  (void)d;
  return NULL;
}

int halo_device_pack(halo_device *d, int ncomp, int n, const double *x)
{
  (void)d, (void)ncomp, (void)n, (void)x;
  return BATCHED_NO_DEVICE;
}

int halo_device_packed(halo_device *d)
{
  (void)d;
  return BATCHED_NO_DEVICE;
}

int halo_device_add(halo_device *d, int ncomp, int n, double *x)
{
  (void)d, (void)ncomp, (void)n, (void)x;
  return BATCHED_NO_DEVICE;
}

int halo_device_fold(halo_device *d, int ncomp, int n, double *x)
{
  (void)d, (void)ncomp, (void)n, (void)x;
  return BATCHED_NO_DEVICE;
}

int halo_device_spread(halo_device *d, int ncomp, int n, double *x)
{
  (void)d, (void)ncomp, (void)n, (void)x;
  return BATCHED_NO_DEVICE;
}
