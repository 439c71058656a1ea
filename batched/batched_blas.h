/* SPDX-License-Identifier: BSD-3-Clause
 *
 * batched by the names that one types without looking: batched_<t><op> for arrays of pointers, ..._strided for one
 * array, ..._variable for matrices of sizes of their own.  t is s, d, c or z.  Each is one call of batched.h, in whose
 * terms (shapes, errors, info) they are documented; the order of arguments is that of BLAS and LAPACK, and a bad
 * argument is counted as in batched.h.
 *
 * Pointer arrays and size arrays live in the context's space.  In ..._variable the numbers m, n, k, lda, ... are the
 * largest ones of the batch, and ms, ns, ks, ldas, ... those of each matrix (NULL: all are the largest).
 */
#ifndef BATCHED_BLAS_H
#define BATCHED_BLAS_H

#include "batched.h"

#ifdef __cplusplus
#error \
  "batched_blas.h is for C; from C++ call the functions of batched.h with batched_make_strided and batched_make_array"
#endif

/* alpha and beta: any of the four types. */
#define BATCHED_SCALAR_OF(x) \
  _Generic((x), float _Complex \
           : batched_scalar_complex, double _Complex \
           : batched_scalar_complex, default \
           : batched_scalar_real)(x)

static inline batched_scalar batched_scalar_real(double x)
{
  return batched_real(x);
}

static inline batched_scalar batched_scalar_complex(double _Complex x)
{
  return batched_complex(__real__ x, __imag__ x);
}

/* rows x cols if the operand is taken as it is, cols x rows if transposed */
#define BATCHED_ROWS(trans, rows, cols) ((trans) == BATCHED_NO_TRANS ? (rows) : (cols))

#include "blas_cholesky.h"
#include "blas_eigen.h"
#include "blas_lu.h"
#include "blas_products.h"
#include "blas_qr.h"
#include "blas_triangular.h"
#include "blas_vectors.h"

#endif
