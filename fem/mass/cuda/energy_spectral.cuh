/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The iterations of row cuda.spectral of energy_mass: sweeps over the unknowns, dot products and steps, and the kernels
 * that are made of them; contract: energy_spectral.cu.
 */
#ifndef FEM_CUDA_ENERGY_SPECTRAL_CUH
#define FEM_CUDA_ENERGY_SPECTRAL_CUH

#include <cooperative_groups.h>

#include "fem/mass/cuda/energy_mass.cuh"
#include "mesh/comm/cuda/peers.cuh"
#include "solvers/cuda/sums.cuh"

namespace fem_cuda
{

using namespace batched_cuda;

enum { WINDOW = 32, THREADS = 512, LANES = 2 }; // LANES: unknowns per thread at a time
enum { PW, RR, WR, WW, NDOTS };                 // w = L p

/* The vectors, [n].  Until the first window ends, r = p = b' and x = 0. */
struct vectors {
  int64_t n;
  const double *lambda;
  double *b, *p, *x; // b: b', then r
};

/* A step of conjugate gradients: x = x + alpha p, r = r - alpha L p, p = r + beta p. */
struct step {
  double alpha, beta;
};

/* Steps since the vectors were stored. */
struct window {
  bool first; // they never were: r = p = b', x = 0
  int steps;
  step step[WINDOW];
};

/* The state of the iterations, the same in all blocks and ranks. */
struct progress {
  double tolerance2, limit, rr; // rr: as far as it is known, to be compared with the limit
  int max_iterations, iterations;
  bool converged;
  int sums; // taken so far: the last one need not lead to an iteration
};

/* The other ranks, each with a kernel of this kind on its own GPU.  In the room of an inbox (peers.cuh) are words
 * [2][2][nranks][NDOTS], for even and odd solves, and sequence numbers: a rank may begin a solve while another one
 * still reads the last words of the solve before, but not of those before that. */
struct companions {
  const mesh_cuda::peer_view *view; // NULL: there are none
  uint32_t solve;                   // its number
  uint32_t sequence;                // of the first sum; each has the next
};

static inline int64_t companions_room(int nranks)
{
  return 4 * (int64_t)nranks * NDOTS;
}

static __device__ __forceinline__ void tell(const progress &g, solver_outcome *out)
{
  out->iterations[0] = g.iterations, out->converged[0] = g.converged;
}

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
  g->sums++;
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

/* Thread k < NDOTS has dot product k of this rank and gets that of all ranks, added in their order.  A word is written
 * anew with the second sum after it, which needs the first one's words of all ranks: they leave a rank when all its
 * blocks have met once more, and so have read the words before. */
static __device__ __forceinline__ double sum_over_companions(const companions &c, int before, double mine)
{
  if (!c.view) return mine;
  const mesh_cuda::peer_view &p = *c.view;
  const uint32_t sequence = c.sequence + (uint32_t)before;
  const int k = (int)threadIdx.x;
  const int64_t words = p.room + (int64_t)(c.solve % 2 * 2 + sequence % 2) * p.nranks * NDOTS + k;
  if (k >= NDOTS) return 0.0;
  for (int r = 0; r < p.nranks && blockIdx.x == 0; r++)
    mesh_cuda::post(p.inbox[r] + words + p.rank * NDOTS, mine, sequence);
  double sum = 0.0;
  for (int r = 0; r < p.nranks; r++) sum += mesh_cuda::await(p.mine + words + r * NDOTS, sequence);
  return sum;
}

/* The sums of all blocks of all ranks, in the first NDOTS of dots, seen by all threads.  partial [blocks][NDOTS], this
 * iteration's. */
static __device__ __forceinline__ void add_up(double (&sum)[NDOTS], const companions &c, int before, double *partial,
                                              double *shared, double *dots)
{
  double total = solvers_cuda::sum_block(sum, shared);
  if (gridDim.x == 1) {
    total = sum_over_companions(c, before, total);
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
  const double whole = sum_over_companions(c, before, solvers_cuda::sum_block(all, shared));
  if (threadIdx.x < NDOTS) dots[threadIdx.x] = whole;
  __syncthreads();
}

/* ------------------------------------------------------------------ in one kernel: r and p stay on the chip */

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

/* A whole solve, cooperative: b to x, outcome to *out.  REGISTERS: unknowns per thread in registers. */
template <int REGISTERS>
static __global__ void __launch_bounds__(THREADS, 1)
  iterate_resident(vectors v, resident place, companions others, double tolerance2, int max_iterations, double *partial,
                   solver_outcome *out)
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
    add_up(sum, others, g.sums, partial + (g.iterations % 2) * (int64_t)gridDim.x * NDOTS, shared, dots);
    if (threadIdx.x == 0) {
      const int before = g.iterations;
      more = take(dots, &g, &now);
      if (blockIdx.x == 0 && g.iterations > before) place.history[before] = now;
    }
    __syncthreads();
  }
  cooperative_groups::this_grid().sync(); // the history is complete
  replay_all(v, g.iterations, place.history);
  if (blockIdx.x == 0 && threadIdx.x == 0) tell(g, out);
}

/* ------------------------------------------------------------------ in one kernel: more unknowns than a chip holds */

/* A whole solve, cooperative: b to x, outcome to *out; r and p are stored once per window.  partial
 * [2][blocks][NDOTS] */
static __global__ void __launch_bounds__(THREADS, 2)
  iterate_windows(vectors v, companions others, double tolerance2, int max_iterations, double *partial,
                  solver_outcome *out)
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
    add_up(sum, others, g.sums, partial + (g.iterations % 2) * (int64_t)gridDim.x * NDOTS, shared, dots);
    if (threadIdx.x == 0) more = take_into(dots, &g, &w);
    __syncthreads();
  }
  double unused[NDOTS] = {};
  sweep<FINISH>(v, w, unused);
  if (blockIdx.x == 0 && threadIdx.x == 0) tell(g, out);
}

/* ------------------------------------------------------------------ in a kernel per iteration */

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

} // namespace fem_cuda

#endif
