/* SPDX-License-Identifier: BSD-3-Clause
 *
 * batched by the names of BLAS and LAPACK, with t one of s, d, c, z:
 *   batched_<t><op>             arrays of pointers, one to each matrix
 *   batched_<t><op>_strided     matrices at a constant distance in one array
 *   batched_<t><op>_variable    arrays of pointers, matrices of different sizes
 * Each is one call of batched.h (omatcopy with an alpha other than 1: two), where shapes, errors and info are
 * documented; a bad argument is counted as there.  The order of the arguments is that of BLAS and LAPACK.  Vectors,
 * tau, eigenvalues and singular values among them, have increment 1, and scalars the type of the matrices (herk's: its
 * real type).  Other increments are to be had from batched.h.
 *
 * Pointer arrays and size arrays live in the context's space.  In ..._variable the numbers m, n, k, lda, ... are bounds
 * for the whole batch, and ms, ns, ks, ldas, ... hold those of each matrix (NULL: all equal the bound); mins is to hold
 * min(m, n) of each matrix, and maxs max(m, n).
 */
#ifndef BATCHED_BLAS_H
#define BATCHED_BLAS_H

#include "batched/batched.h"

#ifdef __cplusplus
#error \
  "batched_blas.h is for C; from C++ call the functions of batched.h with batched_make_strided and batched_make_array"
#else

/* alpha and beta: any of the four types. */
#define BATCHED_SCALAR_OF(x) \
  BATCHED_GENERIC((x), float _Complex \
                  : batched_scalar_complex, double _Complex \
                  : batched_scalar_complex, default \
                  : batched_scalar_real) \
  (x)

static inline batched_scalar batched_scalar_real(double x)
{
  return batched_real(x);
}

static inline batched_scalar batched_scalar_complex(double _Complex x)
{
  return batched_complex(__real__ x, __imag__ x);
}

/* The rows of an operand that op() makes `rows` x `cols`; with rows and cols exchanged, its columns. */
#define BATCHED_ROWS(trans, rows, cols) ((trans) == BATCHED_NO_TRANS ? (rows) : (cols))

/* Vectors of length n, or of those in ns; single numbers side by side. */
#define BATCHED_VECTORS(x, n, stride, count) batched_strided(x, n, 1, (n) > 1 ? (n) : 1, stride, count)
#define BATCHED_VECTOR_ARRAY(x, n, ns, count) batched_variable(x, n, 1, (n) > 1 ? (n) : 1, ns, NULL, NULL, count)
#define BATCHED_NUMBERS(x, count) batched_strided(x, 1, 1, 1, 1, count)

#include "batched/blas/band.h"
#include "batched/blas/cholesky.h"
#include "batched/blas/condensed.h"
#include "batched/blas/eigen.h"
#include "batched/blas/lu.h"
#include "batched/blas/products.h"
#include "batched/blas/qr.h"
#include "batched/blas/triangular.h"
#include "batched/blas/tridiagonal.h"
#include "batched/blas/two_stage.h"
#include "batched/blas/vectors.h"

#undef BATCHED_ROWS
#undef BATCHED_VECTORS
#undef BATCHED_VECTOR_ARRAY
#undef BATCHED_NUMBERS

#endif
#endif
