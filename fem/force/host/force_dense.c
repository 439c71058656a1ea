/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The corner force by dense tables of the reference zone, which all zones share: F is never formed, the stress is kept
 * at the points.  A chunk of zones is three kinds of products (batched_gemm, column-major, a matrix for all zones):
 *
 *   gradients   G = D^T X      (nq dim) x nd times nd x (dim zones)     D: derivatives of the nodes' functions
 *   energies    E = B^T e      nq x nt times nt x zones                 B: thermodynamic basis
 *   force       F 1 = D A      nd x (nq dim) times (nq dim) x (dim zones)
 *   power       F^T v = B W    nt x nq times nq x zones                 W = sum over c, g of A G
 *
 * with the physics of points between, LANES of them side by side.  What a triangle or tetrahedron has instead of sum
 * factorisation; other zones fit, too.
 */
#include <stdlib.h>

#include "fem/force/host/force.h"
#include "fem/host/lanes.h"
#include "fem/point/point.h"
#include "fem/space/dense.h"

enum { CHUNK_BYTES = 1 << 19 }; // of the gradients of a chunk, two of which are in use at once

typedef struct store { // all owned; [..][c][q][g]: entry (q, g) of component c's gradient
  int chunk;           // zones done together
  double *d;           // [nq][dim][nd]
  double *b;           // [nq][nt]
  double *a;           // [nzones][dim][nq][dim]: stress, see point_stress
  double *u;           // [chunk][dim][nd]: nodes of a field, or forces
  double *x, *v;       // [chunk][dim][nq][dim]: gradients
  double *e;           // [chunk][nq]: energies, or powers
} store;

static void teardown(batched_ctx *ctx, fem_force *f)
{
  (void)ctx;
  store *st = f->store;
  double *all[] = {st->d, st->b, st->a, st->u, st->x, st->v, st->e};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(st);
  f->store = NULL;
}

static double *allocate(size_t n)
{
  return malloc(sizeof(double) * (n + 1));
}

static int setup(batched_ctx *ctx, fem_force *f)
{
  const fem_space *s = f->space;
  const size_t dim = (size_t)s->dim, nd = (size_t)s->nd, nq = (size_t)s->nq, nt = (size_t)s->nt;
  const size_t fitting = CHUNK_BYTES / (sizeof(double) * dim * dim * nq);
  store *st = f->store = calloc(1, sizeof *st);
  if (!st) return BATCHED_NO_MEMORY;
  st->chunk = fitting > 1 ? (int)fitting : 1;
  const size_t chunk = (size_t)st->chunk;
  st->d = allocate(nq * dim * nd);
  st->b = allocate(nq * nt);
  st->a = allocate((size_t)s->nzones * dim * nq * dim);
  st->u = allocate(chunk * dim * nd);
  st->x = allocate(chunk * dim * nq * dim);
  st->v = allocate(chunk * dim * nq * dim);
  st->e = allocate(chunk * nq);
  if (!st->d || !st->b || !st->a || !st->u || !st->x || !st->v || !st->e) {
    teardown(ctx, f);
    return BATCHED_NO_MEMORY;
  }
  fem_dense_gradients(s, st->d);
  fem_dense_energies(s, st->b);
  return BATCHED_SUCCESS;
}

static batched_matrix whole(const double *data, int rows, int columns)
{
  return batched_strided((double *)data, rows, columns, rows, 0, 1);
}

static int multiply(batched_ctx *ctx, batched_trans transpose, batched_matrix a, batched_matrix b, batched_matrix c)
{
  return batched_gemm(ctx, transpose, BATCHED_NO_TRANS, batched_real(1.0), a, b, batched_real(0.0), c);
}

static batched_matrix derivatives(const fem_space *s, const store *st)
{
  return whole(st->d, s->nd, s->nq * s->dim);
}

/* The gradients of field u in zones [first, first + n). */
static int gradients(batched_ctx *ctx, const fem_space *s, const store *st, int first, int n, const double *u,
                     double *out)
{
  for (int z = 0; z < n; z++)
    for (int c = 0; c < s->dim; c++)
      fem_gather(s, first + z, u + (int64_t)c * s->ndofs, st->u + ((int64_t)z * s->dim + c) * s->nd);
  return multiply(ctx, BATCHED_TRANS, derivatives(s, st), whole(st->u, s->nd, n * s->dim),
                  whole(out, s->nq * s->dim, n * s->dim));
}

/* ------------------------------------------------------------------ stress */

/* Entry i of LANES points from `at` on; lanes without a point repeat the last. */
POINT_FN real load(const double *from, int stride, int there)
{
  double value[LANES];
  real out;
  for (int l = 0; l < LANES; l++) value[l] = from[(int64_t)(l < there ? l : there - 1) * stride];
  __builtin_memcpy(&out, value, sizeof out);
  return out;
}

POINT_FN void put(real value, double *to, int stride, int there)
{
  for (int l = 0; l < there; l++) to[(int64_t)l * stride] = value[l];
}

/* The points of zone `first + z`; returns the smallest step of these and before. */
POINT_FN real stress_zone(const fem_force *f, const store *st, int first, int z, int dim, real smallest)
{
  const fem_space *s = f->space;
  const fem_material *m = f->material;
  const point_constants k = m->constants;
  const int nq = s->nq;
  const int64_t zone = (int64_t)first + z;
  for (int q = 0; q < nq; q += LANES) {
    const int there = nq - q < LANES ? nq - q : LANES;
    const int64_t at = zone * nq + q;
    point_input in = {.mass = load(m->mass + at, 1, there),
                      .weight = load(s->weight + q, 1, there),
                      .energy = load(st->e + (int64_t)z * nq + q, 1, there),
                      .gamma = real_of(m->gamma[zone])};
    real a[9];
    for (int c = 0; c < dim; c++)
      for (int g = 0; g < dim; g++) {
        const int64_t entry = (((int64_t)z * dim + c) * nq + q) * dim + g;
        in.jacobian[c * dim + g] = load(st->x + entry, dim, there);
        in.gradient[c * dim + g] = load(st->v + entry, dim, there);
        in.initial_inverse[c * dim + g] =
          load(fem_initial_inverse(s, m, zone, q) + c * dim + g, m->affine ? 0 : dim * dim, there);
      }
    smallest = real_min(smallest, point_stress(dim, &k, &in, smallest, a));
    for (int c = 0; c < dim; c++)
      for (int g = 0; g < dim; g++) put(a[c * dim + g], st->a + ((zone * dim + c) * nq + q) * dim + g, dim, there);
  }
  return smallest;
}

static double stress_points(const fem_force *f, const store *st, int first, int n, double step)
{
  const int dim = f->space->dim;
  real smallest = real_of(step);
  for (int z = 0; z < n; z++)
    smallest = dim == 1   ? stress_zone(f, st, first, z, 1, smallest)
               : dim == 2 ? stress_zone(f, st, first, z, 2, smallest)
                          : stress_zone(f, st, first, z, 3, smallest);
  for (int l = 0; l < LANES; l++) step = smallest[l] < step ? smallest[l] : step;
  return step;
}

static int stress(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e, double *time_step)
{
  const fem_space *s = f->space;
  store *st = f->store;
  int status = BATCHED_SUCCESS;
  for (int first = 0; !status && first < s->nzones; first += st->chunk) {
    const int n = s->nzones - first < st->chunk ? s->nzones - first : st->chunk;
    status = gradients(ctx, s, st, first, n, x, st->x);
    if (!status) status = gradients(ctx, s, st, first, n, v, st->v);
    if (!status)
      status = multiply(ctx, BATCHED_TRANS, whole(st->b, s->nt, s->nq), whole(e + (int64_t)first * s->nt, s->nt, n),
                        whole(st->e, s->nq, n));
    if (!status) *time_step = stress_points(f, st, first, n, *time_step);
  }
  return status;
}

/* ------------------------------------------------------------------ F 1 and F^T v */

static const double *stress_of(const fem_space *s, const store *st, int zone)
{
  return st->a + (int64_t)zone * s->dim * s->nq * s->dim;
}

static int apply(batched_ctx *ctx, fem_force *f, int begin, int end, double *out)
{
  const fem_space *s = f->space;
  store *st = f->store;
  for (int first = begin; first < end; first += st->chunk) {
    const int n = end - first < st->chunk ? end - first : st->chunk;
    int status = multiply(ctx, BATCHED_NO_TRANS, derivatives(s, st),
                          whole(stress_of(s, st, first), s->nq * s->dim, n * s->dim), whole(st->u, s->nd, n * s->dim));
    if (status) return status;
    for (int z = 0; z < n; z++)
      for (int c = 0; c < s->dim; c++)
        for (int i = 0; i < s->nd; i++)
          out[(int64_t)c * s->ndofs + s->dofs[(int64_t)(first + z) * s->nd + i]] +=
            fem_flush_tiny(st->u[((int64_t)z * s->dim + c) * s->nd + i]);
  }
  return BATCHED_SUCCESS;
}

/* w [n][nq] = sum over c, g of the stress and the gradient of the velocity */
static void contract(const fem_space *s, const store *st, int first, int n)
{
  const int dim = s->dim;
  for (int z = 0; z < n; z++) {
    const double *a = stress_of(s, st, first + z), *v = st->v + (int64_t)z * dim * s->nq * dim;
    for (int q = 0; q < s->nq; q++) {
      double sum = 0.0;
      for (int c = 0; c < dim; c++)
        for (int g = 0; g < dim; g++) sum += a[(c * s->nq + q) * dim + g] * v[(c * s->nq + q) * dim + g];
      st->e[(int64_t)z * s->nq + q] = sum;
    }
  }
}

static int power(batched_ctx *ctx, fem_force *f, const double *v, double *out)
{
  const fem_space *s = f->space;
  store *st = f->store;
  int status = BATCHED_SUCCESS;
  for (int first = 0; !status && first < s->nzones; first += st->chunk) {
    const int n = s->nzones - first < st->chunk ? s->nzones - first : st->chunk;
    status = gradients(ctx, s, st, first, n, v, st->v);
    if (status) break;
    contract(s, st, first, n);
    status = multiply(ctx, BATCHED_NO_TRANS, whole(st->b, s->nt, s->nq), whole(st->e, s->nq, n),
                      whole(out + (int64_t)first * s->nt, s->nt, n));
  }
  return status;
}

static void constants(const fem_force *f, fem_constant_visit *visit, void *user)
{
  const fem_space *s = f->space;
  const store *st = f->store;
  const size_t points = sizeof(double) * (size_t)s->nq;
  visit(user, "the tables of the velocity's basis", st->d, points * (size_t)(s->dim * s->nd));
  visit(user, "the tables of the energy's basis", st->b, points * (size_t)s->nt);
}

const fem_force_functions fem_host_force_dense = {
  .setup = setup,
  .stress = stress,
  .apply = apply,
  .power = power,
  .teardown = teardown,
  .constants = constants,
};
