/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of potrf: A = L L^H or U^H U, unblocked, as LAPACK's potf2.
 */

/* Column by column, left-looking.  The upper factor is the lower one's transpose: element (i, j) of L is at
 * a[i * row + j * col] for both. */
static int NAME(factor)(batched_uplo uplo, int n, T *a, int ld)
{
  const int64_t row = uplo == BATCHED_LOWER ? 1 : ld, col = uplo == BATCHED_LOWER ? ld : 1;
  for (int j = 0; j < n; j++) {
    R d = REAL(a[j * row + j * col]);
    for (int k = 0; k < j; k++) d -= REAL(a[j * row + k * col] * CONJ(a[j * row + k * col]));
    if (!(d > 0)) return j + 1;
    d = SQRT(d);
    a[j * row + j * col] = d;
    for (int i = j + 1; i < n; i++) {
      T sum = a[i * row + j * col];
      for (int k = 0; k < j; k++) sum -= a[i * row + k * col] * CONJ(a[j * row + k * col]);
      a[i * row + j * col] = sum / d;
    }
  }
  return 0;
}

static int NAME(ref)(const batched_potrf_args *p)
{
  for (int64_t b = 0; b < p->a.count; b++)
    p->info[b] = NAME(factor)(p->uplo, batched_rows(&p->a, b), batched_at(&p->a, b), batched_ld(&p->a, b));
  return BATCHED_SUCCESS;
}
