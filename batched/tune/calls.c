/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations that batched-tune measures: operands and call of each, and the shapes worth measuring.
 */
#include "problem.h"

static const batched_scalar one = {1, 0}, zero = {0, 0};

static void gemm_operands(tune_shape s, tune_operand *x)
{
  x[0] = s.transposed ? (tune_operand){.m = s.k, .n = s.m} : (tune_operand){.m = s.m, .n = s.k};
  x[1] = (tune_operand){.m = s.k, .n = s.n};
  x[2] = (tune_operand){.m = s.m, .n = s.n, .changed = true};
}

static int gemm(tune_problem *p, const batched_matrix *x)
{
  const batched_trans transa = p->shape.transposed ? BATCHED_TRANS : BATCHED_NO_TRANS;
  return batched_gemm(p->ctx, transa, BATCHED_NO_TRANS, one, x[0], x[1], zero, x[2]);
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
  {&batched_gemm_op, TUNE_PRODUCT, 3, gemm_operands, gemm},
  {&batched_syrk_op, TUNE_PRODUCT, 2, syrk_operands, syrk},
  {&batched_gemv_op, TUNE_SQUARE, 3, gemv_operands, gemv},
  {&batched_potrf_op, TUNE_SQUARE, 1, factor_operands, potrf},
  {&batched_potri_op, TUNE_SQUARE, 1, factor_operands, potri},
  {&batched_trtri_op, TUNE_SQUARE, 1, factor_operands, trtri},
  {&batched_getrf_op, TUNE_TALL, 1, factor_operands, getrf},
  {&batched_getri_op, TUNE_SQUARE, 1, factor_operands, getri},
  {&batched_geqrf_op, TUNE_TALL, 2, qr_operands, geqrf},
  {&batched_trsm_op, TUNE_SOLVE, 2, solve_operands, trsm},
  {&batched_trmm_op, TUNE_SOLVE, 2, solve_operands, trmm},
  {&batched_potrs_op, TUNE_SOLVE, 2, solve_operands, potrs},
  {&batched_getrs_op, TUNE_SOLVE, 2, solve_operands, getrs},
  {&batched_posv_op, TUNE_SOLVE, 2, factor_and_solve_operands, posv},
  {&batched_gesv_op, TUNE_SOLVE, 2, factor_and_solve_operands, gesv},
  {&batched_trsv_op, TUNE_SQUARE, 2, trsv_operands, trsv},
};

const tune_call *tune_call_of(const batched_op *op)
{
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (calls[i].op == op) return &calls[i];
  return NULL;
}

/* Products of finite elements F = A B^T (zones of orders 2 to 4 in 3D), and tall panels. */
static const tune_shape products[] = {{81, 8, 64}, {192, 27, 216}, {375, 64, 512}};
static const tune_shape panels[] = {{64, 16, 16}, {128, 32, 32}, {512, 32, 32}, {1024, 64, 64}};

int tune_shapes(const batched_op *op, const int *orders, int norders, tune_shape *out, int most)
{
  const tune_call *call = tune_call_of(op);
  int n = 0;
  for (int i = 0; i < norders; i++) {
    const int order = orders[i];
    if (n < most) out[n++] = (tune_shape){order, order, order};
    if (call->kind != TUNE_SOLVE) continue;
    if (n < most && order > 1) out[n++] = (tune_shape){order, 1, order};
    if (n < most && order > 16) out[n++] = (tune_shape){order, 10, order};
  }
  for (int i = 0; i < 3 && call->kind == TUNE_PRODUCT && n < most; i++) out[n++] = products[i];
  for (int i = 0; i < 4 && call->kind == TUNE_TALL && n < most; i++) out[n++] = panels[i];
  return n;
}

int64_t tune_count(const batched_op *op, batched_type type, tune_shape shape, size_t bytes)
{
  const tune_call *call = tune_call_of(op);
  tune_operand x[TUNE_MAX_OPERANDS] = {{0}};
  size_t each = 1;
  call->operands(shape, x);
  for (int i = 0; i < call->noperands; i++) each += (size_t)x[i].m * (size_t)x[i].n * batched_element_bytes(type);
  const int64_t count = (int64_t)(bytes / each);
  return count < 264 ? 264 : count > 100000 ? 100000 : count;
}
