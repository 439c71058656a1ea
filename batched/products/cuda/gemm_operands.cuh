/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernels of gemm and syrk are called with, and the 8 x 8 and 16 x 8 products of a warp that they are made of.
 */
#ifndef BATCHED_CUDA_GEMM_PRODUCT_CUH
#define BATCHED_CUDA_GEMM_PRODUCT_CUH

#include "batched/products/cuda/gemm.cuh"

namespace batched_cuda
{

/* The part of C that is computed. */
enum part { WHOLE, LOWER_PART, UPPER_PART };

/* C = alpha op(A) op(B) + beta C.  hermitian: the diagonal of C is real. */
template <class T> struct product {
  bool transa, transb, conja, conjb;
  T alpha, beta;
  batch<T> a, b, c;
  part which;
  bool hermitian;

  DEVICE int depth(int64_t i) const
  {
    return alpha == make<T>(0) ? 0 : transa ? a.rows(i) : a.cols(i);
  }
  DEVICE bool is_wanted(int i, int j) const
  {
    return which == WHOLE || (which == LOWER_PART ? i >= j : i <= j);
  }
  /* alpha sum + beta C(i, j), where `old` is C(i, j), or anything if beta is 0 */
  DEVICE T result(T sum, T old, int i, int j) const
  {
    if (is_complex<T> && hermitian && i == j) {
      sum = make<T>(real(sum));
      old = make<T>(real(old));
    }
    return beta == make<T>(0) ? alpha * sum : mad(beta, old, alpha * sum);
  }
};

template <class T>
product<T> make_product(batched_trans transa, batched_trans transb, T alpha, const batch<T> &a, const batch<T> &b,
                        T beta, const batch<T> &c)
{
  const bool conja = is_complex<T> && transa == BATCHED_CONJ_TRANS,
             conjb = is_complex<T> && transb == BATCHED_CONJ_TRANS;
  return {transa != BATCHED_NO_TRANS, transb != BATCHED_NO_TRANS, conja, conjb, alpha, beta, a, b, c, WHOLE, false};
}

/* op(A) op(A)^T or op(A) op(A)^H: trans is NO_TRANS, or the transposition of the first factor. */
template <class T>
product<T> make_square(batched_uplo uplo, batched_trans trans, bool hermitian, T alpha, const batch<T> &a, T beta,
                       const batch<T> &c)
{
  const batched_trans other = hermitian ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
  const bool plain = trans == BATCHED_NO_TRANS;
  product<T> p = make_product(plain ? BATCHED_NO_TRANS : other, plain ? other : BATCHED_NO_TRANS, alpha, a, a, beta, c);
  p.which = uplo == BATCHED_LOWER ? LOWER_PART : UPPER_PART;
  p.hermitian = hermitian && is_complex<T>;
  return p;
}

/* Rows of gemm and syrk: the kernels by name, and whichever is best (gemm.cu). */
enum way { ANY_WAY, TINY, TILE, TENSOR, PACKED, NARROW };
template <class T> int multiply(batched_ctx *ctx, const product<T> &p, way how);
/* Is this way possible for a product of these bounds (any k), and is it the best one? */
bool can_multiply(way how, batched_type type, int m, int n);
bool likes_multiply(way how, batched_type type, int m, int n);

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
