/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/eigen.h"

const batched_variant batched_heevx_host[] = {
  {"host.composed", NULL, NULL, batched_heevx_composed},
  {0},
};
