/* SPDX-License-Identifier: BSD-3-Clause
 *
 * No kernels yet: on a GPU these operations have no rows.
 */
#include "batched/cuda/launch.cuh"
#include "batched/qr/qr.h"

BATCHED_NO_ROWS(gelqf)
BATCHED_NO_ROWS(unmlq)
BATCHED_NO_ROWS(unglq)
