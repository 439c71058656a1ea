/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A X = B: the factors P L U of A, then a solve with them.
 */
#include "batched/lu/cuda/factors.cuh"
#include "batched/lu/lu.h"

using namespace batched_cuda;
using namespace batched_cuda::lu;

/* getrf, and the solve where it found no pivot to report. */
static int in_two_steps(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_gesv_args *>(args);
  const batched_getrf_args factor = {p->a, p->ipiv, p->info};
  int *sizes = static_cast<int *>(batched_scratch_push(ctx, ((size_t)p->a.count + 1) * sizeof(int)));
  if (!sizes) return BATCHED_NO_MEMORY;
  int status = getrf(ctx, &factor);
  if (!status && p->b.m > 0 && p->b.n > 0)
    status = with_type(p->b.type, [&](auto t) {
      using T = decltype(t);
      return solve_lu(ctx, lu_system<T>{BATCHED_NO_TRANS, view<T>(p->a), view<T>(p->b), p->ipiv, p->info, p->a.n, false,
                                        nullptr, sizes});
    });
  batched_scratch_pop(ctx);
  return status;
}

static bool fits_cublas(const void *args)
{
  const auto *p = static_cast<const batched_gesv_args *>(args);
  const batched_getrf_args factor = {p->a, p->ipiv, p->info};
  const batched_getrs_args solve = {BATCHED_NO_TRANS, p->a, p->b, p->ipiv};
  return fits_cublas_getrf(&factor) && fits_cublas_getrs(&solve);
}

/* cuBLAS has no gesv: its two steps; B is not kept where A is singular. */
static int cublas(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_gesv_args *>(args);
  const batched_getrf_args factor = {p->a, p->ipiv, p->info};
  const batched_getrs_args solve = {BATCHED_NO_TRANS, p->a, p->b, p->ipiv};
  const int status = cublas_getrf(ctx, &factor);
  return status ? status : cublas_getrs(ctx, &solve);
}

const batched_variant batched_gesv_cuda[] = {
  {"cuda.composed", nullptr, nullptr, in_two_steps},
  {"vendor.cublas", fits_cublas, never, cublas},
  BATCHED_LAST_ROW,
};
