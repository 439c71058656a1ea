/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which row for which size: the lines of tables, whose come first, and the shipped ones, on both sides of each size
 * where one row gives way to another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "batched/context.h"
#include "batched/host/vendor_library.h"
#include "batched/operations.h"
#include "batched/parts.h"
#include "batched/threads.h"
#include "batched/tuning/choice.h"
#include "tests/batched/host_context.h"

/* ------------------------------------------------------------------ an operation of the test's own */

typedef struct copy_args {
  batched_matrix a, b;
} copy_args;

static bool is_even(const void *args)
{
  return ((const copy_args *)args)->a.n % 2 == 0;
}

static const batched_variant rows[] = {{.name = "host.even", .fits = is_even, .likes = batched_by_table},
                                       {.name = "host.table", .likes = batched_by_table},
                                       {.name = "host.plain"},
                                       {.name = NULL}};
static const batched_op copies = {.name = "copies",
                                  .key = "copies",
                                  .variants = {rows, NULL},
                                  .operands = {sizeof(copy_args), 2, {offsetof(copy_args, a), offsetof(copy_args, b)}}};

/* The row for an m x n matrix and so many columns beside it. */
static const char *row_for(batched_type type, int m, int n, int rhs)
{
  static double data[2];
  const copy_args args = {batched_make_strided(type, data, m, n, m, (int64_t)m * n, 3),
                          batched_make_strided(type, data, m, rhs, m, (int64_t)m * rhs, 3)};
  const batched_variant *v = batched_choose(ctx, &copies, &args);
  return v ? v->name : "";
}

static void first_line_that_holds_and_fits(void **unused)
{
  (void)unused;
  batched_clear_choices(ctx);
  assert_string_equal(row_for(BATCHED_D, 4, 4, 1), "host.plain");
  assert_int_equal(batched_load_choices(ctx, "# a comment\n"
                                             "operation,types,row,where\n"
                                             "copies,d,host.even,m=4..6 n=..8\r\n"
                                             "copies,dz,host.table,rhs=2\n"
                                             "copies,s,host.nosuch,\n"
                                             "copies,s,host.table,mn=30.. m%16=1 uniform\n"
                                             "another,s,host.plain,\n"
                                             "copies,c,host.table,count=4.."),
                   6);
  assert_string_equal(row_for(BATCHED_D, 4, 4, 1), "host.even");
  assert_string_equal(row_for(BATCHED_D, 4, 5, 1), "host.plain"); /* does not fit */
  assert_string_equal(row_for(BATCHED_D, 4, 5, 2), "host.table");
  assert_string_equal(row_for(BATCHED_D, 3, 4, 1), "host.plain");
  assert_string_equal(row_for(BATCHED_D, 7, 4, 1), "host.plain");
  assert_string_equal(row_for(BATCHED_D, 4, 10, 2), "host.table");
  assert_string_equal(row_for(BATCHED_Z, 4, 4, 2), "host.table");
  assert_string_equal(row_for(BATCHED_S, 17, 2, 1), "host.table");
  assert_string_equal(row_for(BATCHED_S, 18, 2, 1), "host.plain");
  assert_string_equal(row_for(BATCHED_S, 17, 1, 1), "host.plain");
  assert_string_equal(row_for(BATCHED_C, 4, 4, 1), "host.plain"); /* three matrices */
  batched_clear_choices(ctx);
}

/* By this thread and by another one of its context: for two calls. */
static const char *noted[2][2];
static const char few_by_table[] = "copies,d,host.table,count=..2";

/* For so many matrices as it is called with, and for two pieces of each. */
static int note_row(batched_ctx *c, const void *args)
{
  if (c != ctx) batched_load_choices(c, few_by_table);
  copy_args pieces;
  memcpy(&pieces, args, sizeof pieces);
  noted[c != ctx][0] = batched_choose(c, &copies, args)->name;
  pieces.a.count *= 2, pieces.b.count *= 2;
  noted[c != ctx][1] = batched_choose(c, &copies, &pieces)->name;
  return BATCHED_SUCCESS;
}

static const batched_variant around_rows[] = {{.name = "host.composed", .run = note_row}, {.name = NULL}};
static const batched_op around_copies = {
  .name = "around",
  .key = "around",
  .variants = {around_rows, NULL},
  .operands = {sizeof(copy_args), 2, {offsetof(copy_args, a), offsetof(copy_args, b)}}};

/* Two matrices, of which each thread may have one: the row for two, and for four pieces, with any number of threads. */
static void counts_within_an_operation(void **unused)
{
  (void)unused;
  static double data[4];
  const copy_args args = {batched_make_strided(BATCHED_D, data, 1, 1, 1, 1, 2),
                          batched_make_strided(BATCHED_D, data + 2, 1, 1, 1, 1, 2)};
  batched_clear_choices(ctx);
  assert_int_equal(batched_load_choices(ctx, few_by_table), 1);
  assert_string_equal(batched_choose(ctx, &copies, &args)->name, "host.table");
  for (int threads = 1; threads <= 2; threads++) {
    assert_int_equal(batched_set_threads(ctx, threads), 0);
    batched_team_set_grain(ctx, 0);
    memset(noted, 0, sizeof noted);
    assert_int_equal(batched_run(ctx, &around_copies, &args), 0);
    for (int t = 0; t < threads; t++) {
      assert_string_equal(noted[t][0], "host.table");
      assert_string_equal(noted[t][1], "host.plain");
    }
  }
  assert_int_equal(batched_set_threads(ctx, 1), 0);
  batched_clear_choices(ctx);
}

/* Parts of a batch, and calls of which it is not known what they are of. */
static int note_part(batched_ctx *c, batched_pile *pile, const void *args)
{
  batched_call call;
  const copy_args *part = args;
  batched_pile_take(pile, (size_t)part->a.count << 25); /* of one matrix as much as a part may have */
  if (!pile->at) return BATCHED_SUCCESS;
  noted[0][0] = batched_choose(c, &copies, args)->name;
  assert_int_equal(batched_begin(&call, c, &around_copies, around_rows), 0);
  noted[0][1] = batched_choose(c, &copies, args)->name;
  return batched_end(&call, args, BATCHED_SUCCESS);
}

static int run_parts(batched_ctx *c, const void *args);
static const batched_variant parts_rows[] = {{.name = "host.composed", .run = run_parts}, {.name = NULL}};
static const batched_op parts_of_copies = {
  .name = "parts",
  .key = "parts",
  .variants = {parts_rows, NULL},
  .operands = {sizeof(copy_args), 2, {offsetof(copy_args, a), offsetof(copy_args, b)}}};

static int run_parts(batched_ctx *c, const void *args)
{
  return batched_run_in_parts(c, &parts_of_copies, note_part, args);
}

static void counts_within_parts(void **unused)
{
  (void)unused;
  static double data[6];
  batched_clear_choices(ctx);
  assert_int_equal(batched_load_choices(ctx, few_by_table), 1);
  for (int count = 2; count <= 3; count++) {
    const copy_args args = {batched_make_strided(BATCHED_D, data, 1, 1, 1, 1, count),
                            batched_make_strided(BATCHED_D, data + 3, 1, 1, 1, 1, count)};
    memset(noted, 0, sizeof noted);
    assert_int_equal(batched_run(ctx, &parts_of_copies, &args), 0);
    assert_string_equal(noted[0][0], count == 2 ? "host.table" : "host.plain");
    assert_string_equal(noted[0][1], "host.plain");
  }
  batched_clear_choices(ctx);
}

static void long_and_short(void **unused)
{
  (void)unused;
  batched_clear_choices(ctx);
  assert_int_equal(batched_load_choices(ctx, "copies,d,host.table,long\ncopies,s,host.table,short m=2.."), 2);
  assert_string_equal(row_for(BATCHED_D, 9, 6, 1), "host.table");
  assert_string_equal(row_for(BATCHED_D, 8, 6, 1), "host.plain");
  assert_string_equal(row_for(BATCHED_D, 5, 8, 1), "host.table");
  assert_string_equal(row_for(BATCHED_D, 6, 8, 1), "host.plain");
  assert_string_equal(row_for(BATCHED_D, 1, 2000000000, 1), "host.table");
  assert_string_equal(row_for(BATCHED_S, 9, 6, 1), "host.plain");
  assert_string_equal(row_for(BATCHED_S, 6, 6, 1), "host.table");
  batched_clear_choices(ctx);
}

/* The lines that are read last come first; what a deck forces comes before all. */
static void the_users_lines_come_first(void **unused)
{
  (void)unused;
  batched_clear_choices(ctx);
  batched_load_choices(ctx, "copies,d,host.table,");
  assert_string_equal(row_for(BATCHED_D, 2, 2, 1), "host.table");
  batched_load_choices(ctx, "copies,d,host.even,n=4..\ncopies,d,host.plain,n=3");
  assert_string_equal(row_for(BATCHED_D, 2, 2, 1), "host.table");
  assert_string_equal(row_for(BATCHED_D, 2, 3, 1), "host.plain");
  assert_string_equal(row_for(BATCHED_D, 2, 4, 1), "host.even");
  assert_string_equal(row_for(BATCHED_D, 2, 5, 1), "host.table");
  batched_select(ctx, &copies, "plain");
  assert_string_equal(row_for(BATCHED_D, 2, 4, 1), "host.plain");
  batched_select(ctx, &copies, "auto");
  assert_string_equal(row_for(BATCHED_D, 2, 4, 1), "host.even");
  batched_clear_choices(ctx);
}

static void lines_without_sense(void **unused)
{
  (void)unused;
  static const char *const broken[] = {
    "",
    "\n\n",
    "copies",
    "copies,d",
    "copies,x,host.table,",
    "copies,,host.table,",
    "copies,d,table,",
    "copies,d,host.table,n",
    "copies,d,host.table,n=",
    "copies,d,host.table,n=..",
    "copies,d,host.table,n=5..4",
    "copies,d,host.table,n=-1",
    "copies,d,host.table,n=1x",
    "copies,d,host.table,o=1",
    "copies,d,host.table,green",
    "copies,d,host.table,n=1,n=2",
    "copies,d,host.table,n=1 n=1 n=1 n=1 n=1 n=1 n=1",
    "copies-with-a-name-that-is-too-long-for-an-operation,d,host.table,",
    "# copies,d,host.table,",
    "\xff\xfe,d,host.table,n=\x01",
  };
  batched_clear_choices(ctx);
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    if (batched_load_choices(ctx, broken[i]) != 0) fail_msg("%s", broken[i]);
    assert_string_equal(row_for(BATCHED_D, 1, 1, 1), "host.plain");
  }
}

static void file_of_the_environment(void **unused)
{
  (void)unused;
  char path[] = "/tmp/test_choice_XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  static const char text[] = "copies,d,host.even,\npotrf,d,host.ref,n=5\n";
  assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
  close(file);
  setenv("BATCHED_TUNING", path, 1);
  batched_ctx *mine = NULL;
  assert_int_equal(batched_create(&mine, BATCHED_HOST), 0);
  unsetenv("BATCHED_TUNING");
  unlink(path);
  static double data[2];
  static int info[3];
  batched_potrf_args args = {BATCHED_LOWER, batched_make_strided(BATCHED_D, data, 5, 5, 5, 25, 3), info};
  assert_string_equal(batched_choose(mine, &batched_potrf_op, &args)->name, "host.ref");
  args.a.m = args.a.n = 6;
  assert_string_equal(batched_choose(mine, &batched_potrf_op, &args)->name, "host.simd");
  batched_destroy(&mine);
}

/* ------------------------------------------------------------------ the shipped tables */

/* Read once for all contexts, they are what reading their text gives. */
static void shipped_tables_are_whole(void **unused)
{
  (void)unused;
  for (const char *const *table = batched_choice_tables; *table; table++) {
    batched_clear_choices(ctx);
    const int n = batched_load_choices(ctx, *table);
    batched_clear_choices(ctx);
    assert_true(n > 10);
    assert_int_equal(batched_ship_choices(ctx, *table), n);
  }
  assert_int_equal(batched_ship_choices(ctx, "copies,d,host.even,"), 0);
  batched_clear_choices(ctx);
}

/* On which sides of its sizes a line is looked at. */
typedef struct size {
  int m, n, rhs;
  bool upper, transposed, variable, values; /* values: eigenvalues, or singular ones, alone */
} size;

static int extents[4];

static batched_matrix matrix(batched_type type, int m, int n, size s)
{
  static _Alignas(16) double data[2];
  batched_matrix a = batched_make_strided(type, data, m, n, m, (int64_t)m * n, 1000);
  if (s.variable) a.ms = a.ns = extents;
  return a;
}

/* The name that the tables give to one of these kernels, or NULL. */
static const char *leaf(batched_ctx *c, batched_type type, int n, int rhs)
{
  static const char *const names[] = {"cuda.trsv",    "cuda.registers", "cuda.shared", "cuda.warp_stream",
                                      "cuda.warp_tc", "cuda.panels_tc", "cuda.panels", NULL};
  const batched_shape shape = {.type = type, .count = 1000, .m = n, .n = n, .rhs = rhs};
  int cursor = 0;
  for (int row; (row = batched_next_choice(c, "trsm.leaf", names, &shape, &cursor)) >= 0;)
    if (row > 2 || (row == 2 && n <= 32) || row == 1) return names[row]; /* trsv and shared do not take larger ones */
  return NULL;
}

/* The row of hb2st for bands of order n, with d as a column or a row. */
static const char *chase(batched_ctx *c, int n, int64_t count, bool column)
{
  batched_matrix ab = matrix(BATCHED_D, 17, n, (size){0}),
                 d = matrix(BATCHED_D, column ? n : 1, column ? 1 : n, (size){0});
  ab.count = d.count = count;
  const batched_hb2st_args h = {BATCHED_VALUES, BATCHED_LOWER, 16, ab, d, d, {0}};
  return batched_choose(c, &batched_hb2st_op, &h)->name;
}

/* The row of stedc, or of bdsdc, for order n, with d as a column or a row. */
static const char *divide(batched_ctx *c, bool singular, int n, bool column)
{
  const batched_matrix d = matrix(BATCHED_D, column ? n : 1, column ? 1 : n, (size){0});
  const batched_matrix z = matrix(BATCHED_D, n, n, (size){0});
  if (singular)
    return batched_choose(c, &batched_bdsdc_op, &(batched_bdsdc_args){BATCHED_UPPER, d, d, z, z, NULL})->name;
  return batched_choose(c, &batched_stedc_op, &(batched_stedc_args){BATCHED_VECTORS, d, d, z, NULL})->name;
}

/* The row of getrf for so many matrices of order n. */
static const char *factors(batched_ctx *c, batched_type type, int n, int64_t count)
{
  static int ints[1];
  batched_matrix a = matrix(type, n, n, (size){0});
  a.count = count;
  return batched_choose(c, &batched_getrf_op, &(batched_getrf_args){a, ints, ints})->name;
}

static const char *reflectors(batched_ctx *c, batched_type type, int n, int64_t count)
{
  batched_matrix a = matrix(type, n, n, (size){0}), tau = matrix(type, n, 1, (size){0});
  a.count = tau.count = count;
  return batched_choose(c, &batched_geqrf_op, &(batched_geqrf_args){a, tau})->name;
}

static const char *bidiagonal(batched_ctx *c, batched_type type, int n, int64_t count)
{
  batched_matrix a = matrix(type, n, n, (size){0}), x = matrix(type, n, 1, (size){0});
  a.count = x.count = count;
  return batched_choose(c, &batched_gebrd_op, &(batched_gebrd_args){a, x, x, x, x})->name;
}

static const batched_variant *choose(batched_ctx *c, const char *name, batched_type type, size s)
{
  static int ints[4];
  const batched_scalar one = {1, 0};
  const batched_uplo uplo = s.upper ? BATCHED_UPPER : BATCHED_LOWER;
  const batched_trans trans = s.transposed ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS;
  const batched_job job = s.values ? BATCHED_VALUES : BATCHED_VECTORS;
  const batched_matrix a = matrix(type, s.m, s.n, s), b = matrix(type, s.m, s.rhs, s);
  const batched_matrix x = matrix(type, s.transposed ? s.m : s.n, 1, s),
                       y = matrix(type, s.transposed ? s.n : s.m, 1, s);
  if (strcmp(name, "potrf") == 0) return batched_choose(c, &batched_potrf_op, &(batched_potrf_args){uplo, a, ints});
  if (strcmp(name, "potrs") == 0) return batched_choose(c, &batched_potrs_op, &(batched_potrs_args){uplo, a, b});
  if (strcmp(name, "potri") == 0) return batched_choose(c, &batched_potri_op, &(batched_potri_args){uplo, a, ints});
  if (strcmp(name, "getrf") == 0) return batched_choose(c, &batched_getrf_op, &(batched_getrf_args){a, ints, ints});
  if (strcmp(name, "geqrf") == 0) return batched_choose(c, &batched_geqrf_op, &(batched_geqrf_args){a, y});
  if (strcmp(name, "ungqr") == 0) return batched_choose(c, &batched_ungqr_op, &(batched_ungqr_args){a, y});
  if (strcmp(name, "heev") == 0)
    return batched_choose(c, &batched_heev_op, &(batched_heev_args){job, uplo, a, x, ints});
  if (strcmp(name, "gesvd") == 0)
    return batched_choose(c, &batched_gesvd_op, &(batched_gesvd_args){job, a, x, a, a, ints});
  if (strcmp(name, "hetrd") == 0) return batched_choose(c, &batched_hetrd_op, &(batched_hetrd_args){uplo, a, x, x, x});
  if (strcmp(name, "gebrd") == 0) return batched_choose(c, &batched_gebrd_op, &(batched_gebrd_args){a, x, x, x, x});
  if (strcmp(name, "gehrd") == 0) return batched_choose(c, &batched_gehrd_op, &(batched_gehrd_args){1, s.n, a, x});
  if (strcmp(name, "trsv") == 0)
    return batched_choose(c, &batched_trsv_op, &(batched_trsv_args){uplo, trans, BATCHED_NON_UNIT, a, x});
  if (strcmp(name, "gemv") == 0)
    return batched_choose(c, &batched_gemv_op, &(batched_gemv_args){trans, one, one, a, x, y});
  if (strcmp(name, "symv") == 0)
    return batched_choose(c, &batched_symv_op, &(batched_symv_args){uplo, false, one, one, a, x, y});
  if (strcmp(name, "syrk") == 0)
    return batched_choose(c, &batched_syrk_op, &(batched_syrk_args){.uplo = uplo, .trans = trans, .a = a, .c = a});
  if (strcmp(name, "gemm") == 0) {
    const batched_matrix left = s.transposed ? matrix(type, s.rhs, s.m, s) : matrix(type, s.m, s.rhs, s);
    const batched_gemm_args g = {trans, BATCHED_NO_TRANS, one, one, left, matrix(type, s.rhs, s.n, s), a};
    return batched_choose(c, &batched_gemm_op, &g);
  }
  if (strcmp(name, "gtsv") == 0) {
    const batched_matrix d = matrix(type, s.m, 1, s), e = matrix(type, s.m - 1, 1, s);
    return batched_choose(c, &batched_gtsv_op, &(batched_gtsv_args){d, e, e, b, ints});
  }
  if (strcmp(name, "gbtrf") == 0 || strcmp(name, "gbsv") == 0) {
    const batched_extent kl = batched_uniform(s.rhs), ku = batched_uniform(s.upper ? s.rhs + 1 : s.rhs);
    const batched_matrix ab = matrix(type, 3 * s.rhs + 2, s.n, s);
    const batched_gbtrf_args f = {batched_uniform(s.n), kl, ku, ab, ints, ints};
    const batched_gbsv_args g = {kl, ku, ab, matrix(type, s.n, 1, s), ints, ints};
    return strcmp(name, "gbsv") == 0 ? batched_choose(c, &batched_gbsv_op, &g)
                                     : batched_choose(c, &batched_gbtrf_op, &f);
  }
  fail_msg("%s", name);
  return NULL;
}

typedef struct expected {
  const char *operation, *types;
  size size;
  const char *row; /* what stands before that size is in the line above */
} expected;

static void check(batched_ctx *c, const expected *e, int n)
{
  for (int i = 0; i < n; i++)
    for (const char *t = e[i].types; *t; t++) {
      const batched_variant *v = choose(c, e[i].operation, (batched_type)(strchr("sdcz", *t) - "sdcz"), e[i].size);
      if (!v || strcmp(v->name, e[i].row) != 0)
        fail_msg("%s %c %d x %d, %d: %s, not %s", e[i].operation, *t, e[i].size.m, e[i].size.n, e[i].size.rhs,
                 v ? v->name : "none", e[i].row);
    }
}

/* Sizes of squares, with one column beside them. */
#define SQUARE(n) \
  { \
    n, n, 1, false, false, false \
  }
#define UPPER(n) \
  { \
    n, n, 1, true, false, false \
  }
#define VARIABLE(n) \
  { \
    n, n, 1, false, false, true \
  }
#define TRANSPOSED(m, n) \
  { \
    m, n, 1, false, true, false \
  }
#define VALUES(n) \
  { \
    n, n, 1, false, false, false, true \
  }
#define SIZE(m, n, rhs) \
  { \
    m, n, rhs, false, false, false \
  }

static void vectors_and_values(void **unused)
{
  (void)unused;
  static const expected e[] = {
    {"heev", "d", VALUES(40), "host.ref"},       {"heev", "d", SQUARE(40), "host.simd"},
    {"gesvd", "d", VALUES(40), "host.composed"}, {"gesvd", "d", SQUARE(40), "host.ref"},
    {"gesvd", "d", SIZE(50, 40, 1), "host.ref"},
  };
  batched_clear_choices(ctx);
  assert_int_equal(batched_load_choices(ctx, "heev,d,host.ref,values\nheev,d,host.simd,n=..40\n"
                                             "gesvd,d,host.ref,vectors\ngesvd,d,host.composed,n=40"),
                   4);
  check(ctx, e, sizeof e / sizeof *e);
  batched_clear_choices(ctx);
}

static void rows_of_the_host(void **unused)
{
  (void)unused;
  static const expected e[] = {
    {"potrf", "sd", SQUARE(181), "host.simd"},         {"potrf", "cz", SQUARE(128), "host.simd"},
    {"potri", "c", SQUARE(181), "host.simd"},          {"getrf", "c", SQUARE(90), "host.simd"},
    {"getrf", "sd", SIZE(1024, 32, 1), "host.simd"},   {"trsv", "sdcz", SQUARE(64), "host.simd"},
    {"gemm", "sd", SIZE(256, 256, 256), "host.simd"},  {"gemv", "s", SIZE(1024, 512, 1), "host.simd"},
    {"geqrf", "sdcz", SIZE(256, 64, 1), "host.simd"},  {"heev", "sdcz", SQUARE(80), "host.simd_qr"},
    {"gesvd", "sd", SIZE(128, 64, 1), "host.simd_qr"}, {"gesvd", "sd", SIZE(64, 128, 1), "host.simd_qr"},
    {"gbtrf", "sd", SIZE(512, 512, 31), "host.simd"},  {"ungqr", "c", SQUARE(31), "host.ref"},
    {"getrf", "s", SQUARE(144), "host.simd"},          {"symv", "d", SQUARE(49), "host.simd"},
    {"getrf", "z", SQUARE(45), "host.simd"},           {"syrk", "cz", SQUARE(384), "host.simd"},
    {"gbtrf", "sdcz", SIZE(512, 512, 0), "host.ref"},
  };
  static const expected vendor[] = {
    {"potrf", "sd", SQUARE(182), "vendor.lapacke"},       {"potrf", "cz", SQUARE(129), "vendor.lapacke"},
    {"potri", "z", SQUARE(129), "vendor.lapacke"},        {"getrf", "c", SQUARE(91), "vendor.lapacke"},
    {"getrf", "sd", SIZE(1024, 33, 1), "vendor.lapacke"}, {"trsv", "sdcz", SQUARE(65), "vendor.blas"},
    {"gemm", "sd", SIZE(256, 256, 257), "vendor.blas"},   {"gemv", "s", SIZE(1024, 513, 1), "vendor.blas"},
    {"geqrf", "sdcz", SIZE(257, 8, 1), "vendor.lapacke"}, {"heev", "sdcz", SQUARE(301), "vendor.lapacke"},
    {"gesvd", "sd", SIZE(257, 257, 1), "vendor.lapacke"}, {"gbtrf", "sd", SIZE(512, 512, 32), "vendor.lapacke"},
    {"ungqr", "c", SQUARE(32), "vendor.lapacke"},         {"syrk", "z", TRANSPOSED(16, 16), "vendor.blas"},
    {"ungqr", "sdcz", SIZE(56, 4, 1), "vendor.lapacke"},  {"getrf", "s", SQUARE(145), "vendor.lapacke"},
    {"getrf", "z", SQUARE(46), "vendor.lapacke"},         {"symv", "s", SQUARE(15), "vendor.blas"},
    {"syrk", "cz", SQUARE(385), "vendor.blas"},
  };
  batched_ctx *fresh = NULL;
  assert_int_equal(batched_create(&fresh, BATCHED_HOST), 0);
  check(fresh, e, sizeof e / sizeof *e);
  if (batched_find_variant(&batched_potrf_op, BATCHED_HOST, "vendor.lapacke") && !batched_vendor_is_untuned())
    check(fresh, vendor, sizeof vendor / sizeof *vendor);
  batched_destroy(&fresh);
}

/* A slow BLAS is left alone at sizes at which a tuned one would be taken, by itself where it is there. */
static void rows_beside_a_reference_blas(void **unused)
{
  (void)unused;
  static const expected e[] = {
    {"potrf", "sdcz", SQUARE(512), "host.simd"}, {"potrs", "sdcz", SQUARE(200), "host.simd"},
    {"getrf", "sdcz", SQUARE(512), "host.simd"}, {"gemm", "sdcz", SIZE(900, 900, 900), "host.simd"},
    {"geqrf", "sdcz", SQUARE(512), "host.simd"}, {"symv", "sd", SQUARE(513), "host.simd"},
  };
  static const expected vendor[] = {
    {"potrf", "sdcz", SQUARE(513), "vendor.lapacke"},
    {"geqrf", "sdcz", SQUARE(513), "vendor.lapacke"},
    {"gesvd", "sd", SIZE(257, 257, 1), "vendor.lapacke"},
  };
  batched_ctx *fresh = NULL;
  assert_int_equal(batched_create(&fresh, BATCHED_HOST), 0);
  if (!batched_vendor_is_untuned())
    assert_true(batched_load_choices(fresh, batched_find_choices("host with a reference BLAS", 0)) > 10);
  check(fresh, e, sizeof e / sizeof *e);
  if (batched_find_variant(&batched_potrf_op, BATCHED_HOST, "vendor.lapacke"))
    check(fresh, vendor, sizeof vendor / sizeof *vendor);
  batched_destroy(&fresh);
}

/* One matrix fills one lane: even such an OpenBLAS, which many matrices are kept from, is faster then. */
static void few_matrices_beside_an_old_openblas(void **unused)
{
  (void)unused;
  static const struct {
    int n, count;
    const char *row;
  } e[] = {{8, 1, "vendor.lapacke"}, {8, 2, "host.simd"},        {64, 3, "vendor.lapacke"},
           {64, 8, "host.simd"},     {500, 1, "vendor.lapacke"}, {500, 8, "host.simd"}};
  if (!batched_find_variant(&batched_getrf_op, BATCHED_HOST, "vendor.lapacke")) skip();
  batched_ctx *fresh = NULL;
  assert_int_equal(batched_create(&fresh, BATCHED_HOST), 0);
  if (!batched_vendor_is_untuned()) batched_load_choices(fresh, batched_find_choices("host with a reference BLAS", 0));
  if (!batched_vendor_is_for_older_processors()) {
    assert_string_equal(factors(fresh, BATCHED_D, 500, 1), "host.simd");
    batched_load_choices(fresh, batched_find_choices("host with an OpenBLAS for older processors", 0));
  }
  for (size_t i = 0; i < sizeof e / sizeof *e; i++)
    assert_string_equal(factors(fresh, BATCHED_D, e[i].n, e[i].count), e[i].row);
  batched_destroy(&fresh);
}

/* No row of this list needs more of a GPU than any has, so none has to be there. */
static const expected on_an_h100[] = {
  {"potrf", "d", SQUARE(20), "cuda.lanes"},
  {"potrf", "d", SQUARE(21), "cuda.warp_tc"},
  {"potrf", "d", SQUARE(48), "cuda.warp_tc"},
  {"potrf", "d", SQUARE(49), "cuda.shared"},
  {"potrf", "d", UPPER(32), "cuda.warp_tc"},
  {"potrf", "d", UPPER(33), "cuda.shared"},
  {"potrf", "d", VARIABLE(33), "cuda.shared"},
  {"potrf", "scz", SQUARE(32), "cuda.lanes"},
  {"potrf", "sz", SQUARE(33), "cuda.registers"},
  {"potrf", "c", SQUARE(33), "cuda.shared"},
  {"potrf", "z", SQUARE(49), "cuda.shared"},
  {"potrf", "s", SQUARE(64), "cuda.registers"},
  {"potrf", "s", SQUARE(112), "cuda.shared"},
  {"potrf", "s", SQUARE(113), "cuda.panels_tc"},
  {"potrf", "s", VARIABLE(113), "cuda.shared"},
  {"potrf", "s", SQUARE(96), "cuda.panels_tc"},
  {"potrf", "s", SQUARE(257), "cuda.blocked"},
  {"potrf", "d", SQUARE(321), "cuda.tiles_tc"},
  {"potrf", "d", SQUARE(448), "cuda.tiles_tc"},
  {"potrf", "d", SQUARE(449), "cuda.native"},
  {"potrf", "d", UPPER(321), "cuda.blocked"},
  {"potrf", "dz", SQUARE(1000), "cuda.native"},
  {"potrf", "z", SQUARE(383), "cuda.blocked"},
  {"potrf", "c", SQUARE(64), "cuda.registers"},
  {"potrf", "c", SQUARE(151), "cuda.blocked"},
  {"potrs", "dc", SIZE(32, 32, 4), "cuda.lanes"},
  {"potrs", "s", SIZE(32, 32, 4), "cuda.warp_stream"},
  {"potrs", "z", SIZE(32, 32, 4), "cuda.composed"},
  {"potrs", "d", SIZE(32, 32, 9), "cuda.composed"},
  {"potrs", "dc", SIZE(24, 24, 5), "cuda.lanes"},
  {"potrs", "sz", SIZE(24, 24, 5), "cuda.composed"},
  {"potrs", "sdcz", SIZE(40, 40, 20), "cuda.warp_stream"},
  {"potrs", "sdcz", SIZE(40, 40, 21), "cuda.composed"},
  {"potri", "sdcz", SQUARE(24), "cuda.lanes"},
  {"potri", "sdcz", SQUARE(25), "cuda.composed"},
  {"trsv", "sdcz", SQUARE(4), "cuda.thread"},
  {"trsv", "sdcz", SQUARE(5), "cuda.lanes"},
  {"getrf", "sdcz", SQUARE(32), "cuda.lanes"},
  {"getrf", "d", SQUARE(64), "cuda.warp_tc"},
  {"getrf", "scz", SQUARE(33), "cuda.warp_tc"},
  {"getrf", "scz", VARIABLE(33), "cuda.panels_shared"},
  {"getrf", "c", SQUARE(41), "cuda.panels_shared"},
  {"getrf", "z", SQUARE(41), "cuda.panels_shared"},
  {"getrf", "sc", SQUARE(64), "cuda.warp_tc"},
  {"getrf", "s", SQUARE(65), "cuda.panels_shared"},
  {"getrf", "c", SQUARE(89), "cuda.recursive"},
  {"getrf", "z", SQUARE(71), "cuda.recursive"},
  {"getrf", "s", SQUARE(288), "cuda.recursive"},
  {"getrf", "d", SQUARE(257), "cuda.recursive"},
  {"getrf", "d", VARIABLE(513), "cuda.recursive"},
  {"geqrf", "d", SQUARE(24), "cuda.lanes"},
  {"geqrf", "d", SQUARE(25), "cuda.warp_tc"},
  {"geqrf", "d", SIZE(17, 25, 1), "cuda.warp_tc"},
  {"geqrf", "d", SIZE(16, 25, 1), "cuda.lanes"},
  {"geqrf", "d", SQUARE(64), "cuda.warp_tc"},
  {"geqrf", "s", SQUARE(33), "cuda.warp_tc"},
  {"geqrf", "s", SQUARE(80), "cuda.warp_tc"},
  {"geqrf", "s", SQUARE(81), "cuda.panels_tc"},
  {"geqrf", "c", SQUARE(24), "cuda.lanes"},
  {"geqrf", "c", SQUARE(25), "cuda.warp_tc"},
  {"geqrf", "c", SQUARE(64), "cuda.warp_tc"},
  {"geqrf", "c", VARIABLE(64), "cuda.registers"},
  {"geqrf", "z", SQUARE(25), "cuda.warp_tc"},
  {"geqrf", "z", VARIABLE(25), "cuda.lanes"},
  {"geqrf", "z", SQUARE(64), "cuda.panels"},
  {"geqrf", "z", SQUARE(80), "cuda.blocked"},
  {"geqrf", "cz", SQUARE(512), "cuda.blocked"},
  {"geqrf", "sd", SQUARE(388), "cuda.blocked"},
  {"geqrf", "d", SQUARE(300), "cuda.blocked"},
  {"geqrf", "d", SQUARE(513), "cuda.blocked"},
  {"geqrf", "z", VARIABLE(150), "cuda.registers"},
  {"geqrf", "c", SQUARE(150), "cuda.blocked"},
  {"geqrf", "s", SIZE(100, 20, 1), "cuda.panels_tc"},
  {"geqrf", "c", SQUARE(80), "cuda.warp_tc"},
  {"geqrf", "c", VARIABLE(65), "cuda.panels_shared"},
  {"geqrf", "z", VARIABLE(48), "cuda.warp_tc"},
  {"ungqr", "d", SIZE(128, 32, 1), "cuda.narrow_tc"},
  {"ungqr", "d", SIZE(1024, 64, 1), "cuda.narrow_tc"},
  {"ungqr", "c", SIZE(1025, 40, 1), "cuda.blocked"},
  {"heev", "sdcz", SQUARE(4), "cuda.thread"},
  {"heev", "sdcz", VALUES(32), "cuda.lanes"},
  {"heev", "sdcz", SQUARE(32), "cuda.lanes_halves"},
  {"heev", "sdcz", SQUARE(33), "cuda.composed"},
  {"heev", "d", VALUES(191), "cuda.composed"},
  {"heev", "d", VALUES(192), "cuda.two_stage"},
  {"heev", "s", VALUES(256), "cuda.two_stage"},
  {"heev", "c", VALUES(319), "cuda.composed"},
  {"heev", "z", VALUES(287), "cuda.composed"},
  {"heev", "sdcz", VALUES(320), "cuda.two_stage"},
  {"heev", "scz", SQUARE(512), "cuda.composed"},
  {"heev", "d", SQUARE(287), "cuda.composed"},
  {"heev", "d", SQUARE(288), "cuda.two_stage"},
  {"heev", "d", SQUARE(4096), "cuda.two_stage"},
  {"heev", "scz", VALUES(1025), "cuda.composed"},
  {"heev", "d", VALUES(2049), "cuda.composed"},
  {"gesvd", "sdcz", SQUARE(33), "cuda.composed"},
  {"gesvd", "d", VALUES(159), "cuda.composed"},
  {"gesvd", "d", VALUES(160), "cuda.two_stage"},
  {"gesvd", "s", VALUES(383), "cuda.composed"},
  {"gesvd", "c", VALUES(319), "cuda.composed"},
  {"gesvd", "z", VALUES(287), "cuda.composed"},
  {"gesvd", "sdcz", VALUES(384), "cuda.two_stage"},
  {"gesvd", "scz", SQUARE(512), "cuda.composed"},
  {"gesvd", "d", SQUARE(383), "cuda.composed"},
  {"gesvd", "d", SQUARE(384), "cuda.two_stage"},
  {"gesvd", "d", SQUARE(4096), "cuda.two_stage"},
  {"hetrd", "sd", SQUARE(64), "cuda.registers"},
  {"gehrd", "sd", SQUARE(64), "cuda.registers"},
  {"gebrd", "sd", SQUARE(64), "cuda.registers"},
  {"gebrd", "sd", SIZE(64, 40, 1), "cuda.registers"},
  {"gesvd", "sdcz", SQUARE(65), "cuda.composed"},
  {"gesvd", "sdcz", SIZE(97, 65, 1), "cuda.composed"},
  {"gesvd", "sdcz", SIZE(98, 65, 1), "cuda.composed_qr"},
  {"gesvd", "sdcz", SIZE(65, 98, 1), "cuda.composed_qr"},
  {"gesvd", "sdcz", SIZE(128, 33, 1), "cuda.composed_qr"},
  {"gemv", "sdcz", SIZE(16, 2048, 1), "cuda.lanes"},
  {"gemv", "sdcz", SIZE(16, 2049, 1), "cuda.block"},
  {"gemv", "sdcz", SIZE(20, 20, 1), "cuda.lanes"},
  {"gemv", "sdcz", SIZE(20, 21, 1), "cuda.block"},
  {"gemv", "d", SIZE(33, 40, 1), "cuda.packed"},
  {"gemv", "d", SIZE(33, 41, 1), "cuda.block"},
  {"gemv", "d", TRANSPOSED(17, 96), "cuda.packed"},
  {"gemv", "d", TRANSPOSED(32, 96), "cuda.block"},
  {"gemv", "scz", SIZE(512, 512, 1), "cuda.block"},
  {"gemv", "scz", SIZE(512, 513, 1), "cuda.native"},
  {"symv", "sdcz", SQUARE(512), "cuda.block"},
  {"symv", "sdcz", SQUARE(513), "cuda.native"},
  {"gtsv", "sdcz", SQUARE(32), "cuda.thread"},
  {"gtsv", "sdcz", SQUARE(33), "cuda.warp"},
  {"gbtrf", "sdcz", SIZE(512, 512, 7), "cuda.warp"},
  {"gbtrf", "sdcz", SIZE(512, 512, 8), "cuda.halves"},
  {"gbsv", "sdcz", SQUARE(512), "cuda.thread"},
  {"gbsv", "sdcz", UPPER(512), "cuda.lanes"},
  {"gemm", "sdcz", SIZE(16, 16, 9), "cuda.warp"},
  {"gemm", "d", SIZE(17, 17, 9), "cuda.packed"},
  {"gemm", "d", SIZE(17, 17, 8), "cuda.tile_tc"},
  {"gemm", "d", SIZE(48, 32, 8), "cuda.narrow_tc"},
  {"gemm", "d", SIZE(6, 16384, 8), "cuda.wide_tc"},
  {"gemm", "d", SIZE(46, 32, 8), "cuda.tile_tc"},
  {"gemm", "z", SIZE(48, 32, 8), "cuda.tile_tc"},
  {"gemm", "s", SIZE(48, 32, 8), "cuda.tile"},
};

static void rows_of_an_h100(void **unused)
{
  (void)unused;
  if (!batched_potrf_cuda[0].name) skip();
  batched_ctx *fake = calloc(1, sizeof *fake); /* asked for choices alone */
  assert_non_null(fake);
  fake->space = BATCHED_CUDA;
  const char *text = batched_find_choices("NVIDIA H100 80GB HBM3", 90);
  assert_true(batched_load_choices(fake, text) > 50);
  check(fake, on_an_h100, sizeof on_an_h100 / sizeof *on_an_h100);
  assert_string_equal(leaf(fake, BATCHED_D, 32, 100), "cuda.registers");
  assert_string_equal(leaf(fake, BATCHED_Z, 32, 17), "cuda.shared");
  assert_string_equal(leaf(fake, BATCHED_D, 16, 16), "cuda.shared");
  assert_string_equal(leaf(fake, BATCHED_D, 17, 3), "cuda.shared");
  assert_string_equal(leaf(fake, BATCHED_D, 33, 16), "cuda.warp_tc");
  assert_string_equal(leaf(fake, BATCHED_S, 48, 9), "cuda.registers");
  assert_string_equal(leaf(fake, BATCHED_D, 300, 16), "cuda.warp_tc");
  assert_string_equal(leaf(fake, BATCHED_D, 159, 8), "cuda.warp_stream");
  assert_string_equal(leaf(fake, BATCHED_D, 224, 17), "cuda.warp_tc");
  assert_string_equal(leaf(fake, BATCHED_D, 225, 17), "cuda.panels_tc");
  assert_string_equal(leaf(fake, BATCHED_C, 49, 100), "cuda.warp_tc");
  assert_string_equal(leaf(fake, BATCHED_Z, 112, 100), "cuda.warp_tc");
  assert_null(leaf(fake, BATCHED_Z, 129, 100)); /* halved */
  assert_null(leaf(fake, BATCHED_C, 257, 65));
  for (int type = 0; type < 4; type++) {
    assert_string_equal(factors(fake, (batched_type)type, 1024, 16), "cuda.native");
    assert_string_equal(factors(fake, (batched_type)type, 1024, 17), "cuda.recursive");
    assert_string_equal(factors(fake, (batched_type)type, 20000, 1), "cuda.native");
    assert_string_equal(factors(fake, (batched_type)type, 65537, 1), "cuda.recursive");
    assert_string_equal(reflectors(fake, (batched_type)type, 512, 1), "cuda.native");
    assert_string_equal(bidiagonal(fake, (batched_type)type, 513, 1), "cuda.native");
    assert_string_equal(bidiagonal(fake, (batched_type)type, 512, 1), bidiagonal(fake, (batched_type)type, 512, 3));
    for (int n = 256; n < 512; n += 51) /* one has the row of three, and so its bits */
      assert_string_equal(reflectors(fake, (batched_type)type, n, 1), reflectors(fake, (batched_type)type, n, 3));
  }
  assert_string_equal(chase(fake, 1024, 64, true), "cuda.native");
  assert_string_equal(chase(fake, 1024, 64, false), "cuda.native");
  assert_string_equal(chase(fake, 1023, 64, true), "cuda.block");
  assert_string_equal(chase(fake, 1024, 65, false), "cuda.block");
  for (int i = 0; i < 4; i++) {
    assert_string_equal(divide(fake, i / 2, 15, i % 2), "cuda.dc");
    assert_string_equal(divide(fake, i / 2, 16, i % 2), "cuda.twisted");
    assert_string_equal(divide(fake, i / 2, 97, i % 2), "cuda.dc");
  }
  batched_close_tuning(fake);
  free(fake);
}

/* Whose table: the host's for the host; for a GPU its own, or its neighbour's, or else the first one's. */
static void shipped_tables(void **unused)
{
  (void)unused;
  const char *host = batched_find_choices("host", 0), *h100 = batched_find_choices("NVIDIA H100 80GB HBM3", 90);
  assert_non_null(host);
  assert_non_null(h100);
  assert_ptr_not_equal(host, h100);
  assert_ptr_equal(batched_find_choices("NVIDIA H200", 90), h100);
  assert_ptr_equal(batched_find_choices("NVIDIA A100", 80), h100);
}

/* Every line of the shipped tables is understood, names an operation, and a row that it has or that was not built. */
static void lines_of_the_shipped_tables(void **unused)
{
  (void)unused;
  for (int t = 0; batched_choice_tables[t]; t++) {
    for (const char *line = batched_choice_tables[t]; *line; line = strchr(line, '\n') + 1) {
      char text[256], operation[64] = "", types[8] = "", row[64] = "";
      snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
      if (*text == '#' || strncmp(text, "operation,", 10) == 0) continue;
      batched_clear_choices(ctx);
      if (batched_load_choices(ctx, text) != 1) fail_msg("%s", text);
      assert_int_equal(sscanf(text, "%63[^,],%7[^,],%63[^,]", operation, types, row), 3);
      if (strchr(operation, '.')) continue; /* kernels that other operations call */
      const batched_op *op = NULL;
      for (int i = 0; batched_operations[i]; i++)
        if (strcmp(batched_operations[i]->name, operation) == 0) op = batched_operations[i];
      if (!op) fail_msg("no such operation: %s", text);
      const batched_space space = strncmp(row, "cuda.", 5) == 0 ? BATCHED_CUDA : BATCHED_HOST;
      const bool built = strncmp(row, "vendor.", 7) != 0 && op->variants[space] && op->variants[space][0].name;
      if (built && !batched_find_variant(op, space, row)) fail_msg("no such row: %s", text);
    }
  }
  batched_clear_choices(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(first_line_that_holds_and_fits),
    cmocka_unit_test(counts_within_an_operation),
    cmocka_unit_test(counts_within_parts),
    cmocka_unit_test(long_and_short),
    cmocka_unit_test(the_users_lines_come_first),
    cmocka_unit_test(lines_without_sense),
    cmocka_unit_test(file_of_the_environment),
    cmocka_unit_test(shipped_tables_are_whole),
    cmocka_unit_test(vectors_and_values),
    cmocka_unit_test(rows_of_the_host),
    cmocka_unit_test(rows_beside_a_reference_blas),
    cmocka_unit_test(few_matrices_beside_an_old_openblas),
    cmocka_unit_test(rows_of_an_h100),
    cmocka_unit_test(shipped_tables),
    cmocka_unit_test(lines_of_the_shipped_tables),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
