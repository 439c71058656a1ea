/* SPDX-License-Identifier: BSD-3-Clause
 *
 * On the host: the steps of he2hb and unmtr_he2hb, and the rows made of them.
 */
#include "batched/two_stage/steps.h"
#include "batched/host/rows.h"

#define BODY "batched/two_stage/host/steps_body.h"
#include "batched/host/each_type.h"

static int find_rest(batched_ctx *ctx, const batched_matrix *a, int first, int kd, int *rest, int *few)
{
  (void)ctx;
  for (int64_t b = 0; b < a->count; b++) {
    rest[b] = batched_max(batched_cols(a, b) - first, 0);
    few[b] = batched_min(rest[b], kd);
  }
  return BATCHED_SUCCESS;
}

static int take_whole(batched_ctx *ctx, batched_uplo uplo, const batched_matrix *a, const batched_matrix *x,
                      double *largest)
{
  (void)ctx, (void)largest;
  FOR_TYPE(a->type, take_whole, uplo == BATCHED_LOWER, a, x);
  return BATCHED_SUCCESS;
}

static int take_panel(batched_ctx *ctx, const batched_band_panel *panel)
{
  (void)ctx;
  FOR_TYPE(panel->x.type, take_panel, panel);
  return BATCHED_SUCCESS;
}

static int form_factors(batched_ctx *ctx, const batched_band_panel *panel)
{
  (void)ctx;
  FOR_TYPE(panel->x.type, form_factors, panel);
  return BATCHED_SUCCESS;
}

static int store_band(batched_ctx *ctx, const batched_he2hb_args *h, const batched_matrix *x, const batched_matrix *tau,
                      const double *largest)
{
  (void)ctx, (void)largest;
  FOR_TYPE(x->type, store_band, h, x, tau);
  return BATCHED_SUCCESS;
}

static int take_reflectors(batched_ctx *ctx, const batched_unmtr_he2hb_args *u, const batched_matrix *v,
                           const batched_matrix *t)
{
  (void)ctx;
  FOR_TYPE(v->type, take_reflectors, u, v, t);
  return BATCHED_SUCCESS;
}

const batched_two_stage_steps batched_two_stage_host_steps = {find_rest,  take_whole,      take_panel, form_factors,
                                                              store_band, take_reflectors, NULL,       NULL};

const batched_variant batched_he2hb_host[] = {{"host.composed", NULL, NULL, batched_he2hb_composed}, {0}};
const batched_variant batched_unmtr_he2hb_host[] = {{"host.composed", NULL, NULL, batched_unmtr_he2hb_composed}, {0}};
