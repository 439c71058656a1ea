/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel of row cuda.resident of pcg; contract: pcg_resident.cu.
 *
 * PEERS: every rank runs it on a GPU of its own.  A is the sum of the ranks' matrices; w at shared rows is completed by
 * words that the other ranks' kernels post, and dot products are those of all blocks of all ranks, which every block
 * adds up in the same order, so that all ranks take the same step.
 */
#ifndef SOLVERS_CUDA_PCG_RESIDENT_KERNEL_CUH
#define SOLVERS_CUDA_PCG_RESIDENT_KERNEL_CUH

#include "mesh/comm/cuda/peers.cuh"
#include "batched/cuda/cluster.cuh"
#include "solvers/cuda/flagged_word.cuh"
#include "solvers/cuda/pcg_resident.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

enum { RESIDENT_THREADS = 512, RESIDENT_WARPS = RESIDENT_THREADS / 32 };

/* The parts of a block that are in shared memory; the others are in global memory. */
enum placement { NOTHING, VECTORS, EVERYTHING };

/* Flags beside the bits of fixed components: other ranks have this row, too; another rank owns it. */
enum : unsigned char { SHARED_ROW = 1 << 6, ROW_OF_ANOTHER = 1 << 7 };

/* The matrix in the context's memory: see division. */
struct divided {
  int blocks, most_rows, most_columns, most_entries;
  int *row_start, *row, *halo_start, *halo, *entry_start, *column;
  double *value;
  unsigned char *fixed; /* [n], by position: see solver_operator; with flags */
  int *shared;          /* [n], by position: its number among the rows that ranks share; NULL: there is one rank */
};

/* The other ranks, for kernels. */
struct resident_peers {
  const mesh_cuda::peer_view *view;
  const int *clusters; /* [nranks]: of each rank's kernel, */
  int most_clusters;   /* of which no rank has more */
};

struct resident_arguments {
  divided m;
  int64_t n;
  const double *inverse_diagonal, *b;
  double *x;
  /* For even and odd sequence numbers, as some may still read the last: */
  flagged_word *w;    /* [2][n][ncomp], by position: what other blocks need */
  flagged_word *dots; /* [2][ncomp][SOLVER_DOTS][blocks]; of several ranks: in their inboxes */
  double *area;       /* [blocks][area_doubles], where the vectors are not shared */
  uint64_t sequence;  /* of the first iteration; each has the next */
  pcg_state first, *last;
  resident_peers peers;
};

/* Doubles of a block's vectors, and bytes of its matrix. */
static __host__ __device__ int64_t area_doubles(const divided &m, int ncomp)
{
  return ncomp * (3 * (int64_t)m.most_columns + m.most_rows) + m.most_columns;
}

static size_t matrix_bytes(const divided &m)
{
  return (sizeof(double) + sizeof(uint16_t)) * (size_t)m.most_entries + (sizeof(int) + 1) * ((size_t)m.most_rows + 1);
}

/* A block's part: its rows, which are columns 0, 1, ..., and then its halo. */
template <placement PLACE> struct part {
  using column_number = std::conditional_t<PLACE == EVERYTHING, uint16_t, int>;
  int rows, first, columns;  /* first: position */
  const int *halo;           /* [columns - rows]: positions */
  double *p, *r, *w, *x, *d; /* [columns][NC]; x [rows][NC], d [columns] */
  const double *value;       /* of entries from `origin` on, as column */
  const column_number *column;
  const int *start; /* [rows + 1] */
  int origin;
  const unsigned char *fixed; /* [rows] */
};

template <int NC, placement PLACE> static __device__ __forceinline__ part<PLACE> find_part(const resident_arguments &a)
{
  const divided &m = a.m;
  const int b = (int)blockIdx.x;
  part<PLACE> t;
  t.first = m.row_start[b], t.rows = m.row_start[b + 1] - t.first;
  t.columns = t.rows + m.halo_start[b + 1] - m.halo_start[b], t.halo = m.halo + m.halo_start[b];
  const int64_t doubles = area_doubles(m, NC);
  t.p = PLACE == NOTHING ? a.area + b * doubles : shared_array<double>();
  t.r = t.p + m.most_columns * NC;
  t.w = t.r + m.most_columns * NC;
  t.x = t.w + m.most_columns * NC;
  t.d = t.x + m.most_rows * NC;
  t.value = m.value, t.start = m.entry_start + t.first, t.origin = 0, t.fixed = m.fixed + t.first;
  if constexpr (PLACE == EVERYTHING) {
    double *value = shared_array<double>() + doubles;
    int *start = reinterpret_cast<int *>(value + m.most_entries);
    uint16_t *column = reinterpret_cast<uint16_t *>(start + m.most_rows + 1);
    unsigned char *fixed = reinterpret_cast<unsigned char *>(column + m.most_entries);
    t.origin = t.start[0];
    const int entries = t.start[t.rows] - t.origin;
    for (int i = threadIdx.x; i < entries; i += RESIDENT_THREADS)
      value[i] = m.value[t.origin + i], column[i] = (uint16_t)m.column[t.origin + i];
    for (int i = threadIdx.x; i <= t.rows; i += RESIDENT_THREADS) start[i] = t.start[i];
    for (int i = threadIdx.x; i < t.rows; i += RESIDENT_THREADS) fixed[i] = t.fixed[i];
    t.value = value, t.column = column, t.start = start, t.fixed = fixed;
  } else {
    t.column = m.column;
  }
  return t;
}

/* x = 0; r = b, p = D^-1 b, of the halo, too */
template <int NC, placement PLACE>
static __device__ __forceinline__ void begin(const resident_arguments &a, const part<PLACE> &t)
{
  for (int e = threadIdx.x; e < t.columns * NC; e += RESIDENT_THREADS) {
    const int i = e / NC, c = e % NC, row = a.m.row[i < t.rows ? t.first + i : t.halo[i - t.rows]];
    const double d = a.inverse_diagonal ? a.inverse_diagonal[row] : 1.0, value = a.b[c * a.n + row];
    if (c == 0) t.d[i] = d;
    if (i < t.rows) t.x[e] = 0.0;
    t.r[e] = value;
    t.p[e] = d * value;
  }
}

template <int NC> static __device__ __forceinline__ double pick(const double (&v)[NC], int c)
{
  double picked = v[0];
#pragma unroll
  for (int i = 1; i < NC; i++)
    if (c == i) picked = v[i];
  return picked;
}

/* An entry's contribution to one of the dot products. */
static __device__ __forceinline__ double dot_term(int which, double r, double p, double w, double d)
{
  const double z = d * r;
  if (which == SOLVER_PW) return p * w;
  if (which == SOLVER_RZ) return r * z;
  return which == SOLVER_WZ ? w * z : w * d * w;
}

/* Dot products of this block's warps, and of the cluster's blocks those that this one adds up. */
template <int NC> struct resident_sums {
  double of_warps[RESIDENT_WARPS][NC * SOLVER_DOTS], of_blocks[RESIDENT_CLUSTER][NC * SOLVER_DOTS];
};

/* Where component c of w at a position is left. */
template <int NC>
static __device__ __forceinline__ flagged_word *place_of_w(const resident_arguments &a, uint64_t sequence, int position,
                                                           int c)
{
  return a.w + ((int64_t)(sequence % 2) * a.n + position) * NC + c;
}

/* Place in a rank's inbox of a dot product of a cluster of rank `from`, for even and odd sequence numbers. */
template <int NC>
static __device__ __forceinline__ int64_t place_of_dot(const resident_peers &p, uint64_t sequence, int from, int which,
                                                       int cluster)
{
  constexpr int SUMS = NC * SOLVER_DOTS;
  const int64_t rank = (int64_t)(sequence % 2) * p.view->nranks + from;
  return p.view->room + (rank * SUMS + which) * p.most_clusters + cluster;
}

/* Lane l of a row has the dot products l, l + LANES, ... */
template <int NC, int LANES, placement PLACE, int EACH>
static __device__ __forceinline__ void add_dots(const part<PLACE> &t, int i, const double (&w)[NC],
                                                double (&dots)[EACH])
{
  const int lane = (int)threadIdx.x % LANES;
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int k = lane + e * LANES, c = k / SOLVER_DOTS, at = i * NC + c;
    if (k < NC * SOLVER_DOTS) dots[e] += dot_term(k % SOLVER_DOTS, t.r[at], t.p[at], pick(w, c), t.d[i]);
  }
}

/* w of shared row i, as far as this rank has it, lane c the component c, to the other ranks. */
template <int NC>
static __device__ __forceinline__ void post_row(const resident_arguments &a, int position, int lane, double w,
                                                uint64_t sequence)
{
  const mesh_cuda::peer_view &p = *a.peers.view;
  const int s = a.m.shared[position], last = p.start[s + 1];
#pragma unroll 1
  for (int e = p.start[s]; e < last; e++) mesh_cuda::post(p.to[p.entry[e]] + lane, w, (uint32_t)sequence);
}

/* Completes w at the shared rows, which the same lanes left in t.w, sends it to the other blocks, and adds their dot
 * products. */
template <int NC, int LANES, placement PLACE, int EACH>
static __device__ __forceinline__ void finish_shared(const resident_arguments &a, const part<PLACE> &t,
                                                     uint64_t sequence, double (&dots)[EACH])
{
  constexpr int ROWS = 32 / LANES;
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % LANES, group = (int)threadIdx.x % 32 / LANES;
  for (int base = warp * ROWS; base < t.rows; base += RESIDENT_WARPS * ROWS) {
    const int i = base + group, flags = i < t.rows ? t.fixed[i] : 0;
    const bool shared = flags & SHARED_ROW;
    if (!__any_sync(0xffffffffu, shared)) continue;
    double sum = 0.0, w[NC];
    if (shared && lane < NC && !(flags >> lane & 1))
      sum = mesh_cuda::sum_of_ranks(*a.peers.view, NC, a.m.shared[t.first + i], lane, t.w[i * NC + lane],
                                    (uint32_t)sequence);
#pragma unroll
    for (int c = 0; c < NC; c++) w[c] = __shfl_sync(0xffffffffu, sum, c, LANES);
    if (!shared) continue;
    if (lane < NC) {
      t.w[i * NC + lane] = sum;
      leave(place_of_w<NC>(a, sequence, t.first + i, lane), sum, sequence);
    }
    if (!(flags & ROW_OF_ANOTHER)) add_dots<NC, LANES>(t, i, w, dots);
  }
}

/* The dot products of a cluster, the first threads of whose blocks have their parts: each block adds up some of them,
 * and sends the sums to all ranks.  Fewer words cross between the GPUs so. */
template <int NC>
static __device__ __forceinline__ void send_to_ranks(const resident_arguments &a, uint64_t sequence, double part,
                                                     resident_sums<NC> &sums)
{
  constexpr int SUMS = NC * SOLVER_DOTS, CLUSTER = RESIDENT_CLUSTER;
  const int which = (int)threadIdx.x, rank = cluster_rank();
  if (which < SUMS) store_to_block(&sums.of_blocks[rank][which], which % CLUSTER, part);
  cluster_sync();
  if (which >= SUMS || which % CLUSTER != rank) return;
  double sum = 0.0;
#pragma unroll
  for (int k = 0; k < CLUSTER; k++) sum += sums.of_blocks[k][which];
  const mesh_cuda::peer_view &p = *a.peers.view;
  const int64_t at = place_of_dot<NC>(a.peers, sequence, p.rank, which, (int)blockIdx.x / CLUSTER);
  for (int r = 0; r < p.nranks; r++) mesh_cuda::post(p.inbox[r] + at, sum, (uint32_t)sequence);
}

/* w = A p, LANES lanes per row, to the other blocks as soon as a row has it, and this block's dot products.  Lane l of
 * a row adds up the products l, l + LANES, ... */
template <int NC, bool PEERS, int LANES, placement PLACE>
static __device__ __forceinline__ void multiply(const resident_arguments &a, const part<PLACE> &t, uint64_t sequence,
                                                resident_sums<NC> &sums)
{
  constexpr int SUMS = NC * SOLVER_DOTS, EACH = (SUMS + LANES - 1) / LANES, ROWS = 32 / LANES;
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % LANES, group = (int)threadIdx.x % 32 / LANES;
  double dots[EACH] = {};
  for (int base = warp * ROWS; base < t.rows; base += RESIDENT_WARPS * ROWS) {
    const int i = base + group;
    const bool inside = i < t.rows; // lanes beyond take part in the sums
    const int last = inside ? t.start[i + 1] - t.origin : 0;
    const int fixed = inside ? t.fixed[i] : 0;
    double w[NC] = {};
#pragma unroll 4
    for (int j = inside ? t.start[i] - t.origin + lane : 0; j < last; j += LANES) {
      const double value = t.value[j], *p = t.p + t.column[j] * NC;
#pragma unroll
      for (int c = 0; c < NC; c++) w[c] = fma(value, p[c], w[c]);
    }
#pragma unroll
    for (int c = 0; c < NC; c++) {
      w[c] = sum_lanes(w[c], LANES);
      if (fixed >> c & 1) w[c] = 0.0;
    }
    if (!inside) continue;
    if (lane < NC) t.w[i * NC + lane] = pick(w, lane);
    if (PEERS && fixed & SHARED_ROW) {
      if (lane < NC) post_row<NC>(a, t.first + i, lane, pick(w, lane), sequence);
    } else {
      if (lane < NC) leave(place_of_w<NC>(a, sequence, t.first + i, lane), pick(w, lane), sequence);
      add_dots<NC, LANES>(t, i, w, dots);
    }
  }
  if (PEERS) finish_shared<NC, LANES>(a, t, sequence, dots);
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    for (int other = LANES; other < 32; other *= 2) dots[e] += __shfl_xor_sync(0xffffffffu, dots[e], other);
    if (group == 0 && lane + e * LANES < SUMS) sums.of_warps[warp][lane + e * LANES] = dots[e];
  }
  __syncthreads();
  const int which = (int)threadIdx.x;
  double sum = 0.0;
  if (which < SUMS) {
    double part[4] = {};
#pragma unroll
    for (int k = 0; k < RESIDENT_WARPS; k++) part[k % 4] += sums.of_warps[k][which];
    sum = (part[0] + part[1]) + (part[2] + part[3]);
  }
  if constexpr (PEERS)
    send_to_ranks<NC>(a, sequence, sum, sums);
  else if (which < SUMS)
    leave(a.dots + (sequence % 2 * SUMS + which) * gridDim.x + blockIdx.x, sum, sequence);
}

/* Dot product `which` over all blocks, by a warp; lane 0 has it. */
template <int NC>
static __device__ __forceinline__ double sum_of_blocks(const resident_arguments &a, uint64_t sequence, int which)
{
  enum { COUNT = 5 }; // 5 x 32 words at a time: all blocks of an H100 in one pass
  const int lane = (int)threadIdx.x % 32, blocks = (int)gridDim.x;
  const flagged_word *dots = a.dots + (sequence % 2 * (NC * SOLVER_DOTS) + which) * blocks;
  double sum = 0.0;
  for (int first = lane; first < blocks; first += COUNT * 32) {
    double values[COUNT];
    await(sequence, values, [=](int j) { return first + j * 32 < blocks ? dots + first + j * 32 : nullptr; });
#pragma unroll
    for (int j = 0; j < COUNT; j++) sum += values[j];
  }
  return sum_lanes(sum);
}

/* Dot product `which` over all clusters of all ranks, by a warp; lane 0 has it. */
template <int NC>
static __device__ __forceinline__ double sum_of_ranks_blocks(const resident_arguments &a, uint64_t sequence, int which)
{
  enum { COUNT = 3 }; // two H100s in one pass
  const mesh_cuda::peer_view &p = *a.peers.view;
  const int lane = (int)threadIdx.x % 32, most = a.peers.most_clusters, all = p.nranks * most;
  double sum = 0.0;
  for (int first = lane; first < all; first += COUNT * 32) {
    double values[COUNT];
    mesh_cuda::await((uint32_t)sequence, values, [&](int j) -> const mesh_cuda::flagged_word * {
      const int i = first + j * 32, rank = i / most, cluster = i % most;
      if (i >= all || cluster >= a.peers.clusters[rank]) return nullptr;
      return p.mine + place_of_dot<NC>(a.peers, sequence, rank, which, cluster);
    });
#pragma unroll
    for (int j = 0; j < COUNT; j++) sum += values[j];
  }
  return sum_lanes(sum);
}

/* w of the halo, by all warps but the first. */
template <int NC, placement PLACE>
static __device__ __forceinline__ void fetch(const resident_arguments &a, const part<PLACE> &t, uint64_t sequence)
{
  enum { COUNT = 4, THREADS = RESIDENT_THREADS - 32 };
  const int last = t.columns * NC;
  for (int first = t.rows * NC + (int)threadIdx.x - 32; first < last; first += COUNT * THREADS) {
    double values[COUNT];
    await(sequence, values, [&](int j) -> const flagged_word * {
      const int e = first + j * THREADS;
      return e < last ? place_of_w<NC>(a, sequence, t.halo[e / NC - t.rows], e % NC) : nullptr;
    });
#pragma unroll
    for (int j = 0; j < COUNT; j++)
      if (first + j * THREADS < last) t.w[first + j * THREADS] = values[j];
  }
}

/* The sums over all blocks, a warp each; the step that they lead to, by the first warp, and, by the others, w of the
 * halo, which is there, as it was left before the sums were. */
template <int NC, bool PEERS, placement PLACE>
static __device__ __forceinline__ void take_step(const resident_arguments &a, const part<PLACE> &t, uint64_t sequence,
                                                 pcg_sums &sums, pcg_state &s)
{
  static_assert(NC * SOLVER_DOTS <= RESIDENT_WARPS, "a warp a sum");
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  if (warp < NC * SOLVER_DOTS) {
    const double sum = PEERS ? sum_of_ranks_blocks<NC>(a, sequence, warp) : sum_of_blocks<NC>(a, sequence, warp);
    if (lane == 0) sums[warp / SOLVER_DOTS][warp % SOLVER_DOTS] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    if (lane == 0) begin_decision(s, sums);
    __syncwarp();
    const bool left = lane < NC && decide_component(s, lane, sums[lane], divide(sums[lane]));
    const bool any = __any_sync(0xffffffffu, left);
    if (lane == 0) end_decision(s, any);
  } else {
    fetch<NC>(a, t, sequence);
  }
  __syncthreads();
}

/* x += alpha p;  r -= alpha w;  p = D^-1 r + beta p, the last two of the halo, too: nothing more has to be exchanged */
template <int NC, placement PLACE>
static __device__ __forceinline__ void update(const part<PLACE> &t, const pcg_state &s)
{
  for (int e = threadIdx.x; e < t.columns * NC; e += RESIDENT_THREADS) {
    const int c = e % NC;
    if (!s.update[c]) continue;
    const double p = t.p[e], r = t.r[e] - s.alpha[c] * t.w[e];
    if (e < t.rows * NC) t.x[e] += s.alpha[c] * p;
    t.r[e] = r;
    t.p[e] = t.d[e / NC] * r + s.beta[c] * p;
  }
  __syncthreads();
}

/* A whole solve.  A word is written anew only when all have read it: w and the dot products two iterations later, when
 * all dot products of the one between are there, which others leave after they have read; what other ranks need of w in
 * the next one. */
template <int NC, placement PLACE, bool PEERS, int LANES>
static __global__ void __launch_bounds__(RESIDENT_THREADS, 1) iterate(const __grid_constant__ resident_arguments a)
{
  __shared__ resident_sums<NC> partial;
  __shared__ pcg_sums sums;
  __shared__ pcg_state s;
  const part<PLACE> t = find_part<NC, PLACE>(a);
  begin<NC>(a, t);
  if (threadIdx.x == 0) s = a.first;
  if constexpr (PEERS)
    cluster_sync();
  else
    __syncthreads();
  for (uint64_t sequence = a.sequence; s.going; sequence++) {
    multiply<NC, PEERS, LANES>(a, t, sequence, partial);
    take_step<NC, PEERS>(a, t, sequence, sums, s);
    update<NC>(t, s);
  }
  for (int e = threadIdx.x; e < t.rows * NC; e += RESIDENT_THREADS)
    a.x[e % NC * a.n + a.m.row[t.first + e / NC]] = t.x[e];
  if (blockIdx.x == 0 && threadIdx.x == 0) *a.last = s;
}

} // namespace solvers_cuda

#endif
