/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/coarse.h"
#include "mesh/comm/halo.h"
#include "mesh/comm/share.h"
#include "mesh/partition/partition.h"

enum { ZONES_EACH = 2048 }; // of a chunk

/* The ends [2][dim] of a line of lattice points along the first direction, on the coarse zone's faces below and above,
 * by its multilinear map. */
static void lattice_line(const mesh *m, int64_t coarse_zone, const int at[3], double *ends)
{
  const mesh_coarse *c = m->coarse;
  const int *zone = mesh_coarse_zone(c, coarse_zone);
  for (int axis = 0; axis < m->dim; axis++) {
    double value[MESH_MAX_CORNERS];
    for (int i = 0; i < m->ncorners; i++) value[i] = c->vertices[(int64_t)zone[i] * m->dim + axis];
    for (int d = m->dim - 1; d > 0; d--) {
      for (int i = 0; i < 1 << d; i++) value[i] = mesh_between(value[i], value[i | 1 << d], at[d], m->subdivision[d]);
    }
    ends[axis] = value[0], ends[m->dim + axis] = value[1];
  }
}

/* The lines along the edges of a zone, [2^(dim - 1)][2][dim]: all zones of a row have them. */
static void lattice_lines(const mesh *m, int64_t coarse_zone, const int cell[3], double *lines)
{
  for (int i = 0; i < m->ncorners / 2; i++)
    lattice_line(m, coarse_zone, (int[]){0, cell[1] + (i & 1), cell[2] + (i >> 1)}, lines + i * 2 * m->dim);
}

static void set_simplex_corners(mesh *m)
{
  const mesh_coarse *c = m->coarse;
  double *x = m->corners;
  for (int zone = 0; zone < m->nzones; zone++)
    for (int i = 0; i < m->ncorners; i++, x += m->dim)
      memcpy(x, c->vertices + (int64_t)mesh_coarse_zone(c, m->zone_ids[zone])[i] * m->dim, (size_t)m->dim * sizeof *x);
}

static int set_lattice_corners(void *data, int chunk, int first, int end)
{
  const mesh *m = data;
  double *x = m->corners + (int64_t)first * m->ncorners * m->dim, lines[MESH_MAX_CORNERS * 3];
  int64_t known = -1; // the coarse zone of the lines
  int row[2] = {0};
  (void)chunk;
  for (int zone = first; zone < end; zone++) {
    int cell[3];
    const int64_t coarse_zone = mesh_zone_cell(m, zone, cell);
    if (coarse_zone != known || cell[1] != row[0] || cell[2] != row[1]) {
      lattice_lines(m, coarse_zone, cell, lines);
      known = coarse_zone, row[0] = cell[1], row[1] = cell[2];
    }
    for (int i = 0; i < m->ncorners; i++)
      for (int axis = 0; axis < m->dim; axis++) {
        const double *ends = lines + i / 2 * 2 * m->dim + axis;
        *x++ = mesh_between(ends[0], ends[m->dim], cell[0] + (i & 1), m->subdivision[0]);
      }
  }
  return 0;
}

/* Collective. */
static void set_corners(mesh *m)
{
  const int threads = comm_share_cores();
  if (m->shape == MESH_SIMPLEX)
    set_simplex_corners(m);
  else
    comm_share_out(threads, m->nzones, ZONES_EACH, set_lattice_corners, m);
}

static int compare_ids(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Sorts, drops repetitions, and returns how many are left. */
static int64_t sort_unique(int64_t *id, int64_t n)
{
  int64_t kept = 0;
  qsort(id, (size_t)n, sizeof *id, compare_ids);
  for (int64_t i = 0; i < n; i++) {
    if (i == 0 || id[i] != id[i - 1]) id[kept++] = id[i];
  }
  return kept;
}

/* Copies the corners [n] of zones without those that the zone before has at its end of a row: there is less to sort. */
static int64_t drop_known(int64_t n, int ncorners, const int64_t *ids, int64_t *kept)
{
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    if (i % 2 || i < ncorners || ids[i] != ids[i - ncorners + 1]) kept[count++] = ids[i];
  return count;
}

/* Marks the zones that touch a seam, or have a vertex among the sorted shared ids. */
static void mark_shared(const mesh *m, const int64_t *ids, const int64_t *shared, int nshared, bool *touches)
{
  for (int zone = 0; zone < m->nzones; zone++) {
    touches[zone] = mesh_zone_at_seam(m, zone);
    for (int i = 0; i < m->ncorners && !touches[zone]; i++)
      touches[zone] =
        bsearch(ids + (int64_t)zone * m->ncorners + i, shared, (size_t)nshared, sizeof *shared, compare_ids);
  }
}

/* Moves the zones that touch other ranks or a seam to the front, in groups of neighbours, so that zones that follow
 * each other along a line, a vector of the host's kernels, stay together; otherwise zones keep their order. */
static void shared_first(mesh *m, const bool *touches, int64_t *room)
{
  enum { GROUP = 8 };
  int64_t n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int first = 0, end; first < m->nzones; first = end) {
      bool shared = false;
      end = m->nzones - first < GROUP ? m->nzones : first + GROUP;
      for (int zone = first; zone < end; zone++) shared = shared || touches[zone];
      for (int zone = first; zone < end && shared == (pass == 0); zone++) room[n++] = m->zone_ids[zone];
    }
    if (pass == 0) m->nshared = (int)n;
  }
  memcpy(m->zone_ids, room, (size_t)n * sizeof *room);
}

/* Collective. */
static int order_zones(mesh *m)
{
  int64_t n = (int64_t)m->nzones * m->ncorners, nvertices = 0;
  int64_t *ids = malloc(((size_t)n + 1) * sizeof *ids), *vertices = malloc(((size_t)n + 1) * sizeof *vertices);
  bool *touches = malloc((size_t)m->nzones + 1);
  halo *h = NULL;
  int status = comm_worst(ids && vertices && touches && n < INT_MAX ? STATUS_OK : STATUS_MACHINE);
  if (!status) {
    mesh_joint_ids(m, 1, ids);
    nvertices = sort_unique(vertices, drop_known(n, m->ncorners, ids, vertices));
    status = halo_create(&h, (int)nvertices, vertices);
  }
  if (!status) {
    const int *index;
    int nshared = halo_shared(h, &index);
    for (int i = 0; i < nshared; i++) vertices[i] = vertices[index[i]]; // index ascends
    mark_shared(m, ids, vertices, nshared, touches);
    shared_first(m, touches, ids);
    halo_destroy(&h);
  }
  free(ids);
  free(vertices);
  free(touches);
  return status;
}

static int take_zones(mesh *m, mesh_partition how, const int *blocks)
{
  m->nzones_global = mesh_cells(m->subdivision) * m->coarse->nzones;
  m->entities = mesh_entities_create(m->coarse);
  if (!m->entities) return STATUS_MACHINE;
  mesh_share share = {0};
  if (mesh_partition_zones(&share, m->coarse, m->subdivision, how, blocks, comm_size(), comm_rank()))
    return STATUS_MACHINE;
  m->zone_ids = share.zone_ids;
  if (share.nzones > INT_MAX / MESH_MAX_CORNERS) return STATUS_MACHINE;
  m->nzones = (int)share.nzones;
  m->corners = malloc(((size_t)m->nzones * (size_t)(m->ncorners * m->dim) + 1) * sizeof *m->corners);
  return m->corners ? STATUS_OK : STATUS_MACHINE;
}

int mesh_create(mesh **result, mesh_coarse **coarse, const int subdivision[3], mesh_partition how, const int *blocks)
{
  mesh *m = calloc(1, sizeof *m);
  int status = STATUS_MACHINE;
  if (m) {
    m->coarse = *coarse;
    m->dim = m->coarse->dim;
    m->shape = m->coarse->shape;
    m->ncorners = mesh_coarse_corners(m->coarse);
    for (int d = 0; d < 3; d++) m->subdivision[d] = d < m->dim ? subdivision[d] : 1;
    status = take_zones(m, how, blocks);
  } else {
    mesh_coarse_destroy(coarse);
  }
  *coarse = NULL;
  status = comm_worst(status);
  if (!status && (comm_size() > 1 || m->coarse->nseams > 0)) status = order_zones(m);
  if (status)
    mesh_destroy(&m);
  else
    set_corners(m);
  *result = m;
  return status;
}

void mesh_destroy(mesh **result)
{
  mesh *m = *result;
  *result = NULL;
  if (!m) return;
  mesh_coarse_destroy(&m->coarse);
  mesh_entities_destroy(m->entities);
  free(m->zone_ids);
  free(m->corners);
  free(m);
}

void mesh_zone_part(const mesh *m, int zone, mesh_part *part)
{
  const mesh_curve *v = m->coarse->curve;
  const int dim = m->dim, each = mesh_nodes_in_zone(m->shape, dim, v->order);
  int cell[3];
  int64_t root = mesh_zone_cell(m, zone, cell);
  *part = (mesh_part){0};
  if (m->shape == MESH_SIMPLEX) {
    const double *place = v->place + root * m->ncorners * dim;
    for (int i = 0; i < dim; i++) {
      part->origin[i] = place[i];
      for (int d = 0; d < dim; d++) part->step[d][i] = place[(d + 1) * dim + i] - place[i];
    }
    root = v->root[root];
  }
  for (int d = 0; d < dim && m->shape == MESH_TENSOR; d++) {
    part->origin[d] = (double)cell[d] / m->subdivision[d];
    part->step[d][d] = 1.0 / m->subdivision[d];
  }
  part->nodes = v->nodes + root * each * dim;
}

typedef struct inversion {
  const mesh *m;
  atomic_int first; // the zone so far; nzones: none
} inversion;

static int find_inverted(void *data, int chunk, int first, int end)
{
  inversion *i = data;
  const mesh *m = i->m;
  (void)chunk;
  for (int zone = first; zone < end; zone++) {
    if (mesh_smallest_jacobian(m->shape, m->dim, m->corners + (int64_t)zone * m->ncorners * m->dim) > 0) continue;
    int found = atomic_load(&i->first);
    while (zone < found && !atomic_compare_exchange_weak(&i->first, &found, zone)) continue;
    break;
  }
  return 0;
}

int mesh_first_inverted(const mesh *m)
{
  inversion i = {.m = m, .first = m->nzones};
  comm_share_out(comm_share_cores(), m->nzones, ZONES_EACH, find_inverted, &i);
  const int first = atomic_load(&i.first);
  return first < m->nzones ? first : -1;
}
