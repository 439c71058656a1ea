/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_scal_op = {.name = "scal", .key = "scal", .variants = {batched_scal_host, batched_scal_cuda}};
