/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/host/tensor.h"

#include <stdlib.h>

int *tensor_block_dofs(int nzones, int n, const int *dofs)
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

double *tensor_block_data(int nzones, int n, const double *data)
{
  const int nblocks = tensor_blocks(nzones);
  size_t bytes = sizeof(double) * ((size_t)nblocks * (size_t)n + 1) * LANES;
  double *out = aligned_alloc(sizeof(real), bytes);
  for (int b = 0; out && b < nblocks; b++)
    for (int i = 0; i < n; i++)
      for (int l = 0; l < LANES; l++) {
        const int64_t zone = (int64_t)b * LANES + l;
        out[((int64_t)b * n + i) * LANES + l] = data[(zone < nzones ? zone : nzones - 1) * n + i];
      }
  return out;
}
