/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What heev, gesvd and their drivers by other operations do between the calls, on the host (steps.h).
 */
#include "batched/eigen/steps.h"
#include "batched/host/rows.h"

#define BODY "batched/eigen/host/steps_body.h"
#include "batched/host/each_type.h"

static int at_least_zero(int x)
{
  return x > 0 ? x : 0;
}

static int find_sizes(batched_ctx *ctx, const batched_matrix *a, const batched_sizes *s)
{
  (void)ctx;
  for (int64_t b = 0; b < a->count; b++) {
    const int m = batched_rows(a, b), n = batched_cols(a, b), k = batched_min(m, n);
    s->mins[b] = k;
    s->tall[b] = m >= n ? k : 0;
    s->wide[b] = m < n ? k : 0;
    s->mins_less[b] = at_least_zero(k - 1);
    s->tall_less[b] = at_least_zero(s->tall[b] - 1);
    s->wide_less[b] = at_least_zero(s->wide[b] - 1);
  }
  return BATCHED_SUCCESS;
}

static int store(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y)
{
  (void)ctx;
  FOR_TYPE(y->type, store, info, x, y);
  return BATCHED_SUCCESS;
}

static int store_values(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y)
{
  (void)ctx;
  FOR_TYPE(y->type, store_values, info, x, y);
  return BATCHED_SUCCESS;
}

static int store_both(batched_ctx *ctx, const int *info, const batched_matrix *w, const batched_matrix *z,
                      const batched_matrix *to_w, const batched_matrix *to_z)
{
  const int status = store_values(ctx, info, w, to_w);
  return status ? status : store(ctx, info, z, to_z);
}

static int fix_signs(batched_ctx *ctx, const batched_matrix *z, const batched_matrix *vt)
{
  (void)ctx;
  FOR_TYPE(z->type, fix_signs, z, vt);
  return BATCHED_SUCCESS;
}

static int whole(batched_ctx *ctx, batched_uplo uplo, const batched_matrix *a, const batched_matrix *x)
{
  (void)ctx;
  FOR_TYPE(a->type, whole, uplo == BATCHED_LOWER, a, x);
  return BATCHED_SUCCESS;
}

static int add_failures(batched_ctx *ctx, const batched_matrix *a, const int *failed, int *info)
{
  (void)ctx;
  for (int64_t b = 0; b < a->count; b++)
    if (failed[b] > 0) info[b] = batched_rows(a, b) + failed[b];
  return BATCHED_SUCCESS;
}

static int limit_counts(batched_ctx *ctx, const int *found, const batched_matrix *w, int *few)
{
  (void)ctx;
  for (int64_t b = 0; b < w->count; b++) few[b] = batched_min(found[b], batched_vector_length(w, b));
  return BATCHED_SUCCESS;
}

static int choose(batched_ctx *ctx, const batched_gesvdx_args *g, const batched_matrix *s, int *first, int *few)
{
  (void)ctx;
  FOR_TYPE(s->type, choose, g, s, first, few);
  return BATCHED_SUCCESS;
}

static int take_columns(batched_ctx *ctx, const int *first, const int *few, const batched_matrix *u,
                        const batched_matrix *y)
{
  (void)ctx;
  FOR_TYPE(u->type, take, first, few, false, u, y);
  return BATCHED_SUCCESS;
}

static int take_rows(batched_ctx *ctx, const int *first, const int *few, const batched_matrix *vt,
                     const batched_matrix *y)
{
  (void)ctx;
  FOR_TYPE(vt->type, take, first, few, true, vt, y);
  return BATCHED_SUCCESS;
}

static int divide_by_values(batched_ctx *ctx, double rcond, const batched_matrix *s, const batched_matrix *c, int *rank)
{
  (void)ctx;
  FOR_TYPE(c->type, divide_by_values, rcond, s, c, rank);
  return BATCHED_SUCCESS;
}

static int take_trapezoid(batched_ctx *ctx, double rcond, const batched_matrix *f, const batched_matrix *y, int *rank,
                          int *bad)
{
  (void)ctx;
  FOR_TYPE(f->type, take_trapezoid, rcond, f, y, rank, bad);
  return BATCHED_SUCCESS;
}

static int scale(batched_ctx *ctx, const batched_matrix *x, const batched_matrix *y, int *exponent)
{
  (void)ctx;
  FOR_TYPE(y->type, scale, x, y, exponent);
  return BATCHED_SUCCESS;
}

static int scale_back(batched_ctx *ctx, const int *up, const int *down, const batched_matrix *x)
{
  (void)ctx;
  FOR_TYPE(x->type, scale_back, up, down, x);
  return BATCHED_SUCCESS;
}

static int take_rows_to(batched_ctx *ctx, const batched_matrix *x, int m, const int *ms, const batched_matrix *y)
{
  (void)ctx;
  FOR_TYPE(x->type, take_rows_to, x, m, ms, y);
  return BATCHED_SUCCESS;
}

static int take_upper(batched_ctx *ctx, const batched_matrix *x, const batched_matrix *y)
{
  (void)ctx;
  FOR_TYPE(x->type, take_upper, x, y);
  return BATCHED_SUCCESS;
}

static int put_rows(batched_ctx *ctx, const batched_matrix *x, const int *jpvt, const batched_matrix *b)
{
  (void)ctx;
  FOR_TYPE(x->type, put_rows, x, jpvt, b);
  return BATCHED_SUCCESS;
}

static int add_info(batched_ctx *ctx, int64_t count, const int *more, int *info)
{
  (void)ctx;
  for (int64_t b = 0; b < count; b++)
    if (info[b] == 0) info[b] = more[b];
  return BATCHED_SUCCESS;
}

const batched_eigen_steps batched_eigen_host_steps = {
  find_sizes,   store,        store_values, store_both, fix_signs,        whole,          add_failures,
  limit_counts, choose,       take_columns, take_rows,  divide_by_values, take_trapezoid, scale,
  scale_back,   take_rows_to, take_upper,   put_rows,   add_info};
