/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the operations share: questions about their arguments, the steps of he2hb and unmtr_he2hb beside the operations
 * that these are made of, on the host (host/steps.c) and on a GPU (cuda/steps.cu), and these rows.
 */
#ifndef BATCHED_TWO_STAGE_STEPS_H
#define BATCHED_TWO_STAGE_STEPS_H

#include "batched/check.h"
#include "batched/two_stage/two_stage.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline bool batched_is_width(int kd)
{
  return batched_accept(kd >= 1, "kd %d is not 1 or more", kd);
}

/* True where ab has kd + 1 rows, or more. */
bool batched_has_band_rows(const batched_ctx *ctx, const batched_matrix *ab, int kd);

/* True where ab, a valid result, is a band of such matrices. */
bool batched_is_band_of(const batched_ctx *ctx, const batched_matrix *ab, int kd, const batched_matrix *a);

/* The band of a matrix of order n is so wide, at least 1. */
static inline int batched_clamp_width(int n, int kd)
{
  return kd < n - 1 ? kd : n > 2 ? n - 1 : 1;
}

/* The block of each matrix that begins at (i, j), m x n or less where there are sizes. */
static inline batched_matrix batched_block_of(batched_matrix x, int64_t i, int64_t j, int m, int n, const int *ms,
                                              const int *ns)
{
  x.data = (char *)x.data + (size_t)(i + j * x.ld) * batched_element_bytes(x.type);
  x.m = m;
  x.n = n;
  return batched_with_sizes(x, ms, ns, NULL);
}

/* A step of he2hb on copies x, n x n: rows and columns `first` and beyond are left; the panel of the kd columns before
 * has been factored. */
typedef struct batched_band_panel {
  int first, kd;
  batched_matrix x, tau;   /* tau: of this panel */
  batched_matrix block;    /* [Y V W V], n - first x 4 kd */
  batched_matrix products; /* V^H [Y V], kd x 2 kd */
  batched_matrix factors;  /* [T; M], 2 kd x kd */
} batched_band_panel;

/* A -= left right^H of the panel before, where `updates`, and then y = A v, or A^H v where `adjoint`; left and right
 * have 2 kd columns, v and y kd. */
typedef struct batched_band_product {
  int kd;
  bool updates, adjoint;
  batched_matrix a, left, right, v, y;
} batched_band_product;

/* out = left T + right M with T of the panel's I - v T v^H, LAPACK's larft, and P = v^H x: there is no M, or M = -1/2
 * T^H P T, or M = -P^H T. */
typedef enum batched_band_factor { BATCHED_BAND_ALONE, BATCHED_BAND_MIDDLE, BATCHED_BAND_PRODUCT } batched_band_factor;
typedef struct batched_band_finish {
  int kd;
  batched_band_factor factor;
  batched_matrix v, x, tau, left, right, out;
} batched_band_finish;

/* Arrays and matrices are in the context's space; each returns a status. */
typedef struct batched_two_stage_steps {
  /* rest[b] = the order of a less `first`, at least 0; few[b] = that, but at most kd. */
  int (*find_rest)(batched_ctx *ctx, const batched_matrix *a, int first, int kd, int *rest, int *few);
  /* x = the whole Hermitian matrix of which a holds a triangle; on a GPU times a power of two, which brings its largest
   * element, largest[b], near 1. */
  int (*take_whole)(batched_ctx *ctx, batched_uplo uplo, const batched_matrix *a, const batched_matrix *x,
                    double *largest);
  /* V, with its ones and zeros, into the panel's block, twice. */
  int (*take_panel)(batched_ctx *ctx, const batched_band_panel *panel);
  /* T of I - V T V^H, LAPACK's larft, and M = -1/2 T^H (V^H Y) T. */
  int (*form_factors)(batched_ctx *ctx, const batched_band_panel *panel);
  /* The band, scaled back, and the vectors in x, and all of their factors, into the operation's a, ab and tau. */
  int (*store_band)(batched_ctx *ctx, const batched_he2hb_args *h, const batched_matrix *x, const batched_matrix *tau,
                    const double *largest);
  /* The columns of v, and t, as unmqr wants them: kd reflectors I, then those of he2hb. */
  int (*take_reflectors)(batched_ctx *ctx, const batched_unmtr_he2hb_args *u, const batched_matrix *v,
                         const batched_matrix *t);
  /* Both in one kernel, or BATCHED_DOES_NOT_FIT; NULL: there is none. */
  int (*multiply)(batched_ctx *ctx, const batched_band_product *p);
  /* All of it in one kernel, in the same way. */
  int (*finish)(batched_ctx *ctx, const batched_band_finish *f);
} batched_two_stage_steps;

extern const batched_two_stage_steps batched_two_stage_host_steps, batched_two_stage_cuda_steps;

static inline const batched_two_stage_steps *batched_two_stage_steps_of(const batched_ctx *ctx)
{
  return batched_get_space(ctx) == BATCHED_HOST ? &batched_two_stage_host_steps : &batched_two_stage_cuda_steps;
}

/* By that kernel, or else by gemm. */
int batched_multiply_band(batched_ctx *ctx, const batched_band_product *p);

/* By that kernel, or BATCHED_DOES_NOT_FIT. */
static inline int batched_finish_band(batched_ctx *ctx, const batched_band_finish *f)
{
  const batched_two_stage_steps *const steps = batched_two_stage_steps_of(ctx);
  return steps->finish ? steps->finish(ctx, f) : BATCHED_DOES_NOT_FIT;
}

/* Rows host.composed and cuda.composed. */
int batched_he2hb_composed(batched_ctx *ctx, const void *args);
int batched_unmtr_he2hb_composed(batched_ctx *ctx, const void *args);

#ifdef __cplusplus
}
#endif

#endif
