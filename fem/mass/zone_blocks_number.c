/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The nodes of each zone block and their numbers in it.  Zone blocks whose zones hang together in the same way share
 * one numbering.
 */
#include "fem/mass/zone_blocks_steps.h"

#include <stdlib.h>
#include <string.h>

/* Scratch memory: owned. */
typedef struct scratch {
  int *all;   // [ndofs]: zones of each dof
  int *here;  // [ndofs]: those of the zone block at hand; then the dof's number among its nodes
  int *list;  // [size * nd]: dofs of the zone block at hand
  int *start; // [2 (size + 1) + 1]: where nodes of a rank begin
  int *table; // [table_size]: number of a numbering + 1, by its hash
  size_t table_size;
  int capacity; // numberings that there is memory for
} scratch;

static void free_scratch(scratch *w)
{
  void *all[] = {w->all, w->here, w->list, w->start, w->table};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static bool make_scratch(const fem_zone_blocks *p, const fem_space *s, scratch *w)
{
  *w = (scratch){.table_size = 64};
  while (w->table_size < 4 * (size_t)p->nzone_blocks) w->table_size *= 2;
  w->all = fem_zone_blocks_allocate((size_t)s->ndofs, sizeof(int));
  w->here = fem_zone_blocks_allocate((size_t)s->ndofs, sizeof(int));
  w->list = fem_zone_blocks_allocate((size_t)p->size * (size_t)s->nd, sizeof *w->list);
  w->start = fem_zone_blocks_allocate(2 * (size_t)p->size + 3, sizeof(int));
  w->table = fem_zone_blocks_allocate(w->table_size, sizeof(int));
  return w->all && w->here && w->list && w->start && w->table;
}

/* The dofs of the zone block's zones, to w->list, by their first place; returns how many. */
static int find_nodes(const fem_zone_blocks *p, const fem_space *s, const int *zones, scratch *w)
{
  int n = 0;
  for (int i = 0; i < s->nd; i++)
    for (int z = 0; z < p->size && zones[z] >= 0; z++) {
      const int dof = s->dofs[(int64_t)zones[z] * s->nd + i];
      if (w->here[dof]++ == 0) w->list[n++] = dof;
    }
  return n;
}

/* Inner nodes before outer ones, then those with more places first, then by the first place. */
static int rank_of(const fem_zone_blocks *p, const scratch *w, int dof)
{
  const bool outer = w->here[dof] < w->all[dof];
  return (outer ? p->size + 1 : 0) + p->size - w->here[dof];
}

/* The nodes of zone block k, to p->node, sorted by counting those of each rank. */
static void list_nodes(fem_zone_blocks *p, const fem_space *s, int k, scratch *w)
{
  int *nodes = p->node + p->node_start[k], *start = w->start;
  const int n = find_nodes(p, s, p->zone + (int64_t)k * p->size, w), ranks = 2 * (p->size + 1);
  memset(start, 0, ((size_t)ranks + 1) * sizeof *start);
  for (int i = 0; i < n; i++) start[rank_of(p, w, w->list[i]) + 1]++;
  for (int r = 0; r < ranks; r++) start[r + 1] += start[r];
  p->ninner[k] = start[p->size + 1];
  for (int i = 0; i < n; i++) nodes[start[rank_of(p, w, w->list[i])]++] = w->list[i];
  for (int i = 0; i < n; i++) w->here[nodes[i]] = i;
  p->node_start[k + 1] = p->node_start[k] + n;
  p->slot_start[k + 1] = p->slot_start[k] + n - p->ninner[k];
  if (n > p->most_nodes) p->most_nodes = n;
}

static size_t hash(const uint16_t *x, size_t n)
{
  uint64_t h = 14695981039346656037u; // Fowler, Noll and Vo's
  for (size_t i = 0; i < n; i++) h = (h ^ x[i]) * 1099511628211u;
  return (size_t)(h ^ h >> 29);
}

/* The numbering of zone block k among those that there are, or a new one. */
static bool find_numbering(fem_zone_blocks *p, const fem_space *s, int k, scratch *w)
{
  const size_t n = (size_t)s->nd * (size_t)p->stride;
  if (p->nnumberings == w->capacity) {
    w->capacity = w->capacity ? 2 * w->capacity : 32;
    uint16_t *more = realloc(p->local, (size_t)w->capacity * n * sizeof *more);
    if (!more) return false;
    p->local = more;
  }
  uint16_t *mine = p->local + (size_t)p->nnumberings * n;
  const int *zones = p->zone + (int64_t)k * p->size;
  memset(mine, 0, n * sizeof *mine);
  for (int z = 0; z < p->size && zones[z] >= 0; z++)
    for (int i = 0; i < s->nd; i++) mine[i * p->stride + z] = (uint16_t)w->here[s->dofs[(int64_t)zones[z] * s->nd + i]];
  size_t at = hash(mine, n) & (w->table_size - 1);
  while (w->table[at] && memcmp(p->local + (size_t)(w->table[at] - 1) * n, mine, n * sizeof *mine) != 0)
    at = (at + 1) & (w->table_size - 1);
  if (!w->table[at]) w->table[at] = ++p->nnumberings;
  p->numbering[k] = w->table[at] - 1;
  return true;
}

bool fem_zone_blocks_number(fem_zone_blocks *p, const fem_space *s)
{
  scratch w;
  const size_t touches = (size_t)s->nzones * (size_t)s->nd;
  bool ok = make_scratch(p, s, &w);
  p->node_start = fem_zone_blocks_allocate((size_t)p->nzone_blocks + 1, sizeof(int));
  p->slot_start = fem_zone_blocks_allocate((size_t)p->nzone_blocks + 1, sizeof(int));
  p->ninner = fem_zone_blocks_allocate((size_t)p->nzone_blocks, sizeof(int));
  p->numbering = fem_zone_blocks_allocate((size_t)p->nzone_blocks, sizeof(int));
  p->node = fem_zone_blocks_allocate(touches, sizeof(int));
  ok = ok && p->node_start && p->slot_start && p->ninner && p->numbering && p->node;
  for (size_t i = 0; i < touches && ok; i++) w.all[s->dofs[i]]++;
  for (int k = 0; k < p->nzone_blocks && ok; k++) {
    list_nodes(p, s, k, &w);
    ok = find_numbering(p, s, k, &w);
    for (int i = p->node_start[k]; i < p->node_start[k + 1]; i++) w.here[p->node[i]] = 0;
  }
  free_scratch(&w);
  return ok;
}
