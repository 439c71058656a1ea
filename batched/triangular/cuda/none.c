/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/triangular/triangular.h"

BATCHED_TRIANGULAR_OPERATIONS(BATCHED_NO_ROWS)
