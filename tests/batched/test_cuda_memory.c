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
#include <string.h>
#include <cmocka.h>

#include "batched/batched_estimate.h"
#include "batched/context.h"
#include "tests/batched/one_context.h"
#include "tests/batched/sweep/sweep_private.h"

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

/* Copies that nobody waits for have what the host's memory held when they were asked for: many small ones, more in all
 * than fit in at once, and large ones between them.  None is captured into a graph. */
static void test_copies_in_turn(void **unused)
{
  (void)unused;
  enum { TURNS = 300, LARGE = 3 << 20 }; /* numbers */
  batched_ctx *fresh;
  int *host = malloc(LARGE * sizeof *host);
  assert_int_equal(batched_create(&fresh, BATCHED_CUDA), BATCHED_SUCCESS);
  int *const a = batched_allocate(fresh, sizeof *a * TURNS * 16384), *const b =
                                                                       batched_allocate(fresh, sizeof *b * LARGE);
  assert_true(host && a && b);
  for (int turn = 0; turn < TURNS; turn++) {
    const int n = 1 + turn * 54;
    for (int i = 0; i < n; i++) host[i] = turn;
    assert_int_equal(batched_copy_in_turn(fresh, a + turn * 16384, host, sizeof *host * (size_t)n), 0);
    if (turn % 100) continue;
    for (int i = 0; i < LARGE; i++) host[i] = i - turn;
    assert_int_equal(batched_copy_in_turn(fresh, b, host, sizeof *host * LARGE), 0);
  }
  for (int turn = 0; turn < TURNS; turn++) {
    const int n = 1 + turn * 54;
    assert_int_equal(batched_copy_to_host(fresh, host, a + turn * 16384, sizeof *host * (size_t)n), 0);
    for (int i = 0; i < n; i++) assert_int_equal(host[i], turn);
  }
  assert_int_equal(batched_copy_to_host(fresh, host, b, sizeof *host * LARGE), 0);
  for (int i = 0; i < LARGE; i++) assert_int_equal(host[i], i - 200);
  assert_true(sweep_cuda_begin_capture(fresh));
  const int status = batched_copy_in_turn(fresh, b, host, sizeof *host);
  sweep_cuda_free_graph(sweep_cuda_end_capture(fresh));
  assert_int_equal(status, BATCHED_DEVICE_FAILED);
  batched_release(fresh, a);
  batched_release(fresh, b);
  batched_destroy(&fresh);
  free(host);
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

/* NULL is a stream, too, and nobody's to destroy. */
static void test_default_stream(void **unused)
{
  (void)unused;
  batched_ctx *first, *second;
  const double mark = 17.5;
  double last = 0;
  assert_int_equal(batched_create_on_stream(&first, NULL), BATCHED_SUCCESS);
  assert_int_equal(batched_create_on_stream(&second, NULL), BATCHED_SUCCESS);
  assert_true(!batched_stream(first) && !batched_stream(second));
  double *a = batched_allocate(first, sizeof mark), *b = batched_scratch_push(first, sizeof mark);
  assert_true(a && b);
  assert_int_equal(batched_copy_from_host(first, a, &mark, sizeof mark), BATCHED_SUCCESS);
  assert_int_equal(batched_copy_within(first, b, a, sizeof mark), BATCHED_SUCCESS);
  assert_int_equal(batched_copy_to_host(second, &last, b, sizeof last), BATCHED_SUCCESS);
  assert_true(last == mark);
  batched_scratch_pop(first);
  batched_release(first, a);
  batched_destroy(&first);
  assert_int_equal(batched_synchronize(second), BATCHED_SUCCESS);
  batched_destroy(&second);
}

/* Workspace is known before operands have memory, and is what the calls take; the context stays as it was. */
static void test_estimate(void **unused)
{
  (void)unused;
  enum { N = 40, COUNT = 3000 };
  batched_ctx *ctx, *host;
  size_t bytes = 1, less = 1;
  double *const nowhere = (double *)4096;
  const batched_matrix a = batched_strided(nowhere, N, N, N, N * N, COUNT),
                       w = batched_strided(nowhere, N, 1, N, N, COUNT);
  assert_int_equal(batched_create(&ctx, BATCHED_CUDA), BATCHED_SUCCESS);
  assert_int_equal(batched_begin_estimate(NULL), -1);
  assert_int_equal(batched_end_estimate(ctx, &bytes), BATCHED_DEVICE_FAILED);
  assert_non_null(batched_scratch_push(ctx, 100));
  batched_scratch_pop(ctx);
  for (int values = 0; values < 2; values++) {
    assert_int_equal(batched_begin_estimate(ctx), BATCHED_SUCCESS);
    assert_int_equal(batched_begin_estimate(ctx), BATCHED_DEVICE_FAILED);
    assert_null(batched_allocate(ctx, 8));
    assert_int_equal(batched_synchronize(ctx), BATCHED_DEVICE_FAILED);
    assert_int_equal(batched_gesvd(ctx, values ? BATCHED_VALUES : BATCHED_VECTORS, a, w, a, a, (int *)nowhere),
                     BATCHED_SUCCESS);
    assert_int_equal(batched_end_estimate(ctx, NULL), -2);
    assert_int_equal(batched_end_estimate(ctx, values ? &less : &bytes), BATCHED_SUCCESS);
    assert_int_equal(batched_workspace(ctx), 100);
  }
  assert_true(less > 100 && less < bytes);
  double *const m = batched_allocate(ctx, (size_t)N * N * COUNT * sizeof *m), *const s = batched_allocate(
                                                                                ctx, (size_t)N * COUNT * sizeof *s);
  int *const info = batched_allocate(ctx, COUNT * sizeof *info);
  assert_true(m && s && info);
  assert_int_equal(batched_fill_zero(ctx, m, (size_t)N * N * COUNT * sizeof *m), BATCHED_SUCCESS);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VALUES, batched_strided(m, N, N, N, N * N, COUNT),
                                 batched_strided(s, N, 1, N, N, COUNT), (batched_matrix){0}, (batched_matrix){0}, info),
                   BATCHED_SUCCESS);
  assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
  assert_int_equal(batched_workspace(ctx), less);
  batched_release(ctx, m);
  batched_release(ctx, s);
  batched_release(ctx, info);
  batched_destroy(&ctx);
  assert_int_equal(batched_create(&ctx, BATCHED_CUDA), BATCHED_SUCCESS);
  assert_int_equal(batched_begin_estimate(ctx), BATCHED_SUCCESS);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, w, a, a, (int *)nowhere), BATCHED_SUCCESS);
  batched_destroy(&ctx); /* ends it */
  assert_int_equal(batched_create_on_stream(&ctx, NULL), BATCHED_SUCCESS);
  assert_int_equal(batched_begin_estimate(ctx), BATCHED_DEVICE_FAILED);
  batched_destroy(&ctx);
  assert_int_equal(batched_create(&host, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_begin_estimate(host), BATCHED_NO_DEVICE);
  batched_destroy(&host);
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

/* While a graph is captured nothing is allocated or released, and trying does not spoil it; the reason is given. */
static void test_capture(void **unused)
{
  (void)unused;
  batched_ctx *fresh;
  char text[256];
  assert_int_equal(batched_create(&fresh, BATCHED_CUDA), BATCHED_SUCCESS);
  void *p = batched_scratch_push(fresh, 1000);
  assert_non_null(p);
  batched_scratch_pop(fresh);
  assert_true(sweep_cuda_begin_capture(fresh));
  void *large = batched_scratch_push(fresh, 5000), *more = batched_allocate(fresh, 8);
  batched_explain(fresh, BATCHED_NO_MEMORY, text, sizeof text);
  void *same = batched_scratch_push(fresh, 1000);
  const int status = batched_fill_zero(fresh, p, 1000);
  void *graph = sweep_cuda_end_capture(fresh);
  assert_true(!large && !more && same == p && status == BATCHED_SUCCESS && graph);
  assert_non_null(strstr(text, "before a CUDA graph is captured"));
  assert_true(sweep_cuda_replay(fresh, graph));
  sweep_cuda_free_graph(graph);
  batched_scratch_pop(fresh);
  assert_non_null(batched_scratch_push(fresh, 5000));
  batched_scratch_pop(fresh);
  assert_int_equal(batched_synchronize(fresh), BATCHED_SUCCESS);
  batched_destroy(&fresh);
}

/* What was allocated counts until it is released, and what was refused is named. */
static void test_peak(void **unused)
{
  (void)unused;
  enum { LARGE = 64 << 20 };
  char text[256];
  void *p = batched_allocate(ctx, LARGE), *q = batched_allocate(ctx, LARGE);
  assert_true(p && q && batched_peak_bytes(BATCHED_CUDA) >= 2 * (size_t)LARGE);
  batched_release(ctx, q);
  batched_release(ctx, p);
  const size_t peak = batched_peak_bytes(BATCHED_CUDA);
  p = batched_allocate(ctx, LARGE);
  assert_int_equal(batched_peak_bytes(BATCHED_CUDA), peak);
  batched_release(ctx, p);
  assert_null(batched_allocate(ctx, (size_t)1 << 50));
  puts(batched_explain(ctx, BATCHED_NO_MEMORY, text, sizeof text));
  assert_non_null(strstr(text, "GB are free"));
}

static void test_devices(void **unused)
{
  (void)unused;
  batched_device about;
  batched_ctx *other;
  const int n = batched_device_count(NULL);
  assert_true(n > 0);
  assert_int_equal(batched_get_device(n - 1, &about), BATCHED_SUCCESS);
  printf("%d GPU(s); %s, %s, %d, %.1f GB\n", n, about.name, about.bus_id, about.capability,
         1e-9 * (double)about.memory);
  assert_true(*about.name && strchr(about.bus_id, ':') && about.capability >= 35 && about.memory > 1e8);
  assert_int_equal(batched_create_on_device(&other, 0), BATCHED_SUCCESS);
  batched_destroy(&other);
}

/* An operation whose work is to clear `bytes` bytes, once. */
typedef struct work {
  char *data;
  size_t bytes;
} work;

static int clear(batched_ctx *on, const void *args)
{
  const work *w = args;
  return batched_fill_zero(on, w->data, w->bytes);
}

static int clear_twice(batched_ctx *on, const void *args);

static const batched_variant none[] = {{0}};
static const batched_variant clear_rows[] = {{"cuda.clear", NULL, NULL, clear}, {0}};
static const batched_variant twice_rows[] = {{"cuda.twice", NULL, NULL, clear_twice}, {0}};
static const batched_op clear_op = {.name = "clear", .key = "clear", .variants = {none, clear_rows}};
static const batched_op twice_op = {.name = "twice", .key = "twice", .variants = {none, twice_rows}};

static int clear_twice(batched_ctx *on, const void *args)
{
  return batched_run(on, &clear_op, args) + batched_run(on, &clear_op, args);
}

/* Seconds are the device's: what takes long there but not to enqueue; also for more calls than there are events. */
static void test_time(void **unused)
{
  (void)unused;
  const batched_stats *rows;
  const work w = {.data = batched_allocate(ctx, (size_t)1 << 30), .bytes = (size_t)1 << 30};
  assert_non_null(w.data);
  for (int device = 0; device < 2; device++) {
    assert_int_equal(batched_time_device(ctx, device), BATCHED_SUCCESS);
    assert_int_equal(batched_time_device(ctx, device), BATCHED_SUCCESS);
    batched_reset_stats(ctx);
    for (int i = 0; i < 10; i++) assert_int_equal(batched_run(ctx, &twice_op, &w), BATCHED_SUCCESS);
    assert_int_equal(batched_get_stats(ctx, &rows), 2);
    assert_true(rows[0].op == &clear_op && rows[0].calls == 20 && rows[0].nested);
    assert_true(rows[1].op == &twice_op && rows[1].calls == 10 && !rows[1].nested);
    printf("%s: %.3f ms, %.3f ms\n", device ? "device" : "host", 1e3 * rows[0].seconds, 1e3 * rows[1].seconds);
    const double least = 20 * 1e9 / 2e13; /* no memory writes 20 TB/s */
    assert_true(!device || (rows[0].seconds > least && rows[1].seconds >= rows[0].seconds));
    assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
  }
  const work little = {.data = w.data, .bytes = 8};
  batched_reset_stats(ctx);
  const double start = batched_seconds();
  for (int i = 0; i < 3000; i++) assert_int_equal(batched_run(ctx, &clear_op, &little), BATCHED_SUCCESS);
  assert_int_equal(batched_get_stats(ctx, &rows), 1);
  const double all = batched_seconds() - start;
  assert_true(rows[0].calls == 3000 && rows[0].seconds > 0 && rows[0].seconds < 1.01 * all);
  assert_int_equal(batched_time_device(ctx, false), BATCHED_SUCCESS);
  const double again = batched_seconds();
  for (int i = 0; i < 3000; i++) assert_int_equal(batched_run(ctx, &clear_op, &little), BATCHED_SUCCESS);
  assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
  printf("a small operation: %.2f us timed by the device, %.2f us not\n", 1e6 / 3000 * all,
         1e6 / 3000 * (batched_seconds() - again));
  batched_release(ctx, w.data);
}

static void test_failing_operation(void **unused)
{
  (void)unused;
  const work w = {.data = batched_allocate(ctx, 8), .bytes = 8};
  batched_fail_operation(1);
  assert_int_equal(batched_run(ctx, &clear_op, &w), BATCHED_SUCCESS);
  assert_int_equal(batched_run(ctx, &clear_op, &w), BATCHED_DEVICE_FAILED);
  assert_int_equal(batched_run(ctx, &clear_op, &w), BATCHED_SUCCESS);
  batched_release(ctx, w.data);
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
  int status = one_context(BATCHED_CUDA);
  if (status) return status;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_context),        cmocka_unit_test(test_memory),
                                     cmocka_unit_test(test_copies_in_turn), cmocka_unit_test(test_callers_stream),
                                     cmocka_unit_test(test_default_stream), cmocka_unit_test(test_failing_allocation),
                                     cmocka_unit_test(test_capture),        cmocka_unit_test(test_estimate),
                                     cmocka_unit_test(test_peak),           cmocka_unit_test(test_devices),
                                     cmocka_unit_test(test_time),           cmocka_unit_test(test_failing_operation),
                                     cmocka_unit_test(test_limits)};
  status = cmocka_run_group_tests(tests, NULL, NULL);
  batched_destroy(&ctx);
  return status;
}
