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
  int order;
  double weight;
} tiles[] = {{"32x32x8", 32, 1.1}, {"64x64x8", 64, 1}};

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
  return tiles[config].weight * covered(m, n, k, tiles[config].order, tiles[config].order, 8);
}

} // namespace batched_cuda::products

extern "C" const batched_family batched_gemm_complex_family = {"gemm.complex",
                                                               &batched_gemm_op,
                                                               "cuda.tile_tc",
                                                               2,
                                                               batched_cuda::products::describe,
                                                               batched_cuda::products::fits,
                                                               batched_cuda::products::cost};

namespace batched_cuda::products
{

#if BATCHED_CUDA_TYPES & 8
using tile_32 = tile_shape<32, 32, 8, 16, 16, 4, 4>;
using tile_64 = tile_shape<64, 64, 8, 32, 32, 3, 2>;

int multiply_tile_tc(batched_ctx *ctx, const product<complex<double>> &p)
{
  return choose(ctx, &batched_gemm_complex_family, p) == 0 ? launch_tile<tile_32, true>(ctx, p)
                                                           : launch_tile<tile_64, true>(ctx, p);
}
#endif

} // namespace batched_cuda::products
