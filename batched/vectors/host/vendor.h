/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_VECTORS_HOST_VENDOR_H
#define BATCHED_VECTORS_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/vectors/vectors.h"

VENDOR_DECLARE(scal)
VENDOR_DECLARE(axpy)
VENDOR_DECLARE(swap)
VENDOR_DECLARE(ger)
VENDOR_DECLARE(dot)
VENDOR_DECLARE(amax)
VENDOR_DECLARE(asum)
VENDOR_DECLARE(nrm2)

#endif
