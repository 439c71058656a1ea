/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tridiagonal matrices as kernels see them, and the steps of their elimination, which all rows share.
 */
#ifndef BATCHED_BAND_CUDA_TRIDIAGONAL_CUH
#define BATCHED_BAND_CUDA_TRIDIAGONAL_CUH

#include "batched/band/cuda/band.cuh"

namespace batched_cuda::band
{

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

/* What elimination makes of them: U's row (d, u, fill), the multiplier, and row k + 1 as it goes on, (next, beside). */
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

} // namespace batched_cuda::band

#endif
