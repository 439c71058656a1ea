/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of syr2k and her2k: two products by gemm's kernels, with the tiles of the other triangle left out: alpha A B^T +
 * beta C, and then alpha B A^T + C (her2k: adjoints, and conj(alpha) in the second).
 *   cuda.warp       gemm_warp.cuh
 *   cuda.tile_tc    gemm_tile_tc.cuh, on the tensor cores
 *   cuda.tile       gemm_tile.cuh
 *   vendor.cublas   one matrix, not a batch
 * Grid, block and shared memory are those of these files, twice; her2k then makes the diagonal real, a thread per
 * element of it.
 * takes     as gemm's rows of these names
 * memory    twice that of a product; C's triangle is read (beta = 0: once less) and written twice
 * accuracy  that of gemm with twice the terms
 */
#include "batched/cuda/cublas.cuh"
#include "batched/products/products.h"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{
namespace
{

template <class T> struct two_products {
  product<T> first, second;
  bool hermitian;
};

/* The triangle of alpha op(A) op(B)^T + beta C, or of alpha op(A) op(B)^H + beta C. */
template <class T>
product<T> make_triangle(const batched_syr2k_args &s, T alpha, const batch<T> &a, const batch<T> &b, T beta)
{
  const batched_trans other = s.hermitian ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
  const bool plain = s.trans == BATCHED_NO_TRANS;
  product<T> p =
    make_product(plain ? BATCHED_NO_TRANS : other, plain ? other : BATCHED_NO_TRANS, alpha, a, b, beta, view<T>(s.c));
  p.which = s.uplo == BATCHED_LOWER ? LOWER_PART : UPPER_PART;
  return p;
}

/* Drops the imaginary parts of the diagonal: those of the two products cancel but for rounding.  A thread per
 * element. */
template <class T> __global__ void make_diagonal_real(batch<T> c)
{
  const int64_t elements = c.count * c.m;
  for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < elements; e += (int64_t)gridDim.x * blockDim.x) {
    const int64_t b = e / c.m;
    const int i = (int)(e % c.m);
    if (i >= c.rows(b)) continue;
    T *const at = c.at(b) + i * (c.leading(b) + 1);
    *at = make<T>(real(*at));
  }
}

template <class T, int i> bool fits(const two_products<T> &p)
{
  return product_kernels<T>()[i].can_do(p.first);
}
template <class T, int i> int run(batched_ctx *ctx, const two_products<T> &p)
{
  int status = product_kernels<T>()[i].run(ctx, p.first);
  if (!status) status = product_kernels<T>()[i].run(ctx, p.second);
  if constexpr (is_complex<T>) {
    const batch<T> &c = p.first.c;
    if (!status && p.hermitian) status = launch(ctx, make_diagonal_real<T>, ceil_div(c.count * c.m, 256), 256, 0, c);
  }
  return status;
}

enum { WARP_ROW, TILE_TC_ROW, TILE_ROW };

template <class T>
constexpr kernel<two_products<T>> table[] = {{fits<T, WARP>, nullptr, run<T, WARP>},
                                             {fits<T, TILE_TC>, nullptr, run<T, TILE_TC>},
                                             {fits<T, TILE>, nullptr, run<T, TILE>}};

struct syr2k_kernels {
  using args = batched_syr2k_args;
  static batched_type type_of(const args &s)
  {
    return s.c.type;
  }
  template <class T> static two_products<T> typed(const args &s)
  {
    const T alpha = make<T>(s.alpha);
    const batch<T> a = view<T>(s.a), b = view<T>(s.b);
    return {make_triangle(s, alpha, a, b, make<T>(s.beta)),
            make_triangle(s, conj_if(s.hermitian, alpha), b, a, make<T>(1)), s.hermitian};
  }
  template <class T> static const auto &kernels()
  {
    return table<T>;
  }
};

/* ------------------------------------------------------------------ cuBLAS */

/* cuBLAS has no batches of these. */
bool fits_cublas(const batched_syr2k_args &s)
{
  return s.c.count == 1 && !s.a.array && !s.b.array && !s.c.array && !batched_is_variable(&s.a) &&
         !batched_is_variable(&s.b) && !batched_is_variable(&s.c) && !batched_is_zero(s.c.type, s.alpha) && s.a.m > 0 &&
         s.a.n > 0;
}

template <class T> auto her2k_routine()
{
  if constexpr (sizeof(T) == 8)
    return cublasCher2k;
  else
    return cublasZher2k;
}

int cublas(batched_ctx *ctx, const batched_syr2k_args &s)
{
  const cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return with_type(s.c.type, [&](auto t) {
    using T = decltype(t);
    T alpha = make<T>(s.alpha), beta = make<T>(s.beta);
    const batch<T> a = view<T>(s.a), b = view<T>(s.b), c = view<T>(s.c);
    const bool plain = s.trans == BATCHED_NO_TRANS;
    const int k = plain ? a.n : a.m;
    if constexpr (is_complex<T>) {
      const cublasOperation_t op = plain ? CUBLAS_OP_N : CUBLAS_OP_C;
      if (s.hermitian)
        return status_of(her2k_routine<T>()(handle, vendor_uplo(s.uplo), op, c.n, k, vendor(&alpha), vendor(a.data),
                                            a.ld, vendor(b.data), b.ld, &beta.re, vendor(c.data), c.ld));
    }
    return status_of(VENDOR_CALL(T, cublas, syr2k)(handle, vendor_uplo(s.uplo), plain ? CUBLAS_OP_N : CUBLAS_OP_T, c.n,
                                                   k, vendor(&alpha), vendor(a.data), a.ld, vendor(b.data), b.ld,
                                                   vendor(&beta), vendor(c.data), c.ld));
  });
}

} // namespace
} // namespace batched_cuda::products

using namespace batched_cuda;
using namespace batched_cuda::products;

const batched_variant batched_syr2k_cuda[] = {
  kernel_row<syr2k_kernels, WARP_ROW>("cuda.warp"),
  kernel_row<syr2k_kernels, TILE_TC_ROW>("cuda.tile_tc"),
  kernel_row<syr2k_kernels, TILE_ROW>("cuda.tile"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  BATCHED_LAST_ROW,
};
