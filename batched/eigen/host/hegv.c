/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/eigen.h"

const batched_variant batched_hegv_host[] = {
  {"host.composed", NULL, NULL, batched_hegv_composed},
  {0},
};
