/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gttrf and gttrs: LU of tridiagonal matrices with partial pivoting, and solves with it.
 *   cuda.thread      through shared memory: tridiagonal/gttrf_thread.cuh
 *   cuda.reference   straight from global memory: tridiagonal/gttrf_reference.cuh
 */
#include "batched/band/cuda/tridiagonal/gttrf_reference.cuh"
#include "batched/band/cuda/tridiagonal/gttrf_thread.cuh"

namespace batched_cuda::band
{
namespace
{

template <class T> gttrf_call<T> typed(const batched_gttrf_args &p)
{
  return {view<T>(p.dl), view<T>(p.d), view<T>(p.du), view<T>(p.du2), p.ipiv, p.info, batched_vector_bound(&p.d)};
}

int gttrf_thread(batched_ctx *ctx, const batched_gttrf_args &p)
{
  return with_type(p.d.type, [&](auto t) { return launch_gttrf_thread(ctx, typed<decltype(t)>(p)); });
}
int gttrf(batched_ctx *ctx, const batched_gttrf_args &p)
{
  return with_type(p.d.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, gttrf_reference<T>, ceil_div(p.d.count, REFERENCE_THREADS), REFERENCE_THREADS, 0, typed<T>(p));
  });
}

/* ------------------------------------------------------------------ gttrs */

template <class T> gttrs_call<T> typed(const batched_gttrs_args &p)
{
  return {p.trans,
          view<T>(p.dl),
          view<T>(p.d),
          view<T>(p.du),
          view<T>(p.du2),
          view<T>(p.b),
          pivots_of_factors(p.d, p.ipiv, batched_vector_bound(&p.d))};
}

bool fits_gttrs_thread(const batched_gttrs_args &p)
{
  return p.trans == BATCHED_NO_TRANS && p.b.n > 0 && !p.b.ns;
}
int gttrs_thread(batched_ctx *ctx, const batched_gttrs_args &p)
{
  return with_type(p.b.type, [&](auto t) { return launch_gttrs_thread(ctx, typed<decltype(t)>(p)); });
}
int gttrs(batched_ctx *ctx, const batched_gttrs_args &p)
{
  return with_type(p.b.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, gttrs_reference<T>, ceil_div(p.b.count * p.b.n, REFERENCE_THREADS), REFERENCE_THREADS, 0,
                  typed<T>(p));
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_gttrf_cuda[] = {
  row<nullptr, nullptr, gttrf_thread>("cuda.thread"),
  row<nullptr, nullptr, gttrf>("cuda.reference"),
  BATCHED_LAST_ROW,
};
const batched_variant batched_gttrs_cuda[] = {
  row<fits_gttrs_thread, nullptr, gttrs_thread>("cuda.thread"),
  row<nullptr, nullptr, gttrs>("cuda.reference"),
  BATCHED_LAST_ROW,
};
