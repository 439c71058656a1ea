/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of pbtrf: Cholesky's factor of a positive definite band, L L^H or U^H U, as LAPACK's pbtf2.
 */

/* Column by column, left-looking: element (i, j) of L, or of U's transpose, is at a[i * row + j * col]. */
static int NAME(factor)(int n, int kd, T *a, int64_t row, int64_t col)
{
  for (int j = 0; j < n; j++) {
    R d = REAL(a[j * row + j * col]);
    for (int k = batched_max(0, j - kd); k < j; k++) d -= REAL(a[j * row + k * col] * CONJ(a[j * row + k * col]));
    if (!(d > 0)) return j + 1;
    d = SQRT(d);
    a[j * row + j * col] = d;
    for (int i = j + 1; i < n && i <= j + kd; i++) {
      T sum = a[i * row + j * col];
      for (int k = batched_max(0, i - kd); k < j; k++) sum -= a[i * row + k * col] * CONJ(a[j * row + k * col]);
      a[i * row + j * col] = sum / d;
    }
  }
  return 0;
}

static int NAME(ref)(const batched_pbtrf_args *p)
{
  for (int64_t b = 0; b < p->ab.count; b++) {
    const int kd = batched_extent_at(p->kd, b);
    const batched_band_triangle t =
      batched_triangle_of_band(p->uplo, kd, batched_ld(&p->ab, b), p->uplo == BATCHED_UPPER);
    T *ab = batched_at(&p->ab, b);
    p->info[b] = NAME(factor)(batched_cols(&p->ab, b), kd, ab + t.above, t.row, t.col);
  }
  return BATCHED_SUCCESS;
}
