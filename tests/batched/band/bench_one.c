/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times the factorisations and solves of one large band matrix, or a few, and prints CSV; run by hand:
 *
 *   batched_bench_one_band [space=cuda] [row=vendor.lapacke] [count=1] [n=100000] [width=2] [nrhs=1]
 *
 * kl, ku and kd are the width; the diagonal is dominant in pb matrices and no larger than the rest in gb ones, so that
 * rows are exchanged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/operations.h"

enum { GBTRF, GBTRS, GBTRS_TRANS, PBTRF, PBTRS, OPERATIONS };
static const char *const names[OPERATIONS] = {"gbtrf", "gbtrs", "gbtrs_trans", "pbtrf", "pbtrs"};

typedef struct setting {
  batched_ctx *ctx;
  int count, n, width, nrhs;
  double *ab, *given, *b, *sides;
  int *ipiv, *info;
} setting;

static void must(const batched_ctx *ctx, int status)
{
  char text[256];
  if (status == 0) return;
  fprintf(stderr, "bench_one: %s\n", batched_explain(ctx, status, text, sizeof text));
  exit(1);
}

static void *allocate(batched_ctx *ctx, size_t bytes)
{
  void *p = batched_allocate(ctx, bytes);
  must(ctx, p ? 0 : BATCHED_NO_MEMORY);
  return p;
}

/* Rows of ab, of which the last `width` + 1 are a pb matrix's. */
static int rows(const setting *s)
{
  return 3 * s->width + 1;
}
static size_t numbers(const setting *s)
{
  return (size_t)s->count * (size_t)s->n * (size_t)rows(s);
}

static void fill(const setting *s, bool definite)
{
  double *ab = calloc(numbers(s) + 1, sizeof *ab);
  uint64_t state = 1;
  must(s->ctx, ab ? 0 : BATCHED_NO_MEMORY);
  for (size_t e = 0; e < numbers(s); e++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    ab[e] = (double)(state >> 11) * 0x1p-53 - 0.5;
    if (definite && e % (size_t)rows(s) == 2 * (size_t)s->width) ab[e] = 1 + s->width;
  }
  must(s->ctx, batched_copy_from_host(s->ctx, s->given, ab, numbers(s) * sizeof *ab));
  free(ab);
}

static int call(const setting *s, int op)
{
  const int n = s->n, w = s->width, ld = rows(s);
  const batched_matrix ab = batched_strided(s->ab, ld, n, ld, (int64_t)n * ld, s->count);
  const batched_matrix lower = batched_strided(s->ab + 2 * w, w + 1, n, ld, (int64_t)n * ld, s->count);
  const batched_matrix b = batched_strided(s->b, n, s->nrhs, n, (int64_t)n * s->nrhs, s->count);
  switch (op) {
  case GBTRF: return batched_gbtrf(s->ctx, n, w, w, ab, s->ipiv, s->info);
  case GBTRS: return batched_gbtrs(s->ctx, BATCHED_NO_TRANS, w, w, ab, s->ipiv, b);
  case GBTRS_TRANS: return batched_gbtrs(s->ctx, BATCHED_TRANS, w, w, ab, s->ipiv, b);
  case PBTRF: return batched_pbtrf(s->ctx, BATCHED_LOWER, w, lower, s->info);
  default: return batched_pbtrs(s->ctx, BATCHED_LOWER, w, lower, b);
  }
}

/* The least seconds of three calls. */
static double time_of(const setting *s, int op)
{
  const size_t right = (size_t)s->count * (size_t)s->n * (size_t)s->nrhs * sizeof(double);
  double least = 1e30;
  for (int attempt = 0; attempt < 3; attempt++) {
    if (op == GBTRF || op == PBTRF)
      must(s->ctx, batched_copy_within(s->ctx, s->ab, s->given, numbers(s) * sizeof *s->ab));
    must(s->ctx, batched_copy_within(s->ctx, s->b, s->sides, right));
    must(s->ctx, batched_synchronize(s->ctx));
    const double start = batched_seconds();
    must(s->ctx, call(s, op));
    must(s->ctx, batched_synchronize(s->ctx));
    const double took = batched_seconds() - start;
    if (took < least) least = took;
  }
  return least;
}

int main(int argc, char **argv)
{
  setting s = {.count = 1, .n = 100000, .width = 2, .nrhs = 1};
  batched_space space = BATCHED_HOST;
  char row[64] = "";
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "space=cuda") == 0) {
      space = BATCHED_CUDA;
    } else if (sscanf(argv[i], "count=%d", &s.count) != 1 && sscanf(argv[i], "n=%d", &s.n) != 1 &&
               sscanf(argv[i], "width=%d", &s.width) != 1 && sscanf(argv[i], "nrhs=%d", &s.nrhs) != 1 &&
               sscanf(argv[i], "row=%63s", row) != 1) {
      fprintf(stderr, "bench_one: %s is none of space=cuda, row=, count=, n=, width=, nrhs=\n", argv[i]);
      return 2;
    }
  if (s.count < 1 || s.n < 1 || s.nrhs < 1 || s.width < 0 || s.width > 1000) {
    fprintf(stderr, "bench_one: count, n and nrhs are at least 1, width is 0 to 1000\n");
    return 2;
  }
  must(NULL, batched_create(&s.ctx, space));
  const size_t bytes = numbers(&s) * sizeof(double), each = (size_t)s.count * (size_t)s.n;
  s.ab = allocate(s.ctx, bytes);
  s.given = allocate(s.ctx, bytes);
  s.b = allocate(s.ctx, each * (size_t)s.nrhs * sizeof(double));
  s.sides = allocate(s.ctx, each * (size_t)s.nrhs * sizeof(double));
  s.ipiv = allocate(s.ctx, each * sizeof(int));
  s.info = allocate(s.ctx, (size_t)s.count * sizeof(int));
  must(s.ctx, batched_fill_zero(s.ctx, s.sides, each * (size_t)s.nrhs * sizeof(double)));
  if (row[0]) {
    must(s.ctx, batched_select(s.ctx, &batched_gbtrf_op, row));
    must(s.ctx, batched_select(s.ctx, &batched_gbtrs_op, row));
    must(s.ctx, batched_select(s.ctx, &batched_pbtrf_op, row));
    must(s.ctx, batched_select(s.ctx, &batched_pbtrs_op, row));
  }
  printf("op,row,count,n,width,nrhs,seconds\n");
  for (int op = 0; op < OPERATIONS; op++) {
    if (op == GBTRF || op == PBTRF) fill(&s, op == PBTRF);
    printf("%s,%s,%d,%d,%d,%d,%.4e\n", names[op], row[0] ? row : "auto", s.count, s.n, s.width, s.nrhs,
           time_of(&s, op));
    fflush(stdout);
  }
  void *there[] = {s.ab, s.given, s.b, s.sides, s.ipiv, s.info};
  for (int i = 0; i < 6; i++) batched_release(s.ctx, there[i]);
  batched_destroy(&s.ctx);
  return 0;
}
