/* SPDX-License-Identifier: BSD-3-Clause */

/* The first zero on the diagonal, counted from 1; 0: there is none. */
static inline int NAME(first_zero)(int n, const T *a, int64_t ld)
{
  for (int j = 0; j < n; j++)
    if (a[j + j * ld] == 0) return j + 1;
  return 0;
}
