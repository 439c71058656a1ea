/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_syrk_op = {.name = "syrk", .key = "syrk", .variants = {batched_syrk_host, batched_syrk_cuda}};
