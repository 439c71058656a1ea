/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/operations.h"

#define ADDRESS(op) &batched_##op##_op,
const batched_op *const batched_operations[] = {BATCHED_EACH_OPERATION(ADDRESS) NULL};
