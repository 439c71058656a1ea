/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/tlr/tlrgemm.h"

const batched_variant batched_tlrgemm_host[] = {
  {"host.inner", NULL, NULL, tlr_gemm_inner},
  {"host.outer", tlr_can_be_outer, batched_never, tlr_gemm_outer},
  {0},
};
