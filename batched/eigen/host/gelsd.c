/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/host/vendor.h"

const batched_variant batched_gelsd_host[] = {
  VENDOR_ROW("vendor.lapacke", batched_by_table, gelsd){"host.composed", NULL, NULL, batched_gelsd_composed},
  {0},
};
