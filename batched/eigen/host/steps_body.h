/* SPDX-License-Identifier: BSD-3-Clause */

static void NAME(store)(const int *info, const batched_matrix *x, const batched_matrix *y)
{
  for (int64_t b = 0; b < y->count; b++) {
    const int m = batched_rows(y, b), n = batched_cols(y, b);
    const T *const from = batched_at(x, b);
    T *const to = batched_at(y, b);
    for (int64_t j = 0; j < n; j++)
      for (int i = 0; i < m; i++)
        to[i + j * batched_ld(y, b)] =
          info[b] > 0 ? FROM(__builtin_nan(""), __builtin_nan("")) : from[i + j * batched_ld(x, b)];
  }
}

static void NAME(store_values)(const int *info, const batched_matrix *x, const batched_matrix *y)
{
  for (int64_t b = 0; b < y->count; b++) {
    const int n = batched_vector_length(y, b);
    const int64_t incx = n > 0 ? batched_increment(x, b) : 1, incy = n > 0 ? batched_increment(y, b) : 1;
    const T *const from = batched_at(x, b);
    T *const to = batched_at(y, b);
    for (int i = 0; i < n; i++) to[i * incy] = info[b] > 0 ? FROM(__builtin_nan(""), 0) : from[i * incx];
  }
}

/* The number of the largest element, the first of several; -1 in a column of zeros or NaNs. */
static int NAME(largest_of)(int m, const T *x)
{
  R most = 0;
  int at = -1;
  for (int i = 0; i < m; i++) {
    if (!(ABS(x[i]) > most)) continue;
    most = ABS(x[i]);
    at = i;
  }
  return at;
}

static void NAME(fix_signs)(const batched_matrix *z, const batched_matrix *vt)
{
  for (int64_t b = 0; b < z->count; b++) {
    const int m = batched_rows(z, b), n = batched_cols(z, b), cols = vt->count > 0 ? batched_cols(vt, b) : 0;
    for (int64_t j = 0; j < n; j++) {
      T *const x = (T *)batched_at(z, b) + j * batched_ld(z, b), *const y =
                                                                   cols > 0 ? (T *)batched_at(vt, b) + j : NULL;
      const int at = NAME(largest_of)(m, x);
      if (at < 0) continue;
      const R size = ABS(x[at]);
      const T phase = CONJ(x[at]) / size;
      for (int i = 0; i < m; i++) x[i] = i == at ? (T)size : x[i] * phase;
      for (int64_t i = 0; i < cols; i++) y[i * batched_ld(vt, b)] *= CONJ(phase);
    }
  }
}
