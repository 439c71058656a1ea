/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations that can be measured: operands and call of each, and the shapes worth measuring.
 */
#include "batched/tuning/tune/problem.h"
#include "batched/operations.h"

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

static batched_trans trans_of(const tune_problem *p)
{
  return p->shape.transposed ? BATCHED_TRANS : BATCHED_NO_TRANS;
}

static batched_uplo uplo_of(const tune_problem *p)
{
  return p->shape.upper ? BATCHED_UPPER : BATCHED_LOWER;
}

static void gemv_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.n};
  x[1] = (tune_operand){.m = s.transposed ? s.m : s.n, .n = 1};
  x[2] = (tune_operand){.m = s.transposed ? s.n : s.m, .n = 1, .changed = true};
}

static int gemv(tune_problem *p, const batched_matrix *x)
{
  return batched_gemv(p->ctx, trans_of(p), one, x[0], x[1], zero, x[2]);
}

static void symv_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.m};
  x[1] = (tune_operand){.m = s.m, .n = 1};
  x[2] = (tune_operand){.m = s.m, .n = 1, .changed = true};
}

static int symv(tune_problem *p, const batched_matrix *x)
{
  return batched_symv(p->ctx, uplo_of(p), one, x[0], x[1], zero, x[2]);
}

static void definite(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.m, .changed = true, .dominant = true};
}

static int potrf(tune_problem *p, const batched_matrix *x)
{
  return batched_potrf(p->ctx, uplo_of(p), x[0], p->info);
}

static int potri(tune_problem *p, const batched_matrix *x)
{
  return batched_potri(p->ctx, uplo_of(p), x[0], p->info);
}

static void solve_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.m, .dominant = true};
  x[1] = (tune_operand){.m = s.m, .n = s.n, .changed = true};
}

static int potrs(tune_problem *p, const batched_matrix *x)
{
  return batched_potrs(p->ctx, uplo_of(p), x[0], x[1]);
}

static void system_operands(tune_shape s, tune_operand *x)
{
  solve_operands(s, x);
  x[0].changed = true;
}

static int posv(tune_problem *p, const batched_matrix *x)
{
  return batched_posv(p->ctx, uplo_of(p), x[0], x[1], p->info);
}

static int gesv(tune_problem *p, const batched_matrix *x)
{
  return batched_gesv(p->ctx, x[0], p->pivots, x[1], p->info);
}

static void syrk_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.m};
  x[1] = (tune_operand){.m = s.m, .n = s.m, .changed = true};
}

static int syrk(tune_problem *p, const batched_matrix *x)
{
  return batched_syrk(p->ctx, uplo_of(p), BATCHED_NO_TRANS, one, x[0], zero, x[1]);
}

static int trmm(tune_problem *p, const batched_matrix *x)
{
  return batched_trmm(p->ctx, BATCHED_LEFT, uplo_of(p), trans_of(p), BATCHED_NON_UNIT, one, x[0], x[1]);
}

static int trsm(tune_problem *p, const batched_matrix *x)
{
  return batched_trsm(p->ctx, BATCHED_LEFT, uplo_of(p), trans_of(p), BATCHED_NON_UNIT, one, x[0], x[1]);
}

static void trsv_operands(tune_shape s, tune_operand *x)
{
  solve_operands(s, x);
  x[1].n = 1;
}

static int trsv(tune_problem *p, const batched_matrix *x)
{
  return batched_trsv(p->ctx, uplo_of(p), trans_of(p), BATCHED_NON_UNIT, x[0], x[1]);
}

static int trmv(tune_problem *p, const batched_matrix *x)
{
  return batched_trmv(p->ctx, uplo_of(p), trans_of(p), BATCHED_NON_UNIT, x[0], x[1]);
}

static void general(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.n, .changed = true};
}

static int getrf(tune_problem *p, const batched_matrix *x)
{
  return batched_getrf(p->ctx, x[0], p->pivots, p->info);
}

static void geqrf_operands(tune_shape s, tune_operand *x)
{
  general(s, x);
  x[1] = (tune_operand){.m = s.m < s.n ? s.m : s.n, .n = 1, .changed = true};
}

static int geqrf(tune_problem *p, const batched_matrix *x)
{
  return batched_geqrf(p->ctx, x[0], x[1]);
}

static void heev_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.m, .changed = true, .free = true};
  x[1] = (tune_operand){.m = s.m, .n = 1, .changed = true, .real = true};
}

static int heev(tune_problem *p, const batched_matrix *x)
{
  return batched_heev(p->ctx, BATCHED_VECTORS, BATCHED_LOWER, x[0], x[1], p->info);
}

static void gesvd_operands(tune_shape s, tune_operand *x)
{
  const int k = s.m < s.n ? s.m : s.n;
  x[0] = (tune_operand){.m = s.m, .n = s.n};
  x[1] = (tune_operand){.m = k, .n = 1, .changed = true, .real = true};
  x[2] = (tune_operand){.m = s.m, .n = k, .changed = true, .free = true};
  x[3] = (tune_operand){.m = k, .n = s.n, .changed = true, .free = true};
}

static int gesvd(tune_problem *p, const batched_matrix *x)
{
  return batched_gesvd(p->ctx, BATCHED_VECTORS, x[0], x[1], x[2], x[3], p->info);
}

static void hetrd_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.m, .changed = true, .free = true};
  x[1] = (tune_operand){.m = s.m, .n = 1, .changed = true, .real = true};
  x[2] = (tune_operand){.m = s.m - 1, .n = 1, .changed = true, .real = true};
  x[3] = (tune_operand){.m = s.m - 1, .n = 1, .changed = true, .free = true};
}

static int hetrd(tune_problem *p, const batched_matrix *x)
{
  return batched_hetrd(p->ctx, BATCHED_LOWER, x[0], x[1], x[2], x[3]);
}

static void gebrd_operands(tune_shape s, tune_operand *x)
{
  const int k = s.m < s.n ? s.m : s.n;
  x[0] = (tune_operand){.m = s.m, .n = s.n, .changed = true, .free = true};
  x[1] = (tune_operand){.m = k, .n = 1, .changed = true, .real = true};
  x[2] = (tune_operand){.m = k - 1, .n = 1, .changed = true, .real = true};
  x[3] = x[4] = (tune_operand){.m = k, .n = 1, .changed = true, .free = true};
}

static int gebrd(tune_problem *p, const batched_matrix *x)
{
  return batched_gebrd(p->ctx, x[0], x[1], x[2], x[3], x[4]);
}

static void gehrd_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.m, .n = s.m, .changed = true};
  x[1] = (tune_operand){.m = s.m - 1, .n = 1, .changed = true};
}

static int gehrd(tune_problem *p, const batched_matrix *x)
{
  return batched_gehrd(p->ctx, 0, 0, x[0], x[1]);
}

static void gbsv_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = 3 * s.k + 1, .n = s.m, .changed = true, .free = true}; /* fill-in need not be cleared */
  x[1] = (tune_operand){.m = s.m, .n = s.n, .changed = true};
}

static int gbsv(tune_problem *p, const batched_matrix *x)
{
  return batched_gbsv(p->ctx, p->shape.k, p->shape.k, x[0], p->pivots, x[1], p->info);
}

static void gbtrf_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = 3 * s.k + 1, .n = s.m, .changed = true};
}

static int gbtrf(tune_problem *p, const batched_matrix *x)
{
  return batched_gbtrf(p->ctx, p->shape.m, p->shape.k, p->shape.k, x[0], p->pivots, p->info);
}

static void pbtrf_operands(tune_shape s, tune_operand *x)
{
  x[0] = (tune_operand){.m = s.k + 1, .n = s.m, .changed = true, .dominant = true};
}

static int pbtrf(tune_problem *p, const batched_matrix *x)
{
  return batched_pbtrf(p->ctx, BATCHED_LOWER, p->shape.k, x[0], p->info);
}

static const tune_call calls[] = {
  {&batched_gemm_op, 3, gemm_operands, gemm, .oblong = true},
  {&batched_gemv_op, 3, gemv_operands, gemv, .oblong = true, .transposition = true},
  {&batched_symv_op, 3, symv_operands, symv},
  {&batched_potrf_op, 1, definite, potrf, .triangle = true},
  {&batched_potri_op, 1, definite, potri},
  {&batched_potrs_op, 2, solve_operands, potrs, .rhs = true},
  {&batched_trsm_op, 2, solve_operands, trsm, .rhs = true},
  {&batched_trsv_op, 2, trsv_operands, trsv},
  {&batched_syrk_op, 2, syrk_operands, syrk},
  {&batched_trmm_op, 2, solve_operands, trmm, .rhs = true},
  {&batched_trmv_op, 2, trsv_operands, trmv},
  {&batched_posv_op, 2, system_operands, posv, .rhs = true},
  {&batched_gesv_op, 2, system_operands, gesv, .rhs = true},
  {&batched_getrf_op, 1, general, getrf, .oblong = true},
  {&batched_geqrf_op, 2, geqrf_operands, geqrf, .oblong = true},
  {&batched_heev_op, 2, heev_operands, heev},
  {&batched_gesvd_op, 4, gesvd_operands, gesvd, .oblong = true},
  {&batched_hetrd_op, 4, hetrd_operands, hetrd, .unstable = true},
  {&batched_gebrd_op, 5, gebrd_operands, gebrd, .oblong = true, .unstable = true},
  {&batched_gehrd_op, 2, gehrd_operands, gehrd, .unstable = true},
  {&batched_gbtrf_op, 1, gbtrf_operands, gbtrf, .band = true},
  {&batched_gbsv_op, 2, gbsv_operands, gbsv, .band = true},
  {&batched_pbtrf_op, 1, pbtrf_operands, pbtrf, .band = true},
};

const tune_call *tune_call_at(int i)
{
  return i >= 0 && i < (int)(sizeof calls / sizeof *calls) ? &calls[i] : NULL;
}

const tune_call *tune_call_of(const batched_op *op)
{
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (calls[i].op == op) return &calls[i];
  return NULL;
}

/* Products of finite elements F = A B^T (zones of orders 2 to 4 in 3D), and those of low rank: of thin factors
 * into a tile, of a tile with a factor, and of two factors. */
static const tune_shape products[] = {{81, 8, 64, false},      {192, 27, 216, false},   {375, 64, 512, false},
                                      {256, 256, 16, false},   {256, 256, 32, false},   {1024, 1024, 8, false},
                                      {1024, 1024, 16, false}, {1024, 1024, 32, false}, {1024, 24, 1024, false},
                                      {1024, 40, 1024, false}, {32, 32, 1024, false}};

int tune_shapes(const int *orders, int norders, tune_shape *out, int most)
{
  int n = 0;
  for (int i = 0; i < norders && n < most; i++) out[n++] = (tune_shape){orders[i], orders[i], orders[i], false};
  for (size_t i = 0; i < sizeof products / sizeof *products && n < most; i++) out[n++] = products[i];
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
