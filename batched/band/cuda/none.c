/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/band/band.h"

BATCHED_BAND_OPERATIONS(BATCHED_NO_ROWS)
