/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What drivers that are made of other operations do beside those, on the host (host/steps.c) and on a GPU
 * (cuda/steps.cu).  Arrays and matrices are in the context's space; each returns a status.
 */
#ifndef BATCHED_EIGEN_STEPS_H
#define BATCHED_EIGEN_STEPS_H

#include "batched/eigen/eigen.h"
#include "batched/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes of each matrix, m x n: k = min(m, n), and k where m >= n, or where m < n, else 0; and each of the three less
 * 1, but at least 0. */
typedef struct batched_sizes {
  int *mins, *tall, *wide, *mins_less, *tall_less, *wide_less;
} batched_sizes;

typedef struct batched_eigen_steps {
  int (*find_sizes)(batched_ctx *ctx, const batched_matrix *a, const batched_sizes *sizes);
  /* y = x, two matrices, which may be the same, or two vectors of real numbers; NaN where info[b] > 0. */
  int (*store)(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y);
  int (*store_values)(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y);
  /* Both, of a matrix and its values. */
  int (*store_both)(batched_ctx *ctx, const int *info, const batched_matrix *w, const batched_matrix *z,
                    const batched_matrix *to_w, const batched_matrix *to_z);
  /* Multiplies each column of z, and divides each row of vt (which may be absent: count 0), by a number of modulus 1,
   * so that the column's largest component, the first of several, is real and positive. */
  int (*fix_signs)(batched_ctx *ctx, const batched_matrix *z, const batched_matrix *vt);
  /* x = the whole Hermitian matrix of which a holds a triangle. */
  int (*whole)(batched_ctx *ctx, batched_uplo uplo, const batched_matrix *a, const batched_matrix *x);
  /* info[b] = n + failed[b] where failed[b] > 0, n being the order of a. */
  int (*add_failures)(batched_ctx *ctx, const batched_matrix *a, const int *failed, int *info);
  /* few[b] = the smaller one of found[b] and the length of w. */
  int (*limit_counts)(batched_ctx *ctx, const int *found, const batched_matrix *w, int *few);
  /* found[b] of the descending values s of each matrix lie in the range; `few` of them, as many as w is long, become w,
   * `first` is the number of the first one. */
  int (*choose)(batched_ctx *ctx, const batched_gesvdx_args *g, const batched_matrix *s, int *first, int *few);
  /* y = few[b] columns of u from first[b] on; or rows of vt. */
  int (*take_columns)(batched_ctx *ctx, const int *first, const int *few, const batched_matrix *u,
                      const batched_matrix *y);
  int (*take_rows)(batched_ctx *ctx, const int *first, const int *few, const batched_matrix *vt,
                   const batched_matrix *y);
  /* rank[b] = how many of s, which descend, are larger than rcond s_1 (rcond < 0: eps); row i of c is divided by s_i,
   * or becomes 0. */
  int (*divide_by_values)(batched_ctx *ctx, double rcond, const batched_matrix *s, const batched_matrix *c, int *rank);
  /* rank[b] = the number of elements on the diagonal of R, f's triangle, that are larger than rcond times the first
   * (rcond < 0: eps), up to the first that is not; y = the adjoint of R's first rank[b] rows.  bad[b] = 1, and
   * rank[b] = 0, where f has a NaN or an infinity, else 0. */
  int (*take_trapezoid)(batched_ctx *ctx, double rcond, const batched_matrix *f, const batched_matrix *y, int *rank,
                        int *bad);
  /* y = 2^-e x, as many rows of x as y has, with e = exponent[b] such that the largest real or imaginary part of y is
   * at least 1/2 and below 1; NaNs and infinities, which stay, don't count.  Exact, but for elements that are 2^-1020
   * (s, c: 2^-124) times the largest. */
  int (*scale)(batched_ctx *ctx, const batched_matrix *x, const batched_matrix *y, int *exponent);
  /* x *= 2^(up[b] - down[b]), or, where down is NULL, 2^up[b]. */
  int (*scale_back)(batched_ctx *ctx, const int *up, const int *down, const batched_matrix *x);
  /* y = the first m, or ms[b], rows of x, and zeros below. */
  int (*take_rows_to)(batched_ctx *ctx, const batched_matrix *x, int m, const int *ms, const batched_matrix *y);
  /* y = the upper triangle, or trapezoid, of the first rows of x, and zeros below its diagonal. */
  int (*take_upper)(batched_ctx *ctx, const batched_matrix *x, const batched_matrix *y);
  /* Row jpvt[i] of b, counted from 1, = row i of x; jpvt has as many numbers a matrix as x has rows at most. */
  int (*put_rows)(batched_ctx *ctx, const batched_matrix *x, const int *jpvt, const batched_matrix *b);
  /* info[b] = more[b] where info[b] is 0. */
  int (*add_info)(batched_ctx *ctx, int64_t count, const int *more, int *info);
} batched_eigen_steps;

extern const batched_eigen_steps batched_eigen_host_steps, batched_eigen_cuda_steps;

static inline const batched_eigen_steps *batched_eigen_steps_of(const batched_ctx *ctx)
{
  return batched_get_space(ctx) == BATCHED_HOST ? &batched_eigen_host_steps : &batched_eigen_cuda_steps;
}

/* Arrays of sizes where the matrices are of variable size, else NULLs. */
static inline batched_sizes batched_pile_sizes(batched_pile *pile, const batched_matrix *a)
{
  batched_sizes s = {NULL, NULL, NULL, NULL, NULL, NULL};
  if (!a->ms && !a->ns) return s;
  int **each[] = {&s.mins, &s.tall, &s.wide, &s.mins_less, &s.tall_less, &s.wide_less};
  for (int i = 0; i < 6; i++) *each[i] = (int *)batched_pile_take(pile, (size_t)a->count * sizeof(int));
  return s;
}

/* The batch with its vectors' lengths (`each`) instead of their own: some of them shorter. */
static inline batched_matrix batched_with_lengths(batched_matrix x, const int *each)
{
  if (!each) return x;
  return x.n == 1 && !x.ns ? batched_with_sizes(x, each, NULL, x.lds) : batched_with_sizes(x, x.ms, each, x.lds);
}

#ifdef __cplusplus
}
#endif

#endif
