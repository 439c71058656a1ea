/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernels on tridiagonal and bidiagonal matrices share: how a matrix is scaled, and rotations.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_ROTATION_CUH
#define BATCHED_TRIDIAGONAL_CUDA_ROTATION_CUH

#include "batched/cuda/launch.cuh"
#include "batched/cuda/reduce.cuh"
#include "batched/tridiagonal/tridiagonal.h"

namespace batched_cuda::tridiagonal
{

template <class R> constexpr R least_normal = sizeof(R) == 4 ? R(0x1p-126) : R(0x1p-1022);

template <class R> __device__ __forceinline__ R not_a_number()
{
  return R(NAN);
}
template <class T> __device__ __forceinline__ T nan_of()
{
  return make<T>(real_of<T>(NAN), real_of<T>(NAN));
}

/* A power of two that brings `largest` near 1, so that squares neither over- nor underflow: the exponent is limited for
 * the factor and its inverse to be normal numbers. */
template <class R> __device__ __forceinline__ R power_near(R largest)
{
  if (largest == 0) return 1;
  constexpr int limit = sizeof(R) == 4 ? 120 : 1000;
  int exponent;
  frexp(largest, &exponent);
  return ldexp(R(1), -max(-limit, min(limit, exponent)));
}

/* The largest modulus of d (n elements) and e (n - 1), which go through the block's threads once; NaN or an infinity
 * where there is one.  `parts`: an accumulator a warp. */
template <class R>
__device__ __forceinline__ R largest_of(int n, const R *d, int64_t incd, const R *e, int64_t ince, maximum_of<R> *parts)
{
  maximum_of<R> most;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    most.add(fabs(d[i * incd]));
    if (i < n - 1) most.add(fabs(e[i * ince]));
  }
  return merge_block(most, parts).result();
}

template <class R> struct plane_rotation {
  R c, s, r;
};

/* [c s; -s c] (f, g) = (r, 0).  Where the square of the norm is far from over- and underflow one rsqrt does it, else as
 * LAPACK's lartg. */
template <class R> __device__ __forceinline__ plane_rotation<R> make_rotation(R f, R g)
{
  constexpr R low = sizeof(R) == 4 ? R(0x1p-80) : R(0x1p-900), high = sizeof(R) == 4 ? R(0x1p80) : R(0x1p900);
  if (g == 0) return {1, 0, f};
  const R norm2 = fma(f, f, g * g);
  if (f != 0 && norm2 > low && norm2 < high) {
    const R inverse = f < 0 ? -rsqrt(norm2) : rsqrt(norm2);
    return {f * inverse, g * inverse, norm2 * inverse};
  }
  if (f == 0) return {0, 1, g};
  const R most = fmax(fabs(f), fabs(g)), x = f / most, y = g / most;
  const R norm = copysign(sqrt(x * x + y * y), f);
  return {x / norm, y / norm, norm * most}; /* not g / r, which has few bits where it is denormal */
}

/* Blocks of a grid whose `bytes` each fit into 1 GB, at most one per matrix. */
static inline int64_t blocks_within(int64_t count, size_t bytes)
{
  constexpr size_t most = (size_t)1 << 30;
  const int64_t blocks = bytes > 0 ? (int64_t)(most / bytes) : count;
  return blocks < 1 ? 1 : blocks < count ? blocks : count;
}

} // namespace batched_cuda::tridiagonal

#endif
