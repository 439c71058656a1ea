/* SPDX-License-Identifier: BSD-3-Clause
 *
 * No kernels yet: on a GPU these operations have no rows.
 */
#include "batched/tridiagonal/tridiagonal.h"
#include "batched/cuda/launch.cuh"

BATCHED_TRIDIAGONAL_OPERATIONS(BATCHED_NO_ROWS)
