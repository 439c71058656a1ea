/* SPDX-License-Identifier: BSD-3-Clause */
#include "problem.h"

#include <math.h>
#include <stdlib.h>

/* Operands of a shape, and the call.  Orders m, n, k: of gemm's product; of m x n factored; m of a system, n right-hand
 * sides. */
typedef struct tune_call {
  const batched_op *op;
  enum { PRODUCT, SQUARE, SOLVE, TALL } shapes;
  int noperands;
  void (*operands)(tune_shape s, tune_operand *x);
  int (*run)(tune_problem *p, const batched_matrix *x);
} tune_call;

static const batched_scalar one = {1, 0}, zero = {0, 0};

static void gemm_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.k};
  x[1] = (tune_operand){.m = s.k, .n = s.n};
  x[2] = (tune_operand){.m = s.m, .n = s.n, .changed = true};
}

static int gemm(tune_problem *p, const batched_matrix *x)
{
  return batched_gemm(p->ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, x[0], x[1], zero, x[2]);
}

static void syrk_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.k};
  x[1] = (tune_operand){.m = s.m, .n = s.m, .changed = true};
}

static int syrk(tune_problem *p, const batched_matrix *x)
{
  return batched_syrk(p->ctx, BATCHED_LOWER, BATCHED_NO_TRANS, one, x[0], one, x[1]);
}

static void gemv_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.m};
  x[1] = (tune_operand){.m = s.m, .n = 1};
  x[2] = (tune_operand){.m = s.m, .n = 1, .changed = true};
}

static int gemv(tune_problem *p, const batched_matrix *x)
{
  return batched_gemv(p->ctx, BATCHED_NO_TRANS, one, x[0], x[1], one, x[2]);
}

static void factor_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.n, .changed = true};
}

static int potrf(tune_problem *p, const batched_matrix *x)
{
  return batched_potrf(p->ctx, BATCHED_LOWER, x[0], p->info);
}

static int potri(tune_problem *p, const batched_matrix *x)
{
  return batched_potri(p->ctx, BATCHED_LOWER, x[0], p->info);
}

static int trtri(tune_problem *p, const batched_matrix *x)
{
  return batched_trtri(p->ctx, BATCHED_LOWER, BATCHED_NON_UNIT, x[0], p->info);
}

static int getrf(tune_problem *p, const batched_matrix *x)
{
  return batched_getrf(p->ctx, x[0], p->ipiv, p->info);
}

static int getri(tune_problem *p, const batched_matrix *x)
{
  return batched_getri(p->ctx, x[0], p->ipiv, p->info);
}

static void qr_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.n, .changed = true};
  x[1] = (tune_operand){.m = s.m < s.n ? s.m : s.n, .n = 1, .changed = true};
}

static int geqrf(tune_problem *p, const batched_matrix *x)
{
  return batched_geqrf(p->ctx, x[0], x[1]);
}

static void solve_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.m};
  x[1] = (tune_operand){.m = s.m, .n = s.n, .changed = true};
}

static void factor_and_solve_operands(tune_shape s, tune_operand *x)
{
  solve_operands(s, x);
  x[0].changed = true;
}

static int trsm(tune_problem *p, const batched_matrix *x)
{
  return batched_trsm(p->ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, one, x[0], x[1]);
}

static int trmm(tune_problem *p, const batched_matrix *x)
{
  return batched_trmm(p->ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, one, x[0], x[1]);
}

static int potrs(tune_problem *p, const batched_matrix *x)
{
  return batched_potrs(p->ctx, BATCHED_LOWER, x[0], x[1]);
}

static int getrs(tune_problem *p, const batched_matrix *x)
{
  return batched_getrs(p->ctx, BATCHED_NO_TRANS, x[0], p->ipiv, x[1]);
}

static int posv(tune_problem *p, const batched_matrix *x)
{
  return batched_posv(p->ctx, BATCHED_LOWER, x[0], x[1], p->info);
}

static int gesv(tune_problem *p, const batched_matrix *x)
{
  return batched_gesv(p->ctx, x[0], p->ipiv, x[1], p->info);
}

static void trsv_operands(tune_shape s, tune_operand *x)
{
  s.n = 1;
  solve_operands(s, x);
}

static int trsv(tune_problem *p, const batched_matrix *x)
{
  return batched_trsv(p->ctx, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, x[0], x[1]);
}

static const tune_call calls[] = {
  {&batched_gemm_op, PRODUCT, 3, gemm_operands, gemm},
  {&batched_syrk_op, PRODUCT, 2, syrk_operands, syrk},
  {&batched_gemv_op, SQUARE, 3, gemv_operands, gemv},
  {&batched_potrf_op, SQUARE, 1, factor_operands, potrf},
  {&batched_potri_op, SQUARE, 1, factor_operands, potri},
  {&batched_trtri_op, SQUARE, 1, factor_operands, trtri},
  {&batched_getrf_op, TALL, 1, factor_operands, getrf},
  {&batched_getri_op, SQUARE, 1, factor_operands, getri},
  {&batched_geqrf_op, TALL, 2, qr_operands, geqrf},
  {&batched_trsm_op, SOLVE, 2, solve_operands, trsm},
  {&batched_trmm_op, SOLVE, 2, solve_operands, trmm},
  {&batched_potrs_op, SOLVE, 2, solve_operands, potrs},
  {&batched_getrs_op, SOLVE, 2, solve_operands, getrs},
  {&batched_posv_op, SOLVE, 2, factor_and_solve_operands, posv},
  {&batched_gesv_op, SOLVE, 2, factor_and_solve_operands, gesv},
  {&batched_trsv_op, SQUARE, 2, trsv_operands, trsv},
};

static const tune_call *call_of(const batched_op *op)
{
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (calls[i].op == op) return &calls[i];
  return NULL;
}

bool tune_knows(const batched_op *op)
{
  return call_of(op) != NULL;
}

/* Products of finite elements F = A B^T (zones of orders 2 to 4 in 3D), and tall panels. */
static const tune_shape products[] = {{81, 8, 64}, {192, 27, 216}, {375, 64, 512}};
static const tune_shape panels[] = {{64, 16, 16}, {128, 32, 32}, {512, 32, 32}, {1024, 64, 64}};

int tune_shapes(const batched_op *op, const int *orders, int norders, tune_shape *out, int most)
{
  const tune_call *call = call_of(op);
  int n = 0;
  for (int i = 0; i < norders; i++) {
    const int order = orders[i];
    if (n < most) out[n++] = (tune_shape){order, order, order};
    if (call->shapes != SOLVE) continue;
    if (n < most && order > 1) out[n++] = (tune_shape){order, 1, order};
    if (n < most && order > 16) out[n++] = (tune_shape){order, 10, order};
  }
  for (int i = 0; i < 3 && call->shapes == PRODUCT && n < most; i++) out[n++] = products[i];
  for (int i = 0; i < 4 && call->shapes == TALL && n < most; i++) out[n++] = panels[i];
  return n;
}

int64_t tune_count(const batched_op *op, batched_type type, tune_shape shape, size_t bytes)
{
  const tune_call *call = call_of(op);
  tune_operand x[TUNE_MAX_OPERANDS] = {{0}};
  size_t each = 1;
  call->operands(shape, x);
  for (int i = 0; i < call->noperands; i++) each += (size_t)x[i].m * (size_t)x[i].n * batched_element_bytes(type);
  const int64_t count = (int64_t)(bytes / each);
  return count < 264 ? 264 : count > 100000 ? 100000 : count;
}

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

/* The different matrices.  Where a matrix is inverted, or is a factor, it gets a heavy and real diagonal. */
static void fill(const tune_problem *p, int operand, void *data)
{
  const tune_operand *x = &p->x[operand];
  const bool heavy = operand == 0 && p->call->shapes != TALL && p->call->shapes != PRODUCT;
  const size_t parts = batched_is_complex(p->type) ? 2 : 1, m = (size_t)x->m, elements = m * (size_t)x->n;
  uint64_t state = 1 + (uint64_t)operand;
  for (size_t e = 0; e < TUNE_DISTINCT * elements; e++) {
    const bool diagonal = heavy && e % elements % m == e % elements / m;
    for (size_t part = 0; part < parts; part++)
      store(p->type, data, e * parts + part,
            diagonal ? (part ? 0 : 2.0 * x->m + 2 + uniform(&state)) : uniform(&state));
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
  const size_t one_bytes = (size_t)x->m * (size_t)x->n * batched_element_bytes(p->type);
  x->bytes = (size_t)p->count * one_bytes;
  x->data = batched_allocate(p->ctx, x->bytes);
  if (x->changed) x->fresh = batched_allocate(p->ctx, x->bytes);
  void *few = malloc(TUNE_DISTINCT * one_bytes);
  int status = few && x->data && (x->fresh || !x->changed) ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  if (!status) {
    fill(p, operand, few);
    status = send_repeated(p->ctx, x->changed ? x->fresh : x->data, few, TUNE_DISTINCT * one_bytes, x->bytes);
  }
  free(few);
  return status;
}

/* The identity: what a factor without exchanges has. */
static int open_pivots(tune_problem *p)
{
  const int each = p->shape.m < p->shape.n || p->call->shapes == SOLVE ? p->shape.m : p->shape.n;
  const size_t bytes = (size_t)p->count * (size_t)each * sizeof(int);
  int *few = malloc((size_t)each * sizeof(int));
  p->ipiv = batched_allocate(p->ctx, bytes);
  p->info = batched_allocate(p->ctx, (size_t)p->count * sizeof(int));
  int status = few && p->ipiv && p->info ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  for (int i = 0; !status && i < each; i++) few[i] = i + 1;
  if (!status) status = send_repeated(p->ctx, p->ipiv, few, (size_t)each * sizeof(int), bytes);
  free(few);
  return status;
}

int tune_open(tune_problem *p, batched_ctx *ctx, const batched_op *op, batched_type type, tune_shape shape,
              int64_t count)
{
  *p = (tune_problem){.ctx = ctx, .call = call_of(op), .type = type, .shape = shape, .count = count};
  p->noperands = p->call->noperands;
  p->call->operands(shape, p->x);
  int status = open_pivots(p);
  for (int i = 0; !status && i < p->noperands; i++) status = open_operand(p, i);
  return status;
}

void tune_close(tune_problem *p)
{
  for (int i = 0; i < p->noperands; i++) {
    batched_release(p->ctx, p->x[i].data);
    batched_release(p->ctx, p->x[i].fresh);
  }
  batched_release(p->ctx, p->ipiv);
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
    x[i] = batched_make_strided(p->type, o->data, o->m, o->n, o->m, (int64_t)o->m * o->n, p->count);
  }
  return p->call->run(p, x);
}

/* Of one matrix, of which the host has the result. */
static double difference_of(const tune_problem *p, const void *mine, const void *theirs, size_t numbers)
{
  const double eps = batched_real_type(p->type) == BATCHED_S ? 0x1p-24 : 0x1p-53;
  double largest = 0, worst = 0;
  for (size_t i = 0; i < numbers; i++) largest = fmax(largest, fabs(load(p->type, theirs, i)));
  for (size_t i = 0; i < numbers; i++) {
    const double d = fabs(load(p->type, mine, i) - load(p->type, theirs, i));
    if (!(d <= INFINITY)) return INFINITY;
    worst = fmax(worst, d);
  }
  const int order = p->shape.m > p->shape.k ? p->shape.m : p->shape.k;
  return worst == 0 ? 0 : worst / (order * eps * largest);
}

double tune_difference(const tune_problem *p, const tune_problem *host)
{
  double worst = 0;
  for (int i = 0; i < p->noperands; i++) {
    const tune_operand *x = &p->x[i];
    const size_t numbers = (size_t)x->m * (size_t)x->n * (batched_is_complex(p->type) ? 2 : 1);
    const size_t bytes = (size_t)x->m * (size_t)x->n * batched_element_bytes(p->type);
    void *mine = malloc(bytes);
    if (!mine) return INFINITY;
    for (int64_t j = 0; x->changed && j < 2 * TUNE_DISTINCT; j++) {
      const int64_t b = j < TUNE_DISTINCT ? j : p->count - 2 * TUNE_DISTINCT + j;
      if (batched_copy_to_host(p->ctx, mine, (char *)x->data + (size_t)b * bytes, bytes)) worst = INFINITY;
      const void *theirs = (char *)host->x[i].data + (size_t)(b % TUNE_DISTINCT) * bytes;
      worst = fmax(worst, difference_of(p, mine, theirs, numbers));
    }
    free(mine);
  }
  return worst;
}
