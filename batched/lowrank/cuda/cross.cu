/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adaptive cross approximation with partial pivoting.
 */
#include "batched/cuda/launch.cuh"
#include "batched/cuda/reduce.cuh"
#include "batched/lowrank/lowrank.h"

namespace batched_cuda::lowrank
{
namespace
{

constexpr int THREADS = 256;

template <class T> struct crosses {
  batch<T> a, x, y;
  double enough;
  bool absolute;
};

/* The largest |z_i| of a block's threads, the first of several, and the sum of squares.  A NaN is larger than all. */
struct pivot {
  double size = -1, square = 0;
  int at = 0;

  __device__ __forceinline__ void add(double size_of_one, int place)
  {
    if (!(size_of_one <= size)) size = size_of_one, at = place;
    square += size_of_one * size_of_one;
  }
  __device__ __forceinline__ void merge(const pivot &p)
  {
    const bool nan = size != size, other_nan = p.size != p.size;
    const bool better = nan == other_nan ? p.size > size || ((p.size == size || nan) && p.at < at) : other_nan;
    if (better) size = p.size, at = p.at;
    square += p.square;
  }
  __device__ __forceinline__ pivot shuffled(int lanes, int width) const
  {
    pivot p;
    p.size = shuffle_xor(size, lanes, width);
    p.square = shuffle_xor(square, lanes, width);
    p.at = __shfl_xor_sync(all_lanes, at, lanes, width);
    return p;
  }
};

/* Row cuda.block of cross
 *   algorithm  a row of A less the crosses so far, its largest element, that column, and so on: Bebendorf, Numer. Math.
 *              86, 2000; a thread per element of the row or column
 *   grid       a block of 256 threads per matrix
 *   takes      any size, all types, uniform and variable
 *   memory     k rows and columns of A, X and Y k / 2 times
 *   accuracy   that of the algorithm: no bound */
template <class T> __global__ void __launch_bounds__(THREADS) cross_block(crosses<T> f)
{
  __shared__ pivot shared[THREADS / warp_size];
  for (int64_t b = blockIdx.x; b < f.a.count; b += gridDim.x) {
    const int m = f.a.rows(b), n = f.a.cols(b), most = f.x.n;
    const int64_t lda = f.a.leading(b), ldx = f.x.leading(b), ldy = f.y.leading(b);
    const T *a = m > 0 && n > 0 ? f.a.at(b) : nullptr;
    T *x = m > 0 ? f.x.at(b) : nullptr, *y = n > 0 ? f.y.at(b) : nullptr;
    double all = 0;
    int i = 0, k = 0;
    for (int rows = 0; rows < m && k < most && k < n; rows++) {
      T *column = x + k * ldx, *row = y + k * ldy;
      pivot of_row, of_column;
      for (int j = threadIdx.x; j < n; j += THREADS) {
        T sum = conj(a[i + j * lda]);
        for (int l = 0; l < k; l++) sum -= conj(x[i + l * ldx]) * y[j + l * ldy];
        row[j] = sum;
        of_row.add((double)abs(sum), j);
      }
      __syncthreads();
      of_row = merge_block(of_row, shared);
      __syncthreads();
      if (of_row.size == 0) {
        i = (i + 1) % m;
        continue;
      }
      const int j = of_row.at;
      const T divisor = row[j];
      for (int l = threadIdx.x; l < m; l += THREADS) {
        T sum = a[l + j * lda];
        for (int p = 0; p < k; p++) sum -= x[l + p * ldx] * conj(y[j + p * ldy]);
        if (l == i) sum = conj(divisor);
        column[l] = sum;
        const double size = (double)abs(sum);
        if (l == i)
          of_column.square += size * size;
        else
          of_column.add(size, l);
      }
      __syncthreads();
      for (int l = threadIdx.x; l < n; l += THREADS) row[l] = divide(row[l], divisor);
      of_column = merge_block(of_column, shared);
      __syncthreads();
      const double size = of_column.square * (of_row.square / (of_row.size * of_row.size));
      all += size;
      i = of_column.size < 0 ? 0 : of_column.at;
      k++;
      if (size <= f.enough * f.enough * (f.absolute ? 1 : all) || size != size) break;
    }
    for (; k < most; k++) {
      for (int l = threadIdx.x; l < m; l += THREADS) x[l + k * ldx] = make<T>(0);
      for (int l = threadIdx.x; l < n; l += THREADS) y[l + k * ldy] = make<T>(0);
    }
    __syncthreads();
  }
}

int block(batched_ctx *ctx, const batched_cross_args &c)
{
  return with_type(c.a.type, [&](auto type) {
    using T = decltype(type);
    const crosses<T> f = {view<T>(c.a), view<T>(c.x), view<T>(c.y), c.enough, c.absolute};
    return launch(ctx, cross_block<T>, f.a.count, THREADS, 0, f);
  });
}

} // namespace
} // namespace batched_cuda::lowrank

using namespace batched_cuda;
using namespace batched_cuda::lowrank;

const batched_variant batched_cross_cuda[] = {row<nullptr, nullptr, block>("cuda.block"), BATCHED_LAST_ROW};
