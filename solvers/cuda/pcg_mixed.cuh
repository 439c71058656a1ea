/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.mixed and cuda.mixed_looped of pcg, for the table in pcg.cu; contract: pcg_mixed.cu.
 */
#ifndef SOLVERS_CUDA_PCG_MIXED_CUH
#define SOLVERS_CUDA_PCG_MIXED_CUH

#include "batched/cuda/launch.cuh"

namespace solvers_cuda
{

/* Is the operator on one rank, with a split that has products in single precision? */
bool has_single(const void *args);
/* A solve by it.  recorded: the loop is a graph with a conditional node; else the host has it. */
int run_mixed(batched_ctx *ctx, const void *args, bool recorded);

} // namespace solvers_cuda

#endif
