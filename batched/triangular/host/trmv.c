/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/triangular/host/vendor.h"

#define BODY "batched/triangular/host/trmv_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_trmv_args *t = args;
  return FOR_TYPE(t->x.type, ref, t);
}

static bool is_column(const batched_trmv_args *t)
{
  return t->x.n == 1 && !t->x.ns;
}

/* trmm's variant, of one column; of a row it is x^T = x^T op(A)^T, for which conj(A) is no op. */
static int simd(batched_ctx *ctx, const void *args)
{
  const batched_trmv_args *t = args;
  const batched_variant *trmm = batched_find_variant(&batched_trmm_op, BATCHED_HOST, "host.simd");
  const batched_trans turned = t->trans == BATCHED_NO_TRANS ? BATCHED_TRANS : BATCHED_NO_TRANS;
  const batched_trmm_args product = {is_column(t) ? BATCHED_LEFT : BATCHED_RIGHT,
                                     t->uplo,
                                     is_column(t) ? t->trans : turned,
                                     t->diag,
                                     batched_real(1),
                                     t->a,
                                     t->x};
  return trmm->run(ctx, &product);
}

static bool has_product(const void *args)
{
  const batched_trmv_args *t = args;
  return is_column(t) || t->trans != BATCHED_CONJ_TRANS || !batched_is_complex(t->x.type);
}

const batched_variant batched_trmv_host[] = {
  {"host.simd", has_product, batched_by_table, simd},
  VENDOR_ROW("vendor.blas", NULL, trmv){"host.ref", NULL, batched_never, ref},
  {0},
};
