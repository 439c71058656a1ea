/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "solvers/solvers.h"
#include "solvers/tables.h"

static batched_cost cost(const void *p)
{
  const solver_spmv_args *s = p;
  double nonzeros = (double)(s->a->start[s->last] - s->a->start[s->first]);
  double rows = s->last - s->first;
  return (batched_cost){.flops = 2.0 * s->ncomp * nonzeros, .bytes = 12.0 * nonzeros + 16.0 * s->ncomp * rows};
}

const batched_op solver_spmv_op = {
  .name = "spmv",
  .key = "spmv",
  .variants = {solver_host_spmv, solver_cuda_spmv},
  .cost = cost,
};

int solver_spmv(batched_ctx *ctx, const solver_spmv_args *args)
{
  return batched_run(ctx, &solver_spmv_op, args);
}

static solver_csr *allocate(int nrows, int64_t nonzeros)
{
  solver_csr *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->nrows = a->ncols = nrows;
  a->start = calloc((size_t)nrows + 1, sizeof *a->start);
  const size_t entries = nonzeros > 0 ? (size_t)nonzeros : 1; // never NULL, so that an empty row can be copied
  a->column = malloc(entries * sizeof *a->column);
  a->value = calloc(entries, sizeof *a->value);
  if (!a->start || !a->column || !a->value) solver_csr_destroy(&a);
  return a;
}

/* A copy in the context's memory, never NULL unless memory is out. */
static void *place(batched_ctx *ctx, const void *host, size_t bytes)
{
  void *p = batched_allocate(ctx, bytes ? bytes : 1);
  if (!p || batched_copy_from_host(ctx, p, host, bytes) == BATCHED_SUCCESS) return p;
  batched_release(ctx, p);
  return NULL;
}

static void unplace(solver_csr *a)
{
  solver_device_csr *d = a->device;
  if (!d) return;
  if (d->vendor) d->destroy_vendor(d->vendor);
  batched_release(d->ctx, d->start);
  batched_release(d->ctx, d->column);
  batched_release(d->ctx, d->value);
  free(d);
  a->device = NULL;
}

int solver_csr_place(batched_ctx *ctx, solver_csr *a)
{
  if (batched_get_space(ctx) == BATCHED_HOST) return BATCHED_SUCCESS;
  const size_t entries = (size_t)a->start[a->nrows];
  solver_device_csr *d = a->device = calloc(1, sizeof *d);
  if (!d) return BATCHED_NO_MEMORY;
  d->ctx = ctx;
  d->start = place(ctx, a->start, ((size_t)a->nrows + 1) * sizeof *a->start);
  d->column = place(ctx, a->column, entries * sizeof *a->column);
  d->value = place(ctx, a->value, entries * sizeof *a->value);
  if (d->start && d->column && d->value) return BATCHED_SUCCESS;
  unplace(a);
  return BATCHED_NO_MEMORY;
}

void solver_csr_destroy(solver_csr **a)
{
  if (!*a) return;
  unplace(*a);
  free((*a)->start);
  free((*a)->column);
  free((*a)->value);
  free(*a);
  *a = NULL;
}

static int ascending(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Elements of each row: start has shape [nrows + 1], list holds the element of every (element, dof) pair. */
static bool invert(int nrows, int nelements, int ndofs, const int *dofs, int64_t **start, int **list)
{
  int64_t pairs = (int64_t)nelements * ndofs;
  *start = calloc((size_t)nrows + 2, sizeof **start);
  *list = malloc((size_t)(pairs ? pairs : 1) * sizeof **list);
  if (!*start || !*list) return false;
  for (int64_t i = 0; i < pairs; i++) (*start)[dofs[i] + 2]++;
  for (int i = 0; i < nrows; i++) (*start)[i + 2] += (*start)[i + 1];
  for (int64_t i = 0; i < pairs; i++) (*list)[(*start)[dofs[i] + 1]++] = (int)(i / ndofs);
  return true;
}

/* Distinct dofs of the elements of a row, ascending, into columns; mark[j] == row: seen. */
static int row_columns(int row, const int64_t *start, const int *list, int ndofs, const int *dofs, int *mark,
                       int *columns)
{
  int n = 0;
  for (int64_t s = start[row]; s < start[row + 1]; s++) {
    const int *element = dofs + (int64_t)list[s] * ndofs;
    for (int i = 0; i < ndofs; i++) {
      if (mark[element[i]] == row) continue;
      mark[element[i]] = row;
      columns[n++] = element[i];
    }
  }
  qsort(columns, (size_t)n, sizeof *columns, ascending);
  return n;
}

solver_csr *solver_csr_create(int nrows, int nelements, int ndofs, const int *dofs)
{
  solver_csr *a = NULL;
  int64_t *start = NULL;
  int *list = NULL;
  int *mark = malloc(((size_t)nrows + 1) * sizeof *mark);
  int *columns = malloc(((size_t)nrows + 1) * sizeof *columns);
  if (mark && columns && invert(nrows, nelements, ndofs, dofs, &start, &list)) {
    int64_t nonzeros = 0;
    memset(mark, 0xff, (size_t)nrows * sizeof *mark);
    for (int i = 0; i < nrows; i++) nonzeros += row_columns(i, start, list, ndofs, dofs, mark, columns);
    a = allocate(nrows, nonzeros);
    memset(mark, 0xff, (size_t)nrows * sizeof *mark);
    for (int i = 0; a && i < nrows; i++) {
      int n = row_columns(i, start, list, ndofs, dofs, mark, columns);
      memcpy(a->column + a->start[i], columns, (size_t)n * sizeof *columns);
      a->start[i + 1] = a->start[i] + n;
    }
  }
  free(start);
  free(list);
  free(mark);
  free(columns);
  return a;
}

solver_csr *solver_csr_create_blocks(int nblocks, int size)
{
  solver_csr *a = allocate(nblocks * size, (int64_t)nblocks * size * size);
  if (!a) return NULL;
  for (int row = 0; row < a->nrows; row++) {
    a->start[row + 1] = a->start[row] + size;
    for (int j = 0; j < size; j++) a->column[a->start[row] + j] = row / size * size + j;
  }
  return a;
}

void solver_csr_add(solver_csr *a, int n, const int *dofs, const double *m)
{
  for (int i = 0; i < n; i++) {
    const int *row = a->column + a->start[dofs[i]];
    int length = (int)(a->start[dofs[i] + 1] - a->start[dofs[i]]);
    for (int j = 0; j < n; j++) {
      const int *found = bsearch(&dofs[j], row, (size_t)length, sizeof *row, ascending);
      a->value[a->start[dofs[i]] + (found - row)] += m[i * n + j];
    }
  }
}

void solver_csr_constants(const solver_csr *a, solver_constant_visit *visit, void *user)
{
  const solver_device_csr host = {.start = a->start, .column = a->column, .value = a->value};
  const solver_device_csr *from = a->device ? a->device : &host;
  const size_t entries = (size_t)a->start[a->nrows];
  visit(user, "the rows of a matrix", from->start, sizeof *from->start * ((size_t)a->nrows + 1));
  visit(user, "the columns of a matrix", from->column, sizeof *from->column * entries);
  visit(user, "the entries of a matrix", from->value, sizeof *from->value * entries);
}
