/* SPDX-License-Identifier: BSD-3-Clause */

/* Element (i, j) of a whole symmetric or Hermitian matrix, of which a triangle is stored. */
static inline T NAME(mirrored)(batched_uplo uplo, bool hermitian, const T *a, int64_t ld, int i, int j)
{
  const bool stored = uplo == BATCHED_LOWER ? i >= j : i <= j;
  const T e = stored ? a[i + j * ld] : a[j + i * ld];
  if (!hermitian) return e;
  return i == j ? REAL(e) : stored ? e : CONJ(e);
}
