/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.halves of gbtrf and of gbsv: LU of bands of up to 15 diagonals below with partial pivoting, a warp per
 * matrix, of which lanes r and r + 16 share a row; gbsv eliminates its right-hand sides in the same pass, and solves
 * with U in a second one, a row per lane.  No barrier beyond the warp.  In gbtrf of many matrices a warp has two, and a
 * lane a whole row, 16 bytes of which pass at a time: the same operations in the same order, fewer for each matrix.
 *
 * As gbtrf_warp.cuh has it, with the columns of a row dealt out to two lanes in turns: at step k, if k is even, lanes 0
 * to 15 have columns k + 2, k + 4, ..., lanes 16 to 31 columns k + 1, k + 3, ...; if it is odd, k + 1, k + 3, ... and
 * k, k + 2, ....  Both have their row's element of column k besides, so that both find the pivot and the multipliers:
 * column k + 1 is handed over before step k changes it, and both do to it what step k does.  Columns come and go four
 * at a time, between steps: copies are asked for eight steps early.
 *
 * The second pass: lane i % 32 has row i while columns i + kv to i of U pass; a column costs a product with the
 * diagonal's inverse, which the lane knows, a shuffle and a product.  Eight columns are a block, within which no lane
 * changes its row; 24 columns are on their way.
 *
 * grid      a block per matrix, or for two
 * block     32 threads; 10 numbers of a row in registers, or 18
 * shared    a matrix each: 32 rows of A and of U, four columns of L (11 KB in double precision)
 *           right-hand sides: 24 rows of 2 R numbers, R = 1, 5 or 8; second pass: 32 columns of U, 32 rows of b
 * takes     all four types, any m and n, kl < 16, kv < 18, kl + kv < 32, up to 16 right-hand sides, uniform and
 *           variable
 * reads     ab inside of the band, once, and b; writes ab with what fills it, ipiv (from 1), info (first pivot that is
 *           zero or NaN); gbsv: reads U, and writes b where info is 0
 * scratch   gbsv: the eliminated right-hand sides
 * accuracy  |P L U - A| < 30 n eps |A|, |A X - B| < 30 n eps |A| |X|; multiplies by reciprocals, divides where they may
 *           over- or underflow
 *
 * In halves/: sides.cuh (right-hand sides), factor.cuh (a matrix).
 */
#ifndef BATCHED_BAND_CUDA_HALVES_CUH
#define BATCHED_BAND_CUDA_HALVES_CUH

#include "batched/band/cuda/halves/factor.cuh"

namespace batched_cuda::band
{

template <class T, int SPLIT> __global__ void __launch_bounds__(32) gbtrf_halves(gbtrf_call<T> c)
{
  using lu_of = halves_lu<T, SPLIT, halves_no_sides<T>>;
  constexpr int EACH = 2 / SPLIT;
  const int own = threadIdx.x / lu_of::LANES;
  T *shared = hold_shared(shared_array<T>() + own * lu_of::numbers);
  for (int64_t first = (int64_t)blockIdx.x * EACH; first < c.ab.count; first += (int64_t)gridDim.x * EACH) {
    const int64_t b = first + own;
    const bool exists = b < c.ab.count;
    const int kl = exists ? c.kl.at(b) : 0, ku = exists ? c.ku.at(b) : 0;
    halves_no_sides<T> none;
    lu_of lu(exists ? factors_of(c.ab, b, c.m.at(b), kl, ku) : band_matrix<T>{nullptr, 0, 0, 0, kl, kl + ku}, ku,
             shared, none);
    __syncwarp();
    lu.factor((int)__reduce_max_sync(all_lanes, (unsigned)lu.a.n), c.ipiv + b * c.npivots());
    if (exists && lu.lane == 0) c.info[b] = lu.info;
    __syncwarp();
  }
}

template <class T> struct halves_call {
  gbtrf_call<T> lu;
  batch<T> b;
  T *y; /* what elimination makes of b, ab.n x b.n numbers for each matrix */
};

template <class T, int R> __global__ void __launch_bounds__(32) gbsv_halves(halves_call<T> c)
{
  using sides_of = halves_sides<T, R>;
  T *shared = hold_shared(shared_array<T>());
  for (int64_t b = blockIdx.x; b < c.lu.ab.count; b += gridDim.x) {
    const int kl = c.lu.kl.at(b), ku = c.lu.ku.at(b);
    const band_matrix<T> a = factors_of(c.lu.ab, b, c.lu.m.at(b), kl, ku);
    const int nrhs = a.n > 0 ? c.b.cols(b) : 0;
    sides_of sides(shared, nrhs > 0 ? c.b.at(b) : nullptr, nrhs > 0 ? c.b.leading(b) : (int64_t)0,
                   c.y + b * c.b.n * c.lu.ab.n, a.n, nrhs);
    halves_lu<T, 2, sides_of> lu(a, ku, shared + sides_of::numbers, sides);
    __syncwarp();
    lu.factor(a.n, c.lu.ipiv + b * c.lu.npivots());
    if (lu.lane == 0) c.lu.info[b] = lu.info;
    __syncwarp();
    if (lu.info == 0 && nrhs > 0) sides.solve_upper(a, shared);
    __syncwarp();
  }
}

static inline bool halves_can_factor(int64_t kl, int64_t kv)
{
  return kl <= 15 && kv <= 17 && kl + kv <= 31;
}

/* One matrix per warp is faster, two at a time are done sooner where there are many; bits are the same. */
template <class T, int SPLIT> int launch_gbtrf_halves_of(batched_ctx *ctx, const gbtrf_call<T> &c)
{
  constexpr int each = 2 / SPLIT, numbers = halves_lu<T, SPLIT, halves_no_sides<T>>::numbers;
  return launch(ctx, gbtrf_halves<T, SPLIT>, ceil_div(c.ab.count, each), warp_size,
                (size_t)(each * numbers) * sizeof(T), c);
}
template <class T> int launch_gbtrf_halves(batched_ctx *ctx, const gbtrf_call<T> &c)
{
  const bool few = c.ab.count <= 12 * multiprocessors();
  return few ? launch_gbtrf_halves_of<T, 2>(ctx, c) : launch_gbtrf_halves_of<T, 1>(ctx, c);
}

/* Right-hand sides that are eliminated in the same pass. */
enum { HALVES_SIDES = 16 };

template <class T, int R> int launch_gbsv_halves_of(batched_ctx *ctx, const halves_call<T> &c)
{
  using sides_of = halves_sides<T, R>;
  constexpr int numbers = sides_of::numbers + halves_lu<T, 2, sides_of>::numbers,
                most = numbers > sides_of::back_numbers ? numbers : sides_of::back_numbers;
  return launch(ctx, gbsv_halves<T, R>, c.lu.ab.count, warp_size, (size_t)most * sizeof(T), c);
}
template <class T> int launch_gbsv_halves(batched_ctx *ctx, const halves_call<T> &c)
{
  if (c.b.n <= 2) return launch_gbsv_halves_of<T, 1>(ctx, c);
  return c.b.n <= 10 ? launch_gbsv_halves_of<T, 5>(ctx, c) : launch_gbsv_halves_of<T, 8>(ctx, c);
}

} // namespace batched_cuda::band

#endif
