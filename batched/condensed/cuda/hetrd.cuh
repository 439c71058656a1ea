/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared and cuda.unblocked of hetrd: a block per matrix, which is in shared memory, or in a slot of scratch
 * memory for each block of the grid.
 *
 *   algorithm  LAPACK's hetd2 on the lower triangle, or on the upper one with its rows and columns in reverse order;
 *              the largest element is brought near 1 by a power of two.  Each step is one sweep over the triangle
 *              (sweep.cuh), in which an element counts for its row and its column of A u, and which makes
 *              A -= u w^H + w u^H of the step before
 *   memory     the triangle once from and to global memory; each step reads and writes what is left of it once
 *   accuracy   |A - Q T Q^H| < 30 n eps |A|, Q unitary to 30 n eps
 */
#ifndef BATCHED_CONDENSED_CUDA_HETRD_CUH
#define BATCHED_CONDENSED_CUDA_HETRD_CUH

#include "batched/condensed/condensed.h"
#include "batched/condensed/cuda/sweep.cuh"

namespace batched_cuda::condensed
{

/* Arguments of hetrd for a lower triangle. */
template <class T> struct hetrd_task {
  using scalar = T;
  using R = real_of<T>;
  bool upper;
  batch<T> a;
  batch<R> d, e;
  batch<T> tau;

  DEVICE int most_rows() const
  {
    return a.n;
  }
  DEVICE int most_cols() const
  {
    return a.n;
  }
  DEVICE int64_t vector_elements(int parts) const
  {
    return (int64_t)(4 + parts) * a.n;
  }
  /* f(element of A, i, j): for each element of the triangle with its place in the lower one. */
  template <class F> __device__ __forceinline__ void each(int64_t b, F f, share s = {}) const
  {
    const int n = a.rows(b), last = n - 1;
    const int64_t ld = a.leading(b);
    T *const p = a.at(b);
    for (int j = s.first_column(); j < n; j += s.columns())
      for (int i = threadIdx.x % 32; i < n; i += 32)
        if (upper ? i <= j : i >= j) f(p[i + j * ld], upper ? last - i : i, upper ? last - j : j);
  }
  __device__ __forceinline__ void load(int64_t b, const dense_matrix<T> &to, R scale, share s = {}) const
  {
    each(
      b, [&](T &x, int i, int j) { to(i, j) = scale * (i == j ? make<T>(real(x)) : x); }, s);
  }
  __device__ __forceinline__ void store(int64_t b, const dense_matrix<T> &from, R back, share s = {}) const
  {
    each(
      b, [&](T &x, int i, int j) { x = i <= j + 1 ? make<T>(back * real(from(i, j))) : from(i, j); }, s);
  }
  /* Element i of a vector of n, from the last one backward for an upper triangle. */
  template <class V> __device__ __forceinline__ void put(const batch<V> &to, int64_t b, int n, int i, V x) const
  {
    to.at(b)[(int64_t)(upper ? n - 1 - i : i) * to.increment(b)] = x;
  }
};

/* A sweep of hetrd: y = what the columns below their diagonals give to A u; the parts are the rest. */
template <class T> struct hetrd_sweep {
  static constexpr bool sums_diagonal = false, needs_row = false;
  int rows, head;
  pending<T> old;
  const T *u;
  T *y;

  __device__ __forceinline__ T alpha(int c) const
  {
    return conj(old.q[c]);
  }
  __device__ __forceinline__ T beta(int c) const
  {
    return conj(old.p[c]);
  }
  __device__ __forceinline__ int low(int c) const
  {
    return c;
  }
  __device__ __forceinline__ T finish(int c, T sum, T, bool writes) const
  {
    if (writes) y[c] = sum;
    return u[c];
  }
  __device__ __forceinline__ T factor(int c) const
  {
    return u[c];
  }
};

/* Reduces the lower triangle a; back: 1 / the scale of the matrix. */
template <int R, class T>
static __device__ void reduce(const hetrd_task<T> &h, int64_t b, const dense_matrix<T> &a, T *vectors, real_of<T> back)
{
  __shared__ T tau_of_step;
  const int n = h.a.rows(b);
  T *const us = vectors, *const w = us + 2 * n, *const y = w + n, *const parts = y + n;
  for (int i = threadIdx.x; i < 4 * n; i += blockDim.x) vectors[i] = make<T>(0);
  __syncthreads();
  for (int j = 0; j < n; j++) {
    T *const u = us + j % 2 * n;
    const pending<T> old = {us + (j + 1) % 2 * n, w};
    const int head = j + 1;
    if (threadIdx.x < 32) {
      const T alpha = conj(w[j]), beta = conj(old.p[j]);
      if (threadIdx.x == 0) a(j, j) = make<T>(real(a(j, j)) - real(old.p[j] * alpha) - real(w[j] * beta));
      const T tau = head < n ? make_column(a, n, j, head, head, old, alpha, beta, u) : make<T>(0);
      if (threadIdx.x == 0) {
        tau_of_step = tau;
        h.put(h.d, b, n, j, back * real(a(j, j)));
        if (head < n) h.put(h.e, b, n - 1, j, back * real(a(head, j)));
        if (head < n) h.put(h.tau, b, n - 1, j, tau);
      }
    }
    __syncthreads();
    if (head == n) break;
    const T tau = tau_of_step;
    const hetrd_sweep<T> s = {n, head, old, u, y};
    sweep_columns<R>(a, head, n, s, parts);
    __syncthreads();
    for (int i = head + threadIdx.x; i < n; i += blockDim.x) y[i] = tau * (y[i] + sum_of_parts<R>(parts, n, i));
    __syncthreads();
    const T half = real_of<T>(0.5) * (tau * dot_of(n - head, y + head, u + head));
    for (int i = head + threadIdx.x; i < n; i += blockDim.x) w[i] = mad(-half, u[i], y[i]);
    __syncthreads();
  }
}

} // namespace batched_cuda::condensed

#endif
