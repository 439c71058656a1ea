/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_copy_op = {.name = "copy", .key = "copy", .variants = {batched_copy_host, batched_copy_cuda}};
