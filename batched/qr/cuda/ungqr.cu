/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The columns of the Q of a QR factorisation.
 */
#include "batched/qr/cuda/householder.cuh"
#include "batched/qr/qr.h"

namespace batched_cuda::qr
{

static bool fits(const void *args)
{
  const auto *g = static_cast<const batched_ungqr_args *>(args);
  return panels_fit(g->a.type, g->a.m);
}

static int run(batched_ctx *ctx, const void *args, bool panels)
{
  const auto *g = static_cast<const batched_ungqr_args *>(args);
  return with_type(g->a.type, [&](auto t) {
    using T = decltype(t);
    const batch<T> a = view<T>(g->a);
    return (panels ? run_panels<T> : run_columns<T>)(ctx, GENERATE, false, a, view<T>(g->tau), a);
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

const batched_variant batched_ungqr_cuda[] = {
  {"cuda.panels", fits, nullptr, run_shared},
  {"cuda.blocked", nullptr, nullptr, run_global},
  BATCHED_LAST_ROW,
};
