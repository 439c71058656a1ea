/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of pttrf, pttrs and ptsv: A = L D L^H of positive definite tridiagonal matrices, and solves with it.
 *   cuda.thread      through shared memory: tridiagonal/pttrf_thread.cuh
 *   cuda.reference   straight from global memory: tridiagonal/pttrf_reference.cuh
 */
#include "batched/band/cuda/tridiagonal/pttrf_reference.cuh"
#include "batched/band/cuda/tridiagonal/pttrf_thread.cuh"

namespace batched_cuda::band
{
namespace
{

int pttrf(batched_ctx *ctx, const batched_pttrf_args &p)
{
  return with_type(p.e.type, [&](auto t) {
    using T = decltype(t);
    const ldl_call<T> c = {false, view<real_of<T>>(p.d), view<T>(p.e), {}, p.info};
    return launch_ldl(ctx, pttrf_reference<T>, c.d.count, c);
  });
}

int pttrs(batched_ctx *ctx, const batched_pttrs_args &p)
{
  return with_type(p.e.type, [&](auto t) {
    using T = decltype(t);
    const ldl_call<T> c = {p.uplo == BATCHED_UPPER, view<real_of<T>>(p.d), view<T>(p.e), view<T>(p.b), nullptr};
    return launch_ldl(ctx, pttrs_reference<T>, c.b.count * c.b.n, c);
  });
}

int ptsv(batched_ctx *ctx, const batched_ptsv_args &p)
{
  return with_type(p.e.type, [&](auto t) {
    using T = decltype(t);
    const ldl_call<T> c = {false, view<real_of<T>>(p.d), view<T>(p.e), view<T>(p.b), p.info};
    return launch_ldl(ctx, ptsv_reference<T>, c.d.count, c);
  });
}

int pttrf_thread(batched_ctx *ctx, const batched_pttrf_args &p)
{
  return with_type(p.e.type, [&](auto t) {
    using T = decltype(t);
    return launch_ldl_thread<T, true, false>(ctx, {false, view<real_of<T>>(p.d), view<T>(p.e), {}, p.info});
  });
}

bool fits_pttrs_thread(const batched_pttrs_args &p)
{
  return p.b.n > 0 && !p.b.ns;
}
int pttrs_thread(batched_ctx *ctx, const batched_pttrs_args &p)
{
  return with_type(p.e.type, [&](auto t) {
    using T = decltype(t);
    const ldl_call<T> c = {p.uplo == BATCHED_UPPER, view<real_of<T>>(p.d), view<T>(p.e), view<T>(p.b), nullptr};
    return launch_ldl_thread<T, false, true>(ctx, c);
  });
}

/* With several right-hand sides one after the other; they hold anything where there is no factor. */
bool fits_ptsv_thread(const batched_ptsv_args &p)
{
  return p.b.n > 0 && !p.b.ns;
}
int ptsv_thread(batched_ctx *ctx, const batched_ptsv_args &p)
{
  return with_type(p.e.type, [&](auto t) {
    using T = decltype(t);
    const ldl_call<T> c = {false, view<real_of<T>>(p.d), view<T>(p.e), view<T>(p.b), p.info};
    if (p.b.n == 1) return launch_ldl_thread<T, true, true>(ctx, c);
    const int status = launch_ldl_thread<T, true, false>(ctx, c);
    return status ? status : launch_ldl_thread<T, false, true>(ctx, c);
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_pttrf_cuda[] = {
  row<nullptr, nullptr, pttrf_thread>("cuda.thread"),
  row<nullptr, nullptr, pttrf>("cuda.reference"),
  BATCHED_LAST_ROW,
};
const batched_variant batched_pttrs_cuda[] = {
  row<fits_pttrs_thread, nullptr, pttrs_thread>("cuda.thread"),
  row<nullptr, nullptr, pttrs>("cuda.reference"),
  BATCHED_LAST_ROW,
};
const batched_variant batched_ptsv_cuda[] = {
  row<fits_ptsv_thread, nullptr, ptsv_thread>("cuda.thread"),
  row<nullptr, nullptr, ptsv>("cuda.reference"),
  BATCHED_LAST_ROW,
};
