/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_geqrf_op = {
  .name = "geqrf", .key = "geqrf", .variants = {batched_geqrf_host, batched_geqrf_cuda}};
