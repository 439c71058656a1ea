/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues and vectors of a general matrix: reduction to Hessenberg form by Householder reflections, QR with single
 * shifts in complex numbers to Schur form (Francis, Comput. J. 4, 1961; shifts of Wilkinson, as LAPACK's zlahqr), and
 * back-substitution.
 */
#include "batched/host/power_of_two.h"

#define COMPLEX R _Complex

/* h = z t z^H, n x n both, t upper triangular at the end; h is overwritten by it. */
typedef struct NAME(schur) {
  int n;
  COMPLEX *h, *z, *x;
} NAME(schur);

static inline COMPLEX NAME(number)(R re, R im)
{
  COMPLEX x;
  __real__ x = re;
  __imag__ x = im;
  return x;
}

static inline COMPLEX NAME(adjoint)(COMPLEX x)
{
  return NAME(number)(__real__ x, -__imag__ x);
}

/* |re| + |im| */
static inline R NAME(size1)(COMPLEX x)
{
  return (R)(__builtin_fabs(__real__ x) + __builtin_fabs(__imag__ x));
}

static inline R NAME(square_of)(COMPLEX x)
{
  return __real__ x * __real__ x + __imag__ x * __imag__ x;
}

/* x = (I - 2 v v^H / v^H v) x makes elements first + 1 ... of column first - 1 zero; from both sides, and on z. */
static void NAME(reduce_column)(NAME(schur) * s, int first)
{
  const int n = s->n;
  COMPLEX *v = s->x, *column = s->h + (int64_t)(first - 1) * n;
  R below = 0, most = 0; /* by which v is divided: squares do not underflow then */
  for (int i = first; i < n; i++) most = (R)__builtin_fmax(most, NAME(size1)(column[i]));
  if (!(most > 0)) return;
  v[first] = column[first] / most;
  for (int i = first + 1; i < n; i++) below += NAME(square_of)(v[i] = column[i] / most);
  if (!(below > 0)) return;
  const R head2 = NAME(square_of)(v[first]), size = SQRT(head2), norm = SQRT(head2 + below);
  v[first] = size > 0 ? v[first] * ((size + norm) / size) : norm;
  const R scale = 2 / (below + NAME(square_of)(v[first]));
  for (int j = 0; j < n; j++) {
    COMPLEX dot = 0, *x = s->h + (int64_t)j * n;
    for (int i = first; i < n; i++) dot += NAME(adjoint)(v[i]) * x[i];
    for (int i = first; i < n; i++) x[i] -= scale * dot * v[i];
  }
  for (int both = 0; both < 2; both++) {
    COMPLEX *m = both ? s->z : s->h;
    for (int i = 0; i < n; i++) {
      COMPLEX dot = 0;
      for (int j = first; j < n; j++) dot += m[i + (int64_t)j * n] * v[j];
      for (int j = first; j < n; j++) m[i + (int64_t)j * n] -= scale * dot * NAME(adjoint)(v[j]);
    }
  }
  for (int i = first + 1; i < n; i++) column[i] = 0;
}

/* The eigenvalue of the 2 x 2 matrix that ends at hi nearer to its last element; something else when that leads
 * nowhere. */
static COMPLEX NAME(shift)(const NAME(schur) * s, int hi, int turn)
{
  const COMPLEX *h = s->h + (hi - 1) + (int64_t)(hi - 1) * s->n;
  const COMPLEX a = h[0], c = h[1], b = h[s->n], d = h[1 + s->n];
  if (turn % 10 == 9) return d + NAME(number)((R)0.75 * NAME(size1)(c), 0);
  COMPLEX half = (a - d) / 2;
  const R most = (R)__builtin_fmax(NAME(size1)(half), __builtin_fmax(NAME(size1)(b), NAME(size1)(c)));
  if (!(most > 0)) return d;
  half /= most; /* nothing underflows then, however small the block is beside others */
  const COMPLEX square = half * half + b / most * (c / most);
  const R size = SQRT(SQRT(NAME(square_of)(square)));
  COMPLEX root = 0;
  if (size > 0) { /* of the principal branch */
    const R re = SQRT((R)(__builtin_fabs(__real__ square) + size * size) / 2), im = __imag__ square / (2 * re);
    root = __real__ square >= 0 ? NAME(number)(re, im)
                                : NAME(number)((R)__builtin_fabs(im), (R)__builtin_copysign(re, __imag__ square));
  }
  if (__real__ half * __real__ root + __imag__ half * __imag__ root < 0) root = -root;
  const COMPLEX far = half + root;
  const R scale = NAME(size1)(far); /* for a denominator that does not underflow */
  return scale > 0 ? d - b / most * (c / most) / scale / (far / scale) * most : d;
}

/* [c s; -conj(s) c] on rows k, k + 1, and its adjoint from the right. */
static void NAME(rotate_both)(NAME(schur) * s, int k, int from, int to, R c, COMPLEX sn)
{
  const int n = s->n;
  for (int j = from; j < n; j++) {
    COMPLEX *x = s->h + k + (int64_t)j * n, a = x[0], b = x[1];
    x[0] = c * a + sn * b;
    x[1] = c * b - NAME(adjoint)(sn) * a;
  }
  for (int both = 0; both < 2; both++) {
    COMPLEX *x = (both ? s->z : s->h) + (int64_t)k * n, *y = x + n;
    for (int i = 0; i < (both ? n : to); i++) {
      const COMPLEX a = x[i], b = y[i];
      x[i] = c * a + NAME(adjoint)(sn) * b;
      y[i] = c * b - sn * a;
    }
  }
}

static void NAME(sweep)(NAME(schur) * s, int lo, int hi, COMPLEX shift)
{
  const int n = s->n;
  COMPLEX x = s->h[lo + (int64_t)lo * n] - shift, y = s->h[lo + 1 + (int64_t)lo * n];
  for (int k = lo; k < hi; k++) {
    const R most = NAME(size1)(x) + NAME(size1)(y);
    if (most > 0) {
      x /= most;
      y /= most;
      const R xx = NAME(square_of)(x), norm = SQRT(xx + NAME(square_of)(y)), size = SQRT(xx);
      const R c = size / norm;
      const COMPLEX sn = size > 0 ? x / size * NAME(adjoint)(y) / norm : NAME(number)(1, 0);
      NAME(rotate_both)(s, k, k > lo ? k - 1 : k, batched_min(k + 3, hi + 1), c, sn);
    }
    if (k > lo) s->h[k + 1 + (int64_t)(k - 1) * n] = 0;
    if (k + 1 < hi) {
      x = s->h[k + 1 + (int64_t)k * n];
      y = s->h[k + 2 + (int64_t)k * n];
    }
  }
}

/* To upper triangular form; 0, or how many values are not found. */
static int NAME(iterate_schur)(NAME(schur) * s)
{
  const int n = s->n;
  const R smallest = EPS * EPS; /* the largest element of A is near 1 */
  for (int hi = n - 1, turn = 0; hi >= 0;) {
    int lo = hi;
    for (; lo > 0; lo--) {
      COMPLEX *below = s->h + lo + (int64_t)(lo - 1) * n;
      const R around = NAME(size1)(below[-1]) + NAME(size1)(below[n]);
      if (NAME(size1)(*below) > EPS / 2 * around && NAME(size1)(*below) > smallest) continue;
      *below = 0;
      break;
    }
    if (lo == hi) {
      hi--;
      turn = 0;
    } else if (turn == 60) {
      return hi + 1;
    } else {
      NAME(sweep)(s, lo, hi, NAME(shift)(s, hi, turn));
      turn++;
    }
  }
  return 0;
}

/* Eigenvector k of the triangular matrix, or of its adjoint (`left`): elements 0 .. k, or k .. n - 1, in s->x. */
static void NAME(substitute)(NAME(schur) * s, int k, bool left, R least)
{
  const int n = s->n;
  const COMPLEX *t = s->h, value = t[k + (int64_t)k * n];
  const R large = sizeof(R) == 4 ? (R)0x1p40f : (R)0x1p300;
  COMPLEX *x = s->x;
  for (int i = 0; i < n; i++) x[i] = i == k;
  for (int i = left ? k + 1 : k - 1; left ? i < n : i >= 0; i += left ? 1 : -1) {
    COMPLEX sum = 0, gap = t[i + (int64_t)i * n] - value;
    for (int j = left ? k : i + 1; j < (left ? i : k + 1); j++)
      sum += left ? NAME(adjoint)(t[j + (int64_t)i * n]) * x[j] : t[i + (int64_t)j * n] * x[j];
    if (NAME(size1)(gap) < least) gap = least;
    x[i] = -sum / (left ? NAME(adjoint)(gap) : gap);
    const R size = NAME(size1)(x[i]);
    for (int j = 0; size > large && j < n; j++) x[j] /= size;
  }
}

/* v = z x, of norm 1, and its largest component real. */
static void NAME(store_vector)(const NAME(schur) * s, COMPLEX *v)
{
  const int n = s->n;
  R norm2 = 0, most = 0;
  int at = 0;
  for (int i = 0; i < n; i++) {
    v[i] = 0;
    for (int j = 0; j < n; j++) v[i] += s->z[i + (int64_t)j * n] * s->x[j];
    most = NAME(size1)(v[i]) > most ? NAME(size1)(v[i]) : most;
  }
  for (int i = 0; i < n; i++) {
    v[i] /= most;
    norm2 += NAME(square_of)(v[i]);
    if (NAME(square_of)(v[i]) > NAME(square_of)(v[at])) at = i;
  }
  const R size = SQRT(NAME(square_of)(v[at])), norm = SQRT(norm2);
  const COMPLEX turn = NAME(adjoint)(v[at]) / (size * norm);
  for (int i = 0; i < n; i++) v[i] = i == at ? NAME(number)(size / norm, 0) : v[i] * turn;
}

/* A scaled by a power of two; false where it is not finite. */
static bool NAME(load_general)(const batched_geev_args *g, int64_t b, NAME(schur) * s, R *scale)
{
  const int n = s->n;
  const T *a = batched_at(&g->a, b);
  R most = 0;
  for (int64_t j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const COMPLEX x = a[i + j * batched_ld(&g->a, b)];
      const R size = (R)__builtin_fmax(__builtin_fabs(__real__ x), __builtin_fabs(__imag__ x));
      if (x - x != 0) return false;
      if (size > most) most = size;
    }
  *scale = (R)batched_scale_to_one(most, sizeof(R));
  for (int64_t j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      s->h[i + j * n] = *scale * a[i + j * batched_ld(&g->a, b)];
      s->z[i + j * n] = i == j;
    }
  return true;
}

static void NAME(spoil_complex)(int m, int n, COMPLEX *x, int64_t row, int64_t col)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) x[i * row + j * col] = NAME(number)((R)__builtin_nan(""), (R)__builtin_nan(""));
}

static int NAME(geev_one)(const batched_geev_args *g, int64_t b, NAME(schur) * s)
{
  const batched_matrix *sides[] = {&g->vl, &g->vr};
  const int n = s->n;
  COMPLEX *w = batched_at(&g->w, b);
  const int64_t inc = batched_increment(&g->w, b);
  R scale = 1, size = 0;
  int info = n;
  if (NAME(load_general)(g, b, s, &scale)) {
    for (int k = 1; k < n - 1; k++) NAME(reduce_column)(s, k);
    info = NAME(iterate_schur)(s);
  }
  if (info > 0) NAME(spoil_complex)(n, 1, w, inc, 0);
  for (int i = 0; i < n && info == 0; i++) {
    w[i * inc] = s->h[i + (int64_t)i * n] / scale;
    for (int j = 0; j <= i; j++) size = (R)__builtin_fmax(size, NAME(size1)(s->h[j + (int64_t)i * n]));
  }
  const R least = (size > 0 ? size : 1) * EPS / 2;
  for (int side = 0; side < 2; side++) {
    if (sides[side]->count == 0) continue;
    COMPLEX *v = batched_at(sides[side], b);
    const int64_t ld = batched_ld(sides[side], b);
    if (info > 0) NAME(spoil_complex)(n, n, v, 1, ld);
    for (int k = 0; k < n && info == 0; k++) {
      NAME(substitute)(s, k, side == 0, least);
      NAME(store_vector)(s, v + k * ld);
    }
  }
  return info;
}

static int NAME(geev_ref)(batched_ctx *ctx, const batched_geev_args *g)
{
  const size_t most = (size_t)g->a.n;
  NAME(schur) s = {.h = batched_scratch_push(ctx, (2 * most * most + most + 1) * sizeof(COMPLEX))};
  if (!s.h) return BATCHED_NO_MEMORY;
  s.z = s.h + most * most;
  s.x = s.z + most * most;
  for (int64_t b = 0; b < g->a.count; b++) {
    s.n = batched_rows(&g->a, b);
    g->info[b] = s.n > 0 ? NAME(geev_one)(g, b, &s) : 0;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}
#undef COMPLEX
