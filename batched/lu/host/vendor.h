/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_LU_HOST_VENDOR_H
#define BATCHED_LU_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/lu/lu.h"

VENDOR_DECLARE(getrf)
VENDOR_DECLARE(getrs)
VENDOR_DECLARE(gesv)
VENDOR_DECLARE(getri)

#endif
