/* SPDX-License-Identifier: BSD-3-Clause */
#include "lu.cuh"

using namespace batched_cuda;

/* getrf, and the solve where it found no pivot to report. */
static int in_two_steps(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_gesv_args *>(args);
  const batched_getrf_args factor = {p->a, p->ipiv, p->info};
  const int status = getrf(ctx, &factor);
  if (status || p->b.m == 0 || p->b.n == 0) return status;
  return with_type(p->b.type, [&](auto t) {
    using T = decltype(t);
    return solve_lu(
      ctx, lu_system<T>{BATCHED_NO_TRANS, view<T>(p->a), view<T>(p->b), p->ipiv, p->info, p->a.n, false, nullptr});
  });
}

const batched_variant batched_gesv_cuda[] = {
  {"cuda.steps", nullptr, nullptr, in_two_steps},
  BATCHED_LAST_ROW,
};
