/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.inner and cuda.outer of tlrgemm: calls of other operations, as on the host.
 */
#include "batched/cuda/rows.cuh"
#include "batched/lowrank/compose.h"

const batched_variant batched_tlrgemm_cuda[] = {
  {"cuda.inner", nullptr, nullptr, lowrank_tlrgemm_inner},
  {"cuda.outer", lowrank_can_be_outer, batched_cuda::never, lowrank_tlrgemm_outer},
  BATCHED_LAST_ROW,
};
