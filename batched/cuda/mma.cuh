/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of small tiles by a warp on the tensor cores, in double precision; the instruction is `mma` of the PTX ISA,
 * in its four shapes.
 */
#ifndef BATCHED_CUDA_MMA_CUH
#define BATCHED_CUDA_MMA_CUH

#include "batched/cuda/scalar.cuh"

namespace batched_cuda
{

/* D (8 x 8) += A (8 x 4) B (4 x 8) by a warp: lane 4 g + t holds a = A(g, t), b = B(t, g), and d =
 * D(g, 2 t .. 2 t + 1).  Complex numbers take four real products; single precision is done by shuffles, on the CUDA
 * cores. */
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

/* D (16 x 8) += A (16 x 4) B (4 x 8): lane 4 g + t holds a = A(g, t), b = A(g + 8, t), c = B(t, g), and d as below. */
__device__ __forceinline__ void multiply_16x8x4(double d[4], double a, double b, double c)
{
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a), "d"(b), "d"(c));
}

/* D (16 x 8) += A (16 x 8) B (8 x 8): lane 4 g + t holds a[2 i] = A(g, 4 i + t), a[2 i + 1] = A(g + 8, 4 i + t), b[i] =
 * B(4 i + t, g), and d = D(g, 2 t), D(g, 2 t + 1), D(g + 8, 2 t), D(g + 8, 2 t + 1). */
__device__ __forceinline__ void multiply_16x8x8(double d[4], const double a[4], const double b[2])
{
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

/* C0 += A0 B^T and C1 += A1 B^T of 8 x 8 tiles, all five of them held in the same way: lane 4 g + t holds (x, y) =
 * elements (g, 2 t) and (g, 2 t + 1).  The product takes its inner index in the order 0 2 4 6 1 3 5 7. */
__device__ __forceinline__ void multiply_two_8x8(double &c0x, double &c0y, double &c1x, double &c1y, double a0x,
                                                 double a0y, double a1x, double a1y, double bx, double by)
{
  double d[4] = {c0x, c0y, c1x, c1y};
  const double a[4] = {a0x, a1x, a0y, a1y}, b[2] = {bx, by};
  multiply_16x8x8(d, a, b);
  c0x = d[0], c0y = d[1], c1x = d[2], c1y = d[3];
}

/* D (16 x 8) += A (16 x 16) B (16 x 8): as above with i up to 3. */
__device__ __forceinline__ void multiply_16x8x16(double d[4], const double a[8], const double b[4])
{
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
      "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
}

} // namespace batched_cuda

#endif
