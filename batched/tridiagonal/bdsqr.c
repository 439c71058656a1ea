/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tridiagonal/problem.h"

/* As for steqr, for each of the three. */
static batched_cost cost(const void *args)
{
  const batched_bdsqr_args *b = args;
  const double n = batched_length(&b->d).bound, real = (double)batched_element_bytes(b->d.type);
  const batched_matrix *all[] = {&b->vt, &b->u, &b->c};
  double reals = 0;
  for (int i = 0; i < 3; i++)
    if (!batched_is_absent(all[i]))
      reals += (i == 1 ? all[i]->m : all[i]->n) * (batched_is_complex(all[i]->type) ? 2.0 : 1.0);
  const double count = batched_model_count(&b->d);
  return (batched_cost){count * (30 * n * n + 6 * reals * n * n), count * real * (4 * n + 2 * reals * n)};
}

const batched_op batched_bdsqr_op = {
  .name = "bdsqr",
  .key = "bdsqr",
  .variants = {batched_bdsqr_host, batched_bdsqr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_bdsqr_args),
               5,
               {offsetof(batched_bdsqr_args, d), offsetof(batched_bdsqr_args, e), offsetof(batched_bdsqr_args, vt),
                offsetof(batched_bdsqr_args, u), offsetof(batched_bdsqr_args, c)},
               .info = offsetof(batched_bdsqr_args, info)},
};

static bool is_wrong(const batched_ctx *ctx, const batched_matrix *d, const batched_matrix *x, bool by_rows)
{
  if (batched_is_absent(x) && !x->data && !x->array) return false;
  const batched_extent extent = by_rows ? batched_row_extent(x) : batched_col_extent(x);
  return !batched_is_valid_result(ctx, x) || !batched_belongs_to(d, x) ||
         !batched_same_extent(ctx, extent, batched_length(d), d->count);
}

/* All that are there have one type. */
static bool differ(const batched_matrix *x, const batched_matrix *y)
{
  return !batched_accept(batched_is_absent(x) || batched_is_absent(y) || x->type == y->type,
                         "type %d is not that of the other vectors, %d", (int)y->type, (int)x->type);
}

int batched_bdsqr(batched_ctx *ctx, batched_uplo uplo, batched_matrix d, batched_matrix e, batched_matrix vt,
                  batched_matrix u, batched_matrix c, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  const int wrong = batched_check_diagonals(ctx, &d, &e, true, 3);
  if (wrong) return wrong;
  if (is_wrong(ctx, &d, &vt, true)) return -5;
  if (is_wrong(ctx, &d, &u, false) || differ(&vt, &u)) return -6;
  if (is_wrong(ctx, &d, &c, true) || differ(&vt, &c) || differ(&u, &c)) return -7;
  if (!batched_is_given(info, "info", d.count > 0)) return -8;
  if (d.count == 0) return BATCHED_SUCCESS;
  const batched_bdsqr_args args = {uplo, d, e, vt, u, c, info};
  return batched_run(ctx, &batched_bdsqr_op, &args);
}
