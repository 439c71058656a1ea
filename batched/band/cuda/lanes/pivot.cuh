/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A step of lanes.cuh, on rows k to k + KL of a column in registers: the choice of the pivot, the multipliers, the
 * exchange and the elimination. Each lane does all of it, for any column.
 */
#ifndef BATCHED_BAND_CUDA_LANES_PIVOT_CUH
#define BATCHED_BAND_CUDA_LANES_PIVOT_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/pivot.cuh"

namespace batched_cuda::band
{

/* Exchanges elements 0 and p of rows k to k + KL. */
template <class T, int KL> __device__ __forceinline__ void exchange_rows(T (&w)[KL + 1], int p)
{
  T top = w[0];
#pragma unroll
  for (int i = 1; i <= KL; i++) {
    top = select(p == i, w[i], top);
    w[i] = select(p == i, w[0], w[i]);
  }
  w[0] = top;
}

/* A column, or from l[1] on its multipliers, once row p is on top; is the pivot zero or NaN? */
template <class T, int KL> struct lanes_multipliers {
  T l[KL + 1];
  int p;
  bool is_bad;
};

/* The multipliers of a column: the pivot is the first of the largest |re| + |im|, a NaN only if it is the first. */
template <class T, int KL>
static __device__ __noinline__ lanes_multipliers<T, KL> settle_lanes(lanes_multipliers<T, KL> x)
{
  int p = 0;
  real_of<T> size = abs1(x.l[0]);
#pragma unroll
  for (int i = 1; i <= KL; i++) {
    const real_of<T> other = abs1(x.l[i]);
    p = other > size ? i : p;
    size = other > size ? other : size;
  }
  exchange_rows<T, KL>(x.l, p);
  const T d = x.l[0];
  const diagonal<T> by(d);
#pragma unroll
  for (int i = 1; i <= KL; i++) x.l[i] = d == make<T>(0) ? x.l[i] : by.solve(x.l[i]);
  x.p = p;
  x.is_bad = is_bad_pivot(d);
  return x;
}

/* The same by high words alone, and by one reciprocal; not sure where they tie or the pivot is zero, NaN, or near over-
 * or underflow. */
template <class T, int KL> struct lanes_choice {
  T l[KL + 1];
  int p;
  bool is_sure;

  __device__ __forceinline__ explicit lanes_choice(const T (&x)[KL + 1]) : p(0)
  {
    unsigned top = high_word(x[0]);
    bool tie = false, takes[KL + 1] = {true};
#pragma unroll
    for (int i = 1; i <= KL; i++) {
      const unsigned other = high_word(x[i]);
      tie = other == top || (tie && other < top);
      takes[i] = other > top;
#pragma unroll
      for (int j = 0; j < i; j++) takes[j] = takes[j] && !takes[i];
      p = takes[i] ? i : p;
      top = max(other, top);
    }
    is_sure = !tie && is_usual_pivot<T>(top);
    T inverse;
    if constexpr (is_complex<T>) {
      T best = x[0];
#pragma unroll
      for (int i = 1; i <= KL; i++) best = select(takes[i], x[i], best);
      inverse = inverse_of(best);
    } else {
      inverse = inverse_of(x[0]);
#pragma unroll
      for (int i = 1; i <= KL; i++) inverse = select(takes[i], inverse_of(x[i]), inverse);
    }
    l[0] = x[0];
#pragma unroll
    for (int i = 1; i <= KL; i++) l[i] = select(takes[i], x[0], x[i]) * inverse;
  }
  /* Settles exactly the step of a matrix of the warp that is not sure.  Is its pivot zero or NaN? */
  __device__ __forceinline__ bool settle(const T (&x)[KL + 1])
  {
    lanes_multipliers<T, KL> exact;
#pragma unroll
    for (int i = 0; i <= KL; i++) exact.l[i] = x[i];
    exact = settle_lanes<T, KL>(exact);
#pragma unroll
    for (int i = 1; i <= KL; i++) l[i] = select(is_sure, l[i], exact.l[i]);
    p = is_sure ? p : exact.p;
    return !is_sure && exact.is_bad;
  }
};

/* Rows k + 1 to k + KL + 1 once row k is eliminated; the last one comes. */
template <class T, int KL>
__device__ __forceinline__ void eliminate_rows(T (&w)[KL + 1], const T (&l)[KL + 1], T coming)
{
  const T top = w[0];
#pragma unroll
  for (int i = 1; i <= KL; i++) w[i - 1] = mad(-l[i], top, w[i]);
  w[KL] = coming;
}

} // namespace batched_cuda::band

#endif
