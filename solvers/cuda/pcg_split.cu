/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.fused, cuda.peers and cuda.looped of pcg for an operator with a split: the solve around the passes of
 * pcg_split.cuh, which has the contract; its first and its last kernel.
 */
#include "solvers/cuda/pcg_split.cuh"

#include "solvers/cuda/loop.cuh"

#include <new>

namespace solvers_cuda
{

using namespace batched_cuda;

namespace
{

constexpr int THREADS = 256;

/* Kept between solves with one operator. */
struct split_cache {
  solver_pcg_cache base; /* first, so that a pointer to it is one to this */
  batched_ctx *ctx;
  const solver_operator *matrix;
  const double *work; /* of the solves that the loop was recorded for */
  split_vectors v;
  float *directions;    /* of v, but the first two, which are in p[0] */
  int *position;        /* inverse to the split's order */
  pcg_state *host;      /* pinned */
  cudaGraphExec_t loop; /* NULL: not recorded */
};

/* x = 0, p = 0, r = b in the order of the split, and the first state; up to 528 blocks that loop over the dofs. */
template <int NCOMP>
__global__ void __launch_bounds__(THREADS)
  start(split_vectors v, int64_t nowned, const int *order, const double *b, pcg_state first)
{
  __shared__ double shared[32 * NCOMP];
  double sums[NCOMP] = {};
  double *p = v.p[0];
  float *last = v.direction[PCG_DIRECTIONS - 1];
  for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < v.n; i += (int64_t)THREADS * gridDim.x) {
    const double d = v.inverse_diagonal[i];
    const int64_t from = order[i];
#pragma unroll
    for (int c = 0; c < NCOMP; c++) {
      const int64_t at = c * v.n + i;
      const double r = b[c * v.n + from];
      if (v.z) {
        last[at] = 0.0f;
      } else {
        v.x[at] = 0.0;
        p[at] = 0.0;
      }
      v.r[at] = r;
      if (from < nowned) sums[c] += r * d * r;
    }
  }
  const double sum = sum_block(sums, shared);
  finish_sums<NCOMP>(v, sum, shared, false, [&first](pcg_state &s, double *rz) {
    s = first;
    decide_start(s, rz);
    start_preconditioned(s);
  });
}

/* x, without z with the last alpha p, to where it is wanted; a thread per dof. */
template <int NCOMP> __global__ void __launch_bounds__(THREADS) finish(split_vectors v, const int *position)
{
  const double *p = last_p(v);
  double *x = v.state->x;
  const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
  if (i >= v.n) return;
  const int64_t from = position[i];
#pragma unroll
  for (int c = 0; c < NCOMP; c++)
    x[c * v.n + i] = v.x[c * v.n + from] + (v.z ? 0.0 : v.state->alpha[c] * p[c * v.n + from]);
}

int launch_start(const split_cache *k, const solver_pcg_args *args)
{
  const solver_operator *a = k->matrix;
  return launch(k->ctx,
                a->ncomp == 1   ? start<1>
                : a->ncomp == 2 ? start<2>
                                : start<3>,
                sum_blocks(a->n, THREADS), THREADS, 0, k->v, a->nowned, a->split->order, args->b, first_state(args));
}

int launch_finish(const split_cache *k)
{
  const int ncomp = k->matrix->ncomp;
  const int64_t blocks = ceil_div(k->matrix->n, THREADS);
  const int status = k->v.z ? launch_last_directions(k->ctx, ncomp, k->v) : BATCHED_SUCCESS;
  if (status) return status;
  return launch(k->ctx,
                ncomp == 1   ? finish<1>
                : ncomp == 2 ? finish<2>
                             : finish<3>,
                blocks, THREADS, 0, k->v, k->position);
}

int launch_iteration(const split_cache *k)
{
  const solver_operator *a = k->matrix;
  int status = a->split->product(k->ctx, a->data, &k->v);
  if (!status) status = a->split->residual(k->ctx, a->data, &k->v);
  if (!status && k->v.z) status = a->split->precondition(k->ctx, a->data, &k->v);
  return status;
}

/* ------------------------------------------------------------------ the loop */

int fetch_state(const split_cache *k)
{
  const int status =
    status_of(cudaMemcpyAsync(k->host, k->v.state, sizeof *k->host, cudaMemcpyDefault, stream_of(k->ctx)));
  return status ? status : batched_synchronize(k->ctx);
}

int loop_on_host(const split_cache *k, bool going)
{
  int status = BATCHED_SUCCESS;
  while (going && !status) {
    status = launch_iteration(k);
    if (!status) status = fetch_state(k);
    going = k->host->going;
  }
  return status;
}

int loop_on_device(split_cache *k, bool going)
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
  if (!status && going) status = status_of(cudaGraphLaunch(k->loop, stream_of(k->ctx)));
  return status;
}

/* ------------------------------------------------------------------ what is kept */

void destroy_cache(solver_pcg_cache *base)
{
  split_cache *k = reinterpret_cast<split_cache *>(base);
  if (k->loop) cudaGraphExecDestroy(k->loop);
  if (k->host) cudaFreeHost(k->host);
  batched_release(k->ctx, k->v.p[1]);
  batched_release(k->ctx, k->directions);
  batched_release(k->ctx, k->v.w);
  batched_release(k->ctx, k->v.z);
  batched_release(k->ctx, k->v.state);
  batched_release(k->ctx, k->v.parts);
  batched_release(k->ctx, k->v.arrived);
  batched_release(k->ctx, k->position);
  delete k;
}

/* True where this row recorded the loop, in this context, for these vectors; right side and solution may differ. */
bool is_for(const solver_pcg_cache *base, batched_ctx *ctx, const solver_pcg_args *args)
{
  if (base->destroy != destroy_cache) return false;
  const split_cache *k = reinterpret_cast<const split_cache *>(base);
  return k->ctx == ctx && k->work == args->work;
}

int make_cache(batched_ctx *ctx, const solver_pcg_args *args)
{
  solver_operator *a = args->matrix;
  split_cache *k = new (std::nothrow) split_cache{};
  if (!k) return BATCHED_NO_MEMORY;
  a->cache = &k->base;
  k->base.destroy = destroy_cache;
  k->ctx = ctx;
  k->matrix = a;
  k->work = args->work;
  const size_t size = (size_t)a->ncomp * (size_t)a->n;
  const bool preconditioned = a->precondition && a->split->precondition;
  const int parts[] = {sum_blocks(a->n, THREADS), a->split->product_blocks, a->split->residual_blocks,
                       preconditioned ? a->split->precondition_blocks : 0};
  int most = 0;
  for (int n : parts) most = n > most ? n : most;
  split_vectors &v = k->v;
  v.n = a->n;
  v.inverse_diagonal = a->split->inverse_diagonal;
  if (a->split->peers) v.peers = halo_peers_view(a->split->peers);
  v.r = args->work;
  v.p[0] = args->work + size;
  v.x = args->work + 2 * size;
  v.w = static_cast<double *>(batched_allocate(ctx, sizeof(double) * (size + 1)));
  if (preconditioned) {
    v.z = static_cast<float *>(batched_allocate(ctx, sizeof(float) * (size + 1)));
    k->directions = static_cast<float *>(batched_allocate(ctx, sizeof(float) * ((PCG_DIRECTIONS - 2) * size + 1)));
    float *const first = reinterpret_cast<float *>(v.p[0]);
    for (size_t i = 0; i < PCG_DIRECTIONS && k->directions; i++)
      v.direction[i] = i < 2 ? first + i * size : k->directions + (i - 2) * size;
  } else {
    v.p[1] = static_cast<double *>(batched_allocate(ctx, sizeof(double) * (size + 1)));
  }
  v.state = static_cast<pcg_state *>(batched_allocate(ctx, sizeof(pcg_state)));
  v.parts = static_cast<double *>(batched_allocate(ctx, sizeof(double) * (size_t)a->ncomp * (size_t)most));
  v.arrived = static_cast<unsigned *>(batched_allocate(ctx, sizeof(unsigned)));
  k->position = static_cast<int *>(batched_allocate(ctx, sizeof(int) * ((size_t)a->n + 1)));
  const bool pinned = cudaMallocHost(&k->host, sizeof *k->host) == cudaSuccess;
  const bool directed = preconditioned ? v.z && k->directions : v.p[1] != nullptr;
  if (pinned && directed && v.w && v.state && v.parts && v.arrived && k->position) {
    const int status = batched_fill_zero(ctx, v.arrived, sizeof(unsigned));
    return status ? status
                  : launch(ctx, invert_order, ceil_div(a->n, THREADS), THREADS, 0, a->n, a->split->order, k->position);
  }
  cudaGetLastError();
  solver_operator_forget(a);
  return BATCHED_NO_MEMORY;
}

} // namespace

int run_split(batched_ctx *ctx, const solver_pcg_args *args, bool recorded)
{
  solver_operator *a = args->matrix;
  const bool going = args->max_iterations > 0;
  if (a->cache && !is_for(a->cache, ctx, args)) solver_operator_forget(a);
  int status = a->cache ? BATCHED_SUCCESS : make_cache(ctx, args);
  if (status) return status;
  split_cache *k = reinterpret_cast<split_cache *>(a->cache);
  status = launch_start(k, args);
  if (!status && k->v.z) status = a->split->precondition(ctx, a->data, &k->v);
  if (!status) status = recorded ? loop_on_device(k, going) : loop_on_host(k, going);
  if (!status) status = launch_finish(k);
  if (!status) status = fetch_state(k);
  if (!status) report(args, *k->host);
  return status;
}

} // namespace solvers_cuda
