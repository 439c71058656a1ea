/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of set: one number on the diagonal, another elsewhere, in a triangle or all of A.
 */

static int NAME(ref)(const batched_set_args *s)
{
  const T off = FROM(s->off.re, s->off.im), diag = FROM(s->diag.re, s->diag.im);
  for (int64_t b = 0; b < s->a.count; b++) {
    const int m = batched_rows(&s->a, b), n = batched_cols(&s->a, b);
    for (int j = 0; j < n; j++) {
      T *a = (T *)batched_at(&s->a, b) + (int64_t)j * batched_ld(&s->a, b);
      const int end = batched_region_end(s->region, j, m);
      for (int i = batched_region_first(s->region, j, m); i < end; i++) a[i] = off;
      if (j < m) a[j] = diag;
    }
  }
  return BATCHED_SUCCESS;
}
