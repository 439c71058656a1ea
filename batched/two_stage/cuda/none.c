/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/two_stage/general_steps.h"

BATCHED_TWO_STAGE_OPERATIONS(BATCHED_NO_ROWS)

const batched_two_stage_steps batched_two_stage_cuda_steps = {0};
const batched_general_steps batched_general_cuda_steps = {0};
