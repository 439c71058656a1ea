/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_getri_op = {
  .name = "getri", .key = "getri", .variants = {batched_getri_host, batched_getri_cuda}};
