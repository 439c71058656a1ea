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

/* The diagonals of a matrix, and how far their elements are apart. */
typedef struct NAME(diagonals) {
  T *dl, *d, *du, *du2;
  int64_t l, s, u, u2;
} NAME(diagonals);

/* Row by row, as LAPACK's gttrf: a row is exchanged with the next one where that starts with a larger element. */
static int NAME(factor)(int n, NAME(diagonals) a, int *ipiv)
{
  int info = 0;
  for (int k = 0; k < n; k++) {
    T *d = a.d + k * a.s, *l = a.dl + k * a.l, *u = a.du + k * a.u;
    const bool below = k < n - 1, right = k < n - 2, exchange = below && NAME(size)(*l) > NAME(size)(*d);
    ipiv[k] = k + 1 + exchange;
    if (right) a.du2[k * a.u2] = exchange ? u[a.u] : 0;
    if (exchange) {
      const T top = *d, beside = *u;
      *d = *l;
      *u = d[a.s];
      *l = NAME(divide)(top, *d);
      d[a.s] = beside - *l * *u;
      if (right) u[a.u] = -*l * u[a.u];
    } else if (below && *d != 0) {
      *l = NAME(divide)(*l, *d);
      d[a.s] -= *l * *u;
    }
    if (!(NAME(size)(*d) > 0) && !info) info = k + 1;
  }
  return info;
}

static NAME(diagonals) NAME(diagonals_of)(const batched_gttrf_args *p, int64_t b)
{
  return (NAME(diagonals)){batched_at(&p->dl, b),        batched_at(&p->d, b),         batched_at(&p->du, b),
                           batched_at(&p->du2, b),       batched_increment(&p->dl, b), batched_increment(&p->d, b),
                           batched_increment(&p->du, b), batched_increment(&p->du2, b)};
}

static int NAME(ref)(const batched_gttrf_args *p)
{
  const int64_t each = batched_length_bound(&p->d);
  for (int64_t b = 0; b < p->d.count; b++)
    p->info[b] = NAME(factor)(batched_vector_length(&p->d, b), NAME(diagonals_of)(p, b), p->ipiv + b * each);
  return BATCHED_SUCCESS;
}
