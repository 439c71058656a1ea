/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_CUDA_PCG_RESIDENT_CUH
#define SOLVERS_CUDA_PCG_RESIDENT_CUH

#include "mesh/comm/cuda/peers.cuh"
#include "solvers/cuda/pcg.cuh"

namespace solvers_cuda
{

enum { RESIDENT_BLOCKS = 256, RESIDENT_CLUSTER = 4 }; /* at most; of a cluster, where there are several ranks */

/* Words that it needs in the inboxes of peers: see halo_peers_create. */
int64_t resident_room(int ncomp);

/* Row cuda.resident: whether it can, whether it should, and the solve. */
bool has_matrix(const void *args);
bool is_resident(const void *args);
int run_resident(batched_ctx *ctx, const void *args);

} // namespace solvers_cuda

#endif
