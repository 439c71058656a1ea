/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/tridiagonal/tridiagonal.h"

BATCHED_TRIDIAGONAL_OPERATIONS(BATCHED_NO_ROWS)
