/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_trsv_op = {.name = "trsv", .key = "trsv", .variants = {batched_trsv_host, batched_trsv_cuda}};
