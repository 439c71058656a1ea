/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/divide.h"

/* Solve E x = b in place by substitution, E triangular with kd diagonals beside the main one: E(i, j) = e[i * row +
 * j * col], conjugated if told; element i of x is x[i * inc]. */
static void NAME(substitute_band)(int n, int kd, const T *e, int64_t row, int64_t col, bool conj, bool lower, bool unit,
                                  T *x, int64_t inc)
{
  for (int step = 0; step < n; step++) {
    const int i = lower ? step : n - 1 - step, near = batched_min(kd, step);
    T sum = x[i * inc];
    for (int j = lower ? i - near : i + 1; j < (lower ? i : i + 1 + near); j++) {
      const T a = e[i * row + j * col];
      sum -= (conj ? CONJ(a) : a) * x[j * inc];
    }
    const T d = unit ? (T)1 : e[i * row + i * col];
    x[i * inc] = unit ? sum : NAME(divide)(sum, conj ? CONJ(d) : d);
  }
}
