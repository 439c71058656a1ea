/* SPDX-License-Identifier: BSD-3-Clause
 *
 * On the host: the steps of ge2gb and unmbr_ge2gb, and the rows made of them.
 */
#include "batched/two_stage/general_steps.h"
#include "batched/host/rows.h"

#define BODY "batched/two_stage/host/general_steps_body.h"
#include "batched/host/each_type.h"

static int find_sizes(batched_ctx *ctx, const batched_matrix *a, int first, int kd, const batched_general_sizes *s)
{
  (void)ctx;
  for (int64_t b = 0; b < a->count; b++) {
    const int m = batched_rows(a, b), n = batched_cols(a, b);
    s->longer[b] = batched_max(m, n);
    s->shorter[b] = batched_min(m, n);
    s->rows[b] = batched_max(s->longer[b] - first, 0);
    s->cols[b] = batched_min(batched_max(s->shorter[b] - first, 0), kd);
    s->rest[b] = batched_max(s->shorter[b] - first - s->cols[b], 0);
    s->below[b] = batched_max(s->longer[b] - first - kd, 0);
    s->few[b] = batched_min(s->rest[b], kd);
  }
  return BATCHED_SUCCESS;
}

static int take_tall(batched_ctx *ctx, const batched_matrix *a, const batched_matrix *x, double *largest)
{
  (void)ctx, (void)largest;
  FOR_TYPE(a->type, take_tall, a, x);
  return BATCHED_SUCCESS;
}

static int store_band(batched_ctx *ctx, const batched_ge2gb_args *g, const batched_matrix *x,
                      const batched_matrix *tauq, const batched_matrix *taup, const double *largest)
{
  (void)ctx, (void)largest;
  FOR_TYPE(x->type, store_band, g, x, tauq, taup);
  return BATCHED_SUCCESS;
}

static int take_reflectors(batched_ctx *ctx, const batched_unmbr_ge2gb_args *u, const batched_matrix *v,
                           const batched_matrix *t)
{
  (void)ctx;
  FOR_TYPE(v->type, take_reflectors, u, v, t);
  return BATCHED_SUCCESS;
}

static int take_vectors(batched_ctx *ctx, const batched_general_panel *p)
{
  (void)ctx;
  FOR_TYPE(p->v.type, take_vectors, p);
  return BATCHED_SUCCESS;
}

static int form_factors(batched_ctx *ctx, const batched_general_panel *p)
{
  (void)ctx;
  FOR_TYPE(p->v.type, form_factors, p);
  return BATCHED_SUCCESS;
}

const batched_general_steps batched_general_host_steps = {find_sizes,      take_tall,    store_band,
                                                          take_reflectors, take_vectors, form_factors};

const batched_variant batched_ge2gb_host[] = {{"host.composed", NULL, NULL, batched_ge2gb_composed}, {0}};
const batched_variant batched_unmbr_ge2gb_host[] = {{"host.composed", NULL, NULL, batched_unmbr_ge2gb_composed}, {0}};
