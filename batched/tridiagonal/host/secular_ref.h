/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Roots of the secular equation 1 / rho + sum z_i^2 / (p_i - x) = 0 with poles p ascending and rho > 0: root j lies
 * above p_j and below p_{j+1}.  Li, "Solving secular equations stably and efficiently", LAPACK Working Note 89 (1993):
 * the middle way, from the nearer pole as origin, so that all p_i - x have full relative accuracy.
 */

typedef struct NAME(secular) {
  int k;
  const R *d, *z;
  R rho;
  bool squares; /* the poles are the squares of d, which is not negative; else d */
} NAME(secular);

/* Pole i - pole o. */
static inline R NAME(pole_gap)(const NAME(secular) * s, int i, int o)
{
  const R gap = s->d[i] - s->d[o];
  return s->squares ? gap * (s->d[i] + s->d[o]) : gap;
}

/* The function at pole `origin` + x: sums over the poles up to j and beyond, their derivatives, and a bound of the
 * error. */
typedef struct NAME(secular_value) {
  R f, slope_below, slope_above, error;
} NAME(secular_value);

static NAME(secular_value) NAME(evaluate_secular)(const NAME(secular) * s, int j, int origin, R x)
{
  R below = 0, above = 0, slope_below = 0, slope_above = 0, sums = 0;
  for (int i = 0; i <= j; i++) {
    const R t = s->z[i] / (NAME(pole_gap)(s, i, origin) - x);
    below += s->z[i] * t;
    slope_below += t * t;
    sums += (R)__builtin_fabs(below);
  }
  for (int i = s->k - 1; i > j; i--) {
    const R t = s->z[i] / (NAME(pole_gap)(s, i, origin) - x);
    above += s->z[i] * t;
    slope_above += t * t;
    sums += (R)__builtin_fabs(above);
  }
  const R f = 1 / s->rho + below + above, size = (R)__builtin_fabs(below) + (R)__builtin_fabs(above);
  const R error = 8 * size + sums + 1 / s->rho + (R)__builtin_fabs(x) * (slope_below + slope_above);
  return (NAME(secular_value)){f, slope_below, slope_above, error};
}

/* The root of c y^2 - a y + b between the poles p < 0 < q (or right of both: `last`), without cancellation. */
static R NAME(quadratic_root)(R a, R b, R c, bool last)
{
  R square = a * a - 4 * b * c;
  const R root = SQRT(square > 0 ? square : 0);
  if (last) return a >= 0 ? (a + root) / (2 * c) : 2 * b / (a - root);
  return a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root);
}

/* From the two nearest poles alone, what the others give at the middle of the gap taken as constant. */
static R NAME(guess_root)(const NAME(secular) * s, int j, bool from_below, R middle, R gap)
{
  const R zz = s->z[j] * s->z[j], yy = s->z[j + 1] * s->z[j + 1];
  const R c = middle - zz / (-gap / 2) - yy / (gap / 2);
  if (from_below) return NAME(quadratic_root)(c * gap + zz + yy, zz * gap, c, false);
  const R a = c * gap - zz - yy, b = yy * gap, square = a * a + 4 * b * c, root = SQRT(square > 0 ? square : 0);
  return a < 0 ? 2 * b / (a - root) : -(a + root) / (2 * c);
}

/* Root j: it is pole *origin plus the result. */
static R NAME(find_root)(const NAME(secular) * s, int j, int *origin)
{
  const bool last = j == s->k - 1;
  R lo = 0, hi = 0, x;
  *origin = j;
  if (s->k == 1) return s->rho * s->z[0] * s->z[0];
  if (last) {
    for (int i = 0; i < s->k; i++) hi += s->z[i] * s->z[i];
    hi *= s->rho;
    x = hi / 2;
  } else {
    const R gap = NAME(pole_gap)(s, j + 1, j), middle = NAME(evaluate_secular)(s, j, j, gap / 2).f;
    if (middle < 0) *origin = j + 1;
    lo = middle < 0 ? -gap / 2 : 0;
    hi = middle < 0 ? 0 : gap / 2;
    x = NAME(guess_root)(s, j, middle >= 0, middle, gap);
  }
  const int p = last ? j - 1 : j, q = last ? j : j + 1;
  const R below = NAME(pole_gap)(s, p, *origin), above = NAME(pole_gap)(s, q, *origin);
  R before = 0;
  for (int turn = 0; turn < 100; turn++) {
    if (!(x > lo && x < hi)) x = (lo + hi) / 2;
    if (!(x > lo && x < hi)) break;
    const NAME(secular_value) v = NAME(evaluate_secular)(s, p, *origin, x);
    if (!(__builtin_fabs(v.f) > EPS / 2 * v.error)) break;
    *(v.f < 0 ? &lo : &hi) = x;
    const R left = below - x, right = above - x, c = v.f - left * v.slope_below - right * v.slope_above;
    const R a = (left + right) * v.f - left * right * (v.slope_below + v.slope_above);
    const bool slow = turn > 0 && __builtin_fabs(v.f) > before / 2;
    before = (R)__builtin_fabs(v.f);
    x = slow ? (lo + hi) / 2 : x + NAME(quadratic_root)(a, left * right * v.f, c, last);
  }
  return x;
}
