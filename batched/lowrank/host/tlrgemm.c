/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/lowrank/compose.h"

const batched_variant batched_tlrgemm_host[] = {
  {"host.inner", NULL, NULL, lowrank_tlrgemm_inner},
  {"host.outer", lowrank_can_be_outer, batched_never, lowrank_tlrgemm_outer},
  {0},
};
