/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a deck to a mesh: a box, a box for each rank, or a file, then refined.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/files/checksum.h"
#include "app/machine/collective_status.h"
#include "app/machine/memory.h"
#include "app/setup.h"
#include "mesh/simplex/simplex.h"

/* The coarse mesh and its refinement. */
typedef struct plan {
  mesh_coarse *coarse; // owned
  int64_t zones[3];    // of a coarse zone along each direction, before refinement
  int blocks[3];       // ranks along each direction of a box for weak scaling
} plan;

static mesh_partition partition_of(const deck *d)
{
  static const struct {
    const char *name;
    mesh_partition how;
  } partitions[] = {
    {"auto", MESH_AUTO}, {"block", MESH_BLOCK}, {"hilbert", MESH_HILBERT}, {"rcb", MESH_RCB}, {"metis", MESH_METIS},
  };
  for (size_t i = 0; i < sizeof partitions / sizeof *partitions; i++)
    if (strcmp(d->mesh.partition, partitions[i].name) == 0) return partitions[i].how;
  return MESH_AUTO;
}

enum { MOST_SIMPLEX_CELLS = 1 << 23 }; // of a box

static int too_many_zones(char *message, size_t size)
{
  snprintf(message, size, "mesh: more zones than can be numbered; use fewer zones or refinements");
  return STATUS_INPUT;
}

static int64_t largest_divisor_below_root(int64_t n)
{
  int64_t f = (int64_t)sqrt((double)n);
  while (n % f != 0) f--;
  return f;
}

/* Splits n into dim factors, the largest first: of all boxes of n cubes the one with the least surface. */
static void split_evenly(int64_t n, int dim, int64_t factors[3])
{
  int64_t least = INT64_MAX;
  factors[0] = n, factors[1] = factors[2] = 1;
  for (int64_t a = 1; dim > 1 && (a == 1 || (dim == 3 && a * a * a <= n)); a++) {
    if (n % a != 0) continue;
    const int64_t b = largest_divisor_below_root(n / a), c = n / a / b, surface = a * b + b * c + a * c;
    if (surface < least) least = surface, factors[0] = c, factors[1] = b, factors[2] = a;
  }
}

static bool is_simplicial(const deck *d)
{
  return strcmp(d->mesh.zone, "auto") != 0;
}

/* Weak scaling: the deck's box, with zones_per_rank zones in it, repeated for every rank.  The ranks are a box, too,
 * with fewest along x: lines of zones along x, vectors of the host's kernels, are cut last. */
static void repeat_box(const deck *d, plan *p, double upper[3])
{
  const deck_share *share = &d->mesh.zones_per_rank;
  int64_t ranks[3];
  if (share->axes == 0) split_evenly(share->zones / deck_parts(d), d->mesh.dim, p->zones);
  for (int c = 0; c < share->axes; c++) p->zones[c] = share->along[c];
  split_evenly(comm_size(), d->mesh.dim, ranks);
  for (int c = 0; c < d->mesh.dim; c++) {
    const int64_t along = ranks[d->mesh.dim - 1 - c];
    upper[c] = d->mesh.lower[c] + (double)along * (d->mesh.upper[c] - d->mesh.lower[c]);
    p->zones[c] *= along;
    p->blocks[c] = (int)along;
  }
}

/* A deck whose zones grow with the ranks can't know that a zone is its own neighbour. */
static int check_periodic(const deck *d, const plan *p, char *message, size_t size)
{
  for (int c = 0; c < d->mesh.dim; c++) {
    if (!strchr(d->mesh.periodic, "xyz"[c]) || ldexp((double)p->zones[c], d->mesh.refine) > 1.0) continue;
    snprintf(message, size,
             "mesh.periodic: along %c there is 1 zone, which would be its own neighbour; more ranks or zones_per_rank "
             "are needed",
             "xyz"[c]);
    return STATUS_INPUT;
  }
  return 0;
}

/* Makes a box periodic as the deck says. */
static int close_box(const hydro *h, plan *p, int status, char *message, size_t size)
{
  const char *axes = h->deck->mesh.periodic;
  if (strcmp(axes, "none") != 0 && !status)
    status = mesh_coarse_close(p->coarse, (bool[]){strchr(axes, 'x'), strchr(axes, 'y'), strchr(axes, 'z')});
  return collective_status(status ? memory_refuse_setup(message, size) : 0, message, size);
}

/* Its zones are coarse zones, which an int has to count with their parts, refined, too. */
static int plan_simplex_box(const hydro *h, plan *p, const double *upper, char *message, size_t size)
{
  const deck *d = h->deck;
  double cells = ldexp(1.0, d->mesh.dim * d->mesh.refine);
  int zones[3] = {1, 1, 1};
  for (int c = 0; c < d->mesh.dim; c++) cells *= (double)p->zones[c];
  if (cells > MOST_SIMPLEX_CELLS) return too_many_zones(message, size);
  for (int c = 0; c < d->mesh.dim; c++) zones[c] = (int)p->zones[c], p->zones[c] = 1;
  const int status = mesh_simplex_box(&p->coarse, d->mesh.dim, zones, d->mesh.lower, upper, h->problem->attributes);
  return close_box(h, p, status, message, size);
}

static int plan_box(const hydro *h, plan *p, char *message, size_t size)
{
  const deck *d = h->deck;
  double upper[3] = {d->mesh.upper[0], d->mesh.upper[1], d->mesh.upper[2]};
  for (int c = 0; c < d->mesh.dim; c++) p->zones[c] = d->mesh.zones[c];
  if (d->mesh.zones_per_rank.zones > 0) repeat_box(d, p, upper);
  int status = check_periodic(d, p, message, size);
  if (status) return status;
  if (is_simplicial(d)) return plan_simplex_box(h, p, upper, message, size);
  status = mesh_coarse_box(&p->coarse, d->mesh.dim, d->mesh.lower, upper, h->problem->attributes);
  return close_box(h, p, status, message, size);
}

static int plan_file(hydro *h, plan *p, char *message, size_t size)
{
  const int status = mesh_coarse_read(&p->coarse, h->deck->mesh.file, message, size);
  return status ? status : deck_set_dim(h->deck, p->coarse->dim, message, size);
}

/* Zones of a coarse zone along each direction, after refinement; more than can be numbered, in all or on a rank, are
 * refused. */
static int refine(const deck *d, const plan *p, int subdivision[3], char *message, size_t size)
{
  double all = p->coarse->nzones;
  for (int c = 0; c < p->coarse->dim; c++) {
    const double along = ldexp((double)p->zones[c], d->mesh.refine);
    if (along > DECK_MAX_ZONES_ALONG) return too_many_zones(message, size);
    all *= along;
    subdivision[c] = (int)along;
  }
  if (all > DECK_MAX_ZONES) return too_many_zones(message, size);
  const double share = ceil(all / comm_size());
  if (share <= DECK_MAX_SHARE) return 0;
  snprintf(message, size, "mesh: %.0f zones on a rank; allowed: at most %d, so use more ranks", share, DECK_MAX_SHARE);
  return STATUS_INPUT;
}

/* Simplices are refined at once; every rank has all of them. */
static int refine_simplices(int times, mesh_coarse **coarse, int subdivision[3])
{
  int status = STATUS_OK;
  for (int c = 0; c < 3; c++) subdivision[c] = 1;
  for (int i = 0; i < times && !status; i++) status = mesh_simplex_refine(coarse);
  return comm_worst(status);
}

/* Corners go where the problem's map takes them. */
static void map_corners(hydro *h)
{
  const int64_t n = (int64_t)h->mesh->nzones * h->mesh->ncorners;
  for (int64_t i = 0; i < n; i++) {
    double x[3] = {0.0, 0.0, 0.0};
    memcpy(x, h->mesh->corners + i * h->mesh->dim, sizeof(double) * (size_t)h->mesh->dim);
    h->problem->map(&h->setting, x);
    memcpy(h->mesh->corners + i * h->mesh->dim, x, sizeof(double) * (size_t)h->mesh->dim);
  }
}

/* Checksum of the coarse mesh: sizes, vertices, zones, walls. */
static uint64_t checksum_of(const mesh_coarse *c)
{
  const int64_t head[4] = {c->dim, c->nvertices, c->nzones, c->nfaces};
  uint64_t sum = checksum_add(0, head, sizeof head);
  sum = checksum_add(sum, c->vertices, (size_t)c->nvertices * (size_t)c->dim * sizeof *c->vertices);
  sum = checksum_add(sum, c->zones, mesh_coarse_zone_entries(c) * sizeof *c->zones);
  sum = checksum_add(sum, c->faces, mesh_coarse_face_entries(c) * sizeof *c->faces);
  sum = checksum_add(sum, c->attributes, (size_t)c->nfaces * sizeof *c->attributes);
  if (c->nseams)
    sum = checksum_add(sum, c->seams, (size_t)c->nseams * 2 * (size_t)mesh_coarse_facet_corners(c) * sizeof *c->seams);
  if (!c->curve) return sum;
  const size_t nodes = (size_t)c->curve->nroots * (size_t)mesh_nodes_in_zone(c->shape, c->dim, c->curve->order);
  return checksum_add(sum, c->curve->nodes, nodes * (size_t)c->dim * sizeof *c->curve->nodes);
}

static int create(hydro *h, plan *p, char *message, size_t size)
{
  const deck *d = h->deck;
  const bool weak = d->mesh.zones_per_rank.zones > 0 && !is_simplicial(d); // simplices are dealt as any mesh's
  int subdivision[3] = {1, 1, 1};
  h->setting.dim = p->coarse->dim;
  h->mesh_checksum = checksum_of(p->coarse);
  if (refine(d, p, subdivision, message, size)) return STATUS_INPUT;
  if (p->coarse->shape == MESH_SIMPLEX && refine_simplices(d->mesh.refine, &p->coarse, subdivision))
    return memory_refuse_setup(message, size);
  if (mesh_create(&h->mesh, &p->coarse, subdivision, weak ? MESH_BLOCK : partition_of(d), weak ? p->blocks : NULL))
    return memory_refuse_setup(message, size);
  if (h->problem->map && !d->mesh.file[0]) map_corners(h);
  if (comm_worst(mesh_first_inverted(h->mesh) >= 0) == 0) return 0;
  snprintf(message, size, "mesh: a zone is inverted or has no volume");
  return STATUS_INPUT;
}

int setup_mesh(hydro *h, char *message, size_t size)
{
  plan p = {.zones = {1, 1, 1}, .blocks = {1, 1, 1}};
  int status = h->deck->mesh.file[0] ? plan_file(h, &p, message, size) : plan_box(h, &p, message, size);
  if (!status) status = create(h, &p, message, size);
  mesh_coarse_destroy(&p.coarse);
  return status;
}
