/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of drivers that are made of other operations: each a pass over what it writes, a thread or a warp for each
 * element, column or matrix.
 */
#include "batched/cuda/launch.cuh"
#include "batched/eigen/steps.h"

namespace batched_cuda::eigen
{
namespace
{

__global__ void __launch_bounds__(256)
  write_sizes(int64_t count, int m, int n, const int *ms, const int *ns, batched_sizes s)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < count; b += (int64_t)gridDim.x * blockDim.x) {
    const int rows = ms ? ms[b] : m, cols = ns ? ns[b] : n, k = min(rows, cols);
    const int tall = rows >= cols ? k : 0, wide = k - tall;
    s.mins[b] = k;
    s.tall[b] = tall;
    s.wide[b] = wide;
    s.mins_less[b] = max(k - 1, 0);
    s.tall_less[b] = max(tall - 1, 0);
    s.wide_less[b] = max(wide - 1, 0);
  }
}

int find_sizes(batched_ctx *ctx, const batched_matrix *a, const batched_sizes *s)
{
  return launch(ctx, write_sizes, ceil_div(a->count, 256), 256, 0, a->count, a->m, a->n, a->ms, a->ns, *s);
}

template <class T> __global__ void __launch_bounds__(256) store_matrices(const int *info, batch<T> x, batch<T> y)
{
  for (int64_t b = blockIdx.x; b < y.count; b += gridDim.x) {
    const int m = y.rows(b), n = y.cols(b);
    const bool good = info[b] <= 0;
    for (int64_t e = threadIdx.x; e < (int64_t)m * n; e += blockDim.x) {
      const int64_t i = e % m, j = e / m;
      y.at(b)[i + j * y.leading(b)] = good ? x.at(b)[i + j * x.leading(b)] : make<T>(real_of<T>(NAN), real_of<T>(NAN));
    }
  }
}

int store(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y)
{
  return with_type(y->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, store_matrices<T>, y->count, 256, 0, info, view<T>(*x), view<T>(*y));
  });
}

template <class R> __global__ void __launch_bounds__(128) store_vectors(const int *info, batch<R> x, batch<R> y)
{
  for (int64_t b = blockIdx.x; b < y.count; b += gridDim.x) {
    const int n = y.length(b);
    const bool good = info[b] <= 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
      y.at(b)[i * y.increment(b)] = good ? x.at(b)[i * x.increment(b)] : R(NAN);
  }
}

int store_values(batched_ctx *ctx, const int *info, const batched_matrix *x, const batched_matrix *y)
{
  if (y->type == BATCHED_S)
    return launch(ctx, store_vectors<float>, y->count, 128, 0, info, view<float>(*x), view<float>(*y));
  return launch(ctx, store_vectors<double>, y->count, 128, 0, info, view<double>(*x), view<double>(*y));
}

/* A warp per column. */
template <class T> __global__ void __launch_bounds__(256) turn_columns(batch<T> z, batch<T> vt)
{
  using R = real_of<T>;
  const int lane = threadIdx.x % 32;
  for (int64_t b = blockIdx.x; b < z.count; b += gridDim.x) {
    const int m = z.rows(b), n = z.cols(b), cols = vt.count > 0 ? vt.cols(b) : 0;
    for (int j = threadIdx.x / 32; j < n; j += blockDim.x / 32) {
      T *const x = z.at(b) + j * (int64_t)z.leading(b);
      R most = 0;
      int at = INT_MAX;
      for (int i = lane; i < m; i += 32)
        if (abs(x[i]) > most) {
          most = abs(x[i]);
          at = i;
        }
      for (int half = 16; half > 0; half /= 2) {
        const R other = shuffle_xor(most, half);
        const int other_at = __shfl_xor_sync(0xffffffffu, at, half);
        if (other > most || (other == most && other_at < at)) {
          most = other;
          at = other_at;
        }
      }
      if (at == INT_MAX) continue;
      const T largest = x[at], phase = (1 / most) * conj(largest);
      __syncwarp();
      for (int i = lane; i < m; i += 32) x[i] = i == at ? make<T>(most) : x[i] * phase;
      for (int i = lane; i < cols; i += 32) {
        T &y = vt.at(b)[j + i * (int64_t)vt.leading(b)];
        y = y * conj(phase);
      }
    }
  }
}

int fix_signs(batched_ctx *ctx, const batched_matrix *z, const batched_matrix *vt)
{
  return with_type(z->type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, turn_columns<T>, z->count, 256, 0, view<T>(*z), vt->count > 0 ? view<T>(*vt) : batch<T>());
  });
}

__global__ void __launch_bounds__(256) add_numbers(int64_t count, const int *more, int *info)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < count; b += (int64_t)gridDim.x * blockDim.x)
    if (info[b] == 0) info[b] = more[b];
}

int add_info(batched_ctx *ctx, int64_t count, const int *more, int *info)
{
  return launch(ctx, add_numbers, ceil_div(count, 256), 256, 0, count, more, info);
}

} // namespace
} // namespace batched_cuda::eigen

const batched_eigen_steps batched_eigen_cuda_steps = {batched_cuda::eigen::find_sizes, batched_cuda::eigen::store,
                                                      batched_cuda::eigen::store_values, batched_cuda::eigen::fix_signs,
                                                      batched_cuda::eigen::add_info};
