/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_trmm_op = {.name = "trmm", .key = "trmm", .variants = {batched_trmm_host, batched_trmm_cuda}};
