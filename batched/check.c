/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"

batched_extent batched_row_extent(const batched_matrix *a)
{
  return (batched_extent){a->m, a->ms};
}

batched_extent batched_col_extent(const batched_matrix *a)
{
  return (batched_extent){a->n, a->ns};
}

batched_extent batched_length(const batched_matrix *x)
{
  if (x->n == 1 && !x->ns) return batched_row_extent(x);
  if (x->m == 1 && !x->ms) return batched_col_extent(x);
  return (batched_extent){x->m == 0 && x->n == 0 ? 0 : -1, NULL};
}

bool batched_same_extent(const batched_ctx *ctx, batched_extent x, batched_extent y, int64_t count)
{
  if (x.bound != y.bound) return false;
  if ((!x.each && !y.each) || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < count; b++)
    if (batched_extent_at(x, b) != batched_extent_at(y, b)) return false;
  return true;
}

bool batched_is_one_less(const batched_ctx *ctx, batched_extent x, batched_extent y, int64_t count)
{
  if (x.bound != (y.bound > 0 ? y.bound - 1 : 0)) return false;
  if ((!x.each && !y.each) || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < count; b++)
    if (batched_extent_at(x, b) != (batched_extent_at(y, b) > 0 ? batched_extent_at(y, b) - 1 : 0)) return false;
  return true;
}

int batched_check_range(batched_range range, double vl, double vu, int il, int iu, int n, int number)
{
  if ((unsigned)range > BATCHED_INTERVAL) return -number;
  if (range == BATCHED_INTERVAL && !(vl < vu)) return -number - 2;
  if (range != BATCHED_INDEX || (n == 0 && il == 1 && iu == 0)) return 0;
  if (il < 1 || il > (n > 1 ? n : 1)) return -number - 3;
  return iu < il || iu > n ? -number - 4 : 0;
}

int batched_range_length(batched_range range, int il, int iu, int n)
{
  return range == BATCHED_ALL ? n : range == BATCHED_INDEX ? iu - il + 1 : 0;
}

bool batched_is_square(const batched_ctx *ctx, const batched_matrix *a)
{
  return batched_same_extent(ctx, batched_row_extent(a), batched_col_extent(a), a->count);
}

static int min_less(int m, int n, int less)
{
  const int k = (m < n ? m : n) - less;
  return k > 0 ? k : 0;
}

bool batched_is_min_extent_less(const batched_ctx *ctx, batched_extent x, const batched_matrix *a, int less)
{
  if (x.bound != min_less(a->m, a->n, less)) return false;
  if ((!x.each && !a->ms && !a->ns) || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < a->count; b++)
    if (batched_extent_at(x, b) != min_less(batched_rows(a, b), batched_cols(a, b), less)) return false;
  return true;
}

bool batched_is_min_extent(const batched_ctx *ctx, batched_extent x, const batched_matrix *a)
{
  return batched_is_min_extent_less(ctx, x, a, 0);
}

bool batched_is_tall(const batched_ctx *ctx, const batched_matrix *a)
{
  if (a->m < a->n) return false;
  if ((!a->ms && !a->ns) || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < a->count; b++)
    if (batched_cols(a, b) > batched_rows(a, b)) return false;
  return true;
}

bool batched_is_wide(const batched_ctx *ctx, const batched_matrix *a)
{
  batched_matrix transposed = *a;
  transposed.m = a->n;
  transposed.n = a->m;
  transposed.ms = a->ns;
  transposed.ns = a->ms;
  return batched_is_tall(ctx, &transposed);
}

bool batched_same_kind(const batched_matrix *a, const batched_matrix *b)
{
  return a->type == b->type && a->count == b->count;
}

static int at_least_one(int m)
{
  return m > 1 ? m : 1;
}

static bool sizes_are_valid(const batched_matrix *a)
{
  for (int64_t b = 0; b < a->count; b++) {
    int m = batched_rows(a, b), n = batched_cols(a, b);
    if (m < 0 || m > a->m || n < 0 || n > a->n || batched_ld(a, b) < at_least_one(m) || batched_ld(a, b) > a->ld)
      return false;
  }
  return true;
}

bool batched_is_valid(const batched_ctx *ctx, const batched_matrix *a, bool touched)
{
  if ((unsigned)a->type > BATCHED_Z || a->m < 0 || a->n < 0 || a->count < 0) return false;
  if (a->ld < at_least_one(a->m) || (a->data && a->array)) return false;
  bool empty = a->m == 0 || a->n == 0 || a->count == 0;
  if (touched && !empty && !a->data && !a->array) return false;
  if (batched_is_variable(a) && batched_get_space(ctx) == BATCHED_HOST) return sizes_are_valid(a);
  return true;
}

bool batched_is_valid_result(const batched_ctx *ctx, const batched_matrix *a)
{
  return batched_is_valid(ctx, a, true) && (!batched_is_shared(a) || a->count <= 1 || a->m == 0 || a->n == 0);
}

bool batched_same_shape(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *b)
{
  return batched_same_kind(a, b) && batched_same_extent(ctx, batched_row_extent(a), batched_row_extent(b), b->count) &&
         batched_same_extent(ctx, batched_col_extent(a), batched_col_extent(b), b->count);
}

bool batched_is_number(const batched_ctx *ctx, const batched_matrix *r, batched_type type, int64_t count)
{
  const batched_extent one = {1, NULL};
  return batched_is_valid_result(ctx, r) && r->type == type && r->count == count && r->m == 1 && r->n == 1 &&
         batched_same_extent(ctx, batched_row_extent(r), one, count) &&
         batched_same_extent(ctx, batched_col_extent(r), one, count);
}

bool batched_is_vector_of(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *x, batched_type type,
                          int less)
{
  return batched_is_valid_result(ctx, x) && x->type == type && x->count == a->count &&
         batched_is_min_extent_less(ctx, batched_length(x), a, less);
}
