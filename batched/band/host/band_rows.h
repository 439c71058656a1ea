/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the host rows for bands share.
 */
#ifndef BATCHED_BAND_ROWS_H
#define BATCHED_BAND_ROWS_H

#include "batched/band/band.h"
#include "batched/host/rows.h"

/* The pivots of matrix b of a square batch; a shared matrix has only one set. */
static inline const int *batched_pivots_of_band(const batched_matrix *ab, const int *ipiv, int64_t b)
{
  return batched_is_shared(ab) ? ipiv : ipiv + b * ab->n;
}

/* True if each vector is a column. */
static inline bool batched_is_column(const batched_matrix *x)
{
  return x->n == 1 && !x->ns;
}

/* The pivots of tridiagonal matrix b; of a shared one there is only one set. */
static inline const int *batched_pivots_of_diagonal(const batched_matrix *d, const int *ipiv, int64_t b)
{
  return batched_is_shared(d) ? ipiv : ipiv + b * batched_vector_bound(d);
}

/* Those of matrices first and after. */
static inline batched_extent batched_extent_part(batched_extent x, int64_t first)
{
  if (x.each) x.each += first;
  return x;
}

/* The triangle of a symmetric or triangular band as E(i, j) = e[i * row + j * col], and its transpose. */
typedef struct batched_band_triangle {
  int above; /* of e's element (0, 0) in ab */
  int64_t row, col;
} batched_band_triangle;

static inline batched_band_triangle batched_triangle_of_band(batched_uplo uplo, int kd, int64_t ld, bool transposed)
{
  const batched_band_triangle plain = {uplo == BATCHED_UPPER ? kd : 0, 1, ld - 1},
                              turned = {plain.above, plain.col, plain.row};
  return transposed ? turned : plain;
}

#endif
