/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of the operations on the Q and P of the reductions.
 */
#include "batched/condensed/cuda/composed.cuh"

using namespace batched_cuda;
using namespace batched_cuda::condensed;

#define ONE_ROW(op) \
  const batched_variant batched_##op##_cuda[] = {row<nullptr, nullptr, op##_composed>("cuda.composed"), \
                                                 BATCHED_LAST_ROW};
ONE_ROW(ungbr)
ONE_ROW(unmbr)
ONE_ROW(ungtr)
ONE_ROW(unmtr)
ONE_ROW(unghr)
ONE_ROW(unmhr)
