/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_CHOLESKY_HOST_VENDOR_H
#define BATCHED_CHOLESKY_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/cholesky/cholesky.h"

/* Not all of them have such a row. */
BATCHED_CHOLESKY_OPERATIONS(VENDOR_DECLARE)

#endif
