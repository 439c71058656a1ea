/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Complex products in double precision on the tensor cores: each is four products of real numbers.
 */
#include "batched/products/products.h"
#include "batched/products/cuda/gemm_tile.cuh"
#include "batched/products/cuda/gemm_tuning.cuh"

namespace batched_cuda::products
{

/* As measured on an H200. */
static const struct {
  const char *name;
  int bm, bn;
  double weight;
} tiles[] = {{"32x32x8", 32, 32, 1.1}, {"64x64x8", 64, 64, 1}, {"64x32x8", 64, 32, 1.03}, {"48x48x8", 48, 48, 1.15}};
enum { TILES = sizeof tiles / sizeof *tiles };

static const char *describe(int config)
{
  return tiles[config].name;
}

static bool fits(int, batched_type type, int, int, int)
{
  return type == BATCHED_Z;
}

static double cost(int config, batched_type, int m, int n, int k)
{
  return tiles[config].weight * covered(m, n, k, tiles[config].bm, tiles[config].bn, 8);
}

} // namespace batched_cuda::products

extern "C" const batched_family batched_gemm_complex_family = {"gemm.complex",
                                                               &batched_gemm_op,
                                                               "cuda.tile_tc",
                                                               batched_cuda::products::TILES,
                                                               batched_cuda::products::describe,
                                                               batched_cuda::products::fits,
                                                               batched_cuda::products::cost};

namespace batched_cuda::products
{

#if BATCHED_CUDA_TYPES & 8
using tile_32 = tile_shape<32, 32, 8, 16, 16, 4, 4>;
using tile_48 = tile_shape<48, 48, 8, 48, 16, 3, 3>;
using tile_64 = tile_shape<64, 64, 8, 32, 32, 3, 2>;
using tile_64x32 = tile_shape<64, 32, 8, 32, 16, 3, 3>;

int multiply_tile_tc(batched_ctx *ctx, const product<complex<double>> &p)
{
  switch (choose(ctx, &batched_gemm_complex_family, p)) {
  case 0: return launch_tile<tile_32, true>(ctx, p);
  case 1: return launch_tile<tile_64, true>(ctx, p);
  case 2: return launch_tile<tile_64x32, true>(ctx, p);
  default: return launch_tile<tile_48, true>(ctx, p);
  }
}
#endif

} // namespace batched_cuda::products
