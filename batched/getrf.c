/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_getrf_op = {
  .name = "getrf", .key = "getrf", .variants = {batched_getrf_host, batched_getrf_cuda}};
