/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_potri_op = {
  .name = "potri", .key = "potri", .variants = {batched_potri_host, batched_potri_cuda}};
