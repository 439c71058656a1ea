/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/host/vendor.h"

const batched_variant batched_gelsy_host[] = {
  VENDOR_ROW("vendor.lapacke", batched_by_table, gelsy){"host.composed", NULL, NULL, batched_gelsy_composed},
  {0},
};
