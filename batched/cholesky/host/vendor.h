/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_CHOLESKY_HOST_VENDOR_H
#define BATCHED_CHOLESKY_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/cholesky/cholesky.h"

VENDOR_DECLARE(potrf)
VENDOR_DECLARE(potrs)
VENDOR_DECLARE(posv)
VENDOR_DECLARE(potri)

#endif
