/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gbsv.  cuda.composed: gbtrf of all matrices, then gbtrs of those that have an inverse.
 */
#include "batched/band/cuda/halves.cuh"
#include "batched/band/cuda/lanes.cuh"
#include "batched/band/cuda/thread.cuh"

namespace batched_cuda::band
{
namespace
{

batched_gbtrf_args factorisation(const batched_gbsv_args &p)
{
  return {{p.ab.n, p.ab.ns}, p.kl, p.ku, p.ab, p.ipiv, p.info};
}

/* Calls f with scratch for what elimination makes of B. */
template <class F> int with_eliminated(batched_ctx *ctx, const batched_gbsv_args &p, F f)
{
  const size_t numbers = (size_t)p.ab.count * (size_t)p.ab.n * (size_t)p.b.n;
  void *y = batched_scratch_push(ctx, numbers * batched_element_bytes(p.ab.type));
  if (!y) return BATCHED_NO_MEMORY;
  const batched_gbtrf_args factor = factorisation(p);
  const int status = with_type(p.b.type, [&](auto t) {
    using T = decltype(t);
    return f(typed<T>(factor), view<T>(p.b), static_cast<T *>(y));
  });
  batched_scratch_pop(ctx);
  return status;
}

bool fits_lanes(const batched_gbsv_args &p)
{
  return lanes_can_factor(p.kl, p.ku) && p.b.n > 0 && p.b.n <= LANES_SIDES;
}
int lanes(batched_ctx *ctx, const batched_gbsv_args &p)
{
  return with_eliminated(ctx, p, [&](auto lu, auto b, auto y) {
    using T = std::remove_pointer_t<decltype(y)>;
    return launch_lanes(ctx, lanes_call<T>{lu, b, y}, p.b.n);
  });
}

bool fits_halves(const batched_gbsv_args &p)
{
  return halves_can_factor(p.kl.bound, (int64_t)p.kl.bound + p.ku.bound) && p.b.n > 0 && p.b.n <= HALVES_SIDES;
}
int halves(batched_ctx *ctx, const batched_gbsv_args &p)
{
  return with_eliminated(ctx, p, [&](auto lu, auto b, auto y) {
    using T = std::remove_pointer_t<decltype(y)>;
    return launch_gbsv_halves(ctx, halves_call<T>{lu, b, y});
  });
}

bool fits_thread(const batched_gbsv_args &p)
{
  return thread_can_factor(factorisation(p)) && p.b.n == 1 && is_uniform(p.b);
}
int thread(batched_ctx *ctx, const batched_gbsv_args &p)
{
  return with_eliminated(ctx, p, [&](auto lu, auto b, auto y) {
    using T = std::remove_pointer_t<decltype(y)>;
    return launch_band_thread<true>(ctx, thread_call<T>{lu, b, y});
  });
}

int composed(batched_ctx *ctx, const batched_gbsv_args &p)
{
  const int status = run_best(ctx, batched_gbtrf_op, factorisation(p));
  if (status || p.b.m == 0 || p.b.n == 0) return status;
  return solve_factors(ctx, batched_gbtrs_args{BATCHED_NO_TRANS, p.kl, p.ku, p.ab, p.b, p.ipiv}, p.info);
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_gbsv_cuda[] = {
  row<fits_thread, batched_by_table, thread>("cuda.thread"),
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),
  row<fits_halves, batched_by_table, halves>("cuda.halves"),
  row<nullptr, nullptr, composed>("cuda.composed"),
  BATCHED_LAST_ROW,
};
