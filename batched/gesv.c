/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_gesv_op = {.name = "gesv", .key = "gesv", .variants = {batched_gesv_host, batched_gesv_cuda}};
