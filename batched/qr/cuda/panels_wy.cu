/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR in double precision by strips of 16 columns and blocks of 16 reflectors. The reflectors of earlier strips are
 * applied to a strip all at once (left-looking), so that nothing else of a matrix is read, and none written. A block
 * of threads has a matrix, or a part of the C that a Q is applied to; a strip is shared by `warps` warps. Matrices
 * of 65 to 256 rows are factored by two strips at a time.
 */
#include "batched/cuda/mma.cuh"
#include "batched/qr/cuda/wy_factor.cuh"

namespace batched_cuda::qr
{

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
  const int warp = warp_index(), lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
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

/* The Q of matrix b, and its T in shared memory. */
static __device__ wy_reflectors open_reflectors(const wy_args &w, int64_t b, int k, int m, double *triangles)
{
  wy_reflectors v = {nullptr, 0, 0, k, m, false};
  if (k == 0) return v;
  v.at = w.g.a.at(b);
  v.ld = w.g.a.leading(b);
  v.aligned = wy_reflectors::is_aligned(v.at, v.ld);
  make_triangles(v, w.g.tau.at(b), w.g.tau.increment(b), triangles, triangles + wy_packed * w.blocks);
  return v;
}

/* A strip times the first `k` reflectors. */
template <int SLICES, int WARPS>
static __device__ __forceinline__ void apply_all(wy_strip<SLICES, WARPS> &x, wy_reflectors v, const double *triangles,
                                                 int k, bool forward)
{
  const int blocks = (k + wy_width - 1) / wy_width;
#pragma unroll 1
  for (int q = 0; q < blocks; q++) {
    v.i0 = wy_width * (forward ? q : blocks - 1 - q);
    x.apply(v, triangles + wy_packed * (v.i0 / wy_width), forward);
  }
}

/* Q's own columns, the last strips first: the reflectors of a strip are not read after it was overwritten. */
template <int SLICES, int WARPS> static __device__ void generate_matrix(const wy_args &w, int64_t b)
{
  wy_strip<SLICES, WARPS> x;
  open_strip(x, w);
  const int m = w.g.a.rows(b), n = m > 0 ? w.g.a.cols(b) : 0, k = n > 0 ? reflectors_of(w.g, b) : 0;
  if (n == 0) return;
  const int width = wy_width * w.strips;
  const double *const triangles = triangles_of(w);
  const wy_reflectors v = open_reflectors(w, b, k, m, triangles_of(w));
  double *const a = w.g.a.at(b);
  const int64_t ld = w.g.a.leading(b);
  for (int first = (n - 1) / width * width; first >= 0; first -= width) {
    const int j0 = first + wy_width * (warp_index() / x.warps);
    if (j0 < n) {
      x.identity(j0);
      apply_all(x, v, triangles, min(k, j0 + wy_width), false);
    }
    __syncthreads();
    if (j0 < n) x.template write<use::once>({a + j0 * ld, 1, ld, m, n - j0});
    __syncthreads();
  }
}

/* C's columns, or its rows: c op(Q) = (op(Q)^T c^T)^T. */
template <int SLICES, int WARPS> static __device__ void apply_to_part(const wy_args &w, int64_t b, int part)
{
  wy_strip<SLICES, WARPS> x;
  open_strip(x, w);
  const bool left = w.g.job == APPLY_LEFT;
  const int rows = w.g.c.rows(b), cols = w.g.c.cols(b), m = left ? rows : cols, others = left ? cols : rows;
  const int j0 = wy_width * (part * w.strips + warp_index() / x.warps);
  const int k = m > 0 && others > 0 ? reflectors_of(w.g, b) : 0;
  if (k == 0) return;
  const double *const triangles = triangles_of(w);
  const wy_reflectors v = open_reflectors(w, b, k, m, triangles_of(w));
  if (j0 >= others) return;
  const int64_t ldc = w.g.c.leading(b), row = left ? 1 : ldc, col = left ? ldc : 1;
  const wy_matrix strip = {w.g.c.at(b) + j0 * col, row, col, m, others - j0};
  x.read(strip);
  apply_all(x, v, triangles, k, left == w.g.adjoint);
  x.template write<use::once>(strip);
}

/* What leaves a thread its registers: an access to spilled ones takes as long as a step's arithmetic, for next to
 * shared memory there is little left of the first cache. */
template <int WARPS, panel_job job> static constexpr int most_threads = WARPS != 1 ? 256 : job == FACTOR ? 32 : 128;
template <int SLICES, int WARPS, panel_job job>
static constexpr int least_blocks = WARPS != 1      ? 1
                                    : job == FACTOR ? 16
                                    : SLICES > 8    ? 2
                                                    : 4;

/* job: FACTOR, GENERATE, or APPLY_LEFT for both sides. */
template <int SLICES, int WARPS, panel_job job>
static __global__ void __launch_bounds__(most_threads<WARPS, job>, least_blocks<SLICES, WARPS, job>)
  run_in_strips(const __grid_constant__ wy_args w)
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

/* Strips of a matrix that are factored side by side where its reflectors pass through shared memory. */
static constexpr int wy_group = 2;

/* At the end of a block's shared memory: the barriers of its strips and of its stages, and the next matrix, by
 * turns. */
static constexpr int wy_barriers = wy_group + 2;
template <int WARPS> static __device__ double *end_of(const wy_args &w)
{
  return triangles_of(w) + wy_packed * w.blocks + wy_shared::size(WARPS) + w.stages * wy_stage::size<WARPS>(w.rows);
}
template <int WARPS> static __device__ unsigned open_barriers(const wy_args &w)
{
  const unsigned barriers = shared_address(end_of<WARPS>(w));
  if (threadIdx.x < wy_barriers) barrier_init(barriers + 8 * threadIdx.x, threadIdx.x < wy_group ? 32 * WARPS : 1);
  barrier_init_fence();
  __syncthreads();
  return barriers;
}

/* Blocks of a multiprocessor: their warps have 255 registers a thread. */
template <int WARPS> static constexpr int wy_resident = 8 / WARPS / wy_group;

template <int SLICES, int WARPS>
static __global__ void __launch_bounds__(32 * WARPS * wy_group, wy_resident<WARPS>)
  factor_groups(const __grid_constant__ wy_args w)
{
  const unsigned barriers = open_barriers<WARPS>(w);
  wy_meeting meeting = {barriers + 8 * (warp_index() / WARPS), 0};
  wy_arrivals arrivals = {barriers + 8 * wy_group, 0};
  int64_t *const turns = reinterpret_cast<int64_t *>(end_of<WARPS>(w) + wy_barriers);
  int turn = 0;
  /* Late, lest it waits behind a long matrix, and by a strip that waits for the first one. */
  const auto take = [&] {
    if (threadIdx.x == blockDim.x - 1) turns[turn] = w.next ? gridDim.x + (int64_t)atomicAdd(w.next, 1) : w.g.a.count;
  };
  for (int64_t b = blockIdx.x; b < w.g.a.count; b = turns[turn], turn = 1 - turn) {
    factor_by_groups<SLICES, WARPS>(w, b, meeting, arrivals, take);
    __syncthreads();
  }
}

/* Of shared memory, in a block: where strips come in groups, and in the other kernels. */
template <int WARPS> static size_t bytes_of_groups(const wy_args &w)
{
  return (exchanged(w) + wy_packed * w.blocks + wy_shared::size(WARPS) + w.stages * wy_stage::size<WARPS>(w.rows) +
          wy_barriers + 2) *
         sizeof(double);
}
static size_t bytes_of(panel_job job, const wy_args &w)
{
  const size_t each = job == FACTOR ? wy_shared::size(w.warps) : w.strips * w.warps * (wy_block + wy_width);
  return (exchanged(w) + each + wy_packed * w.blocks) * sizeof(double);
}

template <int SLICES, int WARPS> static int launch_groups(batched_ctx *ctx, wy_args w)
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
    status = status_of(cudaMemsetAsync(w.next, 0, sizeof *w.next, stream_of(ctx)));
  }
  if (!status)
    status = launch(ctx, factor_groups<SLICES, WARPS>, blocks, 32 * WARPS * w.strips, bytes_of_groups<WARPS>(w), w);
  batched_scratch_pop(ctx);
  return status;
}

template <int SLICES, int WARPS, panel_job job> static int launch_kernel(batched_ctx *ctx, const wy_args &w)
{
  return launch(ctx, run_in_strips<SLICES, WARPS, job>, w.g.a.count * w.parts, 32 * w.warps * w.strips,
                bytes_of(job, w), w);
}

template <int SLICES, int WARPS> static int launch_products(batched_ctx *ctx, const wy_args &w)
{
  if (w.g.job == GENERATE) return launch_kernel<SLICES, WARPS, GENERATE>(ctx, w);
  return launch_kernel<SLICES, WARPS, APPLY_LEFT>(ctx, w);
}

static int launch_strips(batched_ctx *ctx, wy_args w)
{
  if (w.g.a.m <= 48) return launch_kernel<6, 1, FACTOR>(ctx, w);
  if (w.g.a.m <= 64) return launch_kernel<8, 1, FACTOR>(ctx, w);
  if (w.warps > 2) return launch_kernel<16, 0, FACTOR>(ctx, w);
  return w.warps == 1 ? launch_groups<16, 1>(ctx, w) : launch_groups<16, 2>(ctx, w);
}

/* How many strips a block has at once where a Q is applied. */
static int most_strips(int warps)
{
  return warps <= 2 ? 4 : 8 / warps;
}

bool strips_fit(int order)
{
  const int warps = order > 0 ? (int)ceil_div(order, 128) : 1, blocks = (int)ceil_div(order, wy_width);
  const int rows = (int)ceil_div(order, 16 * warps) * 16 * warps;
  const wy_args factor = {{}, warps, wy_group, 1, 2, rows, blocks},
                apply = {{}, warps, most_strips(warps), 1, 0, 0, blocks};
  size_t most = bytes_of(APPLY_LEFT, apply);
  const size_t others = warps > 2   ? bytes_of(FACTOR, {{}, warps, 1, 1, 0, 0, blocks})
                        : warps > 1 ? bytes_of_groups<2>(factor)
                                    : bytes_of_groups<1>(factor);
  if (others > most) most = others;
  return most <= most_shared();
}

/* A warp has as many rows as its registers hold: where warps share a strip, every step ends at a barrier. */
int run_strips(batched_ctx *ctx, const panel_args<double> &g)
{
  const int m = g.job == APPLY_LEFT ? g.c.m : g.job == APPLY_RIGHT ? g.c.n : g.a.m;
  const int others = g.job == APPLY_LEFT ? g.c.n : g.job == APPLY_RIGHT ? g.c.m : g.a.n;
  wy_args w = {g, (int)ceil_div(m, 128), 1, 1, 0, 0, (int)ceil_div(m < g.a.n ? m : g.a.n, wy_width)};
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

} // namespace batched_cuda::qr
