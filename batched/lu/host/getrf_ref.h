/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of getrf: A = P L U with partial pivoting, right-looking, column by column, as LAPACK's getf2.
 */
#include "batched/host/abs1.h"
#include "batched/host/divide.h"

/* Exchange rows i and p. */
static void NAME(exchange)(int n, T *a, int64_t ld, int i, int p)
{
  for (int j = 0; j < n; j++) {
    T t = a[i + j * ld];
    a[i + j * ld] = a[p + j * ld];
    a[p + j * ld] = t;
  }
}

/* Column by column: choose the pivot, exchange whole rows, divide, update what is right of the column. */
static int NAME(factor)(int m, int n, T *a, int64_t ld, int *ipiv)
{
  int info = 0;
  for (int k = 0; k < batched_min(m, n); k++) {
    int p = k;
    for (int i = k + 1; i < m; i++)
      if (NAME(abs1)(a[i + k * ld]) > NAME(abs1)(a[p + k * ld])) p = i;
    ipiv[k] = p + 1;
    NAME(exchange)(n, a, ld, k, p);
    const T d = a[k + k * ld];
    if (!(NAME(abs1)(d) > 0) && !info) info = k + 1;
    for (int i = k + 1; i < m; i++) {
      if (d != 0) a[i + k * ld] = NAME(divide)(a[i + k * ld], d);
      for (int j = k + 1; j < n; j++) a[i + j * ld] -= a[i + k * ld] * a[k + j * ld];
    }
  }
  return info;
}

static int NAME(ref)(const batched_getrf_args *p)
{
  const int64_t each = batched_min(p->a.m, p->a.n);
  for (int64_t b = 0; b < p->a.count; b++)
    p->info[b] = NAME(factor)(batched_rows(&p->a, b), batched_cols(&p->a, b), batched_at(&p->a, b),
                              batched_ld(&p->a, b), p->ipiv + b * each);
  return BATCHED_SUCCESS;
}
