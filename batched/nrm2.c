/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_nrm2_op = {.name = "nrm2", .key = "nrm2", .variants = {batched_nrm2_host, batched_nrm2_cuda}};
