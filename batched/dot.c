/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_dot_op = {.name = "dot", .key = "dot", .variants = {batched_dot_host, batched_dot_cuda}};
