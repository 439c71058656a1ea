/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which zones go together: zone blocks grow one after the other, from the first zone left, by the neighbour with which
 * they have most corners in common.
 */
#include "fem/mass/zone_blocks_steps.h"

#include <stdlib.h>

/* The zones around each corner: those of a dof are zones[start[dof]] up to zones[start[dof + 1]]. */
typedef struct contacts {
  int ncorners;
  int corners[8];     // nodes of a zone
  int *start, *zones; // owned
} contacts;

enum { NONE = 0, TAKEN = -1 }; // slots

/* The state of a zone block that grows. */
typedef struct growth {
  const fem_space *s;
  int most_zones, most_nodes; // of a zone block
  int last;                   // only zones below it are taken
  int capacity;               // zone blocks that there is memory for
  contacts around;
  int *slot;       // owned, as all below; [nzones]: a candidate's place among the candidates, + 1; NONE; or TAKEN
  int *candidates; // [nzones], in the order in which they came up
  int64_t *merit;  // [nzones], of each candidate: see merit_of
  int ncandidates;
  int *mark; // [ndofs]: the zone block that counted this dof last, + 1
  int nodes; // of the zone block
  int next_seed;
} growth;

static int corner_dof(const fem_space *s, const contacts *a, int zone, int corner)
{
  return s->dofs[(int64_t)zone * s->nd + a->corners[corner]];
}

static bool find_contacts(const fem_space *s, contacts *a)
{
  a->ncorners = 1 << s->dim;
  for (int corner = 0; corner < a->ncorners; corner++) {
    int i = 0;
    for (int d = s->dim - 1; d >= 0; d--) i = i * s->d1 + (corner >> d & 1 ? s->k : 0);
    a->corners[corner] = i;
  }
  a->start = fem_zone_blocks_allocate((size_t)s->ndofs + 2, sizeof(int));
  a->zones = fem_zone_blocks_allocate((size_t)s->nzones * (size_t)a->ncorners, sizeof(int));
  if (!a->start || !a->zones) return false;
  for (int z = 0; z < s->nzones; z++)
    for (int corner = 0; corner < a->ncorners; corner++) a->start[corner_dof(s, a, z, corner) + 2]++;
  for (int i = 0; i < s->ndofs; i++) a->start[i + 2] += a->start[i + 1];
  for (int z = 0; z < s->nzones; z++) // start[dof + 1]: where its next zone goes, in the end one after its last
    for (int corner = 0; corner < a->ncorners; corner++) a->zones[a->start[corner_dof(s, a, z, corner) + 1]++] = z;
  return true;
}

static bool make_growth(growth *g)
{
  const size_t zones = (size_t)g->s->nzones;
  const bool ok = find_contacts(g->s, &g->around);
  g->slot = fem_zone_blocks_allocate(zones, sizeof *g->slot);
  g->candidates = fem_zone_blocks_allocate(zones, sizeof *g->candidates);
  g->merit = fem_zone_blocks_allocate(zones, sizeof *g->merit);
  g->mark = fem_zone_blocks_allocate((size_t)g->s->ndofs, sizeof *g->mark);
  return ok && g->slot && g->candidates && g->merit && g->mark;
}

static void free_growth(growth *g)
{
  void *all[] = {g->around.start, g->around.zones, g->slot, g->candidates, g->merit, g->mark};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Nodes that the zone block has not, but with this zone would have. */
static int new_nodes(const growth *g, int zone, int zone_block)
{
  int n = 0;
  for (int i = 0; i < g->s->nd; i++) n += g->mark[g->s->dofs[(int64_t)zone * g->s->nd + i]] != zone_block + 1;
  return n;
}

/* Larger for more corners in common with zones of the zone block, then for earlier candidates; 0: taken. */
static int64_t merit_of(int corners, int slot)
{
  return ((int64_t)corners << 32) | (INT32_MAX - slot);
}

/* One more corner in common with a zone that is left. */
static void touch(growth *g, int zone)
{
  int slot = g->slot[zone];
  if (slot == NONE) {
    g->slot[zone] = slot = ++g->ncandidates;
    g->candidates[slot - 1] = zone;
    g->merit[slot - 1] = merit_of(0, slot - 1);
  }
  g->merit[slot - 1] += INT64_C(1) << 32;
}

static void take(growth *g, int zone, int zone_block)
{
  if (g->slot[zone] != NONE) g->merit[g->slot[zone] - 1] = 0;
  g->slot[zone] = TAKEN;
  const int *dofs = g->s->dofs + (int64_t)zone * g->s->nd;
  for (int i = 0; i < g->s->nd; i++) g->mark[dofs[i]] = zone_block + 1;
  for (int corner = 0; corner < g->around.ncorners; corner++) {
    const int dof = dofs[g->around.corners[corner]];
    for (int j = g->around.start[dof]; j < g->around.start[dof + 1]; j++) {
      const int other = g->around.zones[j];
      if (other < g->last && g->slot[other] != TAKEN) touch(g, other);
    }
  }
}

/* The candidate with the most contact, the earliest of equals; without candidates the first zone left; -1: none. */
static int best_zone(growth *g)
{
  int64_t best = 0;
  for (int i = 0; i < g->ncandidates; i++) best = g->merit[i] > best ? g->merit[i] : best;
  if (best > 0) return g->candidates[INT32_MAX - (int)(best & INT32_MAX)];
  while (g->next_seed < g->last && g->slot[g->next_seed] == TAKEN) g->next_seed++;
  return g->next_seed < g->last ? g->next_seed : -1;
}

/* The zones of one zone block, at least one if any is left; returns how many. */
static int grow(growth *g, int zone_block, int *zones)
{
  int n = 0;
  g->nodes = 0;
  while (n < g->most_zones) {
    const int z = best_zone(g), more = z < 0 ? 0 : new_nodes(g, z, zone_block);
    if (z < 0 || (n > 0 && g->nodes + more > g->most_nodes)) break;
    g->nodes += more;
    take(g, z, zone_block);
    zones[n++] = z;
  }
  for (int i = 0; i < g->ncandidates; i++)
    if (g->merit[i] > 0) g->slot[g->candidates[i]] = NONE;
  g->ncandidates = 0;
  return n;
}

static int ascending(const void *a, const void *b)
{
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Room for the zones of the next zone block; NULL: out of memory. */
static int *room_for_zone_block(growth *g, fem_zone_blocks *p)
{
  if (p->nzone_blocks == g->capacity) {
    const int capacity = g->capacity ? 2 * g->capacity : g->s->nzones / p->size + 8;
    int *more = realloc(p->zone, (size_t)capacity * (size_t)p->size * sizeof *more);
    if (!more) return NULL;
    p->zone = more;
    g->capacity = capacity;
  }
  return p->zone + (int64_t)p->nzone_blocks * p->size;
}

/* Zone blocks of all zones below `last` that are not taken. */
static bool grow_zone_blocks(growth *g, fem_zone_blocks *p, int last)
{
  g->last = last;
  for (;;) {
    int *zones = room_for_zone_block(g, p);
    if (!zones) return false;
    const int n = grow(g, p->nzone_blocks, zones);
    if (n == 0) return true;
    qsort(zones, (size_t)n, sizeof *zones, ascending);
    for (int i = n; i < p->size; i++) zones[i] = -1;
    p->nzone_blocks++;
  }
}

bool fem_zone_blocks_grow(fem_zone_blocks *p, const fem_space *s, int first, int nodes)
{
  growth g = {.s = s, .most_zones = p->size, .most_nodes = nodes};
  bool ok = make_growth(&g) && grow_zone_blocks(&g, p, first);
  p->nfirst = p->nzone_blocks;
  ok = ok && grow_zone_blocks(&g, p, s->nzones);
  free_growth(&g);
  return ok;
}
