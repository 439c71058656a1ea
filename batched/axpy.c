/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

const batched_op batched_axpy_op = {.name = "axpy", .key = "axpy", .variants = {batched_axpy_host, batched_axpy_cuda}};
