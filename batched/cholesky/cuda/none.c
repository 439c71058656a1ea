/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/cholesky/cholesky.h"

BATCHED_CHOLESKY_OPERATIONS(BATCHED_NO_ROWS)
