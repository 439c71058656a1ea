/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.panels of geqrf, ungqr and unmqr in double precision, and cuda.panels_tc in single precision: strips of 16
 * columns in registers and blocks of 16 reflectors on the tensor cores, left-looking.
 *
 * All reflectors of earlier strips are applied to a strip (wy/strip.cuh), then its own columns are factored
 * (wy/panel.cuh, wy/gram.cuh); nothing else of the matrix is read or written. Matrices of 65 to 256 rows are factored
 * two strips at a time, with blocks of reflectors staged in shared memory by bulk copies (wy/stage.cuh).
 *
 * Floats become doubles in registers, and results are rounded once, as they are stored; reflectors are passed on in
 * double precision. FP64 tensor cores have the rate of the FP32 pipes on the GPUs that this is for.
 *
 * grid      a block per matrix; unmqr: per part of C; two strips at a time: as many blocks as fit, balanced
 * block     a warp per 128 rows of a strip (48 or 64 at the smallest); 1, 2 or (unmqr, ungqr) up to 4 strips
 * shared    the T of all blocks, exchanges between warps, two stages of reflectors; of 257 to 512 rows, up to 64
 *           columns, the first block's
 * takes     double or single precision, up to 1024 rows if shared memory allows (strips_fit), any n, uniform and
 *           variable
 * reads     geqrf: a; writes a, tau. ungqr: a, tau; writes a. unmqr: a, tau, c; writes c
 * accuracy  |A - Q R| < 30 m eps |A| column by column; columns of any scale
 */
#include "batched/cuda/mma.cuh"
#include "batched/qr/cuda/single.cuh"
#include "batched/qr/cuda/wy/gram.cuh"

namespace batched_cuda::qr
{
namespace
{

/* ------------------------------------------------------------------ QR of a matrix by a block */

template <class T> struct wy_args {
  panel_args<T> g;
  int warps, strips, parts; /* parts: blocks per matrix C */
  int stages, rows;         /* stages of reflectors in shared memory, and rows of a stage */
  int blocks;               /* most blocks of reflectors of a matrix */
  double *kept;             /* workspace for the blocks of reflectors of each block's matrix */
  unsigned long long *next; /* counter of matrices taken beyond the first of each block; NULL: there are none */
};

template <int SLICES, int WARPS, class T> __device__ void open_strip(wy_strip<SLICES, WARPS> &x, const wy_args<T> &w)
{
  const int warp = warp_index();
  x.lane = threadIdx.x % 32;
  x.g = x.lane / 4;
  x.t = x.lane % 4;
  x.warps = WARPS ? WARPS : w.warps;
  x.own = warp % x.warps;
  x.turn = 0;
  x.meeting = {1u + warp / x.warps, 0};
  x.exchange = shared_array<double>() + warp / x.warps * x.exchanged(x.warps);
}

/* Shared memory begins with the exchanges of the strips, then comes what the job needs. */
template <class T> DEVICE int exchanged(const wy_args<T> &w)
{
  return w.strips * wy_strip<1, 0>::exchanged(w.warps);
}
template <class T> __device__ double *triangles_of(const wy_args<T> &w)
{
  return shared_array<double>() + exchanged(w);
}

/* Stores the finished rows of R and begins the panel below them, if it has any of the k reflectors: from products if
 * possible (*shared.flag). */
template <int SLICES, int WARPS, class T>
__device__ __forceinline__ void begin_panel(wy_strip<SLICES, WARPS> &x, const wy_shared &shared, wy_matrix<T> strip,
                                            int j0, int k, const wy_stage *room)
{
  const int rows = strip.m, count = min(wy_width, k - j0);
  strip.m = j0 < k ? j0 : rows;
  recompute(strip.at, strip.col);
  x.template write<use::once>(strip);
  if (j0 >= k) return;
  wy_panel<SLICES, WARPS> panel(x, shared, j0, rows, room);
  wy_gram<SLICES, WARPS> by_products(panel);
  if (count >= by_products.fewest_columns && rows - j0 >= by_products.fewest_rows)
    by_products.begin(count);
  else if (x.own == 0)
    *shared.flag = BY_STEPS;
}

/* Finishes the panel: V. */
template <int SLICES, int WARPS>
__device__ __forceinline__ void finish_panel(wy_strip<SLICES, WARPS> &x, const wy_shared &shared, int rows, int count,
                                             const wy_stage *room, bool by_gram)
{
  wy_panel<SLICES, WARPS> panel(x, shared, x.slice_from((rows + 7) / 8));
  if (by_gram)
    wy_gram<SLICES, WARPS>(panel).finish(room);
  else
    panel.factor(count);
}

/* Input of form_triangle() from V, where no other strip forms T from products. */
template <int SLICES, int WARPS>
__device__ __forceinline__ void make_gram(wy_strip<SLICES, WARPS> &x, const wy_shared &shared, int rows)
{
  wy_panel<SLICES, WARPS> panel(x, shared, x.slice_from((rows + 7) / 8));
  wy_gram<SLICES, WARPS>(panel).make_gram();
}

template <int SLICES, int WARPS, class T>
__device__ __forceinline__ void write_tau(wy_strip<SLICES, WARPS> &x, const wy_shared &shared, const wy_args<T> &w,
                                          int64_t b, int j0, int k)
{
  if (x.own == 0 && x.lane < k - j0 && x.lane < wy_width)
    w.g.tau.at(b)[(j0 + x.lane) * (int64_t)w.g.tau.increment(b)] = (T)shared.taus[x.lane];
}

/* again: will V be read again? */
template <bool again, int SLICES, int WARPS, class T>
__device__ __forceinline__ void write_panel(wy_strip<SLICES, WARPS> &x, wy_matrix<T> strip, int j0, int k)
{
  if (j0 >= k) return;
  strip.at += j0;
  strip.m -= j0;
  recompute(strip.at, strip.col);
  x.template write<again ? use::again : use::once>(strip);
}

template <int SLICES, int WARPS, class T> __device__ void factor_matrix(const wy_args<T> &w, int64_t b)
{
  wy_strip<SLICES, WARPS> x;
  open_strip(x, w);
  const int m = w.g.a.rows(b), n = m > 0 ? w.g.a.cols(b) : 0, k = min(m, n);
  if (n == 0) return;
  double *const triangles = triangles_of(w);
  T *const a = w.g.a.at(b);
  const wy_shared shared(triangles + wy_packed * w.blocks, x.warps);
  constexpr bool may_stage = WARPS > 2; /* does the first block of reflectors stay in shared memory, if w.stages? */
  const wy_stage first = {triangles + wy_packed * w.blocks + wy_shared::size(x.warps), 0, m};
  const int64_t ld = w.g.a.leading(b);
  wy_reflectors<T> v = {a, ld, 0, k, m, wy_reflectors<T>::is_aligned(a, ld)};
  for (int j0 = 0; j0 < n; j0 += wy_width) {
    const wy_matrix<T> strip = {a + j0 * ld, 1, ld, m, n - j0};
    x.read(strip);
    const bool staged = may_stage && w.stages && j0 > 0;
    if constexpr (may_stage)
      if (staged) x.apply(first, triangles, true);
    for (v.i0 = staged ? wy_width : 0; v.i0 < j0 && v.i0 < k; v.i0 += wy_width)
      x.apply(v, triangles + wy_packed * (v.i0 / wy_width), true);
    const int own = x.own;
    begin_panel(x, shared, strip, j0, k, nullptr);
    x.sync();
    if (j0 < k) {
      const bool by_gram = __shfl_sync(all_lanes, *shared.flag == BY_PRODUCTS, 0);
      const int count = min(wy_width, k - j0);
      finish_panel(x, shared, m - j0, count, nullptr, by_gram);
      if constexpr (may_stage)
        if (w.stages && j0 == 0) publish(x, first.at, first.padded<WARPS>(), count);
      write_panel<true>(x, strip, j0, k);
      if (by_gram && j0 + wy_width < n) make_gram(x, shared, m - j0);
      write_tau(x, shared, w, b, j0, k);
      if (x.own == 0 && j0 + wy_width < n)
        form_triangle(shared.gram, shared.taus, count, triangles + wy_packed * (j0 / wy_width));
    }
    x.own = own;
    __syncthreads();
  }
}

/* Stages of a block: `barrier` is the address of the first one's barrier; bit i of `parities` is the phase of stage
 * i. */
struct wy_arrivals {
  unsigned barrier;
  int parities;

  __device__ __forceinline__ void load(int i, double *to, const double *from, int bytes) const
  {
    barrier_arrive_expecting(barrier + 8 * i, bytes);
    bulk_load(shared_address(to), from, bytes, barrier + 8 * i);
  }
  __device__ __forceinline__ void wait(int i)
  {
    barrier_wait(barrier + 8 * i, parities >> i & 1);
    parities ^= 1 << i;
  }
};

/* Factors a matrix in groups of two strips. Each block of reflectors passes through shared memory to all strips of a
 * group: blocks of earlier groups from where they are kept, the next one in flight while one is applied; the group's
 * own from the strip that made it. Of the two stages, the one that the group's first strip does not use is filled
 * with the first block for the next group as soon as that strip is done. While one strip finishes its panel, the
 * other forms T. take(): asks for the block's next matrix, once. */
template <int SLICES, int WARPS, class T, class F>
__device__ void factor_by_groups(const wy_args<T> &w, int64_t b, wy_meeting &meeting, wy_arrivals &arrivals, F take)
{
  using gram = wy_gram<SLICES, WARPS>;
  wy_strip<SLICES, WARPS> x;
  open_strip(x, w);
  x.meeting = meeting;
  const int m = w.g.a.rows(b), n = m > 0 ? w.g.a.cols(b) : 0, k = min(m, n), own = warp_index() / WARPS;
  if (n == 0) return take();
  double *const triangles = triangles_of(w), *const memory = triangles + wy_packed * w.blocks;
  const wy_shared shared(memory, WARPS);
  double *const stages = memory + wy_shared::size(WARPS);
  double *const kept = w.kept + blockIdx.x * wy_kept(w.blocks, w.rows);
  int phase = 0;
  const auto place = [&](int at) { return (at / wy_width + phase) % 2; };
  const auto stage = [&](int at) {
    const int front = wy_stage::front<WARPS>, size = wy_stage::size<WARPS>(w.rows);
    return wy_stage{stages + place(at) * size + front * wy_width, at, m};
  };
  const auto fetch = [&](int at) {
    if (threadIdx.x != 0) return;
    const wy_stage to = stage(at);
    arrivals.load(place(at), to.at, kept + wy_kept(at / wy_width, w.rows), to.bytes(to.padded<WARPS>()));
  };
  /* the stage just read is soon overwritten by a bulk copy */
  const auto apply = [&](int at) {
    x.apply(stage(at), triangles + wy_packed * (at / wy_width), true);
    bulk_fence();
  };
  T *const a = w.g.a.at(b);
  const int64_t lda = w.g.a.leading(b);
  if constexpr (WARPS > 1)
    for (int i = threadIdx.x; i < w.stages * wy_block; i += blockDim.x)
      stages[i % wy_block + i / wy_block * wy_stage::size<WARPS>(w.rows)] = 0;
  for (int first = 0; first < n; first += wy_width * w.strips) {
    const int j0 = first + wy_width * own, last = min(first, k), next = first + wy_width * w.strips;
    const wy_matrix<T> strip = {a + j0 * lda, 1, lda, m, n - j0};
    if (first == 0 && j0 < n) x.read(strip);
    for (int at = 0; at < last; at += wy_width) {
      arrivals.wait(place(at));
      __syncthreads();
      if (at + wy_width < last) fetch(at + wy_width);
      if (j0 < n) apply(at);
    }
    if (next >= n) take();
    if (x.own == 0 && x.lane < min(wy_width, n - next - wy_width * own))
      prefetch(strip.at + (wy_width * w.strips + x.lane) * lda, m);
    for (int at = first; at < n && at < first + wy_width * w.strips; at += wy_width) {
      const bool publishes = j0 + wy_width < min(n, next), mine = at == j0, wants = at < j0 && at < k && j0 < n;
      const bool makes = x.own == 0 && at < k && at + wy_width < n;
      const wy_stage here = stage(at), room = {publishes ? here.at : stage(first).at, at, m};
      double *const triangle = triangles + wy_packed * (at / wy_width);
      const int count = min(wy_width, k - at);
      if (mine) begin_panel(x, shared, strip, j0, k, &room);
      __syncthreads(); /* results from products are there */
      const bool by_gram = __shfl_sync(all_lanes, at < k && *shared.flag == BY_PRODUCTS, 0);
      if (mine && j0 < k) {
        finish_panel(x, shared, m - j0, count, &room, by_gram);
        if (publishes) publish(x, room.at, here.padded<WARPS>(), count);
      } else if (!mine && by_gram && makes) {
        double *const others = shared_array<double>() + (at - first) / wy_width * x.exchanged(WARPS);
        gram::form_triangle_of(shared, gram::lower_part(shared, others), WARPS, triangle);
      }
      if (mine) write_tau(x, shared, w, b, j0, k);
      __syncthreads(); /* V is there, and T if it came from products */
      if (!by_gram) {
        if (mine && makes) form_triangle_by_halves(shared.gram, shared.taus, count, triangle);
        __syncthreads();
      }
      if (mine) {
        if (j0 < k && next < n) publish(x, kept + wy_kept(j0 / wy_width, w.rows), here.padded<WARPS>(), count);
        write_panel<false>(x, strip, j0, k);
        const int j1 = j0 + wy_width * w.strips;
        if (j1 < n) x.read(wy_matrix<T>{a + j1 * lda, 1, lda, m, n - j1});
        bulk_fence_all();
        if (own == 0 && next < n) {
          if (first == 0) x.sync(); /* that block was kept just now */
          phase = 1 - phase;
          fetch(0);
          phase = 1 - phase;
        }
      } else if (wants) {
        apply(at);
      }
    }
    phase = 1 - phase;
  }
  meeting = x.meeting;
}

/* ------------------------------------------------------------------ Q */

template <class T> __device__ __forceinline__ int order_of(const panel_args<T> &g, int64_t b)
{
  return g.job == APPLY_LEFT ? g.c.rows(b) : g.job == APPLY_RIGHT ? g.c.cols(b) : g.a.rows(b);
}

/* Number of reflectors of a matrix. */
template <class T> __device__ __forceinline__ int reflectors_of(const panel_args<T> &g, int64_t b)
{
  const int m = order_of(g, b);
  if (m == 0 || !g.any) return 0;
  return g.job == GENERATE ? min(g.tau.length(b), g.a.cols(b)) : min(m, g.a.cols(b));
}

/* Forms the T of all blocks of `k` reflectors, by the block's warps in turn. */
template <class T>
__device__ void make_triangles(wy_reflectors<T> v, const T *tau, int64_t step, double *triangles, double *memory)
{
  const int warp = warp_index(), lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  double *const gram = memory + warp * (wy_block + wy_width), *const taus = gram + wy_block;
  for (v.i0 = wy_width * warp; v.i0 < v.k; v.i0 += wy_width * (blockDim.x / 32)) {
    const wy_columns<2, 8, T> columns(v, v.i0 + 2 * t, g);
    double d[2][4] = {};
#pragma unroll 4
    for (int i = 0; i < v.m - v.i0; i += 8) {
      const double2 x = columns.template pair<false>(0, i), y = columns.template pair<false>(1, i);
      const double both[4] = {x.x, y.x, x.y, y.y}, bx[2] = {x.x, x.y}, by[2] = {y.x, y.y};
      multiply_16x8x8(d[0], both, bx);
      multiply_16x8x8(d[1], both, by);
    }
    const int count = min(wy_width, v.k - v.i0);
    if (lane < wy_width) taus[lane] = lane < count ? tau[(v.i0 + lane) * step] : 0;
    __syncwarp();
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int j = 8 * h + 2 * t + e % 2;
        gram[wy_width * (g + 8 * (e / 2)) + j] = -taus[j] * d[h][e];
      }
    __syncwarp();
    form_triangle(gram, taus, count, triangles + wy_packed * (v.i0 / wy_width));
    __syncwarp();
  }
  __syncthreads();
}

/* The reflectors of matrix b, and their T in shared memory. */
template <class T>
__device__ wy_reflectors<T> open_reflectors(const wy_args<T> &w, int64_t b, int k, int m, double *triangles)
{
  wy_reflectors<T> v = {nullptr, 0, 0, k, m, false};
  if (k == 0) return v;
  v.at = w.g.a.at(b);
  v.ld = w.g.a.leading(b);
  v.aligned = wy_reflectors<T>::is_aligned(v.at, v.ld);
  make_triangles(v, w.g.tau.at(b), w.g.tau.increment(b), triangles, triangles + wy_packed * w.blocks);
  return v;
}

/* Applies the first `k` reflectors to a strip. */
template <int SLICES, int WARPS, class T>
__device__ __forceinline__ void apply_all(wy_strip<SLICES, WARPS> &x, wy_reflectors<T> v, const double *triangles,
                                          int k, bool forward)
{
  const int blocks = (k + wy_width - 1) / wy_width;
#pragma unroll 1
  for (int q = 0; q < blocks; q++) {
    v.i0 = wy_width * (forward ? q : blocks - 1 - q);
    x.apply(v, triangles + wy_packed * (v.i0 / wy_width), forward);
  }
}

/* Columns of Q, last strips first: a strip's reflectors are not read after they were overwritten. */
template <int SLICES, int WARPS, class T> __device__ void generate_matrix(const wy_args<T> &w, int64_t b)
{
  wy_strip<SLICES, WARPS> x;
  open_strip(x, w);
  const int m = w.g.a.rows(b), n = m > 0 ? w.g.a.cols(b) : 0, k = n > 0 ? reflectors_of(w.g, b) : 0;
  if (n == 0) return;
  const int width = wy_width * w.strips;
  const double *const triangles = triangles_of(w);
  const wy_reflectors<T> v = open_reflectors(w, b, k, m, triangles_of(w));
  T *const a = w.g.a.at(b);
  const int64_t ld = w.g.a.leading(b);
  for (int first = (n - 1) / width * width; first >= 0; first -= width) {
    const int j0 = first + wy_width * (warp_index() / x.warps);
    if (j0 < n) {
      x.identity(j0);
      apply_all(x, v, triangles, min(k, j0 + wy_width), false);
    }
    __syncthreads();
    if (j0 < n) x.template write<use::once>(wy_matrix<T>{a + j0 * ld, 1, ld, m, n - j0});
    __syncthreads();
  }
}

/* A part of C's columns, or of its rows: c op(Q) = (op(Q)^T c^T)^T. */
template <int SLICES, int WARPS, class T> __device__ void apply_to_part(const wy_args<T> &w, int64_t b, int part)
{
  wy_strip<SLICES, WARPS> x;
  open_strip(x, w);
  const bool left = w.g.job == APPLY_LEFT;
  const int rows = w.g.c.rows(b), cols = w.g.c.cols(b), m = left ? rows : cols, others = left ? cols : rows;
  const int j0 = wy_width * (part * w.strips + warp_index() / x.warps);
  const int k = m > 0 && others > 0 ? reflectors_of(w.g, b) : 0;
  if (k == 0) return;
  const double *const triangles = triangles_of(w);
  const wy_reflectors<T> v = open_reflectors(w, b, k, m, triangles_of(w));
  if (j0 >= others) return;
  const int64_t ldc = w.g.c.leading(b), row = left ? 1 : ldc, col = left ? ldc : 1;
  const wy_matrix<T> strip = {w.g.c.at(b) + j0 * col, row, col, m, others - j0};
  x.read(strip);
  apply_all(x, v, triangles, k, left == w.g.adjoint);
  x.template write<use::once>(strip);
}

/* Launch bounds that avoid spills: with most of the L1 cache used as shared memory, a spilled access takes as long
 * as a step's arithmetic. */
template <int WARPS, panel_job job> constexpr int most_threads = WARPS != 1 ? 256 : job == FACTOR ? 32 : 128;
template <int SLICES, int WARPS, panel_job job>
constexpr int least_blocks = WARPS != 1      ? 1
                             : job == FACTOR ? 16
                             : SLICES > 8    ? 2
                                             : 4;

/* job: FACTOR, GENERATE, or APPLY_LEFT for both sides. */
template <int SLICES, int WARPS, panel_job job, class T>
__global__ void __launch_bounds__(most_threads<WARPS, job>, least_blocks<SLICES, WARPS, job>)
  run_in_strips(const __grid_constant__ wy_args<T> w)
{
  for (int64_t unit = blockIdx.x; unit < w.g.a.count * w.parts; unit += gridDim.x) {
    const int64_t b = unit / w.parts;
    if constexpr (job == FACTOR)
      factor_matrix<SLICES, WARPS>(w, b);
    else if constexpr (job == GENERATE)
      generate_matrix<SLICES, WARPS>(w, b);
    else
      apply_to_part<SLICES, WARPS>(w, b, (int)(unit - b * w.parts));
    __syncthreads();
  }
}

/* Strips that are factored side by side. */
constexpr int wy_group = 2;

/* At the end of shared memory: barriers of the strips and stages, and the next matrix, double-buffered. */
constexpr int wy_barriers = wy_group + 2;
template <int WARPS, class T> __device__ double *end_of(const wy_args<T> &w)
{
  return triangles_of(w) + wy_packed * w.blocks + wy_shared::size(WARPS) + w.stages * wy_stage::size<WARPS>(w.rows);
}
template <int WARPS, class T> __device__ unsigned open_barriers(const wy_args<T> &w)
{
  const unsigned barriers = shared_address(end_of<WARPS>(w));
  if (threadIdx.x < wy_barriers) barrier_init(barriers + 8 * threadIdx.x, threadIdx.x < wy_group ? 32 * WARPS : 1);
  barrier_init_fence();
  __syncthreads();
  return barriers;
}

/* Blocks per SM, with 255 registers per thread. */
template <int WARPS> constexpr int wy_resident = 8 / WARPS / wy_group;

template <int SLICES, int WARPS, class T>
__global__ void __launch_bounds__(32 * WARPS * wy_group, wy_resident<WARPS>)
  factor_groups(const __grid_constant__ wy_args<T> w)
{
  const unsigned barriers = open_barriers<WARPS>(w);
  wy_meeting meeting = {barriers + 8 * (warp_index() / WARPS), 0};
  wy_arrivals arrivals = {barriers + 8 * wy_group, 0};
  int64_t *const turns = reinterpret_cast<int64_t *>(end_of<WARPS>(w) + wy_barriers);
  int turn = 0;
  /* Take the next matrix as late as possible (dynamic load balancing), by a warp that is idle anyway. */
  const auto take = [&] {
    if (threadIdx.x == blockDim.x - 1) turns[turn] = w.next ? gridDim.x + (int64_t)atomicAdd(w.next, 1) : w.g.a.count;
  };
  for (int64_t b = blockIdx.x; b < w.g.a.count; b = turns[turn], turn = 1 - turn) {
    factor_by_groups<SLICES, WARPS>(w, b, meeting, arrivals, take);
    __syncthreads();
  }
}

/* Bytes of shared memory per block: of the kernel for groups of strips; of the others. */
template <int WARPS, class T> size_t bytes_of_groups(const wy_args<T> &w)
{
  return (exchanged(w) + wy_packed * w.blocks + wy_shared::size(WARPS) + w.stages * wy_stage::size<WARPS>(w.rows) +
          wy_barriers + 2) *
         sizeof(double);
}
template <class T> size_t bytes_of(panel_job job, const wy_args<T> &w)
{
  const int stage = w.stages * wy_width * w.rows;
  const size_t each = job == FACTOR ? wy_shared::size(w.warps) + stage : w.strips * w.warps * (wy_block + wy_width);
  return (exchanged(w) + each + wy_packed * w.blocks) * sizeof(double);
}

template <int SLICES, int WARPS, class T> int launch_groups(batched_ctx *ctx, wy_args<T> w)
{
  const int all = (int)ceil_div(w.g.a.n, wy_width);
  w.strips = all < wy_group ? all : wy_group;
  w.stages = all > wy_group ? 2 : 1;
  w.rows = (int)ceil_div(w.g.a.m, 16 * WARPS) * 16 * WARPS;
  const int64_t most = multiprocessors() * wy_resident<WARPS>, blocks = w.g.a.count < most ? w.g.a.count : most;
  const int64_t kept = blocks * wy_kept(w.blocks, w.rows);
  w.kept = static_cast<double *>(batched_scratch_push(ctx, (size_t)(kept + 1) * sizeof(double)));
  if (!w.kept) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  if (blocks < w.g.a.count) {
    w.next = reinterpret_cast<unsigned long long *>(w.kept + kept);
    status = batched_fill_zero(ctx, w.next, sizeof *w.next);
  }
  if (!status)
    status = launch(ctx, factor_groups<SLICES, WARPS, T>, blocks, 32 * WARPS * w.strips, bytes_of_groups<WARPS>(w), w);
  batched_scratch_pop(ctx);
  return status;
}

template <int SLICES, int WARPS, panel_job job, class T> int launch_kernel(batched_ctx *ctx, const wy_args<T> &w)
{
  return launch(ctx, run_in_strips<SLICES, WARPS, job, T>, w.g.a.count * w.parts, 32 * w.warps * w.strips,
                bytes_of(job, w), w);
}

template <int SLICES, int WARPS, class T> int launch_products(batched_ctx *ctx, const wy_args<T> &w)
{
  if (w.g.job == GENERATE) return launch_kernel<SLICES, WARPS, GENERATE>(ctx, w);
  return launch_kernel<SLICES, WARPS, APPLY_LEFT>(ctx, w);
}

template <class T> int launch_strips(batched_ctx *ctx, wy_args<T> w)
{
  if (w.g.a.m <= 48) return launch_kernel<6, 1, FACTOR>(ctx, w);
  if (w.g.a.m <= 64) return launch_kernel<8, 1, FACTOR>(ctx, w);
  if constexpr (sizeof(T) ==
                sizeof(double)) { /* panels of cuda.blocked: the first block stays for some columns alone */
    if (w.warps > 2 && w.warps <= 4 && w.blocks > 1 && w.blocks <= 4) {
      w.stages = 1;
      w.rows = (int)ceil_div(w.g.a.m, 16 * w.warps) * 16 * w.warps;
      if (bytes_of(FACTOR, w) > half_shared()) w.stages = 0;
    }
    if (w.warps == 3) return launch_kernel<16, 3, FACTOR>(ctx, w);
    if (w.warps == 4) return launch_kernel<16, 4, FACTOR>(ctx, w);
  }
  if (w.warps > 2) return launch_kernel<16, 0, FACTOR>(ctx, w);
  return w.warps == 1 ? launch_groups<16, 1>(ctx, w) : launch_groups<16, 2>(ctx, w);
}

/* Strips per block where a Q is applied. */
int most_strips(int warps)
{
  return warps <= 2 ? 4 : 8 / warps;
}
/* Uses as few warps per strip as registers allow: where warps share a strip, every step ends at a barrier. */
template <class T> int launch_in_strips(batched_ctx *ctx, const panel_args<T> &g)
{
  const int m = g.job == APPLY_LEFT ? g.c.m : g.job == APPLY_RIGHT ? g.c.n : g.a.m;
  const int others = g.job == APPLY_LEFT ? g.c.n : g.job == APPLY_RIGHT ? g.c.m : g.a.n;
  wy_args<T> w = {g, (int)ceil_div(m, 128), 1, 1, 0, 0, (int)ceil_div(m < g.a.n ? m : g.a.n, wy_width)};
  if (g.job == FACTOR) return launch_strips(ctx, w);
  if (g.job != GENERATE) {
    const int most = most_strips(w.warps), all = (int)ceil_div(others, wy_width);
    w.strips = all < most ? all : most;
    w.parts = (int)ceil_div(all, w.strips);
  }
  if (m <= 32) return launch_products<4, 1>(ctx, w);
  if (m <= 64) return launch_products<8, 1>(ctx, w);
  return w.warps == 1 ? launch_products<16, 1>(ctx, w) : launch_products<16, 0>(ctx, w);
}

} // namespace

bool strips_fit(int order)
{
  const int warps = order > 0 ? (int)ceil_div(order, 128) : 1, blocks = (int)ceil_div(order, wy_width);
  const int rows = (int)ceil_div(order, 16 * warps) * 16 * warps;
  const wy_args<double> factor = {{}, warps, wy_group, 1, 2, rows, blocks},
                        apply = {{}, warps, most_strips(warps), 1, 0, 0, blocks};
  size_t most = bytes_of(APPLY_LEFT, apply);
  const size_t others = warps > 2   ? bytes_of(FACTOR, wy_args<double>{{}, warps, 1, 1, 0, 0, blocks})
                        : warps > 1 ? bytes_of_groups<2>(factor)
                                    : bytes_of_groups<1>(factor);
  if (others > most) most = others;
  return most <= most_shared();
}

int run_strips(batched_ctx *ctx, const panel_args<double> &g)
{
  return launch_in_strips(ctx, g);
}
int run_strips(batched_ctx *ctx, const panel_args<float> &g)
{
  return launch_in_strips(ctx, g);
}

} // namespace batched_cuda::qr
