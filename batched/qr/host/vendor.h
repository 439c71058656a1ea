/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_QR_HOST_VENDOR_H
#define BATCHED_QR_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/qr/qr.h"

VENDOR_DECLARE(geqrf)
VENDOR_DECLARE(unmqr)
VENDOR_DECLARE(ungqr)
VENDOR_DECLARE(gelqf)
VENDOR_DECLARE(unmlq)
VENDOR_DECLARE(unglq)
VENDOR_DECLARE(gels)

#endif
