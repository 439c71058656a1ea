/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.resident of pcg, for the table in pcg.cu, and what its two kernels share on the host; contracts:
 * pcg_resident.cu, for all components at once and several ranks, and pcg_components.cu, on one rank.
 */
#ifndef SOLVERS_CUDA_PCG_RESIDENT_CUH
#define SOLVERS_CUDA_PCG_RESIDENT_CUH

#include <vector>

#include "mesh/comm/cuda/peers.cuh"
#include "solvers/cuda/flagged_word.cuh"
#include "solvers/cuda/pcg.cuh"

namespace solvers_cuda
{

enum { RESIDENT_BLOCKS = 256, RESIDENT_CLUSTER = 4 }; /* at most; of a cluster, where there are several ranks */

enum { RESIDENT_ENTRIES = 1024 }; /* at least, of a block's part of the matrix */

/* Words with sequence number 0, which none awaits; NULL: no memory. */
flagged_word *allocate_words(batched_ctx *ctx, size_t n);

/* A copy in the context's memory. */
template <class T> bool place(batched_ctx *ctx, const std::vector<T> &host, T **p)
{
  const size_t bytes = sizeof(T) * host.size();
  *p = static_cast<T *>(batched_allocate(ctx, bytes ? bytes : 1));
  return *p && batched_copy_from_host(ctx, *p, host.data(), bytes) == BATCHED_SUCCESS;
}

/* The kernel that has blocks for each component: pcg_components.cu.  *solver is NULL, on all ranks, where it can't take
 * the matrix; what is not is to be destroyed in any case.  Collective; throws std::bad_alloc. */
struct component_solver;
int create_components(batched_ctx *ctx, const solver_operator *a, component_solver **solver);
void destroy_components(batched_ctx *ctx, component_solver *solver);
int solve_components(batched_ctx *ctx, const solver_pcg_args *args, component_solver *solver);

/* Words that it needs, and that row cuda.resident needs, in the inboxes of peers: see halo_peers_create.
 * most_foreign: of solver_whole_rows; 0: there are none. */
int64_t component_room(int ncomp, int most_foreign);
int64_t resident_room(int ncomp, int most_foreign);

/* Row cuda.resident: whether it can, whether it should, and the solve. */
bool has_matrix(const void *args);
bool is_resident(const void *args);
int run_resident(batched_ctx *ctx, const void *args);

} // namespace solvers_cuda

#endif
