/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inboxes of the ranks' GPUs, and the lists of who writes what where.  An inbox is in its GPU's memory, if the
 * others can open that (cudaIpc) and what they write there arrives, else in the host's, which every GPU reaches.
 *
 * All of it is set-up; the sums are functions of other rows' kernels (peers.cuh).  One kernel fills an inbox, a thread
 * per word of 16 bytes, in blocks of 256, to see whether all bytes arrive.
 */
#include "mesh/comm/cuda/peers.cuh"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "mesh/comm/node_memory.h"
#include "mesh/comm/comm.h"
#include "mesh/comm/halo_device.h"
#include "batched/cuda/launch.cuh"

using namespace mesh_cuda;
using batched_cuda::ceil_div;
using batched_cuda::launch;

namespace mesh_cuda
{

/* Handles that each rank publishes. */
struct peer_head {
  unsigned char uuid[16];      /* its GPU's */
  cudaIpcMemHandle_t handle;   /* its inbox, */
  int64_t words;               /* of which it has so many */
  std::atomic<int> has_closed; /* the inboxes of the others */
  std::atomic<int> is_over;    /* its work, as it or another rank waited too long */
  std::atomic<int> has_said;   /* so; of rank 0, for all */
};

} // namespace mesh_cuda

struct halo_peers {
  batched_ctx *ctx;                /* borrowed */
  int sharing;                     /* the most ranks on one GPU */
  int *over;                       /* owned, pinned: peer_view.over */
  node_memory heads;               /* a peer_head each */
  flagged_word *own;               /* this rank's inbox in its GPU's memory; NULL: they are all in the host's: */
  node_memory words;               /* an inbox each */
  bool registered;                 /* ... which the driver knows */
  flagged_word *inbox[MOST_PEERS]; /* as this GPU sees them; NULL: not there */
  peer_view view;                  /* owned: its lists and its sequence number */
  peer_view *placed;               /* owned: the same in the context's memory */
};

namespace mesh_cuda
{

namespace
{

/* On the host, as in peer_view. */
struct peer_lists {
  std::vector<int> node, shared, start, entry, own;
  std::vector<flagged_word *> to;
};

bool worked(cudaError_t error)
{
  if (error != cudaSuccess) cudaGetLastError();
  return error == cudaSuccess;
}

/* A copy in the context's memory, never NULL unless memory is out. */
template <class T> T *place(batched_ctx *ctx, const std::vector<T> &host)
{
  const size_t bytes = host.size() * sizeof(T);
  void *p = batched_allocate(ctx, bytes + 1);
  if (!p || batched_copy_from_host(ctx, p, host.data(), bytes) == BATCHED_SUCCESS) return static_cast<T *>(p);
  batched_release(ctx, p);
  return nullptr;
}

/* ------------------------------------------------------------------ inboxes */

peer_head &head_of(const halo_peers *p, int rank)
{
  return *reinterpret_cast<peer_head *>(p->heads.base + (size_t)rank * p->heads.piece);
}

int64_t words_of_sums()
{
  return 2 * (int64_t)comm_size() * MOST_PEER_SUMS;
}

/* Collective, as all that follow.  All of them where some rank does not know its GPU. */
int find_sharing(const halo_peers *p)
{
  batched_device about;
  int device = 0, most = 0;
  const bool known = worked(cudaGetDevice(&device)) && batched_get_device(device, &about) == BATCHED_SUCCESS;
  static_assert(sizeof about.uuid == sizeof(peer_head::uuid), "a GPU's identity");
  if (known) memcpy(head_of(p, comm_rank()).uuid, about.uuid, sizeof about.uuid);
  if (comm_worst(!known)) return comm_size();
  for (int r = 0; r < comm_size(); r++) {
    int same = 0;
    for (int s = 0; s < comm_size(); s++)
      same += memcmp(head_of(p, r).uuid, head_of(p, s).uuid, sizeof about.uuid) == 0;
    most = same > most ? same : most;
  }
  return most;
}

/* Whether processes share a GPU without taking turns. */
bool is_served()
{
  int device = 0, served = 1;
  if (worked(cudaGetDevice(&device))) worked(cudaDeviceGetAttribute(&served, cudaDevAttrMpsEnabled, device));
  return served;
}

void close_inboxes(halo_peers *p)
{
  for (int r = 0; r < comm_size() && p->own; r++)
    if (r != comm_rank() && p->inbox[r]) worked(cudaIpcCloseMemHandle(p->inbox[r]));
  if (p->registered) worked(cudaHostUnregister(p->words.base));
  p->registered = false;
  memset(p->inbox, 0, sizeof p->inbox);
  node_memory_destroy(&p->words);
}

bool share_device(halo_peers *p, size_t bytes)
{
  const int rank = comm_rank();
  bool ok = worked(cudaMalloc(&p->own, bytes)) && worked(cudaMemset(p->own, 0, bytes)) &&
            worked(cudaDeviceSynchronize()) && worked(cudaIpcGetMemHandle(&head_of(p, rank).handle, p->own));
  if (comm_worst(!ok)) return false;
  p->inbox[rank] = p->own;
  for (int r = 0; r < comm_size() && ok; r++)
    if (void *opened; r != rank) {
      ok = worked(cudaIpcOpenMemHandle(&opened, head_of(p, r).handle, cudaIpcMemLazyEnablePeerAccess));
      if (ok) p->inbox[r] = static_cast<flagged_word *>(opened);
    }
  return !comm_worst(!ok);
}

bool share_host(halo_peers *p, size_t bytes)
{
  node_memory &b = p->words;
  void *first = nullptr;
  node_memory_create(&b, bytes);
  if (!b.base) return false;
  const unsigned flags = cudaHostRegisterPortable | cudaHostRegisterMapped;
  p->registered = worked(cudaHostRegister(b.base, b.piece * (size_t)comm_size(), flags));
  const bool ok = p->registered && worked(cudaHostGetDevicePointer(&first, b.base, 0));
  for (int r = 0; r < comm_size(); r++)
    p->inbox[r] = reinterpret_cast<flagged_word *>(static_cast<char *>(first) + (size_t)r * b.piece);
  return !comm_worst(!ok);
}

/* ------------------------------------------------------------------ whether words arrive */

constexpr uint32_t PROBE_SEQUENCE = 0xfedcba98; /* far from those of sums */

__host__ __device__ double probe_value(int from, int64_t i)
{
  return (double)(i + 1) / (from + 3);
}

/* Words 0 to n - 1 of another rank's inbox, a thread each. */
__global__ void write_probe(flagged_word *to, int64_t n, int from)
{
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += step)
    post(to + i, probe_value(from, i), PROBE_SEQUENCE);
}

bool is_probe(const flagged_word &l, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return l.low == (uint32_t)bits && l.high == (uint32_t)(bits >> 32) && l.low_sequence == PROBE_SEQUENCE &&
         l.high_sequence == PROBE_SEQUENCE;
}

bool fill_inbox(const halo_peers *p, int of)
{
  const int64_t n = head_of(p, of).words;
  return launch(p->ctx, write_probe, ceil_div(n, 256), 256, 0, p->inbox[of], n, comm_rank()) == BATCHED_SUCCESS &&
         batched_synchronize(p->ctx) == BATCHED_SUCCESS;
}

/* All bytes; leaves zeros. */
bool is_filled_by(const halo_peers *p, int from)
{
  flagged_word *mine = p->inbox[comm_rank()];
  const size_t n = (size_t)head_of(p, comm_rank()).words, bytes = n * sizeof(flagged_word);
  auto *came = static_cast<flagged_word *>(malloc(bytes));
  bool ok = came && batched_copy_to_host(p->ctx, came, mine, bytes) == BATCHED_SUCCESS;
  for (size_t i = 0; i < n && ok; i++) ok = is_probe(came[i], probe_value(from, (int64_t)i));
  free(came);
  ok = batched_fill_zero(p->ctx, mine, bytes) == BATCHED_SUCCESS && ok;
  return batched_synchronize(p->ctx) == BATCHED_SUCCESS && ok;
}

/* Each rank fills the inbox of every other one, and its own, in turns. */
bool words_arrive(const halo_peers *p)
{
  const int size = comm_size(), rank = comm_rank();
  for (int distance = 0; distance < size; distance++)
    if (comm_worst(!fill_inbox(p, (rank + distance) % size)) ||
        comm_worst(!is_filled_by(p, (rank + size - distance) % size)))
      return false;
  return true;
}

bool open_inboxes(halo_peers *p, int64_t words)
{
  const size_t bytes = (size_t)words * sizeof(flagged_word);
  head_of(p, comm_rank()).words = words;
  if (share_device(p, bytes) && words_arrive(p)) return true;
  close_inboxes(p);
  comm_barrier();
  cudaFree(p->own);
  p->own = nullptr;
  return share_host(p, bytes) && words_arrive(p);
}

/* Memory that others still have open must not be freed; but if one of them is in trouble, this one doesn't wait for
 * it. */
void free_inbox(halo_peers *p)
{
  close_inboxes(p);
  if (!p->own) return;
  head_of(p, comm_rank()).has_closed = 1;
  const double until = batched_seconds() + 1.0;
  for (int r = 0; r < comm_size(); r++)
    while (!head_of(p, r).has_closed && batched_seconds() < until) continue;
  worked(cudaFree(p->own));
}

/* ------------------------------------------------------------------ lists */

/* Finds the offset of this rank's slots in each neighbour's, [MOST_PEERS].  Collective. */
void exchange_places(const halo_lists &l, int *theirs)
{
  int mine[MOST_PEERS] = {};
  for (int j = 0; j < l.nneighbours; j++) mine[l.neighbours[j]] = l.first[j];
  comm_exchange_counts(mine, theirs);
}

/* The neighbours' places for what this rank has, [nslots]. */
std::vector<flagged_word *> find_places(const halo_peers *p, const halo_lists &l, int ncomp, int64_t nroom,
                                        const int *theirs)
{
  std::vector<flagged_word *> to((size_t)l.nslots);
  for (int j = 0; j < l.nneighbours; j++) {
    const int rank = l.neighbours[j];
    flagged_word *begin = p->inbox[rank] + words_of_sums() + nroom + (int64_t)theirs[rank] * ncomp;
    for (int i = l.first[j]; i < l.first[j + 1]; i++) to[(size_t)i] = begin + (int64_t)(i - l.first[j]) * ncomp;
  }
  return to;
}

/* Shared nodes in the order of their first slots, so that words are read one after the other. */
std::vector<int> sort_shared(const halo_lists &l)
{
  std::vector<int> of_slot((size_t)l.nslots), sorted;
  for (int s = 0; s < l.nshared; s++)
    for (int e = l.start[s]; e < l.start[s + 1]; e++) of_slot[(size_t)l.entry[e]] = s;
  for (int i = 0; i < l.nslots; i++)
    if (const int s = of_slot[(size_t)i]; l.entry[l.start[s]] == i) sorted.push_back(s);
  return sorted;
}

peer_lists make_lists(const halo_peers *p, const halo_lists &l, int ncomp, int64_t nroom, const int *theirs,
                      const int *position)
{
  peer_lists m;
  m.to = find_places(p, l, ncomp, nroom, theirs);
  for (int i = 0; i < l.nslots; i++) m.node.push_back(position ? position[l.node[i]] : l.node[i]);
  m.start.push_back(0);
  for (const int s : sort_shared(l)) {
    m.shared.push_back(position ? position[l.shared[s]] : l.shared[s]);
    m.own.push_back(m.start.back() + l.own[s] - l.start[s]);
    m.entry.insert(m.entry.end(), l.entry + l.start[s], l.entry + l.start[s + 1]);
    m.start.push_back((int)m.entry.size());
  }
  return m;
}

/* Throws std::bad_alloc. */
bool place_lists(halo_peers *p, const halo_lists &l, int ncomp, int64_t nroom, const int *theirs, const int *position)
{
  const int nranks = comm_size(), rank = comm_rank();
  const peer_lists m = make_lists(p, l, ncomp, nroom, theirs, position);
  peer_view &v = p->view;
  v.nranks = nranks;
  v.rank = rank;
  v.mine = p->inbox[rank];
  v.room = words_of_sums();
  v.slots = v.mine + v.room + nroom;
  v.nshared = l.nshared;
  v.nslots = l.nslots;
  v.limit = p->sharing > 1 && is_served() ? MOST_WAIT * (1000000000 >> 20) : 0;
  v.over = p->over;
  v.inbox = place(p->ctx, std::vector<flagged_word *>(p->inbox, p->inbox + nranks));
  v.sequence = place(p->ctx, std::vector<uint32_t>(1));
  v.node = place(p->ctx, m.node);
  v.to = place(p->ctx, m.to);
  v.shared = place(p->ctx, m.shared);
  v.start = place(p->ctx, m.start);
  v.entry = place(p->ctx, m.entry);
  v.own = place(p->ctx, m.own);
  p->placed = place(p->ctx, std::vector<peer_view>(1, v));
  return p->placed && v.inbox && v.sequence && v.node && v.to && v.shared && v.start && v.entry && v.own;
}

bool set_up(halo_peers *p, const halo_lists &l, int ncomp, const int *position, int64_t nroom)
{
  node_memory_create(&p->heads, sizeof(peer_head));
  if (!p->heads.base) return false;
  p->sharing = find_sharing(p);
  const bool pinned = worked(cudaHostAlloc(&p->over, sizeof *p->over, cudaHostAllocMapped));
  if (comm_worst(!pinned)) return false;
  *p->over = 0;
  if (!open_inboxes(p, words_of_sums() + nroom + (int64_t)ncomp * l.nslots)) return false;
  int theirs[MOST_PEERS];
  exchange_places(l, theirs);
  bool placed = false;
  try {
    placed = place_lists(p, l, ncomp, nroom, theirs, position);
  } catch (const std::bad_alloc &) { // as if the GPU's memory were out
  }
  return !comm_worst(!placed);
}

} // namespace

} // namespace mesh_cuda

void halo_peers_create(halo_peers **peers, batched_ctx *ctx, const halo *h, int ncomp, const int *position,
                       int64_t nroom, bool able)
{
  halo_lists lists;
  int *block = able ? halo_make_lists(h, &lists) : nullptr;
  halo_peers *p = *peers = block ? new (std::nothrow) halo_peers{} : nullptr;
  if (p) p->ctx = ctx;
  const bool fits = comm_size() <= MOST_PEERS && ncomp <= MOST_PEER_SUMS;
  if (comm_worst(!p || !fits) || !set_up(p, lists, ncomp, position, nroom)) halo_peers_destroy(peers);
  free(block);
}

void halo_peers_destroy(halo_peers **peers)
{
  halo_peers *p = *peers;
  *peers = nullptr;
  if (!p) return;
  batched_synchronize(p->ctx);
  const peer_view &v = p->view;
  const void *lists[] = {p->placed, v.inbox, v.sequence, v.node, v.to, v.shared, v.start, v.entry, v.own};
  for (const void *list : lists) batched_release(p->ctx, const_cast<void *>(list));
  if (p->heads.base) free_inbox(p);
  node_memory_destroy(&p->heads);
  if (p->over) cudaFreeHost(p->over);
  delete p;
}

const peer_view *halo_peers_view(const halo_peers *peers)
{
  return peers->placed;
}

int halo_peers_sharing(const halo_peers *peers)
{
  return peers->sharing;
}

void halo_peers_require(int status, const char *work)
{
  if (!status) return;
  fprintf(stderr, "shocklet: rank %d: %s: %s\n", comm_rank(), work, batched_strerror(status));
  comm_abort(STATUS_MACHINE);
}

/* The run ends when no rank has such kernels any more, or soon: under MPS a process that goes while they run takes
 * others with it. */
void halo_peers_require_in_time(const halo_peers *peers, const char *work, const char *instead)
{
  const bool mine = *static_cast<volatile int *>(peers->over);
  bool others = false;
  for (int r = 0; r < comm_size(); r++) others = others || head_of(peers, r).is_over;
  if (!mine && !others) return;
  if (mine && !head_of(peers, 0).has_said.exchange(1))
    fprintf(
      stderr,
      "shocklet: rank %d: %s: a kernel has waited %d s for another rank's, for which a GPU that processes share by "
      "MPS may have no room; %s does without\n",
      comm_rank(), work, MOST_WAIT, instead);
  head_of(peers, comm_rank()).is_over = 1;
  const double until = batched_seconds() + 3.0;
  for (int r = 0; r < comm_size(); r++)
    while (!head_of(peers, r).is_over && batched_seconds() < until) continue;
  comm_abort(STATUS_MACHINE);
}
