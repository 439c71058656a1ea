/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_unmqr_op = {
  .name = "unmqr", .key = "unmqr", .variants = {batched_unmqr_host, batched_unmqr_cuda}};
