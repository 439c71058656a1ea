/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Large matrices and many matrices; results against those of the host's default row; and for the GPU's rows
 * variable batches against fixed ones, graphs, and the small part for slow tools.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batched/tuning/tuning.h"
#include "tests/batched/sweep/sweep_private.h"
#include "tests/batched/thorough.h"

/* Large matrices of which nothing but the call and what is outside of them is looked at. */
static void call_large(batched_ctx *ctx, const char *variant, const sweep_case *c)
{
  sweep_trial t = sweep_start(ctx, c, 0, -1, 0);
  if (sweep_done(variant, c, sweep_call(ctx, c, &t))) {
    sweep_read_results(ctx, &t);
    sweep_check_outside(ctx, variant, c, &t);
  }
  sweep_finish(ctx, &t);
}

/* Large matrices: one by the oracle, all alone and again with the same bits. */
static void check_large(batched_ctx *ctx, const char *variant, const sweep_case *c)
{
  if (!is_thorough()) {
    call_large(ctx, variant, c);
    return;
  }
  sweep_trial t = sweep_start(ctx, c, 0, -1, 0), again = sweep_start(ctx, c, 0, -1, 0);
  if (sweep_done(variant, c, sweep_call(ctx, c, &t))) {
    const int b = c->layout == SWEEP_VARIABLE ? 0 : 2; /* in a variable batch the first one is the largest */
    sweep_poison_scratch(ctx);
    sweep_call(ctx, c, &again);
    sweep_read_results(ctx, &t);
    sweep_read_results(ctx, &again);
    sweep_check_outside(ctx, variant, c, &t);
    long double r = sweep_ratio(c, &t, b);
    if (!(r <= sweep_limit(ctx, variant))) fail_msg("%s: matrix %d has ratio %Lg", sweep_describe(variant, c), b, r);
    sweep_case single = *c;
    single.count = 1;
    for (int d = 0; d < 3 && sweep_keeps_bits(ctx, variant); d++) {
      sweep_trial alone = sweep_start(ctx, &single, d, -1, 0);
      sweep_call(ctx, &single, &alone);
      sweep_read_results(ctx, &alone);
      if (!sweep_same_bits(&t, d, &again, d))
        fail_msg("%s: matrix %d differs when repeated", sweep_describe(variant, c), d);
      if (!sweep_same_bits(&t, d, &alone, 0)) fail_msg("%s: matrix %d differs alone", sweep_describe(variant, c), d);
      sweep_finish(ctx, &alone);
    }
  }
  sweep_finish(ctx, &t);
  sweep_finish(ctx, &again);
}

/* Random ones, and those that end early, in our own rows.  The largest have nothing new for the host's rows, for rows
 * that no call takes by itself (double alone is enough of these), nor if they end early. */
enum { LARGEST_OF_ALL = 320, LARGEST_OF_HOST = 200 /* in other types than double */ };

void sweep_large_row(batched_ctx *ctx, const char *variant)
{
  static const sweep_layout layouts[] = {SWEEP_STRIDED, SWEEP_VARIABLE, SWEEP_DENSE, SWEEP_ARRAY};
  static const batched_type others[] = {BATCHED_Z, BATCHED_C, BATCHED_S};
  const sweep_family *f = sweep.family;
  const bool none_of_largest = batched_get_space(ctx) == BATCHED_HOST || sweep_is_compared(variant),
             ends_early = f->kinds & 1u << SWEEP_BAD && !sweep_is_foreign(ctx, variant);
  for (int s = 0; f->large_shapes && f->large_shapes[s][0] >= 0; s++) {
    const int *shape = f->large_shapes[s];
    const bool largest = sweep_largest(shape) > LARGEST_OF_ALL,
               double_alone = sweep_is_compared(variant) ||
                              (batched_get_space(ctx) == BATCHED_HOST && sweep_largest(shape) > LARGEST_OF_HOST);
    sweep_case c = {
      .type = BATCHED_D, .m = shape[0], .n = shape[1], .k = shape[2], .layout = layouts[s % 4], .count = 3};
    c.flags = 7 * s % f->nflags;
    if (!none_of_largest || !largest) check_large(ctx, variant, &c);
    c.kind = SWEEP_BAD;
    if (ends_early && !largest) check_large(ctx, variant, &c);
    c.kind = SWEEP_RANDOM;
    c.type = others[s % 3];
    if (!double_alone && (!none_of_largest || !largest)) check_large(ctx, variant, &c);
  }
}

/* Words of `x` that are not those of the repeated pattern. */
static int64_t differences(batched_ctx *ctx, const void *x, size_t bytes, const void *pattern, size_t pattern_bytes,
                           size_t period)
{
  if (bytes == 0) return 0;
  if (batched_get_space(ctx) == BATCHED_CUDA)
    return sweep_cuda_differences(ctx, x, (int64_t)bytes / 4, pattern, (int64_t)pattern_bytes / 4, (int64_t)period / 4);
  int64_t n = 0;
  for (size_t at = 0; at < bytes; at += period) {
    const size_t rest = bytes - at, part = rest < pattern_bytes ? rest : pattern_bytes;
    n += memcmp((const char *)x + at, pattern, part) != 0;
  }
  return n;
}

/* The `few` results of t, over and over. */
static void compare_many(batched_ctx *ctx, const char *variant, const sweep_case *c, int64_t few, const sweep_trial *t,
                         const sweep_trial *many)
{
  const size_t each = (size_t)t->pivots.each * sizeof(int), small = (size_t)few * sizeof(int);
  int64_t wrong = differences(ctx, many->device_info, (size_t)c->count * sizeof(int), t->info, small, small);
  if (each > 0)
    wrong += differences(ctx, many->pivots.device, (size_t)many->pivots.matrices * each, t->pivots_after,
                         (size_t)few * each, (size_t)few * each);
  for (int i = 0; i < sweep.family->noperands; i++) {
    const sweep_batch *x = &many->x[i];
    wrong += differences(ctx, x->device[0], x->device_bytes, t->after[i], x->bytes,
                         (size_t)(few * x->view.stride) * batched_element_bytes(x->view.type));
  }
  if (wrong)
    fail_msg("%s: %lld words are not what they are in a small batch", sweep_describe(variant, c), (long long)wrong);
}

/* A few matrices give the same results however often they are repeated. */
static void check_count(batched_ctx *ctx, const char *variant, sweep_case c, int64_t count)
{
  const int64_t few = c.count;
  sweep_trial t = sweep_start(ctx, &c, 0, -1, 0), many = sweep_start(ctx, &c, 0, -1, 0);
  if (sweep_done(variant, &c, sweep_call(ctx, &c, &t))) {
    sweep_read_results(ctx, &t);
    c.count = count;
    for (int i = 0; i < sweep.family->noperands; i++) sweep_widen(ctx, &c, &many.x[i], count);
    const size_t info_bytes = (size_t)count * sizeof(int);
    sweep_release(ctx, many.device_info);
    many.device_info = batched_allocate(ctx, info_bytes);
    sweep_widen_ints(ctx, &many.pivots, count);
    for (int i = 0; i < SWEEP_MAX_EXTENTS; i++) sweep_widen_ints(ctx, &many.extents[i], count);
    int *info = malloc(info_bytes + 1);
    memset(info, 0x55, info_bytes);
    batched_copy_from_host(ctx, many.device_info, info, info_bytes);
    free(info);
    if (sweep_done(variant, &c, sweep_call(ctx, &c, &many))) // a row may be for a few alone
      compare_many(ctx, variant, &c, few, &t, &many);
  }
  sweep_finish(ctx, &t);
  sweep_finish(ctx, &many);
}

void sweep_counts_row(batched_ctx *ctx, const char *variant)
{
  enum { FEW = 61, TINY = 2 };
  static const int64_t counts[] = {65535, 65536, 1000000, 1075 * FEW, 1075 * FEW};
  static const sweep_layout layouts[] = {SWEEP_STRIDED, SWEEP_DENSE, SWEEP_STRIDED, SWEEP_ARRAY, SWEEP_VARIABLE};
  const batched_type million = batched_get_space(ctx) == BATCHED_HOST ? BATCHED_S : BATCHED_D;
  const batched_type types[] = {BATCHED_D, BATCHED_Z, million, BATCHED_D, BATCHED_D};
  if (!sweep_is_own(ctx, variant)) return;
  for (int i = sweep_is_compared(variant) ? 3 : 0; i < 5; i++) {
    sweep_case c = {.type = types[i], .m = TINY, .n = TINY, .k = TINY, .layout = layouts[i]};
    c.flags = 5 * i % sweep.family->nflags;
    c.count = FEW;
    if (counts[i] == 1000000 && !is_thorough()) continue;
    check_count(ctx, variant, c, counts[i]);
  }
}

/* How far results for random matrices may be apart, in the units of sweep_difference.  Each is as far from the exact
 * one as the condition makes of a few n eps, and none of these matrices comes near a condition of 300 n.  (On the host
 * the rows are up to 7 apart, and 50 in gesv, whose matrices are the worst.) */
#define FAR_APART 300.0L

static void check_difference(const char *variant, const sweep_case *c, int64_t b, const char *other, long double r)
{
  const long double most = sweep.family->far_apart > 0 ? sweep.family->far_apart : FAR_APART;
  if (!(r <= most)) fail_msg("%s: matrix %d differs from %s by %Lg", sweep_describe(variant, c), (int)b, other, r);
}

/* What the host's default row makes of the same data: the same pivots and info, and nearly the same values. */
static void check_host(batched_ctx *ctx, batched_ctx *host, const char *variant, const sweep_case *c)
{
  sweep_trial t = sweep_start(ctx, c, 0, -1, 0);
  if (sweep_done(variant, c, sweep_call(ctx, c, &t))) {
    sweep_read_results(ctx, &t);
    sweep_trial expected = sweep_start(host, c, 0, -1, 0);
    sweep_done("auto", c, sweep_call(host, c, &expected));
    sweep_read_results(host, &expected);
    for (int64_t b = 0; b < c->count; b++) {
      const sweep_case one = sweep_matrix(c, b);
      check_difference(variant, c, b, "the host's", sweep_difference(&one, &t, b, &expected, b));
    }
    sweep_finish(host, &expected);
  }
  sweep_finish(ctx, &t);
}

void sweep_host_row(batched_ctx *ctx, const char *variant)
{
  static const int sizes[] = {2, 5, 16, 33, 100};
  const int nsizes = batched_get_space(ctx) == BATCHED_HOST ? 4 : 5;
  batched_ctx *host;
  if (sweep_is_foreign(ctx, variant)) return;
  assert_int_equal(batched_create(&host, BATCHED_HOST), BATCHED_SUCCESS);
  for (int s = 0; s < nsizes; s++) {
    for (int type = 0; type < 4; type++) {
      sweep_case c = {.type = type, .m = sizes[s], .n = sizes[s], .k = sizes[s], .count = sizes[s] > 20 ? 2 : 7};
      c.layout = (sweep_layout)((s + type) % SWEEP_LAYOUTS);
      c.flags = (5 * s + 7 * type) % sweep.family->nflags;
      check_host(ctx, host, variant, &c);
      c.flags = sweep.family->nflags - 1 - c.flags;
      if (!sweep.family->square) c.m += 3;
      check_host(ctx, host, variant, &c);
    }
  }
  batched_destroy(&host);
}

/* Matrices of a variable batch, each in a batch of fixed size: on a GPU the bounds choose the kernel, and the bits may
 * differ. */
static void check_fixed(batched_ctx *ctx, const char *variant, const sweep_case *c)
{
  sweep_trial whole = sweep_start(ctx, c, 0, -1, 0);
  const bool done = sweep_done(variant, c, sweep_call(ctx, c, &whole));
  sweep_read_results(ctx, &whole);
  for (int64_t b = 0; done && b < c->count; b++) {
    const sweep_case one = sweep_fixed_case(c, b);
    sweep_trial t = sweep_start(ctx, &one, b, -1, 0);
    if (sweep_done(variant, &one, sweep_call(ctx, &one, &t))) {
      sweep_read_results(ctx, &t);
      check_difference(variant, c, b, "that of a fixed batch", sweep_difference(&one, &whole, b, &t, 0));
    }
    sweep_finish(ctx, &t);
  }
  sweep_finish(ctx, &whole);
}

void sweep_fixed_row(batched_ctx *ctx, const char *variant)
{
  static const int sizes[] = {5, 17, 33, 66, 130};
  if (sweep_is_foreign(ctx, variant)) return;
  for (int s = 0; s < 5; s++) {
    for (int type = 0; type < 4; type++) {
      if (sizes[s] > 100 && type != BATCHED_D) continue;
      sweep_case c = {.type = type, .m = sizes[s], .n = sizes[s], .k = sizes[s], .layout = SWEEP_VARIABLE, .count = 5};
      c.flags = (5 * s + 7 * type) % sweep.family->nflags;
      if (!sweep.family->square && type % 2) c.m += 3;
      check_fixed(ctx, variant, &c);
    }
  }
}

/* The call, captured into a graph and replayed on data (and sizes) of which it knew nothing, gives what it gives
 * directly. */
static void check_graph(batched_ctx *ctx, const char *variant, const sweep_case *c)
{
  sweep_trial direct[2] = {sweep_start(ctx, c, 0, -1, 0), sweep_start(ctx, c, 50, -1, 0)};
  sweep_trial captured = sweep_start(ctx, c, 0, -1, 0);
  if (sweep_done(variant, c, sweep_call(ctx, c, &direct[0]))) {
    sweep_call(ctx, c, &direct[1]);
    for (int i = 0; i < 2; i++) sweep_read_results(ctx, &direct[i]);
    assert_true(sweep_cuda_begin_capture(ctx));
    const int status = sweep_call(ctx, c, &captured);
    void *graph = sweep_cuda_end_capture(ctx);
    const bool vendor = strncmp(variant, "vendor", 6) == 0;
    if ((status || !graph) && !vendor) fail_msg("%s: not captured, status %d", sweep_describe(variant, c), status);
    if (status || !graph) print_message("%s: can't be captured\n", sweep_describe(variant, c));
    for (int turn = 0; graph && turn < 3; turn++) {
      sweep_trial *expected = &direct[turn % 2];
      sweep_set_data(ctx, &captured, expected);
      assert_true(sweep_cuda_replay(ctx, graph));
      sweep_read_results(ctx, &captured);
      sweep_trial view = captured; /* the sizes are those of the data */
      for (int i = 0; i < sweep.family->noperands; i++) {
        view.x[i].ms = expected->x[i].ms;
        view.x[i].ns = expected->x[i].ns;
        view.x[i].lds = expected->x[i].lds;
      }
      for (int64_t b = 0; b < c->count; b++)
        if (!sweep_same_bits(&view, b, expected, b) && !vendor)
          fail_msg("%s: matrix %d differs in replay %d", sweep_describe(variant, c), (int)b, turn);
    }
    if (graph) sweep_cuda_free_graph(graph);
  }
  for (int i = 0; i < 2; i++) sweep_finish(ctx, &direct[i]);
  sweep_finish(ctx, &captured);
}

void sweep_graph_row(batched_ctx *ctx, const char *variant)
{
  static const int sizes[] = {3, 8, 17, 33, 70, 130};
  for (int s = 0; s < 6; s++) {
    for (int type = 0; type < 4; type++) {
      if (sizes[s] > 20 && type != BATCHED_D) continue;
      sweep_case c = {.type = type, .m = sizes[s], .n = sizes[s], .k = sizes[s], .count = sizes[s] > 20 ? 3 : 11};
      c.flags = (5 * s + 3 * type) % sweep.family->nflags;
      c.layout = (sweep_layout)((s + type) % SWEEP_SHARED);
      check_graph(ctx, variant, &c);
    }
  }
}

/* Every configuration of a tuned row, whatever the table says: more than one tile, with edges, and with some depth. */
static void configurations_of(batched_ctx *ctx, const char *variant, const batched_family *tuned)
{
  static const int shapes[][3] = {{170, 134, 38}, {66, 82, 20}, {161, 85, 33}};
  for (int config = 0; config < tuned->nconfigs; config++)
    for (int type = 0; type < 4; type++)
      for (int s = 0; s < 3; s++) {
        if (!tuned->fits(config, type, shapes[s][0], shapes[s][1], shapes[s][2])) continue;
        for (int turn = 0; turn < 4; turn++) {
          sweep_case c = {.type = type, .m = shapes[s][0], .n = shapes[s][1], .k = shapes[s][2], .count = 3};
          c.flags = (config + s + 7 * turn) % sweep.family->nflags;
          c.layout = turn == 3 ? SWEEP_DENSE : SWEEP_STRIDED;
          batched_force_config(ctx, tuned, config);
          check_large(ctx, variant, &c);
        }
      }
  batched_force_config(ctx, NULL, -1);
}

void sweep_configurations_row(batched_ctx *ctx, const char *variant)
{
  for (const batched_family *const *tuned = batched_families; *tuned; tuned++)
    if ((*tuned)->op == sweep.family->op && strcmp((*tuned)->variant, variant) == 0)
      configurations_of(ctx, variant, *tuned);
}

static void check_quickly(batched_ctx *ctx, const char *variant, const sweep_case *c)
{
  const int sizes[] = {c->m, c->n, c->k}, largest = sweep_largest(sizes);
  if (largest == 0 || sweep_leaves_out(variant, largest)) return;
  sweep_trial t = sweep_start(ctx, c, 0, -1, 0);
  if (sweep_done(variant, c, sweep_call(ctx, c, &t)) && !sweep.uninitialised) {
    sweep_read_results(ctx, &t);
    long double r = sweep_ratio(c, &t, c->layout == SWEEP_VARIABLE ? 0 : c->count - 1);
    if (!(r <= sweep_limit(ctx, variant))) fail_msg("%s: ratio %Lg", sweep_describe(variant, c), r);
  }
  assert_int_equal(batched_synchronize(ctx), BATCHED_SUCCESS);
  sweep_finish(ctx, &t);
}

/* True where shape s of the family's own is for the type and the row. */
static bool is_quick_for(int s, batched_type type, const char *variant)
{
  if (!sweep.family->quick_of) return true;
  const char *const of = sweep.family->quick_of[s], *const rows = strchr(of, ' ');
  return memchr(of, "sdcz"[type], (size_t)(rows - of)) && sweep_names(rows + 1, variant);
}

static void quick_shapes_row(batched_ctx *ctx, const char *variant)
{
  const int(*const shapes)[5] = sweep.family->quick_shapes;
  for (int s = 0; shapes[s][0] >= 0; s++) {
    sweep_case c = {.m = shapes[s][0], .n = shapes[s][1], .k = shapes[s][2], .flags = shapes[s][3]};
    c.count = shapes[s][4];
    c.layout = (sweep_layout)(s % SWEEP_LAYOUTS);
    for (int type = 0; type < 4; type++) {
      c.type = type;
      if (is_quick_for(s, c.type, variant)) check_quickly(ctx, variant, &c);
    }
  }
}

static void quick_shape(batched_ctx *ctx, const char *variant, batched_type type, const int *shape, int s)
{
  /* initcheck before 2025.4 does not see what bulk copies write, such as products of odd orders: of those that go on
   * with them, rows named `unseen` are left out whole, others beyond 100 */
  const int most = sweep.family->quick && !sweep.uninitialised ? sweep.family->quick : 100;
  if (sweep_largest(shape) > most) return;
  sweep_case c = {.type = type, .m = shape[0], .n = shape[1], .k = shape[2], .count = 3};
  c.flags = 5 * s % sweep.family->nflags;
  c.layout = (sweep_layout)(s % SWEEP_LAYOUTS);
  if (sweep_largest(shape) <= 9) c.count = 37;
  check_quickly(ctx, variant, &c);
}

/* Shapes that are not too large, each with one type, one option and one layout. */
void sweep_quick_row(batched_ctx *ctx, const char *variant)
{
  const sweep_family *f = sweep.family;
  if (f->quick_shapes) {
    if (sweep_is_own(ctx, variant)) quick_shapes_row(ctx, variant); /* auto takes one of the others */
    return;
  }
  for (int s = 0; f->shapes[s][0] >= 0; s++)
    quick_shape(ctx, variant, s % 3 == 2 ? BATCHED_Z : BATCHED_D, f->shapes[s], s);
  for (int s = 0; f->quick && f->large_shapes[s][0] >= 0; s++)
    quick_shape(ctx, variant, BATCHED_D, f->large_shapes[s], s);
}
