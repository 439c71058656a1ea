/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with the Q of a QR factorisation.
 */
#include "batched/qr/cuda/householder.cuh"
#include "batched/qr/qr.h"

namespace batched_cuda::qr
{

static int order(const batched_unmqr_args *u)
{
  return u->side == BATCHED_LEFT ? u->c.m : u->c.n;
}

static bool fits(const void *args)
{
  const auto *u = static_cast<const batched_unmqr_args *>(args);
  return panels_fit(u->c.type, order(u));
}

static int run(batched_ctx *ctx, const void *args, bool panels)
{
  const auto *u = static_cast<const batched_unmqr_args *>(args);
  const panel_job job = u->side == BATCHED_LEFT ? APPLY_LEFT : APPLY_RIGHT;
  return with_type(u->c.type, [&](auto t) {
    using T = decltype(t);
    return (panels ? run_panels<T> : run_columns<T>)(ctx, job, u->trans != BATCHED_NO_TRANS, view<T>(u->a),
                                                     view<T>(u->tau), view<T>(u->c));
  });
}

static int run_shared(batched_ctx *ctx, const void *args)
{
  return run(ctx, args, true);
}

static int run_global(batched_ctx *ctx, const void *args)
{
  return run(ctx, args, false);
}

} // namespace batched_cuda::qr

using namespace batched_cuda;
using namespace batched_cuda::qr;

const batched_variant batched_unmqr_cuda[] = {
  {"cuda.panels", fits, nullptr, run_shared},
  {"cuda.blocked", nullptr, nullptr, run_global},
  BATCHED_LAST_ROW,
};
