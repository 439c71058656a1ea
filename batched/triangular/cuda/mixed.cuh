/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.mixed of gesv and posv: the factors in half of the precision, and the solution refined to the whole of it,
 * as LAPACK's dsgesv and zcposv (Langou et al., Exploiting the performance of 32 bit floating point arithmetic, SC
 * 2006).  Steps r = b - A x, x += A_s^-1 r until |r| < sqrt(n) eps |A| |x| in all columns of a matrix; those that don't
 * get there in a few steps are factored in the whole precision, in the same launches that pass over all others.
 *
 * launches  2 conversions, getrf (potrf) twice, and per step getrs (potrs), gemm (symm) and 3 small ones, whatever the
 *           data: a matrix that has converged has size 0 in what follows
 * takes     double, complex<double>; uniform; A as it was where the refinement converged, else its factors
 * workspace A and B in half of the precision, two B, norms
 * accuracy  as gesv's and posv's
 */
#ifndef BATCHED_TRIANGULAR_CUDA_MIXED_CUH
#define BATCHED_TRIANGULAR_CUDA_MIXED_CUH

#include "batched/batched_refine.h"
#include "batched/check.h"
#include "batched/cuda/launch.cuh"
#include "batched/cuda/reduce.cuh"

namespace batched_cuda::triangular
{

/* Steps before a matrix is given up: each wins the digits that single precision has beyond the condition number. */
enum { MOST_REFINEMENTS = 8, REFINE_THREADS = 256 };

/* Type of half of the precision. */
template <class T> struct half_type {
  using type = float;
};
template <class R> struct half_type<complex<R>> {
  using type = complex<float>;
};
template <class T> using half_of = typename half_type<T>::type;

template <class T> __device__ __forceinline__ half_of<T> narrow(T x)
{
  return make<half_of<T>>((float)real(x), (float)imag(x));
}
template <class T> __device__ __forceinline__ T widen(half_of<T> x)
{
  return make<T>(real(x), imag(x));
}

/* Which elements of A there are. */
enum refined_part { REFINE_WHOLE, REFINE_LOWER, REFINE_UPPER };

template <class T> struct refinement {
  refined_part part;
  batch<T> a, b;
  half_of<T> *low_a, *low_x; /* [count][n][n], [count][nrhs][n] */
  T *x, *r;                  /* [count][nrhs][n] */
  double *sums, *scales;     /* squares of A's columns, [count][n]; of R's columns, [count][nrhs] */
  int *rows;                 /* n while a matrix is refined, then 0 */
  int *steps;                /* steps that it took; -1: more than there are */
  int *low_info, *pivots;

  __device__ __forceinline__ int64_t at(int64_t unit) const
  {
    return unit * b.m;
  }
};

/* The sum of squares of the block's values, in all threads. */
__device__ __forceinline__ double sum_block(double x)
{
  __shared__ sum_of<double> parts[REFINE_THREADS / warp_size];
  sum_of<double> sum;
  sum.add(x);
  __syncthreads();
  return merge_block(sum, parts).value;
}
__device__ __forceinline__ double largest_of_block(double x)
{
  __shared__ maximum_of<double> parts[REFINE_THREADS / warp_size];
  maximum_of<double> most;
  most.add(x);
  __syncthreads();
  return merge_block(most, parts).value;
}

/* low_a = A in half of the precision; sums[column] = its share of |A|_F^2, where an element beside the diagonal of a
 * triangle counts twice, and one on it without its imaginary part.  Grid: a block per column. */
template <class T>
static __global__ void __launch_bounds__(REFINE_THREADS) narrow_matrix(const __grid_constant__ refinement<T> s)
{
  const int n = s.a.n;
  for (int64_t unit = blockIdx.x; unit < s.a.count * n; unit += gridDim.x) {
    const int64_t b = unit / n;
    const int j = (int)(unit - b * n), begin = s.part == REFINE_LOWER ? j : 0, end = s.part == REFINE_UPPER ? j + 1 : n;
    const T *const from = s.a.at(b) + j * (int64_t)s.a.ld;
    double sum = 0;
    for (int i = begin + threadIdx.x; i < end; i += REFINE_THREADS) {
      const T e = s.part != REFINE_WHOLE && i == j ? make<T>(real(from[i])) : from[i];
      s.low_a[s.at(unit) + i] = narrow(e);
      sum += (s.part != REFINE_WHOLE && i != j ? 2 : 1) * square(e);
    }
    sum = sum_block(sum);
    if (threadIdx.x == 0) s.sums[unit] = sum;
  }
}

/* R = B - A X is R = B at first, with X = 0; grid of this and the next two: a block per column of B. */
template <class T>
static __global__ void __launch_bounds__(REFINE_THREADS) begin_refinement(const __grid_constant__ refinement<T> s)
{
  const int nrhs = s.b.n;
  for (int64_t unit = blockIdx.x; unit < s.b.count * nrhs; unit += gridDim.x) {
    const int64_t b = unit / nrhs;
    const T *const from = s.b.at(b) + (unit - b * nrhs) * s.b.ld;
    for (int i = threadIdx.x; i < s.b.m; i += REFINE_THREADS) {
      s.x[s.at(unit) + i] = make<T>(0);
      s.r[s.at(unit) + i] = from[i];
    }
    if (unit == b * nrhs && threadIdx.x == 0) {
      s.rows[b] = s.b.m;
      s.steps[b] = -1;
    }
  }
}

/* R in half of the precision, each column scaled by a power of two to about 1. */
template <class T>
static __global__ void __launch_bounds__(REFINE_THREADS) narrow_residual(const __grid_constant__ refinement<T> s)
{
  for (int64_t unit = blockIdx.x; unit < s.b.count * s.b.n; unit += gridDim.x) {
    if (s.rows[unit / s.b.n] == 0) continue;
    double most = 0;
    for (int i = threadIdx.x; i < s.b.m; i += REFINE_THREADS) {
      const T e = s.r[s.at(unit) + i];
      most = fmax(most, fmax(fabs(real(e)), fabs(imag(e))));
    }
    most = largest_of_block(most);
    const int exponent = most > 0 && most < INFINITY ? -ilogb(most) : 0;
    for (int i = threadIdx.x; i < s.b.m; i += REFINE_THREADS) {
      const T e = s.r[s.at(unit) + i];
      s.low_x[s.at(unit) + i] = narrow(make<T>(scalbn(real(e), exponent), scalbn(imag(e), exponent)));
    }
    if (threadIdx.x == 0) s.scales[unit] = -exponent;
  }
}

/* X += the correction, R = B. */
template <class T>
static __global__ void __launch_bounds__(REFINE_THREADS) add_correction(const __grid_constant__ refinement<T> s)
{
  for (int64_t unit = blockIdx.x; unit < s.b.count * s.b.n; unit += gridDim.x) {
    const int64_t b = unit / s.b.n;
    if (s.rows[b] == 0) continue;
    const int exponent = (int)s.scales[unit];
    const T *const from = s.b.at(b) + (unit - b * s.b.n) * s.b.ld;
    for (int i = threadIdx.x; i < s.b.m; i += REFINE_THREADS) {
      const T e = widen<T>(s.low_x[s.at(unit) + i]);
      s.x[s.at(unit) + i] += make<T>(scalbn(real(e), exponent), scalbn(imag(e), exponent));
      s.r[s.at(unit) + i] = from[i];
    }
  }
}

/* Euclidean norm, by the block; numbers whose squares would over- or underflow are multiplied by a power of two. */
template <class T> __device__ double norm_of_column(const T *x, int n)
{
  double most = 0, sum = 0;
  for (int i = threadIdx.x; i < n; i += REFINE_THREADS) most = fmax(most, fmax(fabs(real(x[i])), fabs(imag(x[i]))));
  most = largest_of_block(most);
  const double scale = most < 0x1p-400 ? 0x1p600 : most > 0x1p400 ? 0x1p-600 : 1;
  for (int i = threadIdx.x; i < n; i += REFINE_THREADS) sum += square(make<T>(scale * real(x[i]), scale * imag(x[i])));
  return sqrt(sum_block(sum)) / scale;
}

/* Ends the matrices whose residuals are small after `step` corrections; grid: a block per matrix. */
template <class T>
static __global__ void __launch_bounds__(REFINE_THREADS)
  check_residual(const __grid_constant__ refinement<T> s, int step)
{
  const int n = s.b.m;
  for (int64_t b = blockIdx.x; b < s.b.count; b += gridDim.x) {
    if (s.rows[b] == 0) continue;
    double norm = 0;
    for (int j = threadIdx.x; j < n; j += REFINE_THREADS) norm += s.sums[b * n + j];
    norm = sqrt(sum_block(norm));
    bool small = s.low_info[b] == 0 && norm < INFINITY;
    for (int j = 0; j < s.b.n && small; j++) {
      const int64_t column = s.at(b * s.b.n + j);
      const double residual = norm_of_column(s.r + column, n), size = norm_of_column(s.x + column, n);
      const double allowed = sqrt((double)n) * 0x1p-53 * norm * size;
      small = residual <= allowed && allowed < INFINITY;
    }
    __syncthreads();
    if (threadIdx.x == 0 && small) {
      s.rows[b] = 0;
      s.steps[b] = step;
    }
  }
}

/* rows[b] = n where `chosen`, else 0. */
static __global__ void __launch_bounds__(REFINE_THREADS)
  choose_rows(int64_t count, int n, const int *steps, const int *info, int *rows)
{
  const int64_t b = blockIdx.x * (int64_t)REFINE_THREADS + threadIdx.x;
  if (b < count) rows[b] = steps[b] < 0 && (!info || info[b] == 0) ? n : 0;
}

/* B = X, info = 0 where the refinement converged. */
template <class T>
static __global__ void __launch_bounds__(REFINE_THREADS)
  end_refinement(const __grid_constant__ refinement<T> s, int *info, int *report)
{
  for (int64_t unit = blockIdx.x; unit < s.b.count * s.b.n; unit += gridDim.x) {
    const int64_t b = unit / s.b.n;
    if (unit == b * s.b.n && threadIdx.x == 0) {
      info[b] = s.steps[b] < 0 ? s.low_info[b] : 0;
      if (report) report[b] = s.steps[b];
    }
    if (s.steps[b] < 0) continue;
    T *const to = s.b.at(b) + (unit - b * s.b.n) * s.b.ld;
    for (int i = threadIdx.x; i < s.b.m; i += REFINE_THREADS) to[i] = s.x[s.at(unit) + i];
  }
}

/* Smaller matrices are bound by memory, which refinement reads more of. */
enum { LEAST_REFINED = 129 };

static inline bool can_refine(const batched_matrix &a, const batched_matrix &b)
{
  return batched_accept(a.type == BATCHED_D || a.type == BATCHED_Z, "mixed takes d and z alone") &&
         batched_accept(a.n >= LEAST_REFINED, "mixed takes orders from %d on, not %d", LEAST_REFINED, a.n) &&
         batched_accept(b.n > 0, "mixed takes at least one right-hand side") &&
         batched_accept(!batched_is_variable(&a) && !batched_is_variable(&b), "mixed takes no batch of variable size");
}

/* The driver.  P gives, of matrices in double precision or half of it:
 *   int factor(ctx, a, info, pivots);  int solve(ctx, a, b, pivots);  int subtract(ctx, a, x, r): R -= A X
 * pivots: n per matrix, NULL where there are none. */
template <class T, class P>
int refine_solution(batched_ctx *ctx, const P &p, refined_part part, const batched_matrix &a, const batched_matrix &b,
                    int *pivots, int *info)
{
  using H = half_of<T>;
  const int n = a.n, nrhs = b.n;
  const int64_t count = a.count;
  const size_t square = (size_t)n * (size_t)n * (size_t)count, side = (size_t)n * (size_t)nrhs * (size_t)count;
  const size_t doubles = (size_t)count * ((size_t)n + (size_t)nrhs), ints = (size_t)count * 3;
  char *memory = static_cast<char *>(batched_scratch_push(ctx, 2 * side * sizeof(T) + (square + side) * sizeof(H) +
                                                                 doubles * sizeof(double) + ints * sizeof(int)));
  if (!memory) return BATCHED_NO_MEMORY;
  refinement<T> s = {part,    view<T>(a), view<T>(b), nullptr, nullptr, nullptr, nullptr,
                     nullptr, nullptr,    nullptr,    nullptr, nullptr, pivots};
  s.x = reinterpret_cast<T *>(memory);
  s.r = s.x + side;
  s.sums = reinterpret_cast<double *>(s.r + side);
  s.scales = s.sums + (size_t)count * (size_t)n;
  s.low_a = reinterpret_cast<H *>(s.scales + (size_t)count * (size_t)nrhs);
  s.low_x = s.low_a + square;
  s.rows = reinterpret_cast<int *>(s.low_x + side);
  s.steps = s.rows + count;
  s.low_info = s.steps + count;

  const batched_type low = batched_real_type(a.type) == a.type ? BATCHED_S : BATCHED_C;
  const auto sides = [&](batched_type type, void *data) {
    return batched_with_sizes(batched_make_strided(type, data, n, nrhs, n, (int64_t)n * nrhs, count), s.rows, nullptr,
                              nullptr);
  };
  const batched_matrix low_a = batched_make_strided(low, s.low_a, n, n, n, (int64_t)n * n, count),
                       low_x = sides(low, s.low_x), x = sides(a.type, s.x), r = sides(a.type, s.r);
  const auto each = [&](auto kernel) { return launch(ctx, kernel, count * nrhs, REFINE_THREADS, 0, s); };

  int status = launch(ctx, narrow_matrix<T>, count * n, REFINE_THREADS, 0, s);
  if (!status) status = p.factor(ctx, low_a, s.low_info, pivots);
  if (!status) status = each(begin_refinement<T>);
  for (int step = 0; step <= MOST_REFINEMENTS && !status; step++) {
    status = each(narrow_residual<T>);
    if (!status) status = p.solve(ctx, low_a, low_x, pivots);
    if (!status) status = each(add_correction<T>);
    if (!status) status = p.subtract(ctx, a, x, r);
    if (!status) status = launch(ctx, check_residual<T>, count, REFINE_THREADS, 0, s, step);
  }
  /* the others, in the whole precision */
  const auto choose = [&](const int *found) {
    return launch(ctx, choose_rows, ceil_div(count, REFINE_THREADS), REFINE_THREADS, 0, count, n, s.steps, found,
                  s.rows);
  };
  if (!status) status = choose(nullptr);
  if (!status) status = p.factor(ctx, batched_with_sizes(a, s.rows, s.rows, a.lds), s.low_info, pivots);
  if (!status) status = choose(s.low_info);
  if (!status) status = p.solve(ctx, a, batched_with_sizes(b, s.rows, nullptr, nullptr), pivots);
  if (!status)
    status =
      launch(ctx, end_refinement<T>, count * nrhs, REFINE_THREADS, 0, s, info, batched_refinements_of(ctx, info));
  batched_scratch_pop(ctx);
  return status;
}

template <class P>
int solve_mixed(batched_ctx *ctx, const P &p, refined_part part, const batched_matrix &a, const batched_matrix &b,
                int *pivots, int *info)
{
  if (a.type == BATCHED_D) return refine_solution<double>(ctx, p, part, a, b, pivots, info);
  return refine_solution<complex<double>>(ctx, p, part, a, b, pivots, info);
}

} // namespace batched_cuda::triangular

#endif
