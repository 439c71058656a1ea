/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Batches for the tests: in every layout, with poison around the matrices.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/batched/sweep/sweep_private.h"

static batched_type type_of(const sweep_case *c, const sweep_operand *o)
{
  const batched_type real = batched_real_type(c->type);
  return o->real ? real : !o->is_complex ? c->type : real == BATCHED_S ? BATCHED_C : BATCHED_Z;
}

/* A size of matrix b, little less than its bound, if that is large. */
static int near(int bound, int64_t b)
{
  static const int less[] = {0, 1, 2, 130};
  return bound > 2 * less[3] ? bound - less[b % 4] : bound;
}

sweep_case sweep_matrix(const sweep_case *c, int64_t b)
{
  sweep_case one = *c;
  if (c->layout != SWEEP_VARIABLE) return one;
  if (c->edge) {
    one.m = near(c->m, b);
    one.n = near(c->n, b);
    one.k = near(c->k, b);
    return one;
  }
  one.m = (int)((b * 7 + c->m) % (c->m + 1));
  one.n = c->m == c->n ? one.m : (int)((b * 5 + c->n) % (c->n + 1));
  one.k = (int)((b * 3 + c->k) % (c->k + 1));
  return one;
}

sweep_case sweep_fixed_case(const sweep_case *c, int64_t b)
{
  sweep_case one = sweep_matrix(c, b);
  one.layout = SWEEP_STRIDED;
  one.count = 1;
  return one;
}

static void store(batched_type type, void *image, int64_t at, wide x)
{
  const bool poison = sweep_is_poison(x);
  const uint32_t bits32 = 0x7fc0dead;
  const uint64_t bits64 = 0x7ff8dead0000beef;
  const int parts = batched_is_complex(type) ? 2 : 1;
  for (int p = 0; p < parts; p++) {
    long double v = p ? __imag__ x : __real__ x;
    if (batched_real_type(type) == BATCHED_S) {
      float f = (float)v;
      if (poison) memcpy(&f, &bits32, sizeof f);
      memcpy((float *)image + at * parts + p, &f, sizeof f);
    } else {
      double d = (double)v;
      if (poison) memcpy(&d, &bits64, sizeof d);
      memcpy((double *)image + at * parts + p, &d, sizeof d);
    }
  }
}

static wide load(batched_type type, const void *image, int64_t at)
{
  long double v[2] = {0, 0};
  const int parts = batched_is_complex(type) ? 2 : 1;
  for (int p = 0; p < parts; p++)
    v[p] = batched_real_type(type) == BATCHED_S ? (long double)((const float *)image)[at * parts + p]
                                                : (long double)((const double *)image)[at * parts + p];
  return __builtin_complex(v[0], v[1]);
}

static uint64_t seed_of(int64_t b, int operand)
{
  return (uint64_t)(1000 * b + operand + 1);
}

/* Of the matrix that `fill` is called for: the seed of its operand 0. */
static _Thread_local uint64_t seed_of_first;

static sweep_dense fill_values(const sweep_family *f, const sweep_case *one, int operand, int m, int n, uint64_t seed)
{
  sweep_dense values = sweep_new(m, n);
  for (int64_t i = 0; i < (int64_t)m * n; i++) values.x[i] = SWEEP_POISON;
  sweep_seed(seed);
  f->fill(one, operand, values);
  return values;
}

sweep_dense sweep_first_operand(const sweep_case *c)
{
  sweep_operand all[SWEEP_MAX_OPERANDS] = {0};
  sweep.family->operands(c, all);
  return fill_values(sweep.family, c, 0, all[0].m, all[0].n, seed_of_first);
}

static void fill_one(const sweep_family *f, const sweep_case *one, int operand, sweep_batch *x, int64_t b,
                     uint64_t seed, const long double *bad)
{
  sweep_dense values = fill_values(f, one, operand, x->ms[b], x->ns[b], seed);
  int64_t used = 0;
  for (int64_t i = 0; i < (int64_t)values.m * values.n; i++) used += !sweep_is_poison(values.x[i]);
  for (int64_t i = 0, seen = 0; bad && i < (int64_t)values.m * values.n; i++)
    if (!sweep_is_poison(values.x[i]) && seen++ == used / 2) values.x[i] = *bad;
  for (int j = 0; j < values.n; j++)
    for (int i = 0; i < values.m; i++)
      store(x->view.type, x->image, x->offset[b] + i + (int64_t)j * x->lds[b], SWEEP_AT(values, i, j));
  sweep_free_temporaries();
}

static bool has_gaps(const sweep_case *c)
{
  return c->layout != SWEEP_DENSE && c->layout != SWEEP_SHARED_DENSE;
}

static bool is_shared(const sweep_case *c, const sweep_operand *o)
{
  return (c->layout == SWEEP_SHARED || c->layout == SWEEP_SHARED_DENSE) && o->shareable;
}

/* How many elements lie before the first matrix, where there are gaps.  Matrices of even order start at multiples of
 * two elements, and are so many apart, which some kernels want; with some options all of them, with others the results
 * alone, start one element later. */
static int front_of(const sweep_case *c, const sweep_operand *o)
{
  if (!has_gaps(c)) return 0;
  if (o->m % 2) return 3;
  return 4 + (c->flags % 4 == 3 || (c->flags % 4 == 1 && o->role != SWEEP_IN));
}

/* Where each matrix lies.  Pointer arrays go through the memory backward. */
static int64_t lay_out(const sweep_family *f, const sweep_case *c, int operand, int64_t first, sweep_batch *x)
{
  const sweep_operand *o = &x->operand;
  const bool shared = is_shared(c, o);
  const int even = o->m % 2 == 0, pad = has_gaps(c) ? 3 + even : 0, front = front_of(c, o);
  const int ld = (o->m > 1 ? o->m : 1) + pad;
  const int64_t stride = shared ? 0 : (int64_t)ld * (o->n > 1 ? o->n : 1) + (has_gaps(c) ? 5 + even : 0);
  for (int64_t b = 0; b < c->count; b++) {
    sweep_case one = sweep_matrix(c, first + b);
    sweep_operand each[SWEEP_MAX_OPERANDS] = {0};
    f->operands(&one, each);
    x->ms[b] = each[operand].m;
    x->ns[b] = each[operand].n;
    x->lds[b] = c->layout == SWEEP_VARIABLE ? ld - (int)((first + b) % 2) : ld;
    x->offset[b] = front + (c->layout == SWEEP_ARRAY || c->layout == SWEEP_VARIABLE ? c->count - 1 - b : b) * stride;
  }
  x->view =
    (batched_matrix){.type = type_of(c, o), .m = o->m, .n = o->n, .ld = ld, .stride = stride, .count = c->count};
  /* not an element beyond the last matrix: then a tool that watches allocations sees what goes too far */
  const int64_t last = o->m > 0 && o->n > 0 ? (int64_t)ld * (o->n - 1) + o->m : 0;
  return c->count > 0 && last > 0 ? front + last + (c->count - 1) * stride : 0;
}

/* Matrices of an operand that are filled. */
typedef struct filled {
  const sweep_family *f;
  const sweep_case *c;
  sweep_batch *x;
  int operand;
  bool shared, first_is_shared;
  int64_t first, bad;
  long double value;
} filled;

static void fill_some(int begin, int end, void *data)
{
  const filled *const p = data;
  for (int64_t b = begin; b < end; b++) {
    const sweep_case one = sweep_matrix(p->c, p->shared ? 0 : p->first + b);
    seed_of_first = seed_of(p->first_is_shared ? 0 : p->first + b, 0);
    fill_one(p->f, &one, p->operand, p->x, b, seed_of(p->shared ? 0 : p->first + b, p->operand),
             b == p->bad && !p->shared ? &p->value : NULL);
  }
}

sweep_batch sweep_create(batched_ctx *ctx, const sweep_family *f, const sweep_case *c, int operand, int64_t first,
                         int64_t bad, long double value)
{
  sweep_batch x = {0};
  sweep_operand all[SWEEP_MAX_OPERANDS] = {0};
  const size_t count = (size_t)c->count;
  f->operands(c, all);
  x.operand = all[operand];
  x.ms = calloc(count + 1, sizeof(int));
  x.ns = calloc(count + 1, sizeof(int));
  x.lds = calloc(count + 1, sizeof(int));
  x.offset = calloc(count + 1, sizeof(int64_t));
  const int64_t elements = lay_out(f, c, operand, first, &x);
  x.bytes = (size_t)elements * batched_element_bytes(x.view.type);
  x.image = malloc(x.bytes + 1);
  for (int64_t i = 0; i < elements; i++) store(x.view.type, x.image, i, SWEEP_POISON);
  const bool shared = is_shared(c, &x.operand);
  filled p = {f, c, &x, operand, shared, is_shared(c, &all[0]), first, bad, value};
  sweep_share(shared && c->count > 0 ? 1 : (int)c->count, c->edge ? 100.0 * (double)elements : 0, fill_some, &p);
  x.device_bytes = x.bytes;
  const bool unwritten = sweep.uninitialised && x.operand.role == SWEEP_OUT;
  x.device[0] = sweep_send(ctx, unwritten ? NULL : x.image, x.bytes);
  if (c->layout == SWEEP_ARRAY || c->layout == SWEEP_VARIABLE) {
    void **pointers = calloc(count + 1, sizeof *pointers);
    for (size_t b = 0; b < count; b++)
      pointers[b] = (char *)x.device[0] + (size_t)x.offset[b] * batched_element_bytes(x.view.type);
    x.view.array = x.device[1] = sweep_send(ctx, pointers, count * sizeof *pointers);
    free(pointers);
  } else {
    x.view.data =
      x.device[0] ? (char *)x.device[0] + front_of(c, &x.operand) * batched_element_bytes(x.view.type) : NULL;
  }
  if (c->layout == SWEEP_VARIABLE) {
    x.view.ms = x.operand.form == SWEEP_ROW ? NULL : (x.device[2] = sweep_send(ctx, x.ms, count * sizeof(int)));
    x.view.ns = x.operand.form == SWEEP_COLUMN ? NULL : (x.device[3] = sweep_send(ctx, x.ns, count * sizeof(int)));
    x.view.lds = x.device[4] = sweep_send(ctx, x.lds, count * sizeof(int));
  }
  return x;
}

static void *send_repeated(batched_ctx *ctx, const void *few, size_t bytes, int64_t times)
{
  char *all = malloc(bytes * (size_t)times + 1);
  if (!all) abort();
  for (int64_t i = 0; i < times; i++) memcpy(all + (size_t)i * bytes, few, bytes);
  void *to = sweep_send(ctx, all, bytes * (size_t)times);
  free(all);
  return to;
}

/* New memory for `count` matrices, of which the old ones are the first few. */
static void *repeat_data(batched_ctx *ctx, const sweep_batch *x, size_t period, size_t bytes)
{
  char *to = batched_allocate(ctx, bytes);
  if (!to) abort();
  sweep_flush();
  batched_fill_zero(ctx, to, bytes);
  for (size_t at = 0; at < bytes; at += period) {
    const size_t rest = bytes - at;
    batched_copy_within(ctx, to + at, x->device[0], rest < x->bytes ? rest : x->bytes);
  }
  return to;
}

static void repeat_sizes(batched_ctx *ctx, sweep_batch *x, int which, const int *few, int64_t times)
{
  if (!x->device[which]) return;
  sweep_release(ctx, x->device[which]);
  x->device[which] = send_repeated(ctx, few, (size_t)x->view.count * sizeof(int), times);
}

void sweep_widen(batched_ctx *ctx, const sweep_case *c, sweep_batch *x, int64_t count)
{
  const int64_t few = x->view.count, stride = x->view.stride, times = (count + few - 1) / few;
  const size_t size = batched_element_bytes(x->view.type);
  if (stride > 0 && x->bytes > 0) {
    /* pointers go backward through each few, so that these have to be whole */
    const int64_t room = x->view.array ? few * times : count;
    const size_t bytes = x->bytes + (size_t)((room - few) * stride) * size;
    void *data = repeat_data(ctx, x, (size_t)(few * stride) * size, bytes);
    sweep_release(ctx, x->device[0]);
    x->device[0] = data;
    x->device_bytes = bytes;
    if (x->view.data) x->view.data = (char *)data + front_of(c, &x->operand) * size;
  }
  if (x->view.array) {
    void **pointers = calloc((size_t)(few * times) + 1, sizeof *pointers);
    for (int64_t b = 0; b < few * times; b++)
      pointers[b] = (char *)x->device[0] + (size_t)(x->offset[b % few] + b / few * few * stride) * size;
    sweep_release(ctx, x->device[1]);
    x->view.array = x->device[1] = sweep_send(ctx, pointers, (size_t)count * sizeof *pointers);
    free(pointers);
  }
  repeat_sizes(ctx, x, 2, x->ms, times);
  repeat_sizes(ctx, x, 3, x->ns, times);
  repeat_sizes(ctx, x, 4, x->lds, times);
  if (x->view.ms) x->view.ms = x->device[2];
  if (x->view.ns) x->view.ns = x->device[3];
  if (x->view.lds) x->view.lds = x->device[4];
  x->view.count = count;
}

void sweep_widen_ints(batched_ctx *ctx, sweep_ints *x, int64_t count)
{
  if (x->each == 0 || x->matrices == 0) return;
  const int64_t times = (count + x->matrices - 1) / x->matrices;
  sweep_release(ctx, x->device);
  x->device = send_repeated(ctx, x->image, (size_t)(x->matrices * x->each) * sizeof(int), times);
  x->matrices = count;
}

void sweep_destroy(batched_ctx *ctx, sweep_batch *x)
{
  for (int i = 0; i < 5; i++) sweep_release(ctx, x->device[i]);
  free(x->image);
  free(x->offset);
  free(x->ms);
  free(x->ns);
  free(x->lds);
}

void *sweep_read(batched_ctx *ctx, const sweep_batch *x)
{
  return sweep_fetch(ctx, x->device[0], x->bytes);
}

sweep_ints sweep_create_extent(batched_ctx *ctx, const sweep_family *f, const sweep_case *c, int which, int64_t first)
{
  sweep_ints x = {0};
  if (c->layout != SWEEP_VARIABLE || which >= f->nextents) return x;
  x.each = 1;
  x.matrices = c->count;
  x.image = calloc((size_t)c->count + 1, sizeof(int));
  for (int64_t b = 0; b < c->count; b++) {
    const sweep_case one = sweep_matrix(c, first + b);
    int all[SWEEP_MAX_EXTENTS] = {0};
    f->extents(&one, all);
    x.image[b] = all[which];
  }
  x.device = sweep_send(ctx, x.image, (size_t)c->count * sizeof(int));
  return x;
}

sweep_ints sweep_create_pivots(batched_ctx *ctx, const sweep_family *f, const sweep_case *c, int64_t first)
{
  sweep_ints x = {0};
  if (!f->pivots) return x;
  sweep_operand operands[SWEEP_MAX_OPERANDS] = {0};
  f->operands(c, operands);
  const bool shared = f->fill_pivots && is_shared(c, &operands[0]) && c->count > 0;
  x.each = f->pivots(c);
  x.matrices = shared ? 1 : c->count;
  const size_t bytes = (size_t)x.matrices * (size_t)x.each * sizeof(int);
  x.image = malloc(bytes + 1);
  memset(x.image, 0x55, bytes);
  for (int64_t b = 0; f->fill_pivots && b < x.matrices; b++) {
    sweep_case one = sweep_matrix(c, shared ? 0 : first + b);
    sweep_seed(seed_of(shared ? 0 : first + b, 0));
    f->fill_pivots(&one, x.image + b * x.each);
    sweep_free_temporaries();
  }
  x.device = sweep_send(ctx, sweep.uninitialised && !f->fill_pivots ? NULL : x.image, bytes);
  return x;
}

void sweep_destroy_ints(batched_ctx *ctx, sweep_ints *x)
{
  sweep_release(ctx, x->device);
  free(x->image);
}

int *sweep_read_ints(batched_ctx *ctx, const sweep_ints *x)
{
  return sweep_fetch(ctx, x->device, (size_t)x->matrices * (size_t)x->each * sizeof(int));
}

/* Columns of a matrix of a batch. */
typedef struct loaded {
  const sweep_batch *x;
  const void *image;
  int64_t b;
  sweep_dense to;
} loaded;

static void load_columns(int first, int last, void *data)
{
  const loaded *const l = data;
  for (int j = first; j < last; j++)
    for (int i = 0; i < l->to.m; i++)
      SWEEP_AT(l->to, i, j) = load(l->x->view.type, l->image, l->x->offset[l->b] + i + (int64_t)j * l->x->lds[l->b]);
}

sweep_dense sweep_dense_of(const sweep_batch *x, const void *image, int64_t b)
{
  loaded l = {x, image, b, sweep_new(x->ms[b], x->ns[b])};
  sweep_share(l.to.n, 10.0 * l.to.m * l.to.n, load_columns, &l);
  return l.to;
}

bool sweep_poison_kept(const sweep_family *f, const sweep_case *c, int operand, const sweep_batch *x, const void *image)
{
  const size_t size = batched_element_bytes(x->view.type);
  char poison[16], *inside = calloc(x->bytes / size + 1, 1);
  store(x->view.type, poison, 0, SWEEP_POISON);
  for (int64_t b = 0; b < x->view.count && (x->operand.role == SWEEP_OUT || f->fills); b++) {
    const sweep_case one = sweep_matrix(c, b);
    for (int j = 0; j < x->ns[b]; j++)
      for (int i = 0; i < x->ms[b]; i++)
        inside[x->offset[b] + i + (int64_t)j * x->lds[b]] = f->fills ? f->fills(&one, operand, i, j) : 1;
  }
  bool kept = true;
  for (size_t at = 0; at < x->bytes / size; at++) {
    const char *old = (const char *)x->image + at * size, *now = (const char *)image + at * size;
    const bool was_poison = memcmp(old, poison, size) == 0;
    if ((x->operand.role == SWEEP_IN || (was_poison && !inside[at])) && memcmp(old, now, size) != 0) kept = false;
  }
  free(inside);
  return kept;
}
