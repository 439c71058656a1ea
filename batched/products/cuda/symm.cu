/* SPDX-License-Identifier: BSD-3-Clause
 *
 * symm, hemm: C = alpha A B + beta C or alpha B A + beta C, A symmetric or Hermitian, given by a triangle.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/host/rows.h"
#include "batched/products/products.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::products
{
namespace
{

/* Both triangles of A, to matrices Y. */
template <class T> struct mirror {
  bool lower, hermitian;
  batch<T> a, y;

  struct matrix {
    bool lower, hermitian;
    const T *a;
    T *y;
    int64_t lda, ldy;

    __device__ __forceinline__ T load(int i, int j) const
    {
      const bool stored = lower ? i >= j : i <= j;
      const T e = a[stored ? i + j * lda : j + i * lda];
      if (!hermitian) return e;
      return i == j ? make<T>(real(e)) : conj_if(!stored, e);
    }
    __device__ __forceinline__ void store(int i, int j, T value) const
    {
      y[i + j * ldy] = value;
    }
  };
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {lower, hermitian, a.at(b), y.at(b), a.leading(b), y.leading(b)};
  }
};

int make_whole(batched_ctx *ctx, const batched_symm_args &s, const batched_matrix &a, const batched_matrix &whole)
{
  return with_type(a.type, [&](auto t) {
    using T = decltype(t);
    return vectors::for_each_element(ctx, mirror<T>{s.uplo == BATCHED_LOWER, s.hermitian, view<T>(a), view<T>(whole)});
  });
}

int run_gemm(batched_ctx *ctx, const batched_symm_args &s, const batched_matrix &a, const batched_matrix &b,
             const batched_matrix &c)
{
  const bool left = s.side == BATCHED_LEFT;
  const batched_gemm_args product = {BATCHED_NO_TRANS, BATCHED_NO_TRANS, s.alpha, s.beta,
                                     left ? a : b,     left ? b : a,     c};
  return batched_run(ctx, &batched_gemm_op, &product);
}

/* Bytes of whole matrices that are made at a time, for calls of gemm that are long enough to hide their launch. */
constexpr size_t most_bytes = 64u << 20;

/* Row cuda.composed: whole matrices A in scratch memory, some at a time, or a shared one once, and gemm.
 *   memory     beside gemm's: A's triangle from, and A to global memory */
int composed(batched_ctx *ctx, const batched_symm_args &s)
{
  if (batched_is_zero(s.c.type, s.alpha)) return run_gemm(ctx, s, s.a, s.b, s.c);
  const bool shared = batched_is_shared(&s.a) && !batched_is_variable(&s.a);
  const int64_t square = (int64_t)s.a.m * s.a.m, matrices = shared ? 1 : s.c.count;
  const size_t bytes = (size_t)square * batched_element_bytes(s.c.type);
  const int64_t at_once = bytes < most_bytes ? (int64_t)(most_bytes / bytes) : 1;
  const int64_t made = matrices < at_once ? matrices : at_once, step = shared ? s.c.count : made;
  void *to = batched_scratch_push(ctx, (size_t)made * bytes);
  if (!to) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t i = 0; i < s.c.count && !status; i += step) {
    const int64_t count = s.c.count - i < step ? s.c.count - i : step;
    const batched_matrix a = batched_part(s.a, i, shared ? 1 : count);
    batched_matrix whole = batched_with_sizes(
      batched_make_strided(a.type, to, a.m, a.m, a.m, shared ? 0 : square, a.count), a.ms, a.ns, nullptr);
    status = make_whole(ctx, s, a, whole);
    whole.count = count;
    if (!status) status = run_gemm(ctx, s, whole, batched_part(s.b, i, count), batched_part(s.c, i, count));
  }
  batched_scratch_pop(ctx);
  return status;
}

/* ------------------------------------------------------------------ cuBLAS */

/* cuBLAS has no batches of these. */
bool fits_cublas(const batched_symm_args &s)
{
  return s.c.count == 1 && !s.a.array && !s.b.array && !s.c.array && !batched_is_variable(&s.a) &&
         !batched_is_variable(&s.b) && !batched_is_variable(&s.c) && !batched_is_zero(s.c.type, s.alpha);
}

template <class T> auto cublas_routine(bool hermitian)
{
  if constexpr (!is_complex<T>)
    return VENDOR_CALL(T, cublas, symm);
  else if constexpr (sizeof(T) == 8)
    return hermitian ? cublasChemm : cublasCsymm;
  else
    return hermitian ? cublasZhemm : cublasZsymm;
}

int cublas(batched_ctx *ctx, const batched_symm_args &s)
{
  const cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return with_type(s.c.type, [&](auto t) {
    using T = decltype(t);
    T alpha = make<T>(s.alpha), beta = make<T>(s.beta);
    const batch<T> a = view<T>(s.a), b = view<T>(s.b), c = view<T>(s.c);
    return status_of(cublas_routine<T>(s.hermitian)(handle, vendor_side(s.side), vendor_uplo(s.uplo), c.m, c.n,
                                                    vendor(&alpha), vendor(a.data), a.ld, vendor(b.data), b.ld,
                                                    vendor(&beta), vendor(c.data), c.ld));
  });
}

} // namespace
} // namespace batched_cuda::products

using namespace batched_cuda;
using namespace batched_cuda::products;

const batched_variant batched_symm_cuda[] = {
  row<nullptr, nullptr, composed>("cuda.composed"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  BATCHED_LAST_ROW,
};
