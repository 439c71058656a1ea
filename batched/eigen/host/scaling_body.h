/* SPDX-License-Identifier: BSD-3-Clause */

enum { NAME(REALS) = sizeof(T) / sizeof(R) };

/* e with 2^(e - 1) <= the largest real or imaginary part < 2^e; NaNs and infinities don't count; 0 if all are 0. */
static int NAME(exponent_of)(int m, int n, const T *a, int64_t ld)
{
  R most = 0;
  for (int64_t j = 0; j < n; j++) {
    const R *const x = (const R *)(a + j * ld);
    for (int64_t i = 0; i < (int64_t)m * NAME(REALS); i++) {
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
    for (int64_t i = 0; i < (int64_t)m * NAME(REALS); i++) to[i] = from[i] * quarter * quarter * quarter * rest;
  }
}

static void NAME(scale)(const batched_matrix *a, const batched_matrix *b, const batched_scaled *to)
{
  for (int64_t l = 0; l < a->count; l++) {
    const int m = batched_rows(a, l), n = batched_cols(a, l), nrhs = batched_cols(b, l);
    const int64_t lda = batched_ld(a, l), ldb = batched_ld(b, l);
    const int ea = NAME(exponent_of)(m, n, batched_at(a, l), lda);
    const int eb = NAME(exponent_of)(m, nrhs, batched_at(b, l), ldb);
    NAME(shift)(-ea, m, n, batched_at(a, l), lda, batched_at(&to->a, l), batched_ld(&to->a, l));
    NAME(shift)(-eb, m, nrhs, batched_at(b, l), ldb, batched_at(&to->b, l), batched_ld(&to->b, l));
    to->exponent_a[l] = ea;
    to->exponent_b[l] = eb;
  }
}

static void NAME(scale_solutions)(const batched_scaled *from, const batched_matrix *b)
{
  for (int64_t l = 0; l < b->count; l++) NAME(shift)
  (from->exponent_b[l] - from->exponent_a[l], batched_cols(&from->a, l), batched_cols(b, l), batched_at(&from->b, l),
   batched_ld(&from->b, l), batched_at(b, l), batched_ld(b, l));
}

#if !IS_COMPLEX
static void NAME(scale_values)(const batched_scaled *from, const batched_matrix *s)
{
  for (int64_t l = 0; l < s->count; l++) {
    const int n = batched_vector_length(s, l);
    const int64_t inc = n > 0 ? batched_increment(s, l) : 1;
    R *const values = batched_at(s, l);
    NAME(shift)(from->exponent_a[l], 1, n, values, inc, values, inc);
  }
}
#endif
