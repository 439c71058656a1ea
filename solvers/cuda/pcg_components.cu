/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.resident of pcg where the vectors fit on the chip, on one GPU or, of ranks of one machine, on one each: each
 * component has blocks of its own, so that a block has few neighbours, few dot products to wait for, and lanes that are
 * full.
 *
 * With the diagonal the algorithm is that of host.fused.  With P, of which the matrix is there (zone inverses), z = P r
 * is not computed but stepped, z -= alpha P A p, so that one sum over all blocks an iteration is enough, from (p, w),
 * (r, z), (w, z), (w, P w), w = A p; A p and P A p are exchanged with the neighbours.  z is computed anew when (r, z)
 * has fallen by RENEWAL, or is not known from the last one.
 *
 * Of several ranks each has the rows that it owns, whole (pcg_whole.cu), so that an iteration is the same one as on one
 * GPU, and its words and dot products go to the other GPUs at the same time: one trip over NVLink, with P two.  In the
 * beginning b and D^-1 of foreign columns are exchanged, too, and all wait until all have begun.
 *   grid       cooperative, a block per multiprocessor, as many for each component and on each rank; fewer where a
 *              block would have less than 1024 entries
 *   block      512 threads, at most 128 registers; 1 to 32 lanes per row
 *   shared     8 (4 columns + rows) bytes, with P 8 (5 columns + rows), on several ranks columns for rows, and the
 *              image: 10 bytes per entry, with P 14, padded by some hundredths; that is in global memory (the L2 cache)
 *              where it does not fit
 *   takes      assembled matrices of a symmetric pattern, diagonal preconditioner, none, or one of that pattern, 1 to 3
 *              components, one rank, or peers with whole rows; double precision, P in single
 *   memory     the image once per solve and component, or once per iteration, from the L2 cache; per iteration and
 *              component 16 bytes written per row, 16 read per column of the halo, with P twice, and 64 per block by
 *              each block for the dot products; to another rank 16 per column that it needs, with P twice, and 64 per
 *              block
 *   accuracy   as cuda.fused (pcg.cu), with P rounded to single precision, which is as good a preconditioner; lanes by
 *              trees, warps, blocks and ranks in their order: the same bits in every run with the same number of blocks
 */
#include <algorithm>
#include <cmath>
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
  component_peers peers;   /* its lists are owned; nranks 0: there is one rank */
  int *near, *sent_start;
  mesh_cuda::flagged_word **sent;
};

void destroy_components(batched_ctx *ctx, component_solver *k)
{
  if (!k) return;
  void *all[] = {k->m.row_start, k->m.row, k->m.halo_start, k->m.halo, k->m.groups,   k->m.bytes,
                 k->w,           k->s,     k->dots,         k->near,   k->sent_start, k->sent};
  for (void *p : all) batched_release(ctx, p);
  if (k->outcome) cudaFreeHost(k->outcome);
  delete k;
}

template <bool ZONES, bool SHARED> static const void *find_kernel(bool peers)
{
  return peers ? reinterpret_cast<const void *>(iterate_component<ZONES, SHARED, true>)
               : reinterpret_cast<const void *>(iterate_component<ZONES, SHARED, false>);
}

static const void *find_kernel(const component_solver *k)
{
  const bool peers = k->peers.nranks;
  return k->zones    ? k->placed ? find_kernel<true, true>(peers) : find_kernel<true, false>(peers)
            : k->placed ? find_kernel<false, true>(peers)
                     : find_kernel<false, false>(peers);
}

/* What fits; false: not even the vectors. */
static bool choose_places(const matrix_image &m, component_solver *k)
{
  const size_t most = most_shared() - 2048,
               vectors = vector_bytes(k->zones, k->peers.nranks, m.most_rows, m.most_columns);
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
  return all ? allow_shared(find_kernel(k), k->shared) : BATCHED_NO_MEMORY;
}

/* The matrix whose rows this rank has whole. */
static const solver_csr *matrix_of(const solver_operator *a)
{
  return a->whole ? a->whole->matrix : a->csr;
}

/* The same number on all ranks. */
static int count_blocks(const solver_operator *a)
{
  double most = -(double)(multiprocessors() / a->ncomp), wanted = (double)matrix_of(a)->start[matrix_of(a)->nrows];
  if (a->whole) comm_max(&most, 1), comm_max(&wanted, 1);
  return (int)std::max(1.0, std::min({-most, std::ceil(wanted / RESIDENT_ENTRIES), (double)RESIDENT_BLOCKS}));
}

/* True where the vectors can fit, without halos: asked before an image is made, which takes its time. */
static bool may_fit(const solver_operator *a, int blocks)
{
  const double vectors = sizeof(double) * (double)a->n * (a->inverse ? 6 : 5);
  return vectors <= (double)most_shared() * blocks;
}

/* No blocks: memory is out, or it can't be. */
static matrix_image make_image_of(const solver_operator *a, int blocks)
{
  const solver_csr *matrix = matrix_of(a);
  try {
    std::vector<unsigned char> bits((size_t)matrix->nrows, 0);
    for (size_t i = 0; a->fixed && i < bits.size(); i++) bits[i] = a->fixed[i] & 7u;
    for (size_t i = 0; a->whole && i < a->whole->sent.size(); i++)
      bits[(size_t)a->whole->sent[i].row] |= (unsigned char)IMAGE_SENT;
    return make_image(matrix, a->inverse, bits.data(), blocks);
  } catch (const std::bad_alloc &) {
    return {};
  }
}

/* ------------------------------------------------------------------ several ranks */

int64_t component_room(int ncomp, int most_foreign)
{
  return (int64_t)PEER_REGIONS * ncomp * most_foreign +
         2 * (int64_t)ncomp * comm_size() * RESIDENT_BLOCKS * SOLVER_DOTS + comm_size();
}

/* Words of other solves go; all ranks have ended theirs before, and begin theirs behind. */
static int clear_room(batched_ctx *ctx, const component_peers &p, int ncomp)
{
  int status = batched_synchronize(ctx);
  comm_barrier();
  const size_t bytes = sizeof(mesh_cuda::flagged_word) * (size_t)component_room(ncomp, p.most_foreign);
  if (!status) status = batched_fill_zero(ctx, p.mine, bytes);
  if (!status) status = batched_synchronize(ctx);
  comm_barrier();
  return status;
}

static int place_sent(batched_ctx *ctx, const solver_whole_rows &w, const matrix_image &m, component_solver *k)
{
  std::vector<int> near, start(1, 0), position(m.row.size());
  std::vector<mesh_cuda::flagged_word *> sent(w.sent.size());
  for (int b = 0; b < m.blocks; b++) {
    const auto first = m.halo.begin() + m.halo_start[(size_t)b], last = m.halo.begin() + m.halo_start[(size_t)b + 1];
    near.push_back((int)(std::lower_bound(first, last, w.nowned) - first));
  }
  for (size_t i = 0; i < m.row.size(); i++) position[(size_t)m.row[i]] = (int)i;
  start.resize(m.row.size() + 1, 0);
  for (const solver_sent_row &s : w.sent) start[(size_t)position[(size_t)s.row] + 1]++;
  for (size_t i = 0; i < m.row.size(); i++) start[i + 1] += start[i];
  std::vector<int> next(start.begin(), start.end() - 1);
  for (const solver_sent_row &s : w.sent)
    sent[(size_t)next[(size_t)position[(size_t)s.row]]++] = k->peers.room[s.rank] + s.foreign;
  const bool placed = place(ctx, near, &k->near) && place(ctx, start, &k->sent_start) && place(ctx, sent, &k->sent);
  k->peers.near = k->near, k->peers.sent_start = k->sent_start, k->peers.sent = k->sent;
  return placed ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

static int find_peers(batched_ctx *ctx, const solver_operator *a, component_peers *p)
{
  mesh_cuda::peer_view view;
  int status = batched_copy_to_host(ctx, &view, halo_peers_view(a->peers), sizeof view);
  if (!status) status = batched_copy_to_host(ctx, p->room, view.inbox, sizeof *p->room * (size_t)view.nranks);
  if (status) return status;
  for (int r = 0; r < view.nranks; r++) p->room[r] += view.room;
  p->nranks = view.nranks, p->rank = view.rank, p->mine = p->room[view.rank];
  p->nrows = a->whole->nowned, p->most_foreign = a->whole->most_foreign;
  return BATCHED_SUCCESS;
}

/* ------------------------------------------------------------------ */

int create_components(batched_ctx *ctx, const solver_operator *a, component_solver **solver)
{
  *solver = nullptr;
  if (a->peers && !a->whole) return BATCHED_SUCCESS;
  const int blocks = count_blocks(a);
  bool fits = may_fit(a, blocks);
  if (a->whole ? comm_worst(!fits) : !fits) return BATCHED_SUCCESS;
  const matrix_image m = make_image_of(a, blocks);
  component_solver *k = new component_solver{};
  k->zones = a->inverse;
  int status = a->whole ? find_peers(ctx, a, &k->peers) : BATCHED_SUCCESS;
  fits = !status && m.blocks && choose_places(m, k);
  if (a->whole ? comm_worst(!fits) : !fits) {
    delete k;
    return status;
  }
  *solver = k;
  if (a->whole) status = clear_room(ctx, k->peers, a->ncomp);
  if (!status && a->whole) status = place_sent(ctx, *a->whole, m, k);
  return status ? status : place_image(ctx, a, m, k);
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
                           outcome,
                           k->peers};
  void *arguments[] = {&r};
  int status = status_of(cudaLaunchCooperativeKernel(find_kernel(k), dim3((unsigned)(a->ncomp * k->m.blocks)),
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
