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

/* The state of a zone block that grows. */
typedef struct growth {
  const fem_space *s;
  int most_zones, most_nodes; // of a zone block
  int last;                   // only zones below it are taken
  int capacity;               // zone blocks that there is memory for
  contacts around;
  bool *taken;     // owned, as all below; [nzones]
  int *score;      // [nzones]: corners that a candidate has in common with zones of the zone block; 0: no candidate
  int *candidates; // [nzones], in the order in which they came up
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
  g->taken = fem_zone_blocks_allocate(zones, sizeof *g->taken);
  g->score = fem_zone_blocks_allocate(zones, sizeof *g->score);
  g->candidates = fem_zone_blocks_allocate(zones, sizeof *g->candidates);
  g->mark = fem_zone_blocks_allocate((size_t)g->s->ndofs, sizeof *g->mark);
  return ok && g->taken && g->score && g->candidates && g->mark;
}

static void free_growth(growth *g)
{
  void *all[] = {g->around.start, g->around.zones, g->taken, g->score, g->candidates, g->mark};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Nodes that the zone block has not, but with this zone would have. */
static int new_nodes(const growth *g, int zone, int zone_block)
{
  int n = 0;
  for (int i = 0; i < g->s->nd; i++) n += g->mark[g->s->dofs[(int64_t)zone * g->s->nd + i]] != zone_block + 1;
  return n;
}

static void take(growth *g, int zone, int zone_block)
{
  g->taken[zone] = true;
  g->nodes += new_nodes(g, zone, zone_block);
  const int *dofs = g->s->dofs + (int64_t)zone * g->s->nd;
  for (int i = 0; i < g->s->nd; i++) g->mark[dofs[i]] = zone_block + 1;
  for (int corner = 0; corner < g->around.ncorners; corner++) {
    const int dof = dofs[g->around.corners[corner]];
    for (int j = g->around.start[dof]; j < g->around.start[dof + 1]; j++) {
      const int other = g->around.zones[j];
      if (g->taken[other] || other >= g->last) continue;
      if (g->score[other]++ == 0) g->candidates[g->ncandidates++] = other;
    }
  }
}

/* The candidate with the most contact, the earliest of equals; without candidates the first zone left; -1: none. */
static int best_zone(growth *g)
{
  int best = -1;
  for (int i = 0; i < g->ncandidates; i++) {
    const int z = g->candidates[i];
    if (!g->taken[z] && (best < 0 || g->score[z] > g->score[best])) best = z;
  }
  if (best >= 0) return best;
  while (g->next_seed < g->last && g->taken[g->next_seed]) g->next_seed++;
  return g->next_seed < g->last ? g->next_seed : -1;
}

/* The zones of one zone block, at least one if any is left; returns how many. */
static int grow(growth *g, int zone_block, int *zones)
{
  int n = 0;
  g->nodes = 0;
  while (n < g->most_zones) {
    const int z = best_zone(g);
    if (z < 0 || (n > 0 && g->nodes + new_nodes(g, z, zone_block) > g->most_nodes)) break;
    take(g, z, zone_block);
    zones[n++] = z;
  }
  for (int i = 0; i < g->ncandidates; i++) g->score[g->candidates[i]] = 0;
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

bool fem_zone_blocks_grow(fem_zone_blocks *p, const fem_space *s, int nodes)
{
  growth g = {.s = s, .most_zones = p->size, .most_nodes = nodes};
  bool ok = make_growth(&g) && grow_zone_blocks(&g, p, fem_first_zones(s));
  p->nfirst = p->nzone_blocks;
  ok = ok && grow_zone_blocks(&g, p, s->nzones);
  free_growth(&g);
  return ok;
}
