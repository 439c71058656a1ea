/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_LU_HOST_VENDOR_H
#define BATCHED_LU_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/lu/lu.h"

/* Not all of them have such a row. */
BATCHED_LU_OPERATIONS(VENDOR_DECLARE)

#endif
