/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_EIGEN_HOST_VENDOR_H
#define BATCHED_EIGEN_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/eigen/eigen.h"

/* Not all of them have such a row. */
BATCHED_EIGEN_OPERATIONS(VENDOR_DECLARE)

#endif
