/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of geqrf in all types.
 */
#include "batched/qr/cuda/geqrf_native.cuh"
#include "batched/qr/cuda/native.cuh"

namespace batched_cuda::qr
{

int geqrf_native(batched_ctx *ctx, const batched_geqrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    return run_geqrf_native(ctx, view<T>(p.a), view<T>(p.tau));
  });
}

} // namespace batched_cuda::qr
