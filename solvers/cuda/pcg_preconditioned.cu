/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.fused and cuda.looped of pcg with a preconditioner that is a function: conjugate gradients of Hestenes and
 * Stiefel, the loop on the host; two reductions per iteration, which ranks complete.
 *   grid       dot products: up to 528 blocks, all components side by side, then one block; updates: a thread per entry
 *              and component
 *   block      256 threads
 *   shared     dot products: the sums over warps, 768 bytes
 *   takes      symmetric positive definite A and P, 1 to 3 components; double precision
 *   memory     per entry and component, beside A and P: two dot products read 32 bytes; p reads 16 and writes 8; x and
 *              r read 32 and write 16
 *   accuracy   |r| <= tolerance |b| in the norm of P, as the recurrences have it; sums in an order that does not depend
 *              on the GPU, over ranks by MPI
 */
#include "solvers/pcg.h"
#include "solvers/cuda/component_dots.cuh"
#include "solvers/cuda/pcg.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

namespace
{

constexpr int THREADS = 256;

struct scalars {
  double of[SOLVER_MAX_COMPONENTS];
};

/* p = z + beta p, a thread per entry of a component. */
__global__ void __launch_bounds__(THREADS) turn(int64_t n, scalars beta, const double *__restrict__ z, double *p)
{
  const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x, at = blockIdx.y * n + i;
  if (i < n) p[at] = z[at] + (beta.of[blockIdx.y] == 0.0 ? 0.0 : beta.of[blockIdx.y] * p[at]);
}

/* x += alpha p;  r -= alpha w; likewise. */
__global__ void __launch_bounds__(THREADS)
  advance(int64_t n, scalars alpha, const double *__restrict__ p, const double *__restrict__ w, double *x, double *r)
{
  const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x, at = blockIdx.y * n + i;
  if (i >= n || alpha.of[blockIdx.y] == 0.0) return;
  x[at] += alpha.of[blockIdx.y] * p[at];
  r[at] -= alpha.of[blockIdx.y] * w[at];
}

struct loop {
  batched_ctx *ctx;
  const solver_pcg_args *args;
  const solver_operator *a;
  double *r, *p, *w, *z; /* [ncomp][n] */
  double *partial;       /* [DOT_SPACE] */
};

int dots(const loop &s, const double *x, const double *y, double *sums)
{
  const int status = component_dots(s.ctx, s.a, x, y, s.partial, sums);
  pcg_reduce(s.args, 1, sums);
  return status;
}

dim3 grid_of(const loop &s)
{
  return dim3((unsigned)ceil_div(s.a->n, THREADS), (unsigned)s.a->ncomp);
}

int turn_to(const loop &s, const scalars &beta)
{
  if (s.a->n > 0) turn<<<grid_of(s), THREADS, 0, stream_of(s.ctx)>>>(s.a->n, beta, s.z, s.p);
  return status_of(cudaGetLastError());
}

int advance_by(const loop &s, const scalars &alpha)
{
  if (s.a->n > 0) advance<<<grid_of(s), THREADS, 0, stream_of(s.ctx)>>>(s.a->n, alpha, s.p, s.w, s.args->x, s.r);
  return status_of(cudaGetLastError());
}

int iterate(const loop &s)
{
  const solver_pcg_args *args = s.args;
  const int ncomp = s.a->ncomp;
  double rz[SOLVER_MAX_COMPONENTS], pw[SOLVER_MAX_COMPONENTS], limit[SOLVER_MAX_COMPONENTS];
  scalars last = {}, beta = {}, alpha = {};
  for (int iteration = 1;; iteration++) {
    int status = s.a->precondition(s.ctx, s.a->data, s.r, s.z);
    if (!status) status = dots(s, s.r, s.z, rz);
    if (status) return status;
    for (int c = 0; c < ncomp && iteration == 1; c++) limit[c] = args->tolerance * args->tolerance * rz[c];
    if (!pcg_any_left(args, rz, limit) || iteration > args->max_iterations) return BATCHED_SUCCESS;
    for (int c = 0; c < ncomp; c++) beta.of[c] = iteration == 1 || args->converged[c] ? 0.0 : rz[c] / last.of[c];
    status = turn_to(s, beta);
    if (!status) status = s.a->apply(s.ctx, s.a->data, s.p, s.w);
    if (!status) status = dots(s, s.p, s.w, pw);
    for (int c = 0; c < ncomp; c++) {
      const bool active = !(args->converged[c] || isnan(rz[c]));
      alpha.of[c] = active ? rz[c] / pw[c] : 0.0;
      last.of[c] = rz[c];
      if (active) args->iterations[c] = iteration;
    }
    if (!status) status = advance_by(s, alpha);
    if (status) return status;
  }
}

} // namespace

int run_preconditioned(batched_ctx *ctx, const solver_pcg_args *args)
{
  const solver_operator *a = args->matrix;
  const int64_t size = a->ncomp * a->n;
  const size_t bytes = sizeof(double) * (size_t)size;
  for (int c = 0; c < a->ncomp; c++) args->iterations[c] = 0, args->converged[c] = false;
  double *partial = static_cast<double *>(batched_scratch_push(ctx, sizeof(double) * DOT_SPACE));
  if (!partial) return BATCHED_NO_MEMORY;
  const loop s = {ctx, args, a, args->work, args->work + size, args->work + 2 * size, args->work + 3 * size, partial};
  int status = batched_fill_zero(ctx, args->x, bytes);
  if (!status) status = batched_copy_within(ctx, s.r, args->b, bytes);
  if (!status) status = iterate(s);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace solvers_cuda
