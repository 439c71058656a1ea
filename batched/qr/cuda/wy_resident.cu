/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks of some 48 reflectors that stay in shared memory while the columns of C pass through registers, 16 at a time:
 * part of geqrf's cuda.blocked in double precision, 257 to 512 rows.  C is read and written once.
 *
 * grid      a block per matrix; several for each of the last ones, where multiprocessors would stand idle
 * block     two strips (wy/strip.cuh) of four warps, of up to 320 or 512 rows
 * shared    exchanges between warps, T of all blocks of 16 reflectors, these as stages (wy/stage.cuh): most of an SM's
 * takes     uniform matrices
 * reads     v, reflectors as geqrf leaves them, tau, c; writes c
 */
#include "batched/qr/cuda/wy/resident.cuh"
#include "batched/qr/cuda/wy/stage.cuh"

namespace batched_cuda::qr
{
namespace
{

/* Strips of a block, and warps of each. */
enum { STRIPS = 2, WARPS = 4 };

struct resident_args {
  batch<double> v, tau, c;
  int rows, blocks;   /* rows of a stage; blocks of 16 reflectors */
  int parts, columns; /* blocks of threads that share the columns of a late matrix, and columns of each */
  int64_t whole;      /* matrices before these, a block each */
};

/* Blocks of threads: one for all columns of a matrix, or for a part of them. */
DEVICE int64_t units_of(const resident_args &w)
{
  return w.whole + (w.c.count - w.whole) * w.parts;
}

/* A warp's V^T V and tau, until T is formed. */
constexpr int gram_size = wy_block + wy_width;

constexpr int exchanged = wy_strip<1, WARPS>::exchanged(WARPS);
constexpr int exchanges = STRIPS * (exchanged > WARPS * gram_size ? exchanged : WARPS * gram_size);
size_t bytes_of(int blocks, int rows)
{
  return (exchanges + blocks * (wy_packed + wy_width * rows)) * sizeof(double);
}

/* The reflectors with their ones and zeros, pairs of columns by warps in turn. */
template <int SLICES>
__device__ __forceinline__ void copy_to_stages(const double *v, int64_t ld, int m, int k, int rows, int blocks,
                                               double *stages)
{
  constexpr int some = SLICES <= 10 ? SLICES : 8; /* pairs of numbers of a lane whose loads are in flight together */
  for (int unit = threadIdx.x / 32; unit < wy_width / 2 * blocks; unit += blockDim.x / 32) {
    const int q = unit / (wy_width / 2), c = unit % (wy_width / 2), first = wy_width * q + c;
    const double *const x = v + first * ld, *const y = x + wy_width / 2 * ld;
    double *const to = stages + wy_width * rows * q;
    for (int begin = threadIdx.x % 32; begin < rows; begin += 32 * some) {
      double2 two[some];
#pragma unroll
      for (int s = 0; s < some; s++) {
        const int i = begin + 32 * s, below[2] = {i - first, i - first - wy_width / 2};
        two[s] = {below[0] == 0 ? 1. : 0., below[1] == 0 ? 1. : 0.};
        load_if(i < m && first < k && below[0] > 0, x + i, two[s].x);
        load_if(i < m && first + wy_width / 2 < k && below[1] > 0, y + i, two[s].y);
      }
#pragma unroll
      for (int s = 0; s < some; s++) {
        const int i = begin + 32 * s;
        if (i < rows) *reinterpret_cast<double2 *>(to + wy_stage::place(i, c)) = two[s];
      }
    }
  }
}

/* T of all blocks: V^T V by all warps, each some of the rows of a block; the rest by a warp per block, whose lanes have
 * its tau. */
__device__ __forceinline__ void form_triangles(const double *stages, double tau, int k, int rows, int blocks,
                                               double *grams, double *triangles)
{
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int parts = blockDim.x / 32 / blocks, q = warp % blocks, part = warp / blocks;
  double *const gram = grams + gram_size * warp;
  if (part < parts) {
    const double *const from = stages + wy_width * rows * q;
    const double *const even = from + wy_stage::place(2 * t, g), *const odd = from + wy_stage::place(2 * t + 1, g);
    double d[2][4] = {};
#pragma unroll 4
    for (int i = wy_width * q + 8 * part; i < rows; i += 8 * parts) {
      const double2 x = *reinterpret_cast<const double2 *>(even + wy_width * i),
                    y = *reinterpret_cast<const double2 *>(odd + wy_width * i);
      const double both[4] = {x.x, x.y, y.x, y.y}, low[2] = {x.x, y.x}, high[2] = {x.y, y.y};
      multiply_16x8x8(d[0], both, low);
      multiply_16x8x8(d[1], both, high);
    }
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 4; e++) gram[wy_width * (g + 8 * (e / 2)) + 8 * h + 2 * t + e % 2] = d[h][e];
  }
  __syncthreads();
  if (warp < blocks) {
    double *const taus = gram + wy_block;
    const int count = min(wy_width, k - wy_width * q);
    if (lane < wy_width) taus[lane] = tau;
    __syncwarp();
    for (int i = lane; i < wy_block; i += 32) {
      double sum = gram[i];
      for (int p = 1; p < parts; p++) sum += gram[gram_size * blocks * p + i];
      gram[i] = -taus[i % wy_width] * sum;
    }
    __syncwarp();
    form_triangle_by_halves(gram, taus, count, triangles + wy_packed * q);
  }
  __syncthreads();
}

template <int SLICES>
__global__ void __launch_bounds__(32 * WARPS * STRIPS, 1) apply_in_strips(const __grid_constant__ resident_args w)
{
  double *const memory = shared_array<double>(), *const triangles = memory + exchanges,
                *const stages = triangles + wy_packed * w.blocks;
  constexpr int step = wy_width * STRIPS;
  const int m = w.c.m, k = w.v.n;
  const int warp = __shfl_sync(all_lanes, (int)threadIdx.x / 32, 0), own = warp / WARPS;
  wy_strip<SLICES, WARPS, true> x;
  x.lane = threadIdx.x % 32;
  x.g = x.lane / 4;
  x.t = x.lane % 4;
  x.warps = WARPS;
  x.own = warp % WARPS;
  x.turn = 0;
  x.meeting = {1u + own, 0};
  x.exchange = memory + own * exchanged;
  for (int64_t unit = blockIdx.x; unit < units_of(w); unit += gridDim.x) {
    const int64_t late = unit - w.whole, b = late < 0 ? unit : w.whole + late / w.parts;
    const int begin = late < 0 ? 0 : (int)(late % w.parts) * w.columns,
              n = late < 0 ? w.c.n : min(begin + w.columns, w.c.n), j = wy_width * (warp % w.blocks) + x.lane;
    if (begin >= n) continue;
    double tau = 0;
    if (x.lane < wy_width && j < k) tau = w.tau.at(b)[j * (int64_t)w.tau.increment(b)];
    copy_to_stages<SLICES>(w.v.at(b), w.v.leading(b), m, k, w.rows, w.blocks, stages);
    double *const c = w.c.at(b);
    const int64_t ld = w.c.leading(b);
    const bool in_pairs = m % 2 == 0 && wy_reflectors<double>::is_aligned(c, ld);
    const auto strip = [&](int j) { return wy_matrix<double>{c + j * ld, 1, ld, m, n - j}; };
    const auto ask_for = [&](int j) {
      if (x.own == 0 && x.lane < min(wy_width, n - j)) prefetch(c + (j + x.lane) * ld, m);
    };
    int j0 = begin + wy_width * own;
    if (j0 < n) x.read(strip(j0));
    __syncthreads();
    form_triangles(stages, tau, k, w.rows, w.blocks, memory, triangles);
#pragma unroll 1
    for (; j0 < n; j0 += step) {
      ask_for(j0 + step);
      const int last = w.blocks - 1;
#pragma unroll 1
      for (int q = 0; q < last; q++) {
        const int i0 = wy_width * q;
        x.apply(wy_stage{stages + wy_width * (w.rows * q + i0), i0, m}, triangles + wy_packed * q, true);
      }
      const wy_stage v = {stages + wy_width * (w.rows * last + wy_width * last), wy_width * last, m};
      double p[2][4] = {}, y[2][4], a[2][4];
      x.project(v, p);
      x.turn_sum(p, y);
      x.factors(triangles + wy_packed * last, true, y, a);
      const int next = j0 + step;
      if (!in_pairs || next + wy_width > n) {
        x.add(v, a);
        x.template write<use::once>(strip(j0));
        if (next < n) x.read(strip(next));
        continue;
      }
      const int first = x.top(0) + 2 * x.t, rows = m - first;
      double *const at = c + first + (j0 + x.g) * ld;
      const auto for_pairs = [&](int s, double *from, auto f) {
#pragma unroll
        for (int h = 0; h < 2; h++)
          f(rows > x.rows_to(s), from + x.rows_to(s) + 8 * h * ld, x.p[s][2 * h], x.p[s][2 * h + 1]);
      };
      x.add_and_replace(
        v, a,
        [&](int s) {
          for_pairs(s, at, [](bool yes, double *to, double y, double z) { store_if<use::once>(yes, to, y, z); });
        },
        [&](int s) {
          for_pairs(s, at + step * ld, [](bool yes, double *from, double &y, double &z) {
            y = z = 0;
            load_if<use::once>(yes, from, y, z);
          });
        });
    }
    __syncthreads();
  }
}

template <int SLICES> int launch_resident(batched_ctx *ctx, const resident_args &w)
{
  return launch(ctx, apply_in_strips<SLICES>, units_of(w), 32 * WARPS * STRIPS, bytes_of(w.blocks, w.rows), w);
}

/* Rows of a stage: slices go in pairs. */
int rows_of_stage(int rows)
{
  return (int)ceil_div(rows, 16 * WARPS) * 16 * WARPS;
}

} // namespace

int resident_columns(int rows, int last)
{
  const int needed = (int)ceil_div(rows - last, wy_width);
  int blocks = 1;
  while (blocks < needed && bytes_of(blocks + 1, rows_of_stage(rows)) <= most_shared()) blocks++;
  return wy_width * blocks;
}

/* Blocks of threads per matrix for `count` matrices, fewer than multiprocessors, of so many `steps` of columns: each
 * copies V for itself, which takes about as long as a step. */
static int parts_of(int64_t count, int steps)
{
  int64_t least = INT64_MAX;
  int parts = 1;
  for (int p = 1; p <= steps; p++) {
    const int64_t time = ceil_div(count * p, multiprocessors()) * (ceil_div(steps, p) + 1);
    if (time >= least) continue;
    least = time;
    parts = p;
  }
  return parts;
}

int apply_resident(batched_ctx *ctx, const batch<double> &v, const batch<double> &tau, const batch<double> &c)
{
  constexpr int step = wy_width * STRIPS;
  const int steps = (int)ceil_div(c.n, step);
  const int64_t late = c.count % multiprocessors(); /* in the last turn of the multiprocessors */
  const int columns = (int)ceil_div(steps, parts_of(late, steps)) * step;
  const resident_args w = {
    v, tau, c, rows_of_stage(c.m), (int)ceil_div(v.n, wy_width), (int)ceil_div(c.n, columns), columns, c.count - late};
  return c.m <= 320 ? launch_resident<10>(ctx, w) : launch_resident<16>(ctx, w);
}

} // namespace batched_cuda::qr
