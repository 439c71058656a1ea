/* SPDX-License-Identifier: BSD-3-Clause */
#include "impl.h"

const batched_op *const batched_operations[] = {NULL};
