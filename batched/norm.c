/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_norm_op = {.name = "norm", .key = "norm", .variants = {batched_norm_host, batched_norm_cuda}};
