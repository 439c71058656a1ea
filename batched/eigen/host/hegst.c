/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/eigen/host/vendor.h"

const batched_variant batched_hegst_host[] = {
  VENDOR_ROW("vendor.lapacke", batched_by_table, hegst){"host.composed", NULL, NULL, batched_hegst_composed},
  {0},
};
