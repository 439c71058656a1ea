/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of gehrd: A = Q H Q^H with a matrix in each lane, as LAPACK's gehd2: element (i, j) at x[i + j * n].
 */
#include "batched/condensed/host/reflect_right_simd.h"

/* Rows and columns lo .. hi - 1, counted from 0.  work: two vectors of length n. */
static void NAME(hessenberg_lanes)(int n, int lo, int hi, ELEM *x, ELEM *tau, ELEM *work)
{
  ELEM *const v = work, *const y = work + n;
  for (int j = 0; j < n - 1; j++) {
    tau[j] = NAME(make)((VEC){0});
    if (j < lo || j >= hi - 1) continue;
    const int length = hi - 1 - j;
    ELEM *const column = x + j + 1 + j * n, *const next = x + (j + 1) * n;
    tau[j] = NAME(make_reflector_lanes)(length, column);
    v[0] = NAME(make)(SIMD(splat)(1));
    for (int i = 1; i < length; i++) v[i] = column[i];
    NAME(reflect_right)(hi, length, n, v, tau[j], next, y);
    NAME(reflect_columns)(n - 1 - j, length, 1, n, v, tau[j], next + j + 1);
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_gehrd_args *p)
{
  const size_t n = (size_t)p->a.n;
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, &p->a, W);
  if (status) return status;
  ELEM *const x = batched_scratch_push(ctx, n * (n + 3) * sizeof(ELEM)), *const tau = x ? x + n * n : NULL;
  while (x && batched_groups_next(&groups, &g)) {
    NAME(matrices) a;
    if (g.n == 0) continue;
    NAME(matrices_of)(&p->a, &g, &a);
    const bool dense = NAME(is_dense)(&a, g.n);
    NAME(pack)(&a, 0, 0, g.n, g.n, dense, x);
    NAME(hessenberg_lanes)(g.n, p->ilo - 1, batched_min(p->ihi, g.n), x, tau, tau + n);
    NAME(unpack)(&a, g.active, 0, 0, g.n, g.n, dense, x);
    NAME(unpack_vector)(&p->tau, &g, g.n - 1, false, tau);
  }
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"
