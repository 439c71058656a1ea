/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shapes of the products in double precision on the tensor cores, and the choice among them.  All sum in the same
 * order.
 */
#include "batched/products/products.h"
#include "batched/products/cuda/gemm_narrow_tc.cuh"
#include "batched/products/cuda/gemm_packed.cuh"
#include "batched/products/cuda/gemm_tile.cuh"
#include "batched/products/cuda/gemm_tuning.cuh"

namespace batched_cuda::products
{

/* For any batch; the shallow ones waste less where k is not a multiple of 16. */
using tile_32 = tile_shape<32, 32, 8, 16, 32, 4, 8>;
using tile_48 = tile_shape<48, 48, 16, 48, 16, 3, 3>;
using tile_64 = tile_shape<64, 64, 16, 32, 32, 3, 2>;
using tile_64_shallow = tile_shape<64, 64, 8, 32, 32, 4, 2>;
using tile_96 = tile_shape<96, 96, 16, 48, 48, 3, 2>;
using tile_96_shallow = tile_shape<96, 96, 8, 48, 48, 4, 2>;
using tile_112x64 = tile_shape<112, 64, 16, 112, 16, 3, 2>;
using tile_128x64 = tile_shape<128, 64, 16, 64, 32, 3, 2>;
using tile_96x8 = tile_shape<96, 8, 16, 16, 8, 4, 2>;
using tile_96x32 = tile_shape<96, 32, 16, 32, 16, 4, 2>;

/* By the bulk copy engine. */
using bulk_32 = bulk_shape<32, 32, 16, 32, 4, 6>;
using bulk_48 = bulk_shape<48, 48, 48, 16, 3, 5>;
using bulk_64 = bulk_shape<64, 64, 32, 16, 6, 2>;
using bulk_80 = bulk_shape<80, 80, 16, 40, 5, 2>;
using bulk_96 = bulk_shape<96, 96, 32, 24, 8, 1>;
using bulk_112 = bulk_shape<112, 112, 16, 56, 7, 1>;
using bulk_128 = bulk_shape<128, 128, 32, 32, 6, 1>;
using bulk_160x80 = bulk_shape<160, 80, 16, 40, 7, 1>;
/* For a few more columns than narrow_tc takes. */
using bulk_128x48 = bulk_shape<128, 48, 32, 24, 5, 2>;
using bulk_128x40 = bulk_shape<128, 40, 32, 40, 3, 3>;

/* Tiles, the depth of their steps, and the time of their products over that at the tensor cores' peak, as measured on
 * an H100; the three smallest ones for the bulk copy engine on an H200. */
static const struct {
  const char *name;
  int m, n, k;
  double weight;
} shapes[] = {
  {"32x32x8", 32, 32, 8, 1.96},       {"48x48x16", 48, 48, 16, 1.48},      {"64x64x16", 64, 64, 16, 1.35},
  {"64x64x8", 64, 64, 8, 1.27},       {"96x96x16", 96, 96, 16, 1.19},      {"96x96x8", 96, 96, 8, 1.31},
  {"112x64x16", 112, 64, 16, 1.29},   {"128x64x16", 128, 64, 16, 1.22},    {"96x8x16", 96, 8, 16, 4.16},
  {"96x32x16", 96, 32, 16, 1.6},      {"bulk 32x32", 32, 32, 8, 1.62},     {"bulk 48x48", 48, 48, 8, 1.35},
  {"bulk 64x64", 64, 64, 8, 1.18},    {"bulk 80x80", 80, 80, 8, 1.2},      {"bulk 96x96", 96, 96, 8, 1.12},
  {"bulk 112x112", 112, 112, 8, 1.1}, {"bulk 128x128", 128, 128, 8, 0.98}, {"bulk 160x80", 160, 80, 8, 1.06},
  {"bulk 128x48", 128, 48, 8, 1.2},   {"bulk 128x40", 128, 40, 8, 1.2},
};
enum { ALL_SHAPES = sizeof shapes / sizeof *shapes, TILES = 10 };
static_assert((int)ALL_SHAPES <= (int)BATCHED_MAX_CONFIGS, "");

static const char *describe(int config)
{
  return shapes[config].name;
}

static bool fits(int config, batched_type type, int m, int n, int)
{
  const bool narrow = shapes[config].m > 2 * shapes[config].n && config >= TILES;
  return type == BATCHED_D && shapes[config].m <= 2 * m + 16 && shapes[config].n <= 2 * n + 8 &&
         (!narrow || (n <= shapes[config].n && 2 * m >= 3 * shapes[config].m));
}

/* Seconds of a product, by the limits of an H100: the tiles that cover C, and a third of the time to move the
 * operands, which is not hidden; at least that time, and then fewer products are still better. */
static double cost(int config, batched_type, int m, int n, int k)
{
  const auto &s = shapes[config];
  const double moved = 8 * ((double)m * k + (double)k * n + (double)m * n) / 3.0e12;
  const double formed = s.weight * 2 * covered(m, n, k, s.m, s.n, s.k) / 64e12 + moved / 3;
  return (formed > moved ? formed : moved) + 0.1 * formed;
}

} // namespace batched_cuda::products

/* Families of shapes: for products that the bulk copy engine can't do; that it can; and those of them with A
 * transposed. */
extern "C" const batched_family batched_gemm_family = {"gemm.tile",
                                                       &batched_gemm_op,
                                                       "cuda.tile_tc",
                                                       batched_cuda::products::TILES,
                                                       batched_cuda::products::describe,
                                                       batched_cuda::products::fits,
                                                       batched_cuda::products::cost};
extern "C" const batched_family batched_gemm_bulk_family = {"gemm.bulk",
                                                            &batched_gemm_op,
                                                            "cuda.tile_tc",
                                                            batched_cuda::products::ALL_SHAPES,
                                                            batched_cuda::products::describe,
                                                            batched_cuda::products::fits,
                                                            batched_cuda::products::cost};
extern "C" const batched_family batched_gemm_bulk_t_family = {"gemm.bulk_t",
                                                              &batched_gemm_op,
                                                              "cuda.tile_tc",
                                                              batched_cuda::products::ALL_SHAPES,
                                                              batched_cuda::products::describe,
                                                              batched_cuda::products::fits,
                                                              batched_cuda::products::cost,
                                                              true};

namespace batched_cuda::products
{

#if BATCHED_CUDA_TYPES & 2
static int launch_bulk(batched_ctx *ctx, const product<double> &p, int k, int config)
{
  switch (config) {
  case 10: return launch_bulk<bulk_32>(ctx, p, k);
  case 11: return launch_bulk<bulk_48>(ctx, p, k);
  case 12: return launch_bulk<bulk_64>(ctx, p, k);
  case 13: return launch_bulk<bulk_80>(ctx, p, k);
  case 14: return launch_bulk<bulk_96>(ctx, p, k);
  case 15: return launch_bulk<bulk_112>(ctx, p, k);
  case 16: return launch_bulk<bulk_128>(ctx, p, k);
  case 17: return launch_bulk<bulk_160x80>(ctx, p, k);
  case 19: /* of B's rows, where these are its fast index, it can't be told to take 40 */
    if (!p.transb) return launch_bulk_rows<bulk_128x40>(ctx, p, k);
    [[fallthrough]];
  default: return launch_bulk<bulk_128x48>(ctx, p, k);
  }
}

static int launch_tile(batched_ctx *ctx, const product<double> &p, int config)
{
  switch (config) {
  case 0: return launch_tile<tile_32, true>(ctx, p);
  case 1: return launch_tile<tile_48, true>(ctx, p);
  case 2: return launch_tile<tile_64, true>(ctx, p);
  case 3: return launch_tile<tile_64_shallow, true>(ctx, p);
  case 4: return launch_tile<tile_96, true>(ctx, p);
  case 5: return launch_tile<tile_96_shallow, true>(ctx, p);
  case 6: return launch_tile<tile_112x64, true>(ctx, p);
  case 7: return launch_tile<tile_128x64, true>(ctx, p);
  case 8: return launch_tile<tile_96x8, true>(ctx, p);
  default: return launch_tile<tile_96x32, true>(ctx, p);
  }
}

/* The driver may still refuse a tensor map, for strange strides. */
int multiply_tile_tc(batched_ctx *ctx, const product<double> &p)
{
  const int k = p.transa ? p.a.m : p.a.n;
  if (bulk_fits(p, k)) {
    const int config = choose(ctx, p.transa ? &batched_gemm_bulk_t_family : &batched_gemm_bulk_family, p);
    const int status = config < TILES ? launch_tile(ctx, p, config) : launch_bulk(ctx, p, k, config);
    if (status != BATCHED_DOES_NOT_FIT) return status;
  }
  return launch_tile(ctx, p, choose(ctx, &batched_gemm_family, p));
}

int multiply_packed(batched_ctx *ctx, const product<double> &p)
{
  return launch_packed(ctx, p);
}
#endif

} // namespace batched_cuda::products
