/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compression of dense matrices by adaptive sampling.
 */
#include <stdlib.h>

#include "batched/lowrank/ara.h"

typedef struct dense {
  batched_matrix a;
  void **pointers; /* owned, as the sizes */
  int *ms, *ns, *lds;
} dense;

static const batched_scalar zero = {0, 0}, one = {1, 0};

/* Y = A X or A^H X for those that are named, in the rows that they have. */
static int multiply(batched_ctx *ctx, const dense *d, batched_trans trans, const int64_t *which, int64_t count,
                    batched_matrix x, batched_matrix y)
{
  lowrank_work w = {.ctx = ctx};
  lowrank_list list = {0};
  LOWRANK_DO(&w, lowrank_list_create(&list, d->a.type, count));
  for (int64_t i = 0; i < count && !w.status; i++) {
    const int64_t b = which[i];
    lowrank_list_add(&list, d->pointers[b], d->ms ? d->ms[b] : d->a.m, d->ns ? d->ns[b] : d->a.n,
                     d->lds ? d->lds[b] : d->a.ld);
  }
  if (!w.status) {
    const batched_matrix a = lowrank_list_batch(&w, &list, d->a.m, d->a.n);
    const int *in = trans == BATCHED_NO_TRANS ? a.ns : a.ms, *out = trans == BATCHED_NO_TRANS ? a.ms : a.ns;
    LOWRANK_DO(&w, batched_gemm(ctx, trans, BATCHED_NO_TRANS, one, a, lowrank_sized(x, in, y.ns), zero,
                                lowrank_sized(y, out, y.ns)));
  }
  lowrank_list_destroy(&list);
  return lowrank_end(&w);
}

static int sample(batched_ctx *ctx, void *self, const int64_t *which, int64_t count, batched_matrix omega,
                  const lowrank_list *y)
{
  const dense *d = self;
  lowrank_work w = {.ctx = ctx};
  const batched_matrix to = lowrank_list_batch(&w, y, d->a.m, omega.n);
  LOWRANK_DO(&w, multiply(ctx, d, BATCHED_NO_TRANS, which, count, omega, to));
  return lowrank_end(&w);
}

static int project(batched_ctx *ctx, void *self, const int64_t *which, int64_t count, const lowrank_list *q,
                   batched_matrix z)
{
  const dense *d = self;
  lowrank_work w = {.ctx = ctx};
  const batched_matrix from = lowrank_list_batch(&w, q, d->a.m, z.n);
  LOWRANK_DO(&w, multiply(ctx, d, BATCHED_CONJ_TRANS, which, count, from, lowrank_sized(z, NULL, from.ns)));
  return lowrank_end(&w);
}

static int compress(batched_ctx *ctx, const batched_lrcompress_args *c, bool by_gram)
{
  lowrank_work w = {.ctx = ctx};
  const int64_t count = c->a.count;
  const size_t bytes = (size_t)count * sizeof(int);
  dense d = {.a = c->a};
  d.ms = lowrank_fetch_ints(&w, c->a.ms, count);
  d.ns = lowrank_fetch_ints(&w, c->a.ns, count);
  d.lds = lowrank_fetch_ints(&w, c->a.lds, count);
  d.pointers = lowrank_fetch_pointers(&w, c->a);
  void **u = lowrank_fetch_pointers(&w, c->cu), **v = lowrank_fetch_pointers(&w, c->cv);
  int *results = malloc(2 * bytes), *const info = results ? results + count : NULL;
  if (!results && !w.status) w.status = BATCHED_NO_MEMORY;
  const lowrank_operator op = {sample, project, &d};
  const lowrank_target target = {c->a.type, c->a.m,   c->a.n,   count,   d.ms,    d.ns, u,
                                 v,         c->cu.ld, c->cv.ld, c->cu.n, results, info, by_gram};
  if (!w.status) w.status = lowrank_ara(ctx, &op, &target, c->t);
  LOWRANK_DO(&w, batched_copy_from_host(ctx, c->ranks, results, bytes));
  LOWRANK_DO(&w, batched_copy_from_host(ctx, c->info, info, bytes));
  free(d.ms);
  free(d.ns);
  free(d.lds);
  free(d.pointers);
  free(u);
  free(v);
  free(results);
  return lowrank_end(&w);
}

int lowrank_compress_ara(batched_ctx *ctx, const void *args)
{
  return compress(ctx, args, false);
}

int lowrank_compress_ara_by_gram(batched_ctx *ctx, const void *args)
{
  return compress(ctx, args, true);
}
