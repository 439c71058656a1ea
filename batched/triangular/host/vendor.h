/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_TRIANGULAR_HOST_VENDOR_H
#define BATCHED_TRIANGULAR_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/triangular/triangular.h"

/* Not all of them have such a row. */
BATCHED_TRIANGULAR_OPERATIONS(VENDOR_DECLARE)

#endif
