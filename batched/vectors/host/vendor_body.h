/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.blas of scal, axpy, swap, ger, amax, asum, dot and nrm2: BLAS, column by column.
 */

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

static int NAME(swap)(const batched_swap_args *s)
{
  for (int64_t b = 0; b < s->y.count; b++) {
    const int m = batched_rows(&s->y, b), n = batched_cols(&s->y, b);
    const int64_t ldx = batched_ld(&s->x, b), ldy = batched_ld(&s->y, b);
    for (int64_t j = 0; j < n; j++)
      CBLAS(swap)(m, (T *)batched_at(&s->x, b) + j * ldx, 1, (T *)batched_at(&s->y, b) + j * ldy, 1);
  }
  return BATCHED_SUCCESS;
}

static int NAME(ger)(const batched_ger_args *g)
{
#if IS_COMPLEX
  const __auto_type call = g->trans == BATCHED_CONJ_TRANS ? CBLAS(gerc) : CBLAS(geru);
#else
  const __auto_type call = CBLAS(ger);
#endif
  for (int64_t b = 0; b < g->a.count; b++)
    call(CblasColMajor, batched_rows(&g->a, b), batched_cols(&g->a, b), SCALAR(g->alpha), batched_at(&g->x, b),
         batched_increment(&g->x, b), batched_at(&g->y, b), batched_increment(&g->y, b), batched_at(&g->a, b),
         batched_ld(&g->a, b));
  return BATCHED_SUCCESS;
}

static int NAME(amax)(const batched_amax_args *d)
{
  for (int64_t b = 0; b < d->x.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    d->index[b] = n > 0 ? 1 + (int)NAME(CBLAS_AMAX)(n, batched_at(&d->x, b), batched_increment(&d->x, b)) : 0;
  }
  return BATCHED_SUCCESS;
}

/* Numbers side by side, from memory that is aligned: OpenBLAS adds in an order that depends on the address on some
 * processors (0.3.21 on Zen), and equal vectors are to have equal sums. */
static R NAME(sum_side_by_side)(int64_t n, const R *x)
{
  enum { MOST = 512 };
  _Alignas(64) R part[MOST];
  R sum = 0;
  for (int64_t first = 0; first < n; first += MOST) {
    const int count = n - first < MOST ? (int)(n - first) : MOST;
    memcpy(part, x + first, (size_t)count * sizeof *part);
    sum += NAME(CBLAS_REAL_ASUM)(count, part, 1);
  }
  return sum;
}

/* Complex numbers side by side are twice as many real ones: so cblas_scasum of OpenBLAS before 0.3.26, which adds wrong
 * elements on processors with AVX-512 (its pull request 4326), is not called for them. */
static int NAME(asum)(const batched_asum_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b), inc = batched_increment(&d->x, b);
    R *r = batched_at(&d->r, b);
    *r = inc == 1 ? NAME(sum_side_by_side)((1 + IS_COMPLEX) * (int64_t)n, batched_at(&d->x, b))
                  : NAME(CBLAS_ASUM)(n, batched_at(&d->x, b), inc);
  }
  return BATCHED_SUCCESS;
}

/* The vector without its increment: of complex ones with an increment OpenBLAS's dot reads an element behind them. */
static const T *NAME(together)(int n, const T *x, int64_t incx, T *y)
{
  if (!IS_COMPLEX || incx == 1) return x;
  for (int i = 0; i < n; i++) y[i] = x[i * incx];
  return y;
}

static int NAME(dot)(batched_ctx *ctx, const batched_dot_args *d)
{
  const int64_t most = IS_COMPLEX ? batched_vector_bound(&d->x) : 0;
  T *room = batched_scratch_push(ctx, 2 * (size_t)most * sizeof(T));
  if (!room) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    const int incx = batched_increment(&d->x, b), incy = batched_increment(&d->y, b);
    const T *x = NAME(together)(n, batched_at(&d->x, b), incx, room);
    const T *y = NAME(together)(n, batched_at(&d->y, b), incy, room + most);
    T *r = batched_at(&d->r, b);
#if IS_COMPLEX
    if (d->trans == BATCHED_CONJ_TRANS)
      CBLAS(dotc_sub)(n, x, 1, y, 1, r);
    else
      CBLAS(dotu_sub)(n, x, 1, y, 1, r);
#else
    *r = CBLAS(dot)(n, x, incx, y, incy);
#endif
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(nrm2)(const batched_nrm2_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++)
    *(R *)batched_at(&d->r, b) =
      NAME(CBLAS_NRM2)(batched_vector_length(&d->x, b), batched_at(&d->x, b), batched_increment(&d->x, b));
  return BATCHED_SUCCESS;
}
