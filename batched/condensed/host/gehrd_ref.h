/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of gehrd: A = Q H Q^H by Householder reflectors, unblocked, as LAPACK's gehd2.
 */
#include "batched/qr/host/reflectors_ref.h"

/* Rows and columns lo .. hi - 1, counted from 0. */
static void NAME(hessenberg)(int n, int lo, int hi, T *a, int64_t ld, T *tau, int64_t step)
{
  for (int j = 0; j < n - 1; j++) {
    tau[j * step] = 0;
    if (j < lo || j >= hi - 1) continue;
    const int length = hi - 1 - j;
    T *const v = a + j + 1 + j * ld;
    const T t = tau[j * step] = NAME(make_reflector)(length, v);
    for (int i = 0; i < hi; i++) NAME(reflect)(length, v, CONJ(t), a + i + (j + 1) * ld, ld, true);
    for (int c = j + 1; c < n; c++) NAME(reflect)(length, v, CONJ(t), a + j + 1 + c * ld, 1, false);
  }
}

static int NAME(ref)(const batched_gehrd_args *g)
{
  for (int64_t b = 0; b < g->a.count; b++) {
    const int n = batched_cols(&g->a, b);
    NAME(hessenberg)
    (n, g->ilo - 1, batched_min(g->ihi, n), batched_at(&g->a, b), batched_ld(&g->a, b), batched_at(&g->tau, b),
     batched_increment(&g->tau, b));
  }
  return BATCHED_SUCCESS;
}
