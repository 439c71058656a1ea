/* SPDX-License-Identifier: BSD-3-Clause */
#include "vendor.h"

#include <cblas.h>
#include <lapacke.h>

static CBLAS_TRANSPOSE blas_trans(batched_trans trans)
{
  return trans == BATCHED_NO_TRANS ? CblasNoTrans : trans == BATCHED_TRANS ? CblasTrans : CblasConjTrans;
}

static char lapack_uplo(batched_uplo uplo)
{
  return uplo == BATCHED_LOWER ? 'L' : 'U';
}

/* cblas_dgemm, LAPACKE_dpotrf_work, ... */
#define PASTE3(a, b, c) a##b##c
#define CBLAS_s(f) PASTE3(cblas_, s, f)
#define CBLAS_d(f) PASTE3(cblas_, d, f)
#define CBLAS_c(f) PASTE3(cblas_, c, f)
#define CBLAS_z(f) PASTE3(cblas_, z, f)
#define CBLAS(f) NAME(CBLAS)(f)
#define LAPACK_s(f) LAPACKE_s##f##_work
#define LAPACK_d(f) LAPACKE_d##f##_work
#define LAPACK_c(f) LAPACKE_c##f##_work
#define LAPACK_z(f) LAPACKE_z##f##_work
#define LAPACK(f) NAME(LAPACK)(f)
#define BODY "vendor_body.h"
#include "each_type.h"

int batched_vendor_gemm(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gemm_args *g = args;
  return FOR_TYPE(g->c.type, gemm, g);
}

int batched_vendor_gemv(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_gemv_args *g = args;
  return FOR_TYPE(g->y.type, gemv, g);
}

int batched_vendor_potrf(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_potrf_args *p = args;
  return FOR_TYPE(p->a.type, potrf, p);
}

int batched_vendor_potrs(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_potrs_args *p = args;
  return FOR_TYPE(p->b.type, potrs, p);
}

int batched_vendor_trsm(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trsm_args *t = args;
  return FOR_TYPE(t->b.type, trsm, t);
}

int batched_vendor_heev(batched_ctx *ctx, const void *args)
{
  const batched_heev_args *h = args;
  return FOR_TYPE(h->a.type, heev, ctx, h);
}

int batched_vendor_gesvd(batched_ctx *ctx, const void *args)
{
  const batched_gesvd_args *g = args;
  return FOR_TYPE(g->a.type, gesvd, ctx, g);
}
