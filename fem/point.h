/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The physics at one quadrature point, written once.
 *
 * `real` is a double (host.ref, CUDA) or a short vector of doubles, one point a lane (host/lanes.h); all control flow
 * is by selection, so the same text serves both.  Matrices are dim x dim, row-major: a[i*dim + j].
 *
 * Source: Dobrev, Kolev, Rieben, SIAM J. Sci. Comput. 34(5), 2012, B606-B641, sections 5 (stress), 6 (viscosity)
 * and 7 (time step).
 */
#ifndef FEM_POINT_H
#define FEM_POINT_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "point_constants.h"

#ifndef POINT_REAL
#ifdef __CUDACC__
#define POINT_FN static __host__ __device__ __forceinline__
#else
#define POINT_FN static inline __attribute__((always_inline))
#endif
typedef double real;
typedef int real_mask;
POINT_FN real real_of(double a)
{
  return a;
}
/* 1/a and 1/sqrt(a) for positive normal a.  A GPU gives an estimate good to 20 bits; times the series of the rest it
 * is a unit or two in the last place off, at a fraction of the time of a division and a square root. */
POINT_FN real real_inverse(real a)
{
#ifdef __CUDA_ARCH__
  real y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  real e = 1.0 - a * y; // 1/a = y (1 + e + e^2 + ...)
  return y + y * (e + e * e);
#else
  return 1.0 / a;
#endif
}
POINT_FN real real_inverse_sqrt(real a)
{
#ifdef __CUDA_ARCH__
  real y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  real e = 1.0 - (a * y) * y; // 1/sqrt(a) = y (1 + e/2 + 3/8 e^2 + ...)
  return y + (y * e) * (0.5 + 0.375 * e);
#else
  return 1.0 / sqrt(a);
#endif
}
POINT_FN real real_sqrt(real a)
{
#ifdef __CUDA_ARCH__
  return fabs(a) < DBL_MIN ? 0.0 : a * real_inverse_sqrt(a);
#else
  return sqrt(a);
#endif
}
POINT_FN real real_abs(real a)
{
  return fabs(a);
}
POINT_FN real real_select(real_mask m, real a, real b)
{
  return m ? a : b;
}
POINT_FN bool real_any(real_mask m)
{
  return m;
}
POINT_FN bool real_all(real_mask m)
{
  return m;
}
#endif

/* What a point knows of its surroundings. */
typedef struct point_input {
  real jacobian[9];        /* dx_i / dxi_j on the moving mesh */
  real gradient[9];        /* dv_i / dxi_j */
  real initial_inverse[9]; /* dxi_i / dx_j on the initial mesh */
  real mass;               /* density x volume, constant in time */
  real weight;             /* of the quadrature, on the reference zone */
  real energy;             /* specific internal */
  real gamma;              /* ratio of specific heats */
} point_input;

/* a / b for normal b, by the fast inverse where there is one for scalars. */
POINT_FN real real_divide(real a, real b)
{
#ifdef __CUDA_ARCH__
  return a * real_inverse(b);
#else
  return a / b;
#endif
}

POINT_FN real real_max(real a, real b)
{
  return real_select(a > b, a, b);
}

POINT_FN real real_min(real a, real b)
{
  return real_select(a < b, a, b);
}

POINT_FN real real_copysign_one(real a)
{
#ifdef __CUDA_ARCH__
  return copysign(1.0, a);
#else
  return real_select(a < 0.0, real_of(-1.0), real_of(1.0));
#endif
}

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
  real v[3][3], w[3]; /* v[j]: eigenvector j */
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) v[j][i] = real_of(i == j ? 1.0 : 0.0);
  point_jacobi_3(&m, 2e-6, v);
  const real lowest = point_polish_3(&m, w);
  for (int i = 0; i < 3; i++) s[i] = w[0] * v[0][i] + w[1] * v[1][i] + w[2] * v[2][i];
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

/* 1 where the flow compresses, 0 where it expands, a smooth step of width 1e-12 between. */
POINT_FN real point_compression_switch(real mu)
{
  const double delta = 1e-12;
  real y = (mu - delta) * (0.5 / delta);
  y = real_min(real_max(y, real_of(0.0)), real_of(1.0));
  return 1.0 - (3.0 - 2.0 * y) * y * y;
}

/* Trace against Frobenius norm: 1 in pure compression, small where the flow turns. */
POINT_FN real point_vorticity_switch(int dim, const real *l)
{
  real norm2 = real_of(0.0), trace = real_of(0.0);
  for (int i = 0; i < dim * dim; i++) norm2 += l[i] * l[i];
  for (int i = 0; i < dim; i++) trace += l[i * dim + i];
  real_mask some = norm2 >= DBL_MIN;
  real norm = real_sqrt(real_select(some, norm2, real_of(1.0)));
  return real_select(some, real_divide(real_abs(trace), norm), real_of(1.0));
}

/* By what the linear term of the viscosity is scaled, for l = grad v. */
POINT_FN real point_turn(int dim, const point_constants *k, const real *l)
{
  return k->vorticity ? point_vorticity_switch(dim, l) : real_of(1.0);
}

/* Coefficient of the tensor viscosity, where mu and s are the smallest eigenvalue and its unit eigenvector of the
 * symmetric part of grad v. */
POINT_FN real point_viscosity_turned(int dim, const point_constants *k, const point_input *in, real turn, real mu,
                                     const real *s, real density, real sound)
{
  /* length of the zone along s: how much the initial length h0 was stretched */
  real t[3], stretch2 = real_of(0.0);
  for (int i = 0; i < dim; i++) {
    t[i] = real_of(0.0);
    for (int j = 0; j < dim; j++) t[i] += in->initial_inverse[i * dim + j] * s[j];
  }
  for (int i = 0; i < dim; i++) {
    real u = real_of(0.0);
    for (int j = 0; j < dim; j++) u += in->jacobian[i * dim + j] * t[j];
    stretch2 += u * u;
  }
  real h = k->h0 * real_sqrt(stretch2);

  real linear = 0.5 * density * h * sound * point_compression_switch(mu);
  return 2.0 * density * h * h * real_abs(mu) + linear * turn;
}

POINT_FN real point_viscosity(int dim, const point_constants *k, const point_input *in, const real *l, real mu,
                              const real *s, real density, real sound)
{
  return point_viscosity_turned(dim, k, in, point_turn(dim, k, l), mu, s, density, sound);
}

/* 1 / (time step) at a point, before cfl: sound over the zone's smallest extent, and viscosity. */
POINT_FN real point_rate(const point_constants *k, real smallest, real density, real sound, real eta)
{
  real inverse_h = k->order * real_inverse(smallest);
  return inverse_h * (sound + real_divide(2.5 * eta * inverse_h, density));
}

/* The largest stable time step at a point whose Jacobian has this determinant and smallest singular value; 0 if the
 * zone is inverted there or anything is not a number. */
POINT_FN real point_time_step(const point_constants *k, real det, real smallest, real density, real sound, real eta)
{
  real rate = point_rate(k, smallest, density, sound, eta);
  real step = real_select(rate > 0.0, k->cfl / rate, real_of(INFINITY));
  real_mask good = (det >= 0.0) & (rate >= 0.0);
  return real_select(good, step, real_of(0.0));
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

/* Is the time step certain to be at least `limit` at all lanes? */
POINT_FN bool point_step_is_above(const point_constants *k, real bound, real density, real sound, real eta, real limit)
{
  return real_all((bound > 0.0) & (limit * point_rate(k, bound, density, sound, eta) <= k->cfl));
}

/* The gas: density, pressure and sound speed of a gamma law, from mass, volume and energy.  A negative energy counts
 * as 0, but one that is not a number stays so, and the time step shows it. */
POINT_FN void point_gas(const point_input *in, real volume, real *density, real *pressure, real *sound)
{
  real energy = real_select(in->energy <= 0.0, real_of(0.0), in->energy);
  *density = real_divide(in->mass, volume);
  *pressure = (in->gamma - 1.0) * *density * energy;
  *sound = real_sqrt(in->gamma * (in->gamma - 1.0) * energy);
}

/* Stress at a point of the state: a = weight * det(J) * sigma * J^-T, so that the corner force is
 * F_(i,c),j = sum over points and g of a[c*dim + g] * dphi_i/dxi_g * b_j.  Returns the time-step estimate, or anything
 * not below `limit` where the estimate is certain not to be below it (INFINITY: always the estimate). */
POINT_FN real point_stress(int dim, const point_constants *k, const point_input *in, real limit, real *a)
{
  real adj[9], sigma[9], density, pressure, sound;
  real det = point_adjugate(dim, in->jacobian, adj);
  const real bound = point_singular_bound(dim, in->jacobian, adj, det);
  point_gas(in, in->weight * det, &density, &pressure, &sound);
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) sigma[i * dim + j] = i == j ? -pressure : real_of(0.0);

  real eta = real_of(0.0);
  if (k->viscosity) {
    real l[9], eps[9] = {real_of(0.0)}, s[3], inverse_det = real_divide(real_of(1.0), det);
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++) {
        real sum = real_of(0.0);
        for (int g = 0; g < dim; g++) sum += in->gradient[i * dim + g] * adj[g * dim + j];
        l[i * dim + j] = sum * inverse_det;
      }
    real turn = point_turn(dim, k, l); // before the eigenpair, which needs the registers
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++) eps[i * dim + j] = 0.5 * (l[i * dim + j] + l[j * dim + i]);
    real mu = point_smallest_eigenpair(dim, eps, s);
    eta = point_viscosity_turned(dim, k, in, turn, mu, s, density, sound);
    for (int i = 0; i < dim * dim; i++) sigma[i] += eta * eps[i];
  }
  for (int c = 0; c < dim; c++)
    for (int g = 0; g < dim; g++) {
      real sum = real_of(0.0);
      for (int m = 0; m < dim; m++) sum += sigma[c * dim + m] * adj[g * dim + m];
      a[c * dim + g] = in->weight * sum;
    }
  if (point_step_is_above(k, bound, density, sound, eta, limit)) return limit;
  return point_time_step(k, det, point_smallest_singular(dim, in->jacobian, det), density, sound, eta);
}

/* Power per volume and mass-free: the manufactured source that keeps the 2D Taylor-Green vortex steady. */
POINT_FN double point_source_at(point_source source, const double *x)
{
  const double pi = 3.14159265358979323846;
  if (source == POINT_NO_SOURCE) return 0.0;
  return 3.0 / 8.0 * pi * (cos(3.0 * pi * x[0]) * cos(pi * x[1]) - cos(pi * x[0]) * cos(3.0 * pi * x[1]));
}

#endif
