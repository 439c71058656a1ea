/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/vectors/vectors.h"

BATCHED_VECTORS_OPERATIONS(BATCHED_NO_ROWS)
