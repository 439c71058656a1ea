/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of pttrf.  cuda.reference is in ldl.cuh.
 */
#include "batched/band/cuda/ldl.cuh"

namespace batched_cuda::band
{
namespace
{

int reference(batched_ctx *ctx, const batched_pttrf_args &p)
{
  return with_type(p.e.type, [&](auto t) {
    using T = decltype(t);
    const ldl_call<T> c = {false, view<real_of<T>>(p.d), view<T>(p.e), {}, p.info};
    return launch_ldl(ctx, pttrf_reference<T>, c.d.count, c);
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_pttrf_cuda[] = {
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};
