/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks of the arguments of calls with band matrices, beside batched/check.h.
 */
#ifndef BATCHED_CHECK_BAND_H
#define BATCHED_CHECK_BAND_H

#include "batched/check.h"

/* A bandwidth, or a number of rows: no number is negative or above the bound. */
bool batched_is_extent(const batched_ctx *ctx, batched_extent x, int64_t count);

/* Checks that each ab has below * kl + ku + 1 rows or more. */
bool batched_has_band(const batched_ctx *ctx, const batched_matrix *ab, int below, batched_extent kl,
                      batched_extent ku);

/* Checks that x are vectors of d's kind, each at most `less` shorter than d's.  Written ones may not be shared. */
bool batched_is_diagonal(const batched_ctx *ctx, const batched_matrix *x, const batched_matrix *d, int less,
                         bool written);
/* Check that d are real vectors, and e vectors of d's precision and count, at most 1 shorter than they are. */
bool batched_is_real_diagonal(const batched_ctx *ctx, const batched_matrix *d, bool written);
bool batched_is_off_diagonal(const batched_ctx *ctx, const batched_matrix *e, const batched_matrix *d, bool written);

/* For the cost models: elements of an m x n matrix in a band of kl + 1 + ku diagonals; flops of its LU, U having kv
 * diagonals above the main one. */
double batched_band_elements(double m, double n, double kl, double ku);
double batched_band_lu_flops(int m, int n, int kl, int kv);

static inline bool batched_is_uniform_band(const batched_matrix *ab, batched_extent kl, batched_extent ku)
{
  return !batched_is_variable(ab) && !kl.each && !ku.each;
}

#endif
