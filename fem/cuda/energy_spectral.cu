/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda.spectral: conjugate gradients for M_e p = b in the eigenvectors of M_e.
 *
 * M_e = V L V^T with V block diagonal and L diagonal, by batched eigenvalue problems at set-up.  Dot products do not see an
 * orthogonal V, so that conjugate gradients for L x' = b', b' = V^T b, x = V x', take the same steps as those for M_e.  An unknown
 * of r and p is then a function of its eigenvalue, its b' and the numbers alpha and beta so far: instead of being stored in every
 * iteration they are computed anew from where they were stored last, at most WINDOW iterations before:
 *   r = r - alpha lambda p,  p = r + beta p
 * An iteration reads 16 bytes an unknown (24 after the first window) and writes none.  alpha and beta are those of host.fused
 * (Meurant, Parallel Computing 5 (1987), 267-280): one reduction an iteration.
 *
 * On one rank one cooperative kernel does all iterations, with one barrier of the grid in each; on several, it is launched for
 * each iteration and the ranks' sums meet on the host.
 */
#include <cmath>
#include <cooperative_groups.h>

#include "../host/mass.h"
#include "energy_mass.cuh"
#include "mesh/comm.h"
#include "solvers/cuda/sums.cuh"

namespace fem_cuda
{

using namespace batched_cuda;

enum { WINDOW = 32, THREADS = 512, LANES = 2 }; // LANES: unknowns that a thread has in flight
enum { PW, RR, WR, WW, NDOTS };                 // w = L p

/* Where the iterations are.  Vectors [n]: before the first window ends, r and p are b', and x is 0. */
struct vectors {
  int64_t n;
  const double *lambda;
  double *b, *p, *x; // b: b', then r
};

/* Steps since the vectors were stored. */
struct window {
  bool first; // they never were: r = p = b', x = 0
  int steps;
  double alpha[WINDOW], beta[WINDOW];
};

/* The clock of the iterations, the same in all blocks and ranks. */
struct progress {
  double tolerance2, limit, rr; // rr: as far as it is known, to be compared with the limit
  int iterations;
  bool converged;
};

enum what { DOTS, STORE, FINISH }; // FINISH: x alone

/* Brings this block's unknowns up to date and adds their dot products. */
template <what WHAT>
static __device__ __forceinline__ void sweep(const vectors &v, const window &w, double (&sum)[NDOTS])
{
  const int64_t threads = (int64_t)gridDim.x * THREADS;
  for (int64_t base = (int64_t)blockIdx.x * THREADS + threadIdx.x; base < v.n; base += threads * LANES) {
    double lambda[LANES], r[LANES], p[LANES], x[LANES];
#pragma unroll
    for (int l = 0; l < LANES; l++) {
      const int64_t i = base + l * threads;
      const bool in = i < v.n;
      lambda[l] = in ? v.lambda[i] : 0.0;
      r[l] = in ? v.b[i] : 0.0;
      p[l] = w.first || !in ? r[l] : v.p[i];
      if (WHAT != DOTS) x[l] = w.first || !in ? 0.0 : v.x[i];
    }
    for (int s = 0; s < w.steps; s++)
#pragma unroll
      for (int l = 0; l < LANES; l++) {
        if (WHAT != DOTS) x[l] = fma(w.alpha[s], p[l], x[l]);
        r[l] = fma(-w.alpha[s] * lambda[l], p[l], r[l]);
        p[l] = fma(w.beta[s], p[l], r[l]);
      }
#pragma unroll
    for (int l = 0; l < LANES; l++) {
      const int64_t i = base + l * threads;
      if (WHAT != DOTS && i < v.n) {
        v.x[i] = x[l];
        if (WHAT == STORE) v.b[i] = r[l], v.p[i] = p[l];
      }
      const double lp = lambda[l] * p[l];
      sum[PW] = fma(p[l], lp, sum[PW]);
      sum[RR] = fma(r[l], r[l], sum[RR]);
      sum[WR] = fma(lp, r[l], sum[WR]);
      sum[WW] = fma(lp, lp, sum[WW]);
    }
  }
}

/* A predicted (r, r) below this part of the last one has no digits left. */
static constexpr double ROUNDING = 1e-12;

/* Takes the dot products of an iteration; false: that was the last one.  As host.fused has it. */
static __host__ __device__ inline bool take(const double *dots, window *w, progress *g)
{
  const double now = dots[RR];
  if (g->iterations == 0) g->limit = g->tolerance2 * now;
  g->rr = now;
  if (now > g->limit) { // else it is solved already
    const double alpha = now / dots[PW], next = now - 2.0 * alpha * dots[WR] + alpha * alpha * dots[WW];
    const bool known = next > ROUNDING * now;
    w->alpha[w->steps] = alpha;
    w->beta[w->steps++] = known ? next / now : 0.0;
    g->iterations++;
    g->rr = known ? next : INFINITY;
  }
  g->converged = g->rr <= g->limit;
  return !g->converged && g->rr == g->rr;
}

/* All iterations.  partial [2][blocks][NDOTS] */
static __global__ void __launch_bounds__(THREADS, 2)
  iterate(vectors v, double tolerance2, int max_iterations, double *partial, progress *out)
{
  __shared__ double shared[32 * NDOTS], dots[NDOTS];
  __shared__ window w;
  __shared__ progress g;
  if (threadIdx.x == 0) {
    w.first = true, w.steps = 0;
    g = {tolerance2, 0.0, INFINITY, 0, false};
  }
  __syncthreads();
  for (bool more = max_iterations > 0; more;) {
    double sum[NDOTS] = {};
    if (w.steps < WINDOW)
      sweep<DOTS>(v, w, sum);
    else
      sweep<STORE>(v, w, sum);
    double *mine = partial + (g.iterations % 2) * (int64_t)gridDim.x * NDOTS;
    const double total = solvers_cuda::sum_block(sum, shared);
    if (threadIdx.x < NDOTS) mine[blockIdx.x * NDOTS + threadIdx.x] = total;
    cooperative_groups::this_grid().sync();
    double all[NDOTS] = {};
    for (int b = threadIdx.x; b < (int)gridDim.x; b += THREADS)
#pragma unroll
      for (int k = 0; k < NDOTS; k++) all[k] += mine[b * NDOTS + k];
    const double whole = solvers_cuda::sum_block(all, shared);
    if (threadIdx.x < NDOTS) dots[threadIdx.x] = whole;
    __syncthreads();
    if (threadIdx.x == 0) {
      if (w.steps == WINDOW) w.first = false, w.steps = 0;
      dots[0] = take(dots, &w, &g) && g.iterations < max_iterations;
    }
    __syncthreads();
    more = dots[0] != 0.0;
    __syncthreads();
  }
  double unused[NDOTS] = {};
  sweep<FINISH>(v, w, unused);
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = g;
}

/* One sweep.  partial [blocks][NDOTS] */
template <what WHAT>
static __global__ void __launch_bounds__(THREADS, 2)
  sweep_once(vectors v, const __grid_constant__ window given, double *partial)
{
  __shared__ double shared[32 * NDOTS];
  double sum[NDOTS] = {};
  sweep<WHAT>(v, given, sum);
  const double total = solvers_cuda::sum_block(sum, shared);
  if (threadIdx.x < NDOTS) partial[blockIdx.x * NDOTS + threadIdx.x] = total;
}

/* ------------------------------------------------------------------ on the host */

struct spectral {
  double *basis;     // owned, [nzones][nt][nt]: a column an eigenvector
  double *lambda;    // owned, [nzones][nt]
  double *partial;   // owned, [2][most_blocks][NDOTS], and the sums behind
  progress *outcome; // owned, in the context's memory
  int most_blocks;   // that are resident at once
};

static void teardown(batched_ctx *ctx, fem_mass *m)
{
  auto *st = static_cast<spectral *>(m->store);
  if (!st) return;
  batched_release(ctx, st->basis);
  batched_release(ctx, st->lambda);
  batched_release(ctx, st->partial);
  batched_release(ctx, st->outcome);
  free(st);
  m->store = nullptr;
}

static int find_blocks(int *blocks)
{
  int device, processors, each;
  cudaError_t error = cudaGetDevice(&device);
  if (!error) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (!error) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, iterate, THREADS, 0);
  *blocks = error ? 0 : processors * each;
  return status_of(error);
}

static int diagonalise(batched_ctx *ctx, const fem_space *s, spectral *st)
{
  auto *info = static_cast<int *>(batched_scratch_push(ctx, sizeof(int) * ((size_t)s->nzones + 1)));
  if (!info) return BATCHED_NO_MEMORY;
  int status =
    batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, energy_blocks(s, st->basis), energy_vectors(s, st->lambda), info);
  if (!status) status = check_info(ctx, info, s->nzones);
  batched_scratch_pop(ctx);
  return status;
}

static int setup(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  auto *st = static_cast<spectral *>(calloc(1, sizeof(spectral)));
  m->store = st;
  if (!st) return BATCHED_NO_MEMORY;
  int status = find_blocks(&st->most_blocks);
  if (status) return status;
  st->basis = make_energy_blocks(ctx, m, &status);
  const size_t sums = (2 * (size_t)st->most_blocks + 1) * NDOTS;
  st->lambda = static_cast<double *>(batched_allocate(ctx, sizeof(double) * ((size_t)energy_unknowns(s) + 1)));
  st->partial = static_cast<double *>(batched_allocate(ctx, sizeof(double) * sums));
  st->outcome = static_cast<progress *>(batched_allocate(ctx, sizeof(progress)));
  if (!status && !(st->lambda && st->partial && st->outcome)) status = BATCHED_NO_MEMORY;
  return status ? status : diagonalise(ctx, s, st);
}

static int iterate_here(batched_ctx *ctx, const fem_mass *m, vectors v, int blocks, progress *g)
{
  const auto *st = static_cast<const spectral *>(m->store);
  double tolerance2 = m->tolerance * m->tolerance, *partial = st->partial;
  int max_iterations = m->max_iterations;
  progress *out = st->outcome;
  void *args[] = {&v, &tolerance2, &max_iterations, &partial, &out};
  int status = status_of(
    cudaLaunchCooperativeKernel((const void *)iterate, dim3((unsigned)blocks), dim3(THREADS), args, 0, stream_of(ctx)));
  return status ? status : batched_copy_to_host(ctx, g, out, sizeof *g);
}

/* Sums over the ranks.  All of them come here, also one whose device has failed: its sums are not numbers, and end the solve. */
static int iterate_together(batched_ctx *ctx, const fem_mass *m, vectors v, int blocks, int status, progress *g)
{
  const auto *st = static_cast<const spectral *>(m->store);
  double dots[NDOTS], *sums = st->partial + 2 * (int64_t)st->most_blocks * NDOTS;
  window w = {};
  w.first = true;
  *g = {m->tolerance * m->tolerance, 0.0, INFINITY, 0, false};
  for (bool more = m->max_iterations > 0; more; more = take(dots, &w, g) && g->iterations < m->max_iterations) {
    const bool full = w.steps == WINDOW;
    if (!status)
      status = launch(ctx, full ? sweep_once<STORE> : sweep_once<DOTS>, blocks, THREADS, 0, v, w, st->partial);
    if (!status) status = launch(ctx, solvers_cuda::add_partial<NDOTS>, 1, THREADS, 0, blocks, st->partial, sums);
    if (!status) status = batched_copy_to_host(ctx, dots, sums, sizeof dots);
    for (int k = 0; k < NDOTS && status; k++) dots[k] = NAN;
    comm_sum(dots, NDOTS);
    if (full) w.first = false, w.steps = 0;
  }
  return status ? status : launch(ctx, sweep_once<FINISH>, blocks, THREADS, 0, v, w, st->partial);
}

static int solve(batched_ctx *ctx, const fem_mass_args *args)
{
  fem_mass *m = args->mass;
  const fem_space *s = m->space;
  const auto *st = static_cast<const spectral *>(m->store);
  const int64_t n = energy_unknowns(s), wanted = ceil_div(n, THREADS);
  const vectors v = {n, st->lambda, m->work, m->work + n, m->work + 2 * n};
  const batched_scalar zero = {0.0, 0.0}, one = {1.0, 0.0};
  const batched_matrix basis = energy_blocks(s, st->basis);
  const int blocks = (int)(wanted < 1 ? 1 : wanted < st->most_blocks ? wanted : st->most_blocks);
  progress g = {};
  int status = batched_gemv(ctx, BATCHED_TRANS, one, basis, energy_vectors(s, args->b), zero, energy_vectors(s, v.b));
  if (comm_size() > 1)
    status = iterate_together(ctx, m, v, blocks, status, &g);
  else if (!status)
    status = iterate_here(ctx, m, v, blocks, &g);
  if (!status)
    status = batched_gemv(ctx, BATCHED_NO_TRANS, one, basis, energy_vectors(s, v.x), zero, energy_vectors(s, args->x));
  if (!status) count_iterations(m, 1, &g.iterations, &g.converged);
  return status;
}

int run_energy_spectral(batched_ctx *ctx, const void *p)
{
  const auto *args = static_cast<const fem_mass_args *>(p);
  if (args->task == FEM_MASS_SETUP) return setup(ctx, args->mass);
  if (args->task == FEM_MASS_APPLY) return BATCHED_DOES_NOT_FIT;
  if (args->task == FEM_MASS_SOLVE) return solve(ctx, args);
  teardown(ctx, args->mass);
  return BATCHED_SUCCESS;
}

} // namespace fem_cuda
