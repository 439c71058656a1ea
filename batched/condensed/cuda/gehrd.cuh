/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared and cuda.unblocked of gehrd: a block per matrix, which is in shared memory, or in a slot of scratch
 * memory for each block of the grid.
 *
 *   algorithm  LAPACK's gehd2, with the largest element brought near 1 by a power of two.  Each step is one sweep over
 *              the columns behind (sweep.cuh), which makes x = tau A v and y = tau (A - x v^H)^H v and the update
 *              A -= x v^H + v y^H of the step before
 *   memory     A once from and to global memory; each step reads and writes the columns behind once
 *   accuracy   |A - Q H Q^H| < 20 n eps |A|, Q unitary to 20 n eps
 */
#ifndef BATCHED_CONDENSED_CUDA_GEHRD_CUH
#define BATCHED_CONDENSED_CUDA_GEHRD_CUH

#include "batched/condensed/condensed.h"
#include "batched/condensed/cuda/sweep.cuh"

namespace batched_cuda::condensed
{

/* Arguments of gehrd; rows and columns ilo .. ihi, counted from 1. */
template <class T> struct gehrd_task {
  using scalar = T;
  using R = real_of<T>;
  int ilo, ihi;
  batch<T> a, tau;

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
  /* f(element of A, i, j, is it part of a vector?): for each element that the reduction reads. */
  template <class F> __device__ __forceinline__ void each(int64_t b, F f, share s = {}) const
  {
    const int n = a.rows(b), end = min(ihi, n);
    const int64_t ld = a.leading(b);
    T *const p = a.at(b);
    for (int j = s.first_column(); j < n; j += s.columns())
      for (int i = threadIdx.x % 32; i < n; i += 32) {
        const bool vector = i > j + 1;
        if (!vector || (j >= ilo - 1 && i < end)) f(p[i + j * ld], i, j, vector);
      }
  }
  __device__ __forceinline__ void load(int64_t b, const dense_matrix<T> &to, R scale, share s = {}) const
  {
    each(
      b, [&](T &x, int i, int j, bool) { to(i, j) = scale * x; }, s);
  }
  __device__ __forceinline__ void store(int64_t b, const dense_matrix<T> &from, R back, share s = {}) const
  {
    each(
      b, [&](T &x, int i, int j, bool vector) { x = vector ? from(i, j) : back * from(i, j); }, s);
  }
};

/* A sweep of gehrd: y = A^H v; the parts are A v. */
template <class T> struct gehrd_sweep {
  static constexpr bool sums_diagonal = true, needs_row = false;
  int rows, head;
  pending<T> old; /* v and x of the step before */
  const T *u;
  T *y;

  __device__ __forceinline__ T alpha(int c) const
  {
    return conj(y[c]);
  }
  __device__ __forceinline__ T beta(int c) const
  {
    return conj(old.p[c]);
  }
  __device__ __forceinline__ int low(int) const
  {
    return 0;
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

/* Reduces the matrix a; the scale of the matrix does not matter to H and tau. */
template <int R, class T>
static __device__ void reduce(const gehrd_task<T> &g, int64_t b, const dense_matrix<T> &a, T *vectors, real_of<T>)
{
  __shared__ T tau_of_step;
  const int n = g.a.rows(b), first = g.ilo - 1, end = min(g.ihi, n);
  T *const vs = vectors, *const x = vs + 2 * n, *const y = x + n, *const parts = y + n;
  for (int i = threadIdx.x; i < 4 * n; i += blockDim.x) vectors[i] = make<T>(0);
  for (int i = threadIdx.x; i < n - 1; i += blockDim.x)
    if (i < first || i >= end - 1) g.tau.at(b)[(int64_t)i * g.tau.increment(b)] = make<T>(0);
  __syncthreads();
  for (int j = first; j < end - 1; j++) {
    T *const v = vs + (j - first) % 2 * n;
    const pending<T> old = {vs + (j - first + 1) % 2 * n, x};
    if (threadIdx.x < 32) {
      if (threadIdx.x < 2 && j >= (int)threadIdx.x) v[j - threadIdx.x] = make<T>(0);
      __syncwarp();
      const T tau = make_column(a, end, j, 0, j + 1, old, conj(y[j]), conj(old.p[j]), v);
      if (threadIdx.x == 0) {
        tau_of_step = tau;
        g.tau.at(b)[(int64_t)j * g.tau.increment(b)] = tau;
      }
    }
    __syncthreads();
    const T tau = tau_of_step;
    const gehrd_sweep<T> s = {end, 0, old, v, y};
    sweep_columns<R>(a, j + 1, n, s, parts);
    __syncthreads();
    for (int i = threadIdx.x; i < end; i += blockDim.x) x[i] = tau * sum_of_parts<R>(parts, end, i);
    __syncthreads();
    const T both = dot_of(end - j - 1, x + j + 1, v + j + 1);
    for (int c = j + 1 + threadIdx.x; c < n; c += blockDim.x) y[c] = tau * mad(-both, v[c], y[c]);
    __syncthreads();
  }
  if (end - 1 <= first) return;
  const T *const v = vs + (end - 2 - first) % 2 * n;
  for (int c = end - 1 + threadIdx.x / 32; c < n; c += blockDim.x / 32)
    for (int i = threadIdx.x % 32; i < end; i += 32) a(i, c) = mad(-conj(v[c]), x[i], mad(-conj(y[c]), v[i], a(i, c)));
}

} // namespace batched_cuda::condensed

#endif
