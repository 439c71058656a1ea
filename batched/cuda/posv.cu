/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch.cuh"

const batched_variant batched_posv_cuda[] = {BATCHED_LAST_ROW};
