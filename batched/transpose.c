/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_transpose_op = {
  .name = "transpose", .key = "transpose", .variants = {batched_transpose_host, batched_transpose_cuda}};
