/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_posv_op = {.name = "posv", .key = "posv", .variants = {batched_posv_host, batched_posv_cuda}};
