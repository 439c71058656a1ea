/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Context, stream, memory and limits of the CUDA backend; skipped where there is no GPU.
 * label: gpu
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "batched/impl.h"

static batched_ctx *ctx;

static void test_context(void **unused)
{
  (void)unused;
  batched_ctx *same;
  assert_int_equal(batched_get_space(ctx), BATCHED_CUDA);
  assert_non_null(batched_stream(ctx));
  assert_int_equal(batched_create_on_stream(&same, batched_stream(ctx)), BATCHED_SUCCESS);
  assert_ptr_equal(batched_stream(same), batched_stream(ctx));
  batched_destroy(&same);
  assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
}

static void test_memory(void **unused)
{
  (void)unused;
  const int from[3] = {1, 2, 3};
  int back[3] = {0};
  int *a = batched_allocate(ctx, sizeof from), *b = batched_allocate(ctx, sizeof from);
  assert_true(a && b && (uintptr_t)a % 256 == 0);
  assert_int_equal(batched_copy_from_host(ctx, a, from, sizeof from), 0);
  assert_int_equal(batched_copy_within(ctx, b, a, sizeof from), 0);
  assert_int_equal(batched_fill_zero(ctx, b, sizeof *b), 0);
  assert_int_equal(batched_copy_to_host(ctx, back, b, sizeof back), 0);
  assert_true(back[0] == 0 && back[1] == 2 && back[2] == 3);
  batched_release(ctx, a);
  batched_release(ctx, b);
  assert_null(batched_allocate(ctx, (size_t)1 << 50)); /* out of memory, and the context stays usable */
  assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
}

/* What one context enqueued on the caller's stream, another one on the same stream finds done. */
static void test_callers_stream(void **unused)
{
  (void)unused;
  enum { BYTES = 64 << 20 };
  batched_ctx *owner, *guest;
  assert_int_equal(batched_create(&owner, BATCHED_CUDA), BATCHED_SUCCESS);
  assert_int_equal(batched_create_on_stream(&guest, batched_stream(owner)), BATCHED_SUCCESS);
  const double mark = 17.5;
  double last = 0;
  char *a = batched_allocate(owner, BYTES), *b = batched_allocate(guest, BYTES);
  assert_true(a && b);
  assert_int_equal(batched_fill_zero(owner, a, BYTES), BATCHED_SUCCESS);
  assert_int_equal(batched_copy_from_host(owner, a + BYTES - sizeof mark, &mark, sizeof mark), BATCHED_SUCCESS);
  assert_int_equal(batched_copy_within(owner, b, a, BYTES), BATCHED_SUCCESS);
  assert_int_equal(batched_copy_to_host(guest, &last, b + BYTES - sizeof last, sizeof last), BATCHED_SUCCESS);
  assert_true(last == mark);
  batched_release(guest, b);
  batched_destroy(&guest); /* the stream is not the guest's to destroy */
  assert_int_equal(batched_fill_zero(owner, a, BYTES), BATCHED_SUCCESS);
  assert_int_equal(batched_synchronize(owner), BATCHED_SUCCESS);
  batched_release(owner, a);
  batched_destroy(&owner);
}

/* A failed allocation is reported once, and the next one works; what was scratch before still is. */
static void test_failing_allocation(void **unused)
{
  (void)unused;
  batched_ctx *fresh;
  double bytes, flops;
  assert_int_equal(batched_create(&fresh, BATCHED_CUDA), BATCHED_SUCCESS);
  assert_int_equal(batched_workspace(fresh), 0);
  batched_fail_allocation(0);
  assert_null(batched_allocate(fresh, 8));
  batched_fail_allocation(0);
  assert_null(batched_scratch_push(fresh, 1000));
  batched_fail_allocation(0);
  assert_int_equal(batched_measure_limits(fresh, &bytes, &flops), BATCHED_NO_MEMORY);
  batched_fail_allocation(-1);
  void *p = batched_scratch_push(fresh, 1000);
  assert_non_null(p);
  batched_scratch_pop(fresh);
  assert_int_equal(batched_workspace(fresh), 1000);
  batched_fail_allocation(0);
  assert_ptr_equal(batched_scratch_push(fresh, 900), p);
  batched_fail_allocation(-1);
  batched_scratch_pop(fresh);
  assert_null(batched_scratch_push(fresh, (size_t)1 << 50)); /* the device's own refusal */
  assert_int_equal(batched_synchronize(fresh), BATCHED_SUCCESS);
  batched_destroy(&fresh);
}

static void test_limits(void **unused)
{
  (void)unused;
  double bytes = 0, flops = 0;
  assert_int_equal(batched_measure_limits(ctx, &bytes, &flops), BATCHED_SUCCESS);
  printf("%.3g GB/s, %.3g Gflop/s\n", 1e-9 * bytes, 1e-9 * flops);
  assert_true(bytes > 1e9 && flops > 1e9);
  batched_limits each;
  assert_int_equal(batched_measure_each_limit(ctx, &each), BATCHED_SUCCESS);
  printf("copy %.3g GB/s, vector %.3g Gflop/s, matrix %.3g Gflop/s\n", 1e-9 * each.copy, 1e-9 * each.vector,
         1e-9 * each.matrix);
  assert_true(each.copy > 0.5 * each.triad && each.matrix >= each.vector);
}

int main(void)
{
  int status = batched_create(&ctx, BATCHED_CUDA);
  if (status == BATCHED_NO_DEVICE) {
    puts("SKIPPED: no CUDA device, or CUDA was not built");
    return 77;
  }
  if (status) {
    puts(batched_strerror(status));
    return 1;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_context), cmocka_unit_test(test_memory),
                                     cmocka_unit_test(test_callers_stream), cmocka_unit_test(test_failing_allocation),
                                     cmocka_unit_test(test_limits)};
  status = cmocka_run_group_tests(tests, NULL, NULL);
  batched_destroy(&ctx);
  return status;
}
