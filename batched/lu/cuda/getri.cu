/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of getri, the inverse from LU factors.
 *   cuda.lanes      n <= 16: solves for the identity in registers, in place: lanes.cuh
 *   cuda.composed   any n: from a copy of the factors, a permutation and two triangular solves: composed.cuh
 *   vendor.cublas   cuBLAS's getriBatched, from a copy of the factors, too; uniform batches
 *
 * The kernel of this file copies the factors and finds zeros on the diagonal.
 * grid      a block per matrix
 * block     32 threads up to n = 32, else 128; shared memory for one number
 * takes     all four types, any n, uniform and variable
 * reads     a; writes scratch memory, n^2 elements of the largest n per matrix, and info (first zero on U's diagonal)
 * accuracy  exact; the rows': |A X - I| < 30 n eps |A| |X|, as getrs
 */
#include "batched/cuda/cublas.cuh"
#include "batched/lu/cuda/factors.cuh"

namespace batched_cuda::lu
{
namespace
{

/* Copies the factors to packed matrices of order a.n; info: the first zero on U's diagonal, or 0. */
template <class T> __global__ void __launch_bounds__(128) take_factors(batch<T> a, T *to, int *info)
{
  __shared__ int first;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b);
    if (threadIdx.x == 0) first = INT_MAX;
    __syncthreads();
    const T *x = n > 0 ? a.at(b) : nullptr;
    const int64_t ld = a.leading(b);
    T *y = to + b * a.n * a.n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      if (x[i * (ld + 1)] == make<T>(0)) atomicMin(&first, i + 1);
    for (int64_t e = threadIdx.x; e < (int64_t)n * n; e += blockDim.x) {
      const int64_t j = e / n, i = e - j * n;
      y[i + j * a.n] = x[i + j * ld];
    }
    __syncthreads();
    if (threadIdx.x == 0) info[b] = first == INT_MAX ? 0 : first;
    __syncthreads();
  }
}

/* Row cuda.composed: A^-1 as the solution for the identity, from a copy of the factors. */
int composed(batched_ctx *ctx, const batched_getri_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    const batch<T> a = view<T>(p.a);
    const size_t elements = (size_t)a.count * a.n * a.n;
    T *lu = static_cast<T *>(batched_scratch_push(ctx, elements * sizeof(T) + ((size_t)a.count + 1) * sizeof(int)));
    if (!lu) return (int)BATCHED_NO_MEMORY;
    int status = launch(ctx, take_factors<T>, a.count, a.n <= 32 ? 32 : 128, 0, a, lu, p.info);
    const batch<T> factors = {lu, nullptr, (int64_t)a.n * a.n, a.count, a.n, a.n, a.n, a.ms, a.ns, nullptr, 0, 0};
    if (!status && a.n > 0)
      status = solve_lu(ctx, lu_system<T>{BATCHED_NO_TRANS, factors, a, p.ipiv, p.info, a.n, true, nullptr,
                                          reinterpret_cast<int *>(lu + elements)});
    batched_scratch_pop(ctx);
    return status;
  });
}

bool fits_lanes(const batched_getri_args &p)
{
  return p.a.n <= LU_LANES_SOLVE;
}
int lanes(batched_ctx *ctx, const batched_getri_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    const batch<T> a = view<T>(p.a);
    return solve_lu(ctx, lu_system<T>{BATCHED_NO_TRANS, a, a, p.ipiv, nullptr, a.n, true, p.info, nullptr});
  });
}

bool fits_cublas(const batched_getri_args &p)
{
  return !batched_is_variable(&p.a) && p.a.n > 0 && p.a.count <= INT_MAX;
}

/* cuBLAS does not invert in place: from a copy of the factors. */
int cublas(batched_ctx *ctx, const batched_getri_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    using V = decltype(vendor((T *)nullptr));
    const batch<T> a = view<T>(p.a);
    const size_t each = (size_t)a.n * a.n;
    T *lu = static_cast<T *>(batched_scratch_push(ctx, (a.count * each + 1) * sizeof(T)));
    if (!lu) return (int)BATCHED_NO_MEMORY;
    cublasHandle_t handle = cublas_of(ctx);
    const batch<T> factors = {lu, nullptr, (int64_t)each, a.count, a.n, a.n, a.n};
    T **from = handle ? pointers_of(ctx, factors) : nullptr, **to = from ? pointers_of(ctx, a) : nullptr;
    int status = BATCHED_NO_MEMORY;
    if (to) status = launch(ctx, take_factors<T>, a.count, a.n <= 32 ? 32 : 128, 0, a, lu, p.info);
    if (!status)
      status = status_of(VENDOR_CALL(T, cublas, getriBatched)(handle, a.n, reinterpret_cast<V *>(from), a.n, p.ipiv,
                                                              reinterpret_cast<V *>(to), a.ld, p.info, (int)a.count));
    if (to) batched_scratch_pop(ctx);
    if (from) batched_scratch_pop(ctx);
    batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace
} // namespace batched_cuda::lu

using namespace batched_cuda;
using namespace batched_cuda::lu;

const batched_variant batched_getri_cuda[] = {
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),
  row<nullptr, nullptr, composed>("cuda.composed"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  BATCHED_LAST_ROW,
};
