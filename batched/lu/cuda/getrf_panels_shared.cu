/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.panels_shared of getrf (getrf_panels_shared.cuh), compiled apart from the others.
 */
#include "batched/lu/cuda/getrf_panels_shared.cuh"

namespace batched_cuda::lu
{

bool fits_panels_shared(const batched_getrf_args &p)
{
  return p.a.type != BATCHED_D && holds_for(p.a.type, [&](auto t) {
           using T = decltype(t);
           if constexpr (type_of<T> == BATCHED_D)
             return false;
           else
             return lu_shared_fits<T>(p.a.m, p.a.n);
         });
}

int run_panels_shared(batched_ctx *ctx, const batched_getrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    if constexpr (type_of<T> == BATCHED_D)
      return (int)BATCHED_NO_VARIANT;
    else
      return launch_getrf_panels_shared<T>(ctx, p);
  });
}

} // namespace batched_cuda::lu
