/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The argument of all kernels of products: C = alpha op(A) op(B) + beta C, or a triangle of it; and the list of
 * kernels.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_OPERANDS_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_OPERANDS_CUH

#include "batched/products/cuda/gemm.cuh"

namespace batched_cuda::products
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

  batched_shape shape() const
  {
    batched_shape s = shape_of(a);
    s.m = c.m;
    s.n = c.n;
    s.k = transa ? a.m : a.n;
    s.lower = which == LOWER_PART;
    s.transposed = transa;
    s.odd = a.ld % 2 == 1 && b.ld % 2 == 1;
    return s;
  }
  DEVICE int depth(int64_t i) const
  {
    return alpha == make<T>(0) ? 0 : transa ? a.rows(i) : a.cols(i);
  }
  DEVICE bool is_wanted(int i, int j) const
  {
    return which == WHOLE || (which == LOWER_PART ? i >= j : i <= j);
  }
  /* alpha sum + beta old, old being C(i, j), or anything if beta is 0 */
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

/* ------------------------------------------------------------------ kernels */

/* The kernels of products, best first (gemm.cu). */
enum { WARP, PACKED, NARROW_TC, WIDE_TC, TILE_TC, TILE, PRODUCT_KERNELS };
template <class T> const kernel<product<T>> *product_kernels();

/* The best of them. */
template <class T> int multiply(batched_ctx *ctx, const product<T> &p);

/* Those that have a .cu file of their own, as they take long to compile: in double precision on the tensor cores
 * (gemm_tile_tc.cu, gemm_tile_tc_complex.cu). */
int multiply_tile_tc(batched_ctx *ctx, const product<double> &p);
int multiply_tile_tc(batched_ctx *ctx, const product<complex<double>> &p);
int multiply_narrow(batched_ctx *ctx, const product<double> &p);
bool narrow_fits(const product<double> &p);
int multiply_packed(batched_ctx *ctx, const product<double> &p);
bool packed_fits(const product<double> &p);

} // namespace batched_cuda::products

#endif
