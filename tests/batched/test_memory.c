/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of a context: alignment, copies, peak, huge pages, injected failures.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "batched/batched.h"
#include "tests/batched/host_context.h"

static struct {
  const char *block;
  size_t bytes;
  bool refused;
} advice; /* the last one */

/* Stands before the C library's. */
int madvise(void *block, size_t bytes, int what)
{
  advice.block = block;
  advice.bytes = bytes;
  if (!advice.refused) return (int)syscall(SYS_madvise, block, bytes, what);
  errno = EINVAL; // what a kernel without huge pages answers
  return -1;
}

static void test_allocate(void **unused)
{
  (void)unused;
  assert_null(batched_allocate(ctx, 0));
  assert_null(batched_allocate(ctx, SIZE_MAX));
  for (size_t bytes = 1; bytes < 10000; bytes = 2 * bytes + 1) {
    char *p = batched_allocate(ctx, bytes);
    assert_non_null(p);
    assert_true((uintptr_t)p % 64 == 0);
    memset(p, 1, bytes);
    batched_release(ctx, p);
  }
  batched_release(ctx, NULL);
}

static void test_copies(void **unused)
{
  (void)unused;
  const int from[3] = {1, 2, 3};
  int back[3] = {0};
  int *a = batched_allocate(ctx, sizeof from), *b = batched_allocate(ctx, sizeof from);
  assert_int_equal(batched_copy_from_host(ctx, a, from, sizeof from), 0);
  assert_int_equal(batched_copy_within(ctx, b, a, sizeof from), 0);
  assert_int_equal(batched_fill_zero(ctx, b, sizeof *b), 0);
  assert_int_equal(batched_copy_to_host(ctx, back, b, sizeof back), 0);
  assert_true(back[0] == 0 && back[1] == 2 && back[2] == 3);
  assert_int_equal(batched_copy_to_host(ctx, NULL, NULL, 0), 0);
  batched_release(ctx, a);
  batched_release(ctx, b);
}

static void test_peak(void **unused)
{
  (void)unused;
  const size_t large = 1u << 24;
  void *p = batched_allocate(ctx, large);
  assert_true(batched_peak_bytes(BATCHED_HOST) >= large);
  batched_release(ctx, p);
  assert_true(batched_peak_bytes(BATCHED_HOST) >= large && batched_peak_bytes(BATCHED_HOST) < 2 * large);
}

static void test_huge_pages(void **unused)
{
  (void)unused;
  const size_t large = (5u << 20) + 3;
  advice.bytes = 0;
  batched_release(ctx, batched_allocate(ctx, 1u << 20));
  assert_true(advice.bytes == 0);
  for (int refused = 0; refused < 2; refused++) {
    advice.refused = refused;
    char *p = batched_allocate(ctx, large);
    assert_non_null(p);
    assert_true((uintptr_t)p % 64 == 0);
    assert_true((uintptr_t)advice.block % (2u << 20) == 0);
    assert_true(advice.block < p && p + large <= advice.block + advice.bytes);
    memset(p, 7, large);
    assert_true(p[0] == 7 && p[large - 1] == 7);
    batched_release(ctx, p);
  }
  advice.refused = false;
}

static void test_injected_failure(void **unused)
{
  (void)unused;
  batched_fail_allocation(1);
  void *first = batched_allocate(ctx, 8), *second = batched_allocate(ctx, 8), *third = batched_allocate(ctx, 8);
  assert_non_null(first);
  assert_null(second);
  assert_non_null(third);
  batched_release(ctx, first);
  batched_release(ctx, third);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_allocate),         cmocka_unit_test(test_copies),     cmocka_unit_test(test_peak),
    cmocka_unit_test(test_injected_failure), cmocka_unit_test(test_huge_pages),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
