/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/tlr/tlrgemm.h"

BATCHED_NO_ROWS(tlrgemm)
