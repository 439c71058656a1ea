/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/rows.h"
#include "batched/lowrank/compose.h"
#include "batched/lowrank/host/dense.h"

static int ref(batched_ctx *ctx, const void *args)
{
  const batched_lrcompress_args *c = args;
  const batched_matrix none = {0};
  return lowrank_ref(ctx, c->a, none, c->cu, c->cv, c->ranks, c->t, c->info);
}

const batched_variant batched_lrcompress_host[] = {
  {"host.ara", NULL, lowrank_has_tolerance, lowrank_compress_ara},
  {"host.rsvd", NULL, NULL, lowrank_compress_rsvd},
  {"host.aca", NULL, batched_never, lowrank_compress_aca},
  {"host.svd", NULL, batched_never, lowrank_compress_svd},
  {"host.ref", NULL, batched_never, ref},
  {0},
};
