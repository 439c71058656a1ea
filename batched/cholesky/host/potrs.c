/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/cholesky/host/vendor.h"
#include "batched/triangular/triangular.h"

#define BODY "batched/cholesky/host/potrs_simd.h"
#include "batched/host/each_type.h"

/* A^-1 = L^-H L^-1 or U^-1 U^-H: two triangular solves. */
static int ref(batched_ctx *ctx, const void *args)
{
  const batched_potrs_args *p = args;
  const bool lower = p->uplo == BATCHED_LOWER;
  const batched_variant *trsm = batched_find_variant(&batched_trsm_op, BATCHED_HOST, "host.ref");
  batched_trsm_args t = {
    .side = BATCHED_LEFT, .uplo = p->uplo, .diag = BATCHED_NON_UNIT, .alpha = {1, 0}, .a = p->a, .b = p->b};
  t.trans = lower ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS;
  int status = trsm->run(ctx, &t);
  t.trans = lower ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS;
  return status ? status : trsm->run(ctx, &t);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_potrs_args *p = args;
  return FOR_TYPE(p->b.type, simd, ctx, p);
}

const batched_variant batched_potrs_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, potrs){"host.ref", NULL, batched_never, ref},
  {0},
};
