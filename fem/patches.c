/* SPDX-License-Identifier: BSD-3-Clause */
#include "patches.h"

#include <stdlib.h>
#include <string.h>

static void *allocate(size_t n, size_t size)
{
  return calloc(n ? n : 1, size);
}

/* ------------------------------------------------------------------ which zones go together */

/* The zones around each corner. */
typedef struct contacts {
  int ncorners;
  int corners[8];     // nodes of a zone
  int *start, *zones; // owned, by dof
} contacts;

/* A patch that grows. */
typedef struct growth {
  const fem_space *s;
  contacts around;
  bool *taken;     // owned, as all below; [nzones]
  int *score;      // [nzones]: corners that a candidate has in common with zones of the patch; 0: no candidate
  int *candidates; // in the order in which they came up
  int ncandidates;
  int *mark; // [ndofs]: the patch that counted this dof last, + 1
  int nodes, next_seed, last;
} growth;

static bool find_contacts(const fem_space *s, contacts *a)
{
  a->ncorners = 1 << s->dim;
  for (int corner = 0; corner < a->ncorners; corner++) {
    int i = 0;
    for (int d = s->dim - 1; d >= 0; d--) i = i * s->d1 + (corner >> d & 1 ? s->k : 0);
    a->corners[corner] = i;
  }
  a->start = allocate((size_t)s->ndofs + 2, sizeof(int));
  a->zones = allocate((size_t)s->nzones * (size_t)a->ncorners, sizeof(int));
  if (!a->start || !a->zones) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (int z = 0; z < s->nzones; z++)
      for (int corner = 0; corner < a->ncorners; corner++) {
        const int dof = s->dofs[(int64_t)z * s->nd + a->corners[corner]];
        if (pass == 0)
          a->start[dof + 2]++;
        else
          a->zones[a->start[dof + 1]++] = z;
      }
    if (pass == 0)
      for (int i = 0; i < s->ndofs; i++) a->start[i + 2] += a->start[i + 1];
  }
  return true;
}

static void free_growth(growth *g)
{
  void *all[] = {g->around.start, g->around.zones, g->taken, g->score, g->candidates, g->mark};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static int new_nodes(const growth *g, int zone, int patch)
{
  int n = 0;
  for (int i = 0; i < g->s->nd; i++) n += g->mark[g->s->dofs[(int64_t)zone * g->s->nd + i]] != patch + 1;
  return n;
}

static void take(growth *g, int zone, int patch)
{
  g->taken[zone] = true;
  g->nodes += new_nodes(g, zone, patch);
  const int *dofs = g->s->dofs + (int64_t)zone * g->s->nd;
  for (int i = 0; i < g->s->nd; i++) g->mark[dofs[i]] = patch + 1;
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

/* The zones of one patch; returns how many. */
static int grow(growth *g, int patch, int size, int nodes, int *zones)
{
  int n = 0;
  g->nodes = 0;
  for (int z = best_zone(g); z >= 0 && n < size; z = n < size ? best_zone(g) : -1) {
    if (n > 0 && g->nodes + new_nodes(g, z, patch) > nodes) break;
    take(g, z, patch);
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

static bool choose_zones(fem_patches *p, const fem_space *s, int nodes)
{
  growth g = {.s = s};
  bool ok = find_contacts(s, &g.around);
  g.taken = allocate((size_t)s->nzones, sizeof *g.taken);
  g.score = allocate((size_t)s->nzones, sizeof *g.score);
  g.candidates = allocate((size_t)s->nzones, sizeof *g.candidates);
  g.mark = allocate((size_t)s->ndofs, sizeof *g.mark);
  int capacity = s->nzones / p->size + 8;
  p->zone = allocate((size_t)capacity * (size_t)p->size, sizeof *p->zone);
  ok = ok && g.taken && g.score && g.candidates && g.mark && p->zone;
  for (int part = 0; part < 2 && ok; part++) {
    g.last = part == 0 ? fem_first_zones(s) : s->nzones;
    for (;;) {
      if (p->npatches == capacity) {
        int *more = realloc(p->zone, 2 * (size_t)capacity * (size_t)p->size * sizeof *more);
        ok = more;
        if (!ok) break;
        p->zone = more;
        capacity *= 2;
      }
      int *zones = p->zone + (int64_t)p->npatches * p->size;
      const int n = grow(&g, p->npatches, p->size, nodes, zones);
      if (n == 0) break;
      qsort(zones, (size_t)n, sizeof *zones, ascending);
      for (int i = n; i < p->size; i++) zones[i] = -1;
      p->npatches++;
    }
    if (part == 0) p->nfirst = p->npatches;
  }
  free_growth(&g);
  return ok;
}

/* ------------------------------------------------------------------ their nodes */

/* A node of a patch. */
typedef struct patch_node {
  int dof, places, first_place;
  bool outer; // zones of other patches have it, too
} patch_node;

/* Scratch memory: owned. */
typedef struct scratch {
  int *all,
    *here; // [ndofs]: zones of each dof, and those of the patch at hand; then its number among the patch's nodes
  int *first_place; // [ndofs]: of the patch at hand
  patch_node *list; // [size * nd]
  int *table;       // [table_size]: number of a numbering + 1, by its hash
  size_t table_size;
} scratch;

static void free_scratch(scratch *w)
{
  void *all[] = {w->all, w->here, w->first_place, w->list, w->table};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static bool make_scratch(const fem_patches *p, const fem_space *s, scratch *w)
{
  *w = (scratch){.table_size = 64};
  while (w->table_size < 4 * (size_t)p->npatches) w->table_size *= 2;
  w->all = allocate((size_t)s->ndofs, sizeof(int));
  w->here = allocate((size_t)s->ndofs, sizeof(int));
  w->first_place = allocate((size_t)s->ndofs, sizeof(int));
  w->list = allocate((size_t)p->size * (size_t)s->nd, sizeof *w->list);
  w->table = allocate(w->table_size, sizeof(int));
  return w->all && w->here && w->first_place && w->list && w->table;
}

/* Inner nodes before outer ones, then those with more places first, then by the first place. */
static int by_places(const void *a, const void *b)
{
  const patch_node *x = a, *y = b;
  if (x->outer != y->outer) return x->outer ? 1 : -1;
  if (x->places != y->places) return x->places > y->places ? -1 : 1;
  return (x->first_place > y->first_place) - (x->first_place < y->first_place);
}

/* The dofs of the patch's zones, to w->list, in any order; returns how many. */
static int find_nodes(const fem_patches *p, const fem_space *s, const int *zones, scratch *w)
{
  int n = 0;
  for (int z = 0; z < p->size && zones[z] >= 0; z++)
    for (int i = 0; i < s->nd; i++) {
      const int dof = s->dofs[(int64_t)zones[z] * s->nd + i], place = i * p->stride + z;
      if (w->here[dof] == 0) w->list[n++].dof = dof;
      if (w->here[dof]++ == 0 || place < w->first_place[dof]) w->first_place[dof] = place;
    }
  return n;
}

/* The nodes of patch k, to p->node. */
static void list_nodes(fem_patches *p, const fem_space *s, int k, scratch *w)
{
  int *nodes = p->node + p->node_start[k];
  const int n = find_nodes(p, s, p->zone + (int64_t)k * p->size, w);
  p->ninner[k] = 0;
  for (int i = 0; i < n; i++) {
    patch_node *node = w->list + i;
    node->places = w->here[node->dof];
    node->first_place = w->first_place[node->dof];
    node->outer = node->places < w->all[node->dof];
    p->ninner[k] += !node->outer;
  }
  qsort(w->list, (size_t)n, sizeof *w->list, by_places);
  for (int i = 0; i < n; i++) {
    nodes[i] = w->list[i].dof;
    w->here[nodes[i]] = i;
  }
  p->node_start[k + 1] = p->node_start[k] + n;
  p->slot_start[k + 1] = p->slot_start[k] + n - p->ninner[k];
  if (n > p->most_nodes) p->most_nodes = n;
}

/* ------------------------------------------------------------------ how their zones hang together */

static size_t hash(const uint16_t *x, size_t n)
{
  uint64_t h = 14695981039346656037u; // Fowler, Noll and Vo's
  for (size_t i = 0; i < n; i++) h = (h ^ x[i]) * 1099511628211u;
  return (size_t)(h ^ h >> 29);
}

/* The numbering of patch k among those that there are, or a new one. */
static bool find_numbering(fem_patches *p, const fem_space *s, int k, scratch *w, int *capacity)
{
  const size_t n = (size_t)s->nd * (size_t)p->stride;
  if (p->nnumberings == *capacity) {
    *capacity = *capacity ? 2 * *capacity : 32;
    uint16_t *more = realloc(p->local, (size_t)*capacity * n * sizeof *more);
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

/* The rows of each chunk, of a numbering whose patch has these zones; count [most_nodes] is scratch memory. */
static void list_chunks(fem_patches *p, const fem_space *s, int numbering, int nzones, int *count)
{
  const uint16_t *local = p->local + (int64_t)numbering * s->nd * p->stride;
  uint16_t *start = p->chunk_start + (int64_t)numbering * (p->nchunks + 1);
  memset(count, 0, (size_t)p->most_nodes * sizeof *count);
  for (int z = 0; z < nzones; z++)
    for (int i = 0; i < s->nd; i++) count[local[i * p->stride + z]]++;
  start[0] = 0;
  for (int c = 0; c < p->nchunks; c++) {
    int rows = 0;
    for (int i = c * FEM_CHUNK; i < (c + 1) * FEM_CHUNK && i < p->most_nodes; i++)
      if (count[i] > rows) rows = count[i];
    start[c + 1] = (uint16_t)(start[c] + rows);
  }
  if (start[p->nchunks] > p->most_rows) p->most_rows = start[p->nchunks];
}

/* The places of each node, likewise. */
static void list_places(fem_patches *p, const fem_space *s, int numbering, int nzones, int *count)
{
  const uint16_t *local = p->local + (int64_t)numbering * s->nd * p->stride;
  const uint16_t *start = p->chunk_start + (int64_t)numbering * (p->nchunks + 1);
  uint16_t *place = p->place + (int64_t)numbering * p->most_rows * FEM_CHUNK;
  memset(count, 0, (size_t)p->most_nodes * sizeof *count);
  for (int i = 0; i < p->most_rows * FEM_CHUNK; i++) place[i] = (uint16_t)p->size;
  for (int z = 0; z < nzones; z++)
    for (int i = 0; i < s->nd; i++) {
      const int node = local[i * p->stride + z], row = start[node / FEM_CHUNK] + count[node]++;
      place[row * FEM_CHUNK + node % FEM_CHUNK] = (uint16_t)(i * p->stride + z);
    }
}

static int zones_of(const fem_patches *p, int k)
{
  int n = 0;
  while (n < p->size && p->zone[(int64_t)k * p->size + n] >= 0) n++;
  return n;
}

static bool number_nodes(fem_patches *p, const fem_space *s)
{
  scratch w;
  int capacity = 0;
  const size_t touches = (size_t)s->nzones * (size_t)s->nd;
  bool ok = make_scratch(p, s, &w);
  p->node_start = allocate((size_t)p->npatches + 1, sizeof(int));
  p->slot_start = allocate((size_t)p->npatches + 1, sizeof(int));
  p->ninner = allocate((size_t)p->npatches, sizeof(int));
  p->numbering = allocate((size_t)p->npatches, sizeof(int));
  p->node = allocate(touches, sizeof(int));
  ok = ok && p->node_start && p->slot_start && p->ninner && p->numbering && p->node;
  for (size_t i = 0; i < touches && ok; i++) w.all[s->dofs[i]]++;
  for (int k = 0; k < p->npatches && ok; k++) {
    list_nodes(p, s, k, &w);
    ok = find_numbering(p, s, k, &w, &capacity);
    for (int i = p->node_start[k]; i < p->node_start[k + 1]; i++) w.here[p->node[i]] = 0;
  }
  free_scratch(&w);
  return ok;
}

static bool list_all_places(fem_patches *p, const fem_space *s)
{
  int *count = allocate((size_t)p->most_nodes, sizeof *count);
  p->nchunks = (p->most_nodes + FEM_CHUNK - 1) / FEM_CHUNK;
  p->chunk_start = allocate((size_t)p->nnumberings * ((size_t)p->nchunks + 1), sizeof *p->chunk_start);
  if (!count || !p->chunk_start) {
    free(count);
    return false;
  }
  for (int k = 0, next = 0; k < p->npatches; k++) // numberings were found in this order
    if (p->numbering[k] == next) list_chunks(p, s, next++, zones_of(p, k), count);
  p->place = allocate((size_t)p->nnumberings * (size_t)p->most_rows * FEM_CHUNK, sizeof *p->place);
  for (int k = 0, next = 0; k < p->npatches && p->place; k++)
    if (p->numbering[k] == next) list_places(p, s, next++, zones_of(p, k), count);
  free(count);
  return p->place;
}

int fem_patches_create(fem_patches **patches, const fem_space *s, int size, int stride, int nodes)
{
  fem_patches *p = *patches = calloc(1, sizeof *p);
  if (!p) return BATCHED_NO_MEMORY;
  p->size = size, p->stride = stride;
  if (choose_zones(p, s, nodes) && number_nodes(p, s) && list_all_places(p, s)) return BATCHED_SUCCESS;
  fem_patches_destroy(patches);
  return BATCHED_NO_MEMORY;
}

void fem_patches_destroy(fem_patches **patches)
{
  fem_patches *p = *patches;
  if (!p) return;
  void *all[] = {p->zone,      p->node_start, p->node,  p->ninner,     p->slot_start,
                 p->numbering, p->local,      p->place, p->chunk_start};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(p);
  *patches = NULL;
}
