/* SPDX-License-Identifier: BSD-3-Clause
 *
 * No kernels yet: on a GPU these operations have no rows.
 */
#include "batched/condensed/condensed.h"
#include "batched/cuda/launch.cuh"

BATCHED_NO_ROWS(gebrd)
BATCHED_NO_ROWS(hetrd)
BATCHED_NO_ROWS(gehrd)
