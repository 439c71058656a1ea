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

#include "batched/batched.h"

static void test_sentences_differ(void **unused)
{
  (void)unused;
  for (int i = -12; i <= BATCHED_DEVICE_FAILED; i++) {
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sentences_differ), cmocka_unit_test(test_strange_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
