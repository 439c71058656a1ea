/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The log-likelihood of n observations y at random places in the unit square or cube, of a Gaussian process with Matern
 * covariance S: -1/2 (y^T S^-1 y + log det S + n log 2 pi), with S as tiles of low rank, for several tolerances:
 *
 *   example_lowrank_likelihood [n=16384] [dim=2] [tile=256] [space=cuda] [tolerances=1e-2,1e-4,1e-6,1e-8]
 *
 * The last tolerance is the reference of the errors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "batched/batched_lowrank.h"

typedef struct setting {
  batched_space space;
  int n, dim, tile, ntolerances;
  double tolerances[8];
} setting;

typedef struct answer {
  double likelihood, seconds, gigabytes, shift;
  int rank;
} answer;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void fail(batched_ctx *ctx, int status, const char *what)
{
  char text[256];
  fprintf(stderr, "likelihood: %s: %s\n", what, batched_explain(ctx, status, text, sizeof text));
  exit(1);
}

static void must(batched_ctx *ctx, int status, const char *what)
{
  if (status) fail(ctx, status, what);
}

/* Numbers in [0, 1). */
static double draw(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

/* Places along a Morton curve: tiles of far places are of low rank then. */
static double *make_places(batched_ctx *ctx, const setting *s)
{
  const size_t count = (size_t)s->dim * (size_t)s->n;
  double *any = calloc(count, sizeof *any), *sorted = calloc(count, sizeof *sorted);
  int *order = calloc((size_t)s->n, sizeof *order);
  uint64_t state = 1;
  if (!any || !sorted || !order) fail(ctx, BATCHED_NO_MEMORY, "places");
  for (size_t i = 0; i < count; i++) any[i] = draw(&state);
  must(ctx, batched_morton_order(s->dim, s->n, any, order), "places");
  for (int i = 0; i < s->n; i++)
    for (int c = 0; c < s->dim; c++) sorted[(size_t)s->dim * (size_t)i + (size_t)c] = any[s->dim * order[i] + c];
  double *places = batched_allocate(ctx, count * sizeof *places);
  if (!places) fail(ctx, BATCHED_NO_MEMORY, "places");
  must(ctx, batched_copy_from_host(ctx, places, sorted, count * sizeof *sorted), "places");
  free(any);
  free(sorted);
  free(order);
  return places;
}

static answer likelihood(batched_ctx *ctx, const setting *s, const double *places, double tolerance)
{
  const batched_kernel kernel = {BATCHED_MATERN_3_2, s->dim, places, 1.0, 0.1, 0.01};
  const batched_truncation t = {.tolerance = tolerance};
  const size_t bytes = (size_t)s->n * sizeof(double);
  double *y = batched_allocate(ctx, bytes), *x = batched_allocate(ctx, bytes), *square = batched_allocate(ctx, 8);
  if (!y || !x || !square) fail(ctx, BATCHED_NO_MEMORY, "observations");
  const batched_matrix vy = batched_strided(y, s->n, 1, s->n, s->n, 1), vx = batched_strided(x, s->n, 1, s->n, s->n, 1);
  batched_tlr *a;
  batched_tlr_facts f;
  double logdet, fit;
  int info;
  const double start = now();
  must(ctx, batched_tlr_from_kernel(ctx, &a, BATCHED_D, s->n, s->n, s->tile, BATCHED_TLR_HERMITIAN, &kernel, t, &info),
       "covariance");
  must(ctx, batched_tlr_potrf(ctx, a, t, &info), "factorisation");
  if (info) fprintf(stderr, "likelihood: the covariance is not positive definite at tolerance %g\n", tolerance);
  must(ctx, batched_random(ctx, 2, 0, vy), "observations");
  must(ctx, batched_copy(ctx, vy, vx), "observations");
  must(ctx, batched_tlr_trsm(ctx, BATCHED_NO_TRANS, a, vx), "solve"); /* |L^-1 y|^2 = y^T S^-1 y */
  must(ctx, batched_dot(ctx, BATCHED_TRANS, vx, vx, batched_strided(square, 1, 1, 1, 1, 1)), "solve");
  must(ctx, batched_copy_to_host(ctx, &fit, square, sizeof fit), "solve");
  must(ctx, batched_tlr_logdet(ctx, a, &logdet), "determinant");
  batched_tlr_get(a, &f);
  const double pi = 3.14159265358979323846;
  const answer r = {-0.5 * (fit + logdet + s->n * log(2 * pi)), now() - start, 1e-9 * (double)f.bytes, f.shift, f.most};
  batched_tlr_destroy(ctx, &a);
  batched_release(ctx, y);
  batched_release(ctx, x);
  batched_release(ctx, square);
  return r;
}

static void read_tolerances(setting *s, const char *text)
{
  char *end;
  s->ntolerances = 0;
  for (const char *p = text; s->ntolerances < 8; p = end + 1) {
    s->tolerances[s->ntolerances++] = strtod(p, &end);
    if (*end != ',') return;
  }
}

static setting read_words(int argc, char **argv)
{
  setting s = {BATCHED_HOST, 16384, 2, 256, 4, {1e-2, 1e-4, 1e-6, 1e-8}};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "space=cuda") == 0) {
      s.space = BATCHED_CUDA;
    } else if (strncmp(argv[i], "tolerances=", 11) == 0) {
      read_tolerances(&s, argv[i] + 11);
    } else if (sscanf(argv[i], "n=%d", &s.n) != 1 && sscanf(argv[i], "dim=%d", &s.dim) != 1 &&
               sscanf(argv[i], "tile=%d", &s.tile) != 1) {
      fprintf(stderr, "likelihood: %s is none of n=, dim=, tile=, space=cuda, tolerances=\n", argv[i]);
      exit(2);
    }
  }
  if (s.n < 1 || s.dim < 1 || s.dim > 3 || s.tile < 1) {
    fprintf(stderr, "likelihood: n and tile are at least 1, dim is 1, 2 or 3\n");
    exit(2);
  }
  return s;
}

int main(int argc, char **argv)
{
  const setting s = read_words(argc, argv);
  batched_ctx *ctx;
  answer answers[8];
  must(NULL, batched_create(&ctx, s.space), "start");
  double *places = make_places(ctx, &s);
  for (int i = 0; i < s.ntolerances; i++) answers[i] = likelihood(ctx, &s, places, s.tolerances[i]);
  printf("tolerance,log_likelihood,relative_error,seconds,gigabytes,largest_rank,shift\n");
  for (int i = 0; i < s.ntolerances; i++) {
    const answer *r = &answers[i], *best = &answers[s.ntolerances - 1];
    printf("%g,%.10g,%.2e,%.3f,%.3f,%d,%g\n", s.tolerances[i], r->likelihood,
           fabs((r->likelihood - best->likelihood) / best->likelihood), r->seconds, r->gigabytes, r->rank, r->shift);
  }
  batched_release(ctx, places);
  batched_destroy(&ctx);
  return 0;
}
