/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/lowrank/lowrank.h"

BATCHED_LOWRANK_OPERATIONS(BATCHED_NO_ROWS)
