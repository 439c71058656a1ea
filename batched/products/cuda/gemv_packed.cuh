/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.packed of gemv: matrices without gaps, neither between their columns nor between each other.  Whatever their
 * order, the bulk copy engine fetches several of them as one piece of memory; in shared memory a thread sums an element
 * of y.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMV_PACKED_CUH
#define BATCHED_PRODUCTS_CUDA_GEMV_PACKED_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/products/cuda/gemv.cuh"

namespace batched_cuda::products
{

/* sum_i op(a[i step]) x[i], beginning with i = start (round), then wrapping around. */
template <class T, bool round>
__device__ __forceinline__ T sum_packed(const T *a, int step, const T *x, int length, int start, bool conjugate)
{
  T sum = make<T>(0);
  int i = round ? start : 0;
#pragma unroll 8
  for (int k = 0; k < length; k++) {
    sum = mad(conj_if(conjugate, a[i * step]), x[i], sum);
    i++;
    if (round && i == length) i = 0;
  }
  return sum;
}

/* y = alpha op(A) x + beta y.
 *   algorithm  one bulk copy of `each` matrices; a thread per element of y
 *   grid       a block per `each` matrices, of some 8 KB together
 *   shared     the matrices, at their offset modulo 16 bytes, and x
 *   takes      double (by table), up to 64 KB per matrix, uniform strided, ld = m, stride = m n
 *   memory     A and x once, y once from (beta != 0) and to global memory
 *   accuracy   sums in the order of the index, or (transposed, m even) from row i on and around */
template <class T, bool plain>
static __global__ void __launch_bounds__(256) packed_gemv(gemv_product<T> p, int each, int x_at)
{
  T *const a = shared_array<T>(), *const x = a + x_at;
  __shared__ __align__(8) unsigned long long full;
  const int m = p.a.m, n = p.a.n, size = m * n, inner = plain ? n : m, outer = plain ? m : n;
  const int64_t first = (int64_t)blockIdx.x * each;
  const int count = (int)min((int64_t)each, p.y.count - first);
  const T *const from = p.a.data + first * size;
  const int lead = (int)(reinterpret_cast<uintptr_t>(from) % 16 / sizeof(T)), all = lead + count * size;
  /* bytes behind the last matrix may not be allocated */
  const int alone = first + count == p.y.count ? all % (int)(16 / sizeof(T)) : 0;
  const unsigned barrier = shared_address(&full);
  if (threadIdx.x == 0) {
    const int bytes = (int)(((all - alone) * sizeof(T) + 15) / 16 * 16);
    barrier_init(barrier, 1);
    barrier_init_fence();
    barrier_arrive_expecting(barrier, bytes);
    if (bytes) bulk_load(shared_address(a), from - lead, bytes, barrier);
  }
  if ((int)threadIdx.x < alone) a[all - alone + threadIdx.x] = from[count * size - alone + threadIdx.x];
  for (int k = threadIdx.x; k < count * inner; k += blockDim.x) {
    const int b = k / inner;
    x[k] = p.x.at(first + b)[(int64_t)(k - b * inner) * p.x.increment(first + b)];
  }
  __syncthreads();
  barrier_wait(barrier, 0);
  for (int k = threadIdx.x; k < count * outer; k += blockDim.x) {
    const int b = k / outer, i = k - b * outer;
    const T *const own = a + lead + (plain ? b * size + i : k * m);
    /* of even orders, neighbouring threads start at different elements: no bank conflicts */
    const T *const ox = x + b * inner;
    const T sum = plain        ? sum_packed<T, false>(own, m, ox, n, 0, false)
                  : m % 2 != 0 ? sum_packed<T, false>(own, 1, ox, m, 0, p.conj)
                               : sum_packed<T, true>(own, 1, ox, m, i % m, p.conj);
    T *const to = p.y.at(first + b) + (int64_t)i * p.y.increment(first + b);
    *to = p.beta == make<T>(0) ? p.alpha * sum : mad(p.beta, *to, p.alpha * sum);
  }
}

static constexpr int packed_bytes = 8 << 10; /* of the matrices of a block, if it has several */

template <class T> static int multiply_packed_gemv(batched_ctx *ctx, const gemv_product<T> &p)
{
  const int m = p.a.m, n = p.a.n, one = (int)(m * n * sizeof(T));
  const int each = one < packed_bytes ? packed_bytes / one : 1, outer = each * (p.plain ? m : n);
  const int rounds = (int)ceil_div(outer, 256), threads = (int)ceil_div(ceil_div(outer, rounds), 32) * 32;
  const int x_at = (int)((each * one + 31) / 16 * 16 / sizeof(T));
  const size_t shared = (x_at + (size_t)each * (p.plain ? n : m)) * sizeof(T);
  const auto kernel = p.plain ? packed_gemv<T, true> : packed_gemv<T, false>;
  return launch(ctx, kernel, ceil_div(p.y.count, each), threads, shared, p, each, x_at);
}

template <class T> static bool packed_gemv_fits(const gemv_product<T> &p)
{
  return !p.a.array && !p.a.is_variable() && !p.x.is_variable() && !p.y.is_variable() && p.a.m > 0 && p.a.n > 0 &&
         p.a.ld == p.a.m && p.a.stride == (int64_t)p.a.m * p.a.n && !(p.alpha == make<T>(0)) &&
         (int64_t)p.a.m * p.a.n * (int)sizeof(T) <= 1 << 16 && p.y.count <= INT_MAX;
}

} // namespace batched_cuda::products

#endif
