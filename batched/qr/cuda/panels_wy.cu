/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.panels in double precision (panels_wy.cuh).
 */
#include "batched/qr/cuda/panels_wy.cuh"

namespace batched_cuda::qr
{

bool strips_fit(int order)
{
  return fits_in_strips(order);
}

int run_strips(batched_ctx *ctx, const panel_args<double> &g)
{
  return launch_in_strips(ctx, g);
}

} // namespace batched_cuda::qr
