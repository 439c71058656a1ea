/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rank that a tolerance needs, from singular values, and V^H scaled by these.
 */
#include "batched/cuda/launch.cuh"
#include "batched/lowrank/lowrank.h"

namespace batched_cuda::lowrank
{
namespace
{

template <class T> struct truncation {
  batch<real_of<T>> s;
  batch<T> vt;
  batched_truncation t;
  int most;
  int *ranks, *info;
};

/* The least r with sum of s(i)^2 over i >= r at most the square of what may go, in units of s(0); values up to q eps
 * are rounding error. */
template <class R> struct singular_values {
  const R *s;
  int increment;
  const double *ratios; /* the same over the first one, if they are known */

  __device__ __forceinline__ double operator()(int i) const
  {
    return ratios ? ratios[i] : (double)(s[i * increment] / s[0]);
  }
};

template <class R> __device__ int needed_rank(const singular_values<R> &values, int q, const batched_truncation &t)
{
  if (q == 0 || values.s[0] == 0) return 0;
  double all = 0, tail = 0;
  for (int i = 0; i < q; i++) {
    const double x = values(i);
    all += x * x;
  }
  const double limit = t.absolute ? t.tolerance / (double)values.s[0] : t.tolerance * sqrt(all);
  int r = q;
  for (; r > 0; r--) {
    const double x = values(r - 1);
    tail += x * x;
    if (tail > limit * limit && x > q * (double)eps_of<R>) break;
  }
  return r;
}

/* Row cuda.block of truncate
 *   algorithm  thread 0 adds the squares of s from its end on, in double precision; then all scale the rows of V^H
 *   grid       a block of 128 threads per matrix
 *   takes      any size, all types, uniform and variable
 *   memory     s twice, V^H once read and once written, along its columns
 *   accuracy   one rounding for each element */
template <class T> __global__ void __launch_bounds__(128) truncate_block(truncation<T> f)
{
  __shared__ double ratios[128];
  for (int64_t b = blockIdx.x; b < f.vt.count; b += gridDim.x) {
    const int q = f.vt.rows(b), n = f.vt.cols(b), ld = f.vt.leading(b), increment = f.s.increment(b);
    const real_of<T> *s = f.s.at(b);
    if ((int)threadIdx.x < q && q <= 128) ratios[threadIdx.x] = s[threadIdx.x * increment] / s[0];
    __syncthreads();
    if (threadIdx.x == 0) {
      const bool failed = f.info[b] != 0;
      const int needed = failed ? q + 1 : needed_rank<real_of<T>>({s, increment, q <= 128 ? ratios : nullptr}, q, f.t);
      const int most = f.t.max_rank ? min(f.most, f.t.max_rank) : f.most;
      f.ranks[b] = min(failed ? 1 : needed, min(most, q));
      f.info[b] = failed || (needed > most && f.t.tolerance > 0) ? needed : 0;
    }
    T *v = q > 0 ? f.vt.at(b) : nullptr;
    for (int64_t e = threadIdx.x; e < (int64_t)q * n; e += blockDim.x) {
      const int i = (int)(e % q), j = (int)(e / q);
      v[i + (int64_t)j * ld] = s[i * increment] * v[i + (int64_t)j * ld];
    }
    __syncthreads();
  }
}

int block(batched_ctx *ctx, const batched_truncate_args &t)
{
  return with_type(t.vt.type, [&](auto type) {
    using T = decltype(type);
    const truncation<T> f = {view<real_of<T>>(t.s), view<T>(t.vt), t.t, t.most, t.ranks, t.info};
    return launch(ctx, truncate_block<T>, f.vt.count, 128, 0, f);
  });
}

} // namespace
} // namespace batched_cuda::lowrank

using namespace batched_cuda;
using namespace batched_cuda::lowrank;

const batched_variant batched_truncate_cuda[] = {row<nullptr, nullptr, block>("cuda.block"), BATCHED_LAST_ROW};
