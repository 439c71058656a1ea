/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.narrow_tc of gemm: C of up to 32 columns, A not transposed, by the kernel of gemm_tile_tc.cuh with tiles of
 * 96 or 64 x 32.  The bulk copy engine fetches A; op(B), which is little beside A and may lie in any way, is copied by
 * threads. Sums have the order of cuda.tile_tc.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_NARROW_TC_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_NARROW_TC_CUH

#include "batched/products/cuda/gemm_tile_tc.cuh"

namespace batched_cuda::products
{

template <int BM, int STAGES, int BLOCKS> struct narrow_shape : bulk_shape<BM, 32, 16, 32, STAGES, BLOCKS> {
  static constexpr bool copies_b = true;
};
using narrow_96 = narrow_shape<96, 6, 2>;
using narrow_64 = narrow_shape<64, 5, 3>;

bool narrow_fits(const product<double> &p)
{
  return !p.transa && p.c.n <= 32 && p.which == WHOLE && p.alpha != 0 && p.a.n > 0 && can_map(p.a) &&
         !p.b.is_variable() && !p.c.is_variable() && p.c.count < INT_MAX / 2;
}

template <class S> static int launch_narrow(batched_ctx *ctx, const product<double> &p)
{
  return p.transb ? launch_bulk<S, false, false>(ctx, p, p.a.n) : launch_bulk<S, false, true>(ctx, p, p.a.n);
}

int multiply_narrow(batched_ctx *ctx, const product<double> &p)
{
  const bool small = ceil_div(p.c.m, 64) * 64 < ceil_div(p.c.m, 96) * 96;
  const int status = small ? launch_narrow<narrow_64>(ctx, p) : launch_narrow<narrow_96>(ctx, p);
  return status == BATCHED_DOES_NOT_FIT ? multiply_tile_tc(ctx, p)
                                        : status; /* a strange stride, which the driver refuses */
}

} // namespace batched_cuda::products

#endif
