/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.mixed of gesv and posv: the factors in half of the precision, and the solution refined to the whole of it,
 * matrix by matrix (Langou et al., Exploiting the performance of 32 bit floating point arithmetic, SC 2006).
 */
#ifndef BATCHED_TRIANGULAR_HOST_MIXED_H
#define BATCHED_TRIANGULAR_HOST_MIXED_H

#include "batched/variant.h"

typedef enum batched_refined { BATCHED_REFINE_WHOLE, BATCHED_REFINE_LOWER, BATCHED_REFINE_UPPER } batched_refined;

/* Operations on one matrix, in either precision; part: its data. */
typedef struct batched_refiner {
  batched_refined part;
  int (*factor)(batched_ctx *ctx, const struct batched_refiner *r, const batched_matrix *a, int *ipiv, int *info);
  int (*solve)(batched_ctx *ctx, const struct batched_refiner *r, const batched_matrix *a, const int *ipiv,
               const batched_matrix *b);
  /* r -= A x */
  int (*subtract)(batched_ctx *ctx, const struct batched_refiner *r, const batched_matrix *a, const batched_matrix *x,
                  const batched_matrix *residual);
} batched_refiner;

bool batched_can_refine(const batched_matrix *a, const batched_matrix *b);

/* ipiv: n per matrix, or NULL */
int batched_solve_mixed(batched_ctx *ctx, const batched_refiner *r, batched_matrix a, batched_matrix b, int *ipiv,
                        int *info);

#endif
