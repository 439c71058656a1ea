/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>

#include "mesh/partition/partition.h"

/* Tests whether the largest block is at most a tenth above the mean. */
static bool is_balanced(const int n[3], const int p[3], int nranks)
{
  int64_t largest = 1;
  for (int d = 0; d < 3; d++) largest *= (n[d] + (int64_t)p[d] - 1) / p[d];
  return (double)largest * nranks <= 1.1 * (double)mesh_cells(n);
}

static mesh_partition choose(const mesh_coarse *c, const int subdivision[3], const int blocks[3], int nranks)
{
  if (c->nzones > 1) return MESH_METIS;
  return is_balanced(subdivision, blocks, nranks) ? MESH_BLOCK : MESH_HILBERT;
}

int mesh_partition_zones(mesh_share *share, const mesh_coarse *c, const int subdivision[3], mesh_partition how,
                         const int *blocks, int nranks, int rank)
{
  int grid[3] = {1, 1, 1};
  if (blocks)
    for (int d = 0; d < c->dim; d++) grid[d] = blocks[d];
  else
    mesh_block_grid(subdivision, nranks, grid);
  assert(c->nzones > 1 || (int64_t)grid[0] * grid[1] * grid[2] == nranks);
  if (how == MESH_AUTO) how = choose(c, subdivision, grid, nranks);
  if (how == MESH_BLOCK && c->nzones == 1) return mesh_partition_block(share, subdivision, grid, rank);
  if (how == MESH_HILBERT) return mesh_partition_hilbert(share, c, subdivision, nranks, rank);
  if (how == MESH_METIS) {
    int status = mesh_partition_metis(share, c, subdivision, nranks, rank);
    if (status >= 0) return status;
  }
  return mesh_partition_rcb(share, c, subdivision, nranks, rank);
}
