/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of lrcore: one-sided Jacobi in shared memory (lrcore_jacobi.cuh), and cuda.composed, which is gesvd.
 */
#include "batched/lowrank/cuda/lrcore_jacobi.cuh"

using namespace batched_cuda;
using namespace batched_cuda::lowrank;

const batched_variant batched_lrcore_cuda[] = {
  row<fits_lrcore_jacobi, batched_by_table, run_lrcore_jacobi>("cuda.jacobi"),
  {"cuda.composed", nullptr, nullptr, lowrank_compose_lrcore},
  BATCHED_LAST_ROW,
};
