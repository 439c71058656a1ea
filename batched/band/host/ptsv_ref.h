/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.ref of pttrf, pttrs and ptsv: L D L^H of a positive definite tridiagonal matrix, as LAPACK has it, without
 * pivoting.
 */

/* Row by row: e becomes L's, and d loses |e|^2 / d. */
static int NAME(factor)(int n, R *d, int64_t sd, T *e, int64_t se)
{
  for (int k = 0; k < n; k++) {
    if (!(d[k * sd] > 0)) return k + 1;
    if (k == n - 1) break;
    const T l = e[k * se] / d[k * sd];
    d[(k + 1) * sd] -= REAL(l * CONJ(e[k * se]));
    e[k * se] = l;
  }
  return 0;
}

/* L, D and L^H; where `conj` says so, e is that of U = L^H. */
static void NAME(solve)(int n, const R *d, int64_t sd, const T *e, int64_t se, bool conj, T *x)
{
  for (int k = 1; k < n; k++) x[k] -= (conj ? CONJ(e[(k - 1) * se]) : e[(k - 1) * se]) * x[k - 1];
  for (int k = n - 1; k >= 0; k--) {
    x[k] /= d[k * sd];
    if (k < n - 1) x[k] -= (conj ? e[k * se] : CONJ(e[k * se])) * x[k + 1];
  }
}

static int NAME(pttrf)(const batched_pttrf_args *p)
{
  for (int64_t b = 0; b < p->d.count; b++)
    p->info[b] = NAME(factor)(batched_vector_length(&p->d, b), batched_at(&p->d, b), batched_increment(&p->d, b),
                              batched_at(&p->e, b), batched_increment(&p->e, b));
  return BATCHED_SUCCESS;
}

static int NAME(pttrs)(const batched_pttrs_args *p)
{
  for (int64_t b = 0; b < p->b.count; b++)
    for (int j = 0; j < batched_cols(&p->b, b); j++) NAME(solve)
  (batched_rows(&p->b, b), batched_at(&p->d, b), batched_increment(&p->d, b), batched_at(&p->e, b),
   batched_increment(&p->e, b), p->uplo == BATCHED_UPPER,
   (T *)batched_at(&p->b, b) + (int64_t)j * batched_ld(&p->b, b));
  return BATCHED_SUCCESS;
}

static int NAME(ptsv)(const batched_ptsv_args *p)
{
  for (int64_t b = 0; b < p->d.count; b++) {
    const int n = batched_vector_length(&p->d, b);
    R *d = batched_at(&p->d, b);
    T *e = batched_at(&p->e, b);
    const int64_t sd = batched_increment(&p->d, b), se = batched_increment(&p->e, b);
    p->info[b] = NAME(factor)(n, d, sd, e, se);
    for (int j = 0; p->info[b] == 0 && j < batched_cols(&p->b, b); j++)
      NAME(solve)(n, d, sd, e, se, false, (T *)batched_at(&p->b, b) + (int64_t)j * batched_ld(&p->b, b));
  }
  return BATCHED_SUCCESS;
}
