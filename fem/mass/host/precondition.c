/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Zone inverses on the host: fem/mass/precondition.h.
 *   host.sumfact   a block of LANES zones at a time, by sum factorisation; a simplex has one dense factor
 *   host.ref       zone by zone, plain loops
 */
#include <stdlib.h>

#include "fem/host/tensor.h"
#include "fem/mass/precondition.h"
#include "fem/tables.h"

static void zones_of(const fem_space *s, fem_part part, int *first, int *last)
{
  const int split = fem_first_zones(s); // 0 on one rank
  *first = part == FEM_SHARED ? 0 : split;
  *last = part == FEM_SHARED ? split : s->nzones;
}

/* ------------------------------------------------------------------ host.sumfact */

typedef struct inverse_blocks {
  int *dofs;     /* owned, [block][nd][LANES] */
  double *scale; /* owned, [block][nd][LANES] */
} inverse_blocks;

/* A direction with `inner` entries before it: out[o][i][j] = sum_l a[i][l] in[o][l][j], for a symmetric a. */
POINT_FN void along(int outer, int n, int inner, const double *a, const real *in, real *out)
{
  for (int o = 0; o < outer; o++, in += n * inner, out += n * inner)
    for (int i = 0; i < n; i++) tensor_sum(n, inner, a + i * n, in, out + i * inner);
}

POINT_FN void invert_blocks(const inverse_blocks *p, const double *inverse, int first, int last, int dim, int ndofs,
                            const double *r, double *z, int factors, int n)
{
  const int nd = fem_power(n, factors);
  real u[TENSOR_MAX_ZONE], v[TENSOR_MAX_ZONE];
  for (int b = tensor_blocks(first); b < tensor_blocks(last); b++) {
    const int *dofs = p->dofs + (int64_t)b * nd * LANES;
    const real *scale = (const real *)p->scale + (int64_t)b * nd;
    for (int c = 0; c < dim; c++) {
      tensor_gather(nd, dofs, r + (int64_t)c * ndofs, u);
      for (int i = 0; i < nd; i++) u[i] *= scale[i];
      along(nd / n, n, 1, inverse, u, v);
      if (factors >= 2) along(nd / n / n, n, n, inverse, v, u);
      if (factors == 3) along(1, n, n * n, inverse, u, v);
      real *out = factors == 2 ? u : v;
      for (int i = 0; i < nd; i++) out[i] *= scale[i];
      tensor_scatter(nd, last - b * LANES, dofs, out, z + (int64_t)c * ndofs);
    }
  }
}

typedef void invert_function(const inverse_blocks *p, const double *inverse, int first, int last, int dim, int ndofs,
                             const double *r, double *z);

#define SHAPE(DIM, N1, Q1) \
  static void invert_##DIM##_##N1(const inverse_blocks *p, const double *inverse, int first, int last, int dim, \
                                  int ndofs, const double *r, double *z) \
  { \
    (void)dim; \
    invert_blocks(p, inverse, first, last, DIM, ndofs, r, z, DIM, N1); \
  }
#include "fem/shapes.def"
#undef SHAPE

static invert_function *find_invert(const fem_space *s)
{
#define SHAPE(DIM, N1, Q1) \
  if (s->factors == s->dim && s->dim == DIM && s->d1 == N1) return invert_##DIM##_##N1;
#include "fem/shapes.def"
#undef SHAPE
  return NULL;
}

static int apply_sumfact(batched_ctx *ctx, fem_mass *m, fem_part part, const double *r, double *z)
{
  (void)ctx;
  const fem_space *s = m->space;
  invert_function *known = find_invert(s);
  int first, last;
  zones_of(s, part, &first, &last);
  if (known)
    known(m->zone_inverse->store, m->zone_inverse->inverse, first, last, s->dim, s->ndofs, r, z);
  else
    invert_blocks(m->zone_inverse->store, m->zone_inverse->inverse, first, last, s->dim, s->ndofs, r, z, s->factors,
                  s->d1);
  return BATCHED_SUCCESS;
}

static int setup_sumfact(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  const fem_space *s = m->space;
  inverse_blocks *p = m->zone_inverse->store = calloc(1, sizeof *p);
  if (!p) return BATCHED_NO_MEMORY;
  p->dofs = tensor_block_dofs(s->nzones, s->nd, s->dofs);
  p->scale = tensor_block_data(s->threads, s->nzones, s->nd, m->zone_inverse->scale);
  return p->dofs && p->scale ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

static void teardown_sumfact(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  inverse_blocks *p = m->zone_inverse->store;
  free(p->dofs);
  free(p->scale);
  free(p);
  m->zone_inverse->store = NULL;
}

static void constants_of_sumfact(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  const inverse_blocks *p = m->zone_inverse->store;
  const size_t nodes = (size_t)tensor_blocks(m->space->nzones) * LANES * (size_t)m->space->nd;
  visit(user, "the nodes of a preconditioner", p->dofs, sizeof(int) * nodes);
  visit(user, "the scale of a preconditioner", p->scale, sizeof(double) * nodes);
}

static const fem_precondition_functions sumfact = {.setup = setup_sumfact,
                                                   .apply = apply_sumfact,
                                                   .adds = true,
                                                   .teardown = teardown_sumfact,
                                                   .constants = constants_of_sumfact};

/* ------------------------------------------------------------------ host.ref */

static int setup_ref(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  const size_t n = (size_t)m->space->nzones * (size_t)m->space->nd;
  double *scale = m->zone_inverse->store = malloc(sizeof *scale * (n + 1));
  for (size_t i = 0; scale && i < n; i++) scale[i] = m->zone_inverse->scale[i];
  return scale ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

/* Entry (i, j) of the inverse of the reference zone's matrix. */
static double inverse_entry(const fem_space *s, const double *inverse, int i, int j)
{
  double product = 1.0;
  for (int d = 0; d < s->factors; d++, i /= s->d1, j /= s->d1) product *= inverse[i % s->d1 * s->d1 + j % s->d1];
  return product;
}

static int apply_ref(batched_ctx *ctx, fem_mass *m, fem_part part, const double *r, double *z)
{
  (void)ctx;
  const fem_space *s = m->space;
  int first, last;
  zones_of(s, part, &first, &last);
  for (int zone = first; zone < last; zone++) {
    const int *dofs = s->dofs + (int64_t)zone * s->nd;
    const double *scale = (const double *)m->zone_inverse->store + (int64_t)zone * s->nd;
    for (int i = 0; i < s->nd; i++)
      for (int j = 0; j < s->nd; j++) {
        const double entry = scale[i] * inverse_entry(s, m->zone_inverse->inverse, i, j) * scale[j];
        for (int64_t c = 0; c < s->dim; c++) z[c * s->ndofs + dofs[i]] += entry * r[c * s->ndofs + dofs[j]];
      }
  }
  return BATCHED_SUCCESS;
}

static void teardown_ref(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  free(m->zone_inverse->store);
  m->zone_inverse->store = NULL;
}

static void constants_of_ref(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  const size_t n = (size_t)m->space->nzones * (size_t)m->space->nd;
  visit(user, "the scale of a preconditioner", m->zone_inverse->store, sizeof(double) * n);
}

static const fem_precondition_functions ref = {
  .setup = setup_ref, .apply = apply_ref, .adds = true, .teardown = teardown_ref, .constants = constants_of_ref};

const batched_variant fem_host_precondition[] = {
  {.name = "host.sumfact", .functions = &sumfact},
  {.name = "host.ref", .functions = &ref},
  {0},
};
