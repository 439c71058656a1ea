/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls that batched-tune measures: each runs, on data that suit it, and is compared with the host's as it should
 * be.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "batched/tuning/tune/problem.h"
#include "batched/tuning/tuning.h"

static batched_ctx *auto_ctx, *ref_ctx;

static int setup(void **unused)
{
  (void)unused;
  return batched_create(&auto_ctx, BATCHED_HOST) + batched_create(&ref_ctx, BATCHED_HOST);
}

static int teardown(void **unused)
{
  (void)unused;
  batched_destroy(&auto_ctx);
  batched_destroy(&ref_ctx);
  return 0;
}

static void check_shape(const batched_op *op, batched_type type, tune_shape shape)
{
  tune_problem p, host;
  assert_int_equal(tune_open(&p, auto_ctx, op, type, shape, 11), BATCHED_SUCCESS);
  assert_int_equal(tune_open(&host, ref_ctx, op, type, shape, TUNE_DISTINCT), BATCHED_SUCCESS);
  assert_int_equal(tune_restore(&host), BATCHED_SUCCESS);
  assert_int_equal(tune_run(&host), BATCHED_SUCCESS);
  for (int again = 0; again < 2; again++) {
    assert_int_equal(tune_restore(&p), BATCHED_SUCCESS);
    assert_int_equal(tune_run(&p), BATCHED_SUCCESS);
    const double difference = tune_difference(&p, &host);
    if (!(difference <= tune_tolerance(&p))) fail_msg("%s: difference %g for order %d", op->name, difference, shape.m);
  }
  int last = p.noperands - 1;
  while (last > 0 && (!p.x[last].changed || p.x[last].free || p.x[last].m == 0)) last--;
  double *x = p.x[last].data; /* of any type: NaN in each */
  for (int i = 0; i < 2; i++) x[i] = NAN;
  assert_true(tune_difference(&p, &host) == INFINITY);
  tune_close(&p);
  tune_close(&host);
}

static void test_calls(void **unused)
{
  (void)unused;
  static const int orders[] = {1, 5, 20};
  int known = 0;
  for (const batched_op *const *op = batched_operations; *op; op++) {
    tune_shape shapes[32];
    if (!tune_call_of(*op)) continue;
    known++;
    const int n = tune_shapes(orders, 3, shapes, 32);
    assert_true(n >= 3 && n <= 32);
    batched_select(ref_ctx, *op, "ref");
    for (int type = 0; type < 4; type++)
      for (int i = 0; i < 2 * n; i++) {
        shapes[i % n].transposed = i >= n;
        if (shapes[i % n].m <= 100) check_shape(*op, (batched_type)type, shapes[i % n]);
      }
  }
  assert_true(known > 0);
}

static void test_families_can_be_called(void **unused)
{
  (void)unused;
  for (const batched_family *const *f = batched_families; *f; f++) assert_non_null(tune_call_of((*f)->op));
}

static void test_counts(void **unused)
{
  (void)unused;
  const tune_shape small = {2, 2, 2, false}, large = {512, 512, 512, false}, middle = {64, 64, 64, false};
  assert_int_equal(tune_count(&batched_gemm_op, BATCHED_D, small, 1 << 30), 100000);
  assert_int_equal(tune_count(&batched_gemm_op, BATCHED_D, large, 1 << 20), 264);
  const int64_t count = tune_count(&batched_gemm_op, BATCHED_D, middle, 256 << 20);
  assert_true(count > 2500 && count < 2800);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls), cmocka_unit_test(test_families_can_be_called),
                                     cmocka_unit_test(test_counts)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
