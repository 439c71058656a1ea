/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions to coefficients.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/space/assemble.h"
#include "fem/space/points.h"
#include "fem/space/share.h"

/* Replaces the values [n]^factors at points by the coefficients: applies the n x n matrix along every factor. */
static void apply_tensor(int factors, int n, const double *a, double *u)
{
  double line[FEM_MAX_FUNCTIONS];
  int total = 1, stride = 1;
  for (int d = 0; d < factors; d++) total *= n;
  for (int d = 0; d < factors; d++, stride *= n)
    for (int start = 0; start < total; start++) {
      if (start / stride % n != 0) continue;
      for (int i = 0; i < n; i++) line[i] = u[start + i * stride];
      for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += a[i * n + j] * line[j];
        u[start + i * stride] = sum;
      }
    }
}

/* A function and where it is taken. */
typedef struct scalar_projection {
  const fem_space *s;
  const fem_rule *points;
  const double *x, *inverse; /* of the Vandermonde matrix [t1][t1] */
  fem_function f;
  const void *user;
  double *e;
} scalar_projection;

static int project_scalar_chunk(void *data, int chunk, int first, int end)
{
  const scalar_projection *p = data;
  const fem_space *s = p->s;
  fem_rule points;
  double *position = malloc(sizeof(double) * (size_t)(s->nt * s->dim));
  const int status = fem_rule_borrow(&points, p->points) || !position ? STATUS_MACHINE : STATUS_OK;
  (void)chunk;
  for (int z = first; !status && z < end; z++) {
    double *ez = p->e + (int64_t)z * s->nt;
    fem_rule_values(&points, s, z, s->dim, p->x, position);
    for (int i = 0; i < s->nt; i++) ez[i] = p->f(p->user, position + i * s->dim);
    apply_tensor(s->factors, s->t1, p->inverse, ez);
  }
  fem_rule_give_back(&points);
  free(position);
  return status;
}

int fem_project_scalar(const fem_space *s, const double *x, fem_function f, const void *user, double *e)
{
  double line[FEM_MAX_ORDER + 1], weights[FEM_MAX_ORDER + 1];
  fem_rule r = {0};
  fem_gauss(s->t + 1, line, weights);
  double *points = fem_space_lattice(s, s->t, line);
  int status = points ? fem_rule_create(&r, s, s->t1, points, NULL) : STATUS_MACHINE;
  free(points);
  if (!status) {
    fem_invert(s->t1, r.bt);
    scalar_projection p = {s, &r, x, r.bt, f, user, e};
    status = fem_for_chunks(s, project_scalar_chunk, &p);
  }
  fem_rule_destroy(&r);
  return status;
}

/* The same for a vector at the nodes. */
typedef struct vector_projection {
  const fem_space *s;
  const fem_rule *nodes;
  const double *x;
  fem_vector_function f;
  const void *user;
  const int *last; /* fem_last_touches; NULL: zones come one after the other */
  double *u;
} vector_projection;

static int project_vector_chunk(void *data, int chunk, int first, int end)
{
  const vector_projection *p = data;
  const fem_space *s = p->s;
  fem_rule nodes;
  double *position = malloc(sizeof(double) * (size_t)(s->nd * s->dim));
  const int status = fem_rule_borrow(&nodes, p->nodes) || !position ? STATUS_MACHINE : STATUS_OK;
  (void)chunk;
  for (int64_t z = first; !status && z < end; z++) {
    fem_rule_values(&nodes, s, (int)z, s->dim, p->x, position);
    for (int i = 0; i < s->nd; i++) {
      const int dof = s->dofs[z * s->nd + i];
      if (p->last && p->last[dof] != z * s->nd + i) continue;
      double at[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0};
      memcpy(at, position + i * s->dim, sizeof(double) * (size_t)s->dim);
      p->f(p->user, at, v);
      for (int c = 0; c < s->dim; c++) p->u[(int64_t)c * s->ndofs + dof] = v[c];
    }
  }
  fem_rule_give_back(&nodes);
  free(position);
  return status;
}

int fem_project_vector(const fem_space *s, const mesh *m, const double *x, fem_vector_function f, const void *user,
                       double *u)
{
  fem_rule nodes;
  int *last = fem_last_touches(s, m, s->halo), status = fem_rule_create(&nodes, s, s->d1, s->nodes, NULL);
  if (!status) {
    vector_projection p = {s, &nodes, x, f, user, last, u};
    status = last ? fem_for_chunks(s, project_vector_chunk, &p) : project_vector_chunk(&p, 0, 0, s->nzones);
  }
  fem_rule_destroy(&nodes);
  fem_take_last(s, last, s->halo, s->dim, u);
  free(last);
  return status;
}

static int corner_dof(const fem_space *s, int zone, int corner)
{
  return s->dofs[(int64_t)zone * s->nd + fem_corner_node(s, s->k, corner)];
}

/* Distance of a zone's corner from the origin. */
static double corner_distance(const fem_space *s, const double *x, int zone, int corner)
{
  const int dof = corner_dof(s, zone, corner);
  double sum = 0.0;
  for (int c = 0; c < s->dim; c++) {
    double a = x[(int64_t)c * s->ndofs + dof];
    sum += a * a;
  }
  return sqrt(sum);
}

/* The smallest distance of a corner in each chunk of zones. */
typedef struct corner_search {
  const fem_space *s;
  const double *x;
  double *nearest; /* [chunks] */
} corner_search;

static int find_nearest(void *data, int chunk, int first, int end)
{
  const corner_search *c = data;
  const int ncorners = mesh_shape_corners(c->s->shape, c->s->dim);
  double nearest = INFINITY;
  for (int z = first; z < end; z++)
    for (int corner = 0; corner < ncorners; corner++) nearest = fmin(nearest, corner_distance(c->s, c->x, z, corner));
  c->nearest[chunk] = nearest;
  return 0;
}

/* What a delta is made with. */
typedef struct delta {
  const fem_space *s;
  const double *x;
  fem_rule rule;
  double *jacobian, *value; /* owned: in the points of a zone */
  double *nearest;          /* owned, [chunks]: corner_search */
  double same_point;        /* no vertex with the delta is farther from the origin, but images */
  double *marks;            /* owned, [ndofs]: positive at the vertices that have the delta, images beyond seams, too */
} delta;

static int delta_create(delta *d)
{
  const fem_space *s = d->s;
  d->jacobian = malloc(sizeof(double) * (size_t)(s->nq * s->dim * s->dim));
  d->value = malloc(sizeof(double) * (size_t)s->nq);
  d->nearest = malloc(sizeof(double) * ((size_t)fem_chunks(s) + 1));
  d->marks = calloc((size_t)s->ndofs + 1, sizeof(double));
  const int status = fem_rule_create_own(&d->rule, s);
  return comm_worst(status || !d->jacobian || !d->value || !d->nearest || !d->marks ? STATUS_MACHINE : STATUS_OK);
}

static void delta_destroy(delta *d)
{
  fem_rule_destroy(&d->rule);
  free(d->jacobian);
  free(d->value);
  free(d->nearest);
  free(d->marks);
}

/* Marks the vertices nearest to the origin, and returns their distance: 0 up to rounding. */
static double mark_nearest(delta *d)
{
  const fem_space *s = d->s;
  const int ncorners = mesh_shape_corners(s->shape, s->dim);
  corner_search corners = {s, d->x, d->nearest};
  double nearest = INFINITY, extent = 0.0;
  fem_for_chunks(s, find_nearest, &corners);
  for (int i = 0; i < fem_chunks(s); i++) nearest = fmin(nearest, d->nearest[i]);
  comm_min(&nearest, 1);
  for (int64_t i = 0; i < (int64_t)s->dim * s->ndofs; i++) extent = fmax(extent, fabs(d->x[i]));
  comm_max(&extent, 1);
  const double rounding = 1e-12 * extent;
  d->same_point = nearest + rounding;
  for (int z = 0; z < s->nzones; z++) {
    if (d->nearest[z / FEM_CHUNK] > d->same_point) continue;
    for (int corner = 0; corner < ncorners; corner++)
      if (corner_distance(s, d->x, z, corner) <= d->same_point) d->marks[corner_dof(s, z, corner)] = 1.0;
  }
  if (s->places) {
    halo_sum_begin(NULL, s->halo, 1, d->marks);
    halo_sum_end(NULL, s->halo, 1, d->marks);
  }
  return nearest <= rounding ? 0.0 : nearest;
}

/* One in the marked corners of the zones, and the integral of that. */
static double raise_corners(delta *d, double *e)
{
  const fem_space *s = d->s;
  const int ncorners = mesh_shape_corners(s->shape, s->dim);
  double integral = 0.0;
  for (int z = 0; z < s->nzones; z++) {
    if (!s->places && d->nearest[z / FEM_CHUNK] > d->same_point) continue;
    for (int corner = 0; corner < ncorners; corner++) {
      if (d->marks[corner_dof(s, z, corner)] == 0.0) continue;
      double *ez = e + (int64_t)z * s->nt;
      ez[fem_corner_node(s, s->t, corner)] = 1.0;
      fem_rule_gradients(&d->rule, s, z, s->dim, d->x, d->jacobian);
      fem_rule_energies(&d->rule, s, ez, d->value);
      for (int q = 0; q < d->rule.n; q++)
        integral +=
          fem_rule_weight(&d->rule, q) * fem_determinant(s->dim, d->jacobian + q * s->dim * s->dim) * d->value[q];
    }
  }
  comm_sum(&integral, 1);
  return integral;
}

/* Axes along which the marked vertices do not move. */
static int count_walls(const delta *d)
{
  const fem_space *s = d->s;
  double held[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < s->ndofs; i++)
    for (int c = 0; c < s->dim && d->marks[i] > 0.0; c++)
      if (s->essential[i] >> c & 1) held[c] = 1.0;
  comm_max(held, 3);
  return (int)(held[0] + held[1] + held[2]);
}

int fem_project_delta(const fem_space *s, const double *x, double energy, double *e, double *distance)
{
  delta d = {.s = s, .x = x};
  const int status = delta_create(&d);
  if (!status) {
    memset(e, 0, sizeof(double) * (size_t)s->nzones * (size_t)s->nt);
    *distance = mark_nearest(&d);
    const double inside = ldexp(energy, -count_walls(&d)), integral = raise_corners(&d, e);
    for (int64_t i = 0; i < (int64_t)s->nzones * s->nt; i++) e[i] *= inside / integral;
  }
  delta_destroy(&d);
  return status;
}

/* ------------------------------------------------------------------ density, a block of zones at a time */

typedef struct block_projection {
  fem_rule rule;
  fem_points at;
  fem_assembly assembly;
  double *basis;                                    /* [nq][nt] */
  real *jacobian, *volume, *matrix, *rho, *pair[2]; /* [nq][dim][dim], [nq], [nt][nt], [nt], and for the assembly */
} block_projection;

static int block_projection_create(block_projection *p, const fem_space *s)
{
  *p = (block_projection){.basis = fem_assemble_basis(s, s->t1, s->bt)};
  int status = fem_rule_create_own(&p->rule, s);
  if (!status) status = fem_points_create(&p->at, &p->rule, s);
  if (!status) status = fem_assembly_create(&p->assembly, s, s->t1, s->bt);
  p->jacobian = fem_points_allocate(s->nq * s->dim * s->dim);
  p->volume = fem_points_allocate(s->nq);
  p->matrix = fem_points_allocate(s->nt * s->nt);
  p->rho = fem_points_allocate(s->nt);
  const int most = p->assembly.npairs > s->q1 ? p->assembly.npairs : s->q1;
  for (int i = 0; i < 2; i++) p->pair[i] = fem_points_allocate(fem_power(most, s->factors));
  const bool made = p->basis && p->jacobian && p->volume && p->matrix && p->rho && p->pair[0] && p->pair[1];
  return !status && made ? STATUS_OK : STATUS_MACHINE;
}

static void block_projection_destroy(block_projection *p)
{
  real *all[] = {p->jacobian, p->volume, p->matrix, p->rho, p->pair[0], p->pair[1]};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  fem_assembly_destroy(&p->assembly);
  fem_points_destroy(&p->at);
  fem_rule_destroy(&p->rule);
  free(p->basis);
}

/* matrix [nt][nt] of a block, as fem_assembly_zone. */
static void assemble_block(block_projection *p)
{
  const fem_assembly *a = &p->assembly;
  const real *in = p->volume;
  int n = fem_power(a->q1, a->factors - 1);
  for (int d = 0; d < a->factors; d++, n = n / a->q1 * a->npairs) {
    real *out = p->pair[d % 2];
    for (int pair = 0; pair < a->npairs; pair++)
      for (int i = 0; i < n; i++) {
        real sum = a->pairs[pair * a->q1] * in[i * a->q1];
        for (int q = 1; q < a->q1; q++) sum += a->pairs[pair * a->q1 + q] * in[i * a->q1 + q];
        out[pair * n + i] = sum;
      }
    in = out;
  }
  for (int i = 0; i < a->n * a->n; i++) p->matrix[i] = in[a->place[i]];
}

/* Solves a b = b for symmetric positive definite a [n][n], which are overwritten; false if one is not.  Row j above the
 * diagonal becomes that of the factor's transpose. */
static bool solve_block(int n, real *a, real *b)
{
  for (int j = 0; j < n; j++) {
    if (!real_all(a[j * n + j] > 0.0)) return false;
    const real scale = 1.0 / real_sqrt(a[j * n + j]);
    for (int k = j; k < n; k++) a[j * n + k] *= scale;
    for (int i = j + 1; i < n; i++)
      for (int k = i; k < n; k++) a[i * n + k] -= a[j * n + i] * a[j * n + k];
  }
  for (int j = 0; j < n; j++) {
    b[j] /= a[j * n + j];
    for (int k = j + 1; k < n; k++) b[k] -= a[j * n + k] * b[j];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

/* mass [nzones][nq]; rho [][nt] from zone `first` on */
static bool project_block(block_projection *p, const fem_space *s, const double *mass, int first, double *rho)
{
  for (int i = 0; i < s->nt; i++) p->rho[i] = real_of(0.0);
  for (int q = 0; q < s->nq; q++) {
    real at_point;
    double values[LANES];
    for (int l = 0; l < LANES; l++) values[l] = mass[(int64_t)fem_points_zone(&p->at, l) * s->nq + q];
    memcpy(&at_point, values, sizeof at_point);
    p->volume[q] = s->weight[q] * fem_points_determinant(s->dim, p->jacobian + q * s->dim * s->dim);
    for (int i = 0; i < s->nt; i++) p->rho[i] += at_point * p->basis[(int64_t)q * s->nt + i];
  }
  assemble_block(p);
  if (!solve_block(s->nt, p->matrix, p->rho)) return false;
  for (int l = 0; l < p->at.zones; l++)
    for (int i = 0; i < s->nt; i++) rho[(int64_t)(fem_points_zone(&p->at, l) - first) * s->nt + i] = p->rho[i][l];
  return true;
}

typedef struct density_projection {
  const fem_space *s;
  const fem_material *m;
  const double *x;
  double *rho;
} density_projection;

/* Zones first .. end - 1 to rho [end - first][nt]. */
static int project_zones(const density_projection *d, int first, int end, double *rho)
{
  block_projection p;
  int status = block_projection_create(&p, d->s);
  fem_points_within(&p.at, first, end);
  while (!status && fem_points_next(&p.at)) {
    fem_points_kinematic(&p.at, d->s->dim, d->x, NULL, p.jacobian);
    if (!project_block(&p, d->s, d->m->mass, first, rho)) status = STATUS_RUN;
  }
  block_projection_destroy(&p);
  return status;
}

static int project_density_chunk(void *data, int chunk, int first, int end)
{
  const density_projection *d = data;
  (void)chunk;
  return project_zones(d, first, end, d->rho + (int64_t)first * d->s->nt);
}

int fem_project_density(const fem_space *s, const fem_material *m, const double *x, double *rho)
{
  density_projection d = {s, m, x, rho};
  return fem_for_chunks(s, project_density_chunk, &d);
}

int fem_project_density_in(const fem_space *s, const fem_material *m, const double *x, int zone, double *rho)
{
  const density_projection d = {.s = s, .m = m, .x = x};
  return project_zones(&d, zone, zone + 1, rho);
}
