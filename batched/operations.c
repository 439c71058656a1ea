/* SPDX-License-Identifier: BSD-3-Clause */
#include "operations.h"

const batched_op *const batched_operations[] = {
  &batched_gemm_op, &batched_gemv_op, &batched_potrf_op, &batched_potrs_op,
  &batched_trsm_op, &batched_heev_op, &batched_gesvd_op, NULL,
};
