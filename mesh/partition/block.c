/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "mesh/partition/partition.h"

int64_t mesh_cells(const int subdivision[3])
{
  return (int64_t)subdivision[0] * subdivision[1] * subdivision[2];
}

/* Zones of the largest block, and how many zone faces it shares with others. */
static void largest_block(const int n[3], const int p[3], int64_t *zones, int64_t *surface)
{
  int64_t b[3];
  for (int d = 0; d < 3; d++) b[d] = (n[d] + (int64_t)p[d] - 1) / p[d];
  *zones = b[0] * b[1] * b[2];
  *surface = 0;
  for (int d = 0; d < 3; d++) *surface += *zones / b[d] * (p[d] > 2 ? 2 : p[d] - 1);
}

void mesh_block_grid(const int subdivision[3], int nranks, int blocks[3])
{
  int64_t best_zones = INT64_MAX, best_surface = INT64_MAX;
  for (int p0 = 1; p0 <= nranks; p0++) {
    if (nranks % p0) continue;
    for (int p1 = 1; p1 <= nranks / p0; p1++) {
      if (nranks / p0 % p1) continue;
      int p[3] = {p0, p1, nranks / p0 / p1};
      int64_t zones, surface;
      largest_block(subdivision, p, &zones, &surface);
      if (zones > best_zones || (zones == best_zones && surface >= best_surface)) continue;
      best_zones = zones, best_surface = surface;
      for (int d = 0; d < 3; d++) blocks[d] = p[d];
    }
  }
}

int mesh_partition_block(mesh_share *share, const int subdivision[3], const int blocks[3], int rank)
{
  int from[3], to[3];
  share->nzones = 1;
  for (int d = 0; d < 3; d++) {
    int b = rank % blocks[d];
    rank /= blocks[d];
    from[d] = (int)((int64_t)b * subdivision[d] / blocks[d]);
    to[d] = (int)((b + (int64_t)1) * subdivision[d] / blocks[d]);
    share->nzones *= to[d] - from[d];
  }
  int64_t *id = share->zone_ids = malloc(((size_t)share->nzones + 1) * sizeof *share->zone_ids);
  if (!id) return STATUS_MACHINE;
  for (int k = from[2]; k < to[2]; k++)
    for (int j = from[1]; j < to[1]; j++)
      for (int i = from[0]; i < to[0]; i++) *id++ = i + (int64_t)subdivision[0] * (j + (int64_t)subdivision[1] * k);
  return 0;
}
