/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the rows for LU share: where a matrix's pivots are.
 */
#ifndef BATCHED_HOST_LU_H
#define BATCHED_HOST_LU_H

#include "batched/host/rows.h"

/* The pivots of matrix b of a square batch; a shared matrix has only one set. */
static inline const int *batched_pivots_of(const batched_matrix *a, const int *ipiv, int64_t b)
{
  return batched_is_shared(a) ? ipiv : ipiv + b * a->n;
}

#endif
