/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_symv_op = {.name = "symv", .key = "symv", .variants = {batched_symv_host, batched_symv_cuda}};
