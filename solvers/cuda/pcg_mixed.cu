/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.mixed and cuda.mixed_looped of pcg: the passes of pcg_split.cuh in single precision, inside iterative
 * refinement in double (solvers/refine.h): r = b - A x, A d = r to some digits, x += d.  The residual that stops is in
 * double precision, in the norm of the other rows.  A round is a graph launch; between rounds the host reads the
 * scalars once and decides.
 *   grid       the kernels of this file, before and after a round: a thread per dof, which does all components; the
 *              residual with its sums: up to 528 blocks that loop
 *   block      256 threads
 *   shared     the residual: the sums over warps, 256 bytes per component
 *   takes      one rank; operators with a split in single precision, 1 to 3 components
 *   memory     per dof and component, an iteration: half of what pcg_split.cuh says; a round: the residual reads 16
 *              bytes and writes 8, the start reads 8 and writes 12, the end reads 16 and writes 8; and a product in
 *              double precision
 *   accuracy   |r| <= tolerance |b| in the norm of D^-1, or of P, with r = b - A x computed in double precision; sums
 *              as in pcg_split.cuh
 */
#include <new>

#include "solvers/refine.h"
#include "solvers/cuda/loop.cuh"
#include "solvers/cuda/pcg_split.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

namespace
{

constexpr int THREADS = 256;

/* The scalars at the start of a round of refinement: written by the device, and copied to pinned memory of the host. */
struct round_state {
  pcg_state state;                    /* of the loop, whose right-hand side is r / unit */
  double unit[SOLVER_MAX_COMPONENTS]; /* sqrt(r, D^-1 r) of each component: see refine_unit */
};

/* Kept between solves with one operator. */
struct mixed_cache {
  solver_pcg_cache base; /* first, so that a pointer to it is one to this */
  batched_ctx *ctx;
  const solver_operator *matrix;
  const solver_split *split; /* in single precision */
  const double *work;        /* borrowed: args->work of the solve for which the graph `loop` was recorded */
  double *r, *w;             /* b - A x and A x: the first two vectors of `work` */
  split_vectors_of<float> v; /* of the loop; points into what follows, all of which is owned */
  int *position;             /* [n]: where the split's order has a dof */
  float *single;             /* [5 or, with z, 4 + PCG_DIRECTIONS][ncomp][n]: the vectors of v */
  float *diagonal;           /* [n]: D^-1, in the split's order */
  round_state *round, *host; /* on the device; pinned on the host */
  cudaGraphExec_t loop;      /* NULL: not recorded */
};

/* At set-up: rounds to single precision, a thread per entry. */
__global__ void __launch_bounds__(THREADS) narrow_diagonal(int64_t n, const double *from, float *to)
{
  const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
  if (i < n) to[i] = (float)from[i];
}

/* Up to 528 blocks that loop over the dofs: r = b - w, or b where there is no w; the first state of a round, and the
 * unit of r, from (r, D^-1 r). */
template <int NCOMP>
__global__ void __launch_bounds__(THREADS)
  subtract(split_vectors_of<float> v, int64_t nowned, const double *diagonal, const double *b, const double *w,
           double *r, pcg_state first, double *unit)
{
  __shared__ double shared[32 * NCOMP];
  double sums[NCOMP] = {};
  for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < v.n; i += (int64_t)THREADS * gridDim.x) {
    const double d = i < nowned ? diagonal[i] : 0.0;
#pragma unroll
    for (int c = 0; c < NCOMP; c++) {
      const int64_t at = c * v.n + i;
      const double left = w ? b[at] - w[at] : b[at];
      r[at] = left;
      sums[c] += left * d * left;
    }
  }
  const double sum = sum_block(sums, shared);
  finish_sums<NCOMP>(v, sum, shared, false, [&first, unit](pcg_state &s, double *rz) {
    s = first;
    couple(s, rz);
    for (int c = 0; c < NCOMP; c++) {
      unit[c] = refine_unit(rz[c]);
      s.rz[c] = rz[c] / (unit[c] * unit[c]);
    }
    start_preconditioned(s);
  });
}

/* The loop's x = 0, p = 0, r over its unit; a thread per dof. */
template <int NCOMP>
__global__ void __launch_bounds__(THREADS)
  load(split_vectors_of<float> v, const int *order, const double *r, const double *unit)
{
  const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
  if (i >= v.n) return;
  const int64_t from = order[i];
#pragma unroll
  for (int c = 0; c < NCOMP; c++) {
    const int64_t at = c * v.n + i;
    v.x[at] = 0;
    (v.z ? v.direction[PCG_DIRECTIONS - 1] : v.p[0])[at] = 0;
    v.r[at] = (float)(r[c * v.n + from] / unit[c]);
  }
}

/* x += unit (the loop's x, without z with the last alpha p); a thread per dof. */
template <int NCOMP>
__global__ void __launch_bounds__(THREADS)
  correct(split_vectors_of<float> v, const int *position, const double *unit, double *x)
{
  const float *p = last_p(v);
  const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
  if (i >= v.n) return;
  const int64_t from = position[i];
#pragma unroll
  for (int c = 0; c < NCOMP; c++) {
    const int64_t at = c * v.n + from;
    x[c * v.n + i] += unit[c] * ((double)v.x[at] + (v.z ? 0.0 : v.state->alpha[c] * (double)p[at]));
  }
}

#define FOR_COMPONENTS(kernel, ncomp) ((ncomp) == 1 ? kernel<1> : (ncomp) == 2 ? kernel<2> : kernel<3>)

/* ------------------------------------------------------------------ a round */

int launch_iteration(const mixed_cache *k)
{
  const solver_operator *a = k->matrix;
  int status = k->split->product(k->ctx, a->data, &k->v);
  if (!status) status = k->split->residual(k->ctx, a->data, &k->v);
  if (!status && k->v.z) status = k->split->precondition(k->ctx, a->data, &k->v);
  return status;
}

int copy_round(const mixed_cache *k, void *to, const void *from)
{
  return status_of(cudaMemcpyAsync(to, from, sizeof(round_state), cudaMemcpyDefault, stream_of(k->ctx)));
}

/* The residual, b or b - k->w, the vectors of the loop, and its scalars, which the host then has, too. */
int begin_round(const mixed_cache *k, const solver_pcg_args *args, bool first)
{
  const solver_operator *a = k->matrix;
  const solver_split *split = k->split;
  int status =
    launch(k->ctx, FOR_COMPONENTS(subtract, a->ncomp), sum_blocks(a->n, THREADS), THREADS, 0, k->v, a->nowned,
           a->inverse_diagonal, args->b, first ? nullptr : k->w, k->r, first_state(args), k->round->unit);
  if (!status)
    status = launch(k->ctx, FOR_COMPONENTS(load, a->ncomp), ceil_div(a->n, THREADS), THREADS, 0, k->v, split->order,
                    k->r, k->round->unit);
  if (!status && k->v.z) status = split->precondition(k->ctx, a->data, &k->v);
  if (!status) status = copy_round(k, k->host, k->round);
  return status ? status : batched_synchronize(k->ctx);
}

int loop_on_host(mixed_cache *k)
{
  int status = BATCHED_SUCCESS;
  do {
    status = launch_iteration(k);
    if (!status) status = copy_round(k, k->host, k->round);
    if (!status) status = batched_synchronize(k->ctx);
  } while (!status && k->host->state.going);
  return status;
}

int loop_on_device(mixed_cache *k)
{
  int status = BATCHED_SUCCESS;
  if (!k->loop)
    status = record_loop(
      k->ctx,
      [k](cudaGraphConditionalHandle loop) {
        k->v.loop = loop, k->v.recorded = true;
        const int launched = launch_iteration(k);
        k->v.recorded = false;
        return launched;
      },
      &k->loop);
  return status ? status : status_of(cudaGraphLaunch(k->loop, stream_of(k->ctx)));
}

/* x after the loop, A x, and the iterations. */
int end_round(const mixed_cache *k, const solver_pcg_args *args)
{
  const solver_operator *a = k->matrix;
  int status = k->v.z ? launch_last_directions(k->ctx, a->ncomp, k->v) : BATCHED_SUCCESS;
  if (!status)
    status = launch(k->ctx, FOR_COMPONENTS(correct, a->ncomp), ceil_div(a->n, THREADS), THREADS, 0, k->v, k->position,
                    k->round->unit, args->x);
  if (!status) status = copy_round(k, k->host, k->round);
  if (!status) status = a->apply(k->ctx, a->data, args->x, k->w);
  if (!status) status = batched_synchronize(k->ctx);
  for (int c = 0; c < a->ncomp && !status; c++) args->iterations[c] += k->host->state.iterations[c];
  return status;
}

/* What refinement keeps of a solve. */
struct progress {
  double limit[SOLVER_MAX_COMPONENTS], last[SOLVER_MAX_COMPONENTS]; /* of (r, P r) */
  bool first;
};

/* Decides from the scalars on the host which components go on, and to which limit; false: none. */
bool plan_round(const mixed_cache *k, const solver_pcg_args *args, progress *so_far)
{
  pcg_state &s = k->host->state;
  s.going = false;
  s.started = true;
  s.iteration = 0;
  int most = 0;
  for (int c = 0; c < s.ncomp; c++) {
    const double square = k->host->unit[c] * k->host->unit[c], rz = s.rz[c] * square;
    if (so_far->first) so_far->limit[c] = args->tolerance * args->tolerance * rz;
    args->converged[c] = args->converged[c] || rz <= so_far->limit[c];
    const bool left =
      !args->converged[c] && rz < REFINE_LEAST * so_far->last[c] && args->iterations[c] < args->max_iterations;
    so_far->last[c] = rz;
    s.iterations[c] = 0;
    s.converged[c] = !left;
    s.limit[c] = s.rz[c] * refine_limit(rz, so_far->limit[c]);
    s.going = s.going || left;
    if (args->iterations[c] > most) most = args->iterations[c];
  }
  s.max_iterations = args->max_iterations - most;
  so_far->first = false;
  return s.going && s.max_iterations > 0;
}

int solve(mixed_cache *k, const solver_pcg_args *args, bool recorded)
{
  const solver_operator *a = k->matrix;
  const size_t bytes = sizeof(double) * (size_t)(a->ncomp * a->n);
  progress so_far = {};
  so_far.first = true;
  for (int c = 0; c < a->ncomp; c++) args->iterations[c] = 0, args->converged[c] = false, so_far.last[c] = HUGE_VAL;
  if (args->rounds) *args->rounds = 0;
  int status = batched_fill_zero(k->ctx, args->x, bytes);
  while (!status) {
    status = begin_round(k, args, so_far.first);
    if (status || !plan_round(k, args, &so_far)) break;
    if (args->rounds) ++*args->rounds;
    status = copy_round(k, k->round, k->host);
    if (!status) status = recorded ? loop_on_device(k) : loop_on_host(k);
    if (!status) status = end_round(k, args);
  }
  return status;
}

/* ------------------------------------------------------------------ what is kept */

void destroy_cache(solver_pcg_cache *base)
{
  mixed_cache *k = reinterpret_cast<mixed_cache *>(base);
  if (k->loop) cudaGraphExecDestroy(k->loop);
  if (k->host) cudaFreeHost(k->host);
  void *const all[] = {k->position, k->single, k->diagonal, k->round, k->v.parts, k->v.arrived};
  for (void *p : all) batched_release(k->ctx, p);
  delete k;
}

bool is_for(const solver_pcg_cache *base, batched_ctx *ctx, const solver_pcg_args *args)
{
  if (base->destroy != destroy_cache) return false;
  const mixed_cache *k = reinterpret_cast<const mixed_cache *>(base);
  return k->ctx == ctx && k->work == args->work;
}

int most_blocks(const solver_operator *a, const solver_split *split)
{
  const int parts[] = {sum_blocks(a->n, THREADS), split->product_blocks, split->residual_blocks,
                       split->precondition_blocks};
  int most = 0;
  for (int n : parts) most = n > most ? n : most;
  return most;
}

int fill_cache(mixed_cache *k, const solver_pcg_args *args)
{
  const solver_operator *a = k->matrix;
  const size_t size = (size_t)(a->ncomp * a->n);
  const int status = a->split_single(k->ctx, a->data, &k->split);
  if (status) return status;
  k->r = args->work;
  k->w = args->work + size;
  const size_t vectors = a->precondition ? 4 + PCG_DIRECTIONS : 5;
  k->single = static_cast<float *>(batched_allocate(k->ctx, sizeof(float) * (vectors * size + 1)));
  k->diagonal = static_cast<float *>(batched_allocate(k->ctx, sizeof(float) * ((size_t)a->n + 1)));
  k->position = static_cast<int *>(batched_allocate(k->ctx, sizeof(int) * ((size_t)a->n + 1)));
  k->round = static_cast<round_state *>(batched_allocate(k->ctx, sizeof(round_state)));
  split_vectors_of<float> &v = k->v;
  v.parts = static_cast<double *>(
    batched_allocate(k->ctx, sizeof(double) * (size_t)a->ncomp * (size_t)most_blocks(a, k->split)));
  v.arrived = static_cast<unsigned *>(batched_allocate(k->ctx, sizeof(unsigned)));
  if (cudaMallocHost(&k->host, sizeof *k->host) != cudaSuccess) {
    k->host = nullptr;
    cudaGetLastError();
  }
  if (!k->position || !k->single || !k->diagonal || !k->round || !v.parts || !v.arrived || !k->host)
    return BATCHED_NO_MEMORY;
  v.n = a->n;
  v.inverse_diagonal = k->diagonal;
  v.x = k->single;
  v.r = v.x + size;
  v.w = v.r + size;
  float *const rest = v.w + size;
  if (a->precondition) {
    v.z = rest;
    for (size_t i = 0; i < PCG_DIRECTIONS; i++) v.direction[i] = rest + (i + 1) * size;
  } else {
    v.p[0] = rest;
    v.p[1] = rest + size;
  }
  v.state = &k->round->state;
  const int64_t blocks = ceil_div(a->n, THREADS);
  int filled = batched_fill_zero(k->ctx, v.arrived, sizeof(unsigned));
  if (!filled) filled = batched_fill_zero(k->ctx, k->round, sizeof *k->round); /* is copied whole */
  if (!filled) filled = launch(k->ctx, invert_order, blocks, THREADS, 0, a->n, k->split->order, k->position);
  return filled ? filled
                : launch(k->ctx, narrow_diagonal, blocks, THREADS, 0, a->n, k->split->inverse_diagonal, k->diagonal);
}

int make_cache(batched_ctx *ctx, const solver_pcg_args *args)
{
  solver_operator *a = args->matrix;
  mixed_cache *k = new (std::nothrow) mixed_cache{};
  if (!k) return BATCHED_NO_MEMORY;
  a->cache = &k->base;
  k->base.destroy = destroy_cache;
  k->ctx = ctx;
  k->matrix = a;
  k->work = args->work;
  const int status = fill_cache(k, args);
  if (status) solver_operator_forget(a);
  return status;
}

int run(batched_ctx *ctx, const solver_pcg_args *args, bool recorded)
{
  solver_operator *a = args->matrix;
  if (a->cache && !is_for(a->cache, ctx, args)) solver_operator_forget(a);
  const int status = a->cache ? BATCHED_SUCCESS : make_cache(ctx, args);
  return status ? status : solve(reinterpret_cast<mixed_cache *>(a->cache), args, recorded);
}

} // namespace

bool has_single(const void *p)
{
  const solver_operator *a = static_cast<const solver_pcg_args *>(p)->matrix;
  return comm_size() == 1 && a->split_single && a->split && a->recordable &&
         (!a->precondition || a->split->precondition);
}

int run_mixed(batched_ctx *ctx, const void *args, bool recorded)
{
  return run(ctx, static_cast<const solver_pcg_args *>(args), recorded);
}

} // namespace solvers_cuda
