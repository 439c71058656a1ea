/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the rows of trsv and trmv share: a triangle and one vector, their halves, and the product between these, a gemm.
 * The rows have their own contracts: trsv.cu, trmv.cuh.
 */
#ifndef BATCHED_TRIANGULAR_CUDA_VECTOR_CALL_CUH
#define BATCHED_TRIANGULAR_CUDA_VECTOR_CALL_CUH

#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::triangular
{

/* One call on typed blocks; x is a column, or a row with the increment as leading dimension. */
template <class T> struct vector_call {
  batched_uplo uplo;
  batched_trans trans;
  batched_diag diag;
  batch<T> a, x;

  triangle_form form() const
  {
    return form_of(BATCHED_LEFT, uplo, trans, diag);
  }
  int order() const
  {
    return a.m;
  }
  bool is_column() const
  {
    return x.n == 1 && !x.ns;
  }
  batched_shape shape() const
  {
    batched_shape s = shape_of(a);
    s.rhs = 1;
    s.lower = uplo == BATCHED_LOWER;
    s.transposed = trans != BATCHED_NO_TRANS;
    return s;
  }
};

/* A call cut after row n1: its halves, in the order in which a solve takes them, and the block of A that couples
 * them. */
template <class T> struct vector_halves {
  vector_call<T> first, second;
  batch<T> coupling;
  bool column; /* of the whole x: a half may be one element */

  vector_halves(const vector_call<T> &s, int n1) : first(s), second(s), column(s.is_column())
  {
    const bool backward = s.form().backward;
    const int n2 = s.order() - n1;
    vector_call<T> &top = backward ? second : first, &bottom = backward ? first : second;
    top.a = s.a.block(0, 0, n1, n1);
    bottom.a = s.a.block(n1, n1, n2, n2);
    top.x = column ? s.x.block(0, 0, n1, 1) : s.x.block(0, 0, 1, n1);
    bottom.x = column ? s.x.block(n1, 0, n2, 1) : s.x.block(0, n1, 1, n2);
    coupling = s.uplo == BATCHED_LOWER ? s.a.block(n1, 0, n2, n1) : s.a.block(0, n1, n1, n2);
  }

  /* second.x += alpha op(coupling) first.x.  With x in rows that is x^T op(A)^T. */
  int couple(batched_ctx *ctx, T alpha) const
  {
    const batched_trans trans = first.trans, turned = trans == BATCHED_NO_TRANS ? BATCHED_TRANS : BATCHED_NO_TRANS;
    const T one = make<T>(1);
    return column ? products::gemm(ctx, trans, BATCHED_NO_TRANS, alpha, coupling, first.x, one, second.x)
                  : products::gemm(ctx, BATCHED_NO_TRANS, turned, alpha, first.x, coupling, one, second.x);
  }
};

/* x = conj(x): a block of 128 threads per vector. */
template <class T> static __global__ void conjugate(batch<T> x)
{
  for (int64_t b = blockIdx.x; b < x.count; b += gridDim.x) {
    const int n = x.length(b);
    const int64_t inc = x.increment(b);
    T *const at = n > 0 ? x.at(b) : nullptr;
    for (int i = threadIdx.x; i < n; i += blockDim.x) at[i * inc] = conj(at[i * inc]);
  }
}

/* Runs f on a call whose product gemm has.  With x in rows and op(A) = A^H that is A^T, and conj(x) for x. */
template <class T, class F> static int with_op(batched_ctx *ctx, const vector_call<T> &s, F f)
{
  if (!is_complex<T> || s.is_column() || s.trans != BATCHED_CONJ_TRANS) return f(ctx, s);
  vector_call<T> transposed = s;
  transposed.trans = BATCHED_TRANS;
  int status = launch(ctx, conjugate<T>, s.x.count, 128, 0, s.x);
  if (!status) status = f(ctx, transposed);
  return status ? status : launch(ctx, conjugate<T>, s.x.count, 128, 0, s.x);
}

} // namespace batched_cuda::triangular

#endif
