/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the rows for LU share: where a matrix's pivots are, and getri by solves.
 */
#ifndef BATCHED_LU_HOST_FACTORS_H
#define BATCHED_LU_HOST_FACTORS_H

#include "batched/host/rows.h"
#include "batched/lu/lu.h"

/* The pivots of matrix b of a square batch; a shared matrix has only one set. */
static inline const int *batched_pivots_of(const batched_matrix *a, const int *ipiv, int64_t b)
{
  return batched_is_shared(a) ? ipiv : ipiv + b * a->n;
}

/* getri by a row of getrs: A^-1 as the solution for the identity, which keeps |A X - I| small, column by column;
 * LAPACK's getri solves X L = U^-1, which bounds |X A - I| alone. */
int batched_invert_by(batched_ctx *ctx, const batched_getri_args *p, const char *row);

#endif
