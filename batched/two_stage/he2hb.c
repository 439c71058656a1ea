/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/two_stage/steps.h"

bool batched_has_band_rows(const batched_ctx *ctx, const batched_matrix *ab, int kd)
{
  if (!batched_accept(ab->m > kd, "%d rows are not kd + 1 = %lld or more", ab->m, (long long)kd + 1)) return false;
  for (int64_t b = 0; ab->ms && batched_get_space(ctx) == BATCHED_HOST && b < ab->count; b++)
    if (!batched_accept(ab->ms[b] > kd, "matrix %lld: %d rows are not kd + 1 = %lld or more", (long long)b, ab->ms[b],
                        (long long)kd + 1))
      return false;
  return true;
}

bool batched_is_band_of(const batched_ctx *ctx, const batched_matrix *ab, int kd, const batched_matrix *a)
{
  return batched_same_kind(a, ab) &&
         batched_same_extent(ctx, batched_col_extent(a), batched_col_extent(ab), a->count) &&
         batched_has_band_rows(ctx, ab, kd);
}

/* 4/3 n^3; the triangle, read and written once. */
static batched_cost cost(const void *args)
{
  const batched_he2hb_args *h = args;
  const double n = h->a.n, kd = batched_clamp_width(h->a.n, h->kd), count = batched_model_count(&h->a);
  return (batched_cost){count * 4 * n * n * n / 3 * batched_flop_weight(h->a.type),
                        count * (n * (n + 1) + n * (kd + 1)) * (double)batched_element_bytes(h->a.type)};
}

const batched_op batched_he2hb_op = {
  .name = "he2hb",
  .key = "he2hb",
  .variants = {batched_he2hb_host, batched_he2hb_cuda},
  .cost = cost,
  .operands = {sizeof(batched_he2hb_args),
               3,
               {offsetof(batched_he2hb_args, a), offsetof(batched_he2hb_args, ab), offsetof(batched_he2hb_args, tau)}},
};

int batched_he2hb(batched_ctx *ctx, batched_uplo uplo, int kd, batched_matrix a, batched_matrix ab, batched_matrix tau)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_width(kd)) return -3;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -4;
  if (!batched_is_valid_result(ctx, &ab) || !batched_is_band_of(ctx, &ab, kd, &a)) return -5;
  if (!batched_is_vector_of(ctx, &a, &tau, a.type, kd)) return -6;
  if (a.count == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_he2hb_args args = {uplo, kd, a, ab, tau, false};
  return batched_run(ctx, &batched_he2hb_op, &args);
}
