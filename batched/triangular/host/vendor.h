/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_TRIANGULAR_HOST_VENDOR_H
#define BATCHED_TRIANGULAR_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/triangular/triangular.h"

VENDOR_DECLARE(trsv)
VENDOR_DECLARE(trsm)
VENDOR_DECLARE(trmm)
VENDOR_DECLARE(trtri)

#endif
