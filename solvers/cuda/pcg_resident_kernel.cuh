/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel of cuda.resident.
 *
 * PEERS: every rank runs it on a GPU of its own.  A is the sum of the ranks' matrices; w at shared rows is completed by
 * words that the other ranks' kernels post, and dot products are those of all blocks of all ranks, which every block
 * adds up in the same order, so that all ranks take the same step.
 */
#ifndef SOLVERS_CUDA_PCG_RESIDENT_KERNEL_CUH
#define SOLVERS_CUDA_PCG_RESIDENT_KERNEL_CUH

#include "mesh/comm/cuda/peers.cuh"
#include "solvers/cuda/flagged_word.cuh"
#include "solvers/cuda/pcg.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

enum { RESIDENT_THREADS = 512, RESIDENT_WARPS = RESIDENT_THREADS / 32, LANES = 16 }; // LANES per row in the product

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
  const int *blocks; /* [nranks]: of each rank's kernel, */
  int most_blocks;   /* of which no rank has more */
};

struct resident_arguments {
  divided m;
  int64_t n;
  const double *inverse_diagonal, *b;
  double *x;
  flagged_word *p; /* [n][ncomp], by position: what other blocks need */
  flagged_word
    *dots; /* [2][ncomp][SOLVER_DOTS][blocks]: for even and odd sequence numbers, as some may still read the last */
  double *area;      /* [blocks][area_doubles], where the vectors are not shared */
  uint64_t sequence; /* of the first p; each iteration has the next */
  pcg_state first, *last;
  resident_peers peers;
};

/* Doubles of a block's vectors, and bytes of its matrix. */
static __host__ __device__ int64_t area_doubles(const divided &m, int ncomp)
{
  return ncomp * ((int64_t)m.most_columns + 3 * m.most_rows) + m.most_rows;
}

static size_t matrix_bytes(const divided &m)
{
  return (sizeof(double) + sizeof(int)) * (size_t)m.most_entries + sizeof(int) * ((size_t)m.most_rows + 1);
}

/* A block's part.  Vectors [rows][NC], p [columns][NC]. */
struct part {
  int rows, first, halo, first_halo; /* first: position */
  double *p, *r, *w, *x, *d;
  const double *value;       /* of entries from `origin` on, as column */
  const int *column, *start; /* start [rows + 1] */
  int origin;
};

template <int NC, placement PLACE> static __device__ __forceinline__ part find_part(const resident_arguments &a)
{
  const divided &m = a.m;
  const int b = (int)blockIdx.x;
  part t;
  t.first = m.row_start[b], t.rows = m.row_start[b + 1] - t.first;
  t.first_halo = m.halo_start[b], t.halo = m.halo_start[b + 1] - t.first_halo;
  const int64_t doubles = area_doubles(m, NC);
  t.p = PLACE == NOTHING ? a.area + b * doubles : shared_array<double>();
  t.r = t.p + m.most_columns * NC;
  t.w = t.r + m.most_rows * NC;
  t.x = t.w + m.most_rows * NC;
  t.d = t.x + m.most_rows * NC;
  t.value = m.value, t.column = m.column, t.start = m.entry_start + t.first, t.origin = 0;
  if (PLACE != EVERYTHING) return t;
  double *value = shared_array<double>() + doubles;
  int *column = reinterpret_cast<int *>(value + m.most_entries), *start = column + m.most_entries;
  t.origin = t.start[0];
  const int entries = t.start[t.rows] - t.origin;
  for (int i = threadIdx.x; i < entries; i += RESIDENT_THREADS)
    value[i] = m.value[t.origin + i], column[i] = m.column[t.origin + i];
  for (int i = threadIdx.x; i <= t.rows; i += RESIDENT_THREADS) start[i] = t.start[i];
  t.value = value, t.column = column, t.start = start;
  return t;
}

/* x = 0, r = b, p = D^-1 b */
template <int NC> static __device__ __forceinline__ void begin(const resident_arguments &a, const part &t)
{
  for (int e = threadIdx.x; e < t.rows * NC; e += RESIDENT_THREADS) {
    const int i = e / NC, c = e % NC, row = a.m.row[t.first + i];
    const double d = a.inverse_diagonal ? a.inverse_diagonal[row] : 1.0, value = a.b[c * a.n + row];
    if (c == 0) t.d[i] = d;
    t.x[e] = 0.0;
    t.r[e] = value;
    t.p[e] = d * value;
    leave(a.p + (int64_t)t.first * NC + e, d * value, a.sequence);
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

/* The halo's p. */
template <int NC>
static __device__ __forceinline__ void fetch(const resident_arguments &a, const part &t, uint64_t sequence)
{
  enum { COUNT = 4 };
  const int entries = t.halo * NC, *halo = a.m.halo + t.first_halo;
  double *to = t.p + t.rows * NC;
  for (int first = threadIdx.x; first < entries; first += COUNT * RESIDENT_THREADS) {
    double values[COUNT];
    await(sequence, values, [&](int j) {
      const int e = first + j * RESIDENT_THREADS;
      return e < entries ? a.p + (int64_t)halo[e / NC] * NC + e % NC : nullptr;
    });
#pragma unroll
    for (int j = 0; j < COUNT; j++)
      if (first + j * RESIDENT_THREADS < entries) to[first + j * RESIDENT_THREADS] = values[j];
  }
}

/* Place in a rank's inbox of the dot products of a block of rank `from`, for even and odd sequence numbers. */
template <int NC>
static __device__ __forceinline__ int64_t place_of_dot(const resident_peers &p, uint64_t sequence, int from, int which,
                                                       int block)
{
  constexpr int SUMS = NC * SOLVER_DOTS;
  const int64_t rank = (int64_t)(sequence % 2) * p.view->nranks + from;
  return p.view->room + (rank * SUMS + which) * p.most_blocks + block;
}

/* Lane l of a row has the dot products l, l + LANES, ... */
template <int NC, int EACH>
static __device__ __forceinline__ void add_dots(const part &t, int i, const double (&w)[NC], double (&dots)[EACH])
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

/* Completes w at the shared rows, which the same lanes left in t.w, and adds their dot products. */
template <int NC, int EACH>
static __device__ __forceinline__ void finish_shared(const resident_arguments &a, const part &t, uint64_t sequence,
                                                     double (&dots)[EACH])
{
  constexpr int ROWS = 32 / LANES;
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % LANES, group = (int)threadIdx.x % 32 / LANES;
  for (int base = warp * ROWS; base < t.rows; base += RESIDENT_WARPS * ROWS) {
    const int i = base + group, flags = i < t.rows ? a.m.fixed[t.first + i] : 0;
    const bool shared = flags & SHARED_ROW;
    if (!__any_sync(0xffffffffu, shared)) continue;
    double sum = 0.0, w[NC];
    if (shared && lane < NC && !(flags >> lane & 1))
      sum = mesh_cuda::sum_of_ranks(*a.peers.view, NC, a.m.shared[t.first + i], lane, t.w[i * NC + lane],
                                    (uint32_t)sequence);
#pragma unroll
    for (int c = 0; c < NC; c++) w[c] = __shfl_sync(0xffffffffu, sum, c, LANES);
    if (!shared) continue;
    if (lane < NC) t.w[i * NC + lane] = sum;
    if (!(flags & ROW_OF_ANOTHER)) add_dots(t, i, w, dots);
  }
}

/* w = A p, LANES lanes a row, and this block's dot products.  Lane l of a row adds up the products l, l + LANES, ... */
template <int NC, bool PEERS>
static __device__ __forceinline__ void multiply(const resident_arguments &a, const part &t, uint64_t sequence,
                                                double (&shared)[RESIDENT_WARPS][NC * SOLVER_DOTS])
{
  constexpr int SUMS = NC * SOLVER_DOTS, EACH = (SUMS + LANES - 1) / LANES, ROWS = 32 / LANES;
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % LANES, group = (int)threadIdx.x % 32 / LANES;
  double dots[EACH] = {};
  for (int base = warp * ROWS; base < t.rows; base += RESIDENT_WARPS * ROWS) {
    const int i = base + group;
    const bool inside = i < t.rows; // lanes beyond take part in the sums
    const int last = inside ? t.start[i + 1] - t.origin : 0;
    const int fixed = inside ? a.m.fixed[t.first + i] : 0;
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
      add_dots(t, i, w, dots);
    }
  }
  if (PEERS) finish_shared<NC>(a, t, sequence, dots);
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    for (int other = LANES; other < 32; other *= 2) dots[e] += __shfl_xor_sync(0xffffffffu, dots[e], other);
    if (group == 0 && lane + e * LANES < SUMS) shared[warp][lane + e * LANES] = dots[e];
  }
  __syncthreads();
  if (threadIdx.x >= SUMS) return;
  double sum = 0.0;
#pragma unroll
  for (int k = 0; k < RESIDENT_WARPS; k++) sum += shared[k][threadIdx.x];
  if (PEERS) {
    const mesh_cuda::peer_view &p = *a.peers.view;
    const int64_t at = place_of_dot<NC>(a.peers, sequence, p.rank, (int)threadIdx.x, (int)blockIdx.x);
    for (int r = 0; r < p.nranks; r++) mesh_cuda::post(p.inbox[r] + at, sum, (uint32_t)sequence);
  } else {
    leave(a.dots + (sequence % 2 * SUMS + threadIdx.x) * gridDim.x + blockIdx.x, sum, sequence);
  }
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

/* The same over all blocks of all ranks. */
template <int NC>
static __device__ __forceinline__ double sum_of_ranks_blocks(const resident_arguments &a, uint64_t sequence, int which)
{
  enum { COUNT = 9 }; // two H100s in one pass
  const mesh_cuda::peer_view &p = *a.peers.view;
  const int lane = (int)threadIdx.x % 32, most = a.peers.most_blocks, all = p.nranks * most;
  double sum = 0.0;
  for (int first = lane; first < all; first += COUNT * 32) {
    double values[COUNT];
    mesh_cuda::await((uint32_t)sequence, values, [&](int j) -> const mesh_cuda::flagged_word * {
      const int i = first + j * 32, rank = i / most, block = i % most;
      if (i >= all || block >= a.peers.blocks[rank]) return nullptr;
      return p.mine + place_of_dot<NC>(a.peers, sequence, rank, which, block);
    });
#pragma unroll
    for (int j = 0; j < COUNT; j++) sum += values[j];
  }
  return sum_lanes(sum);
}

/* The sums over all blocks, a warp each, and the step that they lead to. */
template <int NC, bool PEERS>
static __device__ __forceinline__ void take_step(const resident_arguments &a, uint64_t sequence, pcg_sums &sums,
                                                 pcg_state &s)
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
    const bool left = lane < NC && decide_component(s, lane, sums[lane]);
    const bool any = __any_sync(0xffffffffu, left);
    if (lane == 0) end_decision(s, any);
  }
  __syncthreads();
}

/* x += alpha p;  r -= alpha w;  p = D^-1 r + beta p */
template <int NC>
static __device__ __forceinline__ void update(const resident_arguments &a, const part &t, const pcg_state &s,
                                              uint64_t sequence)
{
  for (int e = threadIdx.x; e < t.rows * NC; e += RESIDENT_THREADS) {
    const int c = e % NC;
    double p = t.p[e];
    if (s.update[c]) {
      const double r = t.r[e] - s.alpha[c] * t.w[e];
      t.x[e] += s.alpha[c] * p;
      t.r[e] = r;
      t.p[e] = p = t.d[e / NC] * r + s.beta[c] * p;
    }
    leave(a.p + (int64_t)t.first * NC + e, p, sequence);
  }
}

/* A word is written anew only when all have read it: p, and what other ranks need of w, when all dot products of the
 * iteration are there, which others leave after they have fetched them; and dot products two iterations later. */
template <int NC, placement PLACE, bool PEERS>
static __global__ void __launch_bounds__(RESIDENT_THREADS, 1) iterate(const __grid_constant__ resident_arguments a)
{
  __shared__ double shared[RESIDENT_WARPS][NC * SOLVER_DOTS];
  __shared__ pcg_sums sums;
  __shared__ pcg_state s;
  const part t = find_part<NC, PLACE>(a);
  begin<NC>(a, t);
  if (threadIdx.x == 0) s = a.first;
  __syncthreads();
  for (uint64_t sequence = a.sequence; s.going; sequence++) {
    fetch<NC>(a, t, sequence);
    __syncthreads();
    multiply<NC, PEERS>(a, t, sequence, shared);
    take_step<NC, PEERS>(a, sequence, sums, s);
    update<NC>(a, t, s, sequence + 1);
  }
  for (int e = threadIdx.x; e < t.rows * NC; e += RESIDENT_THREADS)
    a.x[e % NC * a.n + a.m.row[t.first + e / NC]] = t.x[e];
  if (blockIdx.x == 0 && threadIdx.x == 0) *a.last = s;
}

} // namespace solvers_cuda

#endif
