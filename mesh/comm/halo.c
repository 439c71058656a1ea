/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums over the ranks that share a node, and over a rank's images of one: chooses the way that they go, which is
 * halo_host.h or halo_device.h, over messages or memory that ranks share.
 */
#include <stdlib.h>

#include "batched/variant.h"
#include "mesh/comm/halo.h"
#include "mesh/comm/halo_device.h"
#include "mesh/comm/halo_direct.h"
#include "mesh/comm/halo_host.h"
#include "mesh/comm/halo_messages.h"
#include "mesh/comm/halo_plan.h"
#include "mesh/comm/nccl.h"
#include "mesh/comm/traffic.h"

struct halo {
  halo_plan plan;          /* owned, as all below */
  halo_messages *messages; /* by MPI */
  halo_host *host;         /* sums on the host */
  halo_device *device;     /* and on a GPU; NULL: not placed */
  bool direct;             /* messages lie in the device's memory: MPI takes that, or NCCL sends them */
  bool nccl;               /* see halo_take_nccl */
  bool peers;              /* see halo_take_peers */
  bool apart;              /* see halo_apart */
};

static bool make_parts(halo *h)
{
  return halo_messages_create(&h->messages, &h->plan) && halo_host_create(&h->host, &h->plan, h->messages);
}

static int create(halo **result, int n, const int64_t *id, bool joint)
{
  halo *h = *result = calloc(1, sizeof *h);
  int status = comm_worst(h ? STATUS_OK : STATUS_MACHINE);
  if (!status) status = halo_plan_find(&h->plan, n, id, joint);
  if (!status) status = comm_worst(make_parts(h) ? STATUS_OK : STATUS_MACHINE);
  if (status) halo_destroy(result);
  return status;
}

int halo_create(halo **h, int n, const int64_t *id)
{
  return create(h, n, id, false);
}

int halo_create_joint(halo **h, int n, const int64_t *id)
{
  return create(h, n, id, true);
}

void halo_destroy(halo **result)
{
  halo *h = *result;
  *result = NULL;
  if (!h) return;
  halo_device_destroy(&h->device);
  halo_host_destroy(&h->host);
  halo_messages_destroy(&h->messages);
  halo_plan_free(&h->plan);
  free(h);
}

int halo_neighbours(const halo *h)
{
  return h->plan.nneighbours;
}

bool halo_alone(const halo *h)
{
  return comm_size() == 1 && h->plan.images.nfirsts == 0;
}

int halo_shared(const halo *h, const int **index)
{
  *index = h->plan.shared;
  return h->plan.nshared;
}

void halo_mark_summed(const halo *h, int *mark)
{
  const halo_plan *p = &h->plan;
  for (int i = 0; i < p->nshared; i++) mark[p->shared[i]] = 1;
  for (int i = 0; i < p->images.nfirsts; i++) mark[p->images.first[i]] = 1;
  for (int i = 0; i < halo_images_count(&p->images); i++) mark[p->images.image[i]] = 1;
}

void halo_owned(const halo *h, bool *owner)
{
  const halo_plan *p = &h->plan;
  for (int i = 0; i < p->n; i++) owner[i] = true;
  for (int i = 0; i < halo_images_count(&p->images); i++) owner[p->images.image[i]] = false;
  for (int i = 0; i < halo_plan_lower_slots(p); i++) owner[p->shared[p->slots[i]]] = false;
}

/* ------------------------------------------------------------------ the way of the sums */

int *halo_make_lists(const halo *h, halo_lists *lists)
{
  return halo_plan_lists(&h->plan, lists);
}

static int place(batched_ctx *ctx, halo *h)
{
  halo_lists lists;
  int *block = halo_make_lists(h, &lists);
  int status = block ? halo_device_create(&h->device, ctx, &lists, h->direct) : BATCHED_NO_MEMORY;
  if (!status) status = halo_device_make_room(h->device, HALO_FIRST_NCOMP);
  free(block);
  return status;
}

/* Collective. */
static bool are_apart(void)
{
  enum { MOST = 64 };
  int64_t gpus[MOST][2] = {{0}};
  const int size = comm_size();
  if (comm_worst(comm_local_size() < size || size > MOST)) return false;
  if (comm_worst(halo_device_identity(gpus[comm_rank()]))) return false;
  comm_sum_int64(&gpus[0][0], 2 * size);
  for (int r = 0; r < size; r++)
    for (int s = 0; s < r; s++)
      if (gpus[r][0] == gpus[s][0] && gpus[r][1] == gpus[s][1]) return false;
  return true;
}

int halo_place(batched_ctx *ctx, halo *h)
{
  if (batched_get_space(ctx) == BATCHED_HOST) {
    halo_take_shared_memory(h);
    return BATCHED_SUCCESS;
  }
  halo_device_destroy(&h->device);
  h->peers = false;
  h->direct = halo_direct(ctx);
  h->apart = are_apart();
  return place(ctx, h);
}

void halo_take_shared_memory(halo *h)
{
  halo_host_take_shared_memory(h->host);
}

const char *halo_take_nccl(batched_ctx *ctx, halo *h)
{
  if (comm_size() == 1) return NULL;
  const char *why = batched_get_space(ctx) == BATCHED_HOST ? "the messages are on the host" : nccl_open();
  if (why) return why;
  halo_device_destroy(&h->device);
  h->direct = h->nccl = true;
  return comm_worst(place(ctx, h)) ? "the GPU has no memory for the messages" : NULL;
}

void halo_take_peers(halo *h)
{
  if (comm_size() == 1 || !h->apart || comm_worst(!h->device)) return;
  h->peers = halo_device_take_peers(h->device, h);
}

bool halo_is_immediate(const halo *h)
{
  return h->peers;
}

bool halo_apart(const halo *h)
{
  return h->apart;
}

const char *halo_path(const halo *h)
{
  if (!h->device) return "the host's memory";
  if (h->nccl) return "the GPU's memory, by NCCL";
  if (h->peers) return "each other's memory";
  return h->direct ? "the GPU's memory" : "pinned memory";
}

/* ------------------------------------------------------------------ sums on a GPU
 *
 * Messages go even if the device failed: a neighbour waits for them. */

static bool goes_by_peers(const halo *h, int ncomp)
{
  return h->peers && ncomp <= HALO_MOST_PEER_COMPONENTS;
}

/* What goes to the other GPUs counts as messages. */
static int begin_peers(halo *h, int ncomp, const double *x)
{
  const double start = batched_seconds();
  const int status = halo_device_pass_on(h->device, ncomp, h->plan.n, x);
  halo_plan_count_traffic(&h->plan, ncomp, batched_seconds() - start);
  return status;
}

static int begin_nccl(batched_ctx *ctx, halo *h, int ncomp)
{
  const double start = batched_seconds();
  const nccl_exchange e = {.nneighbours = h->plan.nneighbours,
                           .ncomp = ncomp,
                           .neighbours = h->plan.neighbours,
                           .first = h->plan.first,
                           .out = halo_device_out(h->device),
                           .in = halo_device_in(h->device)};
  const int status = nccl_begin(ctx, &e);
  halo_plan_count_traffic(&h->plan, ncomp, batched_seconds() - start);
  return status;
}

static int begin_device(batched_ctx *ctx, halo *h, int ncomp, double *x)
{
  int status = h->device ? BATCHED_SUCCESS : place(ctx, h);
  if (!status) status = halo_device_make_room(h->device, ncomp);
  if (status) halo_messages_give_up(ncomp);
  status = halo_device_fold(h->device, ncomp, h->plan.n, x);
  if (goes_by_peers(h, ncomp)) {
    const int passed = begin_peers(h, ncomp, x);
    return status ? status : passed;
  }
  const int packed = halo_device_pack(h->device, ncomp, h->plan.n, x);
  if (!status) status = packed;
  const int sent = h->nccl && h->plan.nneighbours > 0 ? begin_nccl(ctx, h, ncomp) : BATCHED_SUCCESS;
  return status ? status : sent;
}

static int exchange_by_mpi(halo *h, int ncomp)
{
  const int status = halo_device_packed(h->device);
  halo_messages_post(h->messages, ncomp, halo_device_in(h->device), halo_device_out(h->device));
  halo_messages_wait(h->messages);
  return status;
}

static int end_device(batched_ctx *ctx, halo *h, int ncomp, double *x)
{
  int status = BATCHED_SUCCESS;
  if (goes_by_peers(h, ncomp)) {
    status = halo_device_take_in(h->device, ncomp, h->plan.n, x);
  } else if (h->plan.nneighbours > 0) {
    status = h->nccl ? nccl_end(ctx) : exchange_by_mpi(h, ncomp);
    if (!status) status = halo_device_add(h->device, ncomp, h->plan.n, x);
  }
  return status ? status : halo_device_spread(h->device, ncomp, h->plan.n, x);
}

/* ------------------------------------------------------------------ sums */

static bool on_device(batched_ctx *ctx)
{
  return ctx && batched_get_space(ctx) == BATCHED_CUDA;
}

static bool has_nothing_to_sum(const halo *h)
{
  return h->plan.nneighbours == 0 && h->plan.images.nfirsts == 0;
}

int halo_sum_begin(batched_ctx *ctx, halo *h, int ncomp, double *x)
{
  if (has_nothing_to_sum(h)) return BATCHED_SUCCESS;
  if (on_device(ctx)) return begin_device(ctx, h, ncomp, x);
  halo_images_fold(&h->plan.images, ncomp, (size_t)h->plan.n, x);
  if (h->plan.nneighbours > 0) halo_host_begin(h->host, ncomp, x);
  return BATCHED_SUCCESS;
}

int halo_sum_end(batched_ctx *ctx, halo *h, int ncomp, double *x)
{
  if (has_nothing_to_sum(h)) return BATCHED_SUCCESS;
  if (on_device(ctx)) return end_device(ctx, h, ncomp, x);
  if (h->plan.nneighbours > 0) halo_host_end(h->host, ncomp, x);
  halo_images_spread(&h->plan.images, ncomp, (size_t)h->plan.n, x);
  return BATCHED_SUCCESS;
}

void halo_max(halo *h, double *x)
{
  halo_images_max(&h->plan.images, x);
  halo_host_max(h->host, x);
  halo_images_spread(&h->plan.images, 1, (size_t)h->plan.n, x);
}

/* The sum over the sharers, of which all but the owner have zeros. */
void halo_take_owners(halo *h, int ncomp, double *x)
{
  const halo_plan *p = &h->plan;
  for (int c = 0; c < ncomp; c++) {
    double *xc = x + (int64_t)c * p->n;
    for (int i = 0; i < halo_plan_lower_slots(p); i++) xc[p->shared[p->slots[i]]] = 0.0;
    for (int i = 0; i < halo_images_count(&p->images); i++) xc[p->images.image[i]] = 0.0;
  }
  halo_sum_begin(NULL, h, ncomp, x);
  halo_sum_end(NULL, h, ncomp, x);
}
