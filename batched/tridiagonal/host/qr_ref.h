/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Singular values of a bidiagonal matrix by implicit QR, with shifts of zero where those are accurate (Demmel, Kahan,
 * "Accurate singular values of bidiagonal matrices", SIAM J. Sci. Stat. Comput. 11, 1990), as LAPACK's bdsqr.
 */
#include "batched/tridiagonal/host/rotation_ref.h"
#include "batched/tridiagonal/host/sweeps.h"

/* (x, y) = (c x + s y, c y - s x), for `len` elements of each, `step` apart. */
static inline void NAME(rotate_pair)(int len, T *x, T *y, int64_t step, R c, R s)
{
  for (int i = 0; i < len; i++) {
    const T xi = x[i * step], yi = y[i * step];
    x[i * step] = c * xi + s * yi;
    y[i * step] = c * yi - s * xi;
  }
}

static inline void NAME(exchange)(int len, T *x, T *y, int64_t step)
{
  for (int i = 0; i < len; i++) {
    const T t = x[i * step];
    x[i * step] = y[i * step];
    y[i * step] = t;
  }
}

/* The upper bidiagonal matrix, and what its rotations go to: columns of u, rows of vt and c; or, where these are not
 * NULL, rotations from the left (u, c) and from the right (vt) that wait. */
typedef struct NAME(qr_state) {
  int n;
  R *d, *e, thresh, tol;
  int cols_vt, rows_u, cols_c;
  T *vt, *u, *c;
  int64_t ldvt, ldu, ldc;
  batched_sweeps *left, *right;
} NAME(qr_state);

/* A block, numbered in the direction of the chase: element i is at + i * step of d, beside it off + i * step of e. */
typedef struct NAME(chase) {
  NAME(qr_state) * s;
  int order, at, off, step;
} NAME(chase);

static inline R *NAME(chased)(const NAME(chase) * b, int i)
{
  return b->s->d + b->at + i * b->step;
}

static inline R *NAME(chased_beside)(const NAME(chase) * b, int i)
{
  return b->s->e + b->off + i * b->step;
}

static void NAME(rotate_right)(NAME(qr_state) * s, int x, int y, R c, R sn)
{
  if (s->right) batched_add_rotation(s->right, c, sn);
  if (s->vt) NAME(rotate_pair)(s->cols_vt, s->vt + x, s->vt + y, s->ldvt, c, sn);
}

static void NAME(rotate_left)(NAME(qr_state) * s, int x, int y, R c, R sn)
{
  if (s->left) batched_add_rotation(s->left, c, sn);
  if (s->u) NAME(rotate_pair)(s->rows_u, s->u + x * s->ldu, s->u + y * s->ldu, 1, c, sn);
  if (s->c) NAME(rotate_pair)(s->cols_c, s->c + x, s->c + y, s->ldc, c, sn);
}

/* Rotations of x and x + step, then of the next ones, follow. */
static void NAME(begin_rotations)(NAME(qr_state) * s, int x, int steps, int step)
{
  if (s->right) batched_begin_sweep(s->right, x, steps, step < 0);
  if (s->left) batched_begin_sweep(s->left, x, steps, step < 0);
}

/* The first of the two rotations of a step acts from the right where the chase goes downwards, else from the left. */
static void NAME(rotate_step)(NAME(chase) * b, int i, bool first, R c, R sn)
{
  const int x = b->at + i * b->step, y = x + b->step;
  if (first == (b->step > 0))
    NAME(rotate_right)(b->s, x, y, c, sn);
  else
    NAME(rotate_left)(b->s, x, y, c, sn);
}

static void NAME(sweep_unshifted)(NAME(chase) * b)
{
  const int last = b->order - 1;
  R cs = 1, sn = 0, oldcs = 1, oldsn = 0, r;
  NAME(begin_rotations)(b->s, b->at, last, b->step);
  for (int i = 0; i < last; i++) {
    NAME(make_rotation)(*NAME(chased)(b, i) * cs, *NAME(chased_beside)(b, i), &cs, &sn, &r);
    if (i > 0) *NAME(chased_beside)(b, i - 1) = oldsn * r;
    NAME(make_rotation)(oldcs * r, *NAME(chased)(b, i + 1) * sn, &oldcs, &oldsn, NAME(chased)(b, i));
    NAME(rotate_step)(b, i, true, cs, sn);
    NAME(rotate_step)(b, i, false, oldcs, oldsn);
  }
  const R h = *NAME(chased)(b, last) * cs;
  *NAME(chased)(b, last) = h * oldcs;
  *NAME(chased_beside)(b, last - 1) = h * oldsn;
}

static void NAME(sweep_shifted)(NAME(chase) * b, R shift)
{
  const int last = b->order - 1;
  const R d0 = *NAME(chased)(b, 0);
  R f = ((R)__builtin_fabs(d0) - shift) * ((d0 < 0 ? -1 : 1) + shift / d0), g = *NAME(chased_beside)(b, 0), c, s, r;
  NAME(begin_rotations)(b->s, b->at, last, b->step);
  for (int i = 0; i < last; i++) {
    R *d = NAME(chased)(b, i), *e = NAME(chased_beside)(b, i), *next = NAME(chased)(b, i + 1);
    NAME(make_rotation)(f, g, &c, &s, &r);
    if (i > 0) *NAME(chased_beside)(b, i - 1) = r;
    f = c * *d + s * *e;
    *e = c * *e - s * *d;
    g = s * *next;
    *next = c * *next;
    NAME(rotate_step)(b, i, true, c, s);
    NAME(make_rotation)(f, g, &c, &s, d);
    f = c * *e + s * *next;
    *next = c * *next - s * *e;
    NAME(rotate_step)(b, i, false, c, s);
    if (i == last - 1) break;
    R *beyond = NAME(chased_beside)(b, i + 1);
    g = s * *beyond;
    *beyond = c * *beyond;
  }
  *NAME(chased_beside)(b, last - 1) = f;
}

/* The smaller singular value of [f g; 0 h], and the larger one (LAPACK's las2). */
static R NAME(smaller_value)(R f, R g, R h)
{
  const R fa = (R)__builtin_fabs(f), ga = (R)__builtin_fabs(g), ha = (R)__builtin_fabs(h);
  const R least = fa < ha ? fa : ha, most = fa < ha ? ha : fa;
  if (least == 0) return 0;
  const R as = 1 + least / most, at = (most - least) / most;
  if (ga < most) {
    const R au = ga / most * (ga / most);
    return least * (2 / (SQRT(as * as + au) + SQRT(at * at + au)));
  }
  const R au = most / ga;
  if (au == 0) return least * most / ga;
  return 2 * (least * (1 / (SQRT(1 + as * au * (as * au)) + SQRT(1 + at * au * (at * au)))) * au);
}

static inline R NAME(with_sign_of)(R x, R y)
{
  return (R)__builtin_copysign(__builtin_fabs(x), y);
}

/* [cl sl; -sl cl] [f g; 0 h] [cr -sr; sr cr] = diag(most, least) (LAPACK's lasv2). */
static void NAME(solve_triangle)(R f, R g, R h, R *least, R *most, R *sr, R *cr, R *sl, R *cl)
{
  const bool swapped = __builtin_fabs(h) > __builtin_fabs(f);
  const R ft = swapped ? h : f, ht = swapped ? f : h, fa = (R)__builtin_fabs(ft), ha = (R)__builtin_fabs(ht);
  const R ga = (R)__builtin_fabs(g);
  R clt = 1, crt = 1, slt = 0, srt = 0;
  *least = ha;
  *most = fa;
  if (ga > fa && fa / ga < EPS / 2) {
    *most = ga;
    *least = ha > 1 ? fa / (ga / ha) : fa / ga * ha;
    slt = ht / g;
    srt = 1;
    crt = ft / g;
  } else if (ga > 0) {
    const R diff = fa - ha, m = g / ft, mm = m * m;
    R l = diff == fa ? 1 : diff / fa, t = 2 - l;
    const R s = SQRT(t * t + mm), r = l == 0 ? (R)__builtin_fabs(m) : SQRT(l * l + mm), a = (s + r) / 2;
    *least = ha / a;
    *most = fa * a;
    if (mm == 0)
      t = l == 0 ? NAME(with_sign_of)(2, ft) * NAME(with_sign_of)(1, g) : g / NAME(with_sign_of)(diff, ft) + m / t;
    else
      t = (m / (s + t) + m / (r + l)) * (1 + a);
    l = SQRT(t * t + 4);
    crt = 2 / l;
    srt = t / l;
    clt = (crt + srt * m) / a;
    slt = ht / ft * srt / a;
  }
  *cl = swapped ? srt : clt;
  *sl = swapped ? crt : slt;
  *cr = swapped ? slt : crt;
  *sr = swapped ? clt : srt;
  const bool by_g = ga > fa;
  const R sign = by_g      ? NAME(with_sign_of)(1, *sr) * NAME(with_sign_of)(1, *cl) * NAME(with_sign_of)(1, g)
                 : swapped ? NAME(with_sign_of)(1, *sr) * NAME(with_sign_of)(1, *sl) * NAME(with_sign_of)(1, h)
                           : NAME(with_sign_of)(1, *cr) * NAME(with_sign_of)(1, *cl) * NAME(with_sign_of)(1, f);
  *most = NAME(with_sign_of)(*most, sign);
  *least = NAME(with_sign_of)(*least, sign * NAME(with_sign_of)(1, f) * NAME(with_sign_of)(1, h));
}

static void NAME(solve_two_values)(NAME(qr_state) * s, int i)
{
  R least, most, sr, cr, sl, cl;
  NAME(solve_triangle)(s->d[i], s->e[i], s->d[i + 1], &least, &most, &sr, &cr, &sl, &cl);
  s->d[i] = most;
  s->e[i] = 0;
  s->d[i + 1] = least;
  NAME(begin_rotations)(s, i, 1, 1);
  NAME(rotate_right)(s, i, i + 1, cr, sr);
  NAME(rotate_left)(s, i, i + 1, cl, sl);
}

/* True where a criterion of convergence holds; its off-diagonal then is 0.  Else `least` is a lower bound of
 * the block's smallest singular value. */
static bool NAME(converges)(NAME(chase) * b, R *least)
{
  const R tol = b->s->tol;
  R *last = NAME(chased_beside)(b, b->order - 2), mu = (R)__builtin_fabs(*NAME(chased)(b, 0));
  if (__builtin_fabs(*last) <= tol * __builtin_fabs(*NAME(chased)(b, b->order - 1))) {
    *last = 0;
    return true;
  }
  *least = mu;
  for (int i = 0; i < b->order - 1; i++) {
    R *e = NAME(chased_beside)(b, i);
    if (__builtin_fabs(*e) <= tol * mu) {
      *e = 0;
      return true;
    }
    mu = (R)__builtin_fabs(*NAME(chased)(b, i + 1)) * (mu / (mu + (R)__builtin_fabs(*e)));
    if (mu < *least) *least = mu;
  }
  return false;
}

/* One sweep over the block whose smallest singular value is at least `least`, and largest element `most`. */
static void NAME(sweep_block)(NAME(chase) * b, R least, R most)
{
  const R tol = b->s->tol, small = EPS / 2 > tol / 100 ? EPS / 2 : tol / 100, first = *NAME(chased)(b, 0);
  const int last = b->order - 1;
  R shift = 0;
  if (b->s->n * tol * (least / most) > small) {
    shift = NAME(smaller_value)(*NAME(chased)(b, last - 1), *NAME(chased_beside)(b, last - 1), *NAME(chased)(b, last));
    if (first != 0 && shift / first * (shift / first) < EPS / 2) shift = 0;
  }
  if (shift == 0)
    NAME(sweep_unshifted)(b);
  else
    NAME(sweep_shifted)(b, shift);
  R *e = NAME(chased_beside)(b, last - 1);
  if (__builtin_fabs(*e) <= b->s->thresh) *e = 0;
}

/* Element lo of the block that ends at hi; its largest element. */
static int NAME(block_start)(NAME(qr_state) * s, int hi, R *most)
{
  *most = (R)__builtin_fabs(s->d[hi]);
  for (int i = hi - 1; i >= 0; i--) {
    const R x = (R)__builtin_fabs(s->d[i]), y = (R)__builtin_fabs(s->e[i]);
    if (y <= s->thresh) {
      s->e[i] = 0;
      return i + 1;
    }
    *most = x > *most ? x : *most;
    *most = y > *most ? y : *most;
  }
  return 0;
}

/* Makes the matrix diagonal; false when the steps are used up. */
static bool NAME(iterate_qr)(NAME(qr_state) * s)
{
  int64_t steps = 0;
  const int64_t limit = 6 * (int64_t)s->n * s->n;
  int oldlo = -1, oldhi = -1, step = 1;
  for (int hi = s->n - 1; hi > 0;) {
    R most, least;
    if (steps > limit) return false;
    const int lo = NAME(block_start)(s, hi, &most);
    if (lo == hi) {
      hi--;
      continue;
    }
    if (lo == hi - 1) {
      NAME(solve_two_values)(s, lo);
      hi -= 2;
      continue;
    }
    if (lo > oldhi || hi < oldlo) step = __builtin_fabs(s->d[lo]) >= __builtin_fabs(s->d[hi]) ? 1 : -1;
    NAME(chase) b = {.s = s, .order = hi - lo + 1, .step = step};
    b.at = step > 0 ? lo : hi;
    b.off = step > 0 ? lo : hi - 1;
    if (NAME(converges)(&b, &least)) continue;
    oldlo = lo;
    oldhi = hi;
    steps += hi - lo;
    NAME(sweep_block)(&b, least, most);
  }
  return true;
}

/* Below it an off-diagonal counts as zero: as small as the relative accuracy of the smallest singular value asks. */
static R NAME(threshold)(int n, const R *d, const R *e, R tol)
{
  const R smallest = sizeof(R) == 4 ? (R)0x1p-126f : (R)0x1p-1022;
  R mu = (R)__builtin_fabs(d[0]), least = mu;
  for (int i = 1; i < n && least != 0; i++) {
    mu = (R)__builtin_fabs(d[i]) * (mu / (mu + (R)__builtin_fabs(e[i - 1])));
    if (mu < least) least = mu;
  }
  const R x = tol * (least / SQRT((R)n)), y = 6 * (R)n * (R)n * smallest;
  return x > y ? x : y;
}

/* Lower to upper: rotations from the left. */
static void NAME(make_upper)(NAME(qr_state) * s)
{
  if (s->left && s->n > 1) batched_begin_sweep(s->left, 0, s->n - 1, false);
  for (int i = 0; i < s->n - 1; i++) {
    R c, sn, r;
    NAME(make_rotation)(s->d[i], s->e[i], &c, &sn, &r);
    s->d[i] = r;
    s->e[i] = sn * s->d[i + 1];
    s->d[i + 1] = c * s->d[i + 1];
    NAME(rotate_left)(s, i, i + 1, c, sn);
  }
}

static void NAME(negate_right)(NAME(qr_state) * s, int i)
{
  if (s->right) batched_negate_vector(s->right, i);
  for (int j = 0; s->vt && j < s->cols_vt; j++) s->vt[i + j * s->ldvt] = -s->vt[i + j * s->ldvt];
}

static void NAME(exchange_vectors_of)(NAME(qr_state) * s, int i, int j)
{
  if (s->right) batched_exchange_vectors(s->right, i, j);
  if (s->left) batched_exchange_vectors(s->left, i, j);
  if (s->vt) NAME(exchange)(s->cols_vt, s->vt + i, s->vt + j, s->ldvt);
  if (s->u) NAME(exchange)(s->rows_u, s->u + i * s->ldu, s->u + j * s->ldu, 1);
  if (s->c) NAME(exchange)(s->cols_c, s->c + i, s->c + j, s->ldc);
}

/* Nonnegative, and descending. */
static void NAME(order_values)(NAME(qr_state) * s)
{
  for (int i = 0; i < s->n; i++) {
    if (!(s->d[i] < 0) && s->d[i] != 0) continue;
    if (s->d[i] < 0) NAME(negate_right)(s, i);
    s->d[i] = (R)__builtin_fabs(s->d[i]);
  }
  for (int i = 0; i < s->n; i++) {
    int best = i;
    for (int j = i + 1; j < s->n; j++)
      if (s->d[j] > s->d[best]) best = j;
    if (best == i) continue;
    const R t = s->d[i];
    s->d[i] = s->d[best];
    s->d[best] = t;
    NAME(exchange_vectors_of)(s, i, best);
  }
}

static int NAME(solve_bidiagonal)(NAME(qr_state) * s, bool lower)
{
  R factor = (R)__builtin_pow(EPS / 2, -0.125);
  factor = factor < 10 ? 10 : factor > 100 ? 100 : factor;
  s->tol = factor * EPS / 2;
  if (lower) NAME(make_upper)(s);
  s->thresh = NAME(threshold)(s->n, s->d, s->e, s->tol);
  int left = 0;
  const bool done = NAME(iterate_qr)(s);
  if (s->right) batched_turn_vectors(s->right);
  if (s->left) batched_turn_vectors(s->left);
  if (done)
    NAME(order_values)(s);
  else
    for (int i = 0; i < s->n - 1; i++) left += s->e[i] != 0;
  return left;
}
