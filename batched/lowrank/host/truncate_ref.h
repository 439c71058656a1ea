/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of truncate: how many singular values a truncation keeps, and info.
 */

/* The least r with sum of s(i)^2 over i >= r at most the square of what may go, in units of s(0); values up to q eps
 * are rounding error. */
static int NAME(needed)(const R *s, int increment, int q, const batched_truncation *t)
{
  if (q == 0 || s[0] == 0) return 0;
  double all = 0, tail = 0;
  for (int i = 0; i < q; i++) all += (double)(s[i * increment] / s[0]) * (double)(s[i * increment] / s[0]);
  const double limit = t->absolute ? t->tolerance / (double)s[0] : t->tolerance * SQRT((R)all);
  int r = q;
  for (; r > 0; r--) {
    const double x = (double)(s[(r - 1) * increment] / s[0]);
    tail += x * x;
    if (tail > limit * limit && x > q * (double)EPS) break;
  }
  return r;
}

static int NAME(ref)(const batched_truncate_args *t)
{
  for (int64_t b = 0; b < t->vt.count; b++) {
    const int q = batched_rows(&t->vt, b), n = batched_cols(&t->vt, b), ld = batched_ld(&t->vt, b);
    const int most = t->t.max_rank ? batched_min(t->most, t->t.max_rank) : t->most;
    const int increment = batched_increment(&t->s, b);
    const R *s = batched_at(&t->s, b);
    const int needed = t->info[b] ? q + 1 : NAME(needed)(s, increment, q, &t->t);
    t->ranks[b] = batched_min(t->info[b] ? 1 : needed, batched_min(most, q));
    t->info[b] = t->info[b] || (needed > most && t->t.tolerance > 0) ? needed : 0;
    for (int j = 0; j < n; j++) {
      T *v = (T *)batched_at(&t->vt, b) + (int64_t)j * ld;
      for (int i = 0; i < q; i++) v[i] *= s[i * increment];
    }
  }
  return BATCHED_SUCCESS;
}
