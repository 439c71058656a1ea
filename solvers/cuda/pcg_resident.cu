/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.resident of pcg: the algorithm of host.fused for an assembled matrix, a whole solve in one cooperative
 * kernel (pcg_resident_kernel.cuh).  A block of threads owns some rows: its part of the matrix and of the vectors stays
 * in the shared memory of its multiprocessor.  Only dot products and the entries of A p that other blocks need go
 * through global memory, both at the same time, as a block updates r and p of its halo, too.  There is no grid barrier:
 * blocks wait for the numbers themselves (flagged_word.cuh), and each adds up all dot products and takes the step for
 * itself.  So do those of several ranks of one machine, each on a GPU of its own.  Where the vectors fit so, each
 * component has blocks of its own: pcg_components.cu.
 *   grid       a block per multiprocessor, up to 256, and fewer where a block would have less than 1024 entries; of
 *              several ranks in clusters of 4
 *   block      512 threads, at most 128 registers; 8 lanes per row, or 16 from 40 entries per row on
 *   shared     a block's vectors, 8 (ncomp (3 columns + rows) + columns) bytes, and its matrix, 10 bytes per entry and
 *              5 per row; in global memory what does not fit
 *   takes      assembled matrices of up to 2^31 - 1 entries, diagonal preconditioner or none, 1 to 3 components; double
 *              precision.  Default where 12 bytes per entry are 4/5 of the L2 cache at most
 *   memory     the matrix once per solve if it is shared, else once per iteration from the L2 cache; per iteration and
 *              component 16 bytes written per row, 16 read per column of the halo, and 64 per block by each block for
 *              the dot products
 *   accuracy   as cuda.fused (pcg.cu); lanes by trees, warps, blocks and ranks in their order: the same bits in every
 *              run with the same number of blocks
 */
#include "solvers/cuda/pcg_resident.cuh"

#include <algorithm>
#include <new>

#include "mesh/comm/comm.h"
#include "solvers/cuda/pcg_division.cuh"
#include "solvers/cuda/pcg_resident_kernel.cuh"

namespace solvers_cuda
{

struct resident_cache {
  solver_pcg_cache base; /* first, so that a pointer to it is one to this */
  batched_ctx *ctx;
  component_solver *components; /* owned; NULL: all that follows is needed */
  divided m;
  placement place;
  size_t shared; /* bytes */
  flagged_word *w, *dots;
  double *area;
  int *rank_clusters; /* see resident_peers; NULL: there is one rank */
  int most_clusters;
  uint64_t sequence; /* of the next solve's first iteration */
  pcg_state *last;   /* pinned: the kernel writes it */
};

static void destroy_cache(solver_pcg_cache *base)
{
  resident_cache *k = reinterpret_cast<resident_cache *>(base);
  void *all[] = {k->m.row_start, k->m.row,   k->m.halo_start, k->m.halo,   k->m.entry_start,
                 k->m.column,    k->m.value, k->m.fixed,      k->m.shared, k->w,
                 k->dots,        k->area,    k->rank_clusters};
  for (void *p : all) batched_release(k->ctx, p);
  destroy_components(k->ctx, k->components);
  if (k->last) cudaFreeHost(k->last);
  delete k;
}

/* Which rows other ranks have, too: numbers [n] and flags [n], by position. */
static bool find_shared(batched_ctx *ctx, const solver_operator *a, const division &d, std::vector<int> *numbers,
                        std::vector<unsigned char> *flags)
{
  mesh_cuda::peer_view view;
  if (batched_copy_to_host(ctx, &view, halo_peers_view(a->peers), sizeof view)) return false;
  std::vector<int> shared((size_t)view.nshared), number_of((size_t)a->n, -1);
  if (batched_copy_to_host(ctx, shared.data(), view.shared, sizeof(int) * shared.size())) return false;
  for (size_t s = 0; s < shared.size(); s++) number_of[(size_t)shared[s]] = (int)s;
  for (size_t i = 0; i < flags->size(); i++) {
    const int row = d.row[i], number = number_of[(size_t)row];
    (*numbers)[i] = number;
    if (number >= 0) (*flags)[i] |= SHARED_ROW;
    if (row >= a->nowned) (*flags)[i] |= ROW_OF_ANOTHER;
  }
  return true;
}

static bool place_matrix(batched_ctx *ctx, const solver_operator *a, const division &d, divided *m)
{
  std::vector<unsigned char> fixed((size_t)a->n, 0);
  for (size_t i = 0; a->fixed && i < fixed.size(); i++) fixed[i] = a->fixed[d.row[i]];
  if (a->peers) {
    std::vector<int> shared((size_t)a->n);
    if (!find_shared(ctx, a, d, &shared, &fixed) || !place(ctx, shared, &m->shared)) return false;
  }
  m->blocks = d.blocks;
  m->most_rows = d.most_rows;
  m->most_columns = d.most_columns;
  m->most_entries = d.most_entries;
  return place(ctx, d.row_start, &m->row_start) && place(ctx, d.row, &m->row) &&
         place(ctx, d.halo_start, &m->halo_start) && place(ctx, d.halo, &m->halo) &&
         place(ctx, d.entry_start, &m->entry_start) && place(ctx, d.column, &m->column) &&
         place(ctx, d.value, &m->value) && place(ctx, fixed, &m->fixed);
}

template <int NC, bool PEERS, int LANES> static const void *find_kernel(placement place)
{
  if (place == NOTHING) return reinterpret_cast<const void *>(iterate<NC, NOTHING, PEERS, LANES>);
  if (place == VECTORS) return reinterpret_cast<const void *>(iterate<NC, VECTORS, PEERS, LANES>);
  return reinterpret_cast<const void *>(iterate<NC, EVERYTHING, PEERS, LANES>);
}

/* Rows of few entries have 8 lanes, others 16. */
template <int NC, bool PEERS> static const void *find_kernel(const solver_csr *a, placement place)
{
  return a->start[a->nrows] < 40 * (int64_t)a->nrows ? find_kernel<NC, PEERS, 8>(place)
                                                     : find_kernel<NC, PEERS, 16>(place);
}

template <bool PEERS> static const void *find_kernel(const solver_operator *a, placement place)
{
  return a->ncomp == 1   ? find_kernel<1, PEERS>(a->csr, place)
         : a->ncomp == 2 ? find_kernel<2, PEERS>(a->csr, place)
                         : find_kernel<3, PEERS>(a->csr, place);
}

static const void *find_kernel(const solver_operator *a, placement place)
{
  return a->peers ? find_kernel<true>(a, place) : find_kernel<false>(a, place);
}

/* Puts as much of a block as fits into shared memory. */
static int choose_placement(resident_cache *k, const solver_operator *a)
{
  const size_t most = most_shared() - 4096, vectors = sizeof(double) * (size_t)area_doubles(k->m, a->ncomp);
  k->place = vectors > most ? NOTHING : vectors + matrix_bytes(k->m) > most ? VECTORS : EVERYTHING;
  k->shared = k->place == NOTHING ? 0 : k->place == VECTORS ? vectors : vectors + matrix_bytes(k->m);
  /* of the kernel, which other caches have, too */
  return status_of(
    cudaFuncSetAttribute(find_kernel(a, k->place), cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most));
}

/* Blocks that have to be resident together, of several ranks in clusters. */
static cudaLaunchConfig_t launch_of(const solver_operator *a, int blocks, size_t shared,
                                    cudaLaunchAttribute (&attributes)[2])
{
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = RESIDENT_CLUSTER;
  attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = (unsigned)blocks;
  config.blockDim = RESIDENT_THREADS;
  config.dynamicSmemBytes = shared;
  config.attrs = attributes;
  config.numAttrs = a->peers ? 2 : 1;
  return config;
}

/* Blocks that a GPU holds, one on a multiprocessor. */
static cudaError_t most_resident(const solver_operator *a, int *blocks)
{
  int device;
  cudaError_t error = cudaGetDevice(&device);
  if (!error) error = cudaDeviceGetAttribute(blocks, cudaDevAttrMultiProcessorCount, device);
  if (error || !a->peers) return error;
  const void *kernel = find_kernel(a, EVERYTHING);
  const size_t shared = most_shared() - 4096;
  cudaLaunchAttribute attributes[2] = {};
  const cudaLaunchConfig_t config = launch_of(a, RESIDENT_CLUSTER, shared, attributes);
  int clusters = 0;
  error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
  if (!error) error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
  *blocks = RESIDENT_CLUSTER * clusters;
  return error;
}

/* As many blocks as a GPU holds, and no more than RESIDENT_BLOCKS; fewer where a block would have less than
 * RESIDENT_ENTRIES entries. */
static int count_blocks(const solver_operator *a, int *blocks)
{
  int most = 0;
  const cudaError_t error = most_resident(a, &most);
  const int64_t unit = a->peers ? RESIDENT_CLUSTER : 1,
                units = ceil_div(a->csr->start[a->csr->nrows], unit * RESIDENT_ENTRIES);
  *blocks = (int)(unit * std::max<int64_t>(1, std::min<int64_t>({units, most / unit, RESIDENT_BLOCKS / unit})));
  return status_of(error);
}

flagged_word *allocate_words(batched_ctx *ctx, size_t n)
{
  const size_t bytes = sizeof(flagged_word) * (n + 1);
  void *p = batched_allocate(ctx, bytes);
  if (!p || batched_fill_zero(ctx, p, bytes) == BATCHED_SUCCESS) return static_cast<flagged_word *>(p);
  batched_release(ctx, p);
  return nullptr;
}

/* Gathers the number of clusters of each rank.  Collective. */
static bool exchange_clusters(batched_ctx *ctx, resident_cache *k)
{
  std::vector<int> mine((size_t)comm_size(), k->m.blocks / RESIDENT_CLUSTER), theirs((size_t)comm_size());
  comm_exchange_counts(mine.data(), theirs.data());
  k->most_clusters = *std::max_element(theirs.begin(), theirs.end());
  return place(ctx, theirs, &k->rank_clusters);
}

/* The status of all ranks where there are several. */
static int agree(const solver_operator *a, int status)
{
  return a->peers && comm_worst(status) && !status ? BATCHED_NO_MEMORY : status;
}

/* By components, if it fits. */
static int find_components(batched_ctx *ctx, const solver_operator *a, resident_cache *k)
{
  int status;
  try {
    status = create_components(ctx, a, &k->components);
  } catch (const std::bad_alloc &) {
    status = BATCHED_NO_MEMORY;
  }
  return agree(a, status);
}

static int fill_cache(batched_ctx *ctx, const solver_operator *a, resident_cache *k)
{
  int status = find_components(ctx, a, k);
  if (status || k->components) return status;
  if (a->precondition) return BATCHED_DOES_NOT_FIT;
  int blocks;
  status = count_blocks(a, &blocks);
  if (status) return status;
  try {
    const bool placed = place_matrix(ctx, a, divide_rows(a->csr, blocks), &k->m);
    if (agree(a, placed ? BATCHED_SUCCESS : BATCHED_NO_MEMORY)) return BATCHED_NO_MEMORY;
    if (a->peers && !exchange_clusters(ctx, k)) return BATCHED_NO_MEMORY;
  } catch (const std::bad_alloc &) {
    return BATCHED_NO_MEMORY;
  }
  status = choose_placement(k, a);
  if (status) return status;
  const size_t area = k->place == NOTHING ? (size_t)area_doubles(k->m, a->ncomp) * (size_t)blocks : 1;
  k->sequence = 1;
  k->w = allocate_words(ctx, 2 * (size_t)(a->ncomp * a->n));
  k->dots = allocate_words(ctx, 2 * SOLVER_DOTS * (size_t)a->ncomp * (size_t)blocks);
  k->area = static_cast<double *>(batched_allocate(ctx, sizeof(double) * area));
  const bool pinned = cudaMallocHost(&k->last, sizeof *k->last) == cudaSuccess;
  if (!pinned) cudaGetLastError();
  return pinned && k->w && k->dots && k->area ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

static bool is_for(const solver_pcg_cache *base, batched_ctx *ctx)
{
  return base->destroy == destroy_cache && reinterpret_cast<const resident_cache *>(base)->ctx == ctx;
}

static int find_cache(batched_ctx *ctx, solver_operator *a)
{
  if (a->cache && !is_for(a->cache, ctx)) solver_operator_forget(a);
  if (a->cache) return BATCHED_SUCCESS;
  resident_cache *k = new (std::nothrow) resident_cache{};
  if (!k) return BATCHED_NO_MEMORY;
  a->cache = &k->base;
  k->base.destroy = destroy_cache;
  k->ctx = ctx;
  const int status = agree(a, fill_cache(ctx, a, k));
  if (status) solver_operator_forget(a);
  return status;
}

/* The next solve's first w and dot products must be no words that this one left, or that others may still read: all
 * have read the dot products before the last, and the words of those have the parity of the next ones. */
static uint64_t next_sequence(const resident_cache *k)
{
  return k->sequence + (uint64_t)k->last->iteration + 2;
}

static int solve(batched_ctx *ctx, const solver_pcg_args *args)
{
  solver_operator *a = args->matrix;
  int status = BATCHED_SUCCESS;
  resident_cache *k = reinterpret_cast<resident_cache *>(a->cache);
  if (k->components) return solve_components(ctx, args, k->components);
  resident_arguments r = {k->m,    a->n,    a->inverse_diagonal, args->b,           args->x, k->w,
                          k->dots, k->area, k->sequence,         first_state(args), k->last, {}};
  if (a->peers) r.peers = {halo_peers_view(a->peers), k->rank_clusters, k->most_clusters};
  void *arguments[] = {&r};
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = launch_of(a, k->m.blocks, k->shared, attributes);
  config.stream = stream_of(ctx);
  status = status_of(cudaLaunchKernelExC(&config, find_kernel(a, k->place), arguments));
  if (!status) status = batched_synchronize(ctx);
  if (status) return status;
  k->sequence = next_sequence(k);
  report(args, *k->last);
  return status;
}

int run_resident(batched_ctx *ctx, const void *p)
{
  const solver_pcg_args *args = static_cast<const solver_pcg_args *>(p);
  int status = find_cache(ctx, args->matrix);
  if (status) return status; // on all ranks
  status = solve(ctx, args);
  if (args->matrix->peers) halo_peers_require(status, "conjugate gradients");
  return status;
}

int64_t resident_room(int ncomp, int most_foreign)
{
  return std::max(2 * (int64_t)comm_size() * ncomp * SOLVER_DOTS * (RESIDENT_BLOCKS / RESIDENT_CLUSTER),
                  component_room(ncomp, most_foreign));
}

bool has_matrix(const void *args)
{
  const solver_operator *a = static_cast<const solver_pcg_args *>(args)->matrix;
  const bool whole = comm_size() == 1 || a->peers;
  const bool known = !a->precondition || (a->inverse && (comm_size() == 1 || a->whole));
  return a->csr && whole && known && a->recordable && a->csr->start[a->csr->nrows] <= INT_MAX;
}

static int64_t cache_bytes()
{
  int device = 0, bytes = 0;
  if (cudaGetDevice(&device) == cudaSuccess) cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device);
  return bytes;
}

bool is_resident(const void *args)
{
  const int64_t most_bytes = cache_bytes() / 5 * 4; // room for the vectors, too
  const solver_operator *a = static_cast<const solver_pcg_args *>(args)->matrix;
  /* all ranks have to choose the same, so who made the peers has chosen */
  if (a->peers) return halo_peers_sharing(a->peers) == 1;
  return 12 * a->csr->start[a->csr->nrows] <= most_bytes;
}

} // namespace solvers_cuda
