/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times low-rank operations, on Hilbert matrices as in Charara, Keyes, Ltaief (Euro-Par 2018), and prints CSV; run by
 * hand:
 *
 *   batched_bench_lowrank [space=host|cuda] [figure=5|6|7|8|batch|driver|table] [tile=256] [count=100] [n=2048]
 *                         [rank=16] [tolerance=1e-4] [type=s|d|c|z] [columns=256] [parts=1] [OPERATION=ROW ...]
 *
 * 5, 6: batches of products into dense (LLD) and low-rank (LLL) C by rank and by count; 7, 8: products of tile low-rank
 * matrices by rank and by order; batch, driver: one point of 5 and one of 7, of the rank given; table: compression and
 * Cholesky factorisation of an exponential covariance in 3D.  `tile`, `count` and `n` are the largest.  columns: those
 * of a batch's tiles (batch), which are `tile` rows high.
 * A batch also has the floor of LLD, the time of copying C, and LLD with cuBLAS's gemm.
 * OPERATION=ROW, such as lrtriangle=cuda.registers: instead of what is chosen by itself.
 * dense_seconds: the same product of dense matrices.  parts: before each line, of one more call, the calls, seconds (on
 * a GPU its own, those of a call in another included), GB/s and Gflop/s of the operations in it, by row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/lowrank/lowrank.h"
#include "batched/operations.h"
#include "batched/tlr/tlrgemm.h"

typedef struct setting {
  batched_ctx *ctx;
  const char *figure;
  int tile, columns, count, n, rank, parts;
  batched_type type;
  double tolerance; /* of the table; 0: 1e-2 and 1e-6 */
} setting;

static const batched_scalar one = {1, 0}, zero = {0, 0};

static void must(batched_ctx *ctx, int status)
{
  char text[256];
  if (status == 0) return;
  fprintf(stderr, "bench_lowrank: %s\n", batched_explain(ctx, status, text, sizeof text));
  exit(1);
}

static void *take(const setting *s, batched_type type, int64_t numbers)
{
  void *p = batched_allocate(s->ctx, (size_t)numbers * batched_element_bytes(type));
  must(s->ctx, p ? 0 : BATCHED_NO_MEMORY);
  return p;
}

static void print(const char *figure, const char *what, int n, int tile, int rank, int count, double seconds,
                  double dense)
{
  printf("%s,%s,%d,%d,%d,%d,%.4e,%.4e,%.2f\n", figure, what, n, tile, rank, count, seconds, dense,
         seconds > 0 ? dense / seconds : 0);
  fflush(stdout);
}

/* From now on the parts of calls are counted. */
static void start_parts(const setting *s)
{
  if (!s->parts) return;
  must(s->ctx, batched_time_device(s->ctx, true));
  batched_reset_stats(s->ctx);
}

static void print_parts(const setting *s)
{
  if (!s->parts) return;
  const batched_stats *rows;
  const int count = batched_get_stats(s->ctx, &rows);
  for (int i = 0; i < count; i++) {
    const batched_stats *r = &rows[i];
    printf("#   %-12s %-22s %6lld %10.3e %8.1f %8.1f\n", r->op->name, r->variant->name, (long long)r->calls, r->seconds,
           r->seconds > 0 ? 1e-9 * r->cost.bytes / r->seconds : 0,
           r->seconds > 0 ? 1e-9 * r->cost.flops / r->seconds : 0);
  }
  must(s->ctx, batched_time_device(s->ctx, false));
}

/* The least time of three calls, after one that warms up; and the parts of one more. */
#define TIME(s, seconds, call) \
  do { \
    seconds = 1e30; \
    for (int attempt = 0; attempt < 4; attempt++) { \
      must(s->ctx, batched_synchronize(s->ctx)); \
      const double start = batched_seconds(); \
      must(s->ctx, call); \
      must(s->ctx, batched_synchronize(s->ctx)); \
      const double took = batched_seconds() - start; \
      if (attempt > 0 && took < seconds) seconds = took; \
    } \
    start_parts(s); \
    if (s->parts) must(s->ctx, call); \
    print_parts(s); \
  } while (0)

static batched_matrix strided(const setting *s, void *p, int m, int n, int64_t count)
{
  return batched_make_strided(s->type, p, m, n, m, (int64_t)m * n, count);
}

/* `count` blocks m x n beside the diagonal of a Hilbert matrix. */
static void *hilbert(const setting *s, int m, int n, int64_t count)
{
  const batched_kernel kernel = {.function = BATCHED_HILBERT};
  void *a = take(s, s->type, (int64_t)m * n * count);
  must(s->ctx, batched_evaluate(s->ctx, &kernel, batched_uniform(0), batched_uniform(m), strided(s, a, m, n, count)));
  return a;
}

static double time_dense(const setting *s, int m, int count)
{
  double seconds;
  void *a = hilbert(s, m, m, count), *b = hilbert(s, m, m, count), *c = hilbert(s, m, m, count);
  TIME(s, seconds,
       batched_gemm(s->ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, strided(s, a, m, m, count),
                    strided(s, b, m, m, count), zero, strided(s, c, m, m, count)));
  batched_release(s->ctx, a);
  batched_release(s->ctx, b);
  batched_release(s->ctx, c);
  return seconds;
}

/* What LLD stands beside: C, which it reads and writes, copied to another place; and LLD with the vendor's gemm. */
static void limits(const setting *s, const char *figure, const batched_lowrank f[2], batched_matrix c, int rank)
{
  batched_ctx *ctx = s->ctx;
  double seconds;
  void *other = take(s, c.type, c.stride * c.count);
  TIME(s, seconds,
       batched_copy_within(ctx, other, c.data, (size_t)(c.stride * c.count) * batched_element_bytes(c.type)));
  print(figure, "copy of C", c.n, c.m, rank, (int)c.count, seconds, 0);
  batched_release(ctx, other);
  if (batched_select(ctx, &batched_gemm_op, "vendor.cublas")) return;
  must(ctx, batched_select(ctx, &batched_lrgemm_op, "cuda.composed"));
  TIME(s, seconds,
       batched_lrgemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, f[0], f[1], one, batched_dense(c),
                      (batched_truncation){.max_rank = rank}, NULL));
  print(figure, "LLD by cuBLAS", c.n, c.m, rank, (int)c.count, seconds, 0);
  must(ctx, batched_select(ctx, &batched_gemm_op, "auto"));
  must(ctx, batched_select(ctx, &batched_lrgemm_op, "auto"));
}

/* LLD and LLL of a batch of tiles m x n, as products of m x m and m x n, and the compression of these. */
static void batch(const setting *s, const char *figure, int m, int n, int rank, int count, double dense)
{
  batched_ctx *ctx = s->ctx;
  double seconds;
  void *x[6], *c = hilbert(s, m, n, count), *square = m == n ? c : hilbert(s, m, m, count);
  int *ranks = batched_allocate(ctx, sizeof(int) * (size_t)count),
      *info = batched_allocate(ctx, sizeof(int) * (size_t)count);
  const batched_truncation t = {.max_rank = rank};
  batched_lowrank f[3];
  must(ctx, ranks && info ? 0 : BATCHED_NO_MEMORY);
  for (int i = 0; i < 3; i++) {
    const int columns = i == 0 ? m : n;
    x[2 * i] = take(s, s->type, (int64_t)m * rank * count);
    x[2 * i + 1] = take(s, s->type, (int64_t)columns * rank * count);
    f[i] = batched_factors(strided(s, x[2 * i], m, rank, count), strided(s, x[2 * i + 1], columns, rank, count), ranks);
    TIME(s, seconds, batched_lrcompress(ctx, strided(s, i == 0 ? square : c, m, columns, count), f[i], t, info));
    f[i].ranks = NULL;
  }
  print(figure, "compress", n, m, rank, count, seconds, dense);
  TIME(s, seconds,
       batched_lrgemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, f[0], f[1], one,
                      batched_dense(strided(s, c, m, n, count)), t, NULL));
  print(figure, "LLD", n, m, rank, count, seconds, dense);
  if (strcmp(figure, "batch") == 0) limits(s, figure, f, strided(s, c, m, n, count), rank);
  f[2].ranks = ranks;
  TIME(s, seconds, batched_lrgemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, f[0], f[1], one, f[2], t, info));
  print(figure, "LLL", n, m, rank, count, seconds, dense);
  for (int i = 0; i < 6; i++) batched_release(ctx, x[i]);
  if (square != c) batched_release(ctx, square);
  batched_release(ctx, c);
  batched_release(ctx, ranks);
  batched_release(ctx, info);
}

static void figure_5(const setting *s)
{
  for (int tile = 128; tile <= s->tile; tile *= 2) {
    const double dense = time_dense(s, tile, s->count);
    for (int rank = 8; rank <= 64 && rank <= tile / 4; rank *= 2) batch(s, "5", tile, tile, rank, s->count, dense);
  }
}

static void figure_6(const setting *s)
{
  for (int count = s->count < 16 ? 1 : s->count / 16; count <= s->count; count *= 2) {
    const double dense = time_dense(s, s->tile, count);
    batch(s, "6", s->tile, s->tile, 16, count, dense);
    batch(s, "6", s->tile, s->tile, 32, count, dense);
  }
}

static batched_tlr *hilbert_tlr(const setting *s, int n, int rank)
{
  const batched_kernel kernel = {.function = BATCHED_HILBERT};
  batched_tlr *a;
  int info;
  must(s->ctx, batched_tlr_from_kernel(s->ctx, &a, s->type, n, n, s->tile, BATCHED_TLR_GENERAL, &kernel,
                                       (batched_truncation){.max_rank = rank}, &info));
  return a;
}

static void driver(const setting *s, const char *figure, int n, int rank, double dense)
{
  batched_ctx *ctx = s->ctx;
  const char *rows[] = {"inner", "outer"};
  double start = batched_seconds(), seconds;
  void *c = hilbert(s, n, n, 1);
  int info;
  batched_tlr *a = hilbert_tlr(s, n, rank), *b = hilbert_tlr(s, n, rank), *d;
  print(figure, "compress A and B", n, s->tile, rank, 1, batched_seconds() - start, dense);
  for (int row = 0; row < 2; row++) {
    char what[32];
    must(ctx, batched_select(ctx, &batched_tlrgemm_op, rows[row]));
    TIME(s, seconds, batched_tlr_gemm_dense(ctx, one, a, b, one, strided(s, c, n, n, 1)));
    snprintf(what, sizeof what, "LLD %s", rows[row]);
    print(figure, what, n, s->tile, rank, 1, seconds, dense);
    d = hilbert_tlr(s, n, rank);
    TIME(s, seconds, batched_tlr_gemm(ctx, one, a, b, one, d, (batched_truncation){.max_rank = rank}, &info));
    snprintf(what, sizeof what, "LLL %s", rows[row]);
    print(figure, what, n, s->tile, rank, 1, seconds, dense);
    batched_tlr_destroy(ctx, &d);
  }
  batched_tlr_destroy(ctx, &a);
  batched_tlr_destroy(ctx, &b);
  batched_release(ctx, c);
}

static void figure_7(const setting *s)
{
  for (int n = 2 * s->tile; n <= s->n; n *= 2) {
    const double dense = time_dense(s, n, 1);
    for (int rank = 8; rank <= 64 && rank <= s->tile / 4; rank *= 2) driver(s, "7", n, rank, dense);
  }
}

static void figure_8(const setting *s)
{
  for (int n = 2 * s->tile; n <= s->n; n *= 2) {
    const double dense = time_dense(s, n, 1);
    driver(s, "8", n, 16, dense);
    driver(s, "8", n, 32, dense);
  }
}

/* Points at random in the unit cube, along a Morton curve, in the context's space. */
static double *points_in_cube(const setting *s)
{
  batched_ctx *ctx = s->ctx;
  const int n = s->n;
  double *any = calloc(3 * (size_t)n, sizeof *any), *sorted = malloc(sizeof *sorted * 3 * (size_t)n), *p;
  int *order = malloc(sizeof *order * (size_t)n);
  uint64_t state = 1;
  must(ctx, any && sorted && order ? 0 : BATCHED_NO_MEMORY);
  for (int i = 0; i < 3 * n; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    any[i] = (double)(state >> 11) * 0x1p-53;
  }
  must(ctx, batched_morton_order(3, n, any, order));
  for (int i = 0; i < n; i++) memcpy(sorted + 3 * i, any + 3 * order[i], 3 * sizeof *any);
  p = take(s, BATCHED_D, 3 * (int64_t)n);
  must(ctx, batched_copy_from_host(ctx, p, sorted, sizeof *p * 3 * (size_t)n));
  free(any);
  free(sorted);
  free(order);
  return p;
}

static void cholesky(const setting *s, double tolerance)
{
  batched_ctx *ctx = s->ctx;
  double *points = points_in_cube(s), logdet;
  void *b = take(s, s->type, s->n);
  const batched_kernel kernel = {BATCHED_EXPONENTIAL, 3, points, 1, 0.1, 1e-2};
  const batched_truncation t = {.tolerance = tolerance};
  batched_tlr_facts f;
  batched_tlr *a;
  int info;
  double start = batched_seconds();
  must(ctx, batched_tlr_from_kernel(ctx, &a, s->type, s->n, s->n, s->tile, BATCHED_TLR_HERMITIAN, &kernel, t, &info));
  const double made = batched_seconds() - start;
  batched_tlr_get(a, &f);
  printf("# tolerance %g: largest rank %d, %lld dense tiles, %.3g GB of %.3g needed\n", tolerance, f.most,
         (long long)f.dense, 1e-9 * (double)f.bytes, 1e-9 * (double)f.needed);
  print("table", "make covariance", s->n, s->tile, f.most, 1, made, 0);
  start_parts(s);
  start = batched_seconds();
  must(ctx, batched_tlr_potrf(ctx, a, t, &info));
  print("table", "potrf", s->n, s->tile, f.most, 1, batched_seconds() - start, 0);
  print_parts(s);
  batched_tlr_get(a, &f);
  must(ctx, batched_random(ctx, 1, 0, strided(s, b, s->n, 1, 1)));
  start = batched_seconds();
  must(ctx, batched_tlr_potrs(ctx, a, strided(s, b, s->n, 1, 1)));
  must(ctx, batched_tlr_logdet(ctx, a, &logdet));
  print("table", "potrs and logdet", s->n, s->tile, f.most, 1, batched_seconds() - start, 0);
  printf(
    "# info %d, shift %g, factor: largest rank %d, %lld dense tiles, %.3g GB of %.3g needed, at most %.3g GB at once; "
    "log det %.10g\n",
    info, f.shift, f.most, (long long)f.dense, 1e-9 * (double)f.bytes, 1e-9 * (double)f.needed,
    1e-9 * (double)batched_peak_bytes(batched_get_space(ctx)), logdet);
  batched_tlr_destroy(ctx, &a);
  batched_release(ctx, points);
  batched_release(ctx, b);
}

/* A word OPERATION=ROW: whether there is such an operation; with a context, the row is selected. */
static bool select_row(batched_ctx *ctx, const char *word)
{
  for (const batched_op *const *op = batched_operations; *op; op++) {
    const size_t length = strlen((*op)->name);
    if (strncmp(word, (*op)->name, length) != 0 || word[length] != '=') continue;
    if (ctx) must(ctx, batched_select(ctx, *op, word + length + 1));
    return true;
  }
  return false;
}

static bool is_figure(const char *name)
{
  static const char *const names[] = {"all", "5", "6", "7", "8", "batch", "driver", "table"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static bool wants(const setting *s, const char *figure)
{
  return strcmp(s->figure, "all") == 0 || strcmp(s->figure, figure) == 0;
}

int main(int argc, char **argv)
{
  setting s = {.figure = "all", .tile = 256, .count = 100, .n = 2048, .rank = 16, .type = BATCHED_D};
  const char *const types = "sdcz"; /* as batched_type */
  char type = 'd';
  batched_space space = BATCHED_HOST;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "space=cuda") == 0 || strcmp(argv[i], "space=host") == 0) {
      space = argv[i][6] == 'c' ? BATCHED_CUDA : BATCHED_HOST;
    } else if (strncmp(argv[i], "figure=", 7) == 0) {
      s.figure = argv[i] + 7;
    } else if (sscanf(argv[i], "tile=%d", &s.tile) != 1 && sscanf(argv[i], "count=%d", &s.count) != 1 &&
               sscanf(argv[i], "n=%d", &s.n) != 1 && sscanf(argv[i], "rank=%d", &s.rank) != 1 &&
               sscanf(argv[i], "parts=%d", &s.parts) != 1 && sscanf(argv[i], "tolerance=%lf", &s.tolerance) != 1 &&
               sscanf(argv[i], "columns=%d", &s.columns) != 1 && sscanf(argv[i], "type=%c", &type) != 1 &&
               !select_row(NULL, argv[i])) {
      fprintf(stderr, "bench_lowrank: no word %s\n", argv[i]);
      return 2;
    }
  }
  if (!is_figure(s.figure)) {
    fprintf(stderr, "bench_lowrank: figure is all, 5, 6, 7, 8, batch, driver or table\n");
    return 2;
  }
  const char *const at = strchr(types, type);
  if (!at || type == 0) {
    fprintf(stderr, "bench_lowrank: type is s, d, c or z\n");
    return 2;
  }
  s.type = (batched_type)(at - types);
  if (s.tile < 1 || s.count < 1 || s.n < 1) {
    fprintf(stderr, "bench_lowrank: tile, count and n are 1 or more\n");
    return 2;
  }
  must(NULL, batched_create(&s.ctx, space));
  for (int i = 1; i < argc; i++) select_row(s.ctx, argv[i]);
  printf("figure,what,n,tile,rank,count,seconds,dense_seconds,speedup\n");
  if (wants(&s, "5")) figure_5(&s);
  if (wants(&s, "6")) figure_6(&s);
  if (wants(&s, "7")) figure_7(&s);
  if (wants(&s, "8")) figure_8(&s);
  if (strcmp(s.figure, "batch") == 0)
    batch(&s, s.figure, s.tile, s.columns > 0 ? s.columns : s.tile, s.rank, s.count, 0);
  if (strcmp(s.figure, "driver") == 0) driver(&s, s.figure, s.n, s.rank, 0);
  if (wants(&s, "table") && s.tolerance > 0) {
    cholesky(&s, s.tolerance);
  } else if (wants(&s, "table")) {
    cholesky(&s, 1e-2);
    cholesky(&s, 1e-6);
  }
  batched_destroy(&s.ctx);
  return 0;
}
