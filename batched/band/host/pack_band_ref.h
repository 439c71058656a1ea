/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.ref of pack_band and unpack_band: copies between a dense matrix and its band.
 */

static int NAME(pack)(const batched_pack_band_args *p)
{
  for (int64_t b = 0; b < p->a.count; b++) {
    const int m = batched_rows(&p->a, b), kl = batched_extent_at(p->kl, b), ku = batched_extent_at(p->ku, b);
    const T *a = batched_at(&p->a, b);
    T *ab = batched_at(&p->ab, b);
    for (int j = 0; j < batched_cols(&p->a, b); j++, a += batched_ld(&p->a, b), ab += batched_ld(&p->ab, b))
      for (int i = batched_max(0, j - ku); i < m && i - kl <= j; i++) ab[ku + i - j] = a[i];
  }
  return BATCHED_SUCCESS;
}

static int NAME(unpack)(const batched_unpack_band_args *p)
{
  for (int64_t b = 0; b < p->a.count; b++) {
    const int m = batched_rows(&p->a, b), kl = batched_extent_at(p->kl, b), ku = batched_extent_at(p->ku, b);
    const T *ab = batched_at(&p->ab, b);
    T *a = batched_at(&p->a, b);
    for (int j = 0; j < batched_cols(&p->a, b); j++, a += batched_ld(&p->a, b), ab += batched_ld(&p->ab, b))
      for (int i = 0; i < m; i++) a[i] = j - i <= ku && i - j <= kl ? ab[ku + i - j] : 0;
  }
  return BATCHED_SUCCESS;
}
