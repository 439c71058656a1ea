/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reductions over lanes, warps and blocks, for kernels.  What is reduced is an accumulator: a value with
 *   add(x)     takes an element of the matrix
 *   merge(a)   takes another accumulator of its kind
 *   shuffled(lanes, width)   the accumulator of lane ^ lanes
 * merge_lanes() and merge_block() bring those of a group of threads together, in every one of them, by a tree: always
 * in the same order.  scaled_norm<T> is the 2-norm without over- or underflow; the other ones are sum and maximum.
 */
#ifndef BATCHED_CUDA_REDUCE_CUH
#define BATCHED_CUDA_REDUCE_CUH

#include "batched/cuda/scalar.cuh"

namespace batched_cuda
{

template <class T> struct sum_of {
  T value = make<T>(0);

  __device__ __forceinline__ void add(T x)
  {
    value += x;
  }
  __device__ __forceinline__ void merge(const sum_of &a)
  {
    value += a.value;
  }
  __device__ __forceinline__ sum_of shuffled(int lanes, int width) const
  {
    return {shuffle_xor(value, lanes, width)};
  }
  __device__ __forceinline__ T result() const
  {
    return value;
  }
};

/* The largest of numbers >= 0, 0 if there are none; NaN if one of them is. */
template <class R> struct maximum_of {
  R value = 0;

  __device__ __forceinline__ void add(R x)
  {
    if (x > value || x != x) value = x;
  }
  __device__ __forceinline__ void merge(const maximum_of &a)
  {
    add(a.value);
  }
  __device__ __forceinline__ maximum_of shuffled(int lanes, int width) const
  {
    return {shuffle_xor(value, lanes, width)};
  }
  __device__ __forceinline__ R result() const
  {
    return value;
  }
};

template <class T> struct maximum_abs : maximum_of<real_of<T>> {
  __device__ __forceinline__ void add(T x)
  {
    maximum_of<real_of<T>>::add(abs(x));
  }
  __device__ __forceinline__ void merge(const maximum_abs &a)
  {
    maximum_of<real_of<T>>::add(a.value);
  }
  __device__ __forceinline__ maximum_abs shuffled(int lanes, int width) const
  {
    maximum_abs a;
    a.value = shuffle_xor(this->value, lanes, width);
    return a;
  }
};

/* Sums of squares of the tiny, the ordinary and the huge numbers apart, the first and the last ones scaled: Blue, A
 * portable Fortran program to find the Euclidean norm of a vector, ACM TOMS 4 (1978); bounds of Anderson, Algorithm
 * 978, ACM TOMS 44 (2017), as LAPACK has them. */
template <class T> struct scaled_norm {
  using R = real_of<T>;
  static constexpr bool is_single = sizeof(R) == 4;
  static constexpr R tiny = is_single ? R(0x1p-63) : R(0x1p-511), huge = is_single ? R(0x1p52) : R(0x1p486);
  static constexpr R up = is_single ? R(0x1p75) : R(0x1p537), down = is_single ? R(0x1p-76) : R(0x1p-538);

  R small = 0, medium = 0, large = 0;

  __device__ __forceinline__ void add_real(R x)
  {
    const R a = fabs(x);
    if (a > huge)
      large = fma(a * down, a * down, large);
    else if (a < tiny)
      small = fma(a * up, a * up, small);
    else
      medium = fma(a, a, medium);
  }
  __device__ __forceinline__ void add(T x)
  {
    add_real(real(x));
    if constexpr (is_complex<T>) add_real(imag(x));
  }
  __device__ __forceinline__ void merge(const scaled_norm &a)
  {
    small += a.small;
    medium += a.medium;
    large += a.large;
  }
  __device__ __forceinline__ scaled_norm shuffled(int lanes, int width) const
  {
    scaled_norm a;
    a.small = shuffle_xor(small, lanes, width);
    a.medium = shuffle_xor(medium, lanes, width);
    a.large = shuffle_xor(large, lanes, width);
    return a;
  }
  /* The norm.  A NaN is in `medium`, since it compares false. */
  __device__ __forceinline__ R result() const
  {
    if (large > 0) return sqrt(medium != 0 ? fma(medium * down, down, large) : large) / down;
    if (!(small > 0)) return sqrt(medium);
    const R x = sqrt(medium), y = sqrt(small) / up;
    if (!(x > 0)) return x == 0 ? y : x;
    const R most = x > y ? x : y, ratio = (x > y ? y : x) / most;
    return most * sqrt(fma(ratio, ratio, R(1)));
  }
};

/* Reduces over groups of `width` lanes (a power of two up to 32); the whole warp calls. */
template <class A> __device__ __forceinline__ A merge_lanes(A a, int width = 32)
{
  for (int half = width / 2; half > 0; half /= 2) a.merge(a.shuffled(half, width));
  return a;
}

/* Reduces over a block of whole warps.  `shared`: one accumulator per warp; it may be used again after a barrier. */
template <class A> __device__ __forceinline__ A merge_block(A a, A *shared)
{
  const int warps = blockDim.x / 32;
  a = merge_lanes(a);
  if (warps == 1) return a;
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = a;
  __syncthreads();
  a = shared[0];
  for (int w = 1; w < warps; w++) a.merge(shared[w]);
  return a;
}

/* sum[u] of N values each over the R lanes of a group (N <= R, powers of two), of which lane r keeps number r % N:
 * halves are exchanged, so that it takes N - 1 + log2(R / N) shuffles and not N log2(R). */
template <int N, int R, int half = N / 2, class T> __device__ __forceinline__ T sum_transposed(T (&sum)[N])
{
  if constexpr (half > 0) {
    const bool upper = threadIdx.x & half;
#pragma unroll
    for (int u = 0; u < half; u++) {
      const T give = upper ? sum[u] : sum[u + half], keep = upper ? sum[u + half] : sum[u];
      sum[u] = keep + shuffle_xor(give, half, R);
    }
    return sum_transposed<N, R, half / 2>(sum);
  } else {
#pragma unroll
    for (int lanes = N; lanes < R; lanes *= 2) sum[0] += shuffle_xor(sum[0], lanes, R);
    return sum[0];
  }
}

} // namespace batched_cuda

#endif
