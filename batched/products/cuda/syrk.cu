/* SPDX-License-Identifier: BSD-3-Clause
 *
 * syrk and herk are gemm's kernels with the tiles of the other triangle left out.
 */
#include "batched/products/products.h"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{
namespace
{

struct syrk_kernels {
  using args = batched_syrk_args;
  static batched_type type_of(const args &s)
  {
    return s.c.type;
  }
  template <class T> static product<T> typed(const args &s)
  {
    return make_square(s.uplo, s.trans, s.hermitian, make<T>(s.alpha), view<T>(s.a), make<T>(s.beta), view<T>(s.c));
  }
  template <class T> static const auto *kernels()
  {
    return product_kernels<T>();
  }
};

} // namespace
} // namespace batched_cuda::products

using namespace batched_cuda;
using namespace batched_cuda::products;

const batched_variant batched_syrk_cuda[] = {
  kernel_row<syrk_kernels, WARP>("cuda.warp"),
  kernel_row<syrk_kernels, TILE_TC>("cuda.tile_tc"),
  kernel_row<syrk_kernels, TILE>("cuda.tile"),
  BATCHED_LAST_ROW,
};
