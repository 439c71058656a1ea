/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/lu/lu.h"

BATCHED_LU_OPERATIONS(BATCHED_NO_ROWS)
