/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of geqp3: QR with column pivoting (Businger, Golub, Numer. Math. 7, 1965); norms of the columns are
 * downdated, and computed anew where that loses digits (Drmac, Bujanovic, ACM TOMS 35, 2008), as LAPACK's laqp2.
 */
#include "batched/vectors/host/reductions/sizes.h"
#include "batched/qr/host/reflectors_ref.h"

static R NAME(column_norm)(int n, const T *x)
{
  NAME(sums) s = {0, 0, 0};
  NAME(add_column)(&s, n, x, 1);
  return NAME(norm_of)(s);
}

/* The norm of what is left of a column of which element x leaves. */
static void NAME(downdate)(T x, int below, const T *rest, R *norm, R *exact)
{
  if (*norm == 0) return;
  const R part = ABS(x) / *norm, left = part < 1 ? (1 - part) * (1 + part) : 0, ratio = *norm / *exact;
  if (left * ratio * ratio > SQRT((R)EPS)) {
    *norm *= SQRT(left);
  } else {
    *norm = *exact = NAME(column_norm)(below, rest);
  }
}

static void NAME(geqp3_one)(int m, int n, T *a, int64_t ld, int *jpvt, T *tau, int64_t inc, R *norms)
{
  R *exact = norms + n;
  for (int j = 0; j < n; j++) {
    jpvt[j] = j + 1;
    norms[j] = exact[j] = NAME(column_norm)(m, a + j * ld);
  }
  for (int i = 0; i < batched_min(m, n); i++) {
    int p = i;
    for (int j = i + 1; j < n; j++)
      if (norms[j] > norms[p]) p = j;
    for (int r = 0; p != i && r < m; r++) {
      const T t = a[r + i * ld];
      a[r + i * ld] = a[r + p * ld];
      a[r + p * ld] = t;
    }
    const int number = jpvt[p];
    jpvt[p] = jpvt[i];
    jpvt[i] = number;
    norms[p] = norms[i];
    exact[p] = exact[i];
    T *v = a + i + i * ld;
    tau[i * inc] = NAME(make_reflector)(m - i, v);
    for (int j = i + 1; j < n; j++) {
      T *c = a + i + j * ld;
      NAME(reflect)(m - i, v, CONJ(tau[i * inc]), c, 1, false);
      NAME(downdate)(c[0], m - i - 1, c + 1, &norms[j], &exact[j]);
    }
  }
}

static int NAME(geqp3_ref)(batched_ctx *ctx, const batched_geqp3_args *g)
{
  R *norms = batched_scratch_push(ctx, 2 * (size_t)g->a.n * sizeof(R));
  if (!norms) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b), k = batched_min(m, n);
    NAME(geqp3_one)
    (m, n, batched_at(&g->a, b), batched_ld(&g->a, b), g->jpvt + b * g->a.n, k > 0 ? batched_at(&g->tau, b) : NULL,
     k > 0 ? batched_increment(&g->tau, b) : 1, norms);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}
