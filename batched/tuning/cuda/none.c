/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/tuning/tuning.h"

const batched_family *const batched_families[] = {NULL};
