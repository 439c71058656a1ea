/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared and cuda.unblocked of gebrd: a block per matrix, which is in shared memory, or in a slot of scratch
 * memory for each block of the grid.
 *
 *   algorithm  LAPACK's gebd2 on the taller of A and A^H, whose largest element is brought near 1 by a power of two.
 *              Each step is one sweep over the matrix (sweep.cuh), in which the row z^H stands for its reflector, which
 *              is not yet known: v = inverse (z - beta e_1), so that A v = inverse (A z - beta A e_1)
 *   memory     A once from and to global memory; each step reads and writes what is left of the copy once
 *   accuracy   |A - Q B P^H| < 30 max(m, n) eps |A|, Q and P unitary to 30 max(m, n) eps
 *
 * Rows cuda.blocked, cuda.tuned, cuda.switched and cuda.padded, for comparison, are in gebrd_blocked.cuh.
 */
#ifndef BATCHED_CONDENSED_CUDA_GEBRD_CUH
#define BATCHED_CONDENSED_CUDA_GEBRD_CUH

#include "batched/condensed/condensed.h"
#include "batched/condensed/cuda/sweep.cuh"

namespace batched_cuda::condensed
{

/* Arguments of gebrd for a matrix in canonical form: m >= n, A or A^H. */
template <class T> struct gebrd_task {
  using scalar = T;
  using R = real_of<T>;
  batch<T> a;
  batch<R> d, e;
  batch<T> tauq, taup;

  DEVICE int most_rows() const
  {
    return a.m > a.n ? a.m : a.n;
  }
  DEVICE int most_cols() const
  {
    return a.m > a.n ? a.n : a.m;
  }
  /* Elements of the vectors that a step needs, with `parts` parts of a sum. */
  DEVICE int64_t vector_elements(int parts) const
  {
    return (int64_t)(3 + parts) * most_rows() + 3 * (int64_t)most_cols();
  }
  __device__ __forceinline__ bool is_turned(int64_t b) const
  {
    return a.rows(b) < a.cols(b);
  }
  /* f(element of A, i, j, turned): for each element with its place in the canonical form. */
  template <class F> __device__ __forceinline__ void each(int64_t b, F f, share s = {}) const
  {
    const int m = a.rows(b), n = a.cols(b);
    const int64_t ld = a.leading(b);
    T *const p = a.at(b);
    const bool turned = m < n;
    for (int j = s.first_column(); j < n; j += s.columns())
      for (int i = threadIdx.x % 32; i < m; i += 32) f(p[i + j * ld], turned ? j : i, turned ? i : j, turned);
  }
  __device__ __forceinline__ void load(int64_t b, const dense_matrix<T> &to, R scale, share s = {}) const
  {
    each(
      b, [&](T &x, int i, int j, bool turned) { to(i, j) = scale * conj_if(turned, x); }, s);
  }
  __device__ __forceinline__ void store(int64_t b, const dense_matrix<T> &from, R back, share s = {}) const
  {
    each(
      b,
      [&](T &x, int i, int j, bool turned) {
        const T y = from(i, j);
        x = i == j || i + 1 == j ? make<T>(back * real(y)) : conj_if(turned, y);
      },
      s);
  }
};

/* A = the reflector of column (is_q) or row i. */
template <class T>
__device__ __forceinline__ void put_reflector(const gebrd_task<T> &g, int64_t b, bool is_q, int i, T tau)
{
  const batch<T> &to = is_q != g.is_turned(b) ? g.tauq : g.taup;
  to.at(b)[(int64_t)i * to.increment(b)] = tau;
}

template <class R> __device__ __forceinline__ void put_real(const batch<R> &to, int64_t b, int i, R x)
{
  to.at(b)[(int64_t)i * to.increment(b)] = x;
}

/* A sweep of gebrd: y = tauq A^H u, z = (row i)^H. */
template <class T> struct gebrd_sweep {
  static constexpr bool sums_diagonal = true, needs_row = true;
  int rows, head;
  pending<T> old;
  const T *u, *v;
  T *y, *z;
  T tau;

  __device__ __forceinline__ T alpha(int c) const
  {
    return conj(y[c]);
  }
  __device__ __forceinline__ T beta(int c) const
  {
    return conj(v[c]);
  }
  __device__ __forceinline__ int low(int) const
  {
    return head;
  }
  __device__ __forceinline__ T finish(int c, T sum, T top, bool writes) const
  {
    const T by = tau * sum, row = conj(top) - by;
    if (writes) {
      y[c] = by;
      z[c] = row;
    }
    return row;
  }
  __device__ __forceinline__ T factor(int c) const
  {
    return z[c];
  }
};

/* Makes row i, whose conjugate is z, a reflector v, and x = taup A v. */
template <int R, class T>
static __device__ void make_row(const gebrd_task<T> &g, int64_t b, const dense_matrix<T> &a, int m, int n, int i,
                                const gebrd_sweep<T> &s, T *v, T *x, T *parts, real_of<T> back)
{
  const int first = i + 1, length = n - first;
  const scaled_reflector<T> r = reflector_of<T>(length, [&](int c) { return s.z[first + c]; });
  if (r.scale != 1) { /* tiny: the sums of the sweep have lost digits */
    __syncthreads();
    for (int c = first + threadIdx.x; c < n; c += blockDim.x) s.z[c] = r.scale * s.z[c];
    __syncthreads();
    multiply_again<R>(a, first, n, s, parts);
    __syncthreads();
  }
  const T beta = make<T>(r.h.beta), inverse = r.h.inverse, f = r.h.tau * inverse;
  const T both = dot_of(length, s.y + first, s.z + first) - conj(s.y[first]) * beta;
  for (int k = first + threadIdx.x; k < m; k += blockDim.x)
    x[k] = f * (sum_of_parts<R>(parts, m, k) - beta * a(k, first) - both * s.u[k]);
  const real_of<T> last = r.h.beta * qr::inverse_scale(r.scale);
  for (int c = first + threadIdx.x; c < n; c += blockDim.x) {
    v[c] = c == first ? make<T>(1) : s.z[c] * inverse;
    a(i, c) = c == first ? make<T>(last) : conj(v[c]);
  }
  if (threadIdx.x == 0) {
    put_reflector(g, b, false, i, r.h.tau);
    put_real(g.e, b, i, back * last);
  }
}

/* Reduces a matrix in canonical form, m >= n; back: 1 / the scale of the matrix. */
template <int R, class T>
static __device__ void reduce(const gebrd_task<T> &g, int64_t b, const dense_matrix<T> &a, T *vectors, real_of<T> back)
{
  const bool turned = g.is_turned(b);
  const int m = turned ? g.a.cols(b) : g.a.rows(b), n = turned ? g.a.rows(b) : g.a.cols(b);
  T *const us = vectors, *const x = us + 2 * m, *const y = x + m, *const z = y + n, *const v = z + n;
  T *const parts = v + n;
  for (int i = threadIdx.x; i < 3 * m + 3 * n; i += blockDim.x) vectors[i] = make<T>(0);
  __syncthreads();
  for (int i = 0; i < n; i++) {
    T *const u = us + i % 2 * m;
    const pending<T> old = {us + (i + 1) % 2 * m, x};
    if (threadIdx.x < 32) {
      const T tau = make_column(a, m, i, i, i, old, conj(y[i]), conj(v[i]), u);
      if (threadIdx.x == 0) {
        y[i] = tau;
        put_reflector(g, b, true, i, tau);
        put_real(g.d, b, i, back * real(a(i, i)));
      }
    }
    __syncthreads();
    if (i + 1 == n) break;
    const gebrd_sweep<T> s = {m, i, old, u, v, y, z, y[i]};
    sweep_columns<R>(a, i + 1, n, s, parts);
    __syncthreads();
    make_row<R>(g, b, a, m, n, i, s, v, x, parts, back);
    __syncthreads();
  }
  if (threadIdx.x == 0) put_reflector(g, b, false, n - 1, make<T>(0));
}

} // namespace batched_cuda::condensed

#endif
