/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tree of norm.  The max and the Frobenius norm are reductions of all elements (tree.cuh has the contract).
 * The other two are largest sums of columns (one norm) or of rows (infinity norm), by the kernels of this file: a part
 * of a warp does a small matrix, a block a larger one or a strip of it.
 *
 * grid      up to 2048 elements 4 to 32 lanes per matrix; else a block per matrix, or, beyond 2^18 elements, per strip
 *           of about 2^16 (64 columns or 32 rows at least), and then a warp per matrix for the largest of its strips
 * block     256 threads; largest of the strips 128
 * shared    a block per matrix or strip: 1024 real numbers, 8 KB in d and z, 4 KB in s and c
 * takes     all four types, any m and n, uniform and variable
 * memory    each element once, along the columns
 * accuracy  an order of the sums that the bounds m and n alone decide; NaN where an element is NaN
 */
#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/tree.cuh"

namespace batched_cuda::vectors
{
namespace
{

template <class T> struct sums {
  bool by_columns;
  batch<T> a;
  batch<real_of<T>> r;
};

template <class T> __device__ __forceinline__ real_of<T> abs_at(const T *a, int64_t ld, int i, int j, bool there)
{
  return there ? abs(a[i + j * ld]) : real_of<T>(0);
}

/* sum[u] += |a(0, u)| for U columns, of which there are `cols`. */
template <int U, class T>
__device__ __forceinline__ void add_abs(const T *a, int64_t ld, int cols, real_of<T> (&sum)[U])
{
  T e[U];
#pragma unroll
  for (int u = 0; u < U; u++) e[u] = u < cols ? a[u * ld] : make<T>(0);
#pragma unroll
  for (int u = 0; u < U; u++) sum[u] += abs(e[u]);
}

/* Small matrices: R lanes of rows per matrix.  Loops are as long as the largest matrix of the warp needs. */
template <class T, int R> __global__ void __launch_bounds__(256) largest_sums_of_lanes(sums<T> f)
{
  using Real = real_of<T>;
  constexpr int U = R < 8 ? R : 8;
  const int each = blockDim.x / R, r = threadIdx.x % R;
  for (int64_t first = (int64_t)blockIdx.x * each; first < f.r.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / R;
    const int m = b < f.r.count ? f.a.rows(b) : 0, n = b < f.r.count ? f.a.cols(b) : 0;
    const int64_t ld = b < f.r.count ? f.a.leading(b) : 1;
    const T *a = m > 0 && n > 0 ? f.a.at(b) : nullptr;
    const int most_m = __reduce_max_sync(all_lanes, m), most_n = __reduce_max_sync(all_lanes, n);
    maximum_of<Real> largest;
    if (f.by_columns) {
      for (int j = 0; j < most_n; j += U) {
        Real sum[U] = {};
        for (int i = r; i - r < most_m; i += R) add_abs(a + i + j * ld, ld, i < m ? n - j : 0, sum);
        largest.add(sum_transposed<U, R>(sum));
      }
    } else {
      for (int i = r; i < m; i += R) {
        Real sum = 0;
#pragma unroll 8
        for (int j = 0; j < n; j++) sum += abs_at(a, ld, i, j, true);
        largest.add(sum);
      }
    }
    largest = merge_lanes(largest, R);
    if (b < f.r.count && r == 0) *f.r.at(b) = largest.result();
  }
}

/* Strips of `width` columns or rows; with several of them per matrix, their results go to `partial`. */
struct strips {
  int width;
  int64_t each;
};

template <class T>
__device__ __forceinline__ maximum_of<real_of<T>> columns_of_block(const T *a, int64_t ld, int m, int begin, int end)
{
  using Real = real_of<T>;
  constexpr int U = 8;
  const int lane = threadIdx.x % 32;
  maximum_of<Real> largest;
  for (int j = begin + threadIdx.x / 32 * U; j < end; j += blockDim.x / 32 * U) {
    Real sum[U] = {};
#pragma unroll 2
    for (int i = lane; i < m; i += 32) add_abs(a + i + j * ld, ld, end - j, sum);
    __syncwarp();
    largest.add(sum_transposed<U, 32>(sum));
  }
  return largest;
}

template <class T>
__device__ __forceinline__ maximum_of<real_of<T>> rows_of_block(const T *a, int64_t ld, int n, int begin, int end,
                                                                real_of<T> *part)
{
  using Real = real_of<T>;
  constexpr int P = 4;
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  maximum_of<Real> largest;
  for (int i0 = begin; i0 < end; i0 += 32 * P) {
    Real sum[P] = {};
#pragma unroll 4
    for (int j = w; j < n; j += warps)
#pragma unroll
      for (int p = 0; p < P; p++) sum[p] += abs_at(a, ld, i0 + 32 * p + lane, j, i0 + 32 * p + lane < end);
#pragma unroll
    for (int p = 0; p < P; p++) part[(w * P + p) * 32 + lane] = sum[p];
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * P; i += blockDim.x) {
      Real total = part[i];
      for (int k = 1; k < warps; k++) total += part[k * 32 * P + i];
      largest.add(total);
    }
    __syncthreads();
  }
  return largest;
}

/* Larger matrices: a block per strip of s.width columns or rows. */
template <class T, bool by_columns>
__global__ void __launch_bounds__(256) largest_sums_of_strips(sums<T> f, strips s, maximum_of<real_of<T>> *partial)
{
  using Real = real_of<T>;
  Real *part = shared_array<Real>();
  for (int64_t item = blockIdx.x; item < f.r.count * s.each; item += gridDim.x) {
    const int64_t b = item / s.each;
    const int m = f.a.rows(b), n = f.a.cols(b), begin = (int)(item % s.each) * s.width;
    const int end = min(begin + s.width, by_columns ? n : m);
    const T *a = m > 0 && n > 0 ? f.a.at(b) : nullptr;
    maximum_of<Real> largest;
    if constexpr (by_columns)
      largest = columns_of_block(a, f.a.leading(b), m, begin, end);
    else
      largest = rows_of_block(a, f.a.leading(b), n, begin, end, part);
    largest = merge_block(largest, reinterpret_cast<maximum_of<Real> *>(part));
    if (threadIdx.x == 0) {
      if (partial)
        partial[item] = largest;
      else
        *f.r.at(b) = largest.result();
    }
    __syncthreads();
  }
}

/* The largest result of the strips. */
template <class T> struct found {
  batch<real_of<T>> r;
  int64_t count;

  __device__ __forceinline__ void store(int64_t b, real_of<T> norm) const
  {
    *r.at(b) = norm;
  }
};

template <class T> int large(batched_ctx *ctx, const sums<T> &f)
{
  using Real = real_of<T>;
  constexpr int whole = 512 * 512, part = 1 << 16;
  const int along = f.by_columns ? f.a.n : f.a.m, across = f.by_columns ? f.a.m : f.a.n;
  strips s = {along, 1};
  const int step = f.by_columns ? 64 : 32;
  if ((int64_t)along * across > whole) s.width = (int)ceil_div(part / (across < part ? across : part), step) * step;
  s.each = ceil_div(along, s.width);
  maximum_of<Real> *partial = nullptr;
  if (s.each > 1) {
    partial = static_cast<maximum_of<Real> *>(
      batched_scratch_push(ctx, (size_t)(f.r.count * s.each) * sizeof(maximum_of<Real>)));
    if (!partial) return BATCHED_NO_MEMORY;
  }
  const auto kernel = f.by_columns ? largest_sums_of_strips<T, true> : largest_sums_of_strips<T, false>;
  int status = launch(ctx, kernel, f.r.count * s.each, 256, 4 * 256 * sizeof(Real), f, s, partial);
  if (!partial) return status;
  if (!status)
    status = launch(ctx, merge_pieces<maximum_of<Real>, found<T>>, ceil_div(f.r.count, 4), 128, 0,
                    found<T>{f.r, f.r.count}, s.each, partial);
  batched_scratch_pop(ctx);
  return status;
}

template <class T, int R> int small(batched_ctx *ctx, const sums<T> &f)
{
  return launch(ctx, largest_sums_of_lanes<T, R>, ceil_div(f.r.count, 256 / R), 256, 0, f);
}

template <class T> int largest_sum(batched_ctx *ctx, const sums<T> &f)
{
  const int m = f.a.m, n = f.a.n;
  if ((int64_t)m * n > 2048) return large(ctx, f);
  if (m <= 4) return small<T, 4>(ctx, f);
  if (m <= 8) return small<T, 8>(ctx, f);
  if (m <= 16) return small<T, 16>(ctx, f);
  return small<T, 32>(ctx, f);
}

int tree(batched_ctx *ctx, const batched_norm_args &d)
{
  return with_type(d.a.type, [&](auto t) {
    using T = decltype(t);
    const elements_of<T> f = {view<T>(d.a), view<real_of<T>>(d.r), d.r.count};
    if (d.kind == BATCHED_MAX_NORM) return reduce<maximum_abs<T>>(ctx, f, d.a.m, d.a.n);
    if (d.kind == BATCHED_FROBENIUS_NORM) return reduce<scaled_norm<T>>(ctx, f, d.a.m, d.a.n);
    return largest_sum(ctx, sums<T>{d.kind == BATCHED_ONE_NORM, f.a, f.r});
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_norm_cuda[] = {row<nullptr, nullptr, tree>("cuda.tree"), BATCHED_LAST_ROW};
