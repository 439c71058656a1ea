/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of small tiles by a warp on the tensor cores (PTX ISA: mma).
 */
#ifndef BATCHED_CUDA_MMA_CUH
#define BATCHED_CUDA_MMA_CUH

#include "batched/cuda/scalar.cuh"

namespace batched_cuda
{

/* D (8 x 8) += A (8 x 4) B (4 x 8) by a warp: lane 4 g + t holds a = A(g, t), b = B(t, g), and d =
 * D(g, 2 t .. 2 t + 1); mma.m8n8k4 of the PTX manual; complex numbers by four of them,
 * single precision by shuffles. */
template <class T> __device__ __forceinline__ void multiply_8x8x4(T d[2], T a, T b)
{
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const T x = shuffle(a, 4 * g + k), y = shuffle(b, 8 * t + k), z = shuffle(b, 8 * t + 4 + k);
    d[0] = mad(x, y, d[0]);
    d[1] = mad(x, z, d[1]);
  }
}
template <> __device__ __forceinline__ void multiply_8x8x4(double d[2], double a, double b)
{
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"(a), "d"(b));
}

template <> __device__ __forceinline__ void multiply_8x8x4(complex<double> d[2], complex<double> a, complex<double> b)
{
  double re[2] = {d[0].re, d[1].re}, im[2] = {d[0].im, d[1].im};
  multiply_8x8x4(re, a.re, b.re);
  multiply_8x8x4(im, a.re, b.im);
  multiply_8x8x4(im, a.im, b.re);
  multiply_8x8x4(re, -a.im, b.im);
  d[0] = {re[0], im[0]}, d[1] = {re[1], im[1]};
}

/* D (16 x 8) += A (16 x 8) B (8 x 8) on the tensor cores: lane 4 g + t holds a[2 i] = A(g, 4 i + t), a[2 i + 1] =
 * A(g + 8, 4 i + t), b[i] = B(4 i + t, g), and d = D(g, 2 t), D(g, 2 t + 1), D(g + 8, 2 t), D(g + 8, 2 t + 1). */
__device__ __forceinline__ void multiply_16x8x8(double d[4], const double a[4], const double b[2])
{
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

} // namespace batched_cuda

#endif
