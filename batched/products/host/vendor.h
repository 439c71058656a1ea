/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_PRODUCTS_HOST_VENDOR_H
#define BATCHED_PRODUCTS_HOST_VENDOR_H

#include "batched/host/vendor.h"
#include "batched/products/products.h"

VENDOR_DECLARE(gemv)
VENDOR_DECLARE(symv)
VENDOR_DECLARE(gemm)
VENDOR_DECLARE(syrk)

#endif
