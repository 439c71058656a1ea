/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tridiagonal/problem.h"

/* Products of the merges: two of n^3 at the top, half of it a level below, 8 n^3 / 3 in all. */
static batched_cost cost(const void *args)
{
  const batched_bdsdc_args *b = args;
  const double n = batched_length(&b->d).bound, count = batched_model_count(&b->d);
  const double real = (double)batched_element_bytes(b->d.type);
  double sides = 0;
  sides += !batched_is_absent(&b->u);
  sides += !batched_is_absent(&b->vt);
  const double element = sides > 0 ? (double)batched_element_bytes(batched_bdsdc_type(b)) : 0;
  return (batched_cost){count * (30 * n * n + (sides > 0 ? 8.0 / 3 * n * n * n : 0)),
                        count * (4 * n * real + sides * n * n * element)};
}

const batched_op batched_bdsdc_op = {
  .name = "bdsdc",
  .key = "bdsdc",
  .variants = {batched_bdsdc_host, batched_bdsdc_cuda},
  .cost = cost,
  .operands = {sizeof(batched_bdsdc_args),
               4,
               {offsetof(batched_bdsdc_args, d), offsetof(batched_bdsdc_args, e), offsetof(batched_bdsdc_args, u),
                offsetof(batched_bdsdc_args, vt)},
               .info = offsetof(batched_bdsdc_args, info)},
};

static bool is_wrong(const batched_ctx *ctx, const batched_matrix *d, const batched_matrix *x)
{
  if (batched_is_absent(x) && !x->data && !x->array) return false;
  return !batched_is_valid_result(ctx, x) || !batched_belongs_to(d, x) || !batched_is_square(ctx, x) ||
         !batched_same_extent(ctx, batched_col_extent(x), batched_length(d), d->count);
}

int batched_bdsdc(batched_ctx *ctx, batched_uplo uplo, batched_matrix d, batched_matrix e, batched_matrix u,
                  batched_matrix vt, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  const int wrong = batched_check_diagonals(ctx, &d, &e, true, 3);
  if (wrong) return wrong;
  if (is_wrong(ctx, &d, &u)) return -5;
  if (is_wrong(ctx, &d, &vt)) return -6;
  if (!batched_accept(batched_is_absent(&u) || batched_is_absent(&vt) || u.type == vt.type,
                      "type %d is not that of u, %d", (int)vt.type, (int)u.type))
    return -6;
  if (!batched_is_given(info, "info", d.count > 0)) return -7;
  if (d.count == 0) return BATCHED_SUCCESS;
  const batched_matrix none = {0};
  if (batched_is_absent(&u) && batched_is_absent(&vt)) return batched_bdsqr(ctx, uplo, d, e, none, none, none, info);
  const batched_bdsdc_args args = {uplo, d, e, u, vt, info};
  return batched_run(ctx, &batched_bdsdc_op, &args);
}
