/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR by single reflectors, in plain loops.
 */

/* H^H (alpha, x) = (beta, 0) for the `len` elements at x, as LAPACK's larfg; x becomes (beta, v).  The column is scaled
 * by a power of two that brings its largest part near 1. */
static inline T NAME(make_reflector)(int len, T *x)
{
  R size = 0, s, back, tail = 0;
  for (int i = 0; i < len; i++) {
    const R parts[2] = {REAL(x[i]), IS_COMPLEX ? __imag__ x[i] : 0};
    for (int p = 0; p < 2; p++)
      if (__builtin_fabs(parts[p]) > size) size = (R)__builtin_fabs(parts[p]);
  }
  const int most = sizeof(R) == 4 ? 125 : 1021;
  const int e = size > 0 && size <= (sizeof(R) == 4 ? (R)__FLT_MAX__ : (R)__DBL_MAX__) ? __builtin_ilogb(size) : 0;
  s = (R)__builtin_scalbn(1, -(e > most ? most : e < -most ? -most : e));
  back = 1 / s;
  const T alpha = s * x[0];
  for (int i = 1; i < len; i++) tail += REAL(s * x[i] * CONJ(s * x[i]));
  if (tail == 0 && __imag__ alpha == 0) return 0;
  const R norm = SQRT(tail + REAL(alpha * CONJ(alpha))), beta = REAL(alpha) < 0 ? norm : -norm;
  const T d = alpha - beta, inverse = CONJ(d) / REAL(d * CONJ(d));
  for (int i = 1; i < len; i++) x[i] = s * x[i] * inverse;
  x[0] = beta * back;
  return (beta - alpha) / beta;
}

/* c = (I - tau v v^H) c for `len` elements, those of c `step` apart and taken as conjugates if told; v(0) = 1. */
static inline void NAME(reflect)(int len, const T *restrict v, T tau, T *restrict c, int64_t step, bool conj)
{
  T sum = conj ? CONJ(c[0]) : c[0];
  for (int i = 1; i < len; i++) sum += CONJ(v[i]) * (conj ? CONJ(c[i * step]) : c[i * step]);
  sum *= tau;
  if (conj) sum = CONJ(sum);
  c[0] -= sum;
  for (int i = 1; i < len; i++) c[i * step] -= (conj ? CONJ(v[i]) : v[i]) * sum;
}

/* A = A (I - tau v v^H)^H for `rows` rows of `len` elements, column by column; v(0) = 1, sums: as many as rows. */
static inline void NAME(reflect_rows)(int rows, int len, const T *restrict v, T tau, T *restrict a, int64_t ld,
                                      T *restrict sums)
{
  for (int r = 0; r < rows; r++) sums[r] = a[r];
  for (int i = 1; i < len; i++)
    for (int r = 0; r < rows; r++) sums[r] += v[i] * a[r + i * ld];
  for (int r = 0; r < rows; r++) {
    sums[r] *= CONJ(tau);
    a[r] -= sums[r];
  }
  for (int i = 1; i < len; i++)
    for (int r = 0; r < rows; r++) a[r + i * ld] -= CONJ(v[i]) * sums[r];
}

static inline void NAME(factor)(int m, int n, T *a, int64_t ld, T *tau, int64_t inc)
{
  for (int j = 0; j < batched_min(m, n); j++) {
    T *v = a + j + j * ld;
    tau[j * inc] = NAME(make_reflector)(m - j, v);
    for (int c = j + 1; c < n; c++) NAME(reflect)(m - j, v, CONJ(tau[j * inc]), a + j + c * ld, 1, false);
  }
}

/* c = op(Q) c for `others` columns, or c = c op(Q) = (op(Q)^H c^H)^H for as many rows. */
static inline void NAME(multiply)(bool left, bool adjoint, int m, int k, int others, const T *a, int64_t lda,
                                  const T *tau, int64_t inc, T *c, int64_t ldc)
{
  const bool forward = left == adjoint;
  for (int s = 0; s < k; s++) {
    const int i = forward ? s : k - 1 - s;
    const T t = forward ? CONJ(tau[i * inc]) : tau[i * inc];
    for (int j = 0; j < others; j++)
      NAME(reflect)(m - i, a + i + i * lda, t, c + (left ? i + j * ldc : j + i * ldc), left ? 1 : ldc, !left);
  }
}

static inline void NAME(generate)(int m, int n, int k, T *a, int64_t ld, const T *tau, int64_t inc)
{
  for (int j = k; j < n; j++)
    for (int i = 0; i < m; i++) a[i + j * ld] = i == j;
  for (int j = k - 1; j >= 0; j--) {
    const T t = tau[j * inc];
    for (int c = j + 1; c < n; c++) NAME(reflect)(m - j, a + j + j * ld, t, a + j + c * ld, 1, false);
    for (int i = 0; i < m; i++) a[i + j * ld] = i < j ? 0 : i == j ? 1 - t : -t * a[i + j * ld];
  }
}
