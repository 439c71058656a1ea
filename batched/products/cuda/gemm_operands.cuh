/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The argument of all kernels of products: C = alpha op(A) op(B) + beta C, or a triangle of it; tensor maps of its
 * operands; and the list of kernels.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_OPERANDS_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_OPERANDS_CUH

#include "batched/cuda/bulk_copy.cuh"
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

/* ------------------------------------------------------------------ tensor maps, for the bulk copy engine (TMA) */

/* A tensor map wants addresses and strides that are multiples of 16 bytes, and equal strides. */
template <class T> bool can_map(const batch<T> &x)
{
  return !x.array && !x.is_variable() && x.ld * sizeof(T) % 16 == 0 && x.stride * sizeof(T) % 16 == 0 &&
         x.count <= INT_MAX && reinterpret_cast<uintptr_t>(x.data + x.i0 + (int64_t)x.j0 * x.ld) % 16 == 0;
}
/* alpha = 0 does not look at A and B. */
template <class T> bool bulk_fits(const product<T> &p, int depth)
{
  return depth > 0 && !(p.alpha == make<T>(0)) && can_map(p.a) && can_map(p.b) && !p.c.is_variable() &&
         p.c.count < INT_MAX / 2;
}

/* The driver's cuTensorMapEncodeTiled, looked up at run time so that nothing needs to be linked; NULL if it has
 * none. */
using encode_tiled = decltype(&cuTensorMapEncodeTiled);
static inline encode_tiled find_encode_tiled()
{
  void *f = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found) != cudaSuccess)
    return nullptr;
  return found == cudaDriverEntryPointSuccess ? reinterpret_cast<encode_tiled>(f) : nullptr;
}

/* Boxes of `high` x `wide` of rows x cols matrices, swizzled in shared memory; elements outside are read as 0. */
template <class T>
bool make_map(CUtensorMap *map, const batch<T> &x, int rows, int cols, int high, int wide, CUtensorMapSwizzle swizzle)
{
  static const encode_tiled encode = find_encode_tiled();
  static_assert(sizeof(T) <= 8, "elements as the engine has them");
  const auto type = sizeof(T) == 8 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  const bool same = x.stride == 0 || x.count == 1;
  const cuuint64_t sizes[3] = {(cuuint64_t)rows, (cuuint64_t)cols, same ? 1 : (cuuint64_t)x.count};
  const cuuint64_t strides[2] = {sizeof(T) * (cuuint64_t)x.ld, same ? 16 : sizeof(T) * (cuuint64_t)x.stride};
  const cuuint32_t boxes[3] = {(cuuint32_t)high, (cuuint32_t)wide, 1}, steps[3] = {1, 1, 1};
  return encode && encode(map, type, 3, x.data + x.i0 + (int64_t)x.j0 * x.ld, sizes, strides, boxes, steps,
                          CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
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
