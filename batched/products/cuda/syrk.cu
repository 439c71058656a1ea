/* SPDX-License-Identifier: BSD-3-Clause
 *
 * syrk and herk are gemm with the other triangle's tiles left out.
 */
#include "batched/products/cuda/gemm_operands.cuh"
#include "batched/products/products.h"

namespace batched_cuda::products
{

static const batched_syrk_args *args_of(const void *args)
{
  return static_cast<const batched_syrk_args *>(args);
}

template <way how> static bool fits(const void *args)
{
  const batched_syrk_args *s = args_of(args);
  return can_multiply(how, s->c.type, s->c.m, s->c.n);
}

template <way how> static bool likes(const void *args)
{
  const batched_syrk_args *s = args_of(args);
  return likes_multiply(how, s->c.type, s->c.m, s->c.n);
}

template <way how> static int run(batched_ctx *ctx, const void *args)
{
  const batched_syrk_args *s = args_of(args);
  return with_type(s->c.type, [&](auto t) {
    using T = decltype(t);
    return multiply(
      ctx,
      make_square(s->uplo, s->trans, s->hermitian, make<T>(s->alpha), view<T>(s->a), make<T>(s->beta), view<T>(s->c)),
      how);
  });
}

} // namespace batched_cuda::products

using namespace batched_cuda;
using namespace batched_cuda::products;

const batched_variant batched_syrk_cuda[] = {{"cuda.tiny", fits<TINY>, likes<TINY>, run<TINY>},
                                             {"cuda.tensor", fits<TENSOR>, likes<TENSOR>, run<TENSOR>},
                                             {"cuda.tile", nullptr, nullptr, run<TILE>},
                                             BATCHED_LAST_ROW};
