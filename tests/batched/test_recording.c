/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recordings: work that is launched at once does what it does otherwise, with new arguments each time, and is counted.
 * With --gpu on a GPU, where it becomes a graph; else on the host, where it is done at once.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "batched/recording.h"
#include "batched/variant.h"
#include "tests/batched/one_context.h"

enum { N = 1000 };

static double *x, *y;

static int add(double factor)
{
  return batched_axpy(ctx, batched_real(factor), batched_strided(x, N, 1, N, N, 1), batched_strided(y, N, 1, N, N, 1));
}

static void begin_with(double value)
{
  double host[N];
  for (int i = 0; i < N; i++) host[i] = value;
  assert_int_equal(batched_copy_from_host(ctx, x, host, sizeof host), BATCHED_SUCCESS);
  assert_int_equal(batched_fill_zero(ctx, y, sizeof host), BATCHED_SUCCESS);
}

static void expect(double value)
{
  double host[N];
  assert_int_equal(batched_copy_to_host(ctx, host, y, sizeof host), BATCHED_SUCCESS);
  for (int i = 0; i < N; i++) assert_true(host[i] == value);
}

/* Same shape, other arguments; then more and less work. */
static void test_replaced(void **unused)
{
  (void)unused;
  batched_recording *recording = NULL;
  double sum = 0.0;
  begin_with(2.0);
  for (int turn = 1; turn <= 8; turn++) {
    const bool recorded = batched_recording_begin(ctx);
    assert_true(recorded == (batched_get_space(ctx) == BATCHED_CUDA));
    assert_false(recorded && batched_recording_begin(ctx));
    int status = BATCHED_SUCCESS;
    for (int k = 0; k < (turn == 5 ? 7 : turn > 5 ? 1 : 3) && !status; k++) {
      status = add(turn + k);
      sum += 2.0 * (turn + k);
    }
    if (recorded) status = batched_recording_run(ctx, &recording, status);
    assert_int_equal(status, BATCHED_SUCCESS);
  }
  expect(sum);
  batched_recording_destroy(&recording);
  assert_null(recording);
  batched_recording_destroy(&recording);
}

static double seconds_of_axpy(int64_t *calls)
{
  const batched_stats *rows;
  double seconds = 0.0;
  *calls = 0;
  for (int i = 0, n = batched_get_stats(ctx, &rows); i < n; i++)
    if (strcmp(rows[i].op->name, "axpy") == 0) *calls += rows[i].calls, seconds += rows[i].seconds;
  return seconds;
}

/* By the device's clock, whenever it runs. */
static void test_timed(void **unused)
{
  (void)unused;
  batched_recording *recording = NULL;
  int64_t calls;
  assert_int_equal(batched_time_device(ctx, true), BATCHED_SUCCESS);
  batched_reset_stats(ctx);
  begin_with(1.0);
  for (int turn = 0; turn < 600; turn++) { // more spans than are kept
    const bool recorded = batched_recording_begin(ctx);
    int status = add(1.0);
    if (!status) status = add(1.0);
    if (recorded) status = batched_recording_run(ctx, &recording, status);
    assert_int_equal(status, BATCHED_SUCCESS);
  }
  expect(1200.0);
  const double seconds = seconds_of_axpy(&calls);
  assert_int_equal(calls, 1200);
  assert_true(seconds > 0.0);
  assert_int_equal(batched_time_device(ctx, false), BATCHED_SUCCESS);
  batched_recording_destroy(&recording);
}

/* The first calls are timed, and the others count as long. */
static void test_sampled(void **unused)
{
  (void)unused;
  batched_recording *recording = NULL;
  int64_t calls;
  double seconds[2];
  assert_int_equal(batched_time_device(ctx, true), BATCHED_SUCCESS);
  batched_recording_sample(ctx, "axpy");
  batched_reset_stats(ctx);
  begin_with(1.0);
  for (int half = 0; half < 2; half++) {
    for (int turn = 0; turn < 1000; turn++) {
      if (!batched_recording_begin(ctx)) skip();
      assert_int_equal(batched_recording_run(ctx, &recording, add(1.0)), BATCHED_SUCCESS);
    }
    seconds[half] = seconds_of_axpy(&calls);
    assert_int_equal(calls, 1000 * (half + 1));
  }
  expect(2000.0);
  assert_true(seconds[0] > 0.0 && fabs(seconds[1] - 2.0 * seconds[0]) < 1e-9 * seconds[0]);
  assert_int_equal(batched_time_device(ctx, false), BATCHED_SUCCESS);
  batched_recording_destroy(&recording);
}

/* Work that failed is not launched, and the context goes on. */
static void test_failed(void **unused)
{
  (void)unused;
  batched_recording *recording = NULL;
  begin_with(1.0);
  if (!batched_recording_begin(ctx)) skip();
  assert_int_equal(add(1.0), BATCHED_SUCCESS);
  assert_int_equal(batched_recording_run(ctx, &recording, BATCHED_NO_MEMORY), BATCHED_NO_MEMORY);
  expect(0.0);
  assert_int_equal(add(3.0), BATCHED_SUCCESS);
  expect(3.0);
  batched_recording_destroy(&recording);
}

int main(int argc, char **argv)
{
  int status = one_context(one_space(argc, argv));
  if (status) return status;
  x = batched_allocate(ctx, sizeof *x * N), y = batched_allocate(ctx, sizeof *y * N);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_replaced), cmocka_unit_test(test_timed),
                                     cmocka_unit_test(test_sampled), cmocka_unit_test(test_failed)};
  status = x && y ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
  batched_release(ctx, x);
  batched_release(ctx, y);
  batched_destroy(&ctx);
  return status;
}
