/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/host/tensor.h"

#include <stdlib.h>

#include "mesh/comm/share.h"

enum { BLOCKS_EACH = 256 }; /* of a chunk */

static int *block_dofs(int nzones, int n, const int *dofs)
{
  const int nblocks = tensor_blocks(nzones);
  int *out = malloc(sizeof *out * ((size_t)nblocks * (size_t)n * LANES + 1));
  for (int b = 0; out && b < nblocks; b++)
    for (int i = 0; i < n; i++)
      for (int l = 0; l < LANES; l++) {
        const int64_t zone = (int64_t)b * LANES + l;
        out[((int64_t)b * n + i) * LANES + l] = dofs[(zone < nzones ? zone : nzones - 1) * n + i];
      }
  return out;
}

bool tensor_nodes_create(int nzones, int n1, int n, const int *zone_dofs, int **dofs, int **runs)
{
  *dofs = block_dofs(nzones, n, zone_dofs);
  *runs = malloc(sizeof **runs * ((size_t)tensor_blocks(nzones) * (size_t)tensor_runs(n) + 1));
  if (*dofs && *runs) tensor_find_runs(nzones, n1, n, *dofs, *runs);
  return *dofs && *runs;
}

typedef struct blocking {
  int nzones, n;
  const double *data;
  double *out;
} blocking;

static int block_zones(void *data, int chunk, int first, int end)
{
  const blocking *x = data;
  const int n = x->n;
  (void)chunk;
  for (int64_t b = first; b < end; b++)
    for (int i = 0; i < n; i++)
      for (int l = 0; l < LANES; l++) {
        const int64_t zone = b * LANES + l;
        x->out[(b * n + i) * LANES + l] = x->data[(zone < x->nzones ? zone : x->nzones - 1) * n + i];
      }
  return 0;
}

double *tensor_block_data(int threads, int nzones, int n, const double *data)
{
  const int nblocks = tensor_blocks(nzones);
  blocking x = {nzones, n, data, comm_allocate_large(sizeof(double) * ((size_t)nblocks * (size_t)n + 1) * LANES)};
  if (x.out) comm_share_out(threads, nblocks, BLOCKS_EACH, block_zones, &x);
  return x.out;
}
