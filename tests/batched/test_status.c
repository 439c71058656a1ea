/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every status has a sentence of its own.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batched/context.h"
#include "batched/operations.h"
#include "batched/variant.h"

static void test_sentences_differ(void **unused)
{
  (void)unused;
  for (int i = -12; i <= BATCHED_NO_KERNELS; i++) {
    assert_non_null(batched_strerror(i));
    assert_string_not_equal(batched_strerror(i), "unknown status");
    for (int j = -12; j < i; j++) assert_string_not_equal(batched_strerror(i), batched_strerror(j));
  }
  assert_non_null(strstr(batched_strerror(-3), "3rd"));
}

static void test_strange_numbers(void **unused)
{
  (void)unused;
  assert_string_equal(batched_strerror(12345), "unknown status");
  assert_non_null(batched_strerror(-12345));
  assert_non_null(batched_strerror(INT32_MIN));
}

/* What was refused stands in the sentence; other statuses have theirs. */
static void test_explanations(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  char text[256];
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_string_equal(batched_explain(ctx, BATCHED_NO_MEMORY, text, sizeof text), batched_strerror(BATCHED_NO_MEMORY));
  batched_fail_allocation(0);
  assert_null(batched_allocate(ctx, 1234567));
  assert_string_equal(batched_explain(ctx, BATCHED_NO_MEMORY, text, sizeof text),
                      "out of memory: 1.23 MB were asked for");
  assert_string_equal(batched_explain(NULL, BATCHED_NO_MEMORY, text, sizeof text), batched_strerror(BATCHED_NO_MEMORY));
  assert_int_equal(strlen(batched_explain(ctx, BATCHED_NO_MEMORY, text, 8)), 7);
  batched_destroy(&ctx);
}

/* A refused argument is named with its fault, whatever was refused before. */
static void test_faults_are_named(void **unused)
{
  (void)unused;
  static const int ms[] = {3, 5, 2}, fewer[] = {3, 4, 2};
  double x[100] = {0}, *array[] = {x, x, x};
  const batched_matrix a = batched_strided((const double *)x, 3, 3, 3, 9, 2), y = batched_strided(x, 3, 1, 3, 3, 2);
  batched_matrix wrong[] = {a, a, a, a, a, a, a, a, batched_variable(array, 4, 4, 4, ms, ms, NULL, 3)};
  wrong[0].ld = 2, wrong[1].data = NULL, wrong[2].m = -1, wrong[3].array = (void *const *)array, wrong[4].count = -2;
  wrong[5].stride = 0, wrong[6].n = 2, wrong[7].type = (batched_type)4;
  static const char *const faults[] = {"ld 2 < m 3",
                                       "data and array are NULL",
                                       "m -1 < 0",
                                       "data and array are both given",
                                       "count -2 < 0",
                                       "it is written, and can't be one matrix for the batch (stride 0)",
                                       "a square matrix's m and n, 3 and 2 do not agree",
                                       "type 4 is none of BATCHED_S (0) .. BATCHED_Z (3)",
                                       "matrix 1: m 5 > its bound 4"};
  batched_ctx *ctx;
  int info[3];
  char text[256], wanted[256];
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  for (int i = 0; i < 9; i++) {
    const int status = batched_potrf(ctx, BATCHED_LOWER, wrong[i], info);
    assert_int_equal(status, -3);
    snprintf(wanted, sizeof wanted, "the 3rd argument is wrong: %s", faults[i]);
    assert_string_equal(batched_explain(ctx, status, text, sizeof text), wanted);
  }
  assert_string_equal(batched_explain(ctx, batched_potrf(ctx, (batched_uplo)5, a, info), text, sizeof text),
                      "the 2nd argument is wrong: uplo 5 is neither BATCHED_LOWER (0) nor BATCHED_UPPER (1)");
  assert_string_equal(batched_explain(ctx, batched_potrf(ctx, BATCHED_LOWER, a, NULL), text, sizeof text),
                      "the 4th argument is wrong: info is NULL");
  assert_string_equal(batched_explain(ctx, batched_potrf(NULL, BATCHED_LOWER, a, info), text, sizeof text),
                      "the 1st argument is wrong: the context is NULL");
  const batched_scalar one = batched_real(1);
  assert_string_equal(batched_explain(ctx, batched_gemv(ctx, BATCHED_NO_TRANS, one, a, a, one, y), text, sizeof text),
                      "the 5th argument is wrong: it is no vector: n must be 1, and ns NULL, or m 1, and ms NULL");
  const batched_matrix tall = batched_strided(x, 4, 2, 4, 8, 2), few = batched_strided(x, 3, 1, 4, 4, 2);
  assert_string_equal(batched_explain(ctx, batched_gels(ctx, BATCHED_NO_TRANS, tall, few, info), text, sizeof text),
                      "the 4th argument is wrong: b has 3 rows, not max(m, n) = 4");
  const batched_matrix large = batched_variable(array, 5, 5, 5, ms, fewer, NULL, 3);
  assert_string_equal(batched_explain(ctx, batched_potrf(ctx, BATCHED_LOWER, large, info), text, sizeof text),
                      "the 3rd argument is wrong: matrix 1: a square matrix's m and n, 5 and 4 do not agree");
  batched_destroy(&ctx);
}

/* A pointer that is missing in an array is named; that of an empty matrix may be. */
static void test_null_in_array(void **unused)
{
  (void)unused;
  static const int sizes[] = {2, 0, 2};
  double x[4] = {4, 2, 2, 4}, y[4] = {4, 2, 2, 4}, *array[] = {x, NULL, y}, *rest[] = {x + 2, x + 2, x + 2};
  batched_ctx *ctx;
  int info[3];
  char text[256];
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  const batched_matrix a = batched_array(array, 2, 2, 2, 3), b = batched_array(rest, 2, 1, 2, 3);
  const batched_matrix sized = batched_with_sizes(a, sizes, sizes, NULL);
  assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, a, info), -3);
  assert_string_equal(batched_explain(ctx, -3, text, sizeof text),
                      "the 3rd argument is wrong: matrix 1: array[1] is NULL");
  assert_int_equal(batched_potrs(ctx, BATCHED_LOWER, a, b), -3);
  assert_int_equal(batched_gemv(ctx, BATCHED_NO_TRANS, batched_real(1), a, b, batched_real(0), b), -4);
  assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, sized, info), 0);
  assert_int_equal(info[0] + info[1] + info[2], 0);
  batched_destroy(&ctx);
}

/* Refused argument, and what is said of it, of calls of one batch of 3 x 3 matrices each. */
static void expect(const char *wanted, int number, int status)
{
  char text[256], all[256];
  static const char *const ordinals[] = {"", "1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th"};
  snprintf(all, sizeof all, "the %s argument is wrong: %s", ordinals[number], wanted);
  assert_int_equal(status, -number);
  assert_string_equal(batched_explain(NULL, status, text, sizeof text), all);
}

static void test_every_refusal_is_explained(void **unused)
{
  (void)unused;
  static const int ones[] = {1, 1};
  double x[64] = {0}, *array[] = {x, x + 9};
  float s[8];
  batched_ctx *ctx;
  int info[2], ipiv[8];
  const batched_scalar one = batched_real(1);
  const batched_matrix a = batched_strided(x, 3, 3, 3, 9, 2), d = batched_strided(x, 3, 1, 3, 3, 2);
  const batched_matrix e = batched_strided(x, 2, 1, 2, 2, 2), single = batched_strided(s, 2, 1, 2, 2, 2);
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  expect("ipiv is NULL", 3, batched_getrf(ctx, a, NULL, info));
  expect("info is NULL", 4, batched_getrf(ctx, a, ipiv, NULL));
  expect("diag 7 is neither BATCHED_NON_UNIT (0) nor BATCHED_UNIT (1)", 4,
         batched_trsv(ctx, BATCHED_LOWER, BATCHED_TRANS, (batched_diag)7, a, d));
  expect("trans 0 is neither BATCHED_TRANS (1) nor BATCHED_CONJ_TRANS (2)", 2,
         batched_dot(ctx, BATCHED_NO_TRANS, d, d, d));
  expect("kind 9 is not in 0 .. 3, those of batched_norm_kind", 2, batched_norm(ctx, (batched_norm_kind)9, a, d));
  expect("job 2 is none of BATCHED_VALUES (0), BATCHED_VECTORS (1) and BATCHED_MULTIPLY (3)", 2,
         batched_steqr(ctx, BATCHED_SIGNED_VECTORS, d, e, a, info));
  expect("itype 4 is not 1, 2 or 3", 2, batched_hegst(ctx, 4, BATCHED_LOWER, a, a));
  /* the argument that is wrong, not one beside it */
  expect("types d and s do not agree", 3, batched_pttrf(ctx, d, single, info));
  expect("counts 2 and 1 do not agree", 3, batched_pttrf(ctx, d, batched_strided(x, 2, 1, 2, 2, 1), info));
  expect("its length is 1 < 2", 3, batched_pttrf(ctx, d, batched_strided(x, 1, 1, 1, 1, 2), info));
  expect("ilo 4 is not in 1 .. 3", 2, batched_gehrd(ctx, 4, 3, a, e));
  expect("ihi 4 is not in 1 .. 3", 3, batched_gehrd(ctx, 1, 4, a, e));
  expect("m -1 < 0", 4, batched_gehrd(ctx, 0, 0, batched_strided(x, -1, -1, 1, 1, 1), e));
  expect("ihi 1 is not in 2 .. 3", 6 - 1, batched_unmhr(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, 2, 1, a, e, a));
  expect("it has 3 rows, and the band takes 4", 4, batched_pbtrf(ctx, BATCHED_LOWER, 3, a, info));
  expect("-1 < 0", 3, batched_pbtrf(ctx, BATCHED_LOWER, -1, a, info));
  expect("it is no vector: n must be 1, and ns NULL, or m 1, and ms NULL", 2,
         batched_nrm2(ctx, batched_variable(array, 3, 1, 3, NULL, ones, NULL, 2), d));
  expect("it is no vector: n must be 1, and ns NULL, or m 1, and ms NULL", 5,
         batched_gemv(ctx, BATCHED_NO_TRANS, one, a, a, one, d));
  const char *const no_vector = "it is no vector: n must be 1, and ns NULL, or m 1, and ms NULL";
  const batched_matrix none = {0};
  expect(no_vector, 3, batched_gtsv(ctx, e, a, e, d, info));
  expect(no_vector, 3, batched_gttrf(ctx, e, a, e, d, ipiv, info));
  expect(no_vector, 4, batched_gttrs(ctx, BATCHED_NO_TRANS, e, a, e, d, ipiv, d));
  expect(no_vector, 5, batched_stein(ctx, d, e, NULL, a, a, info));
  expect("its length is 3, not min(m, n) - 2 = 1", 6, batched_he2hb(ctx, BATCHED_LOWER, 2, a, a, d));
  batched_matrix w = batched_make_strided(BATCHED_Z, x, 3, 1, 3, 3, 2),
                 v = batched_make_strided(BATCHED_Z, x, 3, 3, 3, 9, 1);
  expect("counts 1 and 2 do not agree", 4, batched_geev(ctx, a, w, v, none, info));
  batched_destroy(&ctx);
}

/* A row that was asked for and does not fit says which shapes it takes. */
static void test_row_that_does_not_fit(void **unused)
{
  (void)unused;
  double x[18] = {0}, y[6] = {0};
  batched_ctx *ctx;
  char text[256];
  int info[2], ipiv[6];
  const batched_matrix a = batched_strided(x, 3, 3, 3, 9, 2), b = batched_strided(y, 3, 1, 3, 3, 2);
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_select(ctx, &batched_gesv_op, "host.mixed"), 0);
  assert_int_equal(batched_gesv(ctx, a, ipiv, b, info), BATCHED_DOES_NOT_FIT);
  batched_explain(ctx, BATCHED_DOES_NOT_FIT, text, sizeof text);
  assert_non_null(strstr(text, "the chosen variant can't do this shape: mixed takes orders from"));
  batched_destroy(&ctx);
}

/* Matrices that are written have no element in common; those that interleave need not. */
static void test_overlap_is_refused(void **unused)
{
  (void)unused;
  static const int sizes[] = {2, 1};
  double x[64] = {0}, y[64] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  const batched_matrix from = batched_strided(y, 3, 3, 3, 0, 3);
  expect("it is written, and stride -9 < 0", 3, batched_copy(ctx, from, batched_strided(x + 18, 3, 3, 3, -9, 3)));
  expect("it is written, and matrices 0 and 1 overlap: stride 8 < ld (n - 1) + m = 9", 3,
         batched_copy(ctx, from, batched_strided(x, 3, 3, 3, 8, 3)));
  expect("it is written, and matrices 0 and 1 overlap: stride 3 < ld (n - 1) + m = 15", 3,
         batched_copy(ctx, from, batched_strided(x, 3, 3, 6, 3, 3)));
  const batched_matrix sized = batched_with_sizes(batched_strided(x, 3, 3, 3, 5, 2), sizes, sizes, NULL);
  assert_int_equal(batched_copy(ctx, from, batched_strided(x, 3, 3, 9, 3, 3)), 0); /* side by side, in rows */
  assert_int_equal(batched_copy(ctx, from, batched_strided(x, 3, 3, 6, 18, 3)), 0);
  assert_int_equal(batched_copy(ctx, batched_strided(y, 1, 9, 1, 0, 5), batched_strided(x, 1, 9, 5, 1, 5)), 0);
  assert_int_equal(batched_set(ctx, batched_real(0), batched_real(1), sized), 0);
  assert_int_equal(batched_copy(ctx, batched_strided(y + 9, 3, 3, 3, -3, 2), batched_strided(x, 3, 3, 3, 9, 2)), 0);
  batched_destroy(&ctx);
}

/* Whether its matrices are empty or not: the addresses of such a batch can't be computed. */
static void test_strides_beyond_memory_are_refused(void **unused)
{
  (void)unused;
  const int64_t huge = (int64_t)1 << 61;
  double x[9] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  for (int m = 0; m <= 3; m += 3) {
    const batched_matrix three = batched_strided(x, m, 3, 3, 0, 3);
    expect("count 3 times stride 2305843009213693952 is more than memory can have", 2,
           batched_copy(ctx, batched_strided(x, m, 3, 3, huge, 3), three));
    expect("count 3 times stride -9223372036854775808 is more than memory can have", 3,
           batched_copy(ctx, three, batched_strided(x, m, 3, 3, INT64_MIN, 3)));
  }
  assert_int_equal(batched_copy(ctx, batched_strided(x, 0, 3, 3, huge, 0), batched_strided(x, 0, 3, 3, huge, 0)), 0);
  batched_destroy(&ctx);
}

/* What is refused while a graph is captured has nothing to do with how much memory is free. */
static void test_capture_is_explained(void **unused)
{
  (void)unused;
  const batched_ctx captured = {.space = BATCHED_CUDA, .refused = 8, .refused_in_capture = true};
  char text[256];
  assert_string_equal(batched_explain(&captured, BATCHED_NO_MEMORY, text, sizeof text),
                      "workspace has to be there before a CUDA graph is captured: make the same call once before");
}

/* A missing GPU has one reason, not three that it could be. */
static void test_missing_device_is_explained(void **unused)
{
  (void)unused;
  const char *why = batched_strerror(BATCHED_NO_DEVICE);
  char text[256];
  batched_device_count(&why);
  assert_string_equal(batched_explain(NULL, BATCHED_NO_DEVICE, text, sizeof text), why);
}

static void test_devices_are_counted(void **unused)
{
  (void)unused;
  const char *why = NULL;
  batched_device about;
  batched_ctx *ctx;
  const int n = batched_device_count(&why);
  assert_int_equal(batched_device_count(NULL), n);
  assert_true(n > 0 || (why && *why));
  assert_int_equal(batched_get_device(n, &about), BATCHED_NO_DEVICE);
  assert_int_equal(batched_create_on_device(&ctx, -1), BATCHED_NO_DEVICE);
  assert_null(ctx);
  assert_int_equal(batched_create_on_device(&ctx, n), BATCHED_NO_DEVICE);
  assert_null(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sentences_differ),
                                     cmocka_unit_test(test_strange_numbers),
                                     cmocka_unit_test(test_explanations),
                                     cmocka_unit_test(test_faults_are_named),
                                     cmocka_unit_test(test_every_refusal_is_explained),
                                     cmocka_unit_test(test_overlap_is_refused),
                                     cmocka_unit_test(test_strides_beyond_memory_are_refused),
                                     cmocka_unit_test(test_row_that_does_not_fit),
                                     cmocka_unit_test(test_null_in_array),
                                     cmocka_unit_test(test_capture_is_explained),
                                     cmocka_unit_test(test_missing_device_is_explained),
                                     cmocka_unit_test(test_devices_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
