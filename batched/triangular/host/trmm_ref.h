/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of trmm: B = alpha op(A) B or alpha B op(A), vector by vector, in place.
 */
#include "batched/triangular/host/multiply_ref.h"

/* B = alpha E B, or B = alpha B E, which is B^T = alpha E^T B^T. */
static void NAME(multiply_one)(const batched_trmm_args *t, int m, int n, const T *a, int64_t lda, T *b, int64_t ldb)
{
  const T alpha = FROM(t->alpha.re, t->alpha.im);
  const bool left = t->side == BATCHED_LEFT, flip = (t->trans != BATCHED_NO_TRANS) == left;
  for (int r = 0; r < (left ? n : m); r++) {
    T *x = left ? b + r * ldb : b + r;
    if (alpha == 0)
      for (int i = 0; i < (left ? m : n); i++) x[left ? i : i * ldb] = 0;
    else
      NAME(multiply_vector)
    (left ? m : n, a, flip ? lda : 1, flip ? 1 : lda, t->trans == BATCHED_CONJ_TRANS,
     (t->uplo == BATCHED_LOWER) != flip, t->diag == BATCHED_UNIT, alpha, x, left ? 1 : ldb);
  }
}

static int NAME(ref)(const batched_trmm_args *t)
{
  for (int64_t b = 0; b < t->b.count; b++) NAME(multiply_one)
  (t, batched_rows(&t->b, b), batched_cols(&t->b, b), batched_at(&t->a, b), batched_ld(&t->a, b), batched_at(&t->b, b),
   batched_ld(&t->b, b));
  return BATCHED_SUCCESS;
}
