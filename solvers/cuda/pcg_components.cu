/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.resident of pcg on one GPU, where the vectors fit on the chip: each component has blocks of its own, so that
 * a block has few neighbours, few dot products to wait for, and lanes that are full.
 *
 * With the diagonal the algorithm is that of host.fused.  With P, of which the matrix is there (zone inverses), z = P r
 * is not computed but stepped, z -= alpha P A p, so that one sum over all blocks an iteration is enough, from (p, w),
 * (r, z), (w, z), (w, P w), w = A p; A p and P A p are exchanged with the neighbours.  z is computed anew when (r, z)
 * has fallen by RENEWAL, or is not known from the last one.
 *   grid       cooperative, a block per multiprocessor, as many for each component; fewer where a block would have less
 *              than 1024 entries
 *   block      512 threads, at most 128 registers; 1 to 32 lanes per row
 *   shared     8 (4 columns + rows) bytes, with P 8 (5 columns + rows), and the image: 10 bytes per entry, with P 14,
 *              padded by some hundredths; that is in global memory (the L2 cache) where it does not fit
 *   takes      assembled matrices of a symmetric pattern, diagonal preconditioner, none, or one of that pattern, 1 to 3
 *              components, one rank; double precision, P in single
 *   memory     the image once per solve and component, or once per iteration, from the L2 cache; per iteration and
 *              component 16 bytes written per row, 16 read per column of the halo, with P twice, and 64 per block by
 *              each block for the dot products
 *   accuracy   as cuda.fused (pcg.cu), with P rounded to single precision, which is as good a preconditioner; lanes by
 *              trees, warps and blocks in their order: the same bits in every run with the same number of blocks
 */
#include <algorithm>
#include <new>

#include "mesh/comm/comm.h"
#include "solvers/cuda/pcg_components.cuh"
#include "solvers/cuda/pcg_resident.cuh"

namespace solvers_cuda
{

struct component_solver {
  image_view m;
  bool zones, placed; /* placed: the image is in shared memory */
  size_t shared;      /* bytes */
  flagged_word *w, *s, *dots;
  uint64_t sequence;       /* of the next solve's first iteration */
  solver_outcome *outcome; /* [SOLVER_LATE], pinned: the kernels write it */
  int next;                /* of those */
};

void destroy_components(batched_ctx *ctx, component_solver *k)
{
  if (!k) return;
  void *all[] = {k->m.row_start, k->m.row, k->m.halo_start, k->m.halo, k->m.groups, k->m.bytes, k->w, k->s, k->dots};
  for (void *p : all) batched_release(ctx, p);
  if (k->outcome) cudaFreeHost(k->outcome);
  delete k;
}

static const void *find_kernel(bool zones, bool placed)
{
  if (zones)
    return placed ? reinterpret_cast<const void *>(iterate_component<true, true>)
                  : reinterpret_cast<const void *>(iterate_component<true, false>);
  return placed ? reinterpret_cast<const void *>(iterate_component<false, true>)
                : reinterpret_cast<const void *>(iterate_component<false, false>);
}

/* What fits; false: not even the vectors. */
static bool choose_places(const matrix_image &m, component_solver *k)
{
  const size_t most = most_shared() - 2048, vectors = k->zones ? vector_bytes<true>(m.most_rows, m.most_columns)
                                                               : vector_bytes<false>(m.most_rows, m.most_columns);
  k->placed = vectors + m.layout.bytes <= most;
  k->shared = k->placed ? vectors + m.layout.bytes : vectors;
  return vectors <= most;
}

static int place_image(batched_ctx *ctx, const solver_operator *a, const matrix_image &m, component_solver *k)
{
  k->m.blocks = m.blocks, k->m.most_rows = m.most_rows, k->m.most_columns = m.most_columns, k->m.layout = m.layout;
  const size_t words = 2 * (size_t)a->ncomp;
  k->sequence = 1;
  k->w = allocate_words(ctx, words * (size_t)a->n);
  k->s = allocate_words(ctx, k->zones ? words * (size_t)a->n : 0);
  k->dots = allocate_words(ctx, words * SOLVER_DOTS * (size_t)m.blocks);
  if (cudaMallocHost(&k->outcome, sizeof *k->outcome * SOLVER_LATE) != cudaSuccess) {
    cudaGetLastError();
    k->outcome = nullptr;
  }
  const bool all = k->w && k->s && k->dots && k->outcome && place(ctx, m.row_start, &k->m.row_start) &&
                   place(ctx, m.row, &k->m.row) && place(ctx, m.halo_start, &k->m.halo_start) &&
                   place(ctx, m.halo, &k->m.halo) && place(ctx, m.groups, &k->m.groups) &&
                   place(ctx, m.bytes, &k->m.bytes);
  return all ? allow_shared(find_kernel(k->zones, k->placed), k->shared) : BATCHED_NO_MEMORY;
}

static int count_blocks(const solver_operator *a)
{
  const int64_t most = multiprocessors() / a->ncomp, units = ceil_div(a->csr->start[a->csr->nrows], RESIDENT_ENTRIES);
  return (int)std::max<int64_t>(1, std::min<int64_t>(units, most));
}

/* Can the vectors fit?  Before an image is made, which takes its time: without halos. */
static bool may_fit(const solver_operator *a, int blocks)
{
  const double vectors = sizeof(double) * (double)a->n * (a->inverse ? 6 : 5);
  return vectors <= (double)most_shared() * blocks;
}

int create_components(batched_ctx *ctx, const solver_operator *a, component_solver **solver)
{
  *solver = nullptr;
  const int blocks = count_blocks(a);
  if (!may_fit(a, blocks)) return BATCHED_SUCCESS;
  const matrix_image m = make_image(a->csr, a->inverse, a->fixed, blocks);
  component_solver *k = new component_solver{};
  k->zones = a->inverse;
  if (!m.blocks || !choose_places(m, k)) {
    delete k;
    return BATCHED_SUCCESS;
  }
  *solver = k;
  return place_image(ctx, a, m, k);
}

/* Beyond all that a solve can use: an exchange in each iteration, perhaps another one after it, and one before. */
static uint64_t next_sequence(uint64_t sequence, int max_iterations)
{
  return sequence + 2 * (uint64_t)std::max(max_iterations, 0) + 4;
}

int solve_components(batched_ctx *ctx, const solver_pcg_args *args, component_solver *k)
{
  const solver_operator *a = args->matrix;
  solver_outcome *outcome = k->outcome + k->next;
  k->next = (k->next + 1) % SOLVER_LATE;
  component_arguments r = {k->m,
                           a->ncomp,
                           args->coupled,
                           a->n,
                           a->inverse_diagonal,
                           args->b,
                           args->x,
                           k->w,
                           k->s,
                           k->dots,
                           k->sequence,
                           args->tolerance,
                           args->max_iterations,
                           outcome};
  void *arguments[] = {&r};
  int status =
    status_of(cudaLaunchCooperativeKernel(find_kernel(k->zones, k->placed), dim3((unsigned)(a->ncomp * k->m.blocks)),
                                          dim3(IMAGE_THREADS), arguments, k->shared, stream_of(ctx)));
  k->sequence = next_sequence(k->sequence, args->max_iterations);
  if (!status && args->late) {
    *args->late = outcome;
    return status;
  }
  if (!status) status = batched_synchronize(ctx);
  for (int c = 0; c < a->ncomp && !status; c++) {
    args->iterations[c] = outcome->iterations[c];
    args->converged[c] = outcome->converged[c];
  }
  return status;
}

} // namespace solvers_cuda
