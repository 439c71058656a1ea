/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solvers.h"
#include "solvers/tables.h"

static int run_ref(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const solver_spmv_args *s = p;
  const solver_csr *a = s->a;
  for (int c = 0; c < s->ncomp; c++)
    for (int i = s->first; i < s->last; i++) {
      double sum = 0.0;
      for (int64_t j = a->start[i]; j < a->start[i + 1]; j++) sum += a->value[j] * s->x[c * s->stride + a->column[j]];
      s->y[c * s->stride + i] = sum;
    }
  return BATCHED_SUCCESS;
}

/* All components of a row at once: the matrix is read once. */
static inline __attribute__((always_inline)) void rows(const solver_spmv_args *s, int ncomp)
{
  const solver_csr *a = s->a;
  for (int i = s->first; i < s->last; i++) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (int64_t j = a->start[i]; j < a->start[i + 1]; j++) {
      const double value = a->value[j], *x = s->x + a->column[j];
      for (int c = 0; c < ncomp; c++) sum[c] += value * x[c * s->stride];
    }
    for (int c = 0; c < ncomp; c++) s->y[c * s->stride + i] = sum[c];
  }
}

static int run_rows(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const solver_spmv_args *s = p;
  if (s->ncomp == 1) rows(s, 1);
  if (s->ncomp == 2) rows(s, 2);
  if (s->ncomp == 3) rows(s, 3);
  return BATCHED_SUCCESS;
}

static bool few_components(const void *p)
{
  const solver_spmv_args *s = p;
  return s->ncomp <= 3;
}

const batched_variant solver_host_spmv[] = {
  {.name = "host.rows", .fits = few_components, .run = run_rows},
  {.name = "host.ref", .run = run_ref},
  {0},
};
