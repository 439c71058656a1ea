/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.chebyshev of pcg: the passes of Chebyshev's iteration (solvers/chebyshev.c), whose iterations neither reduce
 * over ranks nor wait for the host.
 *   grid       a thread per entry, which does all components; dot products, two in a solve: component_dots.cuh
 *   block      256 threads
 *   shared     none
 *   takes      symmetric positive definite A and P, 1 to 3 components; double precision
 *   memory     per entry and component, beside A and P: with the diagonal, an iteration reads x, r, d, w (32 bytes) and
 *              writes x, r, d (24), and D^-1 is 8 bytes per entry; with another P it is three linear combinations
 *   accuracy   |r| <= tolerance |b| in the norm of P, as the recurrences have it; fused multiply-adds
 */
#include "solvers/chebyshev.h"
#include "solvers/cuda/component_dots.cuh"
#include "solvers/cuda/pcg.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

namespace
{

constexpr int THREADS = 256;

/* z = D^-1 r, or r where there is no D. */
__global__ void __launch_bounds__(THREADS)
  divide_entries(int ncomp, int64_t n, const double *__restrict__ inverse, const double *__restrict__ r, double *z)
{
  const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
  if (i >= n) return;
  const double d = inverse ? inverse[i] : 1.0;
  for (int c = 0; c < ncomp; c++) z[c * n + i] = d * r[c * n + i];
}

/* x += d;  r -= w;  d = with_step d + with_residual D^-1 r */
template <int NCOMP>
__global__ void __launch_bounds__(THREADS)
  update_entries(int64_t n, const double *__restrict__ inverse, double with_step, double with_residual,
                 double *__restrict__ x, double *__restrict__ r, double *__restrict__ d, const double *__restrict__ w)
{
  const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
  if (i >= n) return;
  const double scale = with_residual * (inverse ? inverse[i] : 1.0);
  double old_x[NCOMP], old_r[NCOMP], old_d[NCOMP], old_w[NCOMP]; /* all loads before the first use */
#pragma unroll
  for (int c = 0; c < NCOMP; c++) {
    const int64_t at = c * n + i;
    old_x[c] = x[at], old_r[c] = r[at], old_d[c] = d[at], old_w[c] = w[at];
  }
#pragma unroll
  for (int c = 0; c < NCOMP; c++) {
    const int64_t at = c * n + i;
    const double next = old_r[c] - old_w[c];
    x[at] = old_x[c] + old_d[c];
    r[at] = next;
    d[at] = with_step * old_d[c] + scale * next;
  }
}

int divide(batched_ctx *ctx, const solver_operator *a, const double *r, double *z)
{
  return launch(ctx, divide_entries, ceil_div(a->n, THREADS), THREADS, 0, a->ncomp, a->n, a->inverse_diagonal, r, z);
}

int update(batched_ctx *ctx, const solver_operator *a, double with_step, double with_residual, double *x, double *r,
           double *d, const double *w)
{
  return launch(ctx,
                a->ncomp == 1   ? update_entries<1>
                : a->ncomp == 2 ? update_entries<2>
                                : update_entries<3>,
                ceil_div(a->n, THREADS), THREADS, 0, a->n, a->inverse_diagonal, with_step, with_residual, x, r, d, w);
}

int dots(batched_ctx *ctx, const solver_operator *a, const double *x, const double *y, double *sums)
{
  double of_all[SOLVER_MAX_COMPONENTS];
  auto *partial = static_cast<double *>(batched_scratch_push(ctx, sizeof(double) * DOT_SPACE));
  if (!partial) return BATCHED_NO_MEMORY;
  const int status = component_dots(ctx, a, x, y, partial, of_all);
  batched_scratch_pop(ctx);
  for (int c = 0; c < a->ncomp && !status; c++) sums[c] = of_all[c];
  return status;
}

} // namespace

int run_chebyshev(batched_ctx *ctx, const solver_pcg_args *args, bool *enough)
{
  const chebyshev_passes passes = {divide, update, dots};
  return solver_chebyshev(ctx, args, &passes, enough);
}

} // namespace solvers_cuda
