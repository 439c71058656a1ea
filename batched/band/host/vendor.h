/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_BAND_HOST_VENDOR_H
#define BATCHED_BAND_HOST_VENDOR_H

#include "batched/band/band.h"
#include "batched/host/vendor.h"

VENDOR_DECLARE(gbtrf)
VENDOR_DECLARE(gbtrs)
VENDOR_DECLARE(gbsv)
VENDOR_DECLARE(pbtrf)
VENDOR_DECLARE(pbtrs)
VENDOR_DECLARE(pbsv)
VENDOR_DECLARE(gbmv)
VENDOR_DECLARE(tbsv)

#endif
