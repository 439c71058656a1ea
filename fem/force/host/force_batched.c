/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The corner force as batched dense algebra, with zones or points as the batch: the kernels of Dong et al., "MAGMA
 * Batched", section 7, table 3.  F_z is formed and kept.  Kernels 1, 2 and 4 are in force_batched_points.c.
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

#include "fem/force/host/force.h"
#include "fem/force/host/force_batched.h"
#include "fem/space/dense.h"

enum { CHUNK_BYTES = 4 << 20 };

static void teardown(batched_ctx *ctx, fem_force *force)
{
  (void)ctx;
  force_batched *st = force->store;
  double *all[] = {st->d,        st->b,           st->ones,     st->f,      st->x,   st->v,
                   st->jacobian, st->slope,       st->adjugate, st->l,      st->eps, st->sigma,
                   st->a,        st->eigenvalues, st->singular, st->energy, st->az};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(st->info);
  free(st);
  force->store = NULL;
}

static bool allocate(force_batched *st, const fem_space *s)
{
  const size_t dim = (size_t)s->dim, nd = (size_t)s->nd, nt = (size_t)s->nt, nq = (size_t)s->nq;
  const size_t zones = (size_t)st->chunk, points = zones * nq;
  const struct {
    double **to;
    size_t n;
  } arrays[] = {
    {&st->d, nd * nq * dim},
    {&st->b, nt * nq},
    {&st->ones, nt},
    {&st->f, (size_t)s->nzones * nt * nd * dim},
    {&st->x, zones * nd * dim},
    {&st->v, zones * nd * dim},
    {&st->jacobian, points * dim * dim},
    {&st->slope, points * dim * dim},
    {&st->adjugate, points * dim * dim},
    {&st->l, points * dim * dim},
    {&st->eps, points * dim * dim},
    {&st->sigma, points * dim * dim},
    {&st->a, points * dim * dim},
    {&st->eigenvalues, points * dim},
    {&st->singular, points * dim},
    {&st->energy, points},
    {&st->az, points * nd * dim},
  };
  st->info = malloc(sizeof(int) * points);
  bool all = st->info;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    all = (*arrays[i].to = malloc(sizeof(double) * (arrays[i].n + 1))) && all; // a rank may have no zones
  return all;
}

static int setup(batched_ctx *ctx, fem_force *force)
{
  const fem_space *s = force->space;
  force_batched *st = force->store = calloc(1, sizeof *st);
  if (!st) return BATCHED_NO_MEMORY;
  const size_t fitting = CHUNK_BYTES / (sizeof(double) * (size_t)s->nd * (size_t)s->dim * (size_t)s->nq);
  st->chunk = fitting > 1 ? (int)fitting : 1;
  if (!allocate(st, s)) {
    teardown(ctx, force);
    return BATCHED_NO_MEMORY;
  }
  fem_dense_gradients(s, st->d);
  fem_dense_energies(s, st->b);
  for (int j = 0; j < s->nt; j++) st->ones[j] = 1.0;
  return BATCHED_SUCCESS;
}

/* The E-vector of zones [first, first + n): out [n][dim][nd]. */
static void gather(const fem_space *s, int first, int n, const double *u, double *out)
{
  for (int z = 0; z < n; z++)
    for (int c = 0; c < s->dim; c++)
      fem_gather(s, first + z, u + (int64_t)c * s->ndofs, out + ((int64_t)z * s->dim + c) * s->nd);
}

/* F_z of zones [first, first + n). */
static batched_matrix force_of(const fem_space *s, const force_batched *st, int first, int n)
{
  const int rows = s->nd * s->dim;
  return batched_strided(st->f + (int64_t)first * s->nt * rows, rows, s->nt, rows, (int64_t)s->nt * rows, n);
}

/* Kernels 5, 6 and 7: from the stress at the points to F_z. */
static int assemble(batched_ctx *ctx, const fem_space *s, force_batched *st, int first, int n)
{
  const int dim = s->dim, rows = s->nd * dim;
  const batched_scalar one = batched_real(1.0), zero = batched_real(0.0);
  const int64_t npoints = (int64_t)n * s->nq;
  int status = batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, one, fem_point_matrices(s, st->sigma, npoints),
                            fem_point_matrices(s, st->adjugate, npoints), zero, fem_point_matrices(s, st->a, npoints));
  for (int q = 0; !status && q < s->nq; q++)
    status =
      batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, one,
                   batched_strided(st->d + (size_t)q * (size_t)rows, s->nd, dim, s->nd, 0, n),
                   batched_strided(st->a + q * dim * dim, dim, dim, dim, s->nq * dim * dim, n), zero,
                   batched_strided(st->az + (size_t)q * (size_t)rows, s->nd, dim, s->nd, (int64_t)s->nq * rows, n));
  if (status) return status;
  return batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, one,
                      batched_strided(st->az, rows, s->nq, rows, (int64_t)s->nq * rows, n),
                      batched_strided(st->b, s->nt, s->nq, s->nt, 0, n), zero, force_of(s, st, first, n));
}

/* Kernel 3 for a field u [n][dim][nd]: out [n][nq][dim][dim]. */
static int gradients(batched_ctx *ctx, const fem_space *s, const force_batched *st, int n, const double *u, double *out)
{
  const int columns = s->nq * s->dim;
  return batched_gemm(ctx, BATCHED_TRANS, BATCHED_NO_TRANS, batched_real(1.0),
                      batched_strided(u, s->nd, s->dim, s->nd, s->nd * s->dim, n),
                      batched_strided(st->d, s->nd, columns, s->nd, 0, n), batched_real(0.0),
                      batched_strided(out, s->dim, columns, s->dim, (int64_t)s->dim * columns, n));
}

/* Kernels 1 to 7 for zones [first, first + n). */
static int stress_chunk(batched_ctx *ctx, fem_force *f, int first, int n, const double *x, const double *v,
                        const double *e, double *time_step)
{
  const fem_space *s = f->space;
  force_batched *st = f->store;
  gather(s, first, n, x, st->x);
  gather(s, first, n, v, st->v);
  int status = gradients(ctx, s, st, n, st->x, st->jacobian);
  if (!status) status = gradients(ctx, s, st, n, st->v, st->slope);
  if (!status)
    status = batched_gemv(ctx, BATCHED_TRANS, batched_real(1.0), batched_strided(st->b, s->nt, s->nq, s->nt, 0, n),
                          batched_strided(e + (int64_t)first * s->nt, s->nt, 1, s->nt, s->nt, n), batched_real(0.0),
                          batched_strided(st->energy, s->nq, 1, s->nq, s->nq, n));
  if (!status) status = fem_host_force_points(ctx, f, first, (int64_t)n * s->nq, time_step);
  return status ? status : assemble(ctx, s, st, first, n);
}

static int stress(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e, double *time_step)
{
  const int nzones = f->space->nzones, chunk = ((force_batched *)f->store)->chunk;
  int status = BATCHED_SUCCESS;
  for (int first = 0; !status && first < nzones; first += chunk)
    status = stress_chunk(ctx, f, first, nzones - first < chunk ? nzones - first : chunk, x, v, e, time_step);
  return status;
}

/* Kernel 8, and the sum over zones. */
static int apply(batched_ctx *ctx, fem_force *f, int begin, int end, double *out)
{
  const fem_space *s = f->space;
  force_batched *st = f->store;
  const int rows = s->nd * s->dim;
  for (int first = begin; first < end; first += st->chunk) {
    const int n = end - first < st->chunk ? end - first : st->chunk;
    int status = batched_gemv(ctx, BATCHED_NO_TRANS, batched_real(1.0), force_of(s, st, first, n),
                              batched_strided(st->ones, s->nt, 1, s->nt, 0, n), batched_real(0.0),
                              batched_strided(st->x, rows, 1, rows, rows, n));
    if (status) return status;
    for (int z = 0; z < n; z++)
      for (int c = 0; c < s->dim; c++)
        for (int i = 0; i < s->nd; i++)
          out[(int64_t)c * s->ndofs + s->dofs[(int64_t)(first + z) * s->nd + i]] +=
            fem_flush_tiny(st->x[((int64_t)z * s->dim + c) * s->nd + i]);
  }
  return BATCHED_SUCCESS;
}

/* Kernel 10 */
static int power(batched_ctx *ctx, fem_force *f, const double *v, double *out)
{
  const fem_space *s = f->space;
  force_batched *st = f->store;
  const int rows = s->nd * s->dim;
  for (int first = 0; first < s->nzones; first += st->chunk) {
    const int n = s->nzones - first < st->chunk ? s->nzones - first : st->chunk;
    gather(s, first, n, v, st->v);
    int status = batched_gemv(ctx, BATCHED_TRANS, batched_real(1.0), force_of(s, st, first, n),
                              batched_strided(st->v, rows, 1, rows, rows, n), batched_real(0.0),
                              batched_strided(out + (int64_t)first * s->nt, s->nt, 1, s->nt, s->nt, n));
    if (status) return status;
  }
  return BATCHED_SUCCESS;
}

const fem_force_functions fem_host_force_batched = {
  .setup = setup,
  .stress = stress,
  .apply = apply,
  .power = power,
  .teardown = teardown,
};
