/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A halo on the model of a machine (batched/cuda/model.h): its messages have their length, and say nothing.
 */
#include <stdlib.h>

#include "batched/cuda/model.h"
#include "mesh/comm/halo_device.h"
#include "mesh/comm/cuda/no_peers.h"

struct halo_device {
  batched_ctx *ctx;
  int nslots, ncomp;
  int nimages;      /* nodes that seams make one, the first of each included */
  double *out, *in; /* owned, [nslots][ncomp] */
  double packed;    /* when the messages are complete */
};

int halo_device_create(halo_device **d, batched_ctx *ctx, const halo_lists *lists, bool direct)
{
  (void)direct;
  *d = calloc(1, sizeof **d);
  if (!*d) return BATCHED_NO_MEMORY;
  (*d)->ctx = ctx;
  (*d)->nslots = lists->nslots;
  if (lists->nfirsts > 0) (*d)->nimages = lists->nfirsts + lists->images_start[lists->nfirsts];
  return BATCHED_SUCCESS;
}

void halo_device_destroy(halo_device **d)
{
  if (*d) {
    free((*d)->out);
    free((*d)->in);
  }
  free(*d);
  *d = NULL;
}

static double bytes_of(const halo_device *d, int ncomp)
{
  return (double)sizeof(double) * d->nslots * ncomp;
}

int halo_device_make_room(halo_device *d, int ncomp)
{
  if (ncomp <= d->ncomp) return BATCHED_SUCCESS;
  const size_t n = (size_t)d->nslots * (size_t)ncomp + 1;
  free(d->out);
  free(d->in);
  d->out = calloc(n, sizeof *d->out);
  d->in = calloc(n, sizeof *d->in);
  d->ncomp = d->out && d->in ? ncomp : 0;
  return d->ncomp ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

double *halo_device_out(const halo_device *d)
{
  return d->out;
}

double *halo_device_in(const halo_device *d)
{
  return d->in;
}

int halo_device_pack(halo_device *d, int ncomp, int n, const double *x)
{
  (void)n, (void)x;
  batched_model_enqueue_bus(d->ctx, bytes_of(d, ncomp));
  d->packed = batched_model_mark(d->ctx);
  return BATCHED_SUCCESS;
}

int halo_device_packed(halo_device *d)
{
  batched_model_wait(d->ctx, d->packed);
  return BATCHED_SUCCESS;
}

int halo_device_add(halo_device *d, int ncomp, int n, double *x)
{
  (void)n, (void)x;
  batched_model_enqueue_bus(d->ctx, bytes_of(d, ncomp));
  return BATCHED_SUCCESS;
}

/* Images are read and written where they are: of no seams there is no kernel. */
static int pass_images(const halo_device *d, int ncomp)
{
  if (d->nimages > 0) batched_model_enqueue(d->ctx, 2.0 * (double)sizeof(double) * d->nimages * ncomp, 0.8);
  return BATCHED_SUCCESS;
}

int halo_device_fold(halo_device *d, int ncomp, int n, double *x)
{
  (void)n, (void)x;
  return pass_images(d, ncomp);
}

int halo_device_spread(halo_device *d, int ncomp, int n, double *x)
{
  (void)n, (void)x;
  return pass_images(d, ncomp);
}
