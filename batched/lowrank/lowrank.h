/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrices of low rank: what a row of each operation is called with.  A low-rank operand has its ranks in u.ns and
 * v.ns; a dense one has no v.
 */
#ifndef BATCHED_LOWRANK_LOWRANK_H
#define BATCHED_LOWRANK_LOWRANK_H

#include "batched/batched_lowrank.h"
#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_lrgemm_args {
  batched_trans transa, transb;
  batched_scalar alpha, beta;
  batched_matrix au, av, bu, bv, cu, cv;
  int *ranks; /* of C, written */
  batched_truncation t;
  int *info;
} batched_lrgemm_args;

typedef struct batched_lrround_args {
  batched_matrix au, av, cu, cv;
  int *ranks;
  batched_truncation t;
  int *info;
} batched_lrround_args;

typedef struct batched_lrcompress_args {
  batched_matrix a, cu, cv;
  int *ranks;
  batched_truncation t;
  int *info;
} batched_lrcompress_args;

typedef struct batched_random_args {
  uint64_t seed;
  int64_t column;
  batched_matrix a;
} batched_random_args;

typedef struct batched_evaluate_args {
  batched_kernel kernel;
  batched_extent row, column;
  batched_matrix a;
} batched_evaluate_args;

/* ranks[b] = how many of the singular values s (length q) are kept, at most `most`; row i of vt, which may have no
 * columns, is multiplied by s(i).  info[b]: on entry what gesvd left; on exit as in lrgemm. */
typedef struct batched_truncate_args {
  batched_matrix s, vt;
  int most;
  batched_truncation t;
  int *ranks, *info;
} batched_truncate_args;

int batched_truncate(batched_ctx *ctx, batched_matrix s, batched_matrix vt, int most, batched_truncation t, int *ranks,
                     int *info);

/* A = P diag(s) W^H: singular values, descending, as vectors of length min(m, n), and left singular vectors; A is
 * destroyed.  Those of a value that is 0 may be zeros.  info[b] > 0: as gesvd's, or a number is not finite.  With an
 * upper triangle T, which may be there for uniform matrices, those of T^H A, and T P instead of P. */
typedef struct batched_lrcore_args {
  batched_matrix a, s, p, t;
  int *info;
} batched_lrcore_args;

int batched_lrcore(batched_ctx *ctx, batched_matrix a, batched_matrix t, batched_matrix s, batched_matrix p, int *info);

/* C = R^H of A = Q R, m x n with m >= n, both uniform; A stays.  Diagonal elements of R may have any phase. */
typedef struct batched_lrtriangle_args {
  batched_matrix a, c;
} batched_lrtriangle_args;

int batched_lrtriangle(batched_ctx *ctx, batched_matrix a, batched_matrix c);

/* X = A T^-1 of the same columns, m x n with m >= n, in the place of A, and an upper triangle C, so that X C has
 * orthonormal columns, and zeros in columns that depend on those before them to rounding errors of the largest.
 * *orthonormal: X itself has them, and nothing is in C; set when the call returns. */
typedef struct batched_lrbasis_args {
  batched_matrix a, c;
  bool *orthonormal;
} batched_lrbasis_args;

int batched_lrbasis(batched_ctx *ctx, batched_matrix a, batched_matrix c, bool *orthonormal);

/* Crosses: A is X Y^H and a rest, by adaptive cross approximation with partial pivoting (Bebendorf, Numerische
 * Mathematik 86, 2000), at most x.n of them; columns that are not needed are zeros.  Ends where a cross is less than
 * `enough` times what the crosses before it add up to, or, `absolute`, than that alone. */
typedef struct batched_cross_args {
  batched_matrix a, x, y;
  double enough;
  bool absolute;
} batched_cross_args;

int batched_cross(batched_ctx *ctx, batched_matrix a, batched_matrix x, batched_matrix y, double enough, bool absolute);

#define BATCHED_LOWRANK_OPERATIONS(X) \
  X(lrgemm) X(lrround) X(lrcompress) X(random) X(evaluate) X(truncate) X(lrcore) X(lrtriangle) X(lrbasis) X(cross)
BATCHED_LOWRANK_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif
