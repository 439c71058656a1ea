/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One call on fresh data, and what came of it.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep_private.h"

static const char *const kind_names[SWEEP_KINDS] = {
  "random",           "large",           "small",    "zero",     "identity",  "diagonal",
  "rank 1",           "singular",        "ill",      "graded",   "hilbert",   "bad",
  "denormal",         "nearly singular", "cond 1e2", "cond 1e6", "cond 1e10", "cond 1e14",
  "hidden condition", "uneven columns"};
static const char *const layout_names[SWEEP_LAYOUTS] = {"strided",  "dense",  "array",
                                                        "variable", "shared", "shared dense"};

static const char *kind_name(sweep_kind kind)
{
  return kind < SWEEP_KINDS ? kind_names[kind] : sweep.family->own_kinds[kind - SWEEP_KINDS];
}

const char *sweep_describe(const char *variant, const sweep_case *c)
{
  static char text[200];
  const char type = "sdcz"[c->type];
  snprintf(text, sizeof text, "%s %s %c m=%d n=%d k=%d flags=%d %s %s count=%lld", sweep.family->op->name, variant,
           type, c->m, c->n, c->k, c->flags, kind_name(c->kind), layout_names[c->layout], (long long)c->count);
  return text;
}

bool sweep_done(const char *variant, const sweep_case *c, int status)
{
  if (status == BATCHED_DOES_NOT_FIT && strcmp(variant, "auto") != 0) return false;
  if (status) fail_msg("%s: returned %d, %s", sweep_describe(variant, c), status, batched_strerror(status));
  return true;
}

sweep_trial sweep_start(batched_ctx *ctx, const sweep_case *c, int64_t first, int64_t bad, long double value)
{
  sweep_trial t = {.begin = sweep_arena_mark(1)};
  for (int i = 0; i < sweep.family->noperands; i++) {
    /* the value goes into the first operand that is read */
    bool mine = bad >= 0;
    for (int j = 0; j < i; j++) mine = mine && t.x[j].operand.role == SWEEP_OUT;
    t.x[i] = sweep_create(ctx, sweep.family, c, i, first, mine ? bad : -1, value);
  }
  const size_t bytes = (size_t)c->count * sizeof(int);
  t.info = malloc(bytes + 1);
  memset(t.info, 0x55, bytes);
  t.device_info = sweep_send(ctx, sweep.uninitialised ? NULL : t.info, bytes);
  t.pivots = sweep_create_pivots(ctx, sweep.family, c, first);
  for (int i = 0; i < SWEEP_MAX_EXTENTS; i++) t.extents[i] = sweep_create_extent(ctx, sweep.family, c, i, first);
  t.end = sweep_arena_mark(0);
  return t;
}

int sweep_call(batched_ctx *ctx, const sweep_case *c, sweep_trial *t)
{
  batched_matrix views[SWEEP_MAX_OPERANDS];
  sweep_case given = *c;
  given.pivots = t->pivots.device;
  for (int i = 0; i < SWEEP_MAX_EXTENTS; i++) given.extents[i] = t->extents[i].device;
  for (int i = 0; i < sweep.family->noperands; i++) views[i] = t->x[i].view;
  sweep_flush();
  return t->status = sweep.family->call(ctx, &given, views, t->device_info);
}

static void forget_results(sweep_trial *t)
{
  for (int i = 0; i < sweep.family->noperands; i++) {
    free(t->after[i]);
    t->after[i] = NULL;
  }
  free(t->pivots_after);
  t->pivots_after = NULL;
}

void sweep_read_results(batched_ctx *ctx, sweep_trial *t)
{
  const size_t count = (size_t)t->x[0].view.count;
  forget_results(t);
  free(t->info);
  sweep_flush();
  sweep_look(t->begin, t->end);
  t->info = sweep_fetch(ctx, t->device_info, count * sizeof(int));
  for (int i = 0; i < sweep.family->noperands; i++) t->after[i] = sweep_read(ctx, &t->x[i]);
  t->pivots_after = sweep_read_ints(ctx, &t->pivots);
}

void sweep_finish(batched_ctx *ctx, sweep_trial *t)
{
  forget_results(t);
  for (int i = 0; i < sweep.family->noperands; i++) sweep_destroy(ctx, &t->x[i]);
  sweep_release(ctx, t->device_info);
  free(t->info);
  sweep_destroy_ints(ctx, &t->pivots);
  for (int i = 0; i < SWEEP_MAX_EXTENTS; i++) sweep_destroy_ints(ctx, &t->extents[i]);
  sweep_arena_mark(-1);
}

void sweep_set_data(batched_ctx *ctx, sweep_trial *t, const sweep_trial *from)
{
  for (int i = 0; i < sweep.family->noperands; i++) {
    const sweep_batch *x = &from->x[i];
    const size_t ints = (size_t)x->view.count * sizeof(int);
    batched_copy_from_host(ctx, t->x[i].device[0], x->image, x->bytes);
    if (t->x[i].device[2]) batched_copy_from_host(ctx, t->x[i].device[2], x->ms, ints);
    if (t->x[i].device[3]) batched_copy_from_host(ctx, t->x[i].device[3], x->ns, ints);
    if (t->x[i].device[4]) batched_copy_from_host(ctx, t->x[i].device[4], x->lds, ints);
  }
  batched_copy_from_host(ctx, t->pivots.device, from->pivots.image,
                         (size_t)(from->pivots.matrices * from->pivots.each) * sizeof(int));
  for (int i = 0; i < SWEEP_MAX_EXTENTS; i++)
    batched_copy_from_host(ctx, t->extents[i].device, from->extents[i].image,
                           (size_t)from->extents[i].matrices * sizeof(int));
}

/* The ints of matrix b. */
static int *pivots_of(const sweep_ints *x, int *image, int64_t b)
{
  return x->matrices == 1 ? image : image + b * x->each;
}

long double sweep_ratio(const sweep_case *c, const sweep_trial *t, int64_t b)
{
  sweep_dense before[SWEEP_MAX_OPERANDS], after[SWEEP_MAX_OPERANDS];
  for (int i = 0; i < sweep.family->noperands; i++) {
    before[i] = sweep_dense_of(&t->x[i], t->x[i].image, b);
    after[i] = sweep_dense_of(&t->x[i], t->after[i], b);
  }
  sweep_case one = sweep_matrix(c, b);
  one.pivots = pivots_of(&t->pivots, t->pivots_after, b);
  const bool probes = c->edge && sweep.family->probe;
  long double r = (probes ? sweep.family->probe : sweep.family->ratio)(&one, before, after, t->info[b]);
  sweep_free_temporaries();
  return r;
}

static bool is_nan(batched_type type, const void *numbers, int i)
{
  return type == BATCHED_S || type == BATCHED_C ? isnan(((const float *)numbers)[i])
                                                : isnan(((const double *)numbers)[i]);
}

/* n elements.  The bits of a NaN are not promised: compilers exchange factors, and with them which NaN goes on. */
static bool are_same(batched_type type, const void *x, const void *y, int n)
{
  const size_t real = type == BATCHED_S || type == BATCHED_C ? sizeof(float) : sizeof(double);
  const size_t bytes = (size_t)n * batched_element_bytes(type);
  if (memcmp(x, y, bytes) == 0) return true;
  for (int i = 0; i < (int)(bytes / real); i++) {
    const bool same = memcmp((const char *)x + (size_t)i * real, (const char *)y + (size_t)i * real, real) == 0;
    if (!same && !(is_nan(type, x, i) && is_nan(type, y, i))) return false;
  }
  return true;
}

bool sweep_same_bits(const sweep_trial *t, int64_t b, const sweep_trial *o, int64_t d)
{
  if (t->info[b] != o->info[d]) return false;
  for (int i = 0; i < sweep.family->noperands; i++) {
    const sweep_batch *x = &t->x[i], *y = &o->x[i];
    const size_t size = batched_element_bytes(x->view.type);
    for (int j = 0; j < x->ns[b]; j++)
      if (!are_same(x->view.type, (char *)t->after[i] + ((size_t)x->offset[b] + (size_t)j * (size_t)x->lds[b]) * size,
                    (char *)o->after[i] + ((size_t)y->offset[d] + (size_t)j * (size_t)y->lds[d]) * size, x->ms[b]))
        return false;
  }
  /* of the matrix, and perhaps some more */
  const int each = t->pivots.each < o->pivots.each ? t->pivots.each : o->pivots.each;
  return memcmp(pivots_of(&t->pivots, t->pivots_after, b), pivots_of(&o->pivots, o->pivots_after, d),
                (size_t)each * sizeof(int)) == 0;
}

/* In eps times the largest element of y.  What is a NaN in both, poison say, is the same. */
static long double difference(batched_type type, sweep_dense x, sweep_dense y, int rows)
{
  long double most = 0, size = 0;
  for (int j = 0; j < x.n; j++) {
    for (int i = 0; i < rows; i++) {
      const long double apart = sweep_abs(SWEEP_AT(x, i, j) - SWEEP_AT(y, i, j)), large = sweep_abs(SWEEP_AT(y, i, j));
      if (isnan(sweep_abs(SWEEP_AT(x, i, j))) && isnan(large)) continue;
      most = sweep_larger(most, apart);
      if (large > size) size = large;
    }
  }
  return most == 0 ? 0 : most / (sweep_eps(type) * size);
}

long double sweep_difference(const sweep_case *matrix, const sweep_trial *t, int64_t b, const sweep_trial *o, int64_t d)
{
  const sweep_family *f = sweep.family;
  const int unwritten = 0x55555555, info = t->info[b], other = o->info[d];
  const int sizes[] = {matrix->m, matrix->n, matrix->k}, n = sweep_largest(sizes);
  const size_t pivots = f->pivots ? (size_t)f->pivots(matrix) * sizeof(int) : 0;
  long double most = 0;
  if (info != other && info != unwritten && other != unwritten) return INFINITY;
  if (memcmp(pivots_of(&t->pivots, t->pivots_after, b), pivots_of(&o->pivots, o->pivots_after, d), pivots) != 0)
    return INFINITY;
  for (int i = 0; i < f->noperands; i++) {
    if (t->x[i].operand.role == SWEEP_IN) continue;
    const sweep_dense x = sweep_dense_of(&t->x[i], t->after[i], b), y = sweep_dense_of(&o->x[i], o->after[i], d);
    const long double apart = difference(matrix->type, x, y, f->unique_rows ? f->unique_rows(matrix, i) : x.m);
    most = sweep_larger(most, apart);
  }
  sweep_free_temporaries();
  return most == 0 ? 0 : most / n;
}

/* True where pivots that are read, and the ints beyond a matrix's own, have kept their values. */
bool sweep_pivots_kept(const sweep_case *c, const sweep_trial *t)
{
  const bool written = sweep.family->pivots && !sweep.family->fill_pivots;
  for (int64_t b = 0; b < t->pivots.matrices; b++) {
    const sweep_case one = sweep_matrix(c, b);
    for (int i = written ? sweep.family->pivots(&one) : 0; i < t->pivots.each; i++)
      if (t->pivots.image[b * t->pivots.each + i] != t->pivots_after[b * t->pivots.each + i]) return false;
  }
  return true;
}
