/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stebz and bdsqr's cuda.bisection share: value number k of many, by how many are below a point and by the
 * determinant there, a polynomial whose sign is that number's parity.  All threads of a block evaluate a grid of points
 * first; each then halves its interval until no other value is in it, and from there on goes by ITP (Oliveira and
 * Takahashi, ACM Trans. Math. Software 47, 2021): regula falsi, truncated and projected so that it takes at most nine
 * steps more than bisection, and mostly some 8 instead of 40.  Numbers decide about intervals, determinants only about
 * points.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_ISOLATE_CUH
#define BATCHED_TRIDIAGONAL_CUDA_ISOLATE_CUH

#include "batched/tridiagonal/cuda/rotation.cuh"

namespace batched_cuda::tridiagonal
{

/* Values below a point, and the determinant there, det 2^exponent; NaN: not known. */
struct evaluated {
  double det;
  int exponent, below;
};

/* Threads of a block at most, and those for so many values, each of which has a point of the grid. */
constexpr int isolating_threads = 256;
DEVICE int points_for(int values)
{
  return values >= isolating_threads ? isolating_threads : values <= 32 ? 32 : (values + 31) / 32 * 32;
}

/* Two terms of a recurrence, multiplied by the power of two that brings the larger one near 1. */
__device__ __forceinline__ void rescale(double &p, double &q, int &exponent)
{
  const int high = max(__double2hiint(p) & 0x7fffffff, __double2hiint(q) & 0x7fffffff) >> 20;
  const double scale = __hiloint2double((2046 - high) << 20, 0);
  p *= scale;
  q *= scale;
  exponent += high - 1023;
}

/* 1 where the signs differ. */
__device__ __forceinline__ int differ(double p, double q)
{
  return (int)((unsigned)(__double2hiint(p) ^ __double2hiint(q)) >> 31);
}

/* The place between 0 (at a) and 1 (at b) where a straight line crosses zero. */
__device__ __forceinline__ double crossing(const evaluated &a, const evaluated &b)
{
  const int shift = max(-1000, min(1000, a.exponent - b.exponent));
  const double det = a.det * __hiloint2double((1023 + shift) << 20, 0);
  return det / (det - b.det);
}

/* An interval with value number k: fa.below <= k < fb.below. */
template <class C> struct bracket {
  C a, b; /* double, or the numbers of doubles */
  evaluated fa, fb;
};

/* Narrows it to what `tolerance(a, b)` says; at(x) evaluates, between(a, b) is in the middle. */
template <class C, class A, class M, class W> __device__ void narrow(bracket<C> &i, int k, A at, M between, W tolerance)
{
  double first = 0, radius = 0; /* width of the interval with one value; of ITP's projection */
  for (int step = 0; step < 2000; step++) {
    const C least = tolerance(i.a, i.b);
    if (i.b - i.a <= least) break;
    C x = between(i.a, i.b);
    if (i.fa.below == k && i.fb.below == k + 1 && i.b - i.a > 2 * least) {
      const double width = (double)(i.b - i.a), half = width / 2;
      if (first == 0) first = width, radius = 256 * width;
      const double beside = crossing(i.fa, i.fb) * width - half;
      const double most = fmin(radius - half, half - (double)least);
      const double short_of = fmax(fabs(beside) - 0.2 * width * (width / first), 0.0);
      if (fabs(beside) <= half) x = i.a + C(half + copysign(fmin(short_of, most), beside));
      radius /= 2;
    }
    if (!(x > i.a && x < i.b)) x = between(i.a, i.b);
    if (!(x > i.a && x < i.b)) break;
    const evaluated f = at(x);
    if (f.below > k)
      i.b = x, i.fb = f;
    else
      i.a = x, i.fa = f;
  }
}

/* The first of n points, numbered from 0, below which there are more than k values; n: there is none. */
__device__ __forceinline__ int first_above(const evaluated *points, int n, int k)
{
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (points[middle].below > k)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

} // namespace batched_cuda::tridiagonal

#endif
