/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of gbtrf: LU of a band with partial pivoting, right-looking, column by column, as LAPACK's gbtf2.
 */
#include "batched/host/abs1.h"
#include "batched/host/divide.h"

/* Exchange rows i and p in columns from .. to - 1; A(i, j) = a[i + j * col]. */
static void NAME(exchange)(int from, int to, T *a, int64_t col, int i, int p)
{
  for (int j = from; j < to; j++) {
    T t = a[i + j * col];
    a[i + j * col] = a[p + j * col];
    a[p + j * col] = t;
  }
}

/* Column by column, as LAPACK's gbtf2: choose the pivot among the kl rows below, exchange what is right of it, divide,
 * update the columns that the rows reach so far, of which `end` is behind the last. */
static int NAME(factor)(int m, int n, int kl, int ku, T *ab, int64_t ld, int *ipiv)
{
  T *a = ab + kl + ku;
  const int64_t col = ld - 1;
  int info = 0, end = 0;
  for (int j = ku + 1; j < n; j++)
    for (int i = batched_max(0, j - kl - ku); i < batched_min(j - ku, m); i++) a[i + j * col] = 0;
  for (int k = 0; k < batched_min(m, n); k++) {
    const int below = k + 1 + batched_min(kl, m - 1 - k);
    int p = k;
    for (int i = k + 1; i < below; i++)
      if (NAME(abs1)(a[i + k * col]) > NAME(abs1)(a[p + k * col])) p = i;
    ipiv[k] = p + 1;
    end = batched_max(end, 1 + batched_min(n - 1 - ku, p) + ku);
    NAME(exchange)(k, end, a, col, k, p);
    const T d = a[k + k * col];
    if (!(NAME(abs1)(d) > 0) && !info) info = k + 1;
    for (int i = k + 1; i < below; i++) {
      if (d != 0) a[i + k * col] = NAME(divide)(a[i + k * col], d);
      for (int j = k + 1; j < end; j++) a[i + j * col] -= a[i + k * col] * a[k + j * col];
    }
  }
  return info;
}

static int NAME(ref)(const batched_gbtrf_args *p)
{
  const int64_t each = batched_min(p->m.bound, p->ab.n);
  for (int64_t b = 0; b < p->ab.count; b++)
    p->info[b] =
      NAME(factor)(batched_extent_at(p->m, b), batched_cols(&p->ab, b), batched_extent_at(p->kl, b),
                   batched_extent_at(p->ku, b), batched_at(&p->ab, b), batched_ld(&p->ab, b), p->ipiv + b * each);
  return BATCHED_SUCCESS;
}
