/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Preconditioned conjugate gradients on a GPU.
 *   cuda.resident   for a small assembled matrix, a solve in one kernel: pcg_resident.cu
 *   cuda.fused      the algorithm of host.fused (Meurant, Parallel Computing 5 (1987), 267-280): one reduction per
 *                   iteration; one pass over the vectors does all dot products (the matrix may do them in its own last
 *                   pass), and one does all updates.  On one rank the loop is recorded as a graph with a conditional
 *                   node, so that a whole solve is one submission, and the host learns when it is over; and an operator
 *                   that is split in two (solver_split) has the kernels of pcg_split.cuh.
 *   cuda.peers      the same for several ranks of one machine, whose kernels add up among themselves: pcg_split.cuh
 *   cuda.looped     the loop on the host, as in cuda.mixed_looped: for tools, as compute-sanitizer, that can't follow
 *                   conditional nodes
 *   cuda.mixed      in single precision, refined in double: pcg_mixed.cu; as cuda.fused where the matrix has no
 *                   products in single precision
 *   cuda.chebyshev  an iteration without reductions: pcg_chebyshev.cu; as cuda.looped where the bounds of the spectrum
 *                   promise no end within max_iterations
 *   vendor.cublas   Hestenes and Stiefel by calls of cuBLAS: pcg_vendor.cu
 * With a preconditioner that is no diagonal cuda.fused and cuda.looped have the loop on the host,
 * pcg_preconditioned.cu, but for an operator whose split has kernels for it, too.
 *
 * cuda.fused, cuda.looped without a split (pcg_kernels.cuh):
 *   grid       dot products: up to 528 blocks per component; update: a thread per entry, which does all components; the
 *              sums of the blocks: one block, a warp per dot product
 *   block      256 threads
 *   shared     dot products: the sums over warps, 1 KB
 *   takes      any symmetric positive definite operator, diagonal preconditioner or none, 1 to 3 components; double
 *              precision
 *   memory     per entry and component, beside the product: dot products read r, p, w (24 bytes), the update reads x,
 *              r, p, w (32) and writes x, r, p (24); both read D^-1, 8 bytes per entry
 *   accuracy   |r| <= tolerance |b| in the norm of D^-1, as the recurrences have it; sums in an order that does not
 *              depend on the GPU, over ranks by MPI
 */
#include <new>

#include "solvers/tables.h"
#include "mesh/comm/comm.h"
#include "mesh/comm/cuda/peers.cuh"
#include "solvers/cuda/loop.cuh"
#include "solvers/cuda/pcg_kernels.cuh"
#include "solvers/cuda/pcg_split.cuh"
#include "solvers/cuda/pcg_resident.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

/* ------------------------------------------------------------------ a solve */

/* Copied between host and device; pinned on the host. */
struct exchange {
  pcg_state state;
  pcg_sums sums;
};

/* The memory of a solve, beside its vectors. */
struct workspace {
  pcg_state *state; /* on the device, as the next two */
  double *dots, *sums;
  exchange *host; /* pinned, where it is kept */
};

/* Kept between solves with one operator. */
struct pcg_cache {
  solver_pcg_cache base; /* first, so that a pointer to it is one to this */
  batched_ctx *ctx;
  const double *vectors; /* work space of the solves that the loop was recorded for */
  workspace work;
  cudaGraphExec_t loop; /* NULL: not recorded */
};

struct solve {
  batched_ctx *ctx;
  const solver_pcg_args *args;
  const solver_operator *matrix;
  pcg_vectors v;
  workspace work;
  bool fused; /* the operator does the dot products */
  int blocks, parts;
  int64_t update_blocks; /* a thread per entry */
};

static solve make_solve(batched_ctx *ctx, const solver_pcg_args *args)
{
  const solver_operator *a = args->matrix;
  const int64_t size = a->ncomp * a->n;
  solve s = {};
  s.ctx = ctx;
  s.args = args;
  s.matrix = a;
  s.v = {a->n, a->nowned, a->inverse_diagonal, args->work, args->work + size, args->work + 2 * size};
  s.fused = a->apply_dots && comm_size() == 1;
  s.blocks = sum_blocks(a->n, THREADS);
  s.update_blocks = ceil_div(a->n, THREADS);
  s.parts = s.fused ? a->parts : s.blocks;
  return s;
}

static dim3 grid(const solve &s)
{
  return dim3((unsigned)s.blocks, (unsigned)s.matrix->ncomp);
}

static size_t dots_bytes(const solve &s)
{
  return sizeof(double) * SOLVER_MAX_COMPONENTS * SOLVER_DOTS * (size_t)s.parts;
}

static int launch_start(const solve &s, const pcg_state &first)
{
  start<<<grid(s), THREADS, 0, stream_of(s.ctx)>>>(s.v, s.args->b, s.args->x, first, s.work.state);
  return status_of(cudaGetLastError());
}

/* w = A p and its dot products, in parts. */
static int launch_products(const solve &s)
{
  const solver_operator *a = s.matrix;
  if (s.fused) return a->apply_dots(s.ctx, a->data, s.v.r, s.v.p, s.v.w, s.work.dots);
  int status = a->apply(s.ctx, a->data, s.v.p, s.v.w);
  if (status) return status;
  dot_products<<<grid(s), THREADS, 0, stream_of(s.ctx)>>>(s.v, s.work.state, s.work.dots);
  return status_of(cudaGetLastError());
}

static int launch_update(const solve &s)
{
  const int ncomp = s.matrix->ncomp;
  return launch(s.ctx,
                ncomp == 1   ? update<1>
                : ncomp == 2 ? update<2>
                             : update<3>,
                s.update_blocks, THREADS, 0, s.v, s.work.state);
}

static int copy(const solve &s, void *to, const void *from, size_t bytes)
{
  return status_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(s.ctx)));
}

/* The loop on the host, which sums over the ranks. */
static int run_on_host(const solve &s)
{
  const int rows = s.matrix->ncomp * SOLVER_DOTS;
  pcg_state &state = s.work.host->state;
  pcg_sums &sums = s.work.host->sums;
  int status = batched_synchronize(s.ctx); // the solve before may still be sending its last state
  state = first_state(s.args);
  if (!status) status = launch_start(s, state);
  while (!status && state.going) {
    status = launch_products(s);
    if (status) break;
    reduce<<<1, 32 * rows, 0, stream_of(s.ctx)>>>(s.parts, s.work.dots, s.work.sums);
    status = status_of(cudaGetLastError());
    if (!status) status = copy(s, &sums[0][0], s.work.sums, sizeof(double) * (size_t)rows);
    if (!status) status = batched_synchronize(s.ctx);
    comm_sum(&sums[0][0], rows);
    decide(state, sums);
    if (!status) status = copy(s, s.work.state, &state, sizeof state);
    if (!status) status = launch_update(s);
  }
  report(s.args, state);
  return status;
}

/* ------------------------------------------------------------------ the loop as a graph */

static int record_body(const solve &s, cudaGraphConditionalHandle loop)
{
  int status = launch_products(s);
  if (status) return status;
  reduce_and_decide<<<1, 32 * s.matrix->ncomp * SOLVER_DOTS, 0, stream_of(s.ctx)>>>(s.parts, s.work.dots, s.work.state,
                                                                                    loop);
  status = status_of(cudaGetLastError());
  return status ? status : launch_update(s);
}

static void destroy_cache(solver_pcg_cache *base)
{
  pcg_cache *k = reinterpret_cast<pcg_cache *>(base);
  if (k->loop) cudaGraphExecDestroy(k->loop);
  if (k->work.host) cudaFreeHost(k->work.host);
  batched_release(k->ctx, k->work.state);
  batched_release(k->ctx, k->work.dots);
  batched_release(k->ctx, k->work.sums);
  delete k;
}

/* True where this row recorded the loop, in this context, for these vectors; right side and solution may differ. */
static bool is_for(const solver_pcg_cache *base, batched_ctx *ctx, const solver_pcg_args *args)
{
  if (base->destroy != destroy_cache) return false;
  const pcg_cache *k = reinterpret_cast<const pcg_cache *>(base);
  return k->ctx == ctx && k->vectors == args->work;
}

static int make_cache(const solve &s)
{
  pcg_cache *k = new (std::nothrow) pcg_cache{};
  if (!k) return BATCHED_NO_MEMORY;
  s.args->matrix->cache = &k->base;
  k->base.destroy = destroy_cache;
  k->ctx = s.ctx;
  k->vectors = s.args->work;
  k->work.state = static_cast<pcg_state *>(batched_allocate(s.ctx, sizeof(pcg_state)));
  k->work.dots = static_cast<double *>(batched_allocate(s.ctx, dots_bytes(s)));
  k->work.sums = static_cast<double *>(batched_allocate(s.ctx, sizeof(pcg_sums)));
  const bool pinned = cudaMallocHost(&k->work.host, sizeof(exchange)) == cudaSuccess;
  if (pinned && k->work.state && k->work.dots && k->work.sums) return BATCHED_SUCCESS;
  cudaGetLastError();
  solver_operator_forget(s.args->matrix);
  return BATCHED_NO_MEMORY;
}

static int run_graph(solve &s)
{
  pcg_cache *k = reinterpret_cast<pcg_cache *>(s.matrix->cache);
  const pcg_state first = first_state(s.args);
  int status = launch_start(s, first);
  if (!status && !k->loop)
    status = record_loop(
      s.ctx, [&s](cudaGraphConditionalHandle loop) { return record_body(s, loop); }, &k->loop);
  if (!status && first.going) status = status_of(cudaGraphLaunch(k->loop, stream_of(s.ctx)));
  if (!status) status = copy(s, &s.work.host->state, s.work.state, sizeof(pcg_state));
  if (!status) status = batched_synchronize(s.ctx);
  if (!status) report(s.args, s.work.host->state);
  return status;
}

/* With nothing to keep things in: scratch memory, and the loop on the host. */
static int run_once(solve &s)
{
  unsigned char *memory =
    static_cast<unsigned char *>(batched_scratch_push(s.ctx, sizeof(pcg_sums) + sizeof(pcg_state) + dots_bytes(s)));
  if (!memory) return BATCHED_NO_MEMORY;
  s.work.sums = reinterpret_cast<double *>(memory);
  s.work.state = reinterpret_cast<pcg_state *>(memory + sizeof(pcg_sums));
  s.work.dots = reinterpret_cast<double *>(memory + sizeof(pcg_sums) + sizeof(pcg_state));
  exchange host;
  s.work.host = &host;
  const int status = run_on_host(s);
  batched_scratch_pop(s.ctx);
  return status;
}

static bool has_split(const solver_operator *a)
{
  return a->split && a->recordable;
}

static bool has_peers(const void *args)
{
  const solver_operator *a = static_cast<const solver_pcg_args *>(args)->matrix;
  return has_split(a) && a->split->peers && !a->precondition;
}

/* Kernels of ranks that share a GPU would wait for those that it has put aside. */
static bool has_peers_apart(const void *args)
{
  return halo_peers_sharing(static_cast<const solver_pcg_args *>(args)->matrix->split->peers) == 1;
}

static int run_with_peers(batched_ctx *ctx, const solver_pcg_args *args, bool recorded)
{
  halo_peers_require(run_split(ctx, args, recorded), "conjugate gradients");
  halo_peers_require_in_time(args->matrix->split->peers, "conjugate gradients", "kernels.pcg=cuda.fused");
  return BATCHED_SUCCESS;
}

static int run(batched_ctx *ctx, const void *p, bool recorded)
{
  const solver_pcg_args *args = static_cast<const solver_pcg_args *>(p);
  solver_operator *a = args->matrix;
  if (has_peers(args) && !recorded) return run_with_peers(ctx, args, false);
  if (has_split(a) && comm_size() == 1 && (!a->precondition || a->split->precondition))
    return run_split(ctx, args, recorded);
  if (a->precondition) return run_preconditioned(ctx, args);
  solve s = make_solve(ctx, args);
  if (!a->recordable) return run_once(s);
  if (a->cache && !is_for(a->cache, ctx, args)) solver_operator_forget(a);
  if (!a->cache) {
    int status = make_cache(s);
    if (status) return status;
  }
  s.work = reinterpret_cast<pcg_cache *>(a->cache)->work;
  return recorded && comm_size() == 1 ? run_graph(s) : run_on_host(s);
}

static int run_fused(batched_ctx *ctx, const void *args)
{
  return run(ctx, args, true);
}

static int run_peers(batched_ctx *ctx, const void *args)
{
  return run_with_peers(ctx, static_cast<const solver_pcg_args *>(args), true);
}

static int run_looped(batched_ctx *ctx, const void *args)
{
  return run(ctx, args, false);
}

/* The energy's matrix, say, has no products in single precision. */
template <bool RECORDED> static int refine(batched_ctx *ctx, const void *args)
{
  return has_single(args) ? run_mixed(ctx, args, RECORDED) : run(ctx, args, RECORDED);
}

/* The bounds are kept with the matrix, so that conjugate gradients, where they are needed, keep nothing there. */
static int run_chebyshev_or_gradients(batched_ctx *ctx, const void *p)
{
  const solver_pcg_args *args = static_cast<const solver_pcg_args *>(p);
  bool enough = true;
  const int status = run_chebyshev(ctx, args, &enough);
  if (status || enough) return status;
  if (args->matrix->precondition) return run_preconditioned(ctx, args);
  solve s = make_solve(ctx, args);
  return run_once(s);
}

static bool never(const void *)
{
  return false;
}

} // namespace solvers_cuda

const batched_variant solver_cuda_pcg[] = {
  {"cuda.resident", solvers_cuda::has_matrix, solvers_cuda::is_resident, solvers_cuda::run_resident},
  {"cuda.peers", solvers_cuda::has_peers, solvers_cuda::has_peers_apart, solvers_cuda::run_peers},
  {"cuda.fused", nullptr, nullptr, solvers_cuda::run_fused},
  {"cuda.looped", nullptr, nullptr, solvers_cuda::run_looped},
  {"cuda.mixed", nullptr, solvers_cuda::never, solvers_cuda::refine<true>},
  {"cuda.mixed_looped", nullptr, solvers_cuda::never, solvers_cuda::refine<false>},
  {"cuda.chebyshev", nullptr, solvers_cuda::never, solvers_cuda::run_chebyshev_or_gradients},
  {"vendor.cublas", nullptr, nullptr, solver_cuda_pcg_vendor},
  BATCHED_LAST_ROW,
};
