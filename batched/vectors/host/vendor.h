/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_VECTORS_HOST_VENDOR_H
#define BATCHED_VECTORS_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/vectors/vectors.h"

/* Not all of them have such a row. */
BATCHED_VECTORS_OPERATIONS(VENDOR_DECLARE)

#endif
