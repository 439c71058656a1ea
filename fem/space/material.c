/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/space/points.h"
#include "fem/space/share.h"

/* Errors in a material, ordered so that all chunks and ranks agree on one: the largest is reported. */
enum { GOOD, BAD_GAMMA, BAD_DENSITY, BAD_VOLUME, NO_MEMORY };
static const char *const complaints[] = {
  [GOOD] = NULL,
  [BAD_VOLUME] = "a zone of the mesh has no positive volume",
  [BAD_DENSITY] = "the density is not positive everywhere",
  [BAD_GAMMA] = "gamma is not greater than 1 everywhere",
  [NO_MEMORY] = "out of memory",
};

/* The largest distance of a zone's entries of J0^-1 from those at its first point, over the largest of these; and of
 * its density from the mean, over it.  With 256 zones of order 4 a side the rounding of coordinates makes it 7e-12. */
static const double SAME = 2e-11;

static bool positive(double a)
{
  return isfinite(a) && a > 0.0;
}

/* The fields of a block of zones at its points. */
typedef struct block_fields {
  fem_points at;
  real *jacobian, *position, *rho; // [nq][dim][dim], [nq][dim], [nq]: the density's interpolation
} block_fields;

/* J^-1 and the determinant of J. */
static inline __attribute__((always_inline)) real invert_jacobian(int dim, const real *j, real *inverse)
{
  if (dim == 1) {
    inverse[0] = 1.0 / j[0];
    return j[0];
  }
  const real det = fem_points_determinant(dim, j), over = 1.0 / det;
  if (dim == 2) {
    inverse[0] = j[3] * over, inverse[1] = -j[1] * over;
    inverse[2] = -j[2] * over, inverse[3] = j[0] * over;
    return det;
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) { // cofactor (c, r)
      const int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
      inverse[r * 3 + c] = (j[r1 * 3 + c1] * j[r2 * 3 + c2] - j[r1 * 3 + c2] * j[r2 * 3 + c1]) * over;
    }
  return det;
}

/* J0^-1 of a block at its first point, and how far it is from that at the others, in each lane. */
typedef struct block_shape {
  real first[9], miss[9];
} block_shape;

static inline __attribute__((always_inline)) void compare_shape(block_shape *b, int dim, int q, const real *inverse)
{
  for (int i = 0; i < dim * dim; i++) {
    if (q == 0) b->first[i] = inverse[i], b->miss[i] = real_of(0.0);
    const real apart = real_abs(inverse[i] - b->first[i]);
    b->miss[i] = real_select(apart > b->miss[i], apart, b->miss[i]);
  }
}

static inline __attribute__((always_inline)) void put_inverse(const fem_space *s, int dim, const real *inverse,
                                                              int lane, double *to)
{
  const bool hexes = dim == 3 && s->shape == MESH_TENSOR;
  for (int i = 0; i < dim; i++)
    for (int k = 0; k < dim; k++) to[i * dim + k] = inverse[hexes ? k * dim + i : i * dim + k][lane];
}

/* Of a block whose zones are all parallelepipeds, to memory; false: they aren't. */
static bool put_shape(fem_material *m, const fem_space *s, const fem_points *at, const block_shape *b)
{
  const int dd = s->dim * s->dim;
  for (int lane = 0; lane < at->zones; lane++) {
    double size = 0.0;
    for (int i = 0; i < dd; i++) size = fmax(size, fabs(b->first[i][lane]));
    for (int i = 0; i < dd; i++)
      if (!(b->miss[i][lane] <= SAME * size)) return false;
    put_inverse(s, s->dim, b->first, lane, m->initial_inverse + (int64_t)fem_points_zone(at, lane) * dd);
  }
  return true;
}

/* Both masses at the points of a block, zone by zone to memory, and J0^-1, of hexes J0^-T: at all points, or, where the
 * zones may be parallelepipeds, of what follows from it.  Inlined with dim known. */
static inline __attribute__((always_inline)) int fill_block(fem_material *m, const fem_space *s, int dim,
                                                            const block_fields *b, fem_function density,
                                                            const void *user, double *all_volume, block_shape *shape)
{
  int status = GOOD;
  for (int q = 0; q < s->nq; q++) {
    real inverse[9];
    const real volume = s->weight[q] * invert_jacobian(dim, b->jacobian + q * dim * dim, inverse);
    const real mass = b->rho[q] * volume;
    if (m->affine) compare_shape(shape, dim, q, inverse);
    for (int lane = 0; lane < b->at.zones; lane++) {
      const int64_t point = (int64_t)fem_points_zone(&b->at, lane) * s->nq + q;
      double position[3], at_point = 1.0;
      for (int c = 0; c < dim && density; c++) position[c] = b->position[q * dim + c][lane];
      if (density) at_point = density(user, position);
      if (!m->affine) put_inverse(s, dim, inverse, lane, m->initial_inverse + point * dim * dim);
      m->mass[point] = mass[lane];
      m->density[point] = at_point * volume[lane];
      *all_volume += volume[lane];
      if (!positive(volume[lane])) status = BAD_VOLUME;
      if (status == GOOD && !positive(at_point)) status = BAD_DENSITY;
    }
  }
  return status;
}

/* Input of the chunks of a material. */
typedef struct filling {
  fem_material *m;
  const fem_space *s;
  fem_rule own, centre;        /* owned: the points; the middle of a zone */
  const double *x, *rho;       /* rho: Bernstein coefficients of the density */
  fem_function density, gamma; /* density NULL: 1 */
  const void *user;
  double *volumes; /* [chunks] */
  bool *curved;    /* [chunks]: has a zone that is no parallelepiped */
} filling;

/* J0^-1, the volumes and both masses at the points. */
static int fill_points(const filling *f, int chunk, int first, int end)
{
  const fem_space *s = f->s;
  const int dim = s->dim, nq = s->nq;
  block_fields b = {.jacobian = fem_points_allocate(nq * dim * dim),
                    .position = fem_points_allocate(nq * dim),
                    .rho = fem_points_allocate(nq)};
  const bool made = !fem_points_create(&b.at, &f->own, s);
  int status = made && b.jacobian && b.position && b.rho ? GOOD : NO_MEMORY;
  double volume = 0.0;
  block_shape shape;
  fem_points_within(&b.at, first, end);
  while (status != NO_MEMORY && fem_points_next(&b.at)) {
    fem_points_kinematic(&b.at, dim, f->x, f->density ? b.position : NULL, b.jacobian);
    fem_points_thermodynamic(&b.at, f->rho, b.rho);
    const int bad = dim == 1   ? fill_block(f->m, s, 1, &b, f->density, f->user, &volume, &shape)
                    : dim == 2 ? fill_block(f->m, s, 2, &b, f->density, f->user, &volume, &shape)
                               : fill_block(f->m, s, 3, &b, f->density, f->user, &volume, &shape);
    if (status == GOOD || bad == BAD_VOLUME) status = bad;
    if (f->m->affine && !put_shape(f->m, s, &b.at, &shape)) f->curved[chunk] = true;
  }
  f->volumes[chunk] = volume;
  fem_points_destroy(&b.at);
  free(b.jacobian);
  free(b.position);
  free(b.rho);
  return status;
}

/* gamma at the centres of the zones */
static int fill_gamma(const filling *f, int first, int end)
{
  fem_points at;
  real position[3];
  int status = fem_points_create(&at, &f->centre, f->s) ? NO_MEMORY : GOOD;
  fem_points_within(&at, first, end);
  while (status != NO_MEMORY && fem_points_next(&at)) {
    fem_points_kinematic(&at, f->s->dim, f->x, position, NULL);
    for (int l = 0; l < at.zones; l++) {
      double x[3] = {0.0, 0.0, 0.0}, *gamma = f->m->gamma + fem_points_zone(&at, l);
      for (int c = 0; c < f->s->dim; c++) x[c] = position[c][l];
      *gamma = f->gamma(f->user, x);
      if (!(isfinite(*gamma) && *gamma > 1.0)) status = BAD_GAMMA;
    }
  }
  fem_points_destroy(&at);
  return status;
}

static int fill_chunk(void *data, int chunk, int first, int end)
{
  const int status = fill_points(data, chunk, first, end);
  return status == GOOD ? fill_gamma(data, first, end) : status;
}

static bool is_any(const bool *flags, int n)
{
  for (int i = 0; i < n; i++)
    if (flags[i]) return true;
  return false;
}

/* J0^-1 of so many points of each zone. */
static double *allocate_inverse(const fem_space *s, int points)
{
  return comm_allocate_large(sizeof(double) * ((size_t)s->nzones + 1) * (size_t)(points * s->dim * s->dim));
}

/* As if all zones were parallelepipeds; once more, if some are not. */
static int fill(filling *f)
{
  const int chunks = fem_chunks(f->s);
  f->volumes = malloc(sizeof(double) * ((size_t)chunks + 1));
  f->curved = calloc((size_t)chunks + 1, sizeof *f->curved);
  int status =
    !f->volumes || !f->curved || fem_rule_create_own(&f->own, f->s) || fem_rule_create_middle(&f->centre, f->s);
  status = status ? NO_MEMORY : fem_for_chunks(f->s, fill_chunk, f);
  if (!status && is_any(f->curved, chunks)) {
    free(f->m->initial_inverse);
    f->m->affine = false;
    f->m->initial_inverse = allocate_inverse(f->s, f->s->nq);
    status = f->m->initial_inverse ? fem_for_chunks(f->s, fill_chunk, f) : NO_MEMORY;
  }
  for (int i = 0; !status && i < chunks; i++) f->m->volume += f->volumes[i];
  fem_rule_destroy(&f->own);
  fem_rule_destroy(&f->centre);
  free(f->volumes);
  free(f->curved);
  return status;
}

int fem_material_create(fem_material **material, const fem_space *s, const double *x, fem_function density,
                        fem_function gamma, const void *user, const char **bad)
{
  *bad = NULL;
  fem_material *m = *material = calloc(1, sizeof *m);
  size_t zones = (size_t)s->nzones + 1, points = zones * (size_t)s->nq;
  double *rho = malloc(sizeof(double) * zones * (size_t)s->nt);
  if (m) {
    m->mass = comm_allocate_large(sizeof(double) * points);
    m->density = comm_allocate_large(sizeof(double) * points);
    m->initial_inverse = allocate_inverse(s, 1);
    m->affine = true;
    m->gamma = malloc(sizeof(double) * zones);
  }
  int64_t status = m && rho && m->mass && m->density && m->initial_inverse && m->gamma ? GOOD : NO_MEMORY;
  if (!status && fem_project_scalar(s, x, density, user, rho)) status = NO_MEMORY;
  if (!status)
    status = fill(&(filling){.m = m, .s = s, .x = x, .rho = rho, .density = density, .gamma = gamma, .user = user});
  free(rho);
  comm_max_int64(&status, 1);
  if (status) {
    fem_material_destroy(material);
    *bad = complaints[status];
    return status == NO_MEMORY ? STATUS_MACHINE : STATUS_INPUT;
  }
  comm_sum(&m->volume, 1);
  const double reference = s->shape == MESH_TENSOR ? 1.0 : s->dim == 2 ? 0.5 : 1.0 / 6; // volume of a zone
  m->constants.h0 = pow(m->volume / reference / (double)s->nzones_global, 1.0 / s->dim) / s->k;
  m->constants.order = s->k;
  return 0;
}

typedef struct shapes {
  const fem_space *s;
  const fem_material *m;
} shapes;

static int find_uneven(void *data, int chunk, int first, int end)
{
  const shapes *f = data;
  const int nq = f->s->nq;
  (void)chunk;
  for (int64_t z = first; z < end; z++) {
    const double *density = f->m->density + z * nq;
    double mass = 0.0, weight = 0.0;
    for (int q = 0; q < nq; q++) mass += density[q], weight += f->s->weight[q];
    const double one = mass / weight;
    bool even = true;
    for (int q = 0; q < nq; q++) {
      const double expected = one * f->s->weight[q];
      even = even && fabs(density[q] - expected) <= SAME * expected;
    }
    if (!even) return 1;
  }
  return 0;
}

bool fem_material_is_even(const fem_space *s, const fem_material *m)
{
  shapes all = {s, m};
  return fem_for_chunks(s, find_uneven, &all) == 0;
}

int fem_first_inverted(const fem_space *s, const double *x, double *position, double *determinant)
{
  fem_rule r;
  const int dim = s->dim, square = dim * dim;
  double *jacobian = malloc(sizeof *jacobian * (size_t)(s->nq * square));
  double *at = malloc(sizeof *at * (size_t)(s->nq * dim));
  int found = -1;
  const bool ready = jacobian && at && !fem_rule_create_own(&r, s);
  for (int z = 0; ready && z < s->nzones && found < 0; z++) {
    fem_rule_gradients(&r, s, z, dim, x, jacobian);
    for (int q = 0; q < s->nq && found < 0; q++) {
      *determinant = fem_determinant(dim, jacobian + q * square);
      if (positive(*determinant)) continue;
      found = z;
      fem_rule_values(&r, s, z, dim, x, at);
      memcpy(position, at + q * dim, sizeof *at * (size_t)dim);
    }
  }
  if (ready) fem_rule_destroy(&r);
  free(jacobian);
  free(at);
  return found;
}

void fem_material_destroy(fem_material **material)
{
  fem_material *m = *material;
  if (!m) return;
  free(m->mass);
  free(m->density);
  free(m->initial_inverse);
  free(m->gamma);
  fem_material_unplace(m);
  free(m);
  *material = NULL;
}
