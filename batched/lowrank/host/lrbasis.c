/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/lowrank/compose.h"

const batched_variant batched_lrbasis_host[] = {
  {"host.composed", NULL, NULL, lowrank_compose_lrbasis},
  {0},
};
