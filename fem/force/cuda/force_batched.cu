/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.batched of corner_force: batched dense algebra, the kernels of Dong et al., "MAGMA Batched", section 7,
 * table 3.  F_z is formed and kept.  Calls of `batched` do all products, so that kernels.gemm, kernels.gemv,
 * kernels.heev and kernels.gesvd of a deck choose their rows.
 *
 *   kernel 3    J = x_z^T D, grad v = v_z^T D                gemm, one for all zones and each reference direction
 *   kernel 4    L = grad v adj(J)                            gemm, a matrix per point
 *   kernel 1    adjugates; eigenpairs of sym L; sigma_min J  custom, heev, gesvd
 *   kernel 2    equation of state, stress                    custom
 *   kernel 5    a^T = adj(J) weight sigma                    gemm, a matrix per point
 *   kernel 6    A_z column by column: D_q a_q^T              gemm, a matrix per point of the rule, all zones in it
 *   kernel 7    F_z = A_z B^T                                gemm, one for all zones
 *   kernel 8    F_z 1                                        gemv
 *   kernel 10   F_z^T v_z                                    gemv, transposed
 *
 * Kernels 1 to 5 go by chunks of zones, 6 and 7 by parts of a chunk: large enough to fill a GPU, and all the memory
 * that there is for what leads to F_z.  D and B are shared by all zones (fem/space/dense.h); matrices are column-major.
 *   takes      all shapes, E-vectors of up to 2^31 - 1 entries; double precision
 *   memory     F_z, 8 dim nd nt bytes per zone, written once, and read for each F 1 and F^T v; A_z, 8 dim nd nq,
 *              written and read in parts of 256 MB; per point 8 (7 dim^2 + 2 dim + 2) bytes between the kernels, in
 *              chunks of 512 MB
 *   accuracy   that of the rows of gemm, gemv, heev and gesvd; sums over zones in the order of the zones
 * The contract of the kernels between the products: force_batched.cuh, force_dense.cu.
 */
#include "fem/force/cuda/force_batched.cuh"

#include <new>

namespace fem_cuda
{

namespace
{

constexpr int64_t chunk_bytes = INT64_C(1) << 29, part_bytes = INT64_C(1) << 28;

struct storage {
  int chunk, part;                        // zones done together; whose A_z are there together
  double *d, *b, *ones;                   // D, B, [nt]
  double *f;                              // [nt][nzones][dim][nd]: F_z is (dim nd) x nt, its columns apart
  double *zones;                          // [nzones][dim][nd]: F_z 1, or v_z
  double *x, *v;                          // [chunk][dim][nd]: nd x dim
  double *jacobian, *slope;               // [dim][points of a chunk][dim], see force_batched.cuh
  double *adjugate, *l, *eps, *sigma, *a; // [points][dim][dim]
  double *eigenvalues, *singular;         // [points][dim]
  double *energy;                         // [points]
  double *az;                             // [nq][part][dim][nd]: A_z is (dim nd) x nq
  int *info;                              // [points]
  arrays owned;
};

/* `count` matrices m x n, `stride` apart. */
batched_matrix matrices(const double *p, int m, int n, int64_t ld, int64_t stride, int64_t count)
{
  return batched_make_strided(BATCHED_D, p, m, n, (int)ld, stride, count);
}

storage *store_of(const fem_force *force)
{
  return static_cast<storage *>(force->store);
}

void teardown(batched_ctx *ctx, fem_force *force)
{
  storage *st = store_of(force);
  release(ctx, &st->owned);
  delete st;
  force->store = nullptr;
}

int setup(batched_ctx *ctx, fem_force *force)
{
  const fem_space *s = force->space;
  const int64_t rows = (int64_t)s->dim * s->nd, dd = s->dim * s->dim, zones = s->nzones;
  if (zones * rows > INT_MAX) return BATCHED_NO_MEMORY; // more than the distance between two columns can be
  auto *st = new (std::nothrow) storage();
  if (!st) return BATCHED_NO_MEMORY;
  force->store = st;
  arrays *owned = &st->owned;
  st->chunk = zones_in(s, chunk_bytes, 2 * rows + s->nq * (7 * dd + 2 * s->dim + 2));
  st->part = zones_in(s, part_bytes, rows * s->nq);
  if (st->part > st->chunk) st->part = st->chunk;
  const int64_t points = (int64_t)st->chunk * s->nq;
  take(ctx, owned, rows * s->nq, &st->d);
  take(ctx, owned, (int64_t)s->nt * s->nq, &st->b);
  take(ctx, owned, s->nt, &st->ones);
  take(ctx, owned, zones * s->nt * rows, &st->f);
  take(ctx, owned, zones * rows, &st->zones);
  take(ctx, owned, st->chunk * rows, &st->x);
  take(ctx, owned, st->chunk * rows, &st->v);
  for (double **square : {&st->jacobian, &st->slope, &st->adjugate, &st->l, &st->eps, &st->sigma, &st->a})
    take(ctx, owned, points * dd, square);
  take(ctx, owned, points * s->dim, &st->eigenvalues);
  take(ctx, owned, points * s->dim, &st->singular);
  take(ctx, owned, points, &st->energy);
  take(ctx, owned, st->part * rows * s->nq, &st->az);
  take(ctx, owned, points, &st->info);
  int status = owned->out_of_memory ? BATCHED_NO_MEMORY : copy_tables(ctx, s, st->d, st->b);
  if (!status) status = fem_material_place_inverse(s, force->material);
  if (!status)
    status = batched_set(ctx, batched_real(1.0), batched_real(1.0), matrices(st->ones, s->nt, 1, s->nt, 0, 1));
  if (status) teardown(ctx, force);
  return status;
}

/* ------------------------------------------------------------------ kernels 1 to 5 */

/* A packed dim x dim matrix for each point of the chunk. */
batched_matrix packed(const fem_space *s, int n, const double *m)
{
  return matrices(m, s->dim, s->dim, s->dim, s->dim * s->dim, (int64_t)n * s->nq);
}

/* The same, with the columns apart: J and grad v. */
batched_matrix apart(const fem_space *s, int n, const double *m)
{
  return matrices(m, s->dim, s->dim, (int64_t)n * s->nq * s->dim, s->dim, (int64_t)n * s->nq);
}

point_arrays points_of(const fem_force *force, int first, int n)
{
  const fem_space *s = force->space;
  const fem_device_material *m = force->material->device;
  const storage *st = store_of(force);
  return {first,
          n,
          s->nq,
          st->jacobian,
          st->adjugate,
          st->l,
          st->eps,
          st->sigma,
          st->eigenvalues,
          st->singular,
          st->energy,
          m->mass,
          m->initial_inverse,
          m->gamma,
          s->device->weight,
          force->material->constants};
}

/* Kernel 3 for an E-vector u [n][dim][nd]: out [dim][n nq][dim]. */
int gradients(batched_ctx *ctx, const fem_space *s, const storage *st, int n, const double *u, double *out)
{
  const int columns = n * s->dim;
  return batched_gemm(ctx, BATCHED_TRANS, BATCHED_NO_TRANS, batched_real(1.0),
                      matrices(u, s->nd, columns, s->nd, 0, s->dim),
                      matrices(st->d, s->nd, s->nq, (int64_t)s->dim * s->nd, s->nd, s->dim), batched_real(0.0),
                      matrices(out, columns, s->nq, columns, (int64_t)columns * s->nq, s->dim));
}

/* The energies at the points: e^T B. */
int energies(batched_ctx *ctx, const fem_space *s, const storage *st, int n, const double *e)
{
  return batched_gemm(ctx, BATCHED_TRANS, BATCHED_NO_TRANS, batched_real(1.0), matrices(e, s->nt, n, s->nt, 0, 1),
                      matrices(st->b, s->nt, s->nq, s->nt, 0, 1), batched_real(0.0),
                      matrices(st->energy, n, s->nq, n, 0, 1));
}

/* A kernel of force_batched.cuh for this dimension, a thread per point. */
#define LAUNCH_POINTS(kernel, s, blocks, ...) \
  ((s)->dim == 1   ? launch(ctx, kernel<1>, blocks, point_threads, 0, __VA_ARGS__) \
   : (s)->dim == 2 ? launch(ctx, kernel<2>, blocks, point_threads, 0, __VA_ARGS__) \
                   : launch(ctx, kernel<3>, blocks, point_threads, 0, __VA_ARGS__))

/* Kernel 1, first part: adj(J), and J's singular values. */
int geometry(batched_ctx *ctx, const fem_space *s, const storage *st, const point_arrays &w)
{
  const int64_t npoints = (int64_t)w.n * s->nq;
  const batched_matrix none = matrices(nullptr, 0, 0, 1, 0, npoints);
  int status = LAUNCH_POINTS(adjugate_points, s, ceil_div(npoints, point_threads), w);
  if (status) return status;
  return batched_gesvd(ctx, BATCHED_VALUES, apart(s, w.n, st->jacobian),
                       matrices(st->singular, s->dim, 1, s->dim, s->dim, npoints), none, none, st->info);
}

/* Kernels 4 and 1: L, its symmetric part and the eigenpairs of that (eps is overwritten by the eigenvectors). */
int strain(batched_ctx *ctx, const fem_space *s, const storage *st, const point_arrays &w)
{
  const int64_t npoints = (int64_t)w.n * s->nq;
  int status = batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1.0), apart(s, w.n, st->slope),
                            packed(s, w.n, st->adjugate), batched_real(0.0), packed(s, w.n, st->l));
  if (!status) status = LAUNCH_POINTS(strain_points, s, ceil_div(npoints, point_threads), w);
  if (status) return status;
  return batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, packed(s, w.n, st->eps),
                      matrices(st->eigenvalues, s->dim, 1, s->dim, s->dim, npoints), st->info);
}

/* Kernels 2 and 5. */
int stresses(batched_ctx *ctx, const fem_space *s, const storage *st, const point_arrays &w, double *step)
{
  int status = LAUNCH_POINTS(stress_points, s, stress_blocks(w), w, step);
  if (status) return status;
  return batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1.0), packed(s, w.n, st->adjugate),
                      packed(s, w.n, st->sigma), batched_real(0.0), packed(s, w.n, st->a));
}

/* ------------------------------------------------------------------ kernels 6 and 7 */

/* Zones [from, from + n) of a chunk of `chunk` zones; f: the first one's F_z. */
int assemble(batched_ctx *ctx, const fem_space *s, const storage *st, int chunk, int from, int n, double *f)
{
  const int dim = s->dim, rows = s->nd * dim, all = n * rows;
  int status = batched_gemm(
    ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1.0), matrices(st->d, s->nd, dim, s->nd, rows, s->nq),
    matrices(st->a + (int64_t)from * dim * dim, dim, n * dim, dim, (int64_t)chunk * dim * dim, s->nq),
    batched_real(0.0), matrices(st->az, s->nd, n * dim, s->nd, all, s->nq));
  if (status) return status;
  return batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, batched_real(1.0), matrices(st->az, all, s->nq, all, 0, 1),
                      matrices(st->b, s->nt, s->nq, s->nt, 0, 1), batched_real(0.0),
                      matrices(f, all, s->nt, (int64_t)s->nzones * rows, 0, 1));
}

/* ------------------------------------------------------------------ the row */

int stress_chunk(batched_ctx *ctx, const fem_force *force, int first, int n, const double *x, const double *v,
                 const double *e, double *time_step)
{
  const fem_space *s = force->space;
  const storage *st = store_of(force);
  const point_arrays w = points_of(force, first, n);
  int status = gather_zones(ctx, s, first, n, x, st->x);
  if (!status) status = gather_zones(ctx, s, first, n, v, st->v);
  if (!status) status = gradients(ctx, s, st, n, st->x, st->jacobian);
  if (!status) status = gradients(ctx, s, st, n, st->v, st->slope);
  if (!status) status = energies(ctx, s, st, n, e + (int64_t)first * s->nt);
  if (!status) status = geometry(ctx, s, st, w);
  if (!status && force->material->constants.viscosity) status = strain(ctx, s, st, w);
  if (!status) status = stresses(ctx, s, st, w, time_step);
  for (int from = 0; !status && from < n; from += st->part)
    status = assemble(ctx, s, st, n, from, n - from < st->part ? n - from : st->part,
                      st->f + (int64_t)(first + from) * s->dim * s->nd);
  return status;
}

int stress(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e, double *time_step)
{
  const int nzones = f->space->nzones, chunk = store_of(f)->chunk;
  int status = BATCHED_SUCCESS;
  for (int first = 0; !status && first < nzones; first += chunk)
    status = stress_chunk(ctx, f, first, nzones - first < chunk ? nzones - first : chunk, x, v, e, time_step);
  return status;
}

/* F_z of zones [first, first + n), and a column of an E-vector for each. */
batched_matrix force_of(const fem_space *s, const storage *st, int first, int n)
{
  const int64_t rows = (int64_t)s->nd * s->dim;
  return matrices(st->f + first * rows, (int)rows, s->nt, s->nzones * rows, rows, n);
}

batched_matrix column_of(const fem_space *s, const storage *st, int first, int n)
{
  const int64_t rows = (int64_t)s->nd * s->dim;
  return matrices(st->zones + first * rows, (int)rows, 1, rows, rows, n);
}

/* Kernel 8, and the sum over zones. */
int apply(batched_ctx *ctx, fem_force *force, int first, int last, double *out)
{
  const fem_space *s = force->space;
  const storage *st = store_of(force);
  const int n = last - first;
  const int status =
    batched_gemv(ctx, BATCHED_NO_TRANS, batched_real(1.0), force_of(s, st, first, n),
                 matrices(st->ones, s->nt, 1, s->nt, 0, n), batched_real(0.0), column_of(s, st, first, n));
  return status ? status : add_zones(ctx, s, first, last, st->zones, out);
}

/* Kernel 10 */
int power(batched_ctx *ctx, fem_force *force, const double *v, double *out)
{
  const fem_space *s = force->space;
  const storage *st = store_of(force);
  const int n = s->nzones;
  if (n == 0) return BATCHED_SUCCESS;
  const int status = gather_zones(ctx, s, 0, n, v, st->zones);
  if (status) return status;
  return batched_gemv(ctx, BATCHED_TRANS, batched_real(1.0), force_of(s, st, 0, n), column_of(s, st, 0, n),
                      batched_real(0.0), matrices(out, s->nt, 1, s->nt, s->nt, n));
}

} // namespace

const fem_force_functions force_batched = {setup, stress, apply, power, teardown, nullptr};

} // namespace fem_cuda
