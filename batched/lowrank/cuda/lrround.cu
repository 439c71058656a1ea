/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.composed of lrround: calls of other operations, as on the host.
 */
#include "batched/cuda/rows.cuh"
#include "batched/lowrank/compose.h"

const batched_variant batched_lrround_cuda[] = {
  {"cuda.composed", nullptr, nullptr, lowrank_compose_lrround},
  BATCHED_LAST_ROW,
};
