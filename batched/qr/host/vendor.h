/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_QR_HOST_VENDOR_H
#define BATCHED_QR_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/qr/qr.h"

/* Not all of them have such a row. */
BATCHED_QR_OPERATIONS(VENDOR_DECLARE)

#endif
