/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/divide.h"

/* Solve E x = b in place by substitution: E(i, j) = e[i * row + j * col], conjugated if told; element i of x is
 * x[i * inc]. */
static void NAME(substitute)(int n, const T *e, int64_t row, int64_t col, bool conj, bool lower, bool unit, T *x,
                             int64_t inc)
{
  for (int step = 0; step < n; step++) {
    int i = lower ? step : n - 1 - step;
    T sum = x[i * inc];
    for (int j = lower ? 0 : i + 1; j < (lower ? i : n); j++) {
      T a = e[i * row + j * col];
      sum -= (conj ? CONJ(a) : a) * x[j * inc];
    }
    T d = unit ? (T)1 : e[i * row + i * col];
    x[i * inc] = unit ? sum : NAME(divide)(sum, conj ? CONJ(d) : d);
  }
}
