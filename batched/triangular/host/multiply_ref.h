/* SPDX-License-Identifier: BSD-3-Clause */

/* x = alpha E x in place: E(i, j) = e[i * row + j * col], conjugated if told; element i of x is x[i * inc].  Of a lower
 * triangle the last row comes first: it needs all of the old x. */
static void NAME(multiply_vector)(int n, const T *e, int64_t row, int64_t col, bool conj, bool lower, bool unit,
                                  T alpha, T *x, int64_t inc)
{
  for (int step = 0; step < n; step++) {
    const int i = lower ? n - 1 - step : step;
    T sum = 0;
    for (int j = lower ? 0 : i; j < (lower ? i + 1 : n); j++) {
      const T a = unit && i == j ? (T)1 : e[i * row + j * col];
      sum += (conj ? CONJ(a) : a) * x[j * inc];
    }
    x[i * inc] = alpha * sum;
  }
}
