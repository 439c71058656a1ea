/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows that call another library, CBLAS or LAPACKE, matrix by matrix (<family>/host/vendor.c).  Where it was not found,
 * there are no such rows.
 */
#ifndef BATCHED_HOST_VENDOR_H
#define BATCHED_HOST_VENDOR_H

#include "batched/host/rows.h"

#ifdef BATCHED_HAVE_LAPACKE
#define VENDOR_ROW(name, likes, op) {name, batched_vendor_fits_##op, likes, batched_vendor_##op},
#else
#define VENDOR_ROW(name, likes, op)
#endif

#define VENDOR_DECLARE(op) \
  bool batched_vendor_fits_##op(const void *args); \
  int batched_vendor_##op(batched_ctx *ctx, const void *args);

#endif
