/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The physics at one quadrature point, written once for the host and for a GPU, in the numbers of point_real.h.
 * Matrices are dim x dim, row-major: a[i*dim + j].
 *
 * Source: Dobrev, Kolev, Rieben, SIAM J. Sci. Comput. 34(5), 2012, B606-B641, sections 5 (stress), 6 (viscosity)
 * and 7 (time step).
 */
#ifndef FEM_POINT_H
#define FEM_POINT_H

#include "fem/point/point_constants.h"
#include "fem/point/point_matrices.h"

/* The fields at a point. */
typedef struct point_input {
  real jacobian[9];        /* dx_i / dxi_j on the moving mesh */
  real gradient[9];        /* dv_i / dxi_j */
  real initial_inverse[9]; /* dxi_i / dx_j on the initial mesh; its transpose of hexes, see fem_material */
  real mass;               /* density x volume, constant in time */
  real weight;             /* of the quadrature, on the reference zone */
  real energy;             /* specific internal */
  real gamma;              /* ratio of specific heats */
} point_input;

/* The gas: density, pressure and sound speed of a gamma law, from mass, volume and energy.  A negative energy counts
 * as 0, but one that is not a number stays so, and the time step shows it. */
POINT_FN void point_gas(const point_input *in, real volume, real *density, real *pressure, real *sound)
{
  real energy = real_select(in->energy <= 0.0, real_of(0.0), in->energy);
  *density = real_divide(in->mass, volume);
  *pressure = (in->gamma - 1.0) * *density * energy;
  *sound = real_sqrt(in->gamma * (in->gamma - 1.0) * energy);
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

/* True where the time step is certain to be at least `limit` at all lanes. */
POINT_FN bool point_step_is_above(const point_constants *k, real bound, real density, real sound, real eta, real limit)
{
  return real_all((bound > 0.0) & (limit * point_rate(k, bound, density, sound, eta) <= k->cfl));
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

/* Power per volume and mass-free: the manufactured source that keeps the 2D Taylor-Green vortex steady,
 *   3/8 pi (cos 3 pi x cos pi y - cos pi x cos 3 pi y),   with cos 3 t = 4 cos^3 t - 3 cos t */
POINT_FN double point_source_at(point_source source, const double *x)
{
  const double pi = 3.14159265358979323846;
  if (source == POINT_NO_SOURCE) return 0.0;
  const double a = cos(pi * x[0]), b = cos(pi * x[1]);
  return 3.0 / 2.0 * pi * a * b * (a - b) * (a + b);
}

#endif
