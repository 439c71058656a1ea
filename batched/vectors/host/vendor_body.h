/* SPDX-License-Identifier: BSD-3-Clause */

#if IS_COMPLEX
#define SCALAR(x) (&(T){FROM((x).re, (x).im)})
#else
#define SCALAR(x) ((T)(x).re)
#endif

static int NAME(scal)(const batched_scal_args *s)
{
  const __auto_type call = CBLAS(scal);
  const bool zero = FROM(s->alpha.re, s->alpha.im) == 0;
  for (int64_t b = 0; b < s->x.count; b++) {
    const int m = batched_rows(&s->x, b), n = batched_cols(&s->x, b), ld = batched_ld(&s->x, b);
    for (int64_t j = 0; j < n; j++) {
      T *x = (T *)batched_at(&s->x, b) + j * ld;
      for (int i = 0; zero && i < m; i++) x[i] = 0; /* some libraries read x then */
      if (!zero) call(m, SCALAR(s->alpha), x, 1);
    }
  }
  return BATCHED_SUCCESS;
}

static int NAME(axpy)(const batched_axpy_args *s)
{
  const __auto_type call = CBLAS(axpy);
  for (int64_t b = 0; b < s->y.count; b++) {
    const int m = batched_rows(&s->y, b), n = batched_cols(&s->y, b);
    const int64_t ldx = batched_ld(&s->x, b), ldy = batched_ld(&s->y, b);
    for (int64_t j = 0; j < n; j++)
      call(m, SCALAR(s->alpha), (const T *)batched_at(&s->x, b) + j * ldx, 1, (T *)batched_at(&s->y, b) + j * ldy, 1);
  }
  return BATCHED_SUCCESS;
}

static int NAME(dot)(const batched_dot_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b), incx = batched_increment(&d->x, b),
              incy = batched_increment(&d->y, b);
    const T *x = batched_at(&d->x, b), *y = batched_at(&d->y, b);
    T *r = batched_at(&d->r, b);
#if IS_COMPLEX
    if (d->trans == BATCHED_CONJ_TRANS)
      CBLAS(dotc_sub)(n, x, incx, y, incy, r);
    else
      CBLAS(dotu_sub)(n, x, incx, y, incy, r);
#else
    *r = CBLAS(dot)(n, x, incx, y, incy);
#endif
  }
  return BATCHED_SUCCESS;
}

static int NAME(nrm2)(const batched_nrm2_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++)
    *(R *)batched_at(&d->r, b) =
      NAME(CBLAS_NRM2)(batched_vector_length(&d->x, b), batched_at(&d->x, b), batched_increment(&d->x, b));
  return BATCHED_SUCCESS;
}

/* Some libraries read y where beta is 0, or A where alpha is: they are not called then with such a y, or at all. */
static int NAME(symv)(const batched_symv_args *s)
{
#if IS_COMPLEX
  const __auto_type call = CBLAS(hemv);
#else
  const __auto_type call = CBLAS(symv);
#endif
  const T alpha = FROM(s->alpha.re, s->alpha.im), beta = FROM(s->beta.re, s->beta.im);
  for (int64_t b = 0; b < s->y.count; b++) {
    const int n = batched_rows(&s->a, b), incy = batched_increment(&s->y, b);
    T *y = batched_at(&s->y, b);
    if (alpha == 0 || beta == 0)
      for (int64_t i = 0; i < n; i++) y[i * incy] = beta == 0 ? (T)0 : beta * y[i * incy];
    if (alpha == 0) continue;
    call(CblasColMajor, s->uplo == BATCHED_LOWER ? CblasLower : CblasUpper, n, SCALAR(s->alpha), batched_at(&s->a, b),
         batched_ld(&s->a, b), batched_at(&s->x, b), batched_increment(&s->x, b), SCALAR(s->beta), y, incy);
  }
  return BATCHED_SUCCESS;
}
#undef SCALAR
