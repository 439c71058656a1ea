/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of posv: Cholesky and its solves in one kernel while the factor stays in registers or shared memory, else one
 * after the other.
 *   cuda.lanes      n <= 32, in registers: lanes.cuh
 *   cuda.shared     n <= 256, a block per matrix: posv_shared.cuh
 *   cuda.composed   potrf, then potrs, by the rows that suit; between them a kernel, a thread per matrix, leaves those
 *                   without a factor out
 *   cuda.mixed      in half of the precision, and refined: batched/triangular/cuda/mixed.cuh
 * All take all four types (cuda.mixed d and z), uniform and variable (cuda.mixed uniform), and write B where info is 0.
 */
#include "batched/cholesky/cholesky.h"
#include "batched/cholesky/cuda/lanes.cuh"
#include "batched/cholesky/cuda/posv_shared.cuh"
#include "batched/products/products.h"
#include "batched/triangular/cuda/mixed.cuh"

namespace batched_cuda::cholesky
{
namespace
{

bool fits_lanes(const batched_posv_args &p)
{
  return p.a.n <= 32;
}
int lanes(batched_ctx *ctx, const batched_posv_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    return factor_and_solve_lanes(ctx, p.uplo, view<T>(p.a), view<T>(p.b), p.info);
  });
}

int64_t shared_bytes(const batched_posv_args &p)
{
  return with_type(p.a.type,
                   [&](auto t) { return (int)solve_bytes<decltype(t), solve_width>((int)ceil_div(p.a.n, tile_edge)); });
}
bool fits_shared(const batched_posv_args &p)
{
  return p.a.n <= 256 && shared_bytes(p) <= (int64_t)most_shared();
}
/* Two blocks share a multiprocessor. */
bool likes_shared(const batched_posv_args &p)
{
  return shared_bytes(p) <= (int64_t)half_shared();
}
int shared(batched_ctx *ctx, const batched_posv_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    return factor_and_solve_shared(ctx, p.uplo, view<T>(p.a), view<T>(p.b), p.info);
  });
}

/* ------------------------------------------------------------------ composed */

/* rows[b]: the rows of B that are solved for, none where there is no factor.  A thread per matrix. */
template <class T> __global__ void count_rows(batch<T> x, const int *info, int *rows)
{
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < x.count; b += step)
    rows[b] = info[b] == 0 ? x.rows(b) : 0;
}

/* Row cuda.composed: potrf, then potrs. */
int composed(batched_ctx *ctx, const batched_posv_args &p)
{
  const batched_potrf_args factor = {p.uplo, p.a, p.info};
  int *rows = static_cast<int *>(batched_scratch_push(ctx, (size_t)p.b.count * sizeof(int)));
  if (!rows) return BATCHED_NO_MEMORY;
  const batched_potrs_args solve = {p.uplo, p.a, batched_with_sizes(p.b, rows, p.b.ns, p.b.lds)};
  const bool solves = p.b.m > 0 && p.b.n > 0;
  /* Checks before factoring that a forced potrs row fits, so that A is not overwritten on error. */
  int status = solves && !batched_choose(ctx, &batched_potrs_op, &solve) ? BATCHED_DOES_NOT_FIT : BATCHED_SUCCESS;
  if (!status) status = batched_run(ctx, &batched_potrf_op, &factor);
  if (!status)
    status = with_type(p.b.type, [&](auto t) {
      return launch(ctx, count_rows<decltype(t)>, ceil_div(p.b.count, 256), 256, 0, view<decltype(t)>(p.b), p.info,
                    rows);
    });
  if (!status && solves) status = batched_run(ctx, &batched_potrs_op, &solve);
  batched_scratch_pop(ctx);
  return status;
}

/* Row cuda.mixed (batched/triangular/cuda/mixed.cuh), by potrf, potrs and hemm. */
struct mixed_cholesky {
  batched_uplo uplo;

  int factor(batched_ctx *ctx, const batched_matrix &a, int *info, int *) const
  {
    const batched_potrf_args p = {uplo, a, info};
    return batched_run(ctx, &batched_potrf_op, &p);
  }
  int solve(batched_ctx *ctx, const batched_matrix &a, const batched_matrix &b, int *) const
  {
    const batched_potrs_args p = {uplo, a, b};
    return batched_run(ctx, &batched_potrs_op, &p);
  }
  int subtract(batched_ctx *ctx, const batched_matrix &a, const batched_matrix &x, const batched_matrix &r) const
  {
    const batched_symm_args p = {BATCHED_LEFT, uplo, true, {-1, 0}, {1, 0}, a, x, r};
    return batched_run(ctx, &batched_symm_op, &p);
  }
};

bool fits_mixed(const batched_posv_args &p)
{
  return triangular::can_refine(p.a, p.b);
}
int mixed(batched_ctx *ctx, const batched_posv_args &p)
{
  return triangular::solve_mixed(ctx, mixed_cholesky{p.uplo},
                                 p.uplo == BATCHED_LOWER ? triangular::REFINE_LOWER : triangular::REFINE_UPPER, p.a,
                                 p.b, nullptr, p.info);
}

} // namespace
} // namespace batched_cuda::cholesky

using namespace batched_cuda;
using namespace batched_cuda::cholesky;

const batched_variant batched_posv_cuda[] = {
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),
  row<fits_shared, likes_shared, shared>("cuda.shared"),
  row<nullptr, nullptr, composed>("cuda.composed"),
  row<fits_mixed, never, mixed>("cuda.mixed"),
  BATCHED_LAST_ROW,
};
