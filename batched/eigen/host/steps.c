/* SPDX-License-Identifier: BSD-3-Clause */
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

static int fix_signs(batched_ctx *ctx, const batched_matrix *z, const batched_matrix *vt)
{
  (void)ctx;
  FOR_TYPE(z->type, fix_signs, z, vt);
  return BATCHED_SUCCESS;
}

static int add_info(batched_ctx *ctx, int64_t count, const int *more, int *info)
{
  (void)ctx;
  for (int64_t b = 0; b < count; b++)
    if (info[b] == 0) info[b] = more[b];
  return BATCHED_SUCCESS;
}

const batched_eigen_steps batched_eigen_host_steps = {find_sizes, store, store_values, fix_signs, add_info};
