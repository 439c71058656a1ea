/* SPDX-License-Identifier: BSD-3-Clause */

/* Both triangles of A, of which one is stored. */
static void NAME(mirror)(const batched_symm_args *s, int n, const T *a, int64_t ld, T *to, int64_t ldto)
{
  for (int j = 0; j < n; j++) {
    const int first = s->uplo == BATCHED_LOWER ? j : 0, end = s->uplo == BATCHED_LOWER ? n : j + 1;
    for (int i = first; i < end; i++) {
      const T e = a[i + j * ld];
      to[i + j * ldto] = e;
      to[j + i * ldto] = s->hermitian ? CONJ(e) : e;
    }
    if (s->hermitian) to[j + j * ldto] = REAL(a[j + j * ld]);
  }
}
