/* SPDX-License-Identifier: BSD-3-Clause */

/* T, upper triangular, of V^H V; zero beyond `few` columns. */
static void NAME(form_triangle)(int kd, int few, const T *gram, const T *tau, T *t, int64_t ld)
{
  for (int j = 0; j < kd; j++) {
    for (int i = 0; i < kd; i++) t[i + j * ld] = 0;
    if (j >= few) continue;
    for (int i = 0; i < j; i++) {
      T sum = 0;
      for (int l = i; l < j; l++) sum += t[i + l * ld] * gram[l + (int64_t)j * kd];
      t[i + j * ld] = -tau[j] * sum;
    }
    t[j + j * ld] = tau[j];
  }
}
