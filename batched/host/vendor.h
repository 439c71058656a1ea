/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows that call another library, CBLAS or LAPACKE, matrix by matrix (vendor.c).  Where it was not found, there are
 * no such rows.
 */
#ifndef BATCHED_HOST_VENDOR_H
#define BATCHED_HOST_VENDOR_H

#include "rows.h"

#ifdef BATCHED_HAVE_LAPACKE
#define VENDOR_ROW(name, likes, run) {name, NULL, likes, run},
#else
#define VENDOR_ROW(name, likes, run)
#endif

int batched_vendor_gemm(batched_ctx *ctx, const void *args);
int batched_vendor_gemv(batched_ctx *ctx, const void *args);
int batched_vendor_scal(batched_ctx *ctx, const void *args);
int batched_vendor_axpy(batched_ctx *ctx, const void *args);
int batched_vendor_dot(batched_ctx *ctx, const void *args);
int batched_vendor_nrm2(batched_ctx *ctx, const void *args);
int batched_vendor_symv(batched_ctx *ctx, const void *args);
int batched_vendor_syrk(batched_ctx *ctx, const void *args);
int batched_vendor_potrf(batched_ctx *ctx, const void *args);
int batched_vendor_potrs(batched_ctx *ctx, const void *args);
int batched_vendor_posv(batched_ctx *ctx, const void *args);
int batched_vendor_potri(batched_ctx *ctx, const void *args);
int batched_vendor_getrf(batched_ctx *ctx, const void *args);
int batched_vendor_getrs(batched_ctx *ctx, const void *args);
int batched_vendor_gesv(batched_ctx *ctx, const void *args);
int batched_vendor_getri(batched_ctx *ctx, const void *args);
int batched_vendor_trsm(batched_ctx *ctx, const void *args);
int batched_vendor_trsv(batched_ctx *ctx, const void *args);
int batched_vendor_trmm(batched_ctx *ctx, const void *args);
int batched_vendor_trtri(batched_ctx *ctx, const void *args);
int batched_vendor_heev(batched_ctx *ctx, const void *args);
int batched_vendor_gesvd(batched_ctx *ctx, const void *args);
int batched_vendor_geqrf(batched_ctx *ctx, const void *args);
int batched_vendor_unmqr(batched_ctx *ctx, const void *args);
int batched_vendor_ungqr(batched_ctx *ctx, const void *args);
int batched_vendor_gels(batched_ctx *ctx, const void *args);

#endif
