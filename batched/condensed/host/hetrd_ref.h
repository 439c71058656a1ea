/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of hetrd: A = Q T Q^H by Householder reflectors, unblocked, as LAPACK's hetd2 (sytd2).
 */
#include "batched/qr/host/reflectors_ref.h"

/* A triangle as a lower one: element (i, j), i >= j, is at[i * down + j * right].  An upper one is turned round: its
 * last element is the first. */
typedef struct NAME(triangle) {
  T *at;
  int64_t down, right;
} NAME(triangle);

static NAME(triangle) NAME(lower_triangle)(batched_uplo uplo, int n, T *a, int64_t ld)
{
  if (uplo == BATCHED_LOWER) return (NAME(triangle)){a, 1, ld};
  return (NAME(triangle)){a + (n - 1) * (ld + 1), -1, -ld};
}

/* w = tau A v - 1/2 tau (w^H v) v, and A -= v w^H + w v^H, for the triangle of order n: A = H^H A H. */
static void NAME(reflect_both_sides)(int n, NAME(triangle) t, const T *v, T tau, T *w)
{
  T dot = 0;
  for (int i = 0; i < n; i++) w[i] = REAL(t.at[i * t.down + i * t.right]) * v[i];
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) {
      const T x = t.at[i * t.down + j * t.right];
      w[i] += x * v[j];
      w[j] += CONJ(x) * v[i];
    }
  for (int i = 0; i < n; i++) {
    w[i] *= tau;
    dot += CONJ(w[i]) * v[i];
  }
  for (int i = 0; i < n; i++) w[i] -= tau * dot / 2 * v[i];
  for (int j = 0; j < n; j++) {
    T *const column = t.at + j * t.right;
    for (int i = j; i < n; i++) column[i * t.down] -= v[i] * CONJ(w[j]) + w[i] * CONJ(v[j]);
    column[j * t.down] = REAL(column[j * t.down]);
  }
}

/* d, e and tau as the lower triangle has them; work: two vectors. */
static void NAME(tridiagonalise)(int n, NAME(triangle) t, R *d, int64_t sd, R *e, int64_t se, T *tau, int64_t st,
                                 T *work)
{
  T *const v = work, *const w = work + n;
  t.at[0] = REAL(t.at[0]);
  for (int j = 0; j < n - 1; j++) {
    const int length = n - 1 - j;
    T *const column = t.at + (j + 1) * t.down + j * t.right;
    d[j * sd] = REAL(*(column - t.down));
    for (int i = 0; i < length; i++) v[i] = column[i * t.down];
    const T h = tau[j * st] = NAME(make_reflector)(length, v);
    e[j * se] = REAL(v[0]);
    for (int i = 0; i < length; i++) column[i * t.down] = v[i];
    v[0] = 1;
    NAME(triangle) rest = {column + t.right, t.down, t.right};
    NAME(reflect_both_sides)(length, rest, v, h, w);
  }
  d[(n - 1) * sd] = REAL(t.at[(n - 1) * (t.down + t.right)]);
}

static int NAME(ref)(batched_ctx *ctx, const batched_hetrd_args *h)
{
  T *const work = batched_scratch_push(ctx, 2 * (size_t)h->a.n * sizeof(T));
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < h->a.count; b++) {
    const int n = batched_cols(&h->a, b), turn = h->uplo == BATCHED_UPPER, sign = turn ? -1 : 1;
    const int64_t sd = batched_increment(&h->d, b), se = batched_increment(&h->e, b),
                  st = batched_increment(&h->tau, b);
    if (n == 0) continue;
    const NAME(triangle) t = NAME(lower_triangle)(h->uplo, n, batched_at(&h->a, b), batched_ld(&h->a, b));
    R *const d = batched_at(&h->d, b), *const e = batched_at(&h->e, b);
    T *const tau = batched_at(&h->tau, b);
    const int64_t last = turn && n > 1 ? n - 2 : 0;
    NAME(tridiagonalise)
    (n, t, d + (turn ? (n - 1) * sd : 0), sign * sd, e + last * se, sign * se, tau + last * st, sign * st, work);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}
