/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of tbsv.
 */
#include "batched/band/cuda/reference.cuh"

namespace batched_cuda::band
{
namespace
{

int reference(batched_ctx *ctx, const batched_tbsv_args &p)
{
  return with_type(p.x.type, [&](auto t) {
    using T = decltype(t);
    const tbsv_call<T> c = {p.uplo == BATCHED_UPPER,
                            p.trans != BATCHED_NO_TRANS,
                            p.trans == BATCHED_CONJ_TRANS,
                            p.diag == BATCHED_UNIT,
                            p.kd,
                            view<T>(p.ab),
                            view<T>(p.x)};
    return launch(ctx, tbsv_reference<T>, c.x.count, warp_size, 0, c);
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_tbsv_cuda[] = {
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
