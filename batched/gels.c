/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_gels_op = {.name = "gels", .key = "gels", .variants = {batched_gels_host, batched_gels_cuda}};
