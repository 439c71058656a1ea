/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Contexts and scratch memory.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "batched/scratch.h"
#include "batched/variant.h"

static void test_create_and_destroy(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_get_space(ctx), BATCHED_HOST);
  assert_null(batched_stream(ctx));
  assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
  batched_destroy(&ctx);
  assert_null(ctx);
  batched_destroy(&ctx);
}

/* What is wrong with the call itself. */
static void test_bad_arguments(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  char x[8], y[8];
  assert_int_equal(batched_create(NULL, BATCHED_HOST), -1);
  assert_int_equal(batched_create(&ctx, (batched_space)7), -2);
  assert_null(ctx);
  assert_int_equal(batched_create_on_stream(NULL, NULL), -1);
  assert_int_equal(batched_create_on_device(NULL, 0), -1);
  assert_int_equal(batched_synchronize(NULL), -1);
  assert_int_equal(batched_copy_to_host(NULL, x, y, sizeof x), -1);
  assert_int_equal(batched_copy_from_host(NULL, x, y, sizeof x), -1);
  assert_int_equal(batched_copy_within(NULL, x, y, sizeof x), -1);
  assert_int_equal(batched_fill_zero(NULL, x, sizeof x), -1);
}

/* Without a context there is nothing to free, to tell or to allocate. */
static void test_no_context(void **unused)
{
  (void)unused;
  const batched_stats *rows;
  char x[8];
  batched_destroy(NULL);
  assert_int_equal(batched_get_space(NULL), BATCHED_HOST);
  assert_int_equal(batched_workspace(NULL), 0);
  assert_null(batched_allocate(NULL, 8));
  batched_release(NULL, x);
  assert_null(batched_stream(NULL));
  assert_int_equal(batched_get_stats(NULL, &rows), 0);
  batched_reset_stats(NULL);
  assert_int_equal(batched_time_device(NULL, true), -1);
  assert_int_equal(batched_select(NULL, NULL, "ref"), -1);
  assert_int_equal(batched_set_threads(NULL, 1), -1);
  assert_int_equal(batched_get_device(0, NULL), -2);
}

static void test_null_places(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  char x[8], text[256];
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_copy_to_host(ctx, NULL, x, sizeof x), -2);
  assert_string_equal(batched_explain(ctx, -2, text, sizeof text),
                      "the 2nd argument is wrong: the place to copy to is NULL, for 8 bytes");
  assert_int_equal(batched_copy_from_host(ctx, x, NULL, sizeof x), -3);
  assert_int_equal(batched_copy_within(ctx, x, NULL, sizeof x), -3);
  assert_int_equal(batched_copy_within(ctx, NULL, NULL, 0), 0);
  assert_int_equal(batched_fill_zero(ctx, NULL, sizeof x), -2);
  assert_int_equal(batched_select(ctx, NULL, "ref"), -2);
  assert_int_equal(batched_set_threads(ctx, 0), -2);
  assert_string_equal(batched_explain(ctx, -2, text, sizeof text), "the 2nd argument is wrong: threads 0 < 1");
  batched_destroy(&ctx);
}

static void test_scratch_is_kept(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  char *outer = batched_scratch_push(ctx, 100), *inner = batched_scratch_push(ctx, 1000);
  assert_non_null(outer);
  assert_non_null(inner);
  assert_true((uintptr_t)outer % 64 == 0 && (uintptr_t)inner % 64 == 0);
  assert_true(inner + 1000 <= outer || outer + 100 <= inner);
  batched_scratch_pop(ctx);
  batched_scratch_pop(ctx);
  batched_fail_allocation(0); /* the same again must not allocate */
  assert_ptr_equal(batched_scratch_push(ctx, 90), outer);
  assert_ptr_equal(batched_scratch_push(ctx, 1000), inner);
  batched_fail_allocation(-1);
  batched_scratch_pop(ctx);
  batched_fail_allocation(0);
  assert_null(batched_scratch_push(ctx, 5000));
  batched_fail_allocation(-1);
  assert_non_null(batched_scratch_push(ctx, 5000));
  batched_scratch_pop(ctx);
  batched_scratch_pop(ctx);
  batched_destroy(&ctx);
}

/* What is given is the block of the next push, if it is the larger one, and is released with the context. */
static void test_scratch_is_given(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  void *block = batched_allocate(ctx, 1000);
  assert_non_null(block);
  batched_scratch_give(ctx, block, 1000);
  batched_scratch_give(ctx, batched_allocate(ctx, 10), 10);
  batched_scratch_give(ctx, NULL, 0);
  assert_int_equal(batched_workspace(ctx), 1000);
  batched_fail_allocation(0);
  assert_ptr_equal(batched_scratch_push(ctx, 1000), block);
  batched_fail_allocation(-1);
  batched_scratch_pop(ctx);
  batched_scratch_give(ctx, batched_allocate(ctx, 2000), 2000);
  assert_int_equal(batched_workspace(ctx), 2000);
  batched_destroy(&ctx);
}

/* The workspace is what was pushed at the same time, at most; it grows when a call asks for more, and stays. */
static void test_workspace(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_workspace(ctx), 0);
  batched_scratch_push(ctx, 100);
  batched_scratch_push(ctx, 1000);
  batched_scratch_pop(ctx);
  batched_scratch_pop(ctx);
  assert_int_equal(batched_workspace(ctx), 1100);
  batched_scratch_push(ctx, 50);
  batched_scratch_pop(ctx);
  assert_int_equal(batched_workspace(ctx), 1100);
  batched_scratch_push(ctx, 400);
  batched_scratch_pop(ctx);
  assert_int_equal(batched_workspace(ctx), 1400);
  batched_destroy(&ctx);
}

static void test_limits(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  double bytes = 0, flops = 0;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_measure_limits(NULL, &bytes, &flops), -1);
  assert_int_equal(batched_measure_limits(ctx, NULL, &flops), -2);
  assert_int_equal(batched_measure_limits(ctx, &bytes, NULL), -3);
  batched_fail_allocation(0);
  assert_int_equal(batched_measure_limits(ctx, &bytes, &flops), BATCHED_NO_MEMORY);
  batched_fail_allocation(-1);
  assert_int_equal(batched_measure_limits(ctx, &bytes, &flops), BATCHED_SUCCESS);
  assert_true(bytes > 1e6 && flops > 1e6 && bytes < 1e14 && flops < 1e14);
  batched_destroy(&ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_create_and_destroy), cmocka_unit_test(test_bad_arguments),
                                     cmocka_unit_test(test_no_context),         cmocka_unit_test(test_null_places),
                                     cmocka_unit_test(test_scratch_is_kept),    cmocka_unit_test(test_scratch_is_given),
                                     cmocka_unit_test(test_workspace),          cmocka_unit_test(test_limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
