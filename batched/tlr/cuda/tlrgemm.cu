/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.inner and cuda.outer of tlrgemm: calls of other operations, as on the host.
 */
#include "batched/cuda/rows.cuh"
#include "batched/tlr/tlrgemm.h"

const batched_variant batched_tlrgemm_cuda[] = {
  {"cuda.inner", nullptr, nullptr, tlr_gemm_inner},
  {"cuda.outer", tlr_can_be_outer, batched_cuda::never, tlr_gemm_outer},
  BATCHED_LAST_ROW,
};
