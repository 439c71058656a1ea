/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_trtri_op = {
  .name = "trtri", .key = "trtri", .variants = {batched_trtri_host, batched_trtri_cuda}};
