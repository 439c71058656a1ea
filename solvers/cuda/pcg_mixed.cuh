/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_CUDA_PCG_MIXED_CUH
#define SOLVERS_CUDA_PCG_MIXED_CUH

#include "batched/cuda/launch.cuh"

namespace solvers_cuda
{

/* Row cuda.mixed of solver_pcg, for an operator on one rank that has products in single precision.  recorded: the loop
 * is a graph with a conditional node; else the host has it. */
bool has_single(const void *args);
int run_mixed(batched_ctx *ctx, const void *args, bool recorded);

} // namespace solvers_cuda

#endif
