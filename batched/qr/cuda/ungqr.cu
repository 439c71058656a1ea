/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of ungqr: the columns of the Q of a QR factorisation.
 */
#include "batched/qr/cuda/single.cuh"
#include "batched/qr/cuda/ungqr_narrow_tc.cuh"
#include "batched/qr/qr.h"
#include "batched/tuning/choice.h"

namespace batched_cuda::qr
{
namespace
{

bool fits_panels(const batched_ungqr_args &p)
{
  return panels_fit(p.a.type, p.a.m);
}
int panels(batched_ctx *ctx, const batched_ungqr_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    const batch<decltype(t)> a = view<decltype(t)>(p.a);
    return run_panels(ctx, GENERATE, false, a, view<decltype(t)>(p.tau), a);
  });
}

bool fits_panels_tc(const batched_ungqr_args &p)
{
  return panels_tc_fit(p.a.type, p.a.m);
}
int panels_tc(batched_ctx *ctx, const batched_ungqr_args &p)
{
  const batch<float> a = view<float>(p.a);
  return run_panels_tc(ctx, GENERATE, false, a, view<float>(p.tau), a);
}

bool fits_narrow_tc(const batched_ungqr_args &p)
{
  return fits_narrow(p.a.type, p.a.n) && !batched_is_variable(&p.a) && !batched_is_variable(&p.tau);
}
int narrow_tc(batched_ctx *ctx, const batched_ungqr_args &p)
{
  return run_narrow(ctx, view<double>(p.a), view<double>(p.tau));
}

int blocked(batched_ctx *ctx, const batched_ungqr_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    const batch<decltype(t)> a = view<decltype(t)>(p.a);
    return run_columns(ctx, GENERATE, false, a, view<decltype(t)>(p.tau), a);
  });
}

} // namespace
} // namespace batched_cuda::qr

using namespace batched_cuda;
using namespace batched_cuda::qr;

const batched_variant batched_ungqr_cuda[] = {
  row<fits_panels_tc, batched_by_table, panels_tc>("cuda.panels_tc"),
  row<fits_narrow_tc, batched_by_table, narrow_tc>("cuda.narrow_tc"),
  row<fits_panels, nullptr, panels>("cuda.panels"),
  row<nullptr, nullptr, blocked>("cuda.blocked"),
  BATCHED_LAST_ROW,
};
