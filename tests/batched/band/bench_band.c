/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times gbsv of matrices of many orders and widths in one call against the same matrices padded to the largest, and
 * prints CSV; run by hand:
 *
 *   batched_bench_band [space=cuda] [count=10000] [n=512] [width=16]
 *
 * Orders are 1 to n, kl and ku 0 to width, by a fixed rule; the diagonal is dominant, and is all there is of what is
 * padded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/variant.h"

typedef struct setting {
  batched_ctx *ctx;
  int count, n, width, ld;
} setting;

static void must(const batched_ctx *ctx, int status)
{
  char text[256];
  if (status == 0) return;
  fprintf(stderr, "bench_band: %s\n", batched_explain(ctx, status, text, sizeof text));
  exit(1);
}

/* Memory where the context works, with a copy of what is on the host. */
static void *put(batched_ctx *ctx, const void *host, size_t bytes)
{
  void *p = batched_allocate(ctx, bytes);
  must(ctx, p ? 0 : BATCHED_NO_MEMORY);
  must(ctx, batched_copy_from_host(ctx, p, host, bytes));
  return p;
}

static void *zeros(const setting *s, size_t number, size_t bytes)
{
  void *p = calloc(number + 1, bytes);
  must(s->ctx, p ? 0 : BATCHED_NO_MEMORY);
  return p;
}

/* Of matrix m: its order and widths. */
static int order(const setting *s, int m)
{
  return 1 + (int)((m * 7919LL) % s->n);
}
static int lower(const setting *s, int m)
{
  return (int)((m * 31LL) % (s->width + 1));
}
static int upper(const setting *s, int m)
{
  return (int)((m * 17LL + 5) % (s->width + 1));
}

/* Matrix m in storage for kl = ku = width. */
static void fill(const setting *s, int m, double *ab)
{
  uint64_t state = 1 + (uint64_t)m;
  for (int j = 0; j < s->n; j++)
    for (int r = s->width; r <= 3 * s->width; r++) {
      const int i = j + r - 2 * s->width, below = i - j;
      const bool inside = i >= 0 && i < order(s, m) && j < order(s, m) && below <= lower(s, m) && -below <= upper(s, m);
      state = state * 6364136223846793005u + 1442695040888963407u;
      const double number = (double)(state >> 11) * 0x1p-53 - 0.5;
      ab[(int64_t)j * s->ld + r] = i == j ? 1 + s->width : inside ? number : 0;
    }
}

/* The least seconds of three calls, after one that warms up. */
static double time_of(const setting *s, const void *given, size_t bytes, bool padded)
{
  const size_t count = (size_t)s->count, ints = count * sizeof(int), numbers = count * (size_t)s->n;
  double *ab = batched_allocate(s->ctx, bytes), *sides = zeros(s, numbers, sizeof *sides);
  int *ns = zeros(s, 3 * count, sizeof *ns), *pivots = zeros(s, numbers, sizeof *pivots);
  const void **places = zeros(s, count, sizeof *places);
  double least = 1e30;
  must(s->ctx, ab ? 0 : BATCHED_NO_MEMORY);
  for (int m = 0; m < s->count; m++) {
    ns[m] = order(s, m);
    ns[m + s->count] = lower(s, m);
    ns[m + 2 * s->count] = upper(s, m);
    /* its own diagonal is in row kl + ku */
    places[m] = ab + (int64_t)m * s->n * s->ld + (padded ? 0 : 2 * s->width - lower(s, m) - upper(s, m));
  }
  int *each = put(s->ctx, ns, 3 * ints), *ipiv = put(s->ctx, pivots, numbers * sizeof(int)),
      *info = put(s->ctx, ns, ints);
  double *b = put(s->ctx, sides, numbers * sizeof *b);
  void *array = put(s->ctx, places, count * sizeof *places);
  const int *sizes = padded ? NULL : each;
  const batched_matrix a =
    batched_with_sizes(batched_make_array(BATCHED_D, array, s->ld, s->n, s->ld, s->count), NULL, sizes, NULL);
  const batched_matrix x =
    batched_with_sizes(batched_make_strided(BATCHED_D, b, s->n, 1, s->n, s->n, s->count), sizes, NULL, NULL);
  const batched_extent kl = {s->width, padded ? NULL : each + s->count};
  const batched_extent ku = {s->width, padded ? NULL : each + 2 * s->count};
  for (int attempt = 0; attempt < 4; attempt++) {
    must(s->ctx, batched_copy_within(s->ctx, ab, given, bytes));
    must(s->ctx, batched_synchronize(s->ctx));
    const double start = batched_seconds();
    must(s->ctx, batched_gbsv_variable(s->ctx, kl, ku, a, ipiv, x, info));
    must(s->ctx, batched_synchronize(s->ctx));
    const double took = batched_seconds() - start;
    if (attempt > 0 && took < least) least = took;
  }
  void *there[] = {ab, each, ipiv, info, b, array}, *here[] = {sides, ns, pivots, places};
  for (int i = 0; i < 6; i++) batched_release(s->ctx, there[i]);
  for (int i = 0; i < 4; i++) free(here[i]);
  return least;
}

int main(int argc, char **argv)
{
  setting s = {NULL, 10000, 512, 16, 0};
  batched_space space = BATCHED_HOST;
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "space=cuda") == 0) {
      space = BATCHED_CUDA;
    } else if (sscanf(argv[i], "count=%d", &s.count) != 1 && sscanf(argv[i], "n=%d", &s.n) != 1 &&
               sscanf(argv[i], "width=%d", &s.width) != 1) {
      fprintf(stderr, "bench_band: %s is none of space=cuda, count=, n=, width=\n", argv[i]);
      return 2;
    }
  if (s.count < 1 || s.n < 1 || s.width < 0 || s.width > 1000) {
    fprintf(stderr, "bench_band: count and n are at least 1, width is 0 to 1000\n");
    return 2;
  }
  s.ld = 3 * s.width + 1;
  must(NULL, batched_create(&s.ctx, space));
  const size_t numbers = (size_t)s.n * (size_t)s.ld, bytes = (size_t)s.count * numbers * sizeof(double);
  double *host = zeros(&s, (size_t)s.count * numbers, sizeof *host);
  for (int m = 0; m < s.count; m++) fill(&s, m, host + (size_t)m * numbers);
  void *given = put(s.ctx, host, bytes);
  const double padded = time_of(&s, given, bytes, true), mixed = time_of(&s, given, bytes, false);
  printf("count,n,width,seconds_mixed,seconds_padded,times\n%d,%d,%d,%.4e,%.4e,%.2f\n", s.count, s.n, s.width, mixed,
         padded, padded / mixed);
  batched_release(s.ctx, given);
  free(host);
  batched_destroy(&s.ctx);
  return 0;
}
