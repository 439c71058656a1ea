/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of lrtriangle: reflections of rows in registers (lrtriangle_registers.cuh), and cuda.composed, by geqrf.
 */
#include "batched/lowrank/cuda/lrtriangle_registers.cuh"

using namespace batched_cuda;
using namespace batched_cuda::lowrank;

const batched_variant batched_lrtriangle_cuda[] = {
  row<fits_lrtriangle_registers, batched_by_table, run_lrtriangle_registers>("cuda.registers"),
  {"cuda.composed", nullptr, nullptr, lowrank_compose_lrtriangle},
  BATCHED_LAST_ROW,
};
