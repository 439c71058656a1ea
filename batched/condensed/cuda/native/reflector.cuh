/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reflector of a column, or of a row, whose elements the blocks of native.cuh share, and its products with their
 * lists: one exchange of sums (grid_sums.cuh), or three where the squares of the elements are not safe.
 */
#ifndef BATCHED_CONDENSED_CUDA_NATIVE_REFLECTOR_CUH
#define BATCHED_CONDENSED_CUDA_NATIVE_REFLECTOR_CUH

#include "batched/condensed/cuda/native/block.cuh"

namespace batched_cuda::condensed
{

/* Reflector of the step: of the column, u = 1 in row `head` and factor (column) below. */
template <class T> struct native_reflector {
  qr::reflector<T> h;
  real_of<T> scale;
  int head;

  __device__ __forceinline__ T element(int r, T x) const
  {
    if (r > head) return (scale * x) * h.inverse;
    return make<T>(r == head);
  }
};

/* The block's parts of the sums over x, its own elements of a vector, below number `first`: of conj(with) x, and of the
 * first `many` and `few` columns of two lists with x; and what stands in number `first` as heads.  INSIDE: the sums are
 * over number `first`, too. */
template <bool INSIDE, class T>
static __device__ void project_own(native_block<T> &g, const dealt &own, int first, const T *x, const T *with,
                                   const T *list, int many, const T *other, int few, real_of<T> scale)
{
  const int l = threadIdx.x % 32;
  T norm = make<T>(0), s = make<T>(0), t = make<T>(0);
  own.each_warp(first, [&](int k, int i) {
    const T factor = scale * x[k], p = listed(list, k, g.pitch, l, many), q = listed(other, k, g.pitch, l, few);
    if (i == first) {
      if (l == 0) g.sums.next_head(0) = scale * with[k];
      g.sums.next_head(1 + l) = p;
      g.sums.next_head(1 + panel_width + l) = q;
      if (!INSIDE) return;
    }
    norm = qr::conj_mad(scale * with[k], factor, norm);
    s = qr::conj_mad(p, factor, s);
    t = qr::conj_mad(q, factor, t);
  });
  if (l == 0) g.sums.part(0) = norm;
  g.sums.part(1 + l) = s;
  g.sums.part(1 + panel_width + l) = t;
}

/* The reflector of elements `head` on of x, of which each block has its own; project(scale) makes the parts of sums. */
template <class T, class F>
static __device__ native_reflector<T> reflect_own(native_block<T> &g, const dealt &own, int head, const T *x, int many,
                                                  int few, F project)
{
  using R = real_of<T>;
  project(R(1));
  g.sums.exchange(many, few, own.has(head));
  if (const R tail = real(g.sums.sum(0)); is_safe(tail + square(g.sums.head(0))))
    return {qr::reflect(g.sums.head(0), tail), R(1), head};
  R size = 0;
  own.each_thread(head, [&](int k, int) { size = fmax(size, qr::largest_part(x[k])); });
  size = merge_lanes(maximum_of<R>{size}).result();
  if (threadIdx.x % 32 == 0) g.sums.part(0) = make<T>(size);
  g.sums.template exchange<true>(0, 0, false, false);
  const R scale = qr::column_scale(real(g.sums.sum(0)));
  project(scale);
  g.sums.exchange(many, few, own.has(head));
  return {qr::reflect(g.sums.head(0), real(g.sums.sum(0))), scale, head};
}

/* Number l of (list)^H (reflector), from the sums of its exchange. */
template <class T> static __device__ __forceinline__ T projected(const native_block<T> &g, T inverse, int l)
{
  return mad(inverse, g.sums.sum(1 + l), conj(g.sums.head(1 + l)));
}

} // namespace batched_cuda::condensed

#endif
