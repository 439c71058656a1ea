/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch.cuh"

const batched_variant batched_getrf_cuda[] = {BATCHED_LAST_ROW};
