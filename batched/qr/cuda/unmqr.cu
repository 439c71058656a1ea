/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of unmqr: products with the Q of a QR factorisation.
 */
#include "batched/qr/cuda/single.cuh"
#include "batched/qr/cuda/unmqr_native.cuh"
#include "batched/qr/qr.h"
#include "batched/tuning/choice.h"

namespace batched_cuda::qr
{
namespace
{

bool fits_panels(const batched_unmqr_args &p)
{
  return panels_fit(p.c.type, p.side == BATCHED_LEFT ? p.c.m : p.c.n);
}
int panels(batched_ctx *ctx, const batched_unmqr_args &p)
{
  return with_type(p.c.type, [&](auto t) {
    using T = decltype(t);
    return run_panels(ctx, p.side == BATCHED_LEFT ? APPLY_LEFT : APPLY_RIGHT, p.trans != BATCHED_NO_TRANS, view<T>(p.a),
                      view<T>(p.tau), view<T>(p.c));
  });
}

bool fits_panels_tc(const batched_unmqr_args &p)
{
  return panels_tc_fit(p.c.type, p.side == BATCHED_LEFT ? p.c.m : p.c.n);
}
int panels_tc(batched_ctx *ctx, const batched_unmqr_args &p)
{
  return run_panels_tc(ctx, p.side == BATCHED_LEFT ? APPLY_LEFT : APPLY_RIGHT, p.trans != BATCHED_NO_TRANS,
                       view<float>(p.a), view<float>(p.tau), view<float>(p.c));
}

bool fits_native(const batched_unmqr_args &p)
{
  return (p.side == BATCHED_LEFT ? p.c.n : p.c.m) >= 32;
}
int native(batched_ctx *ctx, const batched_unmqr_args &p)
{
  return with_type(p.c.type, [&](auto t) { return multiply_natively<decltype(t)>(ctx, p); });
}

int blocked(batched_ctx *ctx, const batched_unmqr_args &p)
{
  return with_type(p.c.type, [&](auto t) {
    using T = decltype(t);
    return run_columns(ctx, p.side == BATCHED_LEFT ? APPLY_LEFT : APPLY_RIGHT, p.trans != BATCHED_NO_TRANS,
                       view<T>(p.a), view<T>(p.tau), view<T>(p.c));
  });
}

} // namespace
} // namespace batched_cuda::qr

using namespace batched_cuda;
using namespace batched_cuda::qr;

const batched_variant batched_unmqr_cuda[] = {
  row<fits_panels_tc, batched_by_table, panels_tc>("cuda.panels_tc"),
  row<fits_panels, nullptr, panels>("cuda.panels"),
  row<fits_native, batched_by_table, native>("cuda.native"),
  row<nullptr, nullptr, blocked>("cuda.blocked"),
  BATCHED_LAST_ROW,
};
