/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "solvers/tables.h"

const batched_variant solver_cuda_combine[] = {{0}};
const batched_variant solver_cuda_dot[] = {{0}};
const batched_variant solver_cuda_checksum[] = {{0}};
const batched_variant solver_cuda_spmv[] = {{0}};
const batched_variant solver_cuda_pcg[] = {{0}};
