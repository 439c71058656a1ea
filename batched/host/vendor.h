/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows that call another library, CBLAS or LAPACKE, matrix by matrix (vendor.c).  Where it was not found, there are
 * no such rows.
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
VENDOR_DECLARE(gemm)
VENDOR_DECLARE(gemv)
VENDOR_DECLARE(scal)
VENDOR_DECLARE(axpy)
VENDOR_DECLARE(dot)
VENDOR_DECLARE(nrm2)
VENDOR_DECLARE(symv)
VENDOR_DECLARE(syrk)
VENDOR_DECLARE(potrf)
VENDOR_DECLARE(potrs)
VENDOR_DECLARE(posv)
VENDOR_DECLARE(potri)
VENDOR_DECLARE(getrf)
VENDOR_DECLARE(getrs)
VENDOR_DECLARE(gesv)
VENDOR_DECLARE(getri)
VENDOR_DECLARE(trsm)
VENDOR_DECLARE(trsv)
VENDOR_DECLARE(trmm)
VENDOR_DECLARE(trtri)
VENDOR_DECLARE(heev)
VENDOR_DECLARE(gesvd)
VENDOR_DECLARE(geqrf)
VENDOR_DECLARE(unmqr)
VENDOR_DECLARE(ungqr)
VENDOR_DECLARE(gels)
#undef VENDOR_DECLARE

#endif
