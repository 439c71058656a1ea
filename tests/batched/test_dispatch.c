/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The seam: which row runs, what is refused, what is counted.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batched/operations.h"
#include "tests/batched/host_context.h"

typedef struct work {
  int size;
  const char *ran;
} work;

static bool is_even(const void *args)
{
  return ((const work *)args)->size % 2 == 0;
}

static bool is_large(const void *args)
{
  return ((const work *)args)->size > 10;
}

static int run_even(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  ((work *)(uintptr_t)args)->ran = "even";
  return 0;
}

static int run_vendor(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  ((work *)(uintptr_t)args)->ran = "vendor";
  return BATCHED_NO_MEMORY;
}

static int run_ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  ((work *)(uintptr_t)args)->ran = "ref";
  return 0;
}

static batched_cost cost(const void *args)
{
  return (batched_cost){((const work *)args)->size, 2.0 * ((const work *)args)->size};
}

static const batched_variant rows[] = {
  {"host.even", is_even, is_large, run_even},
  {"vendor.theirs", NULL, is_large, run_vendor},
  {"host.ref", NULL, NULL, run_ref},
  {0},
};
static const batched_variant none[] = {{0}};
static const batched_op op = {.name = "work", .key = "work", .variants = {rows, none}, .cost = cost};

static int run_outer(batched_ctx *ctx, const void *args)
{
  return batched_run(ctx, &op, args);
}

static const batched_variant outer_rows[] = {{"host.outer", NULL, NULL, run_outer}, {0}};
static const batched_op outer = {.name = "outer", .key = "outer", .variants = {outer_rows, none}};

static const char *run(int size, int expected)
{
  work w = {size, "nothing"};
  assert_int_equal(batched_run(ctx, &op, &w), expected);
  return w.ran;
}

static void test_auto_takes_the_first_that_fits_and_likes(void **unused)
{
  (void)unused;
  assert_string_equal(run(12, 0), "even");
  assert_string_equal(run(13, BATCHED_NO_MEMORY), "vendor");
  assert_string_equal(run(2, 0), "ref");
}

static void test_a_selected_row_runs_or_fails(void **unused)
{
  (void)unused;
  assert_int_equal(batched_select(ctx, &op, "host.even"), 0);
  assert_string_equal(run(2, 0), "even");
  assert_string_equal(run(3, BATCHED_DOES_NOT_FIT), "nothing");
  assert_int_equal(batched_select(ctx, &op, "ref"), 0);
  assert_string_equal(run(12, 0), "ref");
  assert_int_equal(batched_select(ctx, &op, "vendor"), 0);
  assert_string_equal(run(2, BATCHED_NO_MEMORY), "vendor");
  assert_int_equal(batched_select(ctx, &op, "auto"), 0);
  assert_string_equal(run(12, 0), "even");
}

static void test_unknown_rows_are_refused(void **unused)
{
  (void)unused;
  const char *const unknown[] = {"", "host", "host.", "cuda.ref", "vend", "even.host", "host.even ", "theirs.", "ref2"};
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    assert_int_equal(batched_select(ctx, &op, unknown[i]), BATCHED_NO_VARIANT);
  assert_null(batched_find_variant(&op, BATCHED_CUDA, "ref"));
  assert_ptr_equal(batched_find_variant(&op, BATCHED_HOST, "theirs"), &rows[1]);
}

static void test_calls_are_counted(void **unused)
{
  (void)unused;
  const batched_stats *stats;
  work w = {2, NULL};
  batched_reset_stats(ctx);
  run(2, 0);
  run(4, 0);
  run(12, 0);
  assert_int_equal(batched_run(ctx, &outer, &w), 0);
  assert_int_equal(batched_get_stats(ctx, &stats), 3);
  for (int i = 0; i < 3; i++) {
    const batched_stats *s = &stats[i];
    assert_false(s->nested);
    assert_true(s->seconds >= 0 && s->seconds < 10);
    if (s->op == &outer) assert_true(s->calls == 1 && s->cost.flops == 0);
    if (s->op == &op && s->variant == &rows[2]) assert_true(s->calls == 3 && s->cost.flops == 8 && s->cost.bytes == 16);
  }
  batched_reset_stats(ctx);
  assert_int_equal(batched_run(ctx, &outer, &w), 0);
  assert_int_equal(batched_get_stats(ctx, &stats), 2);
  for (int i = 0; i < 2; i++) assert_int_equal(stats[i].nested, stats[i].op == &op);
}

/* Old names lead to rows that are there, where the backend was built, and are no row's name now. */
static void aliases_lead_to_rows(const batched_op *o)
{
  for (const batched_alias *a = o->aliases; a && a->name; a++) {
    batched_space space = strncmp(a->name, "cuda.", 5) == 0 ? BATCHED_CUDA : BATCHED_HOST;
    if (!o->variants[space]->name) continue;
    const batched_variant *v = batched_find_variant(o, space, a->old_name);
    assert_non_null(v);
    assert_string_equal(v->name, a->name);
  }
}

/* Every operation has a name and a key of its own, host.ref (a driver that calls other operations, which have one:
 * host.composed), and rows with the backend's name or `vendor`. */
static void test_operations_are_complete(void **unused)
{
  (void)unused;
  for (int i = 0; batched_operations[i]; i++) {
    const batched_op *o = batched_operations[i];
    assert_non_null(o->cost);
    assert_true(batched_find_variant(o, BATCHED_HOST, "host.ref") ||
                batched_find_variant(o, BATCHED_HOST, "host.composed"));
    for (const batched_variant *v = o->variants[BATCHED_HOST]; v->name; v++) {
      assert_true(strncmp(v->name, "host.", 5) == 0 || strncmp(v->name, "vendor.", 7) == 0);
      assert_ptr_equal(batched_find_variant(o, BATCHED_HOST, v->name), v);
    }
    for (const batched_variant *v = o->variants[BATCHED_CUDA]; v->name; v++)
      assert_true(strncmp(v->name, "cuda.", 5) == 0 || strncmp(v->name, "vendor.", 7) == 0);
    aliases_lead_to_rows(o);
    for (int j = 0; j < i; j++) assert_string_not_equal(o->name, batched_operations[j]->name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_auto_takes_the_first_that_fits_and_likes),
    cmocka_unit_test(test_a_selected_row_runs_or_fails),
    cmocka_unit_test(test_unknown_rows_are_refused),
    cmocka_unit_test(test_calls_are_counted),
    cmocka_unit_test(test_operations_are_complete),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
