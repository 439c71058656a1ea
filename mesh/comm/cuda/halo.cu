/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packs and adds shared nodes, and sums over images of nodes at periodic seams.  Without an MPI that takes the device's
 * memory, the kernels write and read the host's pinned memory themselves: messages are short, and a copy of its own
 * costs more than the bytes.  Between GPUs that have inboxes in each other's memory there are no messages: pass_on
 * writes flagged words there, and take_in waits for them (peers.cuh).  There are two sets of inboxes, for even and odd
 * sums: a word is written anew by the second sum after it, which begins when this rank's own take_in of the one between
 * has the words of all neighbours, which they write when they have read those before.
 *   grid       a thread per component of a slot (pack, pass_on), of a shared node (add, take_in), of a first image
 *              (fold, spread); blocks of 256; no shared memory
 *   takes      any number of components; double precision
 *   memory     pack: per slot reads 4 bytes and, gathered, 8 per component, writes 8 per component to the message; add:
 *              per shared node 12 bytes, 8 per component of x in and out, and of each slot 4 and 8 per component;
 *              fold, spread: 8 per component of each image; pass_on, take_in: as pack, add, with 16 bytes per component
 *              of a slot, and 8 per slot more
 *   accuracy   sums in the order of ranks, and of images: all ranks get the same bits, those of the host
 */
#include <cstdlib>

#include "mesh/comm/halo_device.h"
#include "mesh/comm/cuda/peers.cuh"
#include "batched/cuda/launch.cuh"

using batched_cuda::ceil_div;
using batched_cuda::launch;
using batched_cuda::status_of;
using batched_cuda::stream_of;

static const int block = 256;

struct halo_device {
  batched_ctx *ctx; /* borrowed */
  int nshared, nslots, ncomp_room;
  int *node, *shared, *start, *entry, *own; /* owned: see halo_lists */
  bool direct;
  int nfirsts;
  int *images_first, *images_start, *image; /* owned: see halo_lists */
  double *out, *in;                         /* owned, [nslots][ncomp] */
  cudaEvent_t packed;                       /* owned */
  halo_peers *peers[2];                     /* owned; NULL: there are none */
  uint32_t sums;                            /* by them, so far */
};

namespace mesh_cuda
{

/* out [count / ncomp][ncomp] = x at the nodes of the slots. */
static __global__ void pack(int64_t count, int ncomp, int64_t n, const int *__restrict__ node,
                            const double *__restrict__ x, double *__restrict__ out)
{
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count; i += step)
    out[i] = x[i % ncomp * n + node[i / ncomp]];
}

/* The sum in the order of ranks, as on the host: every sharer gets the same bits. */
static __global__ void add(int64_t count, int ncomp, int64_t n, const int *__restrict__ shared,
                           const int *__restrict__ start, const int *__restrict__ entry, const int *__restrict__ own,
                           const double *__restrict__ in, double *__restrict__ x)
{
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count; i += step) {
    const int64_t s = i / ncomp, c = i % ncomp, at = c * n + shared[s];
    double sum = 0;
    int e = start[s];
    for (; e < own[s]; e++) sum += in[(int64_t)entry[e] * ncomp + c];
    sum += x[at];
    for (; e < start[s + 1]; e++) sum += in[(int64_t)entry[e] * ncomp + c];
    x[at] = sum;
  }
}

/* x at the nodes of the slots to the neighbours' inboxes. */
static __global__ void pass_on(const peer_view *view, int64_t count, int ncomp, int64_t n, const double *__restrict__ x,
                               uint32_t sequence)
{
  const peer_view &v = *view;
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count; i += step) {
    const int64_t slot = i / ncomp, c = i % ncomp;
    post(v.to[slot] + c, x[c * n + v.node[slot]], sequence);
  }
}

/* As add, of what comes to this rank's inbox. */
static __global__ void take_in(const peer_view *view, int64_t count, int ncomp, int64_t n, double *__restrict__ x,
                               uint32_t sequence)
{
  const peer_view &v = *view;
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count; i += step) {
    const int s = (int)(i / ncomp), c = (int)(i % ncomp);
    double *at = x + c * n + v.shared[s];
    *at = sum_of_ranks(v, HALO_MOST_PEER_COMPONENTS, s, c, *at, sequence);
  }
}

/* Every first gets the sum over itself and its images, in their order, as on the host. */
static __global__ void fold(int64_t count, int ncomp, int64_t n, const int *__restrict__ first,
                            const int *__restrict__ start, const int *__restrict__ image, double *__restrict__ x)
{
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count; i += step) {
    const int64_t f = i / ncomp;
    double *u = x + i % ncomp * n, sum = u[first[f]];
    for (int j = start[f]; j < start[f + 1]; j++) sum += u[image[j]];
    u[first[f]] = sum;
  }
}

/* Every image gets what its first has. */
static __global__ void spread(int64_t count, int ncomp, int64_t n, const int *__restrict__ first,
                              const int *__restrict__ start, const int *__restrict__ image, double *__restrict__ x)
{
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count; i += step) {
    const int64_t f = i / ncomp;
    double *u = x + i % ncomp * n;
    for (int j = start[f]; j < start[f + 1]; j++) u[image[j]] = u[first[f]];
  }
}

static int *place(batched_ctx *ctx, const int *host, int64_t n)
{
  const size_t bytes = (size_t)n * sizeof(int);
  int *p = static_cast<int *>(batched_allocate(ctx, bytes));
  if (!p || batched_copy_from_host(ctx, p, host, bytes) == BATCHED_SUCCESS) return p;
  batched_release(ctx, p);
  return nullptr;
}

static void *message(const halo_device *d, size_t bytes)
{
  void *p = nullptr;
  if (d->direct) return batched_allocate(d->ctx, bytes);
  if (cudaHostAlloc(&p, bytes, cudaHostAllocPortable | cudaHostAllocMapped) == cudaSuccess) return p;
  cudaGetLastError();
  return nullptr;
}

static void release(const halo_device *d, double **p)
{
  if (d->direct)
    batched_release(d->ctx, *p);
  else if (*p)
    cudaFreeHost(*p);
  *p = nullptr;
}

} // namespace mesh_cuda

using namespace mesh_cuda;

int halo_device_identity(int64_t identity[2])
{
  batched_device about;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return BATCHED_NO_DEVICE;
  const int status = batched_get_device(device, &about);
  static_assert(sizeof about.uuid == 2 * sizeof *identity, "a GPU's identity");
  if (!status) memcpy(identity, about.uuid, sizeof about.uuid);
  return status;
}

int halo_device_create(halo_device **result, batched_ctx *ctx, const halo_lists *lists, bool direct)
{
  halo_device *d = *result = static_cast<halo_device *>(calloc(1, sizeof *d));
  if (!d) return BATCHED_NO_MEMORY;
  d->ctx = ctx;
  d->direct = direct;
  d->nshared = lists->nshared;
  d->nslots = lists->nslots;
  d->nfirsts = lists->nfirsts;
  if (d->nfirsts > 0) {
    d->images_first = place(ctx, lists->images_first, d->nfirsts);
    d->images_start = place(ctx, lists->images_start, d->nfirsts + 1);
    d->image = place(ctx, lists->image, lists->images_start[d->nfirsts]);
    if (!d->images_first || !d->images_start || !d->image) {
      halo_device_destroy(result);
      return BATCHED_NO_MEMORY;
    }
  }
  if (d->nslots == 0) return BATCHED_SUCCESS;
  d->node = place(ctx, lists->node, d->nslots);
  d->shared = place(ctx, lists->shared, d->nshared);
  d->start = place(ctx, lists->start, d->nshared + 1);
  d->entry = place(ctx, lists->entry, d->nslots);
  d->own = place(ctx, lists->own, d->nshared);
  int status = d->node && d->shared && d->start && d->entry && d->own ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  if (!status) status = status_of(cudaEventCreateWithFlags(&d->packed, cudaEventDisableTiming));
  if (status) halo_device_destroy(result);
  return status;
}

void halo_device_destroy(halo_device **result)
{
  halo_device *d = *result;
  *result = nullptr;
  if (!d) return;
  batched_synchronize(d->ctx);
  int *lists[] = {d->node, d->shared, d->start, d->entry, d->own, d->images_first, d->images_start, d->image};
  for (int *list : lists) batched_release(d->ctx, list);
  release(d, &d->out);
  release(d, &d->in);
  for (halo_peers *&peers : d->peers) halo_peers_destroy(&peers);
  if (d->packed) cudaEventDestroy(d->packed);
  free(d);
}

bool halo_device_take_peers(halo_device *d, const halo *h)
{
  static_assert((int)HALO_MOST_PEER_COMPONENTS <= (int)MOST_PEER_SUMS, "an inbox has so many components");
  for (halo_peers *&peers : d->peers) halo_peers_create(&peers, d->ctx, h, HALO_MOST_PEER_COMPONENTS, nullptr, 0, true);
  return d->peers[0] && d->peers[1] && halo_peers_sharing(d->peers[0]) == 1;
}

int halo_device_pass_on(halo_device *d, int ncomp, int n, const double *x)
{
  d->sums++;
  const int64_t count = (int64_t)d->nslots * ncomp;
  if (count == 0) return BATCHED_SUCCESS;
  const int status = launch(d->ctx, pass_on, ceil_div(count, block), block, 0, halo_peers_view(d->peers[d->sums % 2]),
                            count, ncomp, n, x, d->sums);
  halo_peers_require(status, "sums over shared nodes");
  return status;
}

int halo_device_take_in(halo_device *d, int ncomp, int n, double *x)
{
  const int64_t count = (int64_t)d->nshared * ncomp;
  if (count == 0) return BATCHED_SUCCESS;
  return launch(d->ctx, take_in, ceil_div(count, block), block, 0, halo_peers_view(d->peers[d->sums % 2]), count, ncomp,
                n, x, d->sums);
}

int halo_device_make_room(halo_device *d, int ncomp)
{
  if (ncomp <= d->ncomp_room || d->nslots == 0) return BATCHED_SUCCESS;
  const size_t bytes = (size_t)d->nslots * (size_t)ncomp * sizeof(double);
  batched_synchronize(d->ctx); // kernels may still read the old one
  release(d, &d->out);
  release(d, &d->in);
  d->out = static_cast<double *>(message(d, bytes));
  d->in = static_cast<double *>(message(d, bytes));
  d->ncomp_room = d->out && d->in ? ncomp : 0;
  return d->out && d->in ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
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
  const int64_t count = (int64_t)d->nslots * ncomp;
  if (count == 0) return BATCHED_SUCCESS;
  const int status = launch(d->ctx, pack, ceil_div(count, block), block, 0, count, ncomp, n, d->node, x, d->out);
  return status ? status : status_of(cudaEventRecord(d->packed, stream_of(d->ctx)));
}

int halo_device_packed(halo_device *d)
{
  return d->nslots ? status_of(cudaEventSynchronize(d->packed)) : BATCHED_SUCCESS;
}

int halo_device_add(halo_device *d, int ncomp, int n, double *x)
{
  const int64_t count = (int64_t)d->nshared * ncomp;
  return launch(d->ctx, add, ceil_div(count, block), block, 0, count, ncomp, n, d->shared, d->start, d->entry, d->own,
                d->in, x);
}

int halo_device_fold(halo_device *d, int ncomp, int n, double *x)
{
  const int64_t count = (int64_t)d->nfirsts * ncomp;
  if (count == 0) return BATCHED_SUCCESS;
  return launch(d->ctx, fold, ceil_div(count, block), block, 0, count, ncomp, n, d->images_first, d->images_start,
                d->image, x);
}

int halo_device_spread(halo_device *d, int ncomp, int n, double *x)
{
  const int64_t count = (int64_t)d->nfirsts * ncomp;
  if (count == 0) return BATCHED_SUCCESS;
  return launch(d->ctx, spread, ceil_div(count, block), block, 0, count, ncomp, n, d->images_first, d->images_start,
                d->image, x);
}
