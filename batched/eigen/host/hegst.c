/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/eigen.h"

const batched_variant batched_hegst_host[] = {
  {"host.composed", NULL, NULL, batched_hegst_composed},
  {0},
};
