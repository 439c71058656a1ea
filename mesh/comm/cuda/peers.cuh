/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks of one machine, each on a GPU, whose kernels add up numbers and shared nodes among themselves: each has an
 * inbox for flagged words that the others' kernels write.
 *
 * Kernels wait for those of other ranks, so all ranks have to run the same kernels in the same order, and what a kernel
 * awaits must not depend on blocks for which there is no room on a GPU.  A word may be overwritten after the second sum
 * that follows it, as then all have read it.
 *
 * Processes that share a GPU take turns on it, but under MPS a kernel stays until it ends, and may keep out the one it
 * waits for, also through a third one that needs the whole GPU.  So waits have a limit where ranks do that: a word that
 * has not come then is not a number, with which a solve ends, and the host is told (halo_peers_require_in_time).
 */
#ifndef MESH_CUDA_PEERS_CUH
#define MESH_CUDA_PEERS_CUH

#include "mesh/comm/halo.h"
#include "mesh/comm/cuda/flagged_word.cuh"

namespace mesh_cuda
{

enum { MOST_PEERS = 32, MOST_PEER_SUMS = 3 };

/* Seconds that a kernel waits at most where ranks share a GPU by MPS. */
enum { MOST_WAIT = 30 };

/* As kernels see it, in their memory.  An inbox has words [2][nranks][MOST_PEER_SUMS] for sums of even and odd sequence
 * numbers, `nroom` more for whoever asked for them, at the same place in every inbox, and [nslots][ncomp] for slots,
 * which are ordered by neighbour and then by id. */
struct peer_view {
  int nranks, rank;
  flagged_word *const *inbox; /* [nranks] */
  flagged_word *mine, *slots; /* this rank's inbox, and its slots */
  int64_t room;               /* where in every inbox the words begin that were asked for */
  uint32_t *sequence;         /* number of the last sum */
  int nshared, nslots;
  const int *node;         /* [nslots]: of each slot */
  flagged_word *const *to; /* [nslots]: where the neighbour has it */
  const int *shared;       /* [nshared]: nodes */
  const int *start;        /* [nshared + 1]: into entry, */
  const int *entry;        /* [nslots]: the slots of each shared node, ascending by rank; */
  const int *own;          /* [nshared]: entries before this one come from lower ranks than this */
  uint32_t limit;          /* ticks that a wait may last (ticks()); 0: no end */
  volatile int *over;      /* in the host's memory: one lasted longer, and all others end, too */

  __device__ __forceinline__ int sums(uint32_t d, int from) const
  {
    return (int)(d % 2 * nranks + from) * MOST_PEER_SUMS;
  }
};

/* Of 2^20 ns. */
__device__ __forceinline__ uint32_t ticks()
{
  uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return (uint32_t)(now >> 20);
}

/* As await, within the limit. */
__device__ __forceinline__ double await_in_time(const peer_view &p, const flagged_word *from, uint32_t sequence)
{
  enum { POLLS = 4096 }; /* between looks at the clock, some milliseconds */
  uint32_t began = 0;
  for (uint32_t polls = 1;; polls++) {
    const flagged_word l = look(from);
    if (l.low_sequence == sequence && l.high_sequence == sequence) return __hiloint2double((int)l.high, (int)l.low);
    if (polls % POLLS || !p.limit) continue;
    if (polls == POLLS) began = ticks();
    if (!*p.over && ticks() - began < p.limit) continue;
    *p.over = 1;
    return __hiloint2double(0x7ff80000, 0);
  }
}

/* Sends totals [N], in shared memory, to all ranks, as the next sum; by all threads of a block, after a barrier.  Its
 * number. */
template <int N> __device__ __forceinline__ uint32_t send_sums(const peer_view &p, const double *totals)
{
  static_assert(N <= MOST_PEER_SUMS);
  const int t = (int)threadIdx.x;
  const uint32_t sequence = *p.sequence + 1;
  for (int i = t; i < p.nranks * N; i += (int)blockDim.x)
    post(p.inbox[i / N] + p.sums(sequence, p.rank) + i % N, totals[i % N], sequence);
  __syncthreads();
  if (t == 0) *p.sequence = sequence;
  return sequence;
}

/* totals [N], in shared memory: the sum of that number over the ranks, in the order of ranks; by all threads of a
 * block, with a barrier behind.  all: [MOST_PEERS * N] in shared memory. */
template <int N>
__device__ __forceinline__ void take_sums(const peer_view &p, uint32_t sequence, double *totals, double *all)
{
  const int t = (int)threadIdx.x;
  for (int i = t; i < p.nranks * N; i += (int)blockDim.x)
    all[i] = await_in_time(p, p.mine + p.sums(sequence, i / N) + i % N, sequence);
  __syncthreads();
  if (t < N) {
    double sum = 0.0;
    for (int r = 0; r < p.nranks; r++) sum += all[r * N + t];
    totals[t] = sum;
  }
  __syncthreads();
}

/* Both: totals become their sums. */
template <int N> __device__ __forceinline__ void sum_over_ranks(const peer_view &p, double *totals, double *all)
{
  take_sums<N>(p, send_sums<N>(p, totals), totals, all);
}

/* Component c < ncomp of shared node s: what the ranks have for it, this one `mine`, added in the order of ranks.
 * LIMITED: waits within the limit. */
template <bool LIMITED = false>
__device__ __forceinline__ double sum_of_ranks(const peer_view &p, int ncomp, int s, int c, double mine,
                                               uint32_t sequence)
{
  const int own = p.own[s], last = p.start[s + 1];
  const auto theirs = [&](int e) {
    const flagged_word *from = p.slots + (int64_t)p.entry[e] * ncomp + c;
    return LIMITED ? await_in_time(p, from, sequence) : await(from, sequence);
  };
  double sum = 0.0;
  int e = p.start[s];
#pragma unroll 1
  for (; e < own; e++) sum += theirs(e);
  sum += mine;
#pragma unroll 1
  for (; e < last; e++) sum += theirs(e);
  return sum;
}

} // namespace mesh_cuda

/* State between calls. */
struct halo_peers;

/* Collective.  Nodes are numbered by position[node of the halo], on the host; NULL: as in the halo.  nroom: words of
 * its own that the caller's kernels need in every inbox, the same number on all ranks.  *peers is NULL, on all ranks,
 * where they can't do without messages: on several machines, too many ranks, or some rank that is not `able`. */
void halo_peers_create(halo_peers **peers, batched_ctx *ctx, const halo *h, int ncomp, const int *position,
                       int64_t nroom, bool able);
/* Waits a moment for the others, who are to do the same. */
void halo_peers_destroy(halo_peers **peers);

const mesh_cuda::peer_view *halo_peers_view(const halo_peers *peers);
/* The most ranks on one GPU; 1: every rank has a GPU of its own. */
int halo_peers_sharing(const halo_peers *peers);
/* Ends the run where `status`, of work that the GPUs of the other ranks wait for, is not 0, ... */
void halo_peers_require(int status, const char *work);
/* ... and where a kernel of `work`, which has ended, has waited too long, on any rank; `instead`: what needs no such
 * waits. */
void halo_peers_require_in_time(const halo_peers *peers, const char *work, const char *instead);

#endif
