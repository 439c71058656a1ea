/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/eigen.h"

const batched_variant batched_gelsy_host[] = {
  {"host.composed", NULL, NULL, batched_gelsy_composed},
  {0},
};
