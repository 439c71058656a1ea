/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/fem.h"
#include "fem/simplex/simplex.h"
#include "fem/space/curve.h"
#include "fem/space/share.h"
#include "mesh/simplex/lattice.h"

static void *allocate(size_t n, size_t size)
{
  return calloc(n ? n : 1, size);
}

/* ------------------------------------------------------------------ numbering of the dofs */

/* Finds an id in the hash table [size], size a power of two: its place, or the free place (-1) for it.  Eight ids in a
 * row stay together, as they mostly come together; groups of them are scattered (Knuth, vol. 3, 6.4: multiplicative
 * hashing). */
static int64_t find_place(const int *table, int bits, const int64_t *ids, int64_t id)
{
  const uint64_t scattered = (uint64_t)(id >> 3) * UINT64_C(0x9e3779b97f4a7c15), mask = (UINT64_C(1) << bits) - 1;
  uint64_t at = (scattered >> (64 - bits) & ~UINT64_C(7)) | ((uint64_t)id & 7);
  while (table[at] >= 0 && ids[table[at]] != id) at = (at + 1) & mask;
  return (int64_t)at;
}

/* Gives every (zone, node) the number of its id among the distinct ids, in order of first touch: dofs [n].  ids [n] is
 * replaced by the distinct ids in that order; returns how many, or -1 when memory is out or they are more than an int
 * counts. */
static int number_scattered(int64_t n, int64_t *ids, int *dofs)
{
  int bits = 4, count = 0;
  while ((INT64_C(1) << bits) < n + n / 2) bits++;
  int *table = malloc(sizeof *table << bits);
  if (!table) return -1;
  memset(table, 0xff, sizeof *table << bits);
  for (int64_t i = 0; i < n && count >= 0; i++) { // count <= i: what is overwritten was read
    const int64_t id = ids[i], at = find_place(table, bits, ids, id);
    if (table[at] < 0) {
      ids[count] = id;
      table[at] = count;
      count = count < INT_MAX ? count + 1 : -1;
    }
    dofs[i] = table[at];
  }
  free(table);
  return count;
}

/* The same for ids from `lowest` on, a place of the table for each up to lowest + range - 1. */
static int number_dense(int64_t n, int64_t lowest, int64_t range, int64_t *ids, int *dofs)
{
  int *table = malloc(sizeof *table * (size_t)range), count = 0;
  if (!table) return -1;
  memset(table, 0xff, sizeof *table * (size_t)range);
  for (int64_t i = 0; i < n && count >= 0; i++) {
    const int64_t id = ids[i];
    int *place = table + (id - lowest);
    if (*place < 0) {
      ids[count] = id;
      *place = count;
      count = count < INT_MAX ? count + 1 : -1;
    }
    dofs[i] = *place;
  }
  free(table);
  return count;
}

static int number_by_first_touch(int64_t n, int64_t *ids, int *dofs)
{
  int64_t lowest = INT64_MAX, highest = INT64_MIN;
  for (int64_t i = 0; i < n; i++) {
    if (ids[i] < lowest) lowest = ids[i];
    if (ids[i] > highest) highest = ids[i];
  }
  const bool dense = n > 0 && highest - lowest < n;
  return dense ? number_dense(n, lowest, highest - lowest + 1, ids, dofs) : number_scattered(n, ids, dofs);
}

/* New numbers by which owned dofs come first, otherwise in the order they had. */
static int move_owned(fem_space *s, int64_t *ids, const bool *owned)
{
  int *new_number = allocate((size_t)s->ndofs, sizeof *new_number);
  int64_t *old_ids = allocate((size_t)s->ndofs, sizeof *old_ids);
  const bool enough = new_number && old_ids;
  if (enough) {
    int next[2] = {s->nowned, 0}; // of the others, of the owned
    for (int i = 0; i < s->ndofs; i++) new_number[i] = next[owned[i]]++;
    memcpy(old_ids, ids, (size_t)s->ndofs * sizeof *ids);
    for (int i = 0; i < s->ndofs; i++) ids[new_number[i]] = old_ids[i];
    for (int64_t i = 0; i < (int64_t)s->nzones * s->nd; i++) s->dofs[i] = new_number[s->dofs[i]];
  }
  free(new_number);
  free(old_ids);
  return enough ? STATUS_OK : STATUS_MACHINE;
}

static int owned_first(fem_space *s, int64_t *ids, const bool *owned)
{
  s->nowned = 0;
  for (int i = 0; i < s->ndofs; i++) s->nowned += owned[i];
  const int status = s->nowned < s->ndofs ? move_owned(s, ids, owned) : STATUS_OK;
  for (int64_t i = 0; i < (int64_t)fem_first_zones(s) * s->nd; i++)
    if (s->dofs[i] < s->nowned && s->dofs[i] >= s->nfirst) s->nfirst = s->dofs[i] + 1;
  return status;
}

/* Across seams dofs are images of one: ids [ndofs] become those of nodes that are one. */
static bool join(const fem_space *s, const mesh *m, int64_t *ids)
{
  const int64_t n = (int64_t)s->nzones * s->nd;
  int64_t *joint = allocate((size_t)n, sizeof *joint);
  if (!joint) return false;
  mesh_joint_ids(m, s->k, joint);
  for (int64_t i = 0; i < n; i++) ids[s->dofs[i]] = joint[i];
  free(joint);
  return true;
}

/* Without seams nodes of the first zones alone may be another rank's, too. */
static int make_halo(const fem_space *s, const mesh *m, halo **h, const int64_t *ids)
{
  if (m->coarse->nseams > 0) return halo_create_joint(h, s->ndofs, ids);
  if (comm_size() == 1) return halo_create(h, s->ndofs, ids);
  int64_t *named = allocate((size_t)s->ndofs, sizeof *named);
  int status = comm_worst(named ? STATUS_OK : STATUS_MACHINE);
  if (!status) {
    memset(named, 0xff, sizeof *named * (size_t)s->ndofs); // -1
    for (int64_t i = 0; i < (int64_t)s->nshared * s->nd; i++) named[s->dofs[i]] = ids[s->dofs[i]];
    status = halo_create(h, s->ndofs, named);
  }
  free(named);
  return status;
}

/* The halo of positions: images stand at places of their own. */
static int make_places(fem_space *s, const mesh *m)
{
  const int64_t n = (int64_t)s->nzones * s->nd;
  int64_t *all = allocate((size_t)n, sizeof *all), *ids = allocate((size_t)s->ndofs, sizeof *ids);
  int status = comm_worst(all && ids ? STATUS_OK : STATUS_MACHINE);
  if (!status) {
    mesh_node_ids(m, s->k, all);
    for (int64_t i = 0; i < n; i++) ids[s->dofs[i]] = all[i];
    status = halo_create(&s->places, s->ndofs, ids);
  }
  free(all);
  free(ids);
  return status;
}

/* Numbers the dofs and finds who shares them.  Collective, also where a rank's memory is out, as all below. */
static int number(fem_space *s, const mesh *m)
{
  const int64_t n = (int64_t)s->nzones * s->nd;
  int64_t *ids = allocate((size_t)n, sizeof *ids);
  bool *owned = NULL;
  halo *h = NULL;
  s->dofs = allocate((size_t)n, sizeof *s->dofs);
  if (ids && s->dofs) {
    mesh_node_ids(m, s->k, ids);
    s->ndofs = number_by_first_touch(n, ids, s->dofs);
    if (s->ndofs >= 0 && (m->coarse->nseams == 0 || join(s, m, ids))) owned = allocate((size_t)s->ndofs, sizeof *owned);
  }
  int status = comm_worst(owned ? STATUS_OK : STATUS_MACHINE);
  if (!status) status = make_halo(s, m, &h, ids);
  if (!status) {
    halo_owned(h, owned);
    status = comm_worst(owned_first(s, ids, owned));
  }
  halo_destroy(&h);
  if (!status) status = make_halo(s, m, &s->halo, ids);
  if (!status && m->coarse->nseams > 0) {
    s->ndofs_global = s->nowned;
    comm_sum_int64(&s->ndofs_global, 1);
    status = make_places(s, m);
  }
  free(owned);
  free(ids);
  return status;
}

static int list_constrained(fem_space *s)
{
  int count = 0;
  for (int pass = 0; pass < 2; pass++) {
    count = 0;
    for (int c = 0; c < s->dim; c++) {
      s->constrained_start[c] = count;
      for (int i = 0; i < s->ndofs; i++) {
        if (!(s->essential[i] >> c & 1)) continue;
        if (pass == 1) s->constrained[count] = i;
        count++;
      }
    }
    if (pass == 0) s->constrained = allocate((size_t)count, sizeof *s->constrained);
    if (!s->constrained) return STATUS_MACHINE;
  }
  s->constrained_start[s->dim] = count;
  return 0;
}

/* A rank may touch a wall's edge without owning a zone at the wall: bits that others have at nodes that are shared. */
static int share_essential(fem_space *s)
{
  if (halo_alone(s->halo)) return STATUS_OK;
  const int64_t n = s->ndofs;
  double *marks = allocate((size_t)s->dim * (size_t)n, sizeof *marks);
  const int status = comm_worst(marks ? STATUS_OK : STATUS_MACHINE);
  if (!status) {
    for (int c = 0; c < s->dim; c++)
      for (int64_t i = 0; i < n; i++) marks[c * n + i] = s->essential[i] >> c & 1;
    halo_sum_begin(NULL, s->halo, s->dim, marks);
    halo_sum_end(NULL, s->halo, s->dim, marks);
    for (int c = 0; c < s->dim; c++)
      for (int64_t i = 0; i < n; i++)
        if (marks[c * n + i] > 0.0) s->essential[i] |= (unsigned char)(1u << c);
  }
  free(marks);
  return status;
}

static int mark_essential(fem_space *s, const mesh *m)
{
  const int64_t n = (int64_t)s->nzones * s->nd;
  const unsigned char axes = (unsigned char)((1u << s->dim) - 1);
  unsigned char *bits = allocate((size_t)n, 1);
  s->essential = allocate((size_t)s->ndofs, 1);
  int status = comm_worst(bits && s->essential ? STATUS_OK : STATUS_MACHINE);
  if (!status) {
    mesh_node_attributes(m, s->k, bits);
    for (int64_t i = 0; i < n; i++) s->essential[s->dofs[i]] |= bits[i] & axes;
    status = share_essential(s);
  }
  if (!status) status = comm_worst(list_constrained(s));
  free(bits);
  return status;
}

/* ------------------------------------------------------------------ tables */

static void simplex_tables(const fem_space *s, int n, const double *points, double *b, double *g, double *bt)
{
  double bernstein[FEM_MAX_FUNCTIONS], slope[3 * FEM_MAX_FUNCTIONS];
  for (int q = 0; q < n; q++) {
    simplex_bernstein(s->dim, s->k, 1, points + q * s->dim, bernstein, slope);
    simplex_to_lagrange(1, s->nd, bernstein, s->modal, b + q * s->nd);
    for (int d = 0; g && d < s->dim; d++)
      simplex_to_lagrange(1, s->nd, slope + d * s->nd, s->modal, g + (d * n + q) * s->nd);
  }
  simplex_bernstein(s->dim, s->t, n, points, bt, NULL);
}

void fem_space_tables(const fem_space *s, int n, const double *points, double *b, double *g, double *bt)
{
  if (s->shape == MESH_SIMPLEX) return simplex_tables(s, n, points, b, g, bt);
  fem_lagrange(s->d1, s->nodes, n, points, b, g);
  fem_bernstein(s->t, n, points, bt);
}

double *fem_space_lattice(const fem_space *s, int order, const double *line)
{
  const int n = fem_per_factor(s, order);
  double *points = malloc(sizeof(double) * (size_t)(n * s->dim));
  if (points && s->shape == MESH_SIMPLEX) simplex_lattice_points(s->dim, order, line, points);
  if (points && s->shape == MESH_TENSOR) memcpy(points, line, sizeof(double) * (size_t)n);
  return points;
}

int fem_corner_node(const fem_space *s, int order, int corner)
{
  int node = 0, stride = 1, m[4] = {0};
  m[corner & 3] = order;
  if (s->shape == MESH_SIMPLEX) return simplex_place(s->dim, order, m);
  for (int d = 0; d < s->dim; d++, stride *= order + 1) node += corner >> d & 1 ? order * stride : 0;
  return node;
}

/* Nodes, points, weights, and what the tables of a simplex are made with. */
static int make_points(fem_space *s, int order)
{
  double line[FEM_MAX_ORDER + 1];
  fem_gauss_lobatto(s->k, line);
  s->nodes = fem_space_lattice(s, s->k, line);
  if (!s->nodes) return STATUS_MACHINE;
  if (s->shape == MESH_TENSOR) {
    fem_gauss(s->q1, s->points, s->weights);
    return STATUS_OK;
  }
  simplex_rule(s->dim, order, s->points, s->weights);
  s->modal = allocate((size_t)(s->nd * s->nd), sizeof(double));
  if (!s->modal) return STATUS_MACHINE;
  simplex_bernstein(s->dim, s->k, s->nd, s->nodes, s->modal, NULL);
  fem_invert(s->nd, s->modal);
  return STATUS_OK;
}

static int make_tables(fem_space *s, int order)
{
  const size_t slopes = (size_t)fem_slope_table(s->dim, s->factors, s->dim - 1) + 1;
  s->points = allocate((size_t)(s->q1 * s->dim), sizeof(double));
  s->weights = allocate((size_t)s->q1, sizeof(double));
  s->b = allocate((size_t)(s->q1 * s->d1), sizeof(double));
  s->g = allocate(slopes * (size_t)(s->q1 * s->d1), sizeof(double));
  s->bt = allocate((size_t)(s->q1 * s->t1), sizeof(double));
  s->weight = allocate((size_t)s->nq, sizeof(double));
  if (!s->points || !s->weights || !s->b || !s->g || !s->bt || !s->weight || make_points(s, order))
    return STATUS_MACHINE;
  for (int q = 0; q < s->nq; q++) {
    s->weight[q] = 1.0;
    for (int d = 0, rest = q; d < s->factors; d++, rest /= s->q1) s->weight[q] *= s->weights[rest % s->q1];
  }
  fem_space_tables(s, s->q1, s->points, s->b, s->g, s->bt);
  return STATUS_OK;
}

/* The part that needs no communication. */
static int start(fem_space *s, const mesh *m, int k, int t, int quadrature_order)
{
  const int order = quadrature_order > 0 ? quadrature_order : 3 * k + t - 1;
  s->dim = m->dim, s->k = k, s->t = t;
  s->shape = m->shape, s->factors = m->shape == MESH_SIMPLEX ? 1 : m->dim;
  s->d1 = fem_per_factor(s, k), s->t1 = fem_per_factor(s, t);
  s->q1 = m->shape == MESH_SIMPLEX ? simplex_rule_points(m->dim, order) : order / 2 + 1;
  s->nd = fem_power(s->d1, s->factors), s->nt = fem_power(s->t1, s->factors), s->nq = fem_power(s->q1, s->factors);
  s->nzones = m->nzones, s->nshared = m->nshared, s->nzones_global = m->nzones_global;
  s->ndofs_global = mesh_nodes_global(m, k);
  return make_tables(s, order);
}

int fem_space_create(fem_space **space, const mesh *m, int k, int t, int quadrature_order)
{
  fem_space *s = *space = calloc(1, sizeof *s);
  int status = comm_worst(s ? start(s, m, k, t, quadrature_order) : STATUS_MACHINE);
  const int threads = comm_share_cores();
  if (s) s->threads = threads;
  if (!status) status = number(s, m);
  if (!status) status = mark_essential(s, m);
  if (status) fem_space_destroy(space);
  return status;
}

void fem_space_destroy(fem_space **space)
{
  fem_space *s = *space;
  if (!s) return;
  double *tables[] = {s->nodes, s->points, s->modal, s->weights, s->b, s->g, s->bt, s->weight};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) free(tables[i]);
  free(s->dofs);
  free(s->essential);
  free(s->constrained);
  halo_destroy(&s->halo);
  halo_destroy(&s->places);
  fem_space_unplace(s);
  free(s);
  *space = NULL;
}

/* ------------------------------------------------------------------ vectors on the space */

/* From a to b; exact at both ends and where they agree, so that a plane of nodes is a plane. */
static double between(double a, double b, double t)
{
  return t == 1.0 ? b : a + t * (b - a);
}

/* The linear map of corners [dim + 1][dim] along an axis at the barycentric coordinates lambda_1, ...: from corner to
 * corner, so that a plane of nodes is a plane. */
static double between_corners(const fem_space *s, const double *corners, int axis, const double *lambda)
{
  double sum = 1.0, u = corners[axis];
  for (int i = 0; i < s->dim; i++) sum -= lambda[i];
  for (int i = 0; i < s->dim; i++) {
    if (lambda[i] == 0.0) continue;
    sum += lambda[i];
    u = between(u, corners[(i + 1) * s->dim + axis], lambda[i] / sum);
  }
  return u;
}

static void simplex_positions(const fem_space *s, const mesh *m, const int *last, double *x)
{
  for (int z = 0; z < s->nzones; z++)
    for (int i = 0; i < s->nd; i++) {
      const int64_t place = (int64_t)z * s->nd + i;
      const int dof = s->dofs[place];
      if (last && last[dof] != place) continue;
      for (int c = 0; c < s->dim; c++)
        x[(int64_t)c * s->ndofs + dof] =
          between_corners(s, m->corners + (int64_t)z * m->ncorners * s->dim, c, s->nodes + i * s->dim);
    }
}

typedef struct positioning {
  const fem_space *s;
  const mesh *m;
  const int *last; /* [ndofs]: fem_last_touches; NULL: zones come one after the other */
  double *x;
} positioning;

/* Position of a node of the reference zone along one direction; corners [2^dim][dim]. */
static double between_all(const fem_space *s, int ncorners, const double *corners, int node, int axis)
{
  double u[MESH_MAX_CORNERS];
  for (int corner = 0; corner < ncorners; corner++) u[corner] = corners[corner * s->dim + axis];
  for (int d = 0, rest = node, half = ncorners / 2; d < s->dim; d++, rest /= s->d1, half /= 2)
    for (int j = 0; j < half; j++) u[j] = between(u[2 * j], u[2 * j + 1], s->nodes[rest % s->d1]);
  return u[0];
}

static int tensor_positions_chunk(void *data, int chunk, int first, int end)
{
  const positioning *p = data;
  const fem_space *s = p->s;
  (void)chunk;
  for (int64_t z = first; z < end; z++) {
    const double *corners = p->m->corners + z * p->m->ncorners * s->dim;
    for (int i = 0; i < s->nd; i++) {
      const int dof = s->dofs[z * s->nd + i];
      if (p->last && p->last[dof] != z * s->nd + i) continue;
      for (int c = 0; c < s->dim; c++)
        p->x[(int64_t)c * s->ndofs + dof] = between_all(s, p->m->ncorners, corners, i, c);
    }
  }
  return 0;
}

static void tensor_positions(const fem_space *s, const mesh *m, const int *last, double *x)
{
  positioning p = {s, m, last, x};
  if (last)
    fem_for_chunks(s, tensor_positions_chunk, &p);
  else
    tensor_positions_chunk(&p, 0, 0, s->nzones);
}

void fem_space_positions(const fem_space *s, const mesh *m, double *x)
{
  halo *sharers = s->places ? s->places : s->halo;
  int *last = fem_last_touches(s, m, sharers);
  if (m->coarse->curve)
    fem_curve_positions(s, m, last, x);
  else if (s->shape == MESH_SIMPLEX)
    simplex_positions(s, m, last, x);
  else
    tensor_positions(s, m, last, x);
  fem_take_last(s, last, sharers, s->dim, x);
  free(last);
}

int fem_first_zones(const fem_space *s)
{
  enum { BLOCK = 8 }; /* a multiple of the lanes of the host's kernels, so that no vector is done twice */
  int first = (s->nshared + BLOCK - 1) / BLOCK * BLOCK;
  return first < s->nzones ? first : s->nzones;
}

void fem_constrain_host(const fem_space *s, double *u)
{
  for (int c = 0; c < s->dim; c++)
    for (int i = s->constrained_start[c]; i < s->constrained_start[c + 1]; i++)
      u[(int64_t)c * s->ndofs + s->constrained[i]] = 0.0;
}

/* The sum of (u/scale)^2 over ncomp components, n entries of each, `stride` apart, and over the ranks. */
static double sum_squares(int ncomp, int64_t n, int64_t stride, const double *u, double scale)
{
  double sum = 0.0;
  for (int c = 0; c < ncomp; c++)
    for (int64_t i = 0; i < n; i++) sum += (u[c * stride + i] / scale) * (u[c * stride + i] / scale);
  comm_sum(&sum, 1);
  return sum;
}

/* A sum that over- or underflows is taken again, of the entries over the largest.  Collective. */
static double norm(int ncomp, int64_t n, int64_t stride, const double *u)
{
  const double sum = sum_squares(ncomp, n, stride, u, 1.0);
  double largest = 0.0;
  if (sum >= 1e-280 && sum <= DBL_MAX) return sqrt(sum);
  for (int c = 0; c < ncomp; c++)
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(u[c * stride + i]));
  comm_max(&largest, 1);
  if (isnan(sum) || largest == 0.0 || isinf(largest)) return sqrt(sum);
  return largest * sqrt(sum_squares(ncomp, n, stride, u, largest));
}

double fem_norm_kinematic(const fem_space *s, int ncomp, const double *u)
{
  return norm(ncomp, s->nowned, s->ndofs, u);
}

double fem_norm_local(int64_t n, const double *u)
{
  return norm(1, n, 0, u);
}
