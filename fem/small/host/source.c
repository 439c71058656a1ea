/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "fem/fem.h"
#include "fem/point/point.h"
#include "fem/tables.h"

static int run_ref(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const fem_source_args *args = p;
  const fem_space *s = args->space;
  const fem_material *m = args->material;
  const int dim = s->dim, nq = s->nq;
  fem_rule r;
  double *jacobian = malloc(sizeof(double) * (size_t)(nq * dim * dim)),
         *position = malloc(sizeof(double) * (size_t)(nq * dim));
  if (fem_rule_create_own(&r, s) || !jacobian || !position) {
    fem_rule_destroy(&r);
    free(jacobian);
    free(position);
    return BATCHED_NO_MEMORY;
  }
  for (int z = 0; z < s->nzones; z++) {
    fem_rule_gradients(&r, s, z, dim, args->x, jacobian);
    fem_rule_values(&r, s, z, dim, args->x, position);
    for (int q = 0; q < nq; q++) {
      double strength =
        s->weight[q] * fem_determinant(dim, jacobian + q * dim * dim) * point_source_at(m->source, position + q * dim);
      for (int j = 0; j < s->nt; j++)
        args->out[(int64_t)z * s->nt + j] += strength * fem_basis_at(s, s->t1, s->bt, -1, NULL, j, q);
    }
  }
  fem_rule_destroy(&r);
  free(jacobian);
  free(position);
  return BATCHED_SUCCESS;
}

const batched_variant fem_host_source[] = {
  {.name = "host.ref", .run = run_ref},
  {0},
};
