/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Powers of two between which least squares are solved, so that no norm over- or underflows.
 */

/* e with 2^(e - 1) <= the largest real or imaginary part < 2^e; NaNs and infinities don't count; 0 if all are 0. */
static int NAME(exponent_of)(int m, int n, const T *a, int64_t ld)
{
  R most = 0;
  for (int64_t j = 0; j < n; j++) {
    const R *const x = (const R *)(a + j * ld);
    for (int64_t i = 0; i < (int64_t)m * (int64_t)(sizeof(T) / sizeof(R)); i++) {
      const R size = x[i] < 0 ? -x[i] : x[i];
      most = size > most && size - size == 0 ? size : most;
    }
  }
  int e = 0;
  (void)__builtin_frexp((double)most, &e);
  return e;
}

/* y = 2^e x, |e| <= 4000: by four factors, as 2^e itself may overflow. */
static void NAME(shift)(int e, int m, int n, const T *x, int64_t ldx, T *y, int64_t ldy)
{
  const R quarter = (R)__builtin_ldexp(1, e / 4), rest = (R)__builtin_ldexp(1, e - 3 * (e / 4));
  for (int64_t j = 0; j < n; j++) {
    const R *const from = (const R *)(x + j * ldx);
    R *const to = (R *)(y + j * ldy);
    for (int64_t i = 0; i < (int64_t)m * (int64_t)(sizeof(T) / sizeof(R)); i++)
      to[i] = from[i] * quarter * quarter * quarter * rest;
  }
}
