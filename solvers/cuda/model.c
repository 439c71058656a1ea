/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of the model of a machine (batched/cuda/model.h).  Nothing is computed, so that conjugate gradients take the
 * iterations that they took in runs on hosts; messages and reductions are those of the rows that are named.
 *   cuda.model             one reduction an iteration, as cuda.fused; with zone inverses two
 *   cuda.model_chebyshev   none, but for the check at the end, as cuda.chebyshev
 *   cuda.model_ref         two, each behind what it needs, as host.ref
 */
#include "batched/cuda/model.h"
#include "mesh/comm/comm.h"
#include "solvers/solvers.h"
#include "solvers/tables.h"

/* Sedov's blast in 3D with Q2-Q1, 512 zones a rank, tolerance 1e-8: `iterations` over solves and components of
 * inputs/weak-scaling.yaml, with the diagonal and with zone inverses. */
enum { DIAGONAL, ZONE_INVERSE };
static const int cg_iterations[] = {22, 9}, chebyshev_iterations[] = {37, 11};

static const double STREAM = 0.8; // of the bandwidth, where a kernel streams

static int combine(batched_ctx *ctx, const void *args)
{
  batched_model_charge(ctx, &solver_combine_op, args);
  return BATCHED_SUCCESS;
}

static int checksum(batched_ctx *ctx, const void *args)
{
  batched_model_charge(ctx, &solver_checksum_op, args);
  return BATCHED_SUCCESS;
}

static int dot(batched_ctx *ctx, const void *p)
{
  const solver_dot_args *args = p;
  batched_model_charge(ctx, &solver_dot_op, args);
  *args->dot = 1.0;
  return batched_synchronize(ctx);
}

/* One pass over so many vectors. */
static void pass(batched_ctx *ctx, const solver_operator *a, double vectors)
{
  batched_model_enqueue(ctx, 8.0 * vectors * a->ncomp * (double)a->n, STREAM);
}

/* Dot products of a pass, n for each component, to the host and over all ranks, and back to the device. */
static int reduce(batched_ctx *ctx, const solver_operator *a, double vectors, int n)
{
  double sums[SOLVER_MAX_COMPONENTS * SOLVER_DOTS] = {0};
  pass(ctx, a, vectors);
  batched_model_enqueue(ctx, 0.0, 1.0);
  batched_model_enqueue_bus(ctx, (double)sizeof sums);
  const int status = batched_synchronize(ctx);
  comm_sum(sums, a->ncomp * n);
  batched_model_enqueue_bus(ctx, (double)sizeof sums);
  return status;
}

static void report(const solver_pcg_args *args, int iterations)
{
  for (int c = 0; c < args->matrix->ncomp; c++) {
    args->iterations[c] = iterations;
    args->converged[c] = true;
  }
}

static int multiply(batched_ctx *ctx, const solver_pcg_args *args)
{
  const solver_operator *a = args->matrix;
  return a->apply(ctx, a->data, args->work, args->work);
}

static int precondition(batched_ctx *ctx, const solver_pcg_args *args)
{
  const solver_operator *a = args->matrix;
  return a->precondition(ctx, a->data, args->work, args->work);
}

static int kind_of(const solver_pcg_args *args)
{
  return args->matrix->precondition ? ZONE_INVERSE : DIAGONAL;
}

/* As solvers/cuda/pcg_preconditioned.cu. */
static int run_preconditioned(batched_ctx *ctx, const solver_pcg_args *args)
{
  const solver_operator *a = args->matrix;
  const int iterations = cg_iterations[ZONE_INVERSE];
  int status = BATCHED_SUCCESS;
  pass(ctx, a, 1.0);
  pass(ctx, a, 2.0);
  for (int i = 0; i <= iterations && !status; i++) { // the last one sees that it is over
    status = precondition(ctx, args);
    if (!status) status = reduce(ctx, a, 2.0, 1);
    if (i == iterations) break;
    pass(ctx, a, 3.0);
    if (!status) status = multiply(ctx, args);
    if (!status) status = reduce(ctx, a, 2.0, 1);
    pass(ctx, a, 6.0);
  }
  report(args, iterations);
  return status;
}

static int run_fused(batched_ctx *ctx, const void *p)
{
  const solver_pcg_args *args = p;
  if (args->matrix->precondition) return run_preconditioned(ctx, args);
  const int iterations = cg_iterations[DIAGONAL];
  int status = BATCHED_SUCCESS;
  pass(ctx, args->matrix, 4.0);
  for (int i = 0; i < iterations && !status; i++) {
    status = multiply(ctx, args);
    if (!status) status = reduce(ctx, args->matrix, 3.0, SOLVER_DOTS);
    pass(ctx, args->matrix, 6.0);
  }
  report(args, iterations);
  return status;
}

/* Dot products of a rank, to the host. */
static int dots_of_rank(batched_ctx *ctx, const solver_operator *a)
{
  pass(ctx, a, 2.0);
  batched_model_enqueue(ctx, 0.0, 1.0);
  batched_model_enqueue_bus(ctx, (double)sizeof(double) * SOLVER_MAX_COMPONENTS);
  return batched_synchronize(ctx);
}

/* As solvers/chebyshev.c, its bounds being known. */
static int run_chebyshev(batched_ctx *ctx, const void *p)
{
  const solver_pcg_args *args = p;
  const solver_operator *a = args->matrix;
  const int iterations = chebyshev_iterations[kind_of(args)];
  double sums[SOLVER_MAX_COMPONENTS * 2] = {0};
  pass(ctx, a, 1.0); // x = 0
  pass(ctx, a, 2.0); // r = b
  int status = BATCHED_SUCCESS;
  if (a->precondition)
    status = precondition(ctx, args);
  else
    pass(ctx, a, 2.0);
  if (!status) status = dots_of_rank(ctx, a);
  pass(ctx, a, 2.0); // d = P r / theta
  for (int i = 0; i < iterations && !status; i++) {
    status = multiply(ctx, args);
    if (!a->precondition) {
      pass(ctx, a, 7.0);
      continue;
    }
    pass(ctx, a, 3.0); // x, r
    pass(ctx, a, 3.0);
    if (!status) status = precondition(ctx, args);
    pass(ctx, a, 3.0); // d
  }
  if (!a->precondition) pass(ctx, a, 2.0);
  if (!status) status = dots_of_rank(ctx, a);
  comm_sum(sums, a->ncomp * 2);
  report(args, iterations);
  return status;
}

static int run_ref(batched_ctx *ctx, const void *p)
{
  const solver_pcg_args *args = p;
  pass(ctx, args->matrix, 4.0);
  const int iterations = cg_iterations[DIAGONAL];
  int status = reduce(ctx, args->matrix, 2.0, 1);
  for (int i = 0; i < iterations && !status; i++) {
    status = multiply(ctx, args);
    if (!status) status = reduce(ctx, args->matrix, 2.0, 1);
    pass(ctx, args->matrix, 6.0);
    if (!status) status = reduce(ctx, args->matrix, 1.0, 1);
    pass(ctx, args->matrix, 3.0);
  }
  report(args, iterations);
  return status;
}

static bool by_diagonal(const void *args)
{
  return kind_of(args) == DIAGONAL;
}

const batched_variant solver_cuda_combine[] = {{.name = "cuda.model", .run = combine}, {0}};
const batched_variant solver_cuda_dot[] = {{.name = "cuda.model", .run = dot}, {0}};
const batched_variant solver_cuda_checksum[] = {{.name = "cuda.model", .run = checksum}, {0}};
const batched_variant solver_cuda_spmv[] = {{0}};
const batched_variant solver_cuda_pcg[] = {
  {.name = "cuda.model", .run = run_fused},
  {.name = "cuda.model_chebyshev", .run = run_chebyshev},
  {.name = "cuda.model_ref", .fits = by_diagonal, .run = run_ref},
  {0},
};
