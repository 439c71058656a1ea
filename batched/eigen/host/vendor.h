/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_EIGEN_HOST_VENDOR_H
#define BATCHED_EIGEN_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/eigen/eigen.h"

VENDOR_DECLARE(heev)
VENDOR_DECLARE(gesvd)
VENDOR_DECLARE(geev)

#endif
