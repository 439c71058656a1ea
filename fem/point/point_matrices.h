/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the physics at a point needs of small matrices: adjugate, smallest eigenpair, smallest singular value.  They are
 * dim x dim, row-major: a[i*dim + j].
 */
#ifndef FEM_POINT_MATRICES_H
#define FEM_POINT_MATRICES_H

#include "fem/point/point_real.h"

/* The adjugate of a, a * adj = det * I; returns det. */
POINT_FN real point_adjugate(int dim, const real *a, real *adj)
{
  if (dim == 1) {
    adj[0] = real_of(1.0);
    return a[0];
  }
  if (dim == 2) {
    adj[0] = a[3], adj[1] = -a[1];
    adj[2] = -a[2], adj[3] = a[0];
    return a[0] * a[3] - a[1] * a[2];
  }
  adj[0] = a[4] * a[8] - a[5] * a[7];
  adj[1] = a[2] * a[7] - a[1] * a[8];
  adj[2] = a[1] * a[5] - a[2] * a[4];
  adj[3] = a[5] * a[6] - a[3] * a[8];
  adj[4] = a[0] * a[8] - a[2] * a[6];
  adj[5] = a[2] * a[3] - a[0] * a[5];
  adj[6] = a[3] * a[7] - a[4] * a[6];
  adj[7] = a[1] * a[6] - a[0] * a[7];
  adj[8] = a[0] * a[4] - a[1] * a[3];
  return a[0] * adj[0] + a[1] * adj[3] + a[2] * adj[6];
}

/* Tangent, cosine and sine of the Jacobi rotation that annihilates apq (of no angle if it is zero already):
 * with d = aqq - app and r^2 = d^2 + 4 apq^2, 2 c^2 = 1 + |d| / r and 2 s c = +-2 apq / r. */
POINT_FN void point_rotation(real app, real aqq, real apq, real *t, real *c, real *s)
{
  real d = aqq - app, size = real_abs(d) + 1e-150; // never zero
  real twice = 2.0 * apq;
  real inverse_r = real_inverse_sqrt(twice * twice + size * size);
  real c2 = 0.5 + (0.5 * size) * inverse_r, inverse_c = real_inverse_sqrt(c2);
  *c = c2 * inverse_c;
  *s = (apq * real_copysign_one(d)) * inverse_r * inverse_c;
  *t = *s * inverse_c;
}

/* One Jacobi rotation of the symmetric matrix (app, aqq, apq; arp, arq): apq becomes 0. */
POINT_FN void point_rotate(real t, real c, real s, real *app, real *aqq, real *apq, real *arp, real *arq)
{
  real shift = t * *apq;
  real p = *arp, q = *arq;
  *app = *app - shift;
  *aqq = *aqq + shift;
  *apq = real_of(0.0);
  *arp = c * p - s * q;
  *arq = s * p + c * q;
}

/* The same rotation of two columns of eigenvectors. */
POINT_FN void point_rotate_columns(real c, real s, real *vp, real *vq)
{
  for (int i = 0; i < 3; i++) {
    real p = vp[i], q = vq[i];
    vp[i] = c * p - s * q;
    vq[i] = s * p + c * q;
  }
}

enum { POINT_MAX_SWEEPS = 12 };

/* A symmetric 3x3 matrix whose largest entry is about 1. */
typedef struct point_symmetric {
  real a00, a11, a22, a01, a02, a12;
} point_symmetric;

/* Cyclic Jacobi: sweeps until the entries off the diagonal are zero but for rounding, or below `loose` of the gap
 * between the two smallest of the diagonal.  The diagonal holds the eigenvalues then, the columns of v (unless NULL)
 * the eigenvectors. */
POINT_FN void point_jacobi_3(point_symmetric *m, double loose, real (*v)[3])
{
  const double small = 1e-18;
  for (int sweep = 0; sweep < POINT_MAX_SWEEPS; sweep++) {
    real low = real_min(m->a00, m->a11), high = real_max(m->a00, m->a11);
    real gap = real_min(real_max(low, m->a22), high) - real_min(low, m->a22);
    if (real_all(real_abs(m->a01) + real_abs(m->a02) + real_abs(m->a12) <= real_max(loose * gap, real_of(small))))
      break;
    real t, c, s;
    point_rotation(m->a00, m->a11, m->a01, &t, &c, &s);
    point_rotate(t, c, s, &m->a00, &m->a11, &m->a01, &m->a02, &m->a12);
    if (v) point_rotate_columns(c, s, v[0], v[1]);
    point_rotation(m->a00, m->a22, m->a02, &t, &c, &s);
    point_rotate(t, c, s, &m->a00, &m->a22, &m->a02, &m->a01, &m->a12);
    if (v) point_rotate_columns(c, s, v[0], v[2]);
    point_rotation(m->a11, m->a22, m->a12, &t, &c, &s);
    point_rotate(t, c, s, &m->a11, &m->a22, &m->a12, &m->a01, &m->a02);
    if (v) point_rotate_columns(c, s, v[1], v[2]);
  }
}

/* The last step to the smallest eigenvalue of a nearly diagonal matrix: one of Rayleigh quotient iteration, from the
 * axis of the smallest entry of the diagonal (the first on ties); its error is the cube of where it starts from.
 * w: the unit eigenvector. */
POINT_FN real point_polish_3(const point_symmetric *m, real *w)
{
  real_mask first = (m->a00 <= m->a11) & (m->a00 <= m->a22), second = ~first & (m->a11 <= m->a22);
  real lowest = real_select(first, m->a00, real_select(second, m->a11, m->a22));
  real p = real_select(first, m->a11, m->a00) - lowest; // of the other two axes: p q - r^2, and f, g towards this one
  real q = real_select(first | second, m->a22, m->a11) - lowest;
  real r = real_select(first, m->a12, real_select(second, m->a02, m->a01));
  real f = real_select(first | second, m->a01, m->a02);
  real g = real_select(first, m->a02, m->a12);
  real det = p * q - r * r;
  real_mask zero = real_abs(f) + real_abs(g) <= 1e-18;
  real inverse = real_select(zero, real_of(0.0), real_inverse(real_select(zero, real_of(1.0), det)));
  real y = (r * g - q * f) * inverse, z = (r * f - p * g) * inverse;
  real unit = 1.0 - 0.5 * (y * y + z * z); // y and z are below 1e-5
  w[0] = unit * real_select(first, real_of(1.0), y);
  w[1] = unit * real_select(first, y, real_select(second, real_of(1.0), z));
  w[2] = unit * real_select(first | second, z, real_of(1.0));
  return lowest + f * y + g * z;
}

/* Smallest eigenvalue and its unit eigenvector s of a symmetric matrix; on ties the first axis. */
POINT_FN real point_smallest_by_jacobi_3(point_symmetric m, real *s)
{
  real v[3][3], w[3]; /* v[j]: eigenvector j */
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) v[j][i] = real_of(i == j ? 1.0 : 0.0);
  point_jacobi_3(&m, 2e-6, v);
  const real lowest = point_polish_3(&m, w);
  for (int i = 0; i < 3; i++) s[i] = w[0] * v[0][i] + w[1] * v[1][i] + w[2] * v[2][i];
  return lowest;
}

/* y = a x */
POINT_FN void point_symmetric_times(const point_symmetric *a, const real *x, real *y)
{
  y[0] = a->a00 * x[0] + a->a01 * x[1] + a->a02 * x[2];
  y[1] = a->a01 * x[0] + a->a11 * x[1] + a->a12 * x[2];
  y[2] = a->a02 * x[0] + a->a12 * x[1] + a->a22 * x[2];
}

/* The adjugate of the symmetric matrix a - lambda I. */
POINT_FN point_symmetric point_adjugate_shifted(const point_symmetric *a, real lambda)
{
  const real d0 = a->a00 - lambda, d1 = a->a11 - lambda, d2 = a->a22 - lambda;
  return (point_symmetric){.a00 = d1 * d2 - a->a12 * a->a12,
                           .a11 = d0 * d2 - a->a02 * a->a02,
                           .a22 = d0 * d1 - a->a01 * a->a01,
                           .a01 = a->a02 * a->a12 - a->a01 * d2,
                           .a02 = a->a01 * a->a12 - a->a02 * d1,
                           .a12 = a->a01 * a->a02 - a->a12 * d0};
}

/* The smallest root of y^3 - 3 y = 2 - 4 t^2, -2 cos((pi - 2 asin(t)) / 3), for t in [0, 1]: a polynomial in 2 t - 1,
 * good to 4e-12. */
POINT_FN real point_smallest_root(real t)
{
  const real x = 2.0 * t - 1.0, x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  const real low =
    (-1.5320888862375491 - 0.49481813261124458 * x) + (0.031018376833370628 - 0.0049327065866024745 * x) * x2;
  const real middle =
    (0.0010082500099159667 - 2.3284334804507195e-4 * x) + (5.7836156068741516e-5 - 1.5107598739737878e-5 * x) * x2;
  const real high =
    (4.0821521108587297e-6 - 1.0871694631544768e-6 * x) + (3.0429965327335266e-7 - 1.2268311599309123e-7 * x) * x2;
  return low + middle * x4 + (high + 3.6786002616926547e-8 * x4) * x8;
}

/* Smallest eigenvalue and its unit eigenvector w of a symmetric matrix in closed form.  Returns where they are as
 * accurate as Jacobi's: where the two smallest are apart by more than 1e-4 of the spread of the three.
 *
 * With the mean q and the variance 2 p^2 of the eigenvalues, those of b = a - q I are p times the roots of
 * y^3 - 3 y = det(b / p) (Smith, Commun. ACM 4(4), 1961, 168).  All columns of the adjugate of b - lambda I are
 * multiples of the eigenvector; the largest is taken, and its residual r = b w - rho w reduced by one step of Newton:
 * on the complement of w, b - rho I is a matrix m of order 2, with the inverse (trace(m) I - m) / det(m), so that
 * w += (b r + 2 rho r) / det(m). */
POINT_FN real_mask point_closed_3(const point_symmetric *m, real *lowest, real *w)
{
  const real q = (m->a00 + m->a11 + m->a22) * (1.0 / 3.0);
  const point_symmetric b = {m->a00 - q, m->a11 - q, m->a22 - q, m->a01, m->a02, m->a12};
  const real diagonal = b.a00 * b.a00 + b.a11 * b.a11 + b.a22 * b.a22;
  const real p2 = diagonal * (1.0 / 6.0) + (b.a01 * b.a01 + b.a02 * b.a02 + b.a12 * b.a12) * (1.0 / 3.0);
  const real_mask spread = p2 > 1e-8;
  const real inverse_p = real_inverse_sqrt(real_select(spread, p2, real_of(1.0)));
  const real det = b.a00 * (b.a11 * b.a22 - b.a12 * b.a12) - b.a01 * (b.a01 * b.a22 - b.a12 * b.a02) +
                   b.a02 * (b.a01 * b.a12 - b.a11 * b.a02);
  const real t2 = 0.5 - 0.25 * det * (inverse_p * inverse_p * inverse_p);
  const real root = point_smallest_root(real_sqrt(real_min(real_max(t2, real_of(0.0)), real_of(1.0))));
  const real_mask sure = spread & (root < -1.0001);

  const point_symmetric adj = point_adjugate_shifted(&b, root * (p2 * inverse_p));
  const real_mask first = (adj.a00 >= adj.a11) & (adj.a00 >= adj.a22), second = ~first & (adj.a11 >= adj.a22);
  w[0] = real_select(first, adj.a00, real_select(second, adj.a01, adj.a02));
  w[1] = real_select(first, adj.a01, real_select(second, adj.a11, adj.a12));
  w[2] = real_select(first, adj.a02, real_select(second, adj.a12, adj.a22));
  real inverse = real_inverse_sqrt(real_select(sure, w[0] * w[0] + w[1] * w[1] + w[2] * w[2], real_of(1.0)));
  for (int i = 0; i < 3; i++) w[i] *= inverse;

  real r[3], change[3];
  point_symmetric_times(&b, w, r);
  const real rho = w[0] * r[0] + w[1] * r[1] + w[2] * r[2];
  for (int i = 0; i < 3; i++) r[i] -= rho * w[i];
  point_symmetric_times(&b, r, change);
  inverse = real_inverse(real_select(sure, adj.a00 + adj.a11 + adj.a22, real_of(1.0)));
  for (int i = 0; i < 3; i++) change[i] = (change[i] + 2.0 * rho * r[i]) * inverse;
  *lowest = q + rho + (r[0] * change[0] + r[1] * change[1] + r[2] * change[2]);
  for (int i = 0; i < 3; i++) w[i] += change[i];
  const real unit = 1.5 - 0.5 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]); // 1 / |w|, which is nearly 1
  for (int i = 0; i < 3; i++) w[i] *= unit;
  return sure;
}

/* Largest magnitude among the entries of a, or 1 if all are zero or subnormal (whose inverse is not finite): scales
 * out over- and underflow. */
POINT_FN real point_scale(int n, const real *a)
{
  real m = real_abs(a[0]);
  for (int i = 1; i < n; i++) m = real_max(m, real_abs(a[i]));
  return real_select(m >= DBL_MIN, m, real_of(1.0));
}

/* Smallest eigenvalue of the symmetric matrix a and its unit eigenvector s; on ties the first axis. */
POINT_FN real point_smallest_eigenpair(int dim, const real *a, real *s)
{
  if (dim == 1) {
    s[0] = real_of(1.0);
    return a[0];
  }
  real scale = point_scale(dim * dim, a), inverse = real_inverse(scale);
  if (dim == 2) {
    real a00 = a[0] * inverse, a11 = a[3] * inverse, a01 = a[1] * inverse;
    real t, cosine, sine;
    point_rotation(a00, a11, a01, &t, &cosine, &sine);
    real shift = t * a01;
    real first = a00 - shift, second = a11 + shift;
    real_mask m = first <= second;
    s[0] = real_select(m, cosine, sine);
    s[1] = real_select(m, -sine, cosine);
    return scale * real_select(m, first, second);
  }
  point_symmetric m = {a[0] * inverse, a[4] * inverse, a[8] * inverse, a[1] * inverse, a[2] * inverse, a[5] * inverse};
  real lowest;
  const real_mask sure = point_closed_3(&m, &lowest, s);
  if (!real_all(sure)) {
    real w[3];
    lowest = real_select(sure, lowest, point_smallest_by_jacobi_3(m, w));
    for (int i = 0; i < 3; i++) s[i] = real_select(sure, s[i], w[i]);
  }
  return scale * lowest;
}

/* Smallest singular value of a, given its determinant: |det| over the product of the others, which keeps the relative
 * accuracy that the smallest eigenvalue of a^T a would lose. */
POINT_FN real point_smallest_singular(int dim, const real *a, real det)
{
  if (dim == 1) return real_abs(a[0]);
  if (dim == 2) {
    real p = a[0] + a[3], q = a[1] - a[2], r = a[0] - a[3], s = a[1] + a[2];
    real largest = 0.5 * (real_sqrt(p * p + q * q) + real_sqrt(r * r + s * s));
    return real_abs(det) / largest;
  }
  real g[6] = {a[0] * a[0] + a[3] * a[3] + a[6] * a[6], a[1] * a[1] + a[4] * a[4] + a[7] * a[7],
               a[2] * a[2] + a[5] * a[5] + a[8] * a[8], a[0] * a[1] + a[3] * a[4] + a[6] * a[7],
               a[0] * a[2] + a[3] * a[5] + a[6] * a[8], a[1] * a[2] + a[4] * a[5] + a[7] * a[8]};
  real scale = point_scale(3, g), inverse = real_inverse(scale);
  point_symmetric m = {g[0] * inverse, g[1] * inverse, g[2] * inverse, g[3] * inverse, g[4] * inverse, g[5] * inverse};
  point_jacobi_3(&m, 0.0, 0);
  real high = real_max(m.a00, real_max(m.a11, m.a22));
  real middle = real_max(real_min(m.a00, m.a11), real_min(real_max(m.a00, m.a11), m.a22));
  return real_abs(det) / (scale * real_sqrt(high * middle));
}

/* A lower bound of the smallest singular value that costs little: |det| / |adj|_F, and in 3D, where it is |det| over
 * the product of the other two, 2 |det| / |J|_F^2. */
POINT_FN real point_singular_bound(int dim, const real *jacobian, const real *adj, real det)
{
  real adj2 = real_of(DBL_MIN), jac2 = real_of(DBL_MIN);
  for (int i = 0; i < dim * dim; i++) adj2 += adj[i] * adj[i], jac2 += jacobian[i] * jacobian[i];
  real bound = real_inverse_sqrt(adj2);
  if (dim == 3) bound = real_max(bound, 2.0 * real_inverse(jac2));
  return bound * det;
}

#endif
