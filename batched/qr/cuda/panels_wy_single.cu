/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.panels_tc of geqrf, ungqr and unmqr in single precision (panels_wy.cuh).
 */
#include "batched/qr/cuda/panels_wy.cuh"
#include "batched/qr/cuda/single.cuh"

namespace batched_cuda::qr
{

int run_strips(batched_ctx *ctx, const panel_args<float> &g)
{
  return launch_in_strips(ctx, g);
}

} // namespace batched_cuda::qr
