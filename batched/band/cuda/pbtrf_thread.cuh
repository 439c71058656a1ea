/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.thread of pbtrf: Cholesky's factors of bands of up to three diagonals beside the main one, a thread per
 * matrix.  A warp has eight of them, which few batches have enough of, and copies sixteen columns of each at a time
 * through shared memory, so that global memory is read and written in whole pieces; the columns that come next are
 * copied meanwhile.
 *
 * A column of ab is one of L (LOWER), whose products with itself a thread keeps for the next ones: right-looking; or,
 * conjugated, a row of L = U^H (UPPER), which is solved for with the last rows, which a thread keeps, too.
 *
 * grid      a block per eight matrices
 * block     32 threads
 * shared    two stages of 8 matrices' 16 columns of KD + 1 numbers (6 KB for KD = 2 in double precision)
 * takes     all four types, any n, kd <= KD = 1, 2 or 3, uniform and variable
 * reads     one triangle of ab, once; writes it and info (the first minor that is not positive; columns from there on
 *           are no factors)
 * accuracy  |L L^H - A| < 30 n eps |A|; multiplies by reciprocal roots
 */
#ifndef BATCHED_BAND_CUDA_PBTRF_THREAD_CUH
#define BATCHED_BAND_CUDA_PBTRF_THREAD_CUH

#include "batched/band/cuda/pbtrf_warp.cuh"

namespace batched_cuda::band
{

enum { DEFINITE_COLUMNS = 16, DEFINITE_MATRICES = 8 };

/* Columns of a warp's matrices: number r of a column is r places from the diagonal. */
template <class T, int KD> struct definite_stage {
  enum { ROWS = KD + 1, NUMBERS = DEFINITE_COLUMNS * ROWS, PITCH = NUMBERS + 1 - NUMBERS % 2 };
  T x[DEFINITE_MATRICES][PITCH];
};

/* Columns of L, of which the last KD leave their products. */
template <class T, int KD> struct definite_lower {
  T products[KD][KD]; /* what the next columns' elements lose */

  __device__ __forceinline__ definite_lower()
  {
#pragma unroll
    for (int c = 0; c < KD; c++) {
#pragma unroll
      for (int r = 0; r < KD; r++) products[c][r] = make<T>(0);
    }
  }
  /* A column; false where its pivot is not positive. */
  __device__ __forceinline__ bool factor(T (&x)[KD + 1])
  {
    const pivot_root<real_of<T>> d = root_of(real(x[0]) - real(products[0][0]));
    if (!(d.root > 0)) return false;
    x[0] = make<T>(d.root);
#pragma unroll
    for (int r = 1; r <= KD; r++) x[r] = d.inverse * (r < KD ? x[r] - products[0][r] : x[r]);
#pragma unroll
    for (int c = 0; c < KD; c++) {
#pragma unroll
      for (int r = 0; r < KD - c; r++) {
        const T before = c + 1 < KD ? products[c + 1][r] : make<T>(0);
        products[c][r] = mad(x[c + 1 + r], conj(x[c + 1]), before);
      }
    }
    return true;
  }
};

/* Rows of L, conjugated, of which the last KD are kept: last[r] is the row r + 1 above, last[r][q] its number q. */
template <class T, int KD> struct definite_upper {
  T last[KD][KD + 1];
  real_of<T> inverse[KD];

  __device__ __forceinline__ definite_upper()
  {
#pragma unroll
    for (int r = 0; r < KD; r++) {
      inverse[r] = 0;
#pragma unroll
      for (int q = 0; q <= KD; q++) last[r][q] = make<T>(0);
    }
  }
  __device__ __forceinline__ bool factor(T (&x)[KD + 1])
  {
    real_of<T> pivot = real(x[0]);
#pragma unroll
    for (int r = KD; r > 0; r--) {
      T sum = x[r];
#pragma unroll
      for (int q = KD; q > r; q--) sum = mad(-x[q], conj(last[r - 1][q - r]), sum);
      x[r] = inverse[r - 1] * sum;
      pivot -= real(x[r] * conj(x[r]));
    }
    const pivot_root<real_of<T>> d = root_of(pivot);
    if (!(d.root > 0)) return false;
    x[0] = make<T>(d.root);
#pragma unroll
    for (int r = KD - 1; r >= 0; r--) {
      inverse[r] = r > 0 ? inverse[r - 1] : d.inverse;
#pragma unroll
      for (int q = 0; q <= KD; q++) last[r][q] = r > 0 ? last[r - 1][q] : x[q];
    }
    return true;
  }
};

/* A lane's matrix, of which the first DEFINITE_MATRICES lanes have one; n = 0 where there is none. */
template <class T, int KD> struct definite_matrices {
  using stage = definite_stage<T, KD>;
  stage *stages;
  int lane, n, kd;
  bool upper;
  T *at;
  int64_t ld;

  /* f(staged element, element in memory, whether there is one) for the columns from k0 on. */
  template <class F> __device__ __forceinline__ void each(stage &s, int k0, F f) const
  {
    const auto address = reinterpret_cast<int64_t>(at);
#pragma unroll
    for (int turn = 0; turn < DEFINITE_MATRICES * stage::NUMBERS / 32; turn++) {
      const int place = lane + 32 * turn, matrix = place / stage::NUMBERS, e = place % stage::NUMBERS,
                column = k0 + e / stage::ROWS, r = e % stage::ROWS;
      T *from = reinterpret_cast<T *>(__shfl_sync(all_lanes, address, matrix));
      const int64_t between = __shfl_sync(all_lanes, ld, matrix);
      const int end = __shfl_sync(all_lanes, n, matrix), depth = __shfl_sync(all_lanes, kd, matrix);
      const bool exists = column < end && r <= depth && (upper ? r <= column : column + r < end);
      f(s.x[matrix][e], from + (upper ? depth - r : r) + column * between, exists);
    }
  }
  __device__ __forceinline__ void load(stage &s, int k0) const
  {
    each(s, k0, [](T &staged, const T *from, bool exists) { copy_or_clear(staged, from, exists); });
    copy_commit();
  }
  /* Columns 0 to most - 1; the first minor that is not positive. */
  template <class BY> __device__ __forceinline__ int factor(int most) const
  {
    BY by;
    int info = 0, turn = 0;
    load(stages[0], 0);
    for (int k0 = 0; k0 < most; k0 += DEFINITE_COLUMNS, turn ^= 1) {
      stage &s = stages[turn];
      load(stages[turn ^ 1], k0 + DEFINITE_COLUMNS);
      copy_wait<1>();
      __syncwarp();
      for (int i = 0; i < DEFINITE_COLUMNS && k0 + i < n && !info; i++) {
        T *column = s.x[lane] + i * stage::ROWS, x[KD + 1];
#pragma unroll
        for (int r = 0; r <= KD; r++) x[r] = conj_if(upper, column[r]);
        if (!by.factor(x)) {
          info = k0 + i + 1;
        } else {
#pragma unroll
          for (int r = 0; r <= KD; r++) column[r] = conj_if(upper, x[r]);
        }
      }
      __syncwarp();
      each(s, k0, [](const T &staged, T *to, bool exists) {
        if (exists) *to = staged;
      });
      __syncwarp();
    }
    copy_wait<0>();
    return info;
  }
};

template <class T, int KD> __global__ void __launch_bounds__(32) pbtrf_by_thread(pbtrf_call<T> c)
{
  const int lane = threadIdx.x;
  for (int64_t first = (int64_t)blockIdx.x * DEFINITE_MATRICES; first < c.ab.count;
       first += (int64_t)gridDim.x * DEFINITE_MATRICES) {
    const int64_t b = first + lane;
    const bool exists = lane < DEFINITE_MATRICES && b < c.ab.count;
    definite_matrices<T, KD> x = {
      shared_array<definite_stage<T, KD>>(), lane, exists ? c.ab.cols(b) : 0, 0, c.upper, nullptr, 0};
    if (x.n > 0) {
      x.kd = c.kd.at(b);
      x.at = c.ab.at(b);
      x.ld = c.ab.leading(b);
    }
    const int most = (int)__reduce_max_sync(all_lanes, (unsigned)x.n);
    int info = 0;
    if (most > 0)
      info = c.upper ? x.template factor<definite_upper<T, KD>>(most) : x.template factor<definite_lower<T, KD>>(most);
    if (exists) c.info[b] = info;
    __syncwarp();
  }
}

template <class T> int launch_pbtrf_thread(batched_ctx *ctx, const pbtrf_call<T> &c)
{
  const auto with = [&](auto kernel, size_t stage) {
    return launch(ctx, kernel, ceil_div(c.ab.count, DEFINITE_MATRICES), warp_size, 2 * stage, c);
  };
  if (c.kd.bound <= 1) return with(pbtrf_by_thread<T, 1>, sizeof(definite_stage<T, 1>));
  return c.kd.bound == 2 ? with(pbtrf_by_thread<T, 2>, sizeof(definite_stage<T, 2>))
                         : with(pbtrf_by_thread<T, 3>, sizeof(definite_stage<T, 3>));
}

} // namespace batched_cuda::band

#endif
