/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of lrbasis: by a sketch (lrbasis_sketch.cuh), and cuda.composed, by geqrf and ungqr.
 */
#include "batched/lowrank/cuda/lrbasis_sketch.cuh"

using namespace batched_cuda;
using namespace batched_cuda::lowrank;

const batched_variant batched_lrbasis_cuda[] = {
  row<fits_lrbasis_sketch, batched_by_table, run_lrbasis_sketch>("cuda.sketch"),
  {"cuda.composed", nullptr, nullptr, lowrank_compose_lrbasis},
  BATCHED_LAST_ROW,
};
