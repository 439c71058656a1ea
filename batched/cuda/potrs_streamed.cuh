/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Both triangular solves of potrs by one block a matrix, a thread a row, for factors that shared memory can't hold:
 * the forward solve reads the factor from memory, a few columns ahead, and keeps the last columns, with which the
 * backward solve begins; the others are read again, the latest first, as the cache has them.
 */
#ifndef BATCHED_CUDA_POTRS_STREAMED_CUH
#define BATCHED_CUDA_POTRS_STREAMED_CUH

#include "cholesky.cuh"

namespace batched_cuda
{

constexpr int strip = 8; /* columns at a time */
constexpr int strips_ahead = 2;

/* Sum over the 32 lanes of each of 8 values: lane t gets the one of number t / 4. */
template <class T> __device__ __forceinline__ T sum_of_eight(T (&v)[strip])
{
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 4, bit = 16; half > 0; half /= 2, bit /= 2) {
    const bool upper = lane & bit;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if (k >= half) continue;
      const T send = choose(upper, v[k], v[k + half]), keep = choose(upper, v[k + half], v[k]);
      v[k] = keep + shuffle_xor(send, bit);
    }
  }
  v[0] += shuffle_xor(v[0], 2);
  return v[0] + shuffle_xor(v[0], 1);
}

template <class T, int R> struct streamed_solver {
  const T *a; /* L(i, j) at a[i * row + j * col], conjugated if told; n x n */
  int64_t row, col;
  int n, kept; /* strips from `kept` on stay in shared memory */
  bool conjugate;
  T *pieces;    /* 2 x R x strip: solved rows of the strip */
  T *partial;   /* 2 x warps x R x strip: sums over the rows of a warp */
  T *diagonals; /* the strips' diagonal blocks, by rows */
  T *cache;

  static constexpr int64_t fixed(int n)
  {
    const int64_t warps = ceil_div(n, 32), strips = ceil_div(n, strip);
    return 2 * R * strip * (1 + warps) + strips * strip * strip;
  }
  /* Elements of the strips from `kept` on, below the diagonal blocks. */
  static DEVICE int64_t cached(int n, int kept)
  {
    const int64_t strips = (n + strip - 1) / strip - kept;
    return strips * (strips - 1) / 2 * strip * strip;
  }

  /* The strip's columns in row i, of L itself. */
  __device__ __forceinline__ void load(int j, T (&l)[strip]) const
  {
    const int i = threadIdx.x;
#pragma unroll
    for (int k = 0; k < strip; k++) {
      const int c = j * strip + k;
      l[k] = c <= i && i < n ? conj_if(conjugate, a[i * row + c * col]) : make<T>(0);
    }
  }
  __device__ __forceinline__ T *kept_at(int j) const
  {
    const int rest = (n + strip - 1) / strip - 1 - j;
    return cache + (int64_t)rest * (rest - 1) / 2 * strip * strip + threadIdx.x - (j + 1) * strip;
  }

  __device__ __forceinline__ void keep(int j, const T (&l)[strip]) const
  {
    const int rows = ((n + strip - 1) / strip - 1 - j) * strip, i = threadIdx.x - (j + 1) * strip;
    if (j < kept || i < 0 || i >= rows) return;
    T *to = kept_at(j);
#pragma unroll
    for (int k = 0; k < strip; k++) to[k * rows] = l[k];
  }
  __device__ __forceinline__ void fetch(int j, T (&l)[strip]) const
  {
    if (j < 0) return;
    if (j < kept) {
      load(j, l);
      return;
    }
    const int rows = ((n + strip - 1) / strip - 1 - j) * strip, i = threadIdx.x - (j + 1) * strip;
    const T *from = kept_at(j);
#pragma unroll
    for (int k = 0; k < strip; k++) l[k] = i >= 0 && i < rows ? from[k * rows] : make<T>(0);
  }

  /* The 8 rows of a strip, by the warp that they are in; e: what the row has before (after) its diagonal element. */
  template <bool backward>
  __device__ __forceinline__ void solve_block(int j, const T (&e)[strip], T scale, T (&x)[R]) const
  {
    const int r = threadIdx.x - j * strip, source = j * strip % 32;
#pragma unroll
    for (int step = 0; step < strip; step++) {
      const int k = backward ? strip - 1 - step : step;
#pragma unroll
      for (int c = 0; c < R; c++) {
        const T y = shuffle(scale * x[c], source + k);
        x[c] = choose(r == k, y, mad(-e[k], y, x[c]));
      }
    }
  }

  __device__ __forceinline__ void forward_step(int j, const T (&l)[strip], T &inverse, T (&x)[R]) const
  {
    const int r = threadIdx.x - j * strip;
    T *piece = pieces + (j & 1) * R * strip;
    if ((int)threadIdx.x / 32 == j * strip / 32) {
      const bool mine = r >= 0 && r < strip;
      T e[strip], d = make<T>(1);
#pragma unroll
      for (int k = 0; k < strip; k++) {
        e[k] = choose(mine && k < r, l[k], make<T>(0));
        d = choose(k == r && r + j * strip < n, l[k], d);
        if (mine) diagonals[(j * strip + r) * strip + k] = l[k];
      }
      if (mine) inverse = divide(make<T>(1), d);
      solve_block<false>(j, e, inverse, x);
#pragma unroll
      for (int c = 0; c < R; c++)
        if (mine) piece[c * strip + r] = x[c];
    }
    __syncthreads();
    if (r >= strip) {
#pragma unroll
      for (int c = 0; c < R; c++)
#pragma unroll
        for (int k = 0; k < strip; k++) x[c] = mad(-l[k], piece[c * strip + k], x[c]);
    }
    keep(j, l);
  }

  __device__ __forceinline__ void backward_step(int j, const T (&l)[strip], T inverse, T (&x)[R]) const
  {
    const int r = threadIdx.x - j * strip, lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32,
              own = j * strip / 32;
    T *sums = partial + (j & 1) * warps * R * strip;
    if (warp >= own) {
#pragma unroll
      for (int c = 0; c < R; c++) {
        T v[strip];
#pragma unroll
        for (int k = 0; k < strip; k++) v[k] = choose(r >= strip, conj(l[k]) * x[c], make<T>(0));
        const T sum = sum_of_eight(v);
        if (lane % 4 == 0) sums[(warp * R + c) * strip + lane / 4] = sum;
      }
    }
    __syncthreads();
    if (warp != own) return;
    const bool mine = r >= 0 && r < strip;
    T e[strip];
#pragma unroll
    for (int k = 0; k < strip; k++) e[k] = mine && k > r ? conj(diagonals[(j * strip + k) * strip + r]) : make<T>(0);
    if (mine) {
      for (int w = own; w < warps; w++)
#pragma unroll
        for (int c = 0; c < R; c++) x[c] -= sums[(w * R + c) * strip + r];
    }
    solve_block<true>(j, e, conj(inverse), x);
  }

  __device__ __forceinline__ void solve(T (&x)[R]) const
  {
    constexpr int stages = strips_ahead + 1;
    const int strips = (n + strip - 1) / strip;
    T l[stages][strip], inverse = make<T>(0);
#pragma unroll
    for (int s = 0; s < strips_ahead; s++) load(s, l[s]);
    for (int j = 0; j < strips; j += stages) {
#pragma unroll
      for (int s = 0; s < stages; s++) {
        if (j + s >= strips) break;
        load(j + s + strips_ahead, l[(s + strips_ahead) % stages]);
        forward_step(j + s, l[s], inverse, x);
      }
    }
#pragma unroll
    for (int s = 0; s < strips_ahead; s++) fetch(strips - 1 - s, l[s]);
    __syncthreads();
    for (int j = 0; j < strips; j += stages) {
#pragma unroll
      for (int s = 0; s < stages; s++) {
        if (j + s >= strips) break;
        fetch(strips - 1 - (j + s + strips_ahead), l[(s + strips_ahead) % stages]);
        backward_step(strips - 1 - (j + s), l[s], inverse, x);
      }
    }
    __syncthreads();
  }
};

template <class T, int R>
static __global__ void __launch_bounds__(sizeof(T) > 8 ? 256 : 512)
  solve_streamed(batched_uplo uplo, batch<T> a, batch<T> x, int64_t room)
{
  const bool lower = uplo == BATCHED_LOWER;
  for (int64_t b = blockIdx.x; b < x.count; b += gridDim.x) {
    using solver = streamed_solver<T, R>;
    const int n = x.rows(b), nrhs = x.cols(b), warps = blockDim.x / 32, strips = (n + strip - 1) / strip;
    if (n == 0 || nrhs == 0) continue;
    const int64_t lda = a.leading(b), ldb = x.leading(b);
    int kept = strips;
    while (kept > 0 && solver::cached(n, kept - 1) <= room) kept--;
    T *shared = shared_array<T>(), *partial = shared + 2 * R * strip, *diagonals = partial + 2 * R * strip * warps;
    const solver s{a.at(b), lower ? 1 : lda, lower ? lda : 1, n,         kept,
                   !lower,  shared,          partial,         diagonals, diagonals + strips * strip * strip};
    const int i = threadIdx.x;
    T *at = x.at(b) + i;
    for (int j = 0; j < nrhs; j += R) {
      T y[R];
#pragma unroll
      for (int c = 0; c < R; c++) y[c] = i < n && j + c < nrhs ? at[(j + c) * ldb] : make<T>(0);
      s.solve(y);
#pragma unroll
      for (int c = 0; c < R; c++)
        if (i < n && j + c < nrhs) at[(j + c) * ldb] = y[c];
    }
  }
}

} // namespace batched_cuda

#endif
