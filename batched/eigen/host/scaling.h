/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Least squares between powers of two, as LAPACK's gelsd and gelsy have it: no norm of A or B over- or
 * underflows.  Exact, but for elements of a matrix that are 2^-1020 (s, c: 2^-124) times its largest.
 */
#ifndef BATCHED_EIGEN_HOST_SCALING_H
#define BATCHED_EIGEN_HOST_SCALING_H

#include "batched/parts.h"

/* Copies of A and B with largest elements near 1, and the exponents of the powers of two that they were divided by. */
typedef struct batched_scaled {
  batched_matrix a, b;
  int *exponent_a, *exponent_b;
} batched_scaled;

batched_scaled batched_lay_out_scaled(batched_pile *pile, const batched_matrix *a, const batched_matrix *b);

/* Fills the copies; of B as many rows as A has. */
void batched_scale(const batched_matrix *a, const batched_matrix *b, const batched_scaled *to);

/* The first rows of b, as many as A has columns, = X of these problems; s (or NULL) become the values of
 * A. */
void batched_scale_back(const batched_scaled *from, const batched_matrix *b, const batched_matrix *s);

#endif
