/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two contexts in two threads do not see each other: on the host, and on a GPU where there is one.
 */
#include <pthread.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batched/operations.h"

enum { N = 12, COUNT = 40, ROUNDS = 50 };

typedef struct task {
  batched_space space;
  int number;
  const char *variant; /* of gemm: the threads take different ones */
  double product[COUNT * N * N], factor[COUNT * N * N];
  int info[COUNT];
  int status, rounds_that_differ;
  int64_t calls;
} task;

static double entry(int number, int i)
{
  return (double)((i * 37 + number * 11) % 64 - 32) / 16;
}

static bool differ(const void *x, const void *y, size_t bytes)
{
  return memcmp(x, y, bytes) != 0;
}

/* A = X X^T + 40 I, and its Cholesky factor; the results of every round have to be the same. */
static void work(task *t)
{
  const size_t bytes = sizeof t->product;
  static const double diagonal = 40;
  double *host = malloc(bytes), *again = malloc(bytes);
  batched_ctx *ctx;
  if ((t->status = batched_create(&ctx, t->space))) return;
  if (t->variant) t->status |= batched_select(ctx, &batched_gemm_op, t->variant);
  double *x = batched_allocate(ctx, bytes), *a = batched_allocate(ctx, bytes);
  int *info = batched_allocate(ctx, sizeof t->info);
  batched_matrix vx = batched_strided(x, N, N, N, N * N, COUNT), va = batched_strided(a, N, N, N, N * N, COUNT);
  for (int i = 0; i < COUNT * N * N; i++) host[i] = entry(t->number, i);
  t->status |= batched_copy_from_host(ctx, x, host, bytes);
  for (int round = 0; round < ROUNDS && !t->status; round++) {
    for (int i = 0; i < COUNT * N * N; i++) host[i] = i % (N * N) % (N + 1) == 0 ? diagonal : 0;
    t->status |= batched_copy_from_host(ctx, a, host, bytes);
    t->status |= batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, batched_real(1), vx, vx, batched_real(1), va);
    t->status |= batched_copy_to_host(ctx, round ? again : t->product, a, bytes);
    t->rounds_that_differ += round && differ(again, t->product, bytes);
    t->status |= batched_potrf(ctx, BATCHED_LOWER, va, info);
    t->status |= batched_copy_to_host(ctx, round ? again : t->factor, a, bytes);
    t->rounds_that_differ += round && differ(again, t->factor, bytes);
  }
  t->status |= batched_copy_to_host(ctx, t->info, info, sizeof t->info);
  const batched_stats *stats;
  for (int n = batched_get_stats(ctx, &stats); n > 0; n--)
    if (stats[n - 1].op == &batched_gemm_op && !stats[n - 1].nested) t->calls += stats[n - 1].calls;
  batched_release(ctx, x);
  batched_release(ctx, a);
  batched_release(ctx, info);
  batched_destroy(&ctx);
  free(host);
  free(again);
}

static void *run(void *t)
{
  work(t);
  return NULL;
}

static void check_space(batched_space space)
{
  pthread_t threads[2];
  task *together = calloc(2, sizeof *together), *alone = calloc(2, sizeof *alone);
  for (int i = 0; i < 2; i++) {
    alone[i].space = together[i].space = space;
    alone[i].number = together[i].number = i;
    if (space == BATCHED_HOST && i == 1) alone[i].variant = together[i].variant = "host.ref";
    work(&alone[i]);
    assert_int_equal(alone[i].status, BATCHED_SUCCESS);
  }
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, run, &together[i]), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(together[i].status, BATCHED_SUCCESS);
    assert_int_equal(together[i].rounds_that_differ, 0);
    assert_int_equal(together[i].calls, ROUNDS);
    for (int b = 0; b < COUNT; b++) assert_int_equal(together[i].info[b], 0);
    assert_memory_equal(together[i].product, alone[i].product, sizeof alone[i].product);
    assert_memory_equal(together[i].factor, alone[i].factor, sizeof alone[i].factor);
  }
  free(together);
  free(alone);
}

static void test_on_host(void **unused)
{
  (void)unused;
  check_space(BATCHED_HOST);
}

static void test_on_gpu(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  if (batched_create(&ctx, BATCHED_CUDA)) {
    puts("SKIPPED: no CUDA device, or CUDA was not built");
    skip();
  }
  batched_destroy(&ctx);
  check_space(BATCHED_CUDA);
}

enum { LAUNCHES = 20000 };

typedef struct launcher {
  int n, status;
} launcher;

/* Many launches of one kernel: factors of a unit matrix, which are the matrix itself. */
static void *launch(void *given)
{
  launcher *l = given;
  batched_ctx *ctx;
  if ((l->status = batched_create(&ctx, BATCHED_CUDA))) return NULL;
  double *x = batched_allocate(ctx, (size_t)l->n * l->n * sizeof *x);
  int *info = batched_allocate(ctx, sizeof *info);
  const batched_matrix a = batched_strided(x, l->n, l->n, l->n, (int64_t)l->n * l->n, 1);
  l->status = batched_select(ctx, &batched_potrf_op, "cuda.shared");
  if (!l->status) l->status = batched_set(ctx, batched_real(0), batched_real(1), a);
  for (int i = 0; i < LAUNCHES && !l->status; i++) l->status = batched_potrf(ctx, BATCHED_LOWER, a, info);
  if (!l->status) l->status = batched_synchronize(ctx);
  batched_release(ctx, x);
  batched_release(ctx, info);
  batched_destroy(&ctx);
  return NULL;
}

/* A kernel's limit of shared memory is one for all threads: none may take away what another has just asked for. */
static void test_shared_memory_on_gpu(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  if (batched_create(&ctx, BATCHED_CUDA)) skip();
  batched_destroy(&ctx);
  pthread_t threads[2];
  launcher l[2] = {{.n = 144}, {.n = 192}};
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, launch, &l[i]), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(l[i].status, BATCHED_SUCCESS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_on_host), cmocka_unit_test(test_on_gpu),
                                     cmocka_unit_test(test_shared_memory_on_gpu)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
