/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows by name beyond the large shapes: the orders between 530 and some 1000 at which kernels change their shape (one
 * more warp, slice or panel; the next instance), in all types, uniform and variable.  Matrices are made once for all
 * rows, and only vectors are multiplied by them.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep_private.h"

/* The data again, and info as nobody wrote it. */
static void reset(batched_ctx *ctx, const sweep_case *c, sweep_trial *t)
{
  int *const info = malloc((size_t)c->count * sizeof *info);
  memset(info, 0x55, (size_t)c->count * sizeof *info);
  sweep_set_data(ctx, t, t);
  batched_copy_from_host(ctx, t->device_info, info, (size_t)c->count * sizeof *info);
  free(info);
}

/* Ratios of a batch. */
typedef struct ratios {
  const sweep_case *c;
  const sweep_trial *t;
  int first;
  long double r[4];
} ratios;

static void find_ratios(int first, int last, void *data)
{
  ratios *const p = data;
  for (int b = first; b < last; b++) p->r[b] = sweep_ratio(p->c, p->t, p->first + b);
}

/* At these orders n eps is much for a sum of errors, but may be more than a product makes that is left out. */
static long double limit_of(const sweep_family *f)
{
  return f->edge_limit > 0 ? f->edge_limit : f->limit > 10 ? f->limit / 10 : f->limit;
}

/* Of a uniform batch the last matrix is looked at. */
static void check_row(batched_ctx *ctx, const char *variant, const sweep_case *c, sweep_trial *t)
{
  assert_int_equal(batched_select(ctx, sweep.family->op, variant), BATCHED_SUCCESS);
  reset(ctx, c, t);
  sweep_poison_scratch(ctx);
  if (!sweep_done(variant, c, sweep_call(ctx, c, t))) return;
  sweep_read_results(ctx, t);
  sweep_check_outside(ctx, variant, c, t);
  const long double limit = limit_of(sweep.family);
  const int count = c->layout == SWEEP_VARIABLE ? (int)c->count : 1;
  ratios all = {.c = c, .t = t, .first = (int)c->count - count};
  sweep_share(count, 1e9, find_ratios, &all);
  for (int b = 0; b < count; b++)
    if (!(all.r[b] <= limit))
      fail_msg("%s: matrix %d has ratio %Lg", sweep_describe(variant, c), all.first + b, all.r[b]);
}

static void check_rows(batched_ctx *ctx, const sweep_case *c)
{
  sweep_trial t = sweep_start(ctx, c, 0, -1, 0);
  for (const batched_variant *v = sweep.family->op->variants[batched_get_space(ctx)]; v->name; v++)
    if (sweep_wanted(v->name) && strncmp(v->name, "vendor", 6) != 0 &&
        (c->type == BATCHED_D || !sweep_is_compared(v->name)))
      check_row(ctx, v->name, c, &t);
  sweep_finish(ctx, &t);
}

/* Rows of the host, which take seconds, have one of the cases, and with --far a type and a layout of each shape. */
static bool is_asked(batched_space space, int s, int type, int variable)
{
  if (space == BATCHED_CUDA) return true;
  return sweep.far ? s % 8 == 2 * type + variable : s == 0 && type == BATCHED_D && variable;
}

/* Elements of a matrix. */
enum { MOST_OF_VARIABLE = 3000000 };

void sweep_edges(batched_ctx *ctx)
{
  const sweep_family *f = sweep.family;
  const batched_space space = batched_get_space(ctx);
  for (int s = 0; f->edge_shapes && f->edge_shapes[s][0] >= 0; s++)
    for (int type = 0; type < 4; type++)
      for (int variable = 0; variable < 2; variable++) {
        const int *const shape = f->edge_shapes[s];
        sweep_case c = {.type = type, .m = shape[0], .n = shape[1], .k = shape[2], .edge = true};
        if (!is_asked(space, s, type, variable) || (variable && (int64_t)shape[0] * shape[1] > MOST_OF_VARIABLE))
          continue;
        const int step = f->edge_step > 0 ? f->edge_step : 1;
        c.flags = (5 * s + 3 * type + variable) % (f->nflags / step) * step;
        c.layout = variable ? SWEEP_VARIABLE : (s + type) % 2 ? SWEEP_ARRAY : SWEEP_STRIDED;
        c.count = space == BATCHED_HOST || !variable ? 2 : 4;
        check_rows(ctx, &c);
      }
}
