/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/triangular/host/substitute_ref.h"

/* B = alpha E^-1 B, or B = alpha B E^-1, which is B^T = alpha E^-T B^T. */
static void NAME(solve)(const batched_trsm_args *t, int m, int n, const T *a, int lda, T *b, int ldb)
{
  const T alpha = FROM(t->alpha.re, t->alpha.im);
  const bool left = t->side == BATCHED_LEFT, flip = (t->trans != BATCHED_NO_TRANS) == left;
  const bool lower = (t->uplo == BATCHED_LOWER) != flip;
  const int64_t row = flip ? lda : 1, col = flip ? 1 : lda;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) b[i + (int64_t)j * ldb] = alpha == 0 ? (T)0 : alpha * b[i + (int64_t)j * ldb];
  if (alpha == 0) return;
  for (int r = 0; r < (left ? n : m); r++) NAME(substitute)
  (left ? m : n, a, row, col, t->trans == BATCHED_CONJ_TRANS, lower, t->diag == BATCHED_UNIT,
   left ? b + (int64_t)r * ldb : b + r, left ? 1 : ldb);
}
