/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/eigen.h"

const batched_variant batched_gesvdx_host[] = {
  {"host.composed", NULL, NULL, batched_gesvdx_composed},
  {0},
};
