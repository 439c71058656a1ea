/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_set_op = {.name = "set", .key = "set", .variants = {batched_set_host, batched_set_cuda}};
