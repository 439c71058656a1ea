/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The threads that share out a batch.  That they change no bits is a test of every operation's (sweep.c).
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "batched/operations.h"
#include "batched/threads.h"

enum { N = 9, COUNT = 300, THREADS = 4 };

static void test_numbers_of_threads(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_set_threads(NULL, 2), -1);
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_set_threads(ctx, 0), -2);
  assert_int_equal(batched_team_size(ctx), 1);
  for (int threads = 1; threads < 6; threads += 2) {
    assert_int_equal(batched_set_threads(ctx, threads), BATCHED_SUCCESS);
    assert_int_equal(batched_team_size(ctx), threads);
  }
  batched_destroy(&ctx);
}

static void test_every_operation_is_shared_out(void **unused)
{
  (void)unused;
  for (int i = 0; batched_operations[i]; i++) {
    const batched_operands *o = &batched_operations[i]->operands;
    if (o->bytes == 0 || o->bytes > BATCHED_MAX_ARGS || o->nmatrices == 0)
      fail_msg("%s has no operands", batched_operations[i]->name);
  }
}

typedef struct counts {
  atomic_int calls[THREADS];
  int nested;
} counts;

/* In a task there is no team; number 2 fails. */
static int count_call(batched_ctx *ctx, int i, void *data)
{
  counts *c = data;
  atomic_fetch_add(&c->calls[i], 1);
  if (i == 0) c->nested = batched_team_size(ctx);
  return i == 2 ? BATCHED_DOES_NOT_FIT : BATCHED_SUCCESS;
}

static void test_each_task_runs_once(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  counts c = {0};
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_set_threads(ctx, THREADS), BATCHED_SUCCESS);
  for (int round = 0; round < 1000; round++) {
    const int n = 1 + round % THREADS;
    assert_int_equal(batched_team_do(ctx, n, count_call, &c), n > 2 ? BATCHED_DOES_NOT_FIT : BATCHED_SUCCESS);
    if (n > 1) assert_int_equal(c.nested, 1);
  }
  for (int i = 0; i < THREADS; i++) assert_int_equal(c.calls[i], 1000 - 250 * i);
  batched_destroy(&ctx);
}

/* The n-th allocation fails, in whichever thread, for every n, and is told of; then all goes well, and is counted
 * once. */
/* The row that was selected for gesvd, which gelsd calls, gives other bits than the default one. */
static void test_selected_rows(void **unused)
{
  (void)unused;
  static double a[COUNT * N * N], b[2][COUNT * N], s[COUNT * N];
  static int rank[COUNT], info[COUNT];
  for (int i = 0; i < COUNT * N * N; i++) a[i] = (double)((i * 37 + i / 7) % 64 - 32) / 16;
  for (int turn = 0; turn < 2; turn++) {
    batched_ctx *ctx;
    for (int i = 0; i < COUNT * N; i++) b[turn][i] = (double)(i % 11);
    assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
    assert_int_equal(batched_set_threads(ctx, turn ? THREADS : 1), BATCHED_SUCCESS);
    batched_team_set_grain(ctx, 1);
    assert_int_equal(batched_select(ctx, &batched_gesvd_op, "ref"), BATCHED_SUCCESS);
    assert_int_equal(batched_gelsd(ctx, batched_strided(a, N, N, N, N * N, COUNT),
                                   batched_strided(b[turn], N, 1, N, N, COUNT), batched_strided(s, N, 1, N, N, COUNT),
                                   -1, rank, info),
                     BATCHED_SUCCESS);
    batched_destroy(&ctx);
  }
  assert_memory_equal(b[0], b[1], sizeof b[0]);
}

static void test_no_memory(void **unused)
{
  (void)unused;
  static double a[COUNT * N * N];
  static int info[COUNT];
  bool failed = true;
  for (int n = 0; failed; n++) {
    batched_ctx *ctx;
    const batched_stats *stats;
    for (int i = 0; i < COUNT * N * N; i++) a[i] = i % (N * N) % (N + 1) == 0 ? 4 : 0;
    assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
    assert_int_equal(batched_set_threads(ctx, THREADS), BATCHED_SUCCESS);
    batched_team_set_grain(ctx, 1);
    batched_fail_allocation(n);
    const int status = batched_potrf(ctx, BATCHED_LOWER, batched_strided(a, N, N, N, N * N, COUNT), info);
    batched_fail_allocation(-1);
    failed = status == BATCHED_NO_MEMORY;
    assert_true(failed || status == BATCHED_SUCCESS);
    char text[100];
    if (failed) assert_non_null(strstr(batched_explain(ctx, status, text, sizeof text), "were asked for"));
    assert_int_equal(batched_get_stats(ctx, &stats), 1);
    assert_int_equal(stats[0].calls, 1);
    assert_true(failed || batched_workspace(ctx) >= THREADS * N * N * sizeof(double));
    for (int i = 0; !failed && i < COUNT * N * N; i++) assert_true(a[i] == (i % (N * N) % (N + 1) == 0 ? 2 : 0));
    for (int b = 0; !failed && b < COUNT; b++) assert_int_equal(info[b], 0);
    batched_destroy(&ctx);
  }
}

/* What a child makes of its parent's context: factors by one thread, and by threads of its own. */
static int status_of_child(batched_ctx *ctx, double *a, int *info)
{
  const batched_matrix view = batched_strided(a, N, N, N, N * N, COUNT);
  int status = batched_team_size(ctx) != 1;
  for (int threads = 1; threads <= THREADS && !status; threads += THREADS - 1) {
    for (int i = 0; i < COUNT * N * N; i++) a[i] = i % (N * N) % (N + 1) == 0 ? 4 : 0;
    status = batched_potrf(ctx, BATCHED_LOWER, view, info);
    for (int i = 0; i < COUNT * N * N; i++) status |= a[i] != (i % (N * N) % (N + 1) == 0 ? 2 : 0);
    status |= batched_set_threads(ctx, THREADS);
  }
  batched_destroy(&ctx);
  return status;
}

static void test_fork(void **unused)
{
  (void)unused;
  enum { SECONDS = 60 }; /* after which a child that hangs is ended */
  static double a[COUNT * N * N];
  static int info[COUNT];
  batched_ctx *ctx;
  int status;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_set_threads(ctx, THREADS), BATCHED_SUCCESS);
  batched_team_set_grain(ctx, 1);
  for (int i = 0; i < COUNT * N * N; i++) a[i] = i % (N * N) % (N + 1) == 0 ? 4 : 0;
  assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, batched_strided(a, N, N, N, N * N, COUNT), info), BATCHED_SUCCESS);
  const pid_t child = fork();
  if (child == 0) {
    alarm(SECONDS);
    _exit(status_of_child(ctx, a, info) != 0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_int_equal(batched_team_size(ctx), THREADS);
  batched_destroy(&ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_numbers_of_threads),  cmocka_unit_test(test_every_operation_is_shared_out),
    cmocka_unit_test(test_each_task_runs_once), cmocka_unit_test(test_selected_rows),
    cmocka_unit_test(test_no_memory),           cmocka_unit_test(test_fork),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
