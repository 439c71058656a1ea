/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every status has a sentence of its own.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batched/context.h"

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
                                     cmocka_unit_test(test_capture_is_explained),
                                     cmocka_unit_test(test_missing_device_is_explained),
                                     cmocka_unit_test(test_devices_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
