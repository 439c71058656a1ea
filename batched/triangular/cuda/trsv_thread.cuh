/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.thread of trsv: a warp copies the triangles of 32 matrices of order 8 at most into shared memory, then each
 * of its threads solves for one of them, x in registers.  No thread waits for another one between two unknowns.
 */
#ifndef BATCHED_TRIANGULAR_CUDA_TRSV_THREAD_CUH
#define BATCHED_TRIANGULAR_CUDA_TRSV_THREAD_CUH

#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::triangular
{

/* A matrix of order N at most in shared memory: the columns of its triangle, E(i, j) at element(i, j), and x.  The size
 * is odd, so that neighbouring threads find the same element of their matrices in different banks. */
template <int N> struct packed {
  static constexpr int x = N * (N + 1) / 2, size = (x + N) | 1;

  static DEVICE constexpr int element(int i, int j)
  {
    return j * (2 * N - j - 1) / 2 + i;
  }
};

template <class P> __device__ __forceinline__ P *shuffle_pointer(P *p, int lane)
{
  return reinterpret_cast<P *>(__shfl_sync(all_lanes, reinterpret_cast<unsigned long long>(p), lane));
}

/* The matrix that a lane solves for. */
template <class T> struct vector_system {
  int n, ld, inc;
  T *a, *x;

  __device__ __forceinline__ vector_system from(int lane) const
  {
    return {__shfl_sync(all_lanes, n, lane), __shfl_sync(all_lanes, ld, lane), __shfl_sync(all_lanes, inc, lane),
            shuffle_pointer(a, lane), shuffle_pointer(x, lane)};
  }
  __device__ __forceinline__ T *unknown(const triangle_form &f, int i) const
  {
    return x + (int64_t)(f.backward ? n - 1 - i : i) * inc;
  }
};

template <class T>
__device__ __forceinline__ vector_system<T> system_of(const batch<T> &a, const batch<T> &x, int64_t b, bool used)
{
  const int n = used ? x.length(b) : 0;
  return n > 0 ? vector_system<T>{n, a.leading(b), x.increment(b), a.at(b), x.at(b)}
               : vector_system<T>{0, 0, 0, nullptr, nullptr};
}

/* Starts the copies of the triangles and the right-hand sides of the warp's G matrices. */
template <class T, int N, int G>
__device__ __forceinline__ void fetch_systems(const triangle_form &f, const vector_system<T> &own, T *shared)
{
  constexpr int at_once = N * N < 32 ? 32 / (N * N) : 1;
  const int lane = threadIdx.x;
  for (int g0 = 0; g0 < G; g0 += at_once) {
    const int g = g0 + lane % (32 * at_once) / (N * N) * (at_once > 1);
    const vector_system<T> s = own.from(g);
    const auto e = triangle_of<const T>(f, s.a, s.ld, s.n);
#pragma unroll
    for (int k0 = 0; k0 < N * N; k0 += 32) {
      const int k = at_once > 1 ? lane % (N * N) : k0 + lane; /* neighbours in a column of A */
      const int i = f.flip ? k / N : k % N, j = f.flip ? k % N : k / N;
      if (i < s.n && j <= i) start_copy(shared + g * packed<N>::size + packed<N>::element(i, j), &e(i, j));
    }
  }
  for (int k = lane; k < G * N; k += 32) {
    const vector_system<T> s = own.from(k / N);
    if (k % N < s.n) start_copy(shared + k / N * packed<N>::size + packed<N>::x + k % N, s.unknown(f, k % N));
  }
}

/* Inverts the diagonals; rows with extreme ones are scaled first. */
template <class T, int N, int G>
__device__ __forceinline__ void invert_diagonals(const vector_system<T> &own, T *shared)
{
  for (int k = threadIdx.x; k < G * N; k += 32) {
    const int n = __shfl_sync(all_lanes, own.n, k / N), i = k % N;
    T *const e = shared + k / N * packed<N>::size;
    if (i >= n) continue;
    const auto r = reciprocal_of(e[packed<N>::element(i, i)]);
    e[packed<N>::element(i, i)] = r.inverse;
    if (r.scale == 1) continue;
    for (int j = 0; j < i; j++) e[packed<N>::element(i, j)] = r.scale * e[packed<N>::element(i, j)];
    e[packed<N>::x + i] = r.scale * e[packed<N>::x + i];
  }
}

template <class T, int N> __device__ __forceinline__ void substitute(const triangle_form &f, int n, T *e)
{
  T x[N];
#pragma unroll
  for (int i = 0; i < N; i++) x[i] = conj_if(f.conj, e[packed<N>::x + i]);
#pragma unroll
  for (int j = 0; j < N; j++) {
    if (j >= n) break;
    if (!f.unit) x[j] = x[j] * e[packed<N>::element(j, j)];
#pragma unroll
    for (int i = j + 1; i < N; i++) x[i] = mad(-x[j], e[packed<N>::element(i, j)], x[i]);
  }
#pragma unroll
  for (int i = 0; i < N; i++) e[packed<N>::x + i] = conj_if(f.conj, x[i]);
}

/* x = E^-1 x.
 *   algorithm  substitution by columns
 *   grid       a warp, which is a block, per G = 32 matrices
 *   registers  N elements of x per thread
 *   shared     N (N + 3) / 2 elements per matrix
 *   takes      n <= 8, all types, uniform and variable
 *   memory     the triangle and x once from, x once to global memory
 *   accuracy   of substitution; a row with an extreme pivot is scaled by a power of two first */
template <class T, int N, int G>
__global__ void __launch_bounds__(32) solve_in_thread(triangle_form f, batch<T> a, batch<T> x)
{
  T *const shared = shared_array<T>();
  const int lane = threadIdx.x;
  for (int64_t first = (int64_t)blockIdx.x * G; first < x.count; first += (int64_t)gridDim.x * G) {
    const auto own = system_of(a, x, first + lane, lane < G && first + lane < x.count);
    fetch_systems<T, N, G>(f, own, shared);
    wait_copies();
    __syncwarp();
    if (!f.unit) invert_diagonals<T, N, G>(own, shared);
    __syncwarp();
    if (own.n > 0) substitute<T, N>(f, own.n, shared + lane * packed<N>::size);
    __syncwarp();
    for (int k = lane; k < G * N; k += 32) {
      const vector_system<T> s = own.from(k / N);
      if (k % N < s.n) *s.unknown(f, k % N) = shared[k / N * packed<N>::size + packed<N>::x + k % N];
    }
    __syncwarp();
  }
}

template <class T, int N, int G>
static int launch_thread(batched_ctx *ctx, triangle_form f, const batch<T> &a, const batch<T> &x)
{
  static_assert(G <= 32 && G * N % 32 == 0, "all lanes take part in every shuffle");
  return launch(ctx, solve_in_thread<T, N, G>, ceil_div(x.count, G), 32, G * packed<N>::size * sizeof(T), f, a, x);
}

template <class T> static int solve_thread(batched_ctx *ctx, triangle_form f, const batch<T> &a, const batch<T> &x)
{
  return a.m <= 4 ? launch_thread<T, 4, 32>(ctx, f, a, x) : launch_thread<T, 8, 32>(ctx, f, a, x);
}

} // namespace batched_cuda::triangular

#endif
