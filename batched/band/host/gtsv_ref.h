/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/divide.h"

static R NAME(size)(T x)
{
#if IS_COMPLEX
  return (R)(__builtin_fabs(__real__ x) + __builtin_fabs(__imag__ x));
#else
  return ABS(x);
#endif
}

/* As gttrf, but that U's second diagonal takes the place of L, which right-hand sides have seen once it is there. */
static int NAME(eliminate)(const batched_gtsv_args *p, int64_t b, int n)
{
  const int64_t sl = batched_increment(&p->dl, b), sd = batched_increment(&p->d, b), su = batched_increment(&p->du, b);
  const int64_t ldb = batched_ld(&p->b, b);
  T *dl = batched_at(&p->dl, b), *d = batched_at(&p->d, b), *du = batched_at(&p->du, b), *x = batched_at(&p->b, b);
  int info = 0;
  for (int k = 0; k < n; k++, dl += sl, d += sd, du += su, x++) {
    const bool below = k < n - 1, right = k < n - 2, exchange = below && NAME(size)(*dl) > NAME(size)(*d);
    const T top = exchange ? *dl : *d;
    if (!(NAME(size)(top) > 0) && !info) info = k + 1;
    if (!below) break;
    const T l = top != 0 ? NAME(divide)(exchange ? *d : *dl, top) : 0;
    const T beside = exchange ? d[sd] : *du, fill = exchange && right ? du[su] : 0;
    d[sd] = (exchange ? *du : d[sd]) - l * beside;
    if (right && exchange) du[su] = -l * fill;
    *d = top;
    *du = beside;
    *dl = fill;
    for (int j = 0; j < batched_cols(&p->b, b); j++) {
      T *y = x + j * ldb;
      const T first = y[exchange], second = y[!exchange];
      y[0] = first;
      y[1] = second - l * first;
    }
  }
  return info;
}

static void NAME(back)(const batched_gtsv_args *p, int64_t b, int n)
{
  const int64_t sl = batched_increment(&p->dl, b), sd = batched_increment(&p->d, b), su = batched_increment(&p->du, b);
  const T *dl = batched_at(&p->dl, b), *d = batched_at(&p->d, b), *du = batched_at(&p->du, b);
  for (int j = 0; j < batched_cols(&p->b, b); j++) {
    T *x = (T *)batched_at(&p->b, b) + (int64_t)j * batched_ld(&p->b, b);
    for (int k = n - 1; k >= 0; k--) {
      if (k < n - 1) x[k] -= du[k * su] * x[k + 1];
      if (k < n - 2) x[k] -= dl[k * sl] * x[k + 2];
      x[k] = NAME(divide)(x[k], d[k * sd]);
    }
  }
}

static int NAME(ref)(const batched_gtsv_args *p)
{
  for (int64_t b = 0; b < p->d.count; b++) {
    const int n = batched_vector_length(&p->d, b);
    p->info[b] = NAME(eliminate)(p, b, n);
    if (p->info[b] == 0) NAME(back)(p, b, n);
  }
  return BATCHED_SUCCESS;
}
