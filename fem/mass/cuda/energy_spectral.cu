/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.spectral of energy_mass: conjugate gradients for M_e p = b in the eigenvectors of M_e.
 *
 * M_e = V L V^T with V block diagonal and L diagonal, by batched eigenvalue problems at set-up.  Dot products do not
 * see an orthogonal V, so that conjugate gradients for L x' = b', b' = V^T b, x = V x', take the same steps as those
 * for M_e.  An unknown of r and p is then a function of its eigenvalue, its b' and the numbers alpha and beta so far:
 * instead of being stored in every iteration they are computed anew from where they were stored last, at most WINDOW
 * iterations before:
 *   r = r - alpha lambda p,  p = r + beta p
 * alpha and beta are those of host.fused (Meurant, Parallel Computing 5 (1987), 267-280): one reduction per iteration.
 *
 * One cooperative kernel does all iterations, with one barrier of the grid in each; on several ranks, if each has a GPU
 * of its own on one machine, their kernels add up among themselves, else there is a launch for each iteration, and the
 * ranks' sums meet on the host.  The kernels are in energy_spectral.cuh.
 * Up to 32768 unknowns of a rank are one cluster of 8 blocks, whose dot products are messages between
 * multiprocessors, and which takes the products with V, too: energy_cluster.cuh.
 *   grid       a block per multiprocessor; one alone up to 4096 unknowns; iterate_cluster: 8; iterate_windows,
 *              sweep_once: as many blocks as are resident, and no more than there are unknowns for
 *   block      512 threads; at most 128 registers, among them lambda, r and p of 2 or 14 unknowns; iterate_cluster:
 *              with x, of 1, 4 or 8; iterate_windows, sweep_once: at most 64
 *   shared     iterate_resident: lambda, r and p of the unknowns beyond those in registers, 12 KB for one per thread
 *   takes      lines, quads and hexes of any order; double precision.  iterate_resident: what fits on the chip, up to
 *              32 unknowns per thread of an H100; iterate_windows: any number
 *   memory     per unknown: iterate_resident reads 16 bytes at either end, none in an iteration, and writes 8;
 *              iterate_windows reads 16 in an iteration (24 after the first window), and writes 24 at the end of a
 *              window.  V is read twice, 8 nt^2 bytes per zone each time
 *   accuracy   |r| <= tolerance |b| as the recurrences have it; sums in the order of threads, blocks and ranks: the
 *              same bits in every run with the same number of blocks
 */
#include <cmath>

#include "fem/mass/cuda/energy_cluster.cuh"
#include "mesh/comm/comm.h"

namespace fem_cuda
{

struct spectral {
  double *basis;                           // owned, [nzones][nt][nt]: eigenvectors are columns
  double *lambda;                          // owned, [nzones][nt]
  double *partial;                         // owned, [2][most_blocks][NDOTS], and the sums behind
  solver_outcome *verdicts;                // owned, pinned, [SOLVER_LATE]: the kernels write them
  int next;                                // of those
  step *history;                           // owned, in the context's memory: [max_iterations]; NULL: too many
  halo_peers *peers;                       // owned; NULL: there are none
  uint32_t solve, sequence;                // with peers: number of the next solve, and of its first sum
  int processors, most_blocks, most_slots; // most_blocks: of iterate_windows that are resident at once
};

static void teardown(batched_ctx *ctx, fem_mass *m)
{
  auto *st = static_cast<spectral *>(m->store);
  halo_peers_destroy(&st->peers);
  batched_release(ctx, st->basis);
  batched_release(ctx, st->lambda);
  batched_release(ctx, st->partial);
  if (st->verdicts) cudaFreeHost(st->verdicts);
  batched_release(ctx, st->history);
  free(st);
  m->store = nullptr;
}

/* FEW, MANY: unknowns per thread in registers, of two kernels; from ENOUGH on the second one.  ALONE: up to so many
 * unknowns one block does all, without a grid barrier. */
enum { FEW = 2, MANY = 14, ENOUGH = 7, ALONE = 8 * THREADS };
enum { MOST_STEPS = 1 << 20 }; // in `history`, from which unknowns that do not fit on the chip are recomputed

static size_t slot_bytes(int slots)
{
  return sizeof(double) * 3 * THREADS * (size_t)slots;
}

/* The resident blocks and the shared memory of this GPU. */
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

static int make_store(batched_ctx *ctx, fem_mass *m, spectral *st)
{
  const fem_space *s = m->space;
  int status = find_places(st);
  if (status) return status;
  st->basis = make_energy_blocks(ctx, m, &status);
  const size_t sums = (2 * (size_t)st->most_blocks + 1) * NDOTS;
  st->lambda = static_cast<double *>(batched_allocate(ctx, sizeof(double) * ((size_t)energy_unknowns(s) + 1)));
  st->partial = static_cast<double *>(batched_allocate(ctx, sizeof(double) * sums));
  const bool remembers = (comm_size() == 1 || halo_apart(s->halo)) && m->options.max_iterations < MOST_STEPS;
  if (remembers)
    st->history = static_cast<step *>(batched_allocate(ctx, sizeof(step) * ((size_t)m->options.max_iterations + 1)));
  if (cudaMallocHost(&st->verdicts, sizeof(solver_outcome) * SOLVER_LATE) != cudaSuccess) {
    cudaGetLastError();
    st->verdicts = nullptr;
  }
  if (!status && !(st->lambda && st->partial && st->verdicts && (st->history || !remembers)))
    status = BATCHED_NO_MEMORY;
  return status ? status : diagonalise(ctx, s, st);
}

static int setup(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  auto *st = static_cast<spectral *>(calloc(1, sizeof(spectral)));
  m->store = st;
  const int status = st ? make_store(ctx, m, st) : BATCHED_NO_MEMORY;
  if (comm_size() == 1 || !halo_apart(s->halo)) return status;
  halo_peers *peers; // also if not well, as the others wait
  halo_peers_create(&peers, ctx, s->halo, 1, nullptr, companions_room(comm_size()), !status);
  if (st) st->peers = peers, st->sequence = 1;
  return status;
}

/* The companions of the next solve; a solve has at most one sum more than iterations. */
static companions next_companions(const fem_mass *m)
{
  auto *st = static_cast<spectral *>(m->store);
  const companions others = {st->peers ? halo_peers_view(st->peers) : nullptr, st->solve, st->sequence};
  st->solve++;
  st->sequence += (uint32_t)m->options.max_iterations + 1;
  return others;
}

/* The verdict is there when the stream is done. */
static int iterate_here(batched_ctx *ctx, const fem_mass *m, vectors v, companions others, int blocks,
                        solver_outcome *out)
{
  const auto *st = static_cast<const spectral *>(m->store);
  double tolerance2 = m->options.tolerance * m->options.tolerance, *partial = st->partial;
  int max_iterations = m->options.max_iterations;
  const int processors = v.n <= ALONE ? 1 : blocks < st->processors ? blocks : st->processors;
  const int64_t each = ceil_div(v.n, (int64_t)processors * THREADS);
  if (st->history && each <= MANY + st->most_slots) {
    const bool few = v.n <= ALONE || each < ENOUGH;
    const int registers = few ? FEW : MANY;
    resident place = {each > registers ? (int)each - registers : 0, st->history};
    void *args[] = {&v, &place, &others, &tolerance2, &max_iterations, &partial, &out};
    return status_of(cudaLaunchCooperativeKernel(
      few ? (const void *)iterate_resident<FEW> : (const void *)iterate_resident<MANY>, dim3((unsigned)processors),
      dim3(THREADS), args, slot_bytes(place.slots), stream_of(ctx)));
  }
  void *args[] = {&v, &others, &tolerance2, &max_iterations, &partial, &out};
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
  *g = {m->options.tolerance * m->options.tolerance, 0.0, INFINITY, m->options.max_iterations, 0, false};
  for (bool more = m->options.max_iterations > 0; more; more = take_into(dots, g, &w)) {
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

/* Counts a solve whose verdict is there when the stream is done. */
static int take_verdict(batched_ctx *ctx, fem_mass *m, const solver_outcome *out)
{
  if (m->options.late) {
    fem_mass_postpone(m, out);
    return BATCHED_SUCCESS;
  }
  const int status = batched_synchronize(ctx);
  if (!status) fem_mass_count(m, 1, out->iterations, out->converged);
  return status;
}

static int solve_well(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  const fem_space *s = m->space;
  auto *st = static_cast<spectral *>(m->store);
  const int64_t n = energy_unknowns(s), wanted = ceil_div(n, THREADS);
  const vectors v = {n, st->lambda, m->work, m->work + n, m->work + 2 * n};
  const batched_scalar zero = {0.0, 0.0}, one = {1.0, 0.0};
  const batched_matrix basis = energy_blocks(s, st->basis);
  const int blocks = (int)(wanted < 1 ? 1 : wanted < st->most_blocks ? wanted : st->most_blocks);
  progress g = {};
  solver_outcome *out = st->verdicts + st->next;
  st->next = (st->next + 1) % SOLVER_LATE;
  const bool whole = comm_size() == 1 || st->peers;
  const companions others = next_companions(m);
  if (whole && fits_cluster(n)) {
    const int done =
      solve_in_cluster(ctx, v, {s->nt, st->basis}, others, b, x, m->options.tolerance, m->options.max_iterations, out);
    return done ? done : take_verdict(ctx, m, out);
  }
  int status = batched_gemv(ctx, BATCHED_TRANS, one, basis, energy_vectors(s, b), zero, energy_vectors(s, v.b));
  if (!whole)
    status = iterate_together(ctx, m, v, blocks, status, &g);
  else if (!status)
    status = iterate_here(ctx, m, v, others, blocks, out);
  if (!status)
    status = batched_gemv(ctx, BATCHED_NO_TRANS, one, basis, energy_vectors(s, v.x), zero, energy_vectors(s, x));
  if (status) return status;
  if (whole) return take_verdict(ctx, m, out);
  fem_mass_count(m, 1, &g.iterations, &g.converged);
  return status;
}

static int solve(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  const int status = solve_well(ctx, m, b, x);
  if (static_cast<const spectral *>(m->store)->peers) halo_peers_require(status, "the energy's conjugate gradients");
  return status;
}

const fem_mass_functions energy_spectral = {setup, nullptr, false, solve, false, teardown, nullptr};

} // namespace fem_cuda
