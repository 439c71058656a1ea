/* SPDX-License-Identifier: BSD-3-Clause */

/* LAPACK does not report a NaN, some libraries take one for a pivot, and they differ in where they leave it: the first
 * pivot that is not a number, where info names no earlier one. */
static inline int NAME(pivot_info)(int n, const T *a, int64_t ld, int info)
{
  for (int j = 0; j < (info ? info - 1 : n); j++)
    if (a[j + j * ld] != a[j + j * ld]) return j + 1;
  return info;
}
