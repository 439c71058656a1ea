/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tests that every operation has to pass, in every row of its table.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sweep_private.h"

static const sweep_family *family;

static const char *const kind_names[SWEEP_KINDS] = {"random", "large",    "small", "zero",   "identity", "diagonal",
                                                    "rank 1", "singular", "ill",   "graded", "hilbert",  "bad"};
static const char *const layout_names[SWEEP_LAYOUTS] = {"strided", "dense", "array", "variable", "shared"};

static const char *describe(const char *variant, const sweep_case *c)
{
  static char text[200];
  snprintf(text, sizeof text, "%s %s %c m=%d n=%d k=%d flags=%d %s %s count=%d", family->op->name, variant,
           "sdcz"[c->type], c -> m, c -> n, c -> k, c -> flags, kind_names[c->kind], layout_names[c->layout],
           (int)c -> count);
  return text;
}

/* A call on fresh data, and what came of it. */
typedef struct trial {
  sweep_batch x[SWEEP_MAX_OPERANDS];
  void *after[SWEEP_MAX_OPERANDS];
  int *info, *device_info;
  sweep_ints pivots;
  int *pivots_after;
  int status;
} trial;

static trial start(batched_ctx *ctx, const sweep_case *c, int64_t first, int64_t bad)
{
  trial t = {0};
  for (int i = 0; i < family->noperands; i++) {
    /* the NaN goes into the first operand that is read */
    bool mine = bad >= 0;
    for (int j = 0; j < i; j++) mine = mine && t.x[j].operand.role == SWEEP_OUT;
    t.x[i] = sweep_create(ctx, family, c, i, first, mine ? bad : -1);
  }
  const size_t bytes = (size_t)c->count * sizeof(int);
  t.info = malloc(bytes + 1);
  memset(t.info, 0x55, bytes);
  t.device_info = batched_allocate(ctx, bytes);
  batched_copy_from_host(ctx, t.device_info, t.info, bytes);
  t.pivots = sweep_create_pivots(ctx, family, c, first);
  return t;
}

static void call(batched_ctx *ctx, const sweep_case *c, trial *t)
{
  batched_matrix views[SWEEP_MAX_OPERANDS];
  sweep_case with_pivots = *c;
  with_pivots.pivots = t->pivots.device;
  for (int i = 0; i < family->noperands; i++) views[i] = t->x[i].view;
  t->status = family->call(ctx, &with_pivots, views, t->device_info);
  batched_copy_to_host(ctx, t->info, t->device_info, (size_t)c->count * sizeof(int));
  for (int i = 0; i < family->noperands; i++) t->after[i] = sweep_read(ctx, &t->x[i]);
  t->pivots_after = sweep_read_ints(ctx, &t->pivots);
}

static void finish(batched_ctx *ctx, trial *t)
{
  for (int i = 0; i < family->noperands; i++) {
    sweep_destroy(ctx, &t->x[i]);
    free(t->after[i]);
  }
  batched_release(ctx, t->device_info);
  free(t->info);
  sweep_destroy_ints(ctx, &t->pivots);
  free(t->pivots_after);
}

/* Those of matrix b. */
static int *pivots_of(const sweep_ints *x, int *image, int64_t b)
{
  return x->matrices == 1 ? image : image + b * x->each;
}

static long double ratio(const sweep_case *c, const trial *t, int64_t b)
{
  sweep_dense before[SWEEP_MAX_OPERANDS], after[SWEEP_MAX_OPERANDS];
  for (int i = 0; i < family->noperands; i++) {
    before[i] = sweep_dense_of(&t->x[i], t->x[i].image, b);
    after[i] = sweep_dense_of(&t->x[i], t->after[i], b);
  }
  sweep_case one = sweep_matrix(c, b);
  one.pivots = pivots_of(&t->pivots, t->pivots_after, b);
  long double r = family->ratio(&one, before, after, t->info[b]);
  sweep_free_temporaries();
  return r;
}

/* Does matrix b of the one have the bits of matrix d of the other? */
static bool same_bits(const trial *t, int64_t b, const trial *o, int64_t d)
{
  if (t->info[b] != o->info[d]) return false;
  for (int i = 0; i < family->noperands; i++) {
    const sweep_batch *x = &t->x[i], *y = &o->x[i];
    const size_t size = batched_element_bytes(x->view.type);
    for (int j = 0; j < x->ns[b]; j++)
      if (memcmp((char *)t->after[i] + ((size_t)x->offset[b] + (size_t)j * (size_t)x->lds[b]) * size,
                 (char *)o->after[i] + ((size_t)y->offset[d] + (size_t)j * (size_t)y->lds[d]) * size,
                 (size_t)x->ms[b] * size) != 0)
        return false;
  }
  return memcmp(pivots_of(&t->pivots, t->pivots_after, b), pivots_of(&o->pivots, o->pivots_after, d),
                (size_t)t->pivots.each * sizeof(int)) == 0;
}

/* Have pivots that are read, and the ints beyond a matrix's own, kept their values? */
static bool pivots_kept(const sweep_case *c, const trial *t)
{
  for (int64_t b = 0; b < t->pivots.matrices; b++) {
    const sweep_case one = sweep_matrix(c, b);
    for (int i = family->pivots && !family->fill_pivots ? family->pivots(&one) : 0; i < t->pivots.each; i++)
      if (t->pivots.image[b * t->pivots.each + i] != t->pivots_after[b * t->pivots.each + i]) return false;
  }
  return true;
}

static void check_case(batched_ctx *ctx, const char *variant, const sweep_case *c)
{
  trial t = start(ctx, c, 0, -1);
  call(ctx, c, &t);
  if (t.status) fail_msg("%s: returned %d", describe(variant, c), t.status);
  for (int i = 0; i < family->noperands; i++)
    if (!sweep_poison_kept(&t.x[i], t.after[i])) fail_msg("%s: wrote outside of operand %d", describe(variant, c), i);
  if (!pivots_kept(c, &t)) fail_msg("%s: wrote outside of the pivots", describe(variant, c));
  for (int64_t b = 0; b < c->count; b++) {
    long double r = ratio(c, &t, b);
    if (!(r <= family->limit)) fail_msg("%s: matrix %d has ratio %Lg", describe(variant, c), (int)b, r);
  }
  finish(ctx, &t);
}

/* ------------------------------------------------------------------ over rows and types */

typedef void (*row_test)(batched_ctx *ctx, const char *variant);

/* Runs a test for every row of a backend. */
static void for_rows(batched_space space, row_test test)
{
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), BATCHED_SUCCESS);
  for (const batched_variant *v = family->op->variants[space]; v->name; v++) {
    assert_int_equal(batched_select(ctx, family->op, v->name), BATCHED_SUCCESS);
    test(ctx, v->name);
  }
  assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
  batched_destroy(&ctx);
}

static int largest(const int *shape)
{
  int m = shape[0] > shape[1] ? shape[0] : shape[1];
  return m > shape[2] ? m : shape[2];
}

static void shapes_row(batched_ctx *ctx, const char *variant)
{
  for (int s = 0, turn = 0; family->shapes[s][0] >= 0; s++) {
    const int *shape = family->shapes[s];
    const bool small = largest(shape) <= 5;
    for (int type = 0; type < 4; type++) {
      for (int flags = 0; flags < family->nflags; flags++) {
        if (!small && (flags + s + type) % (family->nflags < 4 ? family->nflags : 4) != 0) continue;
        sweep_case c = {.type = type, .m = shape[0], .n = shape[1], .k = shape[2], .flags = flags};
        for (int layout = 0; layout < SWEEP_LAYOUTS; layout++) {
          if ((layout + turn) % (small ? 3 : 5) != 0) continue;
          c.layout = layout;
          c.count = largest(shape) <= 9 ? 19 : largest(shape) <= 20 ? 5 : 2;
          check_case(ctx, variant, &c);
        }
        turn++;
      }
    }
  }
}

static void kinds_row(batched_ctx *ctx, const char *variant)
{
  static const int sizes[] = {1, 2, 3, 5, 17, 33};
  for (int kind = 0; kind < SWEEP_KINDS; kind++) {
    if (!(family->kinds & 1u << kind)) continue;
    for (int type = 0; type < 4; type++) {
      for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        sweep_case c = {.type = type, .m = sizes[s], .n = sizes[s], .k = sizes[s], .kind = kind, .count = 3};
        c.flags = (int)s % family->nflags;
        check_case(ctx, variant, &c);
        if (sizes[s] > 9) continue;
        c.flags = family->nflags - 1 - c.flags;
        if (!family->square) c.m += 2;
        check_case(ctx, variant, &c);
      }
    }
  }
}

/* The whole batch twice; each matrix alone; and with a NaN in one: always the same bits. */
static void invariance_row(batched_ctx *ctx, const char *variant)
{
  static const int sizes[] = {2, 3, 6, 13, 34};
  for (int type = 0; type < 4; type++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      for (int layout = 0; layout < SWEEP_SHARED; layout += 1 + (s > 2)) {
        sweep_case c = {.type = type, .m = sizes[s], .n = sizes[s], .k = sizes[s], .layout = layout};
        c.flags = (int)(3 * s + (size_t)type + (size_t)layout) % family->nflags;
        c.count = sizes[s] > 20 ? 5 : 21;
        trial whole = start(ctx, &c, 0, -1), again = start(ctx, &c, 0, -1), nan = start(ctx, &c, 0, 3);
        call(ctx, &c, &whole);
        call(ctx, &c, &again);
        call(ctx, &c, &nan);
        sweep_case single = c;
        single.count = 1;
        for (int64_t b = 0; b < c.count; b++) {
          trial alone = start(ctx, &single, b, -1);
          call(ctx, &single, &alone);
          if (!same_bits(&whole, b, &again, b))
            fail_msg("%s: matrix %d differs when repeated", describe(variant, &c), (int)b);
          if (b != 3 && !same_bits(&whole, b, &nan, b))
            fail_msg("%s: matrix %d differs when another has a NaN", describe(variant, &c), (int)b);
          if (!same_bits(&whole, b, &alone, 0)) fail_msg("%s: matrix %d differs alone", describe(variant, &c), (int)b);
          finish(ctx, &alone);
        }
        finish(ctx, &whole);
        finish(ctx, &again);
        finish(ctx, &nan);
      }
    }
  }
}

static void empty_row(batched_ctx *ctx, const char *variant)
{
  for (int type = 0; type < 4; type++) {
    for (int what = 0; what < 2; what++) {
      sweep_case c = {.type = type, .count = what ? 3 : 0};
      c.m = c.n = c.k = what ? 0 : 4;
      batched_matrix none[SWEEP_MAX_OPERANDS];
      trial t = start(ctx, &c, 0, -1);
      for (int i = 0; i < family->noperands; i++) {
        none[i] = t.x[i].view;
        none[i].data = NULL;
      }
      int status = family->call(ctx, &c, none, t.device_info);
      if (status) fail_msg("%s: NULL for nothing gave %d", describe(variant, &c), status);
      finish(ctx, &t);
    }
  }
}

/* The n-th allocation fails, for every n: that is reported, and nothing was touched. */
static void allocation_row(batched_ctx *unused, const char *variant)
{
  for (int type = 0; type < 4; type++) {
    for (int layout = 0; layout < SWEEP_SHARED; layout++) {
      sweep_case c = {
        .type = type, .m = 5, .n = 5, .k = 5, .flags = type % family->nflags, .layout = layout, .count = 3};
      bool failed = true;
      for (int n = 0; failed; n++) {
        batched_ctx *ctx;
        assert_int_equal(batched_create(&ctx, batched_get_space(unused)), BATCHED_SUCCESS);
        batched_select(ctx, family->op, variant);
        trial t = start(ctx, &c, 0, -1);
        batched_fail_allocation(n);
        call(ctx, &c, &t);
        batched_fail_allocation(-1);
        failed = t.status == BATCHED_NO_MEMORY;
        if (!failed && t.status) fail_msg("%s: allocation %d failed: %d", describe(variant, &c), n, t.status);
        for (int i = 0; failed && i < family->noperands; i++)
          assert_memory_equal(t.x[i].image, t.after[i], t.x[i].bytes);
        if (failed && t.pivots.each > 0)
          assert_memory_equal(t.pivots.image, t.pivots_after,
                              (size_t)(t.pivots.matrices * t.pivots.each) * sizeof(int));
        finish(ctx, &t);
        batched_destroy(&ctx);
      }
    }
  }
}

/* After the first call, none allocates. */
static void warm_row(batched_ctx *ctx, const char *variant)
{
  for (int layout = 0; layout < SWEEP_SHARED; layout++) {
    sweep_case c = {.type = BATCHED_Z, .m = 9, .n = 9, .k = 9, .layout = layout, .count = 3};
    for (int turn = 0; turn < 2; turn++) {
      trial t = start(ctx, &c, 0, -1);
      if (turn) batched_fail_allocation(0);
      call(ctx, &c, &t);
      batched_fail_allocation(-1);
      if (t.status) fail_msg("%s: allocates when warm", describe(variant, &c));
      finish(ctx, &t);
    }
  }
}

#define ROW_TEST(name) \
  static void test_##name(void **unused) \
  { \
    (void)unused; \
    for_rows(BATCHED_HOST, name##_row); \
  } \
  static void test_##name##_on_gpu(void **unused) \
  { \
    (void)unused; \
    for_rows(BATCHED_CUDA, name##_row); \
  }
ROW_TEST(shapes)
ROW_TEST(kinds)
ROW_TEST(invariance)
ROW_TEST(empty)
ROW_TEST(allocation)
ROW_TEST(warm)

static bool can_test_gpu(void)
{
  batched_ctx *ctx;
  const bool device = batched_create(&ctx, BATCHED_CUDA) == BATCHED_SUCCESS,
             rows = family->op->variants[BATCHED_CUDA]->name;
  if (!device) puts("SKIPPED: no CUDA device, or CUDA was not built");
  if (device && !rows) puts("SKIPPED: no CUDA variant yet");
  if (device) batched_destroy(&ctx);
  return device && rows;
}

int sweep_main(int argc, char **argv, const sweep_family *f, const struct CMUnitTest *extra, size_t nextra)
{
  family = f;
  if (argc > 1 && strcmp(argv[1], "--bench") == 0) return sweep_bench(argc - 2, argv + 2, f);
  const bool gpu = argc > 1 && strcmp(argv[1], "--gpu") == 0;
  if (gpu && !can_test_gpu()) return 77;
  const struct CMUnitTest host_tests[] = {
    cmocka_unit_test(test_shapes), cmocka_unit_test(test_kinds),      cmocka_unit_test(test_invariance),
    cmocka_unit_test(test_empty),  cmocka_unit_test(test_allocation), cmocka_unit_test(test_warm),
  };
  const struct CMUnitTest gpu_tests[] = {
    cmocka_unit_test(test_shapes_on_gpu),     cmocka_unit_test(test_kinds_on_gpu),
    cmocka_unit_test(test_invariance_on_gpu), cmocka_unit_test(test_empty_on_gpu),
    cmocka_unit_test(test_allocation_on_gpu), cmocka_unit_test(test_warm_on_gpu),
  };
  const size_t ncommon = sizeof host_tests / sizeof *host_tests;
  struct CMUnitTest tests[32];
  memcpy(tests, gpu ? gpu_tests : host_tests, sizeof host_tests);
  if (gpu) nextra = 0;
  memcpy(tests + ncommon, extra, nextra * sizeof *extra);
  return _cmocka_run_group_tests(f->op->name, tests, ncommon + nextra, NULL, NULL);
}
