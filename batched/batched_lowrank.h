/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrices of low rank, in batches and as tiles of a large matrix.
 *
 * A low-rank matrix is A = U V^H, with U m x r and V n x r.  First come operations on batches of them, which follow the
 * rules of batched.h: products, rounding, compression, and what these need.  Then the tile low-rank (TLR) matrix, one
 * large matrix whose tiles are of low rank or dense, with its products, Cholesky factorisation and solves.
 */
#ifndef BATCHED_LOWRANK_H
#define BATCHED_LOWRANK_H

#include "batched/batched.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A batch of matrices U V^H; or, where v is {0}, of dense ones, which are u.  u.n = v.n is the room: as many columns as
 * there is memory for.  Matrix b has ranks[b] of them, an int in the space of the data; NULL: all.  The heights may
 * vary (u.ms, v.ms); u.ns and v.ns are not looked at. */
typedef struct batched_lowrank {
  batched_matrix u, v;
  int *ranks;
} batched_lowrank;

static inline batched_lowrank batched_factors(batched_matrix u, batched_matrix v, int *ranks)
{
  batched_lowrank a;
  a.u = u;
  a.v = v;
  a.ranks = ranks;
  return a;
}

static inline batched_lowrank batched_dense(batched_matrix a)
{
  return batched_factors(a, batched_make_strided(a.type, NULL, 0, 0, 1, 0, 0), NULL);
}

/* Truncation: as few columns are kept as |error|_F <= tolerance |A|_F allows, or, where it is absolute,
 * |error|_F <= tolerance; and never more than max_rank (0: than there is room for).  A tolerance of 0 keeps what is
 * above rounding error.  Random numbers depend on the seed, on the row and on the sample, never on the matrix's
 * place.  power_iterations: of lrcompress by rsvd; each reads A twice more, and brings the error nearer to the least
 * where singular values fall slowly. */
typedef struct batched_truncation {
  double tolerance;
  bool absolute;
  int max_rank;
  uint64_t seed;
  int power_iterations;
} batched_truncation;

/* C = alpha op(A) op(B) + beta C, each of the three dense or of low rank, but for a C of low rank with both factors
 * dense.  C of low rank is rounded: its U is orthonormal, its V has orthogonal columns, those of the largest singular
 * values first, and its ranks are written.  transa, transb: NO_TRANS or CONJ_TRANS (TRANS too for real types).
 * info[b] = k > 0, for a C of low rank: the tolerance needs k columns, more than were allowed; or a NaN is there, and
 * k is any number.  info may be NULL where C is dense.  alpha and beta equal to 0 as in gemm. */
int batched_lrgemm(batched_ctx *ctx, batched_trans transa, batched_trans transb, batched_scalar alpha,
                   batched_lowrank a, batched_lowrank b, batched_scalar beta, batched_lowrank c, batched_truncation t,
                   int *info);

/* C = A for low-rank matrices, rounded as lrgemm's result.  C may be A. */
int batched_lrround(batched_ctx *ctx, batched_lowrank a, batched_lowrank c, batched_truncation t, int *info);

/* C = A for dense A, rounded as lrgemm's result.  The row is the algorithm: svd (the best there is, and slow), rsvd
 * (random samples, as many as C has room for, and 8 more), ara (random samples until the tolerance is met), aca
 * (crosses; quick, and info tells where they missed the tolerance).  Only svd and rsvd can be captured into a graph. */
int batched_lrcompress(batched_ctx *ctx, batched_matrix a, batched_lowrank c, batched_truncation t, int *info);

/* A = random numbers of mean 0 and variance 1.005, independent of each other, which depend on the seed, the row and the
 * column (counted from `column` on) alone: the same for each matrix, in each space and of each type, in all of which
 * they are exact.  They are (ones - 32 + u) / 4 with the number of ones among 64 random bits and a random u between
 * -1/2 and 1/2, and never 0; imaginary parts are 0. */
int batched_random(batched_ctx *ctx, uint64_t seed, int64_t column, batched_matrix a);

/* A function of two places i and j, counted from 0, in the list of points (dim numbers each, in the space of the
 * data); r = |x_i - x_j| / length:
 *   HILBERT      1 / (i + j + 1); no points
 *   EXPONENTIAL  variance exp(-r)
 *   MATERN_3_2   variance (1 + sqrt(3) r) exp(-sqrt(3) r)
 *   MATERN_5_2   variance (1 + sqrt(5) r + 5/3 r^2) exp(-sqrt(5) r)
 *   LAPLACE      variance / r in 3D, -variance log(r) in 2D, -variance r in 1D; 0 where r = 0
 * and nugget is added where i = j. */
typedef enum batched_function {
  BATCHED_HILBERT,
  BATCHED_EXPONENTIAL,
  BATCHED_MATERN_3_2,
  BATCHED_MATERN_5_2,
  BATCHED_LAPLACE
} batched_function;

typedef struct batched_kernel {
  batched_function function;
  int dim; /* 1, 2 or 3 */
  const double *points;
  double variance, length, nugget;
} batched_kernel;

/* A(i, j) = kernel(row + i, column + j), with a row and a column for each matrix (one number for all, or an array). */
int batched_evaluate(batched_ctx *ctx, const batched_kernel *kernel, batched_extent row, batched_extent column,
                     batched_matrix a);

/* order = the places 0 .. n-1 of points on the host, dim numbers each, along a Morton curve through the box that holds
 * them: places that follow each other are near each other.  BATCHED_NO_MEMORY. */
int batched_morton_order(int dim, int n, const double *points, int *order);

/* -- tile low-rank matrices: one large matrix, cut into tiles of `tile` rows and columns (the last ones may be
 * smaller), each of low rank or, where that does not pay, dense. Everything is in the space of the context that made
 * it, and has to be used with a context of that space. Calls wait for the device, and allocate.
 *
 * info, one int on the host: 0; or 1 + i + j times the number of tile rows for the first tile (i, j) that missed the
 * tolerance, which happens where the truncation has a max_rank: else such a tile is dense. -- */

typedef struct batched_tlr batched_tlr;

/* HERMITIAN: A = A^H, and tiles on and below the diagonal alone are stored, those on it dense. */
typedef enum batched_tlr_shape { BATCHED_TLR_GENERAL, BATCHED_TLR_HERMITIAN } batched_tlr_shape;

typedef struct batched_tlr_facts {
  batched_type type;
  batched_tlr_shape shape;
  int m, n, tile, tile_rows, tile_columns;
  int most;             /* the largest rank */
  int64_t dense;        /* dense tiles off the diagonal */
  size_t bytes, needed; /* what is allocated; what the factors and dense tiles take */
  double shift;         /* what potrf added to the diagonal */
} batched_tlr_facts;

/* *a, NULL on failure: of one dense matrix (count 1), in its space; */
int batched_tlr_from_dense(batched_ctx *ctx, batched_tlr **a, batched_matrix dense, int tile, batched_tlr_shape shape,
                           batched_truncation t, int *info);
/* of a kernel, m x n; */
int batched_tlr_from_kernel(batched_ctx *ctx, batched_tlr **a, batched_type type, int m, int n, int tile,
                            batched_tlr_shape shape, const batched_kernel *kernel, batched_truncation t, int *info);
/* of a function on the host, which stores rows row .. row+m-1 of columns column .. column+n-1, ld m; */
typedef void (*batched_tlr_function)(void *data, int row, int column, int m, int n, void *a);
int batched_tlr_from_function(batched_ctx *ctx, batched_tlr **a, batched_type type, int m, int n, int tile,
                              batched_tlr_shape shape, batched_tlr_function f, void *data, batched_truncation t,
                              int *info);
/* of a function that fills a batch of tiles in the space of the context, on a GPU by kernels in its stream: element
 * (i, j) of matrix b is that of row[b] + i and column[b] + j (both extents are arrays in that space).  Matrices are
 * smaller at the edges of A, and may be anywhere.  It returns 0, or a status, which ends the call; */
typedef int (*batched_tlr_filler)(batched_ctx *ctx, void *data, batched_extent row, batched_extent column,
                                  batched_matrix tiles);
int batched_tlr_from_tiles(batched_ctx *ctx, batched_tlr **a, batched_type type, int m, int n, int tile,
                           batched_tlr_shape shape, batched_tlr_filler f, void *data, batched_truncation t, int *info);
/* or with given ranks (tile_rows x tile_columns on the host, column-major; -1: dense), and any contents. */
int batched_tlr_create(batched_ctx *ctx, batched_tlr **a, batched_type type, int m, int n, int tile,
                       batched_tlr_shape shape, const int *ranks);
void batched_tlr_destroy(batched_ctx *ctx, batched_tlr **a);

void batched_tlr_get(const batched_tlr *a, batched_tlr_facts *facts);
/* The rank of tile (i, j), -1 if it is dense, and a view of it: a dense matrix, or the factors. */
int batched_tlr_tile(const batched_tlr *a, int i, int j, batched_lowrank *view);
/* All of A, both triangles of a Hermitian one, in one dense matrix (count 1). */
int batched_tlr_to_dense(batched_ctx *ctx, const batched_tlr *a, batched_matrix dense);

/* Y = alpha op(A) X + beta Y for one dense X and Y (count 1); trans as in lrgemm. */
int batched_tlr_multiply(batched_ctx *ctx, batched_trans trans, batched_scalar alpha, const batched_tlr *a,
                         batched_matrix x, batched_scalar beta, batched_matrix y);

/* C = alpha A B + beta C for one dense C (count 1), and for a TLR C, whose tiles are rounded; all of one tile size.  C
 * is GENERAL; of a HERMITIAN A or B a copy with all tiles is made, and released. */
int batched_tlr_gemm_dense(batched_ctx *ctx, batched_scalar alpha, const batched_tlr *a, const batched_tlr *b,
                           batched_scalar beta, batched_matrix c);
int batched_tlr_gemm(batched_ctx *ctx, batched_scalar alpha, const batched_tlr *a, const batched_tlr *b,
                     batched_scalar beta, batched_tlr *c, batched_truncation t, int *info);

/* A = L L^H for a HERMITIAN, positive definite A, which becomes L: tiles of the result are rounded.  Where truncation
 * makes A indefinite, L is that of A + shift I: the shift starts at the tolerance, or, where that is relative, times
 * the root mean square of a diagonal tile's singular values, and grows by 4 in each of up to 8 attempts, as far as the
 * norm of what the tolerance allows to be cut off from A's tiles and from L's.  It is 0 where no tile is truncated.
 * info: also where a tile on the diagonal stays indefinite; A is then as it was. */
int batched_tlr_potrf(batched_ctx *ctx, batched_tlr *a, batched_truncation t, int *info);
/* B = op(L)^-1 B with what potrf left, NO_TRANS or CONJ_TRANS; and both, one after the other; and log det A. */
int batched_tlr_trsm(batched_ctx *ctx, batched_trans trans, const batched_tlr *l, batched_matrix b);
int batched_tlr_potrs(batched_ctx *ctx, const batched_tlr *l, batched_matrix b);
int batched_tlr_logdet(batched_ctx *ctx, const batched_tlr *l, double *logdet);

#ifdef __cplusplus
}
#endif

#endif
