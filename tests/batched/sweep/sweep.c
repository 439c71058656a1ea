/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tests that every operation has to pass, in every row of its table.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batched/context.h"
#include "batched/threads.h"
#include "tests/batched/sweep/sweep_private.h"

sweep_options sweep;

void sweep_check_outside(const batched_ctx *ctx, const char *variant, const sweep_case *c, const sweep_trial *t)
{
  if (sweep_is_foreign(ctx, variant)) return;
  for (int i = 0; i < sweep.family->noperands; i++)
    if (!sweep_poison_kept(sweep.family, c, i, &t->x[i], t->after[i]))
      fail_msg("%s: wrote outside of operand %d", sweep_describe(variant, c), i);
  if (!sweep_pivots_kept(c, t)) fail_msg("%s: wrote outside of the pivots", sweep_describe(variant, c));
}

void sweep_poison_scratch(batched_ctx *ctx)
{
  const batched_scalar nan = batched_real(__builtin_nan(""));
  for (int i = 0; sweep.family->poisons_scratch && i < ctx->nscratch; i++) {
    const int n = (int)(ctx->scratch[i].bytes / sizeof(float));
    assert_int_equal(batched_set(ctx, nan, nan, batched_strided((float *)ctx->scratch[i].data, n, 1, n, n, 1)), 0);
  }
}

void sweep_check_case(batched_ctx *ctx, const char *variant, const sweep_case *c)
{
  sweep_poison_scratch(ctx);
  sweep_trial t = sweep_start(ctx, c, 0, -1, 0);
  if (!sweep_done(variant, c, sweep_call(ctx, c, &t))) {
    sweep_finish(ctx, &t);
    return;
  }
  sweep_read_results(ctx, &t);
  sweep_check_outside(ctx, variant, c, &t);
  for (int64_t b = 0; b < c->count; b++) {
    long double r = sweep_ratio(c, &t, b);
    if (!(r <= sweep_limit(ctx, variant)))
      fail_msg("%s: matrix %d has ratio %Lg", sweep_describe(variant, c), (int)b, r);
  }
  sweep_finish(ctx, &t);
}

/* ------------------------------------------------------------------ over rows and types */

bool sweep_names(const char *list, const char *variant)
{
  const size_t length = strlen(variant);
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, variant, length) == 0 && (at[length] == ',' || at[length] == 0)) return true;
  }
  return false;
}

bool sweep_wanted(const char *variant)
{
  return !sweep.rows || sweep_names(sweep.rows, variant);
}

bool sweep_is_compared(const char *variant)
{
  return sweep.family->compared && sweep_names(sweep.family->compared, variant);
}

bool sweep_leaves_out(const char *variant, int order)
{
  const sweep_family *f = sweep.family;
  if (sweep.uninitialised && f->unseen && sweep_names(f->unseen, variant)) return true;
  if (sweep.quick && f->slow && order > f->slow_beyond && sweep_names(f->slow, variant)) return true;
  if (!sweep.quick || sweep.misread || !f->misread) return false;
  return sweep_names(f->misread, variant) || (strcmp(variant, "auto") == 0 && order > f->misread_beyond);
}

bool sweep_is_foreign(const batched_ctx *ctx, const char *variant)
{
  return batched_get_space(ctx) == BATCHED_CUDA && strncmp(variant, "vendor", 6) == 0;
}

/* Are y = A x and y = A^T x of the same numbers other ones at addresses that are a number further, or with columns that
 * are?  Order 34: some vectors of any kernel, and some numbers left over. */
static bool blas_sees_alignment(void)
{
  enum { N = 34 };
  static double memory[4][2 * N * N + 8];
  batched_ctx *ctx;
  bool sees = false;
  if (!batched_find_variant(&batched_gemv_op, BATCHED_HOST, "vendor.blas")) return false;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  assert_int_equal(batched_select(ctx, &batched_gemv_op, "vendor.blas"), BATCHED_SUCCESS);
  for (int type = 0; type < 4; type++)
    for (int trans = 0; trans < 2; trans++) {
      const bool single = type == BATCHED_S || type == BATCHED_C;
      const size_t bytes = batched_element_bytes((batched_type)type), number = single ? sizeof(float) : sizeof(double);
      for (int shift = 0; shift < 8; shift++) {
        const int ld = N + shift / 4 * (shift - 3);
        batched_matrix x[3];
        for (int i = 0; i < 3; i++) {
          unsigned char *at = (unsigned char *)memory[i] + (size_t)(shift % 4) * number;
          const int n = i == 0 ? N : 1;
          const size_t column = N * bytes / number;
          for (size_t e = 0; e < column * (size_t)n; e++) {
            const double value = i < 2 ? sin((double)(e + 7 * (size_t)i)) : 0.0;
            const size_t place = e / column * (size_t)ld * bytes / number + e % column;
            if (single)
              ((float *)at)[place] = (float)value;
            else
              ((double *)at)[place] = value;
          }
          x[i] = batched_make_strided((batched_type)type, at, N, n, ld, (int64_t)ld * n, 1);
        }
        assert_int_equal(batched_gemv(ctx, trans ? BATCHED_TRANS : BATCHED_NO_TRANS, batched_real(1), x[0], x[1],
                                      batched_real(0), x[2]),
                         BATCHED_SUCCESS);
        if (shift == 0)
          memcpy(memory[3], x[2].data, N * bytes);
        else
          sees = sees || memcmp(memory[3], x[2].data, N * bytes) != 0;
      }
    }
  batched_destroy(&ctx);
  return sees;
}

bool sweep_keeps_bits(const batched_ctx *ctx, const char *variant)
{
  static int sees = -1;
  if (batched_get_space(ctx) == BATCHED_CUDA) return !sweep_is_foreign(ctx, variant);
  static const char *const calling[] = {"mixed", "composed", "two_stage", "blocked"}; /* what auto takes */
  bool calls = false;
  for (size_t i = 0; i < sizeof calling / sizeof *calling; i++) calls = calls || strstr(variant, calling[i]);
  if (strncmp(variant, "host.", 5) == 0 && !calls) return true;
  if (sees < 0) {
    sees = blas_sees_alignment();
    if (sees)
      print_message("the BLAS here has other bits at other addresses: rows that may call it are not asked for them\n");
  }
  return !sees;
}

long double sweep_limit(const batched_ctx *ctx, const char *variant)
{
  return (sweep_is_foreign(ctx, variant) ? 10 : 1) * sweep.family->limit;
}

bool sweep_is_own(const batched_ctx *ctx, const char *variant)
{
  return !sweep_is_foreign(ctx, variant) && strcmp(variant, "auto") != 0;
}

typedef void (*row_test)(batched_ctx *ctx, const char *variant);

static void do_row(batched_ctx *ctx, const char *variant, row_test test)
{
  if (!sweep_wanted(variant)) return;
  assert_int_equal(batched_select(ctx, sweep.family->op, variant), BATCHED_SUCCESS);
  test(ctx, variant);
}

/* Runs a test for every row of a backend, and for the choice among them on the GPU. */
static void for_rows(batched_space space, row_test test)
{
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), BATCHED_SUCCESS);
  /* the slow tools watch single allocations */
  if (space == BATCHED_CUDA && !sweep.quick) sweep_open_arena(ctx);
  for (const batched_variant *v = sweep.family->op->variants[space]; v->name; v++) do_row(ctx, v->name, test);
  if (space == BATCHED_CUDA) do_row(ctx, "auto", test);
  sweep_close_arena();
  assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
  batched_destroy(&ctx);
}

int sweep_largest(const int *shape)
{
  int m = shape[0] > shape[1] ? shape[0] : shape[1];
  return m > shape[2] ? m : shape[2];
}

/* Of how many options one is tried: all for tiny shapes, fewer for larger ones where rows are many.  Prime to the
 * numbers of choices that options are made of, so that each of these takes turns. */
static int thinning(const batched_ctx *ctx, int largest)
{
  const int most = batched_get_space(ctx) == BATCHED_CUDA && largest > 30 ? 11 : 5;
  if (largest <= 5) return 1;
  return sweep.family->nflags < most ? sweep.family->nflags : most;
}

static void shapes_row(batched_ctx *ctx, const char *variant)
{
  const int every = sweep_is_compared(variant) ? 2 : 1; /* the oracles' time is for rows that calls take */
  for (int s = 0, turn = 0; sweep.family->shapes[s][0] >= 0; s++) {
    const int *shape = sweep.family->shapes[s];
    const bool small = sweep_largest(shape) <= 5;
    for (int type = 0; type < 4; type++) {
      if (!small && (s + type) % every != 0) continue;
      for (int flags = 0; flags < sweep.family->nflags; flags++) {
        if ((flags + s + type) % thinning(ctx, sweep_largest(shape)) != 0) continue;
        sweep_case c = {.type = type, .m = shape[0], .n = shape[1], .k = shape[2], .flags = flags};
        for (int layout = 0; layout < SWEEP_LAYOUTS; layout++) {
          if ((layout + turn) % (small ? 3 : 5) != 0) continue;
          c.layout = layout;
          c.count = sweep_largest(shape) <= 9 ? 19 : sweep_largest(shape) <= 20 ? 5 : 2;
          sweep_check_case(ctx, variant, &c);
        }
        turn++;
      }
    }
  }
}

static void check_kind(batched_ctx *ctx, const char *variant, sweep_kind kind)
{
  static const int sizes[] = {1, 2, 3, 5, 8, 17, 33}, blocked[] = {70, 130};
  for (int type = 0; type < 4; type++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      sweep_case c = {.type = type, .m = sizes[s], .n = sizes[s], .k = sizes[s], .kind = kind, .count = 3};
      c.flags = ((int)s + 7 * type + 5 * (int)kind) % sweep.family->nflags;
      sweep_check_case(ctx, variant, &c);
      if (sizes[s] > 9) continue;
      c.flags = sweep.family->nflags - 1 - c.flags;
      if (!sweep.family->square) c.m += 2;
      sweep_check_case(ctx, variant, &c);
      if (kind != SWEEP_UNEVEN) continue;
      c.n = 2 * c.m;
      sweep_check_case(ctx, variant, &c);
    }
  }
  if (batched_get_space(ctx) == BATCHED_HOST || sweep_is_compared(variant)) return;
  for (int s = 0; s < 2; s++) {
    const int n = blocked[s];
    if (kind >= SWEEP_KINDS && s == (int)kind % 2) continue; /* many of a family's own: a size each */
    sweep_case c = {.type = BATCHED_D, .m = n, .n = n, .k = n, .kind = kind, .count = 2};
    c.flags = ((int)kind + s) % sweep.family->nflags;
    sweep_check_case(ctx, variant, &c);
    if (sweep.family->square) continue;
    c.n = 1;
    sweep_check_case(ctx, variant, &c);
  }
}

static void kinds_row(batched_ctx *ctx, const char *variant)
{
  const bool ours = batched_get_space(ctx) == BATCHED_HOST && strncmp(variant, "vendor", 6) != 0;
  const unsigned kinds = sweep.family->kinds | (ours ? sweep.family->host_kinds : 0);
  const bool inverting = sweep.family->inverting && strcmp(variant, sweep.family->inverting) == 0;
  if (!sweep_is_own(ctx, variant)) return;
  for (int kind = 0; kind < SWEEP_KINDS; kind++)
    if (kinds & 1u << kind && !(inverting && sweep_is_hard(kind))) check_kind(ctx, variant, kind);
  for (int own = 0; sweep.family->own_kinds && sweep.family->own_kinds[own]; own++)
    check_kind(ctx, variant, SWEEP_KINDS + own);
}

static void check_same(const char *variant, const sweep_case *c, const char *what, int64_t b, const sweep_trial *t,
                       const sweep_trial *o, int64_t d)
{
  if (!sweep_same_bits(t, b, o, d)) fail_msg("%s: matrix %d differs %s", sweep_describe(variant, c), (int)b, what);
}

/* Matrix b of a variable batch has the same bits in a batch of fixed size.  (On a GPU the bounds choose the kernel.) */
static void check_fixed(batched_ctx *ctx, const char *variant, const sweep_case *c, int64_t b, const sweep_trial *whole)
{
  const sweep_case one = sweep_fixed_case(c, b);
  sweep_trial t = sweep_start(ctx, &one, b, -1, 0);
  if (sweep_done(variant, &one, sweep_call(ctx, &one, &t))) {
    sweep_read_results(ctx, &t);
    check_same(variant, c, "in a batch of fixed size", b, whole, &t, 0);
  }
  sweep_finish(ctx, &t);
}

/* The whole batch twice; by several threads; each matrix alone; and with a NaN or an infinity in one: always the same
 * bits. */
static void check_invariance(batched_ctx *ctx, const char *variant, const sweep_case *c)
{
  enum { WHOLE, AGAIN, SHARED_OUT, NAN_IN_3, INF_IN_3, TRIALS };
  static const char *const names[] = {"", "when repeated", "when threads share the batch out", "when another has a NaN",
                                      "when another has an infinity"};
  sweep_trial t[TRIALS] = {sweep_start(ctx, c, 0, -1, 0), sweep_start(ctx, c, 0, -1, 0), sweep_start(ctx, c, 0, -1, 0),
                           sweep_start(ctx, c, 0, 3, __builtin_nanl("")), sweep_start(ctx, c, 0, 3, -__builtin_infl())};
  const bool done = sweep_done(variant, c, sweep_call(ctx, c, &t[WHOLE]));
  sweep_read_results(ctx, &t[WHOLE]);
  for (int i = AGAIN; done && i < TRIALS; i++) {
    assert_int_equal(batched_set_threads(ctx, i == SHARED_OUT ? 3 : 1), BATCHED_SUCCESS);
    batched_team_set_grain(ctx, 1);
    sweep_done(variant, c, sweep_call(ctx, c, &t[i]));
    sweep_read_results(ctx, &t[i]);
    for (int64_t b = 0; b < c->count; b++)
      if (b != 3 || i < NAN_IN_3) check_same(variant, c, names[i], b, &t[WHOLE], &t[i], b);
  }
  const bool host = batched_get_space(ctx) == BATCHED_HOST;
  sweep_case single = *c;
  single.count = 1;
  for (int64_t b = 0; done && b < c->count; b++) {
    sweep_trial alone = sweep_start(ctx, &single, b, -1, 0);
    sweep_call(ctx, &single, &alone);
    sweep_read_results(ctx, &alone);
    check_same(variant, c, "alone", b, &t[WHOLE], &alone, 0);
    sweep_finish(ctx, &alone);
    if (host && c->layout == SWEEP_VARIABLE) check_fixed(ctx, variant, c, b, &t[WHOLE]);
  }
  for (int i = 0; i < TRIALS; i++) sweep_finish(ctx, &t[i]);
}

static void invariance_row(batched_ctx *ctx, const char *variant)
{
  static const int sizes[] = {2, 3, 8, 13, 34};
  if (!sweep_keeps_bits(ctx, variant)) return;
  for (int type = 0; type < 4; type++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      for (int layout = 0; layout < SWEEP_SHARED; layout += 1 + (s > 2)) {
        sweep_case c = {.type = type, .m = sizes[s], .n = sizes[s], .k = sizes[s], .layout = layout};
        c.flags = (int)(3 * s + (size_t)type + (size_t)layout) % sweep.family->nflags;
        c.count = sizes[s] > 20 ? 5 : 21;
        check_invariance(ctx, variant, &c);
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
      sweep_trial t = sweep_start(ctx, &c, 0, -1, 0);
      for (int i = 0; i < sweep.family->noperands; i++) t.x[i].view.data = NULL;
      sweep_done(variant, &c, sweep_call(ctx, &c, &t));
      sweep_finish(ctx, &t);
    }
  }
}

/* The n-th allocation fails, for every n: that is reported, and nothing was touched. */
static void check_allocations(batched_space space, const char *variant, const sweep_case *c)
{
  bool failed = true;
  for (int n = 0; failed; n++) {
    batched_ctx *ctx;
    assert_int_equal(batched_create(&ctx, space), BATCHED_SUCCESS);
    batched_select(ctx, sweep.family->op, variant);
    sweep_trial t = sweep_start(ctx, c, 0, -1, 0);
    batched_fail_allocation(n);
    sweep_call(ctx, c, &t);
    batched_fail_allocation(-1);
    sweep_read_results(ctx, &t);
    failed = t.status == BATCHED_NO_MEMORY;
    if (!failed) sweep_done(variant, c, t.status);
    for (int i = 0; failed && i < sweep.family->noperands; i++)
      assert_memory_equal(t.x[i].image, t.after[i], t.x[i].bytes);
    if (failed && t.pivots.each > 0)
      assert_memory_equal(t.pivots.image, t.pivots_after, (size_t)(t.pivots.matrices * t.pivots.each) * sizeof(int));
    sweep_finish(ctx, &t);
    batched_destroy(&ctx);
  }
}

static void allocation_row(batched_ctx *ctx, const char *variant)
{
  const int orders[] = {5, 140};
  /* larger ones on a GPU consist of several calls, and the first may have been made by then */
  const int norders = batched_get_space(ctx) == BATCHED_CUDA ? 1 : 2;
  if (sweep_is_foreign(ctx, variant)) return;
  for (int i = 0; i < norders; i++) {
    for (int type = 0; type < 4; type++) {
      for (int layout = 0; layout < SWEEP_SHARED; layout++) {
        if (i > 0 && layout != type) continue;
        sweep_case c = {.type = type, .m = orders[i], .n = orders[i], .k = orders[i], .layout = layout, .count = 3};
        c.flags = type % sweep.family->nflags;
        check_allocations(batched_get_space(ctx), variant, &c);
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
      sweep_trial t = sweep_start(ctx, &c, 0, -1, 0);
      if (turn) batched_fail_allocation(0);
      sweep_call(ctx, &c, &t);
      batched_fail_allocation(-1);
      if (sweep_done(turn ? "auto" : variant, &c, t.status) == false) turn = 2;
      sweep_finish(ctx, &t);
    }
  }
}

/* What can be wrong with one operand, for the first two beside another one. */
typedef enum damage {
  OTHER_TYPE,
  OTHER_COUNT,
  NO_DATA,
  SHORT_LD,
  NEGATIVE_SIZE,
  OTHER_BOUNDS,
  SHARED_RESULT,
  DAMAGES
} damage;

/* The same matrices, as a variable batch with larger bounds; of a lone one it is no longer square. */
static void raise_bounds(batched_matrix *x)
{
  static int ms[3], ns[3], lds[3];
  for (int b = 0; b < 3; b++) ms[b] = x->m, ns[b] = x->n, lds[b] = x->ld;
  const bool is_column = x->n == 1;
  x->lds = lds;
  if (is_column || (x->m > 1 && sweep.family->noperands > 1)) x->ms = ms, x->m++, x->ld++;
  if (!is_column) x->ns = ns, x->n++;
}

static void spoil(batched_matrix *x, damage what)
{
  switch (what) {
  case OTHER_BOUNDS: raise_bounds(x); break;
  case OTHER_TYPE: x->type = BATCHED_S; break;
  case OTHER_COUNT: x->count = 2; break;
  case NO_DATA: x->data = NULL; break;
  case SHORT_LD: x->ld = x->m - 1; break;
  case NEGATIVE_SIZE: x->n = -1; break;
  default: x->stride = 0; break;
  }
}

/* Of how many options a call is refused with such an operand. */
static int refusals(batched_ctx *ctx, int operand, damage what)
{
  int refused = 0;
  for (int flags = 0; flags < sweep.family->nflags; flags++) {
    const sweep_case c = {.type = BATCHED_D, .m = 3, .n = 3, .k = 3, .flags = flags, .count = 3};
    sweep_trial t = sweep_start(ctx, &c, 0, -1, 0);
    spoil(&t.x[operand].view, what);
    refused += sweep_call(ctx, &c, &t) < 0;
    sweep_finish(ctx, &t);
  }
  return refused;
}

/* With some options an operand may not be looked at, but never with all. */
static void test_operands_are_checked(void **unused)
{
  (void)unused;
  static const char *const names[DAMAGES] = {
    "may have another type",    "may have another count", "may be NULL",  "may have too small an ld",
    "may have a negative size", "may have other bounds",  "may be shared"};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), BATCHED_SUCCESS);
  const sweep_case c = {.type = BATCHED_D, .m = 3, .n = 3, .k = 3, .count = 3};
  sweep_operand operands[SWEEP_MAX_OPERANDS] = {0};
  sweep.family->operands(&c, operands);
  const int last = sweep.family->noperands - 1;
  for (int i = 0; i <= last; i++)
    for (damage what = sweep.family->noperands > 1 ? OTHER_TYPE : NO_DATA; what < DAMAGES; what++) {
      if (what == SHARED_RESULT && operands[i].role == SWEEP_IN) continue;
      if (what == OTHER_BOUNDS && (sweep.family->longer || i < last || (last == 0 && !sweep.family->square))) continue;
      if (refusals(ctx, i, what) == 0) fail_msg("%s: operand %d %s", sweep.family->op->name, i, names[what]);
    }
  batched_destroy(&ctx);
}

static void edges_of(batched_space space)
{
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), BATCHED_SUCCESS);
  sweep_edges(ctx);
  batched_destroy(&ctx);
}
static void test_edges(void **unused)
{
  (void)unused;
  edges_of(BATCHED_HOST);
}
static void test_edges_on_gpu(void **unused)
{
  (void)unused;
  edges_of(BATCHED_CUDA);
}

#define ROW_TEST(name, row) \
  static void test_##name(void **unused) \
  { \
    (void)unused; \
    for_rows(BATCHED_HOST, row); \
  } \
  static void test_##name##_on_gpu(void **unused) \
  { \
    (void)unused; \
    for_rows(BATCHED_CUDA, row); \
  }
ROW_TEST(shapes, shapes_row)
ROW_TEST(kinds, kinds_row)
ROW_TEST(invariance, invariance_row)
ROW_TEST(counts, sweep_counts_row)
ROW_TEST(empty, empty_row)
ROW_TEST(allocation, allocation_row)
ROW_TEST(warm, warm_row)
ROW_TEST(far, sweep_far_row)
ROW_TEST(large, sweep_large_row)
ROW_TEST(host, sweep_host_row)
#undef ROW_TEST

#define GPU_TEST(name) \
  static void test_##name##_on_gpu(void **unused) \
  { \
    (void)unused; \
    for_rows(BATCHED_CUDA, sweep_##name##_row); \
  }
GPU_TEST(fixed)
GPU_TEST(graph)
GPU_TEST(configurations)
GPU_TEST(quick)
#undef GPU_TEST

static bool can_test_gpu(void)
{
  batched_ctx *ctx;
  char why[256];
  const int status = batched_create(&ctx, BATCHED_CUDA);
  const bool rows = sweep.family->op->variants[BATCHED_CUDA]->name;
  if (status)
    printf("SKIPPED: %s\n", batched_explain(NULL, status, why, sizeof why));
  else if (!rows)
    puts("SKIPPED: no CUDA variant yet");
  batched_destroy(&ctx);
  return !status && rows;
}

static int gpu_tests(void)
{
  /* graphs last: a vendor's call that can't be captured may leave its library in disorder */
  const struct CMUnitTest all[] = {
    cmocka_unit_test(test_shapes_on_gpu),     cmocka_unit_test(test_large_on_gpu),
    cmocka_unit_test(test_edges_on_gpu),      cmocka_unit_test(test_kinds_on_gpu),
    cmocka_unit_test(test_invariance_on_gpu), cmocka_unit_test(test_counts_on_gpu),
    cmocka_unit_test(test_empty_on_gpu),      cmocka_unit_test(test_warm_on_gpu),
    cmocka_unit_test(test_allocation_on_gpu), cmocka_unit_test(test_configurations_on_gpu),
    cmocka_unit_test(test_host_on_gpu),       cmocka_unit_test(test_fixed_on_gpu),
    cmocka_unit_test(test_graph_on_gpu),
  };
  const struct CMUnitTest quick[] = {cmocka_unit_test(test_quick_on_gpu)}, far[] = {cmocka_unit_test(test_far_on_gpu)};
  if (!can_test_gpu()) return 77;
  if (sweep.far) return cmocka_run_group_tests_name(sweep.family->op->name, far, NULL, NULL);
  if (sweep.quick) return cmocka_run_group_tests_name(sweep.family->op->name, quick, NULL, NULL);
  sweep.whole_on_gpu = true;
  return cmocka_run_group_tests_name(sweep.family->op->name, all, NULL, NULL);
}

int sweep_main(int argc, char **argv, const sweep_family *f, const struct CMUnitTest *extra, size_t nextra)
{
  sweep.family = f;
  if (argc > 1 && strcmp(argv[1], "--bench") == 0) return sweep_bench(argc - 2, argv + 2);
  bool gpu = false;
  for (int i = 1; i < argc; i++) {
    const bool uninitialised = strcmp(argv[i], "--uninitialised") == 0;
    if (strcmp(argv[i], "--gpu") == 0)
      gpu = true;
    else if (uninitialised || strcmp(argv[i], "--quick") == 0)
      sweep.quick = true, sweep.uninitialised |= uninitialised;
    else if (strcmp(argv[i], "--misread") == 0)
      sweep.misread = true;
    else if (strcmp(argv[i], "--far") == 0)
      sweep.far = true;
    else if (strncmp(argv[i], "rows=", 5) == 0)
      sweep.rows = argv[i] + 5;
    else
      return sweep_help(argv[0], argv[i]);
  }
  if (!sweep_has_rows(gpu ? BATCHED_CUDA : BATCHED_HOST)) return 2;
  if (gpu) return gpu_tests();
  const struct CMUnitTest common[] = {
    cmocka_unit_test(test_shapes), cmocka_unit_test(test_kinds), cmocka_unit_test(test_invariance),
    cmocka_unit_test(test_counts), cmocka_unit_test(test_empty), cmocka_unit_test(test_allocation),
    cmocka_unit_test(test_warm),   cmocka_unit_test(test_far),   cmocka_unit_test(test_large),
    cmocka_unit_test(test_edges),  cmocka_unit_test(test_host),  cmocka_unit_test(test_operands_are_checked),
  };
  const size_t ncommon = sizeof common / sizeof *common;
  struct CMUnitTest tests[32];
  if (ncommon + nextra > sizeof tests / sizeof *tests) abort();
  memcpy(tests, common, sizeof common);
  if (nextra > 0) memcpy(tests + ncommon, extra, nextra * sizeof *extra);
  return _cmocka_run_group_tests(f->op->name, tests, ncommon + nextra, NULL, NULL);
}

int sweep_then_on_gpu(int status, const char *name, const struct CMUnitTest *tests, size_t ntests)
{
  return status || !sweep.whole_on_gpu ? status : _cmocka_run_group_tests(name, tests, ntests, NULL, NULL);
}
