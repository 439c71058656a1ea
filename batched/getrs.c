/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_getrs_op = {
  .name = "getrs", .key = "getrs", .variants = {batched_getrs_host, batched_getrs_cuda}};
