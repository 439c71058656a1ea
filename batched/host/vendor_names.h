/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names and options of CBLAS and LAPACKE, for the files vendor*.c, which are compiled only where those were found.
 */
#ifndef BATCHED_HOST_VENDOR_NAMES_H
#define BATCHED_HOST_VENDOR_NAMES_H

#include "batched/host/vendor.h"

#include <limits.h>

#include <cblas.h>
#include <lapacke.h>

static inline CBLAS_TRANSPOSE blas_trans(batched_trans trans)
{
  return trans == BATCHED_NO_TRANS ? CblasNoTrans : trans == BATCHED_TRANS ? CblasTrans : CblasConjTrans;
}

static inline char lapack_uplo(batched_uplo uplo)
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

/* A batched_scalar as CBLAS takes it: by value, or the address of a complex number. */
#define SCALAR_s(x) ((float)(x).re)
#define SCALAR_d(x) ((double)(x).re)
#define SCALAR_c(x) (&(float[2]){(float)(x).re, (float)(x).im})
#define SCALAR_z(x) (&(double[2]){(x).re, (x).im})
#define SCALAR(x) NAME(SCALAR)(x)

/* BLAS and LAPACK count in 32 bits the elements of a matrix, also those between columns, and those of their workspace:
 * rows or columns of which 64, and some, are workspace. */
enum { BATCHED_VENDOR_WITH_WORKSPACE = INT_MAX / 64 - 66 };

static inline bool batched_vendor_countable(const batched_matrix *const *x, int n, int longest)
{
  for (int i = 0; i < n; i++)
    if ((int64_t)x[i]->ld * x[i]->n > INT_MAX || x[i]->m > longest || x[i]->n > longest) return false;
  return true;
}

/* Elements behind a matrix that OpenBLAS 0.3.21 may read: its zgemv, where A is not transposed and x has gaps. */
enum { BATCHED_VENDOR_READS_BEYOND = 8 };

/* `fits` of an operation's row: the matrices of its arguments p, with sides up to `longest`. */
#define BATCHED_VENDOR_FITS(op, ...) BATCHED_VENDOR_FITS_UP_TO(INT_MAX, op, __VA_ARGS__)
#define BATCHED_VENDOR_FITS_UP_TO(longest, op, ...) \
  bool batched_vendor_fits_##op(const void *args) \
  { \
    const batched_##op##_args *p = args; \
    const batched_matrix *const x[] = {__VA_ARGS__}; \
    return batched_vendor_countable(x, sizeof x / sizeof *x, longest); \
  }

/* `run` of an operation's row: f_s(p) .. f_z(p) by the type of an operand; WITH_SCRATCH: f_s(ctx, p). */
#define BATCHED_VENDOR_RUN(op, operand) \
  int batched_vendor_##op(batched_ctx *ctx, const void *args) \
  { \
    (void)ctx; \
    const batched_##op##_args *p = args; \
    return FOR_TYPE(p->operand.type, op, p); \
  }
#define BATCHED_VENDOR_RUN_WITH_SCRATCH(op, operand) \
  int batched_vendor_##op(batched_ctx *ctx, const void *args) \
  { \
    const batched_##op##_args *p = args; \
    return FOR_TYPE(p->operand.type, op, ctx, p); \
  }

#endif
