/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/condensed/condensed.h"

BATCHED_CONDENSED_OPERATIONS(BATCHED_NO_ROWS)
