/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_ungqr_op = {
  .name = "ungqr", .key = "ungqr", .variants = {batched_ungqr_host, batched_ungqr_cuda}};
