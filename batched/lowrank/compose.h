/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows that are calls of other operations, one code for both spaces; and what they share.
 */
#ifndef BATCHED_LOWRANK_COMPOSE_H
#define BATCHED_LOWRANK_COMPOSE_H

#include "batched/lowrank/lowrank.h"

#ifdef __cplusplus
extern "C" {
#endif

int lowrank_compose_lrgemm(batched_ctx *ctx, const void *args);
/* The same with C = alpha P Q^H + beta C, of a dense C, done by a function. */
typedef int lowrank_update(batched_ctx *ctx, batched_scalar alpha, batched_matrix p, batched_matrix q,
                           batched_scalar beta, batched_matrix c);
int lowrank_compose_lrgemm_by(batched_ctx *ctx, const batched_lrgemm_args *g, lowrank_update *update);
/* The bound of the rank of its P and Q; -1: there are none. */
int lowrank_rank_of_update(const batched_lrgemm_args *g);
int lowrank_compose_lrcore(batched_ctx *ctx, const void *args);
int lowrank_compose_lrtriangle(batched_ctx *ctx, const void *args);
int lowrank_compose_lrbasis(batched_ctx *ctx, const void *args);
int lowrank_compose_lrround(batched_ctx *ctx, const void *args);
int lowrank_compress_ara(batched_ctx *ctx, const void *args);
/* Rounded by lowrank_round_gram, where that will do, all at once: bits depend on the other matrices. */
int lowrank_compress_ara_by_gram(batched_ctx *ctx, const void *args);
int lowrank_compress_aca(batched_ctx *ctx, const void *args);
int lowrank_compress_rsvd(batched_ctx *ctx, const void *args);
int lowrank_compress_svd(batched_ctx *ctx, const void *args);
bool lowrank_has_tolerance(const void *args);

/* A sequence of calls with scratch memory: after a failure nothing more is done, and the first status stays, also that
 * of an argument of `call` that pushes. */
typedef struct lowrank_work {
  batched_ctx *ctx;
  int status, pushed;
} lowrank_work;

#define LOWRANK_DO(work, call) \
  do { \
    if (!(work)->status) { \
      const int status_of_call = (call); \
      if (!(work)->status) (work)->status = status_of_call; \
    } \
  } while (0)

/* NULL, and the status is set, where memory is out. */
void *lowrank_push(lowrank_work *w, size_t bytes);
/* `count` matrices m x n, side by side. */
batched_matrix lowrank_matrix(lowrank_work *w, batched_type type, int m, int n, int64_t count);
batched_matrix lowrank_zeros(lowrank_work *w, batched_type type, int m, int n, int64_t count);
/* Pops what was pushed; the status. */
int lowrank_end(lowrank_work *w);

/* Rows i .. i+m-1 of columns j .. j+n-1 of matrices that are strided. */
batched_matrix lowrank_block(batched_matrix a, int i, int j, int m, int n);
/* The same matrices with their sizes given, or, where that is NULL, uniform. */
batched_matrix lowrank_sized(batched_matrix a, const int *ms, const int *ns);
/* The smaller side of each of `count` matrices with these sizes (NULL: all m, or n); NULL where both are. */
const int *lowrank_mins(lowrank_work *w, int m, const int *ms, int n, const int *ns, int64_t count);
/* The first n columns of room in any layout. */
batched_matrix lowrank_columns(batched_matrix a, int n);
static inline bool lowrank_is_there(const batched_matrix *a)
{
  return a->data || a->array;
}
/* True where the operand of which this is the right factor is dense. */
static inline bool lowrank_is_no_factor(const batched_matrix *v)
{
  return !lowrank_is_there(v) && v->m == 0;
}

static inline int lowrank_min(int x, int y)
{
  return x < y ? x : y;
}

/* The distance from 1 to the next number. */
static inline double lowrank_eps(batched_type type)
{
  return batched_real_type(type) == BATCHED_S ? 0x1p-23 : 0x1p-52;
}

/* The real part of number i of a vector. */
static inline double lowrank_real_at(batched_type type, const void *p, int64_t i)
{
  const int64_t at = batched_is_complex(type) ? 2 * i : i;
  return batched_real_type(type) == BATCHED_S ? (double)((const float *)p)[at] : ((const double *)p)[at];
}

/* C = X Y^H with X m x k, Y n x k, both uniform, X overwritten, rounded: QR of both, the left singular vectors P of
 * R_x R_y^H, truncation (Grasedyck, Hackbusch, Computing 70, 2003); then U = Q_x P and V = Y R_x^H P, without Q_y.
 * ranks == cu.ns, written. */
int lowrank_round(batched_ctx *ctx, batched_matrix x, batched_matrix y, batched_matrix cu, batched_matrix cv,
                  int *ranks, batched_truncation t, int *info);
/* The same of X T (Y T)^H, of which X T is orthonormal, T an upper triangle, or I where there is none; X stays. */
int lowrank_round_basis(batched_ctx *ctx, batched_matrix x, batched_matrix triangle, batched_matrix y,
                        batched_matrix cu, batched_matrix cv, int *ranks, batched_truncation t, int *info);
/* The same for an orthonormal X, which stays, as Y does, by eigenvectors of Y^H Y; V's columns are orthogonal to some
 * eps of the largest squared.  The number of columns, x.ns, may vary; ks: the same on the host, NULL where it does not.
 * Not done where the tolerance asks for more than the eigenvalues tell, or there is a NaN. */
int lowrank_round_gram(batched_ctx *ctx, batched_matrix x, batched_matrix y, const int *ks, batched_matrix cu,
                       batched_matrix cv, int *ranks, batched_truncation t, int *info, bool *done);
/* The number of columns, at most `most`, up to which a tolerance does not ask for more. */
int lowrank_sure_of_gram(batched_type type, batched_truncation t, int most);

#ifdef __cplusplus
}
#endif

#endif
