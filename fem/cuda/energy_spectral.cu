/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda.spectral: conjugate gradients for M_e p = b in the eigenvectors of M_e.
 *
 * M_e = V L V^T with V block diagonal and L diagonal, by batched eigenvalue problems at set-up.  Dot products do not
 * see an orthogonal V, so that conjugate gradients for L x' = b', b' = V^T b, x = V x', take the same steps as those
 * for M_e.  An unknown of r and p is then a function of its eigenvalue, its b' and the numbers alpha and beta so far:
 * instead of being stored in every iteration they are computed anew from where they were stored last, at most WINDOW
 * iterations before:
 *   r = r - alpha lambda p,  p = r + beta p
 * An iteration reads 16 bytes an unknown (24 after the first window) and writes none.  alpha and beta are those of
 * host.fused (Meurant, Parallel Computing 5 (1987), 267-280): one reduction an iteration.
 *
 * On one rank one cooperative kernel does all iterations, with one barrier of the grid in each; on several, it is
 * launched for each iteration and the ranks' sums meet on the host.
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

/* Of conjugate gradients: x = x + alpha p, r = r - alpha L p, p = r + beta p. */
struct step {
  double alpha, beta;
};

/* Steps since the vectors were stored. */
struct window {
  bool first; // they never were: r = p = b', x = 0
  int steps;
  step step[WINDOW];
};

/* The clock of the iterations, the same in all blocks and ranks. */
struct progress {
  double tolerance2, limit, rr; // rr: as far as it is known, to be compared with the limit
  int max_iterations, iterations;
  bool converged;
};

enum what { DOTS, STORE, FINISH }; // FINISH: x alone

static __device__ __forceinline__ void add_dots(double lambda, double r, double p, double (&sum)[NDOTS])
{
  const double lp = lambda * p;
  sum[PW] = fma(p, lp, sum[PW]);
  sum[RR] = fma(r, r, sum[RR]);
  sum[WR] = fma(lp, r, sum[WR]);
  sum[WW] = fma(lp, lp, sum[WW]);
}

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
        if (WHAT != DOTS) x[l] = fma(w.step[s].alpha, p[l], x[l]);
        r[l] = fma(-w.step[s].alpha * lambda[l], p[l], r[l]);
        p[l] = fma(w.step[s].beta, p[l], r[l]);
      }
#pragma unroll
    for (int l = 0; l < LANES; l++) {
      const int64_t i = base + l * threads;
      if (WHAT != DOTS && i < v.n) {
        v.x[i] = x[l];
        if (WHAT == STORE) v.b[i] = r[l], v.p[i] = p[l];
      }
      add_dots(lambda[l], r[l], p[l], sum);
    }
  }
}

/* A predicted (r, r) below this part of the last one has no digits left. */
static constexpr double ROUNDING = 1e-12;

/* Takes the dot products of an iteration, and the step that they lead to; false: there are no more.  As host.fused has
 * it. */
static __host__ __device__ inline bool take(const double *dots, progress *g, step *next)
{
  const double now = dots[RR];
  if (g->iterations == 0) g->limit = g->tolerance2 * now;
  g->rr = now;
  *next = {0.0, 0.0};
  if (now > g->limit) { // else it is solved already
    const double alpha = now / dots[PW], after = now - 2.0 * alpha * dots[WR] + alpha * alpha * dots[WW];
    const bool known = after > ROUNDING * now;
    *next = {alpha, known ? after / now : 0.0};
    g->iterations++;
    g->rr = known ? after : INFINITY;
  }
  g->converged = g->rr <= g->limit;
  return !g->converged && g->rr == g->rr && g->iterations < g->max_iterations;
}

/* The same for a window, which was stored if it was full. */
static __host__ __device__ inline bool take_into(const double *dots, progress *g, window *w)
{
  if (w->steps == WINDOW) w->first = false, w->steps = 0;
  const int before = g->iterations;
  const bool more = take(dots, g, &w->step[w->steps]);
  w->steps += g->iterations - before;
  return more;
}

/* The sums of all blocks, in the first NDOTS of dots, seen by all threads.  partial [blocks][NDOTS], this
 * iteration's. */
static __device__ __forceinline__ void add_up(double (&sum)[NDOTS], double *partial, double *shared, double *dots)
{
  const double total = solvers_cuda::sum_block(sum, shared);
  if (gridDim.x == 1) {
    if (threadIdx.x < NDOTS) dots[threadIdx.x] = total;
    __syncthreads();
    return;
  }
  if (threadIdx.x < NDOTS) partial[blockIdx.x * NDOTS + threadIdx.x] = total;
  cooperative_groups::this_grid().sync();
  double all[NDOTS] = {};
  for (int b = threadIdx.x; b < (int)gridDim.x; b += THREADS)
#pragma unroll
    for (int k = 0; k < NDOTS; k++) all[k] += partial[b * NDOTS + k];
  const double whole = solvers_cuda::sum_block(all, shared);
  if (threadIdx.x < NDOTS) dots[threadIdx.x] = whole;
  __syncthreads();
}

/* ------------------------------------------------------------------ on one rank: r and p stay on the chip */

/* Unknowns of a thread: REGISTERS of them in registers, `slots` in shared memory.  Between them they hold lambda, r and
 * p of all. */
struct resident {
  int slots;
  step *history; // [max_iterations], in global memory
};

/* x = sum of alpha p over the steps, from b on, for COUNT unknowns side by side. */
template <int COUNT>
static __device__ __forceinline__ void replay(const double (&lambda)[COUNT], const double (&b)[COUNT], int steps,
                                              const step *history, double (&x)[COUNT])
{
  double r[COUNT], p[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; i++) r[i] = p[i] = b[i], x[i] = 0.0;
  for (int k = 0; k < steps; k++) {
    const step s = history[k];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
      x[i] = fma(s.alpha, p[i], x[i]);
      r[i] = fma(-s.alpha * lambda[i], p[i], r[i]);
      p[i] = fma(s.beta, p[i], r[i]);
    }
  }
}

/* The solution, a few unknowns at a time in each thread. */
static __device__ __forceinline__ void replay_all(const vectors &v, int steps, const step *history)
{
  enum { COUNT = 4 };
  const int64_t threads = (int64_t)gridDim.x * THREADS;
  for (int64_t base = (int64_t)blockIdx.x * THREADS + threadIdx.x; base < v.n; base += threads * COUNT) {
    double lambda[COUNT], b[COUNT], x[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
      const int64_t at = base + i * threads;
      lambda[i] = at < v.n ? v.lambda[at] : 0.0;
      b[i] = at < v.n ? v.b[at] : 0.0;
    }
    replay(lambda, b, steps, history, x);
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      if (base + i * threads < v.n) v.x[base + i * threads] = x[i];
  }
}

template <int REGISTERS>
static __global__ void __launch_bounds__(THREADS, 1)
  iterate_resident(vectors v, resident place, double tolerance2, int max_iterations, double *partial, progress *out)
{
  __shared__ double shared[32 * NDOTS], dots[NDOTS];
  __shared__ progress g;
  __shared__ step now;
  __shared__ bool more;
  const int64_t threads = (int64_t)gridDim.x * THREADS, mine = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  double *slot = shared_array<double>() + threadIdx.x; // [slots][lambda, r, p][THREADS]
  double lambda[REGISTERS], r[REGISTERS], p[REGISTERS];
#pragma unroll
  for (int i = 0; i < REGISTERS; i++) {
    const int64_t at = mine + i * threads;
    lambda[i] = at < v.n ? v.lambda[at] : 0.0;
    r[i] = p[i] = at < v.n ? v.b[at] : 0.0;
  }
  for (int i = 0; i < place.slots; i++) {
    const int64_t at = mine + (REGISTERS + i) * threads;
    slot[(3 * i) * THREADS] = at < v.n ? v.lambda[at] : 0.0;
    slot[(3 * i + 1) * THREADS] = slot[(3 * i + 2) * THREADS] = at < v.n ? v.b[at] : 0.0;
  }
  if (threadIdx.x == 0) {
    g = {tolerance2, 0.0, INFINITY, max_iterations, 0, false};
    now = {0.0, 0.0};
    more = max_iterations > 0;
  }
  __syncthreads();
  bool stepped = false;
  while (more) {
    double sum[NDOTS] = {};
    const step s = now;
#pragma unroll
    for (int i = 0; i < REGISTERS; i++) {
      if (stepped) r[i] = fma(-s.alpha * lambda[i], p[i], r[i]), p[i] = fma(s.beta, p[i], r[i]);
      add_dots(lambda[i], r[i], p[i], sum);
    }
    for (int i = 0; i < place.slots; i++) {
      const double l = slot[(3 * i) * THREADS];
      double a = slot[(3 * i + 1) * THREADS], b = slot[(3 * i + 2) * THREADS];
      if (stepped) {
        slot[(3 * i + 1) * THREADS] = a = fma(-s.alpha * l, b, a);
        slot[(3 * i + 2) * THREADS] = b = fma(s.beta, b, a);
      }
      add_dots(l, a, b, sum);
    }
    stepped = true;
    add_up(sum, partial + (g.iterations % 2) * (int64_t)gridDim.x * NDOTS, shared, dots);
    if (threadIdx.x == 0) {
      const int before = g.iterations;
      more = take(dots, &g, &now);
      if (blockIdx.x == 0 && g.iterations > before) place.history[before] = now;
    }
    __syncthreads();
  }
  cooperative_groups::this_grid().sync(); // the history is complete
  replay_all(v, g.iterations, place.history);
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = g;
}

/* ------------------------------------------------------------------ on one rank: more unknowns than the chip holds */

/* partial [2][blocks][NDOTS] */
static __global__ void __launch_bounds__(THREADS, 2)
  iterate_windows(vectors v, double tolerance2, int max_iterations, double *partial, progress *out)
{
  __shared__ double shared[32 * NDOTS], dots[NDOTS];
  __shared__ window w;
  __shared__ progress g;
  __shared__ bool more;
  if (threadIdx.x == 0) {
    w.first = true, w.steps = 0;
    g = {tolerance2, 0.0, INFINITY, max_iterations, 0, false};
    more = max_iterations > 0;
  }
  __syncthreads();
  while (more) {
    double sum[NDOTS] = {};
    if (w.steps < WINDOW)
      sweep<DOTS>(v, w, sum);
    else
      sweep<STORE>(v, w, sum);
    add_up(sum, partial + (g.iterations % 2) * (int64_t)gridDim.x * NDOTS, shared, dots);
    if (threadIdx.x == 0) more = take_into(dots, &g, &w);
    __syncthreads();
  }
  double unused[NDOTS] = {};
  sweep<FINISH>(v, w, unused);
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = g;
}

/* ------------------------------------------------------------------ on several ranks */

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
  double *basis;                           // owned, [nzones][nt][nt]: a column an eigenvector
  double *lambda;                          // owned, [nzones][nt]
  double *partial;                         // owned, [2][most_blocks][NDOTS], and the sums behind
  progress *outcome;                       // owned, pinned: the kernels write it
  step *history;                           // owned, in the context's memory: [max_iterations]
  int processors, most_blocks, most_slots; // most_blocks: of iterate_windows that are resident at once
};

static void teardown(batched_ctx *ctx, fem_mass *m)
{
  auto *st = static_cast<spectral *>(m->store);
  if (!st) return;
  batched_release(ctx, st->basis);
  batched_release(ctx, st->lambda);
  batched_release(ctx, st->partial);
  if (st->outcome) cudaFreeHost(st->outcome);
  batched_release(ctx, st->history);
  free(st);
  m->store = nullptr;
}

/* Unknowns of a thread in registers, and how many it takes to have the larger kernel; with ALONE unknowns a block needs
 * no others, and no barrier of a grid. */
enum { FEW = 2, MANY = 14, ENOUGH = 7, ALONE = 8 * THREADS };

static size_t slot_bytes(int slots)
{
  return sizeof(double) * 3 * THREADS * (size_t)slots;
}

/* What this GPU can hold at once. */
static int find_places(spectral *st)
{
  int device, each;
  cudaError_t error = cudaGetDevice(&device);
  if (!error) error = cudaDeviceGetAttribute(&st->processors, cudaDevAttrMultiProcessorCount, device);
  if (!error) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, iterate_windows, THREADS, 0);
  if (error) return status_of(error);
  st->most_blocks = st->processors * each;
  st->most_slots = (int)((most_shared() - 4096) / slot_bytes(1)); // 4096: what the kernel has besides
  const int bytes = (int)slot_bytes(st->most_slots);
  error = cudaFuncSetAttribute(iterate_resident<FEW>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (!error) error = cudaFuncSetAttribute(iterate_resident<MANY>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
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
  int status = find_places(st);
  if (status) return status;
  st->basis = make_energy_blocks(ctx, m, &status);
  const size_t sums = (2 * (size_t)st->most_blocks + 1) * NDOTS;
  st->lambda = static_cast<double *>(batched_allocate(ctx, sizeof(double) * ((size_t)energy_unknowns(s) + 1)));
  st->partial = static_cast<double *>(batched_allocate(ctx, sizeof(double) * sums));
  st->history = static_cast<step *>(batched_allocate(ctx, sizeof(step) * ((size_t)m->max_iterations + 1)));
  if (cudaMallocHost(&st->outcome, sizeof(progress)) != cudaSuccess) {
    cudaGetLastError();
    st->outcome = nullptr;
  }
  if (!status && !(st->lambda && st->partial && st->outcome && st->history)) status = BATCHED_NO_MEMORY;
  return status ? status : diagonalise(ctx, s, st);
}

/* The outcome is there when the stream is done. */
static int iterate_here(batched_ctx *ctx, const fem_mass *m, vectors v, int blocks)
{
  const auto *st = static_cast<const spectral *>(m->store);
  double tolerance2 = m->tolerance * m->tolerance, *partial = st->partial;
  int max_iterations = m->max_iterations;
  progress *out = st->outcome;
  const int processors = v.n <= ALONE ? 1 : blocks < st->processors ? blocks : st->processors;
  const int64_t each = ceil_div(v.n, (int64_t)processors * THREADS);
  if (each <= MANY + st->most_slots) {
    const bool few = v.n <= ALONE || each < ENOUGH;
    const int registers = few ? FEW : MANY;
    resident place = {each > registers ? (int)each - registers : 0, st->history};
    void *args[] = {&v, &place, &tolerance2, &max_iterations, &partial, &out};
    return status_of(cudaLaunchCooperativeKernel(
      few ? (const void *)iterate_resident<FEW> : (const void *)iterate_resident<MANY>, dim3((unsigned)processors),
      dim3(THREADS), args, slot_bytes(place.slots), stream_of(ctx)));
  }
  void *args[] = {&v, &tolerance2, &max_iterations, &partial, &out};
  return status_of(cudaLaunchCooperativeKernel((const void *)iterate_windows, dim3((unsigned)blocks), dim3(THREADS),
                                               args, 0, stream_of(ctx)));
}

/* Sums over the ranks.  All of them come here, also one whose device has failed: its sums are not numbers, and end the
 * solve. */
static int iterate_together(batched_ctx *ctx, const fem_mass *m, vectors v, int blocks, int status, progress *g)
{
  const auto *st = static_cast<const spectral *>(m->store);
  double dots[NDOTS], *sums = st->partial + 2 * (int64_t)st->most_blocks * NDOTS;
  window w = {};
  w.first = true;
  *g = {m->tolerance * m->tolerance, 0.0, INFINITY, m->max_iterations, 0, false};
  for (bool more = m->max_iterations > 0; more; more = take_into(dots, g, &w)) {
    const bool full = w.steps == WINDOW;
    if (!status)
      status = launch(ctx, full ? sweep_once<STORE> : sweep_once<DOTS>, blocks, THREADS, 0, v, w, st->partial);
    if (!status) status = launch(ctx, solvers_cuda::add_partial<NDOTS>, 1, THREADS, 0, blocks, st->partial, sums);
    if (!status) status = batched_copy_to_host(ctx, dots, sums, sizeof dots);
    for (int k = 0; k < NDOTS && status; k++) dots[k] = NAN;
    comm_sum(dots, NDOTS);
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
  const bool alone = comm_size() == 1;
  if (!alone)
    status = iterate_together(ctx, m, v, blocks, status, &g);
  else if (!status)
    status = iterate_here(ctx, m, v, blocks);
  if (!status)
    status = batched_gemv(ctx, BATCHED_NO_TRANS, one, basis, energy_vectors(s, v.x), zero, energy_vectors(s, args->x));
  if (!status && alone) {
    status = batched_synchronize(ctx);
    g = *st->outcome;
  }
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
