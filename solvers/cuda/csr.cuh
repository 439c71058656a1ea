/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of the table of sparse products that stand in files of their own.
 */
#ifndef SOLVERS_CUDA_CSR_CUH
#define SOLVERS_CUDA_CSR_CUH

#include "batched/cuda/launch.cuh"
#include "solvers/solvers.h"
#include "solvers/tables.h"

namespace solvers_cuda
{

int run_cusparse(batched_ctx *ctx, const void *args); // csr_vendor.cu

} // namespace solvers_cuda

#endif
