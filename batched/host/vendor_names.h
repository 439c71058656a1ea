/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names and options of CBLAS and LAPACKE, for the files vendor*.c, which are compiled only where those were found.
 */
#ifndef BATCHED_HOST_VENDOR_NAMES_H
#define BATCHED_HOST_VENDOR_NAMES_H

#include "batched/host/vendor.h"

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

#endif
