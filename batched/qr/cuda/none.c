/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/qr/qr.h"

BATCHED_QR_OPERATIONS(BATCHED_NO_ROWS)
