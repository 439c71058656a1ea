/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The corner force as batched dense algebra, with zones or points as the batch: the kernels of Dong et al., "MAGMA Batched",
 * section 7, table 3.  F_z is formed and kept.
 *
 *   kernel 3    J = x_z^T D, grad v = v_z^T D                gemm, a zone a matrix      D: reference gradients
 *   kernel 4    L = grad v adj(J) / det                      gemm, a point a matrix
 *   kernel 1    adjugates; eigenpairs of sym L; sigma_min J  custom, heev, gesvd
 *   kernel 2    equation of state, stress                    custom
 *   kernel 5    a = weight sigma adj(J)^T                    gemm, a point a matrix
 *   kernel 6    A_z column by column: D_q a_q^T              gemm, for each q a zone a matrix
 *   kernel 7    F_z = A_z B^T                                gemm, a zone a matrix      B: thermodynamic basis
 *   kernel 8    F_z 1                                        gemv
 *   kernel 10   F_z^T v_z                                    gemv, transposed
 *
 * Everything up to kernel 7 goes by chunks of zones, whose A_z stay in cache.  Matrices are column-major.
 */
#include <stdlib.h>
#include <string.h>

#include "force.h"
#include "../dense.h"
#include "../point.h"

typedef struct store {
  int chunk;                              // zones done together
  double *d;                              // [nq][dim][nd]: nd x (nq dim), derivatives of the nodes' functions
  double *b;                              // [nq][nt]: nt x nq
  double *ones;                           // [nt]
  double *f;                              // [nzones][nt][dim][nd]: F_z is (nd dim) x nt
  double *x, *v;                          // [chunk][dim][nd]: nd x dim
  double *jacobian, *slope;               // [chunk][nq][dim][dim], grad v in reference coordinates
  double *adjugate, *l, *eps, *sigma, *a; // the same shape
  double *eigenvalues, *singular;         // [chunk][nq][dim]
  double *energy;                         // [chunk][nq]
  double *az;                             // [chunk][nq][dim][nd]: A_z is (nd dim) x nq
  int *info;                              // [chunk][nq]
} store;

enum { CHUNK_BYTES = 4 << 20 };

static double *doubles(size_t n)
{
  return malloc(sizeof(double) * (n + 1));
}

static void teardown(fem_force *force)
{
  store *st = force->store;
  if (!st) return;
  double *all[] = {st->d,        st->b,           st->ones,     st->f,      st->x,   st->v,
                   st->jacobian, st->slope,       st->adjugate, st->l,      st->eps, st->sigma,
                   st->a,        st->eigenvalues, st->singular, st->energy, st->az};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(st->info);
  free(st);
  force->store = NULL;
}

static int setup(fem_force *force)
{
  const fem_space *s = force->space;
  store *st = force->store = calloc(1, sizeof *st);
  if (!st) return BATCHED_NO_MEMORY;
  const size_t dim = (size_t)s->dim, nd = (size_t)s->nd, nt = (size_t)s->nt, nq = (size_t)s->nq;
  const size_t fitting = CHUNK_BYTES / (sizeof(double) * nd * dim * nq);
  st->chunk = fitting > 1 ? (int)fitting : 1;
  const size_t zones = (size_t)st->chunk, points = zones * nq;
  st->d = doubles(nd * nq * dim);
  st->b = doubles(nt * nq);
  st->ones = doubles(nt);
  st->f = doubles((size_t)s->nzones * nt * nd * dim);
  st->x = doubles(zones * nd * dim);
  st->v = doubles(zones * nd * dim);
  double **square[] = {&st->jacobian, &st->slope, &st->adjugate, &st->l, &st->eps, &st->sigma, &st->a};
  bool all = true;
  for (size_t i = 0; i < sizeof square / sizeof *square; i++) all = (*square[i] = doubles(points * dim * dim)) && all;
  st->eigenvalues = doubles(points * dim);
  st->singular = doubles(points * dim);
  st->energy = doubles(points);
  st->az = doubles(points * nd * dim);
  st->info = malloc(sizeof(int) * (points + 1));
  if (all && st->d && st->b && st->ones && st->f && st->x && st->v && st->eigenvalues && st->singular && st->energy &&
      st->az && st->info) {
    fem_dense_gradients(s, st->d);
    fem_dense_energies(s, st->b);
    for (int j = 0; j < s->nt; j++) st->ones[j] = 1.0;
    return BATCHED_SUCCESS;
  }
  teardown(force);
  return BATCHED_NO_MEMORY;
}

/* The E-vector of zones [first, first + n): out [n][dim][nd]. */
static void gather(const fem_space *s, int first, int n, const double *u, double *out)
{
  for (int z = 0; z < n; z++)
    for (int c = 0; c < s->dim; c++)
      fem_gather(s, first + z, u + (int64_t)c * s->ndofs, out + ((int64_t)z * s->dim + c) * s->nd);
}

/* A dim x dim matrix for each of n points. */
static batched_matrix square(const fem_space *s, double *data, int64_t n)
{
  return batched_strided(data, s->dim, s->dim, s->dim, s->dim * s->dim, n);
}

/* Column-major to row-major and back, dim x dim. */
static void transpose(int dim, const double *a, double *out)
{
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) out[i * dim + j] = a[i + j * dim];
}

static point_input input_at(const fem_force *force, const store *st, int first, int64_t p)
{
  const fem_space *s = force->space;
  const fem_material *m = force->material;
  const int dd = s->dim * s->dim;
  const int64_t at = (int64_t)first * s->nq + p;
  point_input in = {
    .mass = m->mass[at], .weight = s->weight[p % s->nq], .energy = st->energy[p], .gamma = m->gamma[first + p / s->nq]};
  transpose(s->dim, st->jacobian + p * dd, in.jacobian);
  memcpy(in.initial_inverse, m->initial_inverse + at * dd, sizeof(double) * (size_t)dd);
  return in;
}

/* Kernel 1, first part: adj(J) and J's singular values; adj / det scales L later. */
static int geometry(batched_ctx *ctx, const fem_space *s, store *st, int64_t npoints)
{
  const int dim = s->dim, dd = dim * dim;
  for (int64_t p = 0; p < npoints; p++) {
    double j[9], adj[9];
    transpose(dim, st->jacobian + p * dd, j);
    point_adjugate(dim, j, adj);
    transpose(dim, adj, st->adjugate + p * dd);
  }
  batched_matrix none = {.type = BATCHED_D, .count = npoints};
  return batched_gesvd(ctx, BATCHED_VALUES, square(s, st->jacobian, npoints),
                       batched_strided(st->singular, dim, 1, dim, dim, npoints), none, none, st->info);
}

/* Kernels 4 and 1: L, its symmetric part and that one's eigenpairs (eps is overwritten by the eigenvectors). */
static int strain(batched_ctx *ctx, const fem_space *s, store *st, int64_t npoints)
{
  const int dim = s->dim, dd = dim * dim;
  int status = batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1.0), square(s, st->slope, npoints),
                            square(s, st->adjugate, npoints), batched_real(0.0), square(s, st->l, npoints));
  if (status) return status;
  for (int64_t p = 0; p < npoints; p++) {
    double *l = st->l + p * dd, *eps = st->eps + p * dd, j[9];
    transpose(dim, st->jacobian + p * dd, j);
    const double inverse_det = 1.0 / fem_determinant(dim, j);
    for (int i = 0; i < dd; i++) l[i] *= inverse_det;
    for (int i = 0; i < dim; i++)
      for (int k = 0; k < dim; k++) eps[i + k * dim] = 0.5 * (l[i + k * dim] + l[k + i * dim]);
  }
  return batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, square(s, st->eps, npoints),
                      batched_strided(st->eigenvalues, dim, 1, dim, dim, npoints), st->info);
}

/* Kernel 2: equation of state and stress times weight; returns the smallest time step. */
static double material_points(const fem_force *force, store *st, int first, int64_t npoints)
{
  const fem_space *s = force->space;
  const point_constants *k = &force->material->constants;
  const int dim = s->dim, dd = dim * dim;
  double smallest = INFINITY;
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
    if (step < smallest) smallest = step;
  }
  return smallest;
}

/* Kernels 5, 6 and 7: from the stress at the points to F_z. */
static int assemble(batched_ctx *ctx, const fem_space *s, store *st, int first, int n)
{
  const int dim = s->dim, rows = s->nd * dim;
  const batched_scalar one = batched_real(1.0), zero = batched_real(0.0);
  const int64_t npoints = (int64_t)n * s->nq;
  int status = batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, one, square(s, st->sigma, npoints),
                            square(s, st->adjugate, npoints), zero, square(s, st->a, npoints));
  for (int q = 0; !status && q < s->nq; q++)
    status =
      batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, one,
                   batched_strided(st->d + (size_t)q * (size_t)rows, s->nd, dim, s->nd, 0, n),
                   batched_strided(st->a + q * dim * dim, dim, dim, dim, s->nq * dim * dim, n), zero,
                   batched_strided(st->az + (size_t)q * (size_t)rows, s->nd, dim, s->nd, (int64_t)s->nq * rows, n));
  if (status) return status;
  return batched_gemm(
    ctx, BATCHED_NO_TRANS, BATCHED_TRANS, one, batched_strided(st->az, rows, s->nq, rows, (int64_t)s->nq * rows, n),
    batched_strided(st->b, s->nt, s->nq, s->nt, 0, n), zero,
    batched_strided(st->f + (int64_t)first * s->nt * rows, rows, s->nt, rows, (int64_t)s->nt * rows, n));
}

/* Kernel 3 for a field u [n][dim][nd]: out [n][nq][dim][dim]. */
static int gradients(batched_ctx *ctx, const fem_space *s, const store *st, int n, const double *u, double *out)
{
  const int columns = s->nq * s->dim;
  return batched_gemm(ctx, BATCHED_TRANS, BATCHED_NO_TRANS, batched_real(1.0),
                      batched_strided(u, s->nd, s->dim, s->nd, s->nd * s->dim, n),
                      batched_strided(st->d, s->nd, columns, s->nd, 0, n), batched_real(0.0),
                      batched_strided(out, s->dim, columns, s->dim, (int64_t)s->dim * columns, n));
}

static int stress_chunk(batched_ctx *ctx, const fem_force_args *args, int first, int n)
{
  const fem_space *s = args->force->space;
  store *st = args->force->store;
  const int64_t npoints = (int64_t)n * s->nq;
  gather(s, first, n, args->x, st->x);
  gather(s, first, n, args->v, st->v);
  int status = gradients(ctx, s, st, n, st->x, st->jacobian);
  if (!status) status = gradients(ctx, s, st, n, st->v, st->slope);
  if (!status)
    status = batched_gemv(ctx, BATCHED_TRANS, batched_real(1.0), batched_strided(st->b, s->nt, s->nq, s->nt, 0, n),
                          batched_strided(args->e + (int64_t)first * s->nt, s->nt, 1, s->nt, s->nt, n),
                          batched_real(0.0), batched_strided(st->energy, s->nq, 1, s->nq, s->nq, n));
  if (!status) status = geometry(ctx, s, st, npoints);
  if (!status && args->force->material->constants.viscosity) status = strain(ctx, s, st, npoints);
  if (status) return status;
  const double step = material_points(args->force, st, first, npoints);
  if (step < *args->time_step) *args->time_step = step;
  return assemble(ctx, s, st, first, n);
}

static int stress(batched_ctx *ctx, const fem_force_args *args)
{
  const int nzones = args->force->space->nzones, chunk = ((store *)args->force->store)->chunk;
  int status = BATCHED_SUCCESS;
  for (int first = 0; !status && first < nzones; first += chunk)
    status = stress_chunk(ctx, args, first, nzones - first < chunk ? nzones - first : chunk);
  return status;
}

static batched_matrix force_of(const fem_space *s, const store *st, int first, int n)
{
  const int rows = s->nd * s->dim;
  return batched_strided(st->f + (int64_t)first * s->nt * rows, rows, s->nt, rows, (int64_t)s->nt * rows, n);
}

/* Kernel 8, and the sum over zones. */
static int apply(batched_ctx *ctx, const fem_force_args *args)
{
  const fem_space *s = args->force->space;
  store *st = args->force->store;
  const int rows = s->nd * s->dim;
  for (int first = args->first; first < args->last; first += st->chunk) {
    const int n = args->last - first < st->chunk ? args->last - first : st->chunk;
    int status = batched_gemv(ctx, BATCHED_NO_TRANS, batched_real(1.0), force_of(s, st, first, n),
                              batched_strided(st->ones, s->nt, 1, s->nt, 0, n), batched_real(0.0),
                              batched_strided(st->x, rows, 1, rows, rows, n));
    if (status) return status;
    for (int z = 0; z < n; z++)
      for (int c = 0; c < s->dim; c++)
        for (int i = 0; i < s->nd; i++)
          args->f[(int64_t)c * s->ndofs + s->dofs[(int64_t)(first + z) * s->nd + i]] +=
            fem_flush_tiny(st->x[((int64_t)z * s->dim + c) * s->nd + i]);
  }
  return BATCHED_SUCCESS;
}

/* Kernel 10 */
static int power(batched_ctx *ctx, const fem_force_args *args)
{
  const fem_space *s = args->force->space;
  store *st = args->force->store;
  const int rows = s->nd * s->dim;
  for (int first = 0; first < s->nzones; first += st->chunk) {
    const int n = s->nzones - first < st->chunk ? s->nzones - first : st->chunk;
    gather(s, first, n, args->v, st->v);
    int status = batched_gemv(ctx, BATCHED_TRANS, batched_real(1.0), force_of(s, st, first, n),
                              batched_strided(st->v, rows, 1, rows, rows, n), batched_real(0.0),
                              batched_strided(args->power + (int64_t)first * s->nt, s->nt, 1, s->nt, s->nt, n));
    if (status) return status;
  }
  return BATCHED_SUCCESS;
}

int fem_host_force_batched(batched_ctx *ctx, const void *p)
{
  const fem_force_args *args = p;
  switch (args->task) {
  case FEM_FORCE_SETUP: return setup(args->force);
  case FEM_FORCE_STRESS: return stress(ctx, args);
  case FEM_FORCE_APPLY: return apply(ctx, args);
  case FEM_FORCE_POWER: return power(ctx, args);
  case FEM_FORCE_TEARDOWN: teardown(args->force); break;
  }
  return BATCHED_SUCCESS;
}
