/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tuning/tune/problem.h"

#include <math.h>
#include <stdlib.h>

enum { RUNS = 15 };

/* In (-1, 1); Steele, Lea and Flood's splitmix64. */
static double uniform(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static double load(batched_type type, const void *x, size_t i)
{
  return batched_real_type(type) == BATCHED_S ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void store(batched_type type, void *x, size_t i, double v)
{
  if (batched_real_type(type) == BATCHED_S)
    ((float *)x)[i] = (float)v;
  else
    ((double *)x)[i] = v;
}

static batched_type type_of(const tune_problem *p, const tune_operand *x)
{
  return x->real ? batched_real_type(p->type) : p->type;
}

static size_t parts_of(const tune_problem *p, const tune_operand *x)
{
  return batched_is_complex(type_of(p, x)) ? 2 : 1;
}

static size_t bytes_of(const tune_problem *p, const tune_operand *x)
{
  return (size_t)x->m * (size_t)x->n * batched_element_bytes(type_of(p, x));
}

/* The different matrices. */
static void fill(const tune_problem *p, int operand, void *data)
{
  const tune_operand *x = &p->x[operand];
  const size_t parts = parts_of(p, x), numbers = (size_t)x->m * (size_t)x->n * parts;
  uint64_t state = 1 + (uint64_t)operand;
  for (size_t i = 0; i < TUNE_DISTINCT * numbers; i++) store(p->type, data, i, uniform(&state));
  for (size_t i = 0; x->dominant && i < TUNE_DISTINCT * (size_t)x->n; i++) {
    const size_t step = (size_t)x->m + (x->m == x->n);
    const size_t at = (i / (size_t)x->n * numbers) + i % (size_t)x->n * step * parts;
    store(p->type, data, at, 2.0 * x->m);
    if (parts == 2) store(p->type, data, at + 1, 0);
  }
}

static int send_repeated(batched_ctx *ctx, void *to, const void *from, size_t bytes, size_t total)
{
  int status = batched_copy_from_host(ctx, to, from, bytes < total ? bytes : total);
  for (size_t done = bytes; !status && done < total; done *= 2)
    status = batched_copy_within(ctx, (char *)to + done, to, done < total - done ? done : total - done);
  return status;
}

static int open_operand(tune_problem *p, int operand)
{
  tune_operand *x = &p->x[operand];
  const size_t one_bytes = bytes_of(p, x);
  x->bytes = (size_t)p->count * one_bytes;
  x->data = batched_allocate(p->ctx, x->bytes + 1); // a vector may have length 0
  if (x->changed) x->fresh = batched_allocate(p->ctx, x->bytes + 1);
  void *few = malloc(TUNE_DISTINCT * one_bytes + 1);
  int status = few && x->data && (x->fresh || !x->changed) ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  if (!status) {
    fill(p, operand, few);
    status = send_repeated(p->ctx, x->changed ? x->fresh : x->data, few, TUNE_DISTINCT * one_bytes, x->bytes);
  }
  free(few);
  return status;
}

int tune_open(tune_problem *p, batched_ctx *ctx, const batched_op *op, batched_type type, tune_shape shape,
              int64_t count)
{
  *p = (tune_problem){.ctx = ctx, .call = tune_call_of(op), .type = type, .shape = shape, .count = count};
  p->noperands = p->call->noperands;
  p->call->operands(shape, p->x);
  int status = BATCHED_SUCCESS;
  for (int i = 0; !status && i < p->noperands; i++) status = open_operand(p, i);
  const size_t each = (size_t)(shape.m > shape.n ? shape.m : shape.n) + 1; // pivots and info
  p->info = batched_allocate(ctx, (size_t)count * each * sizeof(int));
  p->pivots = p->info ? p->info + count : NULL;
  return status || p->info ? status : BATCHED_NO_MEMORY;
}

void tune_close(tune_problem *p)
{
  for (int i = 0; i < p->noperands; i++) {
    batched_release(p->ctx, p->x[i].data);
    batched_release(p->ctx, p->x[i].fresh);
  }
  batched_release(p->ctx, p->info);
}

int tune_restore(tune_problem *p)
{
  int status = BATCHED_SUCCESS;
  for (int i = 0; i < p->noperands && !status; i++)
    if (p->x[i].changed) status = batched_copy_within(p->ctx, p->x[i].data, p->x[i].fresh, p->x[i].bytes);
  return status;
}

int tune_run(tune_problem *p)
{
  batched_matrix x[TUNE_MAX_OPERANDS];
  for (int i = 0; i < p->noperands; i++) {
    const tune_operand *o = &p->x[i];
    x[i] =
      batched_make_strided(type_of(p, o), o->data, o->m, o->n, o->m > 0 ? o->m : 1, (int64_t)o->m * o->n, p->count);
  }
  return p->call->run(p, x);
}

/* By the host's clock, as the batches are large; the shortest, as others may use the GPU now and then. */
double tune_seconds(tune_problem *p)
{
  double best = INFINITY;
  for (int run = 0; run < RUNS; run++) {
    if (tune_restore(p) || batched_synchronize(p->ctx)) return INFINITY;
    const double begin = batched_seconds();
    if (tune_run(p) || batched_synchronize(p->ctx)) return INFINITY;
    best = fmin(best, batched_seconds() - begin);
  }
  return best;
}

/* Compares one matrix with the host's result. */
static double difference_of(const tune_problem *p, const void *mine, const void *theirs, size_t numbers)
{
  const double eps = batched_real_type(p->type) == BATCHED_S ? 0x1p-24 : 0x1p-53;
  double largest = 0, worst = 0;
  for (size_t i = 0; i < numbers; i++) {
    const double right = load(p->type, theirs, i), d = fabs(load(p->type, mine, i) - right);
    if (!(d <= INFINITY)) return INFINITY;
    largest = fmax(largest, fabs(right));
    worst = fmax(worst, d);
  }
  const int order = p->shape.m > p->shape.k ? p->shape.m : p->shape.k;
  return worst == 0 ? 0 : worst / (order * eps * largest);
}

double tune_tolerance(const tune_problem *p)
{
  return p->call->unstable ? 1e4 : 100;
}

double tune_difference(const tune_problem *p, const tune_problem *host)
{
  double worst = 0;
  for (int i = 0; i < p->noperands; i++) {
    const tune_operand *x = &p->x[i];
    const size_t numbers = (size_t)x->m * (size_t)x->n * parts_of(p, x), bytes = bytes_of(p, x);
    void *mine = malloc(bytes);
    if (!mine) return INFINITY;
    for (int64_t j = 0; x->changed && !x->free && j < 2 * TUNE_DISTINCT; j++) {
      const int64_t b = j < TUNE_DISTINCT ? j : p->count - 2 * TUNE_DISTINCT + j;
      if (batched_copy_to_host(p->ctx, mine, (char *)x->data + (size_t)b * bytes, bytes)) worst = INFINITY;
      const void *theirs = (char *)host->x[i].data + (size_t)(b % TUNE_DISTINCT) * bytes;
      worst = fmax(worst, difference_of(p, mine, theirs, numbers));
    }
    free(mine);
  }
  return worst;
}
