/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations that have no kernels yet.
 */
#include "batched/band/band.h"

BATCHED_BAND_OPERATIONS(BATCHED_NO_ROWS)
