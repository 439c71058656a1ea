/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.thread of heev and gesvd: cyclic Jacobi of one matrix of order N = 2, 3, 4 per thread, in registers.
 * eigen_thread and svd_thread are device functions for any kernel:
 *
 *   double h[9], w[3], z[9];                // column-major; of h the lower triangle counts
 *   bool good = eigen_thread<3>(h, w, z);   // h = z diag(w) z^H, w not sorted; false: no convergence
 *   double x[9], v[9];
 *   bool good = svd_thread<3>(x, v);        // x := x v with orthogonal columns: u diag(s), not sorted
 *
 * Errors are a few eps |A|, vectors orthogonal to a few eps, also with multiple and zero values. Elements must be
 * finite and scaled to about 1 (eigen_thread) or jacobi_lift (svd_thread): power_scale.
 *
 * grid      a block per 64 matrices
 * block     64 threads
 * shared    a slot of odd length per thread, through which matrices are read and written
 * takes     all four types, m, n <= 4, uniform and variable
 * reads     heev: a (one triangle); writes w, a (with vectors), info. gesvd: a; writes s, u, vt (with vectors), info
 * accuracy  residual and orthogonality < 30 n eps
 */
#ifndef BATCHED_EIGEN_CUDA_THREAD_CUH
#define BATCHED_EIGEN_CUDA_THREAD_CUH

#include "batched/eigen/cuda/jacobi.cuh"

namespace batched_cuda::eigen
{

constexpr int thread_sweeps = 30;

/* Element (i, j) of a Hermitian matrix stored by its lower triangle; i, j constant after unrolling. */
template <int N, class T> __device__ __forceinline__ T hermitian_at(const T (&h)[N * N], int i, int j)
{
  return i >= j ? h[i + j * N] : conj(h[j + i * N]);
}
template <int N, class T> __device__ __forceinline__ void hermitian_set(T (&h)[N * N], int i, int j, T x)
{
  if (i >= j)
    h[i + j * N] = x;
  else
    h[j + i * N] = conj(x);
}

/* Rotates columns p and q of x. */
template <int N, class T>
__device__ __forceinline__ void rotate_columns(T (&x)[N * N], int p, int q, const rotation<T> &r)
{
#pragma unroll
  for (int i = 0; i < N; i++) {
    const T xp = x[i + p * N], xq = x[i + q * N];
    x[i + p * N] = mad(-r.s, xq, r.c * xp);
    x[i + q * N] = mad(conj(r.s), xp, r.c * xq);
  }
}

template <int N, class T> __device__ __forceinline__ void set_unit(T (&x)[N * N])
{
#pragma unroll
  for (int i = 0; i < N * N; i++) x[i] = make<T>(i % (N + 1) == 0);
}

/* Zeroes element (p, q) of h, unless it is below eps / 16. */
template <int N, bool VECTORS, class T>
__device__ __forceinline__ bool zero_element(T (&h)[N * N], T (&z)[N * N], int p, int q)
{
  using R = real_of<T>;
  constexpr R small = eps_of<R> / 16;
  const T xy = hermitian_at<N>(h, p, q);
  const R xy2 = square(xy);
  if (!(xy2 > small * small)) return false;
  const rotation<T> r = jacobi_rotation(real(h[p + p * N]), real(h[q + q * N]), xy, xy2);
  h[p + p * N] = make<T>(real(h[p + p * N]) - r.shift);
  h[q + q * N] = make<T>(real(h[q + q * N]) + r.shift);
  hermitian_set<N>(h, p, q, make<T>(0));
#pragma unroll
  for (int i = 0; i < N; i++) {
    if (i == p || i == q) continue;
    const T x = hermitian_at<N>(h, i, p), y = hermitian_at<N>(h, i, q);
    hermitian_set<N>(h, i, p, mad(-r.s, y, r.c * x));
    hermitian_set<N>(h, i, q, mad(conj(r.s), x, r.c * y));
  }
  if constexpr (VECTORS) rotate_columns<N>(z, p, q, r);
  return true;
}

template <int N, bool VECTORS = true, class T>
__device__ __forceinline__ bool eigen_thread(T (&h)[N * N], real_of<T> (&w)[N], T (&z)[N * N])
{
  bool rotated = true;
  if constexpr (VECTORS) set_unit<N>(z);
#pragma unroll 1
  for (int sweep = 0; sweep < thread_sweeps && rotated; sweep++) {
    rotated = false;
#pragma unroll
    for (int p = 0; p < N; p++)
#pragma unroll
      for (int q = p + 1; q < N; q++) rotated |= zero_element<N, VECTORS>(h, z, p, q);
  }
#pragma unroll
  for (int i = 0; i < N; i++) w[i] = real(h[i + i * N]);
  return !rotated;
}

/* Orthogonalises columns p and q of x, unless they are. */
template <int N, bool VECTORS, class T>
__device__ __forceinline__ bool orthogonalize_pair(T (&x)[N * N], T (&v)[N * N], int p, int q)
{
  using R = real_of<T>;
  constexpr R tolerance = (2 * eps_of<R>)*(2 * eps_of<R>), tiny = jacobi_tiny<R>;
  R xx = 0, yy = 0;
  T xy = make<T>(0);
#pragma unroll
  for (int i = 0; i < N; i++) {
    xx += square(x[i + p * N]);
    yy += square(x[i + q * N]);
    xy = mad(conj(x[i + p * N]), x[i + q * N], xy);
  }
  const R xy2 = square(xy);
  if (!(xy2 > tolerance * (xx * yy) && xx >= tiny && yy >= tiny)) return false;
  const rotation<T> r = jacobi_rotation(xx, yy, xy, xy2);
  rotate_columns<N>(x, p, q, r);
  if constexpr (VECTORS) rotate_columns<N>(v, p, q, r);
  return true;
}

template <int N, bool VECTORS = true, class T> __device__ __forceinline__ bool svd_thread(T (&x)[N * N], T (&v)[N * N])
{
  bool rotated = true;
  if constexpr (VECTORS) set_unit<N>(v);
#pragma unroll 1
  for (int sweep = 0; sweep < thread_sweeps && rotated; sweep++) {
    rotated = false;
#pragma unroll
    for (int p = 0; p < N; p++)
#pragma unroll
      for (int q = p + 1; q < N; q++) rotated |= orthogonalize_pair<N, VECTORS>(x, v, p, q);
  }
  return !rotated;
}

/* ------------------------------------------------------------------ memory and threads
 *
 * A block of thread_block threads takes as many matrices, thread t's at t * thread_slot<N> in shared memory,
 * column-major with leading dimension N; the odd length of slots avoids bank conflicts. */

constexpr int thread_block = 64;
template <int N> constexpr int thread_slot = (N * N) | 1;

template <int N, class T> __device__ __forceinline__ bool is_packed(const batch<T> &a)
{
  return !a.array && !a.is_variable() && a.m == N && a.n == N && a.ld == N && a.stride == N * N;
}

/* Reads matrices first .. first + many - 1 into the slots; pads with zeros to N x N. */
template <int N, class T> __device__ __forceinline__ void gather(const batch<T> &a, int64_t first, int many, T *slots)
{
  constexpr int size = N * N, slot = thread_slot<N>;
  const int t = (int)threadIdx.x;
  if (is_packed<N>(a) && many == thread_block) {
    const T *from = a.data + first * size;
#pragma unroll
    for (int i = 0; i < size; i++) {
      const int e = t + i * thread_block;
      slots[e + e / size * (slot - size)] = from[e];
    }
    return;
  }
  for (int e = t; e < many * size; e += thread_block) {
    const int64_t b = first + e / size;
    const int i = e % size % N, j = e % size / N;
    const bool inside = i < a.rows(b) && j < a.cols(b);
    slots[e / size * slot + e % size] = inside ? a.at(b)[i + (int64_t)j * a.leading(b)] : make<T>(0);
  }
}

template <int N, class T>
__device__ __forceinline__ void scatter(const batch<T> &a, int64_t first, int many, const T *slots)
{
  constexpr int size = N * N, slot = thread_slot<N>;
  const int t = (int)threadIdx.x;
  if (is_packed<N>(a) && many == thread_block) {
    T *to = a.data + first * size;
#pragma unroll
    for (int i = 0; i < size; i++) {
      const int e = t + i * thread_block;
      to[e] = slots[e + e / size * (slot - size)];
    }
    return;
  }
  for (int e = t; e < many * size; e += thread_block) {
    const int64_t b = first + e / size;
    const int i = e % size % N, j = e % size / N;
    if (i < a.rows(b) && j < a.cols(b)) a.at(b)[i + (int64_t)j * a.leading(b)] = slots[e / size * slot + e % size];
  }
}

/* Writes vectors; thread t's is at t * N. */
template <int N, class R>
__device__ __forceinline__ void scatter_values(const batch<R> &w, int64_t first, int many, const R *values)
{
  const int t = (int)threadIdx.x;
  const bool packed = !w.array && !w.is_variable() && w.length(0) == N && w.increment(0) == 1 && w.stride == N;
  for (int e = t; e < many * N; e += thread_block) {
    const int64_t b = first + e / N;
    if (packed)
      w.data[first * N + e] = values[e];
    else if (e % N < w.length(b))
      w.at(b)[(int64_t)(e % N) * w.increment(b)] = values[e];
  }
}

/* Rank of number j among the first n: how many are smaller (descending: larger), or equal with a smaller index. */
template <int N, class R> __device__ __forceinline__ int place(const R (&w)[N], int n, int j, bool descending)
{
  int before = 0;
#pragma unroll
  for (int i = 0; i < N; i++)
    before += i < n && i != j && ((descending ? w[i] > w[j] : w[i] < w[j]) || (w[i] == w[j] && i < j));
  return before;
}

} // namespace batched_cuda::eigen

#endif
