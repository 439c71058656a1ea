/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_CONDENSED_HOST_VENDOR_H
#define BATCHED_CONDENSED_HOST_VENDOR_H

#include "batched/condensed/condensed.h"
#include "batched/host/vendor.h"

BATCHED_CONDENSED_OPERATIONS(VENDOR_DECLARE)

#endif
