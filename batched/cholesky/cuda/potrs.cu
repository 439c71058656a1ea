/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with a Cholesky factor: both substitutions in one kernel where one takes the shape, two trsm elsewhere.
 */
#include "batched/triangular/cuda/warp_stream.cuh"
#include "batched/triangular/triangular.h"
#include "batched/cholesky/cholesky.h"
#include "batched/cholesky/cuda/cusolver.cuh"
#include "batched/cholesky/cuda/lanes.cuh"
#include "batched/cholesky/cuda/potrs_lanes.cuh"
#include "batched/cholesky/cuda/potrs_stream.cuh"

namespace batched_cuda::cholesky
{
namespace
{

/* ------------------------------------------------------------------ lanes */

/* The kernel for one right-hand side (potrs_lanes.cuh) and the one for any number (lanes.cuh). */
bool one_fits(const batched_potrs_args &p)
{
  return p.b.m <= (p.b.type == BATCHED_Z ? 32 : 48) && p.b.n == 1;
}
bool takes_one(const batched_potrs_args &p)
{
  return one_fits(p) && p.b.m > 16;
}
bool fits_lanes(const batched_potrs_args &p)
{
  return p.b.m <= 32 || one_fits(p);
}
int lanes(batched_ctx *ctx, const batched_potrs_args &p)
{
  return with_type(p.b.type, [&](auto t) {
    using T = decltype(t);
    const batch<T> a = view<T>(p.a), b = view<T>(p.b);
    return takes_one(p) ? solve_lanes_one(ctx, p.uplo, a, b) : solve_lanes_of(ctx, p.uplo, a, b);
  });
}

/* ------------------------------------------------------------------ stream, warp_stream */

/* In double precision alone: in others it is as fast as warp_stream. */
bool fits_stream(const batched_potrs_args &p)
{
  return p.b.type == BATCHED_D && p.b.n == 1 && p.b.m > 32 && p.b.m <= 256 && !batched_is_variable(&p.a) &&
         !batched_is_variable(&p.b) && plan_stream<double>(p.b.m).fits();
}
int stream(batched_ctx *ctx, const batched_potrs_args &p)
{
  return solve_stream(ctx, p.uplo, view<double>(p.a), view<double>(p.b));
}

bool fits_warp_stream(const batched_potrs_args &p)
{
  return with_type(p.b.type, [&](auto t) { return p.b.m <= triangular::most_streamed<decltype(t)>(10); });
}
int warp_stream(batched_ctx *ctx, const batched_potrs_args &p)
{
  return with_type(p.b.type, [&](auto t) {
    using T = decltype(t);
    using namespace triangular;
    const triangle_form f =
      form_of(BATCHED_LEFT, p.uplo, p.uplo == BATCHED_LOWER ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, BATCHED_NON_UNIT);
    const batch<T> a = view<T>(p.a), b = view<T>(p.b);
    return b.n == 1 && !b.ns ? solve_warp_stream<T, 1, false, true>(ctx, f, b.m, 1, make<T>(1), a, b)
                             : solve_columns_in_warp_stream<T, true>(ctx, f, b.m, b.n, make<T>(1), a, b);
  });
}

/* ------------------------------------------------------------------ composed */

/* Row cuda.composed: A^-1 = L^-H L^-1 or U^-1 U^-H by two trsm. */
int composed(batched_ctx *ctx, const batched_potrs_args &p)
{
  const bool lower = p.uplo == BATCHED_LOWER;
  const auto solve = [&](batched_trans trans) {
    const batched_trsm_args t = {BATCHED_LEFT, p.uplo, trans, BATCHED_NON_UNIT, {1, 0}, p.a, p.b};
    return batched_run(ctx, &batched_trsm_op, &t);
  };
  const int status = solve(lower ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS);
  return status ? status : solve(lower ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS);
}

} // namespace
} // namespace batched_cuda::cholesky

using namespace batched_cuda;
using namespace batched_cuda::cholesky;

const batched_variant batched_potrs_cuda[] = {
  row<fits_lanes, batched_by_table, lanes>("cuda.lanes"),
  row<fits_stream, batched_by_table, stream>("cuda.stream"),
  row<fits_warp_stream, batched_by_table, warp_stream>("cuda.warp_stream"),
  row<nullptr, nullptr, composed>("cuda.composed"),
  row<vendor_potrs_fits, never, vendor_potrs>("vendor.cusolver"),
  BATCHED_LAST_ROW,
};
