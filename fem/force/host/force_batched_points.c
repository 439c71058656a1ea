/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels 1, 2 and 4 of the corner force as batched dense algebra: points are the batch.
 */
#include <string.h>

#include "fem/force/host/force_batched.h"
#include "fem/point/point.h"

/* Column-major to row-major and back, dim x dim. */
static void transpose(int dim, const double *a, double *out)
{
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) out[i * dim + j] = a[i + j * dim];
}

static point_input input_at(const fem_force *force, const force_batched *st, int first, int64_t p)
{
  const fem_space *s = force->space;
  const fem_material *m = force->material;
  const int dd = s->dim * s->dim;
  const int64_t at = (int64_t)first * s->nq + p;
  point_input in = {
    .mass = m->mass[at], .weight = s->weight[p % s->nq], .energy = st->energy[p], .gamma = m->gamma[first + p / s->nq]};
  transpose(s->dim, st->jacobian + p * dd, in.jacobian);
  memcpy(in.initial_inverse, fem_initial_inverse(s, m, first + p / s->nq, (int)(p % s->nq)),
         sizeof(double) * (size_t)dd);
  return in;
}

/* Kernel 1, first part: adj(J) and J's singular values; adj / det scales L later. */
static int geometry(batched_ctx *ctx, const fem_space *s, force_batched *st, int64_t npoints)
{
  const int dim = s->dim, dd = dim * dim;
  for (int64_t p = 0; p < npoints; p++) {
    double j[9], adj[9];
    transpose(dim, st->jacobian + p * dd, j);
    point_adjugate(dim, j, adj);
    transpose(dim, adj, st->adjugate + p * dd);
  }
  batched_matrix none = {.type = BATCHED_D, .count = npoints};
  return batched_gesvd(ctx, BATCHED_VALUES, fem_point_matrices(s, st->jacobian, npoints),
                       batched_strided(st->singular, dim, 1, dim, dim, npoints), none, none, st->info);
}

/* Kernels 4 and 1: L, its symmetric part and that one's eigenpairs (eps is overwritten by the eigenvectors). */
static int strain(batched_ctx *ctx, const fem_space *s, force_batched *st, int64_t npoints)
{
  const int dim = s->dim, dd = dim * dim;
  int status = batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1.0),
                            fem_point_matrices(s, st->slope, npoints), fem_point_matrices(s, st->adjugate, npoints),
                            batched_real(0.0), fem_point_matrices(s, st->l, npoints));
  if (status) return status;
  for (int64_t p = 0; p < npoints; p++) {
    double *l = st->l + p * dd, *eps = st->eps + p * dd, j[9];
    transpose(dim, st->jacobian + p * dd, j);
    const double inverse_det = 1.0 / fem_determinant(dim, j);
    for (int i = 0; i < dd; i++) l[i] *= inverse_det;
    for (int i = 0; i < dim; i++)
      for (int k = 0; k < dim; k++) eps[i + k * dim] = 0.5 * (l[i + k * dim] + l[k + i * dim]);
  }
  return batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, fem_point_matrices(s, st->eps, npoints),
                      batched_strided(st->eigenvalues, dim, 1, dim, dim, npoints), st->info);
}

/* Kernel 2: equation of state and stress times weight. */
static void stress(const fem_force *force, force_batched *st, int first, int64_t npoints, double *time_step)
{
  const fem_space *s = force->space;
  const point_constants *k = &force->material->constants;
  const int dim = s->dim, dd = dim * dim;
  for (int64_t p = 0; p < npoints; p++) {
    point_input in = input_at(force, st, first, p);
    double density, pressure, sound, eta = 0.0, l[9], *sigma = st->sigma + p * dd;
    const double det = fem_determinant(dim, in.jacobian);
    point_gas(&in, in.weight * det, &density, &pressure, &sound);
    memset(sigma, 0, sizeof(double) * (size_t)dd);
    if (k->viscosity) {
      transpose(dim, st->l + p * dd, l);
      eta = point_viscosity(dim, k, &in, l, st->eigenvalues[p * dim], st->eps + p * dd, density, sound);
      for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) sigma[i + j * dim] = 0.5 * eta * (l[i * dim + j] + l[j * dim + i]);
    }
    for (int i = 0; i < dim; i++) sigma[i + i * dim] -= pressure;
    for (int i = 0; i < dd; i++) sigma[i] *= in.weight;
    const double step = point_time_step(k, det, st->singular[p * dim + dim - 1], density, sound, eta);
    if (step < *time_step) *time_step = step;
  }
}

int fem_host_force_points(batched_ctx *ctx, const fem_force *force, int first, int64_t npoints, double *time_step)
{
  force_batched *st = force->store;
  int status = geometry(ctx, force->space, st, npoints);
  if (!status && force->material->constants.viscosity) status = strain(ctx, force->space, st, npoints);
  if (!status) stress(force, st, first, npoints, time_step);
  return status;
}
