/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "fem/late.h"
#include "fem/tables.h"

static batched_cost cost(const void *p)
{
  const fem_space *s = ((const fem_energies_args *)p)->space;
  const double points = (double)s->nzones * s->nq;
  return (batched_cost){.bytes = 8.0 * (points + (double)s->nzones * s->nt + (double)s->dim * s->ndofs)};
}

const batched_op fem_energies_op = {
  .name = "energies",
  .key = "energies",
  .variants = {fem_host_energies, fem_cuda_energies},
  .cost = cost,
};

int fem_energies_here(batched_ctx *ctx, const fem_space *s, const fem_material *m, const double *v, const double *e,
                      double *sums)
{
  return batched_run(ctx, &fem_energies_op,
                     &(fem_energies_args){.space = s, .material = m, .v = v, .e = e, .sums = sums});
}

int fem_energies(batched_ctx *ctx, const fem_space *s, const fem_material *m, const double *v, const double *e,
                 double *internal, double *kinetic)
{
  double sums[2], *there = batched_scratch_push(ctx, sizeof sums);
  int status = there ? fem_energies_here(ctx, s, m, v, e, there) : BATCHED_NO_MEMORY;
  if (!status) status = batched_copy_to_host(ctx, sums, there, sizeof sums);
  if (there) batched_scratch_pop(ctx);
  if (status) sums[0] = sums[1] = NAN;
  comm_sum(sums, 2);
  *internal = sums[0];
  *kinetic = sums[1];
  return status;
}
