/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the rows for LU share: where a matrix's pivots are, and scratch memory taken beforehand.
 */
#ifndef BATCHED_HOST_LU_H
#define BATCHED_HOST_LU_H

#include "rows.h"

/* The pivots of matrix b of a square batch; a shared matrix has only one set. */
static inline const int *batched_pivots_of(const batched_matrix *a, const int *ipiv, int64_t b)
{
  return !a->array && a->stride == 0 ? ipiv : ipiv + b * a->n;
}

/* Takes the scratch memory that the rows of getrf and getrs will ask for, and gives it back: without it nothing must be
 * touched.  They have two pieces: an order of the matrices, and a group of them in lanes of at most 128 bytes an element. */
static inline bool batched_has_lu_scratch(batched_ctx *ctx, int order, int64_t count)
{
  const size_t n = (size_t)order, lanes = (n + 40) * (n + 1) * 128, indices = (size_t)count * sizeof(int64_t);
  const bool first = batched_scratch_push(ctx, lanes > indices ? lanes : indices) != NULL;
  const bool second = first && batched_scratch_push(ctx, lanes) != NULL;
  if (second) batched_scratch_pop(ctx);
  if (first) batched_scratch_pop(ctx);
  return second;
}

#endif
