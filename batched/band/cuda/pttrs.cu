/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of pttrs.  cuda.reference is in ldl.cuh.
 */
#include "batched/band/cuda/ldl.cuh"

namespace batched_cuda::band
{
namespace
{

int reference(batched_ctx *ctx, const batched_pttrs_args &p)
{
  return with_type(p.e.type, [&](auto t) {
    using T = decltype(t);
    const ldl_call<T> c = {p.uplo == BATCHED_UPPER, view<real_of<T>>(p.d), view<T>(p.e), view<T>(p.b), nullptr};
    return launch_ldl(ctx, pttrs_reference<T>, c.b.count * c.b.n, c);
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_pttrs_cuda[] = {
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
