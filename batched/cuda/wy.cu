/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR in double precision by strips of 16 columns and blocks of 16 reflectors. A block of threads has a matrix, or a
 * part of the C that a Q is applied to; it has `strips` strips at a time, each shared by `warps` warps. The reflectors
 * of earlier strips are applied to a strip all at once (left-looking), so that nothing else of a matrix is read, and
 * none written.
 */
#include "wy_panel.cuh"

namespace batched_cuda
{

struct wy_args {
  panel_args<double> g;
  int warps, strips, parts; /* parts: blocks of threads that share a C */
  int blocks;               /* of reflectors, at most, in a matrix */
};

static __device__ __forceinline__ int order_of(const panel_args<double> &g, int64_t b)
{
  return g.job == APPLY_LEFT ? g.c.rows(b) : g.job == APPLY_RIGHT ? g.c.cols(b) : g.a.rows(b);
}

/* How many reflectors a matrix has. */
static __device__ __forceinline__ int reflectors_of(const panel_args<double> &g, int64_t b)
{
  const int m = order_of(g, b);
  if (m == 0 || !g.any) return 0;
  return g.job == GENERATE ? min(g.tau.length(b), g.a.cols(b)) : min(m, g.a.cols(b));
}

/* The T of all blocks of `k` reflectors, by the block's warps in turn. */
static __device__ void make_triangles(wy_reflectors v, const double *tau, int64_t step, double *triangles,
                                      double *memory)
{
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  double *const gram = memory + warp * (wy_block + wy_width), *const taus = gram + wy_block;
  for (v.i0 = wy_width * warp; v.i0 < v.k; v.i0 += wy_width * (blockDim.x / 32)) {
    const wy_columns<2, 8> columns(v, v.i0 + 2 * t, g);
    double d[2][4] = {};
#pragma unroll 4
    for (int i = 0; i < v.m - v.i0; i += 8) {
      const double2 x = columns.pair<false>(0, i), y = columns.pair<false>(1, i);
      const double both[4] = {x.x, y.x, x.y, y.y}, bx[2] = {x.x, x.y}, by[2] = {y.x, y.y};
      multiply_16x8x8(d[0], both, bx);
      multiply_16x8x8(d[1], both, by);
    }
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 4; e++) gram[g + 8 * (e / 2) + wy_width * (8 * h + 2 * t + e % 2)] = d[h][e];
    const int count = min(wy_width, v.k - v.i0);
    if (lane < count) taus[lane] = tau[(v.i0 + lane) * step];
    __syncwarp();
    form_triangle(gram, taus, count, triangles + wy_width * v.i0);
    __syncwarp();
  }
  __syncthreads();
}

template <int SLICES, bool split> static __device__ void open_strip(wy_strip<SLICES, split> &x, const wy_args &w)
{
  const int warp = threadIdx.x / 32;
  x.lane = threadIdx.x % 32;
  x.g = x.lane / 4;
  x.t = x.lane % 4;
  x.warps = split ? w.warps : 1;
  x.own = split ? warp % w.warps : 0;
  x.barrier = 1 + warp / x.warps;
  x.exchange = shared_array<double>() + (split ? warp / w.warps * wy_block * (w.warps + 1) : 0);
}

/* What the warps of strips that are shared exchange comes first in shared memory, then what the jobs need. */
template <bool split> static __device__ double *triangles_of(const wy_args &w)
{
  return shared_array<double>() + (split ? w.strips * wy_block * (w.warps + 1) : 0);
}

/* The rows of R that are ready, and the panel below them, if it has a part in the k reflectors; T, if anything comes after
 * it, when the strip's registers are free. */
template <int SLICES, bool split>
static __device__ __forceinline__ void factor_strip(wy_strip<SLICES, split> &x, const wy_shared &shared,
                                                    wy_matrix strip, int j0, int k, double *tau, int64_t step,
                                                    double *triangle)
{
  const int own = x.own, rows = strip.m;
  strip.m = j0 < k ? j0 : rows;
  asm volatile("" : "+l"(strip.at), "+l"(strip.col)); /* addresses are cheaper to find again than to keep */
  x.write(strip);
  if (j0 >= k) return;
  wy_panel<SLICES, split> panel(x, shared, j0, rows);
  const int count = min(wy_width, k - j0);
  panel.factor(count);
  strip.at += j0;
  strip.m = rows - j0;
  asm volatile("" : "+l"(strip.at), "+l"(strip.col));
  x.write(strip);
  if (x.own == 0) {
    if (x.lane < count) tau[x.lane * step] = shared.taus[x.lane];
    if (triangle) form_triangle(shared.gram, shared.taus, count, triangle);
  }
  x.own = own;
}

template <int SLICES, bool split> static __device__ void factor_matrix(const wy_args &w, int64_t b)
{
  wy_strip<SLICES, split> x;
  open_strip(x, w);
  const int m = w.g.a.rows(b), n = m > 0 ? w.g.a.cols(b) : 0, k = min(m, n), own = threadIdx.x / 32 / x.warps;
  if (n == 0) return;
  double *const triangles = triangles_of<split>(w), *const memory = triangles + wy_block * w.blocks;
  const wy_shared shared(memory + own * wy_shared::size(SLICES, x.warps), SLICES, x.warps);
  double *const a = w.g.a.at(b), *const tau = w.g.tau.at(b);
  const int64_t ld = w.g.a.leading(b), step = w.g.tau.increment(b);
  wy_reflectors v = {a, ld, 0, k, m, wy_reflectors::is_aligned(a, ld), nullptr};
  for (int first = 0; first < n; first += wy_width * w.strips) {
    const int j0 = first + wy_width * own;
    const wy_matrix strip = {a + j0 * ld, 1, ld, m, n - j0};
    if (j0 < n) x.read(strip);
    for (int at = 0; at < n && at < first + wy_width * w.strips; at += wy_width) {
      if (at >= first) {
        if (at == j0)
          factor_strip(x, shared, strip, j0, k, tau + j0 * step, step,
                       j0 + wy_width < n ? triangles + wy_width * j0 : nullptr);
        __syncthreads();
      }
      if (at >= j0 || at >= k || j0 >= n) continue;
      v.i0 = at;
      v.triangle = triangles + wy_width * at;
      x.apply(v, true);
    }
  }
}

/* The Q of matrix b, and its T in shared memory. */
static __device__ wy_reflectors open_reflectors(const wy_args &w, int64_t b, int k, int m, double *triangles)
{
  wy_reflectors v = {nullptr, 0, 0, k, m, false, triangles};
  if (k == 0) return v;
  v.at = w.g.a.at(b);
  v.ld = w.g.a.leading(b);
  v.aligned = wy_reflectors::is_aligned(v.at, v.ld);
  make_triangles(v, w.g.tau.at(b), w.g.tau.increment(b), triangles, triangles + wy_block * w.blocks);
  return v;
}

/* A strip times the first `k` reflectors. */
template <int SLICES, bool split>
static __device__ __forceinline__ void apply_all(wy_strip<SLICES, split> &x, wy_reflectors v, int k, bool forward)
{
  const double *const triangles = v.triangle;
  const int blocks = (k + wy_width - 1) / wy_width;
#pragma unroll 1
  for (int q = 0; q < blocks; q++) {
    v.i0 = wy_width * (forward ? q : blocks - 1 - q);
    v.triangle = triangles + wy_width * v.i0;
    x.apply(v, forward);
  }
}

/* Q's own columns, the last strips first: the reflectors of a strip are not read after it was overwritten. */
template <int SLICES, bool split> static __device__ void generate_matrix(const wy_args &w, int64_t b)
{
  wy_strip<SLICES, split> x;
  open_strip(x, w);
  const int m = w.g.a.rows(b), n = m > 0 ? w.g.a.cols(b) : 0, k = n > 0 ? reflectors_of(w.g, b) : 0;
  if (n == 0) return;
  const int width = wy_width * w.strips;
  const wy_reflectors v = open_reflectors(w, b, k, m, triangles_of<split>(w));
  double *const a = w.g.a.at(b);
  const int64_t ld = w.g.a.leading(b);
  for (int first = (n - 1) / width * width; first >= 0; first -= width) {
    const int j0 = first + wy_width * (threadIdx.x / 32 / x.warps);
    if (j0 < n) {
      x.identity(j0);
      apply_all(x, v, min(k, j0 + wy_width), false);
    }
    __syncthreads();
    if (j0 < n) x.write({a + j0 * ld, 1, ld, m, n - j0});
    __syncthreads();
  }
}

/* C's columns, or its rows: c op(Q) = (op(Q)^T c^T)^T. */
template <int SLICES, bool split> static __device__ void apply_to_part(const wy_args &w, int64_t b, int part)
{
  wy_strip<SLICES, split> x;
  open_strip(x, w);
  const bool left = w.g.job == APPLY_LEFT;
  const int rows = w.g.c.rows(b), cols = w.g.c.cols(b), m = left ? rows : cols, others = left ? cols : rows;
  const int j0 = wy_width * (part * w.strips + threadIdx.x / 32 / x.warps);
  const int k = m > 0 && others > 0 ? reflectors_of(w.g, b) : 0;
  if (k == 0) return;
  const wy_reflectors v = open_reflectors(w, b, k, m, triangles_of<split>(w));
  if (j0 >= others) return;
  const int64_t ldc = w.g.c.leading(b), row = left ? 1 : ldc, col = left ? ldc : 1;
  const wy_matrix strip = {w.g.c.at(b) + j0 * col, row, col, m, others - j0};
  x.read(strip);
  apply_all(x, v, k, left == w.g.adjoint);
  x.write(strip);
}

/* What leaves a thread its registers: an access to spilled ones takes as long as a step's arithmetic, for next to
 * shared memory there is little left of the first cache. */
template <bool split, panel_job job> static constexpr int most_threads = split ? 256 : job == FACTOR ? 32 : 128;
template <int SLICES, bool split, panel_job job>
static constexpr int least_blocks = split           ? 1
                                    : job == FACTOR ? (SLICES > 8 ? 8 : 12)
                                    : SLICES > 8    ? 2
                                                    : 4;

/* job: FACTOR, GENERATE, or APPLY_LEFT for both sides. */
template <int SLICES, bool split, panel_job job>
static __global__ void __launch_bounds__(most_threads<split, job>, least_blocks<SLICES, split, job>)
  run_in_strips(const __grid_constant__ wy_args w)
{
  for (int64_t unit = blockIdx.x; unit < w.g.a.count * w.parts; unit += gridDim.x) {
    const int64_t b = unit / w.parts;
    if constexpr (job == FACTOR)
      factor_matrix<SLICES, split>(w, b);
    else if constexpr (job == GENERATE)
      generate_matrix<SLICES, split>(w, b);
    else
      apply_to_part<SLICES, split>(w, b, (int)(unit - b * w.parts));
    __syncthreads();
  }
}

template <int SLICES, bool split, panel_job job> static int launch_kernel(batched_ctx *ctx, const wy_args &w)
{
  const size_t each =
    job == FACTOR ? w.strips * wy_shared::size(SLICES, w.warps) : w.strips * w.warps * (wy_block + wy_width);
  const size_t exchanged = split ? w.strips * wy_block * (w.warps + 1) : 0;
  return launch(ctx, run_in_strips<SLICES, split, job>, w.g.a.count * w.parts, 32 * w.warps * w.strips,
                (exchanged + each + wy_block * w.blocks) * sizeof(double), w);
}

template <int SLICES, bool split> static int launch_products(batched_ctx *ctx, const wy_args &w)
{
  if (w.g.job == GENERATE) return launch_kernel<SLICES, split, GENERATE>(ctx, w);
  return launch_kernel<SLICES, split, APPLY_LEFT>(ctx, w);
}

static int launch_panels(batched_ctx *ctx, const wy_args &w)
{
  if (w.g.a.m <= 64) return launch_kernel<8, false, FACTOR>(ctx, w);
  return w.warps == 1 ? launch_kernel<16, false, FACTOR>(ctx, w) : launch_kernel<16, true, FACTOR>(ctx, w);
}

/* A warp has as many rows as its registers hold: where warps share a strip, every step ends at a barrier. */
int run_strips(batched_ctx *ctx, const panel_args<double> &g)
{
  const int m = g.job == APPLY_LEFT ? g.c.m : g.job == APPLY_RIGHT ? g.c.n : g.a.m;
  const int others = g.job == APPLY_LEFT ? g.c.n : g.job == APPLY_RIGHT ? g.c.m : g.a.n;
  wy_args w = {g, (int)ceil_div(m, 128), 1, 1, (int)ceil_div(m < g.a.n ? m : g.a.n, wy_width)};
  if (g.job == FACTOR) return launch_panels(ctx, w);
  if (g.job != GENERATE) {
    const int most = w.warps <= 2 ? 4 : 8 / w.warps, all = (int)ceil_div(others, wy_width);
    w.strips = all < most ? all : most;
    w.parts = (int)ceil_div(all, w.strips);
  }
  if (m <= 32) return launch_products<4, false>(ctx, w);
  if (m <= 64) return launch_products<8, false>(ctx, w);
  return w.warps == 1 ? launch_products<16, false>(ctx, w) : launch_products<16, true>(ctx, w);
}

} // namespace batched_cuda
