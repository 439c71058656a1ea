/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of ge2gb and unmbr_ge2gb beside the operations that these are made of, on the host (host/general_steps.c)
 * and on a GPU (cuda/general_steps.cu), and these rows.
 */
#ifndef BATCHED_TWO_STAGE_GENERAL_STEPS_H
#define BATCHED_TWO_STAGE_GENERAL_STEPS_H

#include "batched/two_stage/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes of a variable batch in a step of ge2gb, for X = A or A^H, whichever is as high as wide or higher: X's; rows and
 * columns of the panel; columns right of it, rows below, and reflectors from the right. */
typedef struct batched_general_sizes {
  int *longer, *shorter, *rows, *cols, *rest, *below, *few;
} batched_general_sizes;

/* Reflectors of a panel x, as many as tau has elements, and what is made of them: v, with ones and zeros, and kd
 * columns; from products [P G], G = v^H v, factors T, LAPACK's larft, and, where `both`, -P^H T below it. */
typedef struct batched_general_panel {
  int kd;
  bool both;
  batched_matrix x, tau, v, products, factors;
} batched_general_panel;

/* Arrays and matrices are in the context's space; each returns a status. */
typedef struct batched_general_steps {
  int (*find_sizes)(batched_ctx *ctx, const batched_matrix *a, int first, int kd, const batched_general_sizes *sizes);
  /* x = X; on a GPU times a power of two, which brings its largest element, largest[b], near 1. */
  int (*take_tall)(batched_ctx *ctx, const batched_matrix *a, const batched_matrix *x, double *largest);
  /* The band, scaled back, and the vectors in x, and all of their factors, of X, into the operation's operands. */
  int (*store_band)(batched_ctx *ctx, const batched_ge2gb_args *g, const batched_matrix *x, const batched_matrix *tauq,
                    const batched_matrix *taup, const double *largest);
  /* The columns of v, and t, as unmqr wants them: where its reflectors begin at row kd, first kd reflectors I. */
  int (*take_reflectors)(batched_ctx *ctx, const batched_unmbr_ge2gb_args *u, const batched_matrix *v,
                         const batched_matrix *t);
  /* v; x may be v itself. */
  int (*take_vectors)(batched_ctx *ctx, const batched_general_panel *p);
  int (*form_factors)(batched_ctx *ctx, const batched_general_panel *p);
} batched_general_steps;

extern const batched_general_steps batched_general_host_steps, batched_general_cuda_steps;

static inline const batched_general_steps *batched_general_steps_of(const batched_ctx *ctx)
{
  return batched_get_space(ctx) == BATCHED_HOST ? &batched_general_host_steps : &batched_general_cuda_steps;
}

/* Rows host.composed and cuda.composed. */
int batched_ge2gb_composed(batched_ctx *ctx, const void *args);
int batched_unmbr_ge2gb_composed(batched_ctx *ctx, const void *args);

#ifdef __cplusplus
}
#endif

#endif
