/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/mass/zone_blocks_steps.h"

#include <stdlib.h>
#include <string.h>

void *fem_zone_blocks_allocate(size_t n, size_t size)
{
  return calloc(n ? n : 1, size);
}

/* The rows of each chunk, of a numbering whose zone block has these zones; count [most_nodes] is scratch memory. */
static void list_chunks(fem_zone_blocks *p, const fem_space *s, int numbering, int nzones, int *count)
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
static void list_places(fem_zone_blocks *p, const fem_space *s, int numbering, int nzones, int *count)
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

static int zones_of(const fem_zone_blocks *p, int k)
{
  int n = 0;
  while (n < p->size && p->zone[(int64_t)k * p->size + n] >= 0) n++;
  return n;
}

static bool list_all_places(fem_zone_blocks *p, const fem_space *s)
{
  int *count = fem_zone_blocks_allocate((size_t)p->most_nodes, sizeof *count);
  p->nchunks = (p->most_nodes + FEM_CHUNK - 1) / FEM_CHUNK;
  p->chunk_start = fem_zone_blocks_allocate((size_t)p->nnumberings * ((size_t)p->nchunks + 1), sizeof *p->chunk_start);
  if (!count || !p->chunk_start) {
    free(count);
    return false;
  }
  for (int k = 0, next = 0; k < p->nzone_blocks; k++) // numberings were found in this order
    if (p->numbering[k] == next) list_chunks(p, s, next++, zones_of(p, k), count);
  p->place = fem_zone_blocks_allocate((size_t)p->nnumberings * (size_t)p->most_rows * FEM_CHUNK, sizeof *p->place);
  for (int k = 0, next = 0; k < p->nzone_blocks && p->place; k++)
    if (p->numbering[k] == next) list_places(p, s, next++, zones_of(p, k), count);
  free(count);
  return p->place;
}

int fem_zone_blocks_create(fem_zone_blocks **zone_blocks, const fem_space *s, int first, int size, int stride,
                           int nodes)
{
  fem_zone_blocks *p = *zone_blocks = calloc(1, sizeof *p);
  if (!p) return BATCHED_NO_MEMORY;
  p->size = size, p->stride = stride;
  if (fem_zone_blocks_grow(p, s, first, nodes) && fem_zone_blocks_number(p, s) && list_all_places(p, s))
    return BATCHED_SUCCESS;
  fem_zone_blocks_destroy(zone_blocks);
  return BATCHED_NO_MEMORY;
}

void fem_zone_blocks_destroy(fem_zone_blocks **zone_blocks)
{
  fem_zone_blocks *p = *zone_blocks;
  if (!p) return;
  void *all[] = {p->zone,      p->node_start, p->node,  p->ninner,     p->slot_start,
                 p->numbering, p->local,      p->place, p->chunk_start};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(p);
  *zone_blocks = NULL;
}
