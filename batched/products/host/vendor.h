/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_PRODUCTS_HOST_VENDOR_H
#define BATCHED_PRODUCTS_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/products/products.h"

/* Not all of them have such a row. */
BATCHED_PRODUCTS_OPERATIONS(VENDOR_DECLARE)

#endif
