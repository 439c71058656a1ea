/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of lrqr: reflections of rows in registers (lrqr_registers.cuh), and cuda.composed, by geqrf and ungqr.
 */
#include "batched/lowrank/cuda/lrqr_registers.cuh"

using namespace batched_cuda;
using namespace batched_cuda::lowrank;

const batched_variant batched_lrqr_cuda[] = {
  row<fits_lrqr_registers, batched_by_table, run_lrqr_registers>("cuda.registers"),
  {"cuda.composed", nullptr, nullptr, lowrank_compose_lrqr},
  BATCHED_LAST_ROW,
};
