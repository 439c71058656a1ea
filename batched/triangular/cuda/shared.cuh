/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.shared of trsm, and the small triangles of trmm's and trtri's cuda.recursive: E of order 32 at most in
 * shared memory, a thread per column of X.
 */
#ifndef BATCHED_TRIANGULAR_CUDA_SHARED_CUH
#define BATCHED_TRIANGULAR_CUDA_SHARED_CUH

#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::triangular
{

/* Largest order. */
static constexpr int shared_order = 32;

/* Shared memory per group of threads: the columns of E, each from the 16 bytes on that hold its diagonal element, the
 * scales of the pivots, and X. */
template <class T, int N> struct shared_layout {
  static constexpr int V = pack<T>::size, ldx = N + 1;
  static constexpr int scales = N * (N + V) / 2, x = scales + N;

  static DEVICE constexpr int element(int i, int j)
  {
    const int q = j / V;
    return V * (q * N - V * (q * (q - 1) / 2)) + j % V * (N - V * q) + i - V * q;
  }
  static DEVICE constexpr int elements(int group)
  {
    return (x + group * ldx + V - 1) / V * V;
  }
};

/* x = E^-1 x for one right-hand side in registers; e holds E by columns, with the inverses on its diagonal. */
template <class T, int N>
__device__ __forceinline__ void substitute_registers(int n, bool unit, const T *e, const T *scales, T (&x)[N])
{
  using layout = shared_layout<T, N>;
  constexpr int V = pack<T>::size;
#pragma unroll
  for (int j = 0; j < N; j++) {
    if (j >= n) break;
    if (!unit) x[j] = reciprocal<T>{real(scales[j]), e[layout::element(j, j)]}(x[j]);
#pragma unroll
    for (int p = (j + 1) / V; p < N / V; p++) {
      const auto c = *reinterpret_cast<const pack<T> *>(e + layout::element(p * V, j));
#pragma unroll
      for (int k = 0; k < V; k++)
        if (p * V + k > j) x[p * V + k] = mad(-c.x[k], x[j], x[p * V + k]);
    }
  }
}

/* x = E x, from the last column to the first, so that x[j] is read before it is overwritten.  Rows and columns from n
 * on hold anything, and contribute to elements of x from n on only. */
template <class T, int N> __device__ __forceinline__ void multiply_registers(bool unit, const T *e, T (&x)[N])
{
  using layout = shared_layout<T, N>;
  constexpr int V = pack<T>::size;
#pragma unroll
  for (int step = 0; step < N; step++) {
    const int j = N - 1 - step;
#pragma unroll
    for (int p = 0; p < N / V; p++) {
      if (p * V + V - 1 <= j) continue;
      const auto c = *reinterpret_cast<const pack<T> *>(e + layout::element(p * V, j));
#pragma unroll
      for (int k = 0; k < V; k++)
        if (p * V + k > j) x[p * V + k] = mad(c.x[k], x[j], x[p * V + k]);
    }
    if (!unit) x[j] = e[layout::element(j, j)] * x[j];
  }
}

/* X = alpha E^-1 X, or alpha E X (multiply), E of order n <= N.
 *   algorithm  substitution, a column of X in the registers of a thread; pivots by reciprocal_of
 *   grid       a group of 8 to 64 threads per as many columns of X of one matrix; a block has 32 or 64 threads
 *   registers  N elements per thread
 *   shared     per group: N (N + V) / 2 elements of E (V to 16 bytes), N scales, N + 1 per column of X
 *   takes      order <= 32, all sides, types, uniform and variable
 *   memory     the triangle once per group, X once from and to global memory
 *   accuracy   of substitution; a row with an extreme pivot is scaled by a power of two first */
template <class T, int N, bool multiply>
__global__ void __launch_bounds__(64)
  apply_in_shared(triangle_form f, int group, int chunks, T alpha, batch<T> a, batch<T> b)
{
  using layout = shared_layout<T, N>;
  const int t = threadIdx.x % group, own = threadIdx.x / group, groups = blockDim.x / group;
  T *const e = shared_array<T>() + own * layout::elements(group), *const scales = e + layout::scales,
           *const xs = e + layout::x;
  const int64_t units = b.count * chunks;
  for (int64_t first = (int64_t)blockIdx.x * groups; first < units; first += (int64_t)gridDim.x * groups) {
    const int64_t unit = first + own, i = unit / chunks;
    const int r0 = (int)(unit - i * chunks) * group;
    const bool mine = unit < units;
    const int rows = mine ? b.rows(i) : 0, cols = mine ? b.cols(i) : 0, n = f.left ? rows : cols;
    const int nrhs = min(group, (f.left ? cols : rows) - r0);
    const bool any = n > 0 && nrhs > 0;
    strided<T> x = {nullptr, 0, 0};
    if (any) {
      const int64_t lda = a.leading(i), ldb = b.leading(i);
      const auto triangle = triangle_of<T>(f, a.at(i), lda, n);
      x = unknowns_of<T>(f, b.at(i), ldb, n);
      x.at += r0 * x.col;
      for (int k = t; k < N * N; k += group) {
        /* neighbouring threads along a column of A */
        const int row = f.flip ? k / N : k % N, col = f.flip ? k % N : k / N;
        if (row < n && row >= col) start_copy(e + layout::element(row, col), &triangle(row, col));
      }
      for (int k = t; f.left && k < N * nrhs; k += group)
        if (k % N < n) start_copy(xs + k / N * layout::ldx + k % N, &x(k % N, k / N));
    }
    wait_copies();
    __syncthreads();
    for (int k = t; !multiply && any && !f.unit && k < n; k += group) {
      const auto r = reciprocal_of(e[layout::element(k, k)]);
      e[layout::element(k, k)] = r.inverse;
      scales[k] = make<T>(r.scale);
    }
    __syncthreads();
    if (t < nrhs && any) {
      T y[N];
#pragma unroll
      for (int k = 0; k < N; k++)
        y[k] = k < n ? alpha * conj_if(f.conj, f.left ? xs[t * layout::ldx + k] : x(k, t)) : T{};
      if (multiply)
        multiply_registers<T, N>(f.unit, e, y);
      else
        substitute_registers<T, N>(n, f.unit, e, scales, y);
#pragma unroll
      for (int k = 0; k < N; k++) {
        if (k >= n) break;
        (f.left ? xs[t * layout::ldx + k] : x(k, t)) = conj_if(f.conj, y[k]);
      }
    }
    __syncthreads();
    if (any && f.left)
      for (int k = t; k < N * nrhs; k += group)
        if (k % N < n) x(k % N, k / N) = xs[k / N * layout::ldx + k % N];
    __syncthreads();
  }
}

template <class T, int N, bool multiply>
static int launch_shared(batched_ctx *ctx, triangle_form f, T alpha, const batch<T> &a, const batch<T> &b)
{
  const int nrhs = f.left ? b.n : b.m;
  int group = 8;
  while (group < nrhs && group < 64) group *= 2;
  const int threads = group < 32 ? 32 : group, groups = threads / group, chunks = (int)ceil_div(nrhs, group);
  const size_t shared = (size_t)(groups * shared_layout<T, N>::elements(group)) * sizeof(T);
  return launch(ctx, apply_in_shared<T, N, multiply>, ceil_div(b.count * chunks, groups), threads, shared, f, group,
                chunks, conj_if(f.conj, alpha), a, b);
}

/* For an E of order shared_order at most. */
template <class T, bool multiply>
static int apply_shared(batched_ctx *ctx, triangle_form f, T alpha, const batch<T> &a, const batch<T> &b)
{
  const int n = f.left ? b.m : b.n;
  if (n <= 4) return launch_shared<T, 4, multiply>(ctx, f, alpha, a, b);
  if (n <= 8) return launch_shared<T, 8, multiply>(ctx, f, alpha, a, b);
  if (n <= 16) return launch_shared<T, 16, multiply>(ctx, f, alpha, a, b);
  return launch_shared<T, 32, multiply>(ctx, f, alpha, a, b);
}

/* B = 0. */
template <class T> __global__ void clear(batch<T> b)
{
  for (int64_t i = blockIdx.x; i < b.count; i += gridDim.x) {
    const int m = b.rows(i), n = b.cols(i);
    const int64_t ld = b.leading(i);
    T *const x = m > 0 && n > 0 ? b.at(i) : nullptr;
    for (int j = threadIdx.y; j < n; j += blockDim.y)
      for (int k = threadIdx.x; k < m; k += blockDim.x) x[k + j * ld] = T{};
  }
}

} // namespace batched_cuda::triangular

#endif
