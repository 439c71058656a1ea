/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Complex products in double precision on the tensor cores: each is four products of real numbers.
 */
#include "gemm_tensor.cuh"
#include "gemm_tile.cuh"

namespace batched_cuda
{

#if BATCHED_CUDA_TYPES & 8
using tile_32 = tile_shape<32, 32, 8, 16, 16, 4, 4>;
using tile_64 = tile_shape<64, 64, 8, 32, 32, 4, 2>;

int multiply_tensor(batched_ctx *ctx, const product<complex<double>> &p)
{
  static const tile_weight tiles[] = {{32, 1.1}, {64, 1}}; /* from times on an H200 */
  return best_tile(tiles, p.c.m, p.c.n) == 32 ? launch_tile<tile_32, true>(ctx, p) : launch_tile<tile_64, true>(ctx, p);
}
#endif

} // namespace batched_cuda
