/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the choice of a row can depend on, from the arguments of a call.
 */
#include "batched/operations.h"
#include "batched/tuning/choice.h"

static void potrf(const void *args, batched_shape *s)
{
  s->lower = ((const batched_potrf_args *)args)->uplo == BATCHED_LOWER;
}

static void symv(const void *args, batched_shape *s)
{
  s->lower = ((const batched_symv_args *)args)->uplo == BATCHED_LOWER;
}

static void gemv(const void *args, batched_shape *s)
{
  s->transposed = ((const batched_gemv_args *)args)->trans != BATCHED_NO_TRANS;
}

static void gemm(const void *args, batched_shape *s)
{
  const batched_gemm_args *g = args;
  s->m = g->c.m;
  s->n = g->c.n;
  s->k = g->transa == BATCHED_NO_TRANS ? g->a.n : g->a.m;
  s->transposed = g->transa != BATCHED_NO_TRANS;
  s->odd = g->a.ld % 2 == 1 && g->b.ld % 2 == 1;
}

static void syrk(const void *args, batched_shape *s)
{
  const batched_syrk_args *p = args;
  s->m = s->n = p->c.n;
  s->k = p->trans == BATCHED_NO_TRANS ? p->a.n : p->a.m;
  s->lower = p->uplo == BATCHED_LOWER;
  s->transposed = p->trans != BATCHED_NO_TRANS;
}

static void syr2k(const void *args, batched_shape *s)
{
  const batched_syr2k_args *p = args;
  s->m = s->n = p->c.n;
  s->k = p->trans == BATCHED_NO_TRANS ? p->a.n : p->a.m;
  s->lower = p->uplo == BATCHED_LOWER;
}

static void heev(const void *args, batched_shape *s)
{
  s->vectors = ((const batched_heev_args *)args)->job != BATCHED_VALUES;
}

static void gesvd(const void *args, batched_shape *s)
{
  s->vectors = ((const batched_gesvd_args *)args)->job != BATCHED_VALUES;
}

/* Sizes of the band: its first operand is d, a column or a row. */
static void hb2st(const void *args, batched_shape *s)
{
  s->m = s->n = ((const batched_hb2st_args *)args)->ab.n;
}

static void gb2bd(const void *args, batched_shape *s)
{
  s->m = s->n = ((const batched_gb2bd_args *)args)->ab.n;
}

/* Its first operand is d, too. */
static void stedc(const void *args, batched_shape *s)
{
  s->m = s->n = batched_vector_bound(&((const batched_stedc_args *)args)->d);
}

static void bdsdc(const void *args, batched_shape *s)
{
  s->m = s->n = batched_vector_bound(&((const batched_bdsdc_args *)args)->d);
}

/* Operations of which the sizes of the first two matrices do not say enough. */
static const struct {
  const batched_op *op;
  void (*complete)(const void *args, batched_shape *s);
} special[] = {{&batched_potrf_op, potrf}, {&batched_symv_op, symv},   {&batched_gemv_op, gemv},
               {&batched_gemm_op, gemm},   {&batched_syrk_op, syrk},   {&batched_syr2k_op, syr2k},
               {&batched_heev_op, heev},   {&batched_gesvd_op, gesvd}, {&batched_hb2st_op, hb2st},
               {&batched_gb2bd_op, gb2bd}, {&batched_stedc_op, stedc}, {&batched_bdsdc_op, bdsdc}};

static const batched_matrix *operand(const batched_op *op, const void *args, int i)
{
  return (const batched_matrix *)((const char *)args + op->operands.matrices[i]);
}

static int bound_of(const batched_op *op, const void *args, int i)
{
  return ((const batched_extent *)((const char *)args + op->operands.extents[i]))->bound;
}

batched_shape batched_shape_of(const batched_op *op, const void *args)
{
  batched_shape s = {0};
  if (op->operands.nmatrices > 0) {
    const batched_matrix *a = operand(op, args, 0);
    s = (batched_shape){.type = a->type, .count = a->count, .m = a->m, .n = a->n, .variable = batched_is_variable(a)};
  }
  const int nextents = op->operands.nextents; /* kd; kl, ku; m, kl, ku */
  if (nextents > 0) s.k = bound_of(op, args, (nextents - 1) / 2);
  if (nextents > 1) s.ku = bound_of(op, args, nextents - 1);
  if (op->operands.nmatrices > 1) s.rhs = operand(op, args, 1)->n;
  for (size_t i = 0; i < sizeof special / sizeof *special; i++)
    if (special[i].op == op) special[i].complete(args, &s);
  return s;
}
