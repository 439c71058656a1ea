/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/two_stage/check_reduction.h"

/* 6 n^2 kd, whatever of Q2 is kept; the band read once, half of v written. */
static batched_cost cost(const void *args)
{
  const batched_hb2st_args *h = args;
  const double n = h->ab.n, kd = batched_clamp_width(h->ab.n, h->kd), count = batched_model_count(&h->d);
  const double copies = batched_is_shared(&h->ab) && count > 0 ? 1 : count;
  const double vectors = h->job == BATCHED_VECTORS ? n * n / 2 : 0;
  return (batched_cost){count * 6 * n * n * kd * batched_flop_weight(h->ab.type),
                        (copies * n * (kd + 1) + count * vectors) * (double)batched_element_bytes(h->ab.type) +
                          count * 2 * n * (double)batched_element_bytes(h->d.type)};
}

const batched_op batched_hb2st_op = {
  .name = "hb2st",
  .key = "hb2st",
  .variants = {batched_hb2st_host, batched_hb2st_cuda},
  .cost = cost,
  .operands = {sizeof(batched_hb2st_args),
               4,
               {offsetof(batched_hb2st_args, d), offsetof(batched_hb2st_args, ab), offsetof(batched_hb2st_args, e),
                offsetof(batched_hb2st_args, v)}},
};

int batched_check_band_reduction(const batched_ctx *ctx, batched_job job, batched_uplo uplo, int kd,
                                 const batched_matrix *ab, const batched_matrix *d, const batched_matrix *e)
{
  if (!ctx) return -1;
  if (!batched_is_job(job)) return -2;
  if (!batched_is_uplo(uplo)) return -3;
  if (!batched_is_width(kd)) return -4;
  if (!batched_is_valid(ctx, ab, ab->n > 0) || !batched_is_band_of(ctx, ab, kd, ab)) return -5;
  batched_matrix square = *ab; /* what d and e belong to */
  square.m = ab->n;
  square.ms = ab->ns;
  if (!batched_is_vector_of(ctx, &square, d, batched_real_type(ab->type), 0)) return -6;
  if (!batched_is_vector_of(ctx, &square, e, batched_real_type(ab->type), 1)) return -7;
  return 0;
}

bool batched_is_square_of_band(const batched_ctx *ctx, const batched_matrix *v, const batched_matrix *ab)
{
  return batched_is_valid_result(ctx, v) && batched_same_kind(ab, v) && batched_is_square(ctx, v) &&
         batched_same_extent(ctx, batched_col_extent(ab), batched_col_extent(v), v->count);
}

int batched_hb2st(batched_ctx *ctx, batched_job job, batched_uplo uplo, int kd, batched_matrix ab, batched_matrix d,
                  batched_matrix e, batched_matrix v)
{
  const int wrong = batched_check_band_reduction(ctx, job, uplo, kd, &ab, &d, &e);
  if (wrong) return wrong;
  if (job == BATCHED_VECTORS && !batched_is_square_of_band(ctx, &v, &ab)) return -8;
  if (ab.count == 0 || ab.n == 0) return BATCHED_SUCCESS;
  batched_hb2st_args args = {job, uplo, kd, ab, d, e, job == BATCHED_VECTORS ? v : (batched_matrix){0}};
  return batched_run(ctx, &batched_hb2st_op, &args);
}
