/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/eigen.h"

const batched_variant batched_gelsd_host[] = {
  {"host.composed", NULL, NULL, batched_gelsd_composed},
  {0},
};
