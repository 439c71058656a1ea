/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes of gbtrf and of gbsv: LU of narrow bands with partial pivoting, G lanes of a warp per matrix and a
 * column per lane; gbsv eliminates its right-hand sides in the same pass, R of them per lane, and solves with U in a
 * second one.
 *
 * Right-looking, as LAPACK's gbtf2.  At step k lane j % G keeps rows k to k + KL of column j, k <= j < k + G, in
 * registers, and all lanes keep those of column k: they choose the pivot and find the multipliers all alike, without a
 * word between them; then each exchanges and eliminates in its own column.  Column k + 1 is handed round before step k
 * changes it, and each lane does to its copy what the owner does, so that no shuffle is waited for from one pivot to
 * the next.  Columns pass through shared memory in rings of four chunks of eight; U and L take the place of A.
 *
 * grid      a block per 32 / G matrices; G = 4 or 8, more than kl + ku
 * block     64 threads: a warp that computes, one that copies; 32 where there are many matrices
 * shared    a matrix each: 32 columns of G + KL numbers (10 KB per block for (2, 3) in double precision);
 *           with right-hand sides 33 numbers of each, too
 * takes     all four types, any m and n, kl <= 3, kl + ku <= 7, up to 16 right-hand sides, uniform and variable
 * reads     ab inside of the band, once, and b; writes ab with what fills it, ipiv (from 1), info (first pivot that is
 *           zero or NaN); gbsv: reads U, and writes b where info is 0
 * scratch   gbsv: the eliminated right-hand sides
 * accuracy  |P L U - A| < 30 n eps |A|, |A X - B| < 30 n eps |A| |X|; multiplies by reciprocals, divides where they may
 *           over- or underflow
 *
 * In lanes/: pivot.cuh (a step on a column), sides.cuh (right-hand sides), factor.cuh (a matrix).
 */
#ifndef BATCHED_BAND_CUDA_LANES_CUH
#define BATCHED_BAND_CUDA_LANES_CUH

#include "batched/band/cuda/lanes/factor.cuh"

namespace batched_cuda::band
{

template <class T> struct lanes_call {
  gbtrf_call<T> lu;
  batch<T> b;
  T *y; /* what elimination makes of b, ab.n x b.n numbers for each matrix */
};

/* The matrix of this lane, one of 32 / G from number `first` on. */
template <class T, int G> struct lanes_matrix {
  band_matrix<T> a;
  int64_t b;
  bool exists;
  int ku, chunks; /* chunks: of the largest of these matrices */

  __device__ __forceinline__ lanes_matrix(const gbtrf_call<T> &c, int64_t first)
      : b(first + threadIdx.x % 32 / G), exists(b < c.ab.count), ku(exists ? c.ku.at(b) : 0)
  {
    const int kl = exists ? c.kl.at(b) : 0;
    a = exists ? factors_of(c.ab, b, c.m.at(b), kl, ku) : band_matrix<T>{nullptr, 0, 0, 0, kl, kl + ku};
    chunks = ((int)__reduce_max_sync(all_lanes, (unsigned)a.n) + LANES_CHUNK - 1) / LANES_CHUNK;
  }
};

template <class T, int KL, int G, int WARPS> __global__ void __launch_bounds__(32 * WARPS) gbtrf_lanes(lanes_call<T> c)
{
  using sides_of = lanes_no_sides<T, KL, G>;
  using lu_of = lanes_lu<T, KL, G, WARPS, sides_of>;
  T *ring = hold_shared(shared_array<T>() + threadIdx.x % 32 / G * lu_of::NUMBERS);
  for (int64_t first = (int64_t)blockIdx.x * (32 / G); first < c.lu.ab.count; first += (int64_t)gridDim.x * (32 / G)) {
    const lanes_matrix<T, G> x(c.lu, first);
    sides_of none;
    lu_of lu(x.a, x.ku, ring, none);
    lu.factor(x.chunks, c.lu.ipiv + x.b * c.lu.npivots());
    if (lu.computes() && x.exists && lu.lane == 0) c.lu.info[x.b] = lu.info;
    lu.meet();
  }
}

template <class T, int KL, int G, int WARPS, int R>
__global__ void __launch_bounds__(32 * WARPS) gbsv_lanes(lanes_call<T> c)
{
  using sides_of = lanes_sides<T, KL, G, R>;
  using lu_of = lanes_lu<T, KL, G, WARPS, sides_of>;
  const int lane = threadIdx.x % G;
  T *ring = hold_shared(shared_array<T>() + threadIdx.x % 32 / G * (lu_of::NUMBERS + c.b.n * sides_of::PITCH));
  for (int64_t first = (int64_t)blockIdx.x * (32 / G); first < c.lu.ab.count; first += (int64_t)gridDim.x * (32 / G)) {
    const lanes_matrix<T, G> x(c.lu, first);
    const int n = x.a.n, nrhs = n > 0 ? c.b.cols(x.b) : 0;
    sides_of sides = {ring + lu_of::NUMBERS, nullptr, nullptr, 0, n, nrhs, lane, {}, {}};
    if (nrhs > 0) {
      sides.b = c.b.at(x.b);
      sides.ldb = c.b.leading(x.b);
      sides.y = c.y + x.b * c.b.n * c.lu.ab.n;
    }
    lu_of lu(x.a, x.ku, ring, sides);
    lu.factor(x.chunks, c.lu.ipiv + x.b * c.lu.npivots());
    if (lu.computes() && x.exists && lane == 0) c.lu.info[x.b] = lu.info;
    lu.meet();
    if (x.exists && c.lu.info[x.b]) lu.a.n = sides.n = sides.nrhs = 0;
    lu.solve(x.chunks);
    lu.meet();
  }
}

/* KL + ku < G, where KL is that of the kernel. */
static inline bool lanes_can_factor(batched_extent kl, batched_extent ku)
{
  return kl.bound <= 3 && ku.bound <= 5 && kl.bound + ku.bound <= 7;
}

/* Right-hand sides that are eliminated in the same pass. */
enum { LANES_SIDES = 16 };

/* A warp that copies beside the one that computes makes few matrices faster, but takes registers from many.
 * nrhs: no_sides for gbtrf, whose file so compiles none of gbsv's kernels. */
using no_sides = std::integral_constant<int, 0>;
template <class T, int KL, int G, int WARPS, class N>
int launch_band_lanes(batched_ctx *ctx, const lanes_call<T> &c, N nrhs)
{
  const int numbers =
    lanes_lu<T, KL, G, WARPS, lanes_no_sides<T, KL, G>>::NUMBERS + nrhs * (int)lanes_sides<T, KL, G, 1>::PITCH;
  const auto with = [&](auto kernel) {
    return launch(ctx, kernel, ceil_div(c.lu.ab.count, 32 / G), WARPS * warp_size,
                  (size_t)(32 / G * numbers) * sizeof(T), c);
  };
  if constexpr (std::is_same_v<N, no_sides>)
    return with(gbtrf_lanes<T, KL, G, WARPS>);
  else
    return nrhs <= G ? with(gbsv_lanes<T, KL, G, WARPS, 1>) : with(gbsv_lanes<T, KL, G, WARPS, 2>);
}
template <class T, int KL, int G, class N> int launch_few_or_many(batched_ctx *ctx, const lanes_call<T> &c, N nrhs)
{
  const bool few = c.lu.ab.count * G / 32 <= 8 * multiprocessors();
  return few ? launch_band_lanes<T, KL, G, 2>(ctx, c, nrhs) : launch_band_lanes<T, KL, G, 1>(ctx, c, nrhs);
}

template <class T, class N> int launch_lanes(batched_ctx *ctx, const lanes_call<T> &c, N nrhs)
{
  const int kl = c.lu.kl.bound, ku = c.lu.ku.bound;
  if (kl <= 1 && ku <= 2 && nrhs <= 8) return launch_few_or_many<T, 1, 4>(ctx, c, nrhs);
  return kl <= 2 ? launch_few_or_many<T, 2, 8>(ctx, c, nrhs) : launch_few_or_many<T, 3, 8>(ctx, c, nrhs);
}

} // namespace batched_cuda::band

#endif
