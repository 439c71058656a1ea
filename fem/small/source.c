/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/fem.h"
#include "fem/tables.h"

const batched_op fem_source_op = {
  .name = "source",
  .key = "source",
  .variants = {fem_host_source, fem_cuda_source},
};

int fem_source_add(batched_ctx *ctx, const fem_space *s, const fem_material *m, const double *x, double *out)
{
  if (m->source == POINT_NO_SOURCE) return BATCHED_SUCCESS;
  return batched_run(ctx, &fem_source_op, &(fem_source_args){.space = s, .material = m, .x = x, .out = out});
}
