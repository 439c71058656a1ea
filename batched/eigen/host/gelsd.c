/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.composed of gelsd: gelsd_composed.c between powers of two (scaling.h).
 */
#include "batched/eigen/eigen.h"
#include "batched/eigen/host/scaling.h"

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_gelsd_args *g = args;
  const batched_scaled near_one = batched_lay_out_scaled(pile, &g->a, &g->b);
  if (!pile->at) return BATCHED_SUCCESS;
  batched_scale(&g->a, &g->b, &near_one);
  batched_gelsd_args scaled = *g;
  scaled.a = near_one.a;
  scaled.b = near_one.b;
  const int status = batched_gelsd_composed(ctx, &scaled);
  if (!status) batched_scale_back(&near_one, &g->b, &g->s);
  return status;
}

static int composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_gelsd_op, drive, args);
}

const batched_variant batched_gelsd_host[] = {
  {"host.composed", NULL, NULL, composed},
  {0},
};
