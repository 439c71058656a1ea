/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/check_band.h"

bool batched_is_extent(const batched_ctx *ctx, batched_extent x, int64_t count)
{
  if (!batched_accept(x.bound >= 0, "%d < 0", x.bound)) return false;
  if (!x.each || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < count; b++)
    if (x.each[b] < 0 || x.each[b] > x.bound)
      return batched_accept(false, "matrix %lld: %d is not in 0 .. %d, its bound", (long long)b, x.each[b], x.bound);
  return true;
}

static bool has_rows(int rows, int below, int kl, int ku)
{
  const int64_t wanted = (int64_t)below * kl + ku + 1;
  return batched_accept(rows >= wanted, "it has %d rows, and the band takes %lld", rows, (long long)wanted);
}

bool batched_has_band(const batched_ctx *ctx, const batched_matrix *ab, int below, batched_extent kl, batched_extent ku)
{
  if (!has_rows(ab->m, below, kl.bound, ku.bound)) return false;
  if ((!ab->ms && !kl.each && !ku.each) || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < ab->count; b++)
    if (!has_rows(batched_rows(ab, b), below, batched_extent_at(kl, b), batched_extent_at(ku, b))) return false;
  return true;
}

static bool is_as_long(const batched_ctx *ctx, const batched_matrix *x, batched_extent n, int less)
{
  const batched_extent length = batched_length(x);
  if (!batched_is_vector(x) ||
      !batched_accept(length.bound >= n.bound - less, "its length is %d < %d", length.bound, n.bound - less))
    return false;
  if ((!length.each && !n.each) || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < x->count; b++) {
    const int here = batched_extent_at(length, b), wanted = batched_extent_at(n, b) - less;
    if (here < wanted) return batched_accept(false, "matrix %lld: its length is %d < %d", (long long)b, here, wanted);
  }
  return true;
}

static bool are_vectors(const batched_ctx *ctx, const batched_matrix *x, bool written)
{
  return written ? batched_is_valid_result(ctx, x) : batched_is_valid(ctx, x, true);
}

bool batched_is_diagonal(const batched_ctx *ctx, const batched_matrix *x, const batched_matrix *d, int less,
                         bool written)
{
  return are_vectors(ctx, x, written) && batched_same_kind(d, x) && is_as_long(ctx, x, batched_length(d), less);
}

bool batched_is_real_diagonal(const batched_ctx *ctx, const batched_matrix *d, bool written)
{
  return are_vectors(ctx, d, written) && batched_is_real(d) && batched_is_vector(d);
}

bool batched_is_off_diagonal(const batched_ctx *ctx, const batched_matrix *e, const batched_matrix *d, bool written)
{
  batched_matrix real = *e;
  if (!are_vectors(ctx, e, written)) return false;
  real.type = batched_real_type(e->type);
  return batched_same_kind(d, &real) && is_as_long(ctx, e, batched_length(d), 1);
}

double batched_band_elements(double m, double n, double kl, double ku)
{
  const double columns = n < m + ku ? n : m + ku, below = columns - ku > 0 ? columns - ku : 0;
  const double most = m - kl - 1 > 0 ? m - kl - 1 : 0, shorter = most < columns ? most : columns;
  return shorter * (kl + 1) + shorter * (shorter - 1) / 2 + (columns - shorter) * m - below * (below - 1) / 2;
}

double batched_band_lu_flops(int m, int n, int kl, int kv)
{
  double sum = 0;
  for (int j = 0; j < m && j < n; j++) {
    const double rows = m - 1 - j < kl ? m - 1 - j : kl, columns = n - 1 - j < kv ? n - 1 - j : kv;
    sum += rows * (1 + 2 * columns);
  }
  return sum;
}
