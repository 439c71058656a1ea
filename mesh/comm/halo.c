/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums over the ranks that share a node, by one message per neighbour and direction, or on a host through memory that
 * the ranks share.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/variant.h"
#include "mesh/comm/halo.h"
#include "mesh/comm/halo_memory.h"
#include "mesh/comm/halo_device.h"
#include "mesh/comm/halo_direct.h"
#include "mesh/comm/images.h"
#include "mesh/comm/nccl.h"
#include "mesh/comm/sharing.h"
#include "mesh/comm/traffic.h"

enum { HALO_TAG = 72, FIRST_NCOMP = 3 };

struct halo {
  int n, nshared, nneighbours, rank;
  int *shared;      /* owned, [nshared]: nodes, ascending */
  int *neighbours;  /* owned, [nneighbours]: ranks, ascending */
  int *first;       /* owned, [nneighbours + 1]: offsets into slots */
  int *slots;       /* owned, [first[nneighbours]]: places in shared, by neighbour and then by id */
  int ncomp_room;   /* components that the buffers hold */
  double *out, *in; /* owned, [first[nneighbours]][ncomp]: what is sent and what came, as in slots */
  double *sum;      /* owned, [nshared][ncomp] */
  halo_images images;
  MPI_Request *requests;  /* owned, [2 * nneighbours] */
  halo_memory *by_memory; /* owned; NULL: vectors on the host are summed by messages, as are those of many components */
  halo_device *device;    /* owned; NULL: not placed */
  bool direct;            /* messages lie in the device's memory: MPI takes that, or NCCL sends them */
  bool nccl;              /* see halo_take_nccl */
  bool peers;             /* see halo_take_peers */
  bool apart;             /* see halo_apart */
};

static bool make_room(halo *h, int ncomp)
{
  if (ncomp <= h->ncomp_room) return true;
  size_t n = (size_t)h->first[h->nneighbours] * (size_t)ncomp + 1, nsum = (size_t)h->nshared * (size_t)ncomp + 1;
  free(h->out);
  free(h->in);
  free(h->sum);
  h->out = malloc(n * sizeof *h->out);
  h->in = malloc(n * sizeof *h->in);
  h->sum = malloc(nsum * sizeof *h->sum);
  const bool enough = h->out && h->in && h->sum;
  h->ncomp_room = enough ? ncomp : 0;
  return enough;
}

static void set_neighbours(halo *h, const sharing *s, int count)
{
  for (int i = 0; i < count; i++) {
    if (i > 0 && s[i].other == s[i - 1].other) continue;
    h->first[h->nneighbours] = i;
    h->neighbours[h->nneighbours++] = (int)s[i].other;
  }
  h->first[h->nneighbours] = count;
}

/* slot_of has shape [n], zeros. */
static void set_slots(halo *h, const sharing *s, int count, int *slot_of)
{
  for (int i = 0; i < count; i++) slot_of[s[i].at] = 1;
  for (int i = 0; i < h->n; i++) {
    if (!slot_of[i]) continue;
    slot_of[i] = h->nshared;
    h->shared[h->nshared++] = i;
  }
  for (int i = 0; i < count; i++) h->slots[i] = slot_of[s[i].at];
}

static bool halo_fill(halo *h, const sharing *s, int count)
{
  int neighbours = 0;
  for (int i = 0; i < count; i++) neighbours += i == 0 || s[i].other != s[i - 1].other;
  size_t most_shared = (size_t)(count < h->n ? count : h->n) + 1;
  h->shared = malloc(most_shared * sizeof *h->shared);
  h->neighbours = malloc(((size_t)neighbours + 1) * sizeof *h->neighbours);
  h->first = malloc(((size_t)neighbours + 1) * sizeof *h->first);
  h->slots = malloc(((size_t)count + 1) * sizeof *h->slots);
  h->requests = malloc((2 * (size_t)neighbours + 1) * sizeof *h->requests);
  int *slot_of = calloc((size_t)h->n + 1, sizeof *slot_of);
  bool ok = h->shared && h->neighbours && h->first && h->slots && h->requests && slot_of;
  if (ok) {
    set_neighbours(h, s, count);
    set_slots(h, s, count, slot_of);
    ok = make_room(h, FIRST_NCOMP);
  }
  free(slot_of);
  return ok;
}

/* Who else has the ids of all nodes but images. */
static int find_sharings(const halo *h, const int64_t *id, sharing **sharings, int *count)
{
  const halo_images *m = &h->images;
  if (m->nfirsts == 0) return comm_worst(sharing_find(h->n, id, sharings, count));
  const int status = comm_worst(sharing_find(m->nkept, m->kept_id, sharings, count));
  for (int i = 0; !status && i < *count; i++) (*sharings)[i].at = m->kept[(*sharings)[i].at];
  return status;
}

static int create(halo **result, int n, const int64_t *id, bool joint)
{
  halo *h = calloc(1, sizeof *h);
  sharing *sharings = NULL;
  bool enough = h;
  int count = 0;
  if (h) {
    h->n = n;
    h->rank = comm_rank();
    enough = !joint || halo_images_find(&h->images, n, id);
  }
  int status = comm_worst(enough ? STATUS_OK : STATUS_MACHINE);
  if (!status) status = find_sharings(h, id, &sharings, &count);
  if (!status) status = comm_worst(halo_fill(h, sharings, count) ? STATUS_OK : STATUS_MACHINE);
  free(sharings);
  if (status) halo_destroy(&h);
  *result = h;
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
  halo_memory_destroy(&h->by_memory);
  halo_images_free(&h->images);
  free(h->shared);
  free(h->neighbours);
  free(h->first);
  free(h->slots);
  free(h->out);
  free(h->in);
  free(h->sum);
  free(h->requests);
  free(h);
}

int halo_neighbours(const halo *h)
{
  return h->nneighbours;
}

bool halo_alone(const halo *h)
{
  return comm_size() == 1 && h->images.nfirsts == 0;
}

int halo_shared(const halo *h, const int **index)
{
  *index = h->shared;
  return h->nshared;
}

void halo_mark_summed(const halo *h, int *mark)
{
  const halo_images *m = &h->images;
  for (int i = 0; i < h->nshared; i++) mark[h->shared[i]] = 1;
  for (int f = 0; f < m->nfirsts; f++) {
    mark[m->first[f]] = 1;
    for (int i = m->start[f]; i < m->start[f + 1]; i++) mark[m->image[i]] = 1;
  }
}

void halo_owned(const halo *h, bool *owner)
{
  const halo_images *m = &h->images;
  for (int i = 0; i < h->n; i++) owner[i] = true;
  for (int i = 0; m->nfirsts && i < m->start[m->nfirsts]; i++) owner[m->image[i]] = false;
  for (int j = 0; j < h->nneighbours && h->neighbours[j] < h->rank; j++) {
    for (int i = h->first[j]; i < h->first[j + 1]; i++) owner[h->shared[h->slots[i]]] = false;
  }
}

/* ------------------------------------------------------------------ on a GPU */

int *halo_make_lists(const halo *h, halo_lists *lists)
{
  const int nslots = h->first[h->nneighbours];
  int *block = calloc(2 * (size_t)nslots + 2 * (size_t)h->nshared + 2, sizeof *block);
  if (!block) return NULL;
  int *node = block, *entry = node + nslots, *own = entry + nslots, *start = own + h->nshared, j = 0;
  for (int i = 0; i < nslots; i++) {
    node[i] = h->shared[h->slots[i]];
    start[h->slots[i] + 1]++;
  }
  for (int i = 0; i < h->nshared; i++) {
    start[i + 1] += start[i];
    own[i] = start[i]; // counts up to where this rank's own entry belongs
  }
  for (; j < h->nneighbours && h->neighbours[j] < h->rank; j++)
    for (int i = h->first[j]; i < h->first[j + 1]; i++) entry[own[h->slots[i]]++] = i;
  int *at = malloc(((size_t)h->nshared + 1) * sizeof *at);
  if (at) {
    memcpy(at, own, (size_t)h->nshared * sizeof *at);
    for (int i = h->first[j]; i < nslots; i++) entry[at[h->slots[i]]++] = i;
    *lists = (halo_lists){.nshared = h->nshared,
                          .nslots = nslots,
                          .nneighbours = h->nneighbours,
                          .neighbours = h->neighbours,
                          .first = h->first,
                          .node = node,
                          .shared = h->shared,
                          .start = start,
                          .entry = entry,
                          .own = own,
                          .nfirsts = h->images.nfirsts,
                          .images_first = h->images.first,
                          .images_start = h->images.start,
                          .image = h->images.image};
  } else {
    free(block);
    block = NULL;
  }
  free(at);
  return block;
}

static int place(batched_ctx *ctx, halo *h)
{
  halo_lists lists;
  int *block = halo_make_lists(h, &lists);
  int status = block ? halo_device_create(&h->device, ctx, &lists, h->direct) : BATCHED_NO_MEMORY;
  if (!status) status = halo_device_make_room(h->device, FIRST_NCOMP);
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
  halo_memory_destroy(&h->by_memory);
  halo_memory_create(&h->by_memory, h->nneighbours, h->neighbours, h->first, FIRST_NCOMP);
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

/* ------------------------------------------------------------------ sums */

static void post(halo *h, int ncomp, double *in, const double *out)
{
  const double start = batched_seconds();
  for (int j = 0; j < h->nneighbours; j++) {
    size_t at = (size_t)h->first[j] * (size_t)ncomp;
    int count = (h->first[j + 1] - h->first[j]) * ncomp, to = h->neighbours[j];
    MPI_Irecv(in + at, count, MPI_DOUBLE, to, HALO_TAG, MPI_COMM_WORLD, &h->requests[2 * j]);
    MPI_Isend(out + at, count, MPI_DOUBLE, to, HALO_TAG, MPI_COMM_WORLD, &h->requests[2 * j + 1]);
  }
  const int64_t bytes = (int64_t)h->first[h->nneighbours] * ncomp * (int64_t)sizeof(double);
  comm_traffic_add(h->nneighbours, bytes, batched_seconds() - start);
}

static void wait(halo *h)
{
  const double start = batched_seconds();
#ifdef SMPI_H /* whose MPI_Waitall looks at all that are left whenever one is done */
  for (int i = 0; i < 2 * h->nneighbours; i++) MPI_Wait(&h->requests[i], MPI_STATUS_IGNORE);
#else
  MPI_Waitall(2 * h->nneighbours, h->requests, MPI_STATUSES_IGNORE);
#endif
  comm_traffic_add(0, 0, batched_seconds() - start);
}

/* Neighbours wait for messages that this rank can't make. */
static void give_up(const halo *h, int ncomp)
{
  fprintf(stderr, "rank %d: out of memory for the messages of %d components\n", h->rank, ncomp);
  comm_abort(STATUS_MACHINE);
}

static bool on_device(batched_ctx *ctx)
{
  return ctx && batched_get_space(ctx) == BATCHED_CUDA;
}

static bool goes_by_peers(const halo *h, int ncomp)
{
  return h->peers && ncomp <= HALO_MOST_PEER_COMPONENTS;
}

/* Their bytes count as those of messages. */
static int begin_peers(halo *h, int ncomp, const double *x)
{
  const double start = batched_seconds();
  const int status = halo_device_pass_on(h->device, ncomp, h->n, x);
  const int64_t bytes = (int64_t)h->first[h->nneighbours] * ncomp * (int64_t)sizeof(double);
  comm_traffic_add(h->nneighbours, bytes, batched_seconds() - start);
  return status;
}

/* Messages go even if the device failed: a neighbour waits for them. */
static int begin_nccl(batched_ctx *ctx, halo *h, int ncomp)
{
  const double start = batched_seconds();
  const nccl_exchange e = {.nneighbours = h->nneighbours,
                           .ncomp = ncomp,
                           .neighbours = h->neighbours,
                           .first = h->first,
                           .out = halo_device_out(h->device),
                           .in = halo_device_in(h->device)};
  const int status = nccl_begin(ctx, &e);
  const int64_t bytes = (int64_t)h->first[h->nneighbours] * ncomp * (int64_t)sizeof(double);
  comm_traffic_add(h->nneighbours, bytes, batched_seconds() - start);
  return status;
}

static int begin_device(batched_ctx *ctx, halo *h, int ncomp, double *x)
{
  int status = h->device ? BATCHED_SUCCESS : place(ctx, h);
  if (!status) status = halo_device_make_room(h->device, ncomp);
  if (status) give_up(h, ncomp);
  status = halo_device_fold(h->device, ncomp, h->n, x);
  if (goes_by_peers(h, ncomp)) {
    const int passed = begin_peers(h, ncomp, x);
    return status ? status : passed;
  }
  const int packed = halo_device_pack(h->device, ncomp, h->n, x);
  if (!status) status = packed;
  const int sent = h->nccl && h->nneighbours > 0 ? begin_nccl(ctx, h, ncomp) : BATCHED_SUCCESS;
  return status ? status : sent;
}

/* Messages go even if the device failed: a neighbour waits for them. */
static int exchange_by_mpi(halo *h, int ncomp)
{
  const int status = halo_device_packed(h->device);
  post(h, ncomp, halo_device_in(h->device), halo_device_out(h->device));
  wait(h);
  return status;
}

static int end_device(batched_ctx *ctx, halo *h, int ncomp, double *x)
{
  int status = BATCHED_SUCCESS;
  if (goes_by_peers(h, ncomp)) {
    status = halo_device_take_in(h->device, ncomp, h->n, x);
  } else if (h->nneighbours > 0) {
    status = h->nccl ? nccl_end(ctx) : exchange_by_mpi(h, ncomp);
    if (!status) status = halo_device_add(h->device, ncomp, h->n, x);
  }
  return status ? status : halo_device_spread(h->device, ncomp, h->n, x);
}

static bool in_shared_memory(const halo *h, int ncomp)
{
  return h->by_memory && ncomp <= FIRST_NCOMP;
}

/* Packs the messages to the neighbours.  Inlined, as are the sums below, where the number of components is a constant:
 * their loops are short. */
static inline __attribute__((always_inline)) void pack(const halo *h, int ncomp, const double *x, double *out)
{
  for (int i = 0; i < h->first[h->nneighbours]; i++) {
    const double *xi = x + h->shared[h->slots[i]];
    for (int c = 0; c < ncomp; c++) *out++ = xi[(size_t)c * (size_t)h->n];
  }
}

static void pack_host(const halo *h, int ncomp, const double *x, double *out)
{
  switch (ncomp) {
  case 1: pack(h, 1, x, out); break;
  case 2: pack(h, 2, x, out); break;
  case 3: pack(h, 3, x, out); break;
  default: pack(h, ncomp, x, out);
  }
}

/* Gives the neighbours what they are to have.  Their bytes count as those of messages. */
static void begin_host(halo *h, int ncomp, const double *x)
{
  if (!in_shared_memory(h, ncomp)) {
    if (!make_room(h, ncomp)) give_up(h, ncomp);
    pack_host(h, ncomp, x, h->out);
    post(h, ncomp, h->in, h->out);
    return;
  }
  pack_host(h, ncomp, x, halo_memory_out(h->by_memory));
  halo_memory_post(h->by_memory);
  comm_traffic_add(h->nneighbours, (int64_t)h->first[h->nneighbours] * ncomp * (int64_t)sizeof(double), 0.0);
}

/* What neighbour j has for this rank, once it is there. */
static const double *in_from(const halo *h, int j, int ncomp)
{
  if (!in_shared_memory(h, ncomp)) return h->in + (size_t)h->first[j] * (size_t)ncomp;
  const double start = batched_seconds();
  const double *in = halo_memory_in(h->by_memory, j, ncomp);
  comm_traffic_add(0, 0, batched_seconds() - start);
  return in;
}

/* Adds what neighbour j sent to sum. */
static inline __attribute__((always_inline)) void add_neighbour(const halo *h, int j, int ncomp, double *restrict sum)
{
  const double *restrict in = in_from(h, j, ncomp);
  for (int i = h->first[j]; i < h->first[j + 1]; i++)
    for (int c = 0; c < ncomp; c++) sum[(size_t)h->slots[i] * (size_t)ncomp + (size_t)c] += *in++;
}

/* Sums in the order of the ranks, so that all ranks have the same bits. */
static inline __attribute__((always_inline)) void add(const halo *h, int ncomp, double *restrict x)
{
  double *restrict sum = h->sum;
  int j = 0;
  memset(sum, 0, (size_t)h->nshared * (size_t)ncomp * sizeof *sum);
  for (; j < h->nneighbours && h->neighbours[j] < h->rank; j++) add_neighbour(h, j, ncomp, sum);
  for (int i = 0; i < h->nshared; i++)
    for (int c = 0; c < ncomp; c++)
      sum[(size_t)i * (size_t)ncomp + (size_t)c] += x[(size_t)c * (size_t)h->n + (size_t)h->shared[i]];
  for (; j < h->nneighbours; j++) add_neighbour(h, j, ncomp, sum);
  for (int i = 0; i < h->nshared; i++)
    for (int c = 0; c < ncomp; c++)
      x[(size_t)c * (size_t)h->n + (size_t)h->shared[i]] = sum[(size_t)i * (size_t)ncomp + (size_t)c];
}

static void add_host(const halo *h, int ncomp, double *x)
{
  switch (ncomp) {
  case 1: add(h, 1, x); break;
  case 2: add(h, 2, x); break;
  case 3: add(h, 3, x); break;
  default: add(h, ncomp, x);
  }
}

int halo_sum_begin(batched_ctx *ctx, halo *h, int ncomp, double *x)
{
  if (h->nneighbours == 0 && h->images.nfirsts == 0) return BATCHED_SUCCESS;
  if (on_device(ctx)) return begin_device(ctx, h, ncomp, x);
  halo_images_fold(&h->images, ncomp, (size_t)h->n, x);
  if (h->nneighbours == 0) return BATCHED_SUCCESS;
  begin_host(h, ncomp, x);
  return BATCHED_SUCCESS;
}

static void end_host(halo *h, int ncomp, double *x)
{
  if (!in_shared_memory(h, ncomp)) wait(h);
  add_host(h, ncomp, x);
}

int halo_sum_end(batched_ctx *ctx, halo *h, int ncomp, double *x)
{
  if (h->nneighbours == 0 && h->images.nfirsts == 0) return BATCHED_SUCCESS;
  if (on_device(ctx)) return end_device(ctx, h, ncomp, x);
  if (h->nneighbours > 0) end_host(h, ncomp, x);
  halo_images_spread(&h->images, ncomp, (size_t)h->n, x);
  return BATCHED_SUCCESS;
}

static void take_larger(double *x, double other)
{
  if (other > *x) *x = other;
}

void halo_max(halo *h, double *x)
{
  const halo_images *m = &h->images;
  for (int f = 0; f < m->nfirsts; f++)
    for (int i = m->start[f]; i < m->start[f + 1]; i++) take_larger(&x[m->first[f]], x[m->image[i]]);
  begin_host(h, 1, x);
  if (!in_shared_memory(h, 1)) wait(h);
  for (int j = 0; j < h->nneighbours; j++) {
    const double *in = in_from(h, j, 1);
    for (int i = h->first[j]; i < h->first[j + 1]; i++) take_larger(&x[h->shared[h->slots[i]]], *in++);
  }
  halo_images_spread(m, 1, (size_t)h->n, x);
}

void halo_take_owners(halo *h, int ncomp, double *x)
{
  const halo_images *m = &h->images;
  for (int c = 0; c < ncomp; c++, x += h->n) {
    for (int j = 0; j < h->nneighbours && h->neighbours[j] < h->rank; j++)
      for (int i = h->first[j]; i < h->first[j + 1]; i++) x[h->shared[h->slots[i]]] = 0.0;
    for (int i = 0; m->nfirsts && i < m->start[m->nfirsts]; i++) x[m->image[i]] = 0.0;
  }
  x -= (int64_t)ncomp * h->n;
  halo_sum_begin(NULL, h, ncomp, x);
  halo_sum_end(NULL, h, ncomp, x);
}
