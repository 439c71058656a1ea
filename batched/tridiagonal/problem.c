/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tridiagonal/problem.h"

static bool is_diagonal(const batched_ctx *ctx, const batched_matrix *d, bool written)
{
  return (written ? batched_is_valid_result(ctx, d) : batched_is_valid(ctx, d, true)) && batched_is_real(d) &&
         batched_is_vector(d);
}

int batched_check_diagonals(const batched_ctx *ctx, const batched_matrix *d, const batched_matrix *e, bool written,
                            int number)
{
  if (!is_diagonal(ctx, d, written)) return -number;
  if (!is_diagonal(ctx, e, written) || !batched_same_kind(d, e) ||
      !batched_is_one_less(ctx, batched_length(e), batched_length(d), d->count))
    return -number - 1;
  return BATCHED_SUCCESS;
}

bool batched_belongs_to(const batched_matrix *d, const batched_matrix *x)
{
  batched_matrix real = *x;
  real.type = batched_real_type(x->type); /* x is valid */
  return batched_same_kind(d, &real);
}

int batched_check_steqr(const batched_ctx *ctx, const batched_steqr_args *s)
{
  if (!ctx) return -1;
  if (!batched_accept(s->job == BATCHED_VALUES || s->job == BATCHED_VECTORS || s->job == BATCHED_MULTIPLY,
                      "job %d is none of BATCHED_VALUES (0), BATCHED_VECTORS (1) and BATCHED_MULTIPLY (3)",
                      (int)s->job))
    return -2;
  const int wrong = batched_check_diagonals(ctx, &s->d, &s->e, true, 3);
  if (wrong) return wrong;
  if (s->job != BATCHED_VALUES) {
    if (!batched_is_valid_result(ctx, &s->z) || !batched_belongs_to(&s->d, &s->z) ||
        !batched_same_extent(ctx, batched_col_extent(&s->z), batched_length(&s->d), s->d.count))
      return -5;
    if (s->job == BATCHED_VECTORS && !batched_is_square(ctx, &s->z)) return -5;
  }
  return batched_is_given(s->info, "info", s->d.count > 0) ? BATCHED_SUCCESS : -6;
}

batched_cost batched_steqr_cost(const batched_steqr_args *s, double per_vectors)
{
  const double n = batched_length(&s->d).bound, rows = s->job == BATCHED_VALUES ? 0 : s->z.m;
  const double count = batched_model_count(&s->d), real = (double)batched_element_bytes(s->d.type);
  const double parts = s->job != BATCHED_VALUES && batched_is_complex(s->z.type) ? 2 : 1;
  return (batched_cost){count * (30 * n * n + per_vectors * rows * parts * n * n),
                        count * real * (4 * n + (s->job == BATCHED_MULTIPLY ? 2 : 1) * rows * parts * n)};
}
