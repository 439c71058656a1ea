/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations that families belong to: operands and call of each, and the shapes worth measuring.
 */
#include "batched/tuning/tune/problem.h"
#include "batched/products/products.h"

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

static const tune_call calls[] = {
  {&batched_gemm_op, 3, gemm_operands, gemm},
};

const tune_call *tune_call_of(const batched_op *op)
{
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (calls[i].op == op) return &calls[i];
  return NULL;
}

/* Products of finite elements F = A B^T (zones of orders 2 to 4 in 3D). */
static const tune_shape products[] = {{81, 8, 64, false}, {192, 27, 216, false}, {375, 64, 512, false}};

int tune_shapes(const int *orders, int norders, tune_shape *out, int most)
{
  int n = 0;
  for (int i = 0; i < norders && n < most; i++) out[n++] = (tune_shape){orders[i], orders[i], orders[i], false};
  for (int i = 0; i < 3 && n < most; i++) out[n++] = products[i];
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
