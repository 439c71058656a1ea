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

static void test_limits(void **unused)
{
  (void)unused;
  double bytes = 0, flops = 0;
  assert_int_equal(batched_measure_limits(ctx, &bytes, &flops), BATCHED_SUCCESS);
  printf("%.3g GB/s, %.3g Gflop/s\n", 1e-9 * bytes, 1e-9 * flops);
  assert_true(bytes > 1e9 && flops > 1e9);
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
                                     cmocka_unit_test(test_limits)};
  status = cmocka_run_group_tests(tests, NULL, NULL);
  batched_destroy(&ctx);
  return status;
}
