/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gesv: A X = B by getrf, then a solve with the factors.
 */
#include "batched/lu/cuda/factors.cuh"
#include "batched/products/products.h"
#include "batched/triangular/cuda/mixed.cuh"

namespace batched_cuda::lu
{
namespace
{

batched_getrf_args factorization_of(const batched_gesv_args &p)
{
  return {p.a, p.ipiv, p.info};
}

batched_getrs_args solve_of(const batched_gesv_args &p)
{
  return {BATCHED_NO_TRANS, p.a, p.b, p.ipiv};
}

/* Row cuda.composed: getrf by the row that the context was told to use, and the solve where info says 0. */
int composed(batched_ctx *ctx, const batched_gesv_args &p)
{
  const batched_getrf_args factor = factorization_of(p);
  int *sizes = static_cast<int *>(batched_scratch_push(ctx, ((size_t)p.a.count + 1) * sizeof(int)));
  if (!sizes) return BATCHED_NO_MEMORY;
  int status = batched_run(ctx, &batched_getrf_op, &factor);
  if (!status && p.b.m > 0 && p.b.n > 0)
    status = with_type(p.b.type, [&](auto t) {
      using T = decltype(t);
      return solve_lu(
        ctx, lu_system<T>{BATCHED_NO_TRANS, view<T>(p.a), view<T>(p.b), p.ipiv, p.info, p.a.n, false, nullptr, sizes});
    });
  batched_scratch_pop(ctx);
  return status;
}

/* Row cuda.mixed (batched/triangular/cuda/mixed.cuh), by getrf, getrs and gemm. */
struct mixed_lu {
  int factor(batched_ctx *ctx, const batched_matrix &a, int *info, int *pivots) const
  {
    const batched_getrf_args p = {a, pivots, info};
    return batched_run(ctx, &batched_getrf_op, &p);
  }
  int solve(batched_ctx *ctx, const batched_matrix &a, const batched_matrix &b, const int *pivots) const
  {
    const batched_getrs_args p = {BATCHED_NO_TRANS, a, b, pivots};
    return batched_run(ctx, &batched_getrs_op, &p);
  }
  int subtract(batched_ctx *ctx, const batched_matrix &a, const batched_matrix &x, const batched_matrix &r) const
  {
    const batched_gemm_args p = {BATCHED_NO_TRANS, BATCHED_NO_TRANS, {-1, 0}, {1, 0}, a, x, r};
    return batched_run(ctx, &batched_gemm_op, &p);
  }
};

bool fits_mixed(const batched_gesv_args &p)
{
  return triangular::can_refine(p.a, p.b);
}
int mixed(batched_ctx *ctx, const batched_gesv_args &p)
{
  return triangular::solve_mixed(ctx, mixed_lu(), triangular::REFINE_WHOLE, p.a, p.b, p.ipiv, p.info);
}

/* cuBLAS has no gesv: its getrf and getrs.  B is overwritten where A is singular. */
const batched_variant &cublas_row(const batched_op &op)
{
  return *batched_find_variant(&op, BATCHED_CUDA, "vendor.cublas");
}
bool fits_cublas(const batched_gesv_args &p)
{
  const batched_getrf_args factor = factorization_of(p);
  const batched_getrs_args solve = solve_of(p);
  return cublas_row(batched_getrf_op).fits(&factor) && cublas_row(batched_getrs_op).fits(&solve);
}
int cublas(batched_ctx *ctx, const batched_gesv_args &p)
{
  const batched_getrf_args factor = factorization_of(p);
  const batched_getrs_args solve = solve_of(p);
  const int status = cublas_row(batched_getrf_op).run(ctx, &factor);
  return status ? status : cublas_row(batched_getrs_op).run(ctx, &solve);
}

} // namespace
} // namespace batched_cuda::lu

using namespace batched_cuda;
using namespace batched_cuda::lu;

const batched_variant batched_gesv_cuda[] = {
  row<nullptr, nullptr, composed>("cuda.composed"),
  row<fits_mixed, never, mixed>("cuda.mixed"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  BATCHED_LAST_ROW,
};
