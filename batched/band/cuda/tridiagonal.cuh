/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tridiagonal matrices as kernels see them, the arguments of these, and the steps of elimination that rows share.
 */
#ifndef BATCHED_BAND_CUDA_TRIDIAGONAL_CUH
#define BATCHED_BAND_CUDA_TRIDIAGONAL_CUH

#include "batched/band/cuda/band.cuh"

namespace batched_cuda::band
{

/* Of pttrf, pttrs and ptsv. */
template <class T> struct ldl_call {
  bool upper; /* e is that of U = L^H */
  batch<real_of<T>> d;
  batch<T> e, b;
  int *info;
};

template <class T> struct gttrf_call {
  batch<T> dl, d, du, du2;
  int *ipiv, *info;
  int npivots;
};

template <class T> struct gttrs_call {
  batched_trans trans;
  batch<T> dl, d, du, du2, b;
  pivot_sets<const int> pivots;
};

template <class T> struct gtsv_call {
  batch<T> dl, d, du, b;
  int *info;
};

enum { REFERENCE_THREADS = 64 }; /* of a block of rows cuda.reference: few, as a thread has a matrix */

/* A vector in memory; an empty one is never looked at. */
template <class T> struct line {
  T *at;
  int64_t step;

  __device__ __forceinline__ T &operator[](int i) const
  {
    return at[i * step];
  }
};

template <class T> __device__ __forceinline__ line<T> line_of(const batch<T> &x, int64_t b)
{
  return x.length(b) > 0 ? line<T>{x.at(b), x.increment(b)} : line<T>{nullptr, 0};
}

/* Rows k and k + 1 while elimination is between them: row k has `d` and `u` right of it, row k + 1 its elements `l`,
 * `next` and, right of these, `beside`. */
template <class T> struct two_rows {
  T l, d, u, next, beside;
};

/* Result of an elimination: U's row (d, u, fill), the multiplier, and row k + 1 as it goes on, (next, beside). */
template <class T> struct eliminated {
  T d, u, fill, l, next, beside;
  bool exchanged;
};

/* LAPACK's gttrf: the rows are exchanged where the lower one starts with a larger element. */
template <class T> __device__ __forceinline__ eliminated<T> eliminate_row(const two_rows<T> &r)
{
  const bool exchange = abs1(r.l) > abs1(r.d);
  const T top = select(exchange, r.l, r.d), low = select(exchange, r.d, r.l), u = select(exchange, r.next, r.u);
  const T below = select(exchange, r.u, r.next), fill = select(exchange, r.beside, make<T>(0));
  const T l = top == make<T>(0) ? low : diagonal<T>(top).solve(low);
  const bool skip = top == make<T>(0);
  return {top, u, fill, l, skip ? below : mad(-l, u, below), exchange ? -(l * fill) : r.beside, exchange};
}

/* A system of gtsv for one thread. */
template <class T> struct gtsv_lines {
  line<T> dl, d, du;
  T *x;
  int64_t ldb;
  int n, nrhs;
};

/* U over (d, du, dl), and the right-hand sides; the first pivot that is zero or NaN. */
template <class T> __device__ __forceinline__ int eliminate(const gtsv_lines<T> &a)
{
  int info = 0;
  T first = a.d[0], second = a.n > 1 ? a.du[0] : make<T>(0);
  for (int k = 0; k < a.n - 1; k++) {
    const eliminated<T> e =
      eliminate_row<T>({a.dl[k], first, second, a.d[k + 1], k < a.n - 2 ? a.du[k + 1] : make<T>(0)});
    const bool zero = e.d == make<T>(0);
    a.d[k] = e.d;
    a.du[k] = e.u;
    a.dl[k] = e.fill;
    if (is_bad_pivot(e.d) && !info) info = k + 1;
    for (int j = 0; j < a.nrhs; j++) {
      T *y = a.x + k + j * a.ldb;
      const T y0 = y[0], y1 = y[1], top = select(e.exchanged, y1, y0), low = select(e.exchanged, y0, y1);
      y[0] = top;
      y[1] = zero ? low : mad(-e.l, top, low);
    }
    first = e.next;
    second = e.beside;
  }
  a.d[a.n - 1] = first;
  return is_bad_pivot(first) && !info ? a.n : info;
}

template <class T> __device__ __forceinline__ void substitute_back(const gtsv_lines<T> &a, int j)
{
  T *x = a.x + j * a.ldb, x1 = make<T>(0), x2 = x1;
  for (int k = a.n - 1; k >= 0; k--) {
    T sum = x[k];
    if (k < a.n - 1) sum = mad(-a.du[k], x1, sum);
    if (k < a.n - 2) sum = mad(-a.dl[k], x2, sum);
    x2 = x1;
    x[k] = x1 = divide(sum, a.d[k]);
  }
}

/* Both, with info. */
template <class T> __device__ __forceinline__ int solve_alone(const gtsv_lines<T> &a)
{
  const int info = eliminate(a);
  for (int j = 0; info == 0 && j < a.nrhs; j++) substitute_back(a, j);
  return info;
}

} // namespace batched_cuda::band

#endif
