/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is done before a sweep of native.cuh (the updates that a column is due, corrections of its products) and behind
 * it (the next column of X, Y and V), for gebrd, hetrd and gehrd.
 */
#ifndef BATCHED_CONDENSED_CUDA_NATIVE_STEP_CUH
#define BATCHED_CONDENSED_CUDA_NATIVE_STEP_CUH

#include "batched/condensed/cuda/native/sweep.cuh"

namespace batched_cuda::condensed
{

/* What a lane has of the row of V and of Y that belongs to the next column. */
template <class T> struct native_row {
  T v, y;
};

/* The same from the heads, which are rows of Y and V without their last element. */
template <class T>
static __device__ __forceinline__ native_row<T> row_behind(const native_block<T> &g, int i, T last_v, T last_y)
{
  const int l = threadIdx.x % 32;
  return {l < i    ? g.sums.head(1 + panel_width + l)
          : l == i ? last_v
                   : make<T>(0),
          l < i    ? g.sums.head(1 + l)
          : l == i ? last_y
                   : make<T>(0)};
}

/* Step i of gebrd behind its sweep. */
template <class Sweep, class T>
static __device__ native_row<T> finish_native_step(const panel<gebrd_task<T>> &task, native_block<T> &g, const Sweep &s,
                                                   T)
{
  const int i = s.i, first = i + 1, l = threadIdx.x % 32;
  const native_reflector<T> r = reflect_own(g, g.cols, first, g.z, i + 1, i, [&](real_of<T> scale) {
    if (scale != 1) { /* tiny: the sums of the sweep have lost digits */
      __syncthreads();
      g.cols.each_thread(first, [&](int k, int) { g.z[k] = scale * g.z[k]; });
      __syncthreads();
      add_own_columns(s);
    }
    project_own<false>(g, g.cols, first, g.z, g.z, g.own_y, i + 1, g.own_v, i, real_of<T>(1));
  });
  const T from_y = projected(g, r.h.inverse, l), from_v = projected(g, r.h.inverse, panel_width + l);
  const real_of<T> last = r.h.beta * qr::inverse_scale(r.scale);
  g.rows.each_warp(first, [&](int k, int row) {
    const T shared_out = g.share_of_parts(row), at_first = g.a(row, first);
    T sum = r.h.inverse * shared_out;
    if (l <= i) sum = mad(-from_y, g.own_f[k * g.pitch + l], sum);
    if (l < i) sum = mad(-from_v, g.own_x[k * g.pitch + l], sum);
    const T x = r.h.tau * (sum_lanes(sum) - (r.h.beta * r.h.inverse) * at_first);
    if (l == 0) g.own_x[k * g.pitch + i] = g.x(row, i) = x;
  });
  g.cols.each_thread(first, [&](int k, int c) {
    const T v = c == first ? make<T>(1) : g.z[k] * r.h.inverse;
    g.own_v[k * g.pitch + i] = g.v(c, i) = v;
    g.y(c, i) = g.own_y[k * g.pitch + i];
    g.a(i, c) = c == first ? make<T>(last) : conj(v);
  });
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    put_reflector(task.task, 0, false, task.j + i, r.h.tau);
    put_real(task.task.e, 0, task.j + i, last);
  }
  return row_behind(g, i, make<T>(1), g.sums.head(1 + i));
}

template <class Sweep, class T>
static __device__ native_row<T> finish_native_step(const panel<hetrd_task<T>> &, native_block<T> &g, const Sweep &s,
                                                   T both)
{
  const int i = s.i, first = i + 1, l = threadIdx.x % 32;
  const T tau = s.tau;
  g.cols.each_thread(first, [&](int k, int) { both = qr::conj_mad(g.own_f[k * g.pitch + i], g.z[k], both); });
  both = sum_lanes(both);
  if (l == 0) g.sums.part(0) = both;
  g.cols.each_warp(first, [&](int k, int c) {
    if (c > first) return;
    if (l == 0) g.sums.next_head(0) = g.z[k];
    g.sums.next_head(1 + l) = listed(g.own_x, k, g.pitch, l, i);
    g.sums.next_head(1 + panel_width + l) = listed(g.own_f, k, g.pitch, l, i);
  });
  g.sums.exchange(0, 0, g.cols.has(first));
  const real_of<T> half = real_of<T>(0.5) * square(tau) * real(g.sums.sum(0));
  g.cols.each_warp(first, [&](int k, int c) {
    const T u = g.own_f[k * g.pitch + i], w = tau * (g.z[k] + sum_lanes(g.share_of_parts(c))) - half * u;
    if (l > 0) return;
    g.own_x[k * g.pitch + i] = g.own_y[k * g.pitch + i] = g.x(c, i) = g.y(c, i) = w;
    g.own_v[k * g.pitch + i] = g.v(c, i) = u;
  });
  const T w = tau * (g.sums.head(0) + sum_lanes(g.share_of_parts(first))) - make<T>(half);
  return row_behind(g, i, make<T>(1), w);
}

template <class Sweep, class T>
static __device__ native_row<T> finish_native_step(const panel<gehrd_task<T>> &, native_block<T> &g, const Sweep &s, T)
{
  const int i = s.i, first = i + 1, l = threadIdx.x % 32;
  const T tau = s.tau;
  project_own<true>(g, g.cols, first, g.row, g.z, g.own_y, i, g.own_v, i, real_of<T>(1));
  g.sums.exchange(i, i, g.cols.has(first));
  const T both = conj(tau * g.sums.sum(0)), from_y = g.sums.sum(1 + l), from_v = g.sums.sum(1 + panel_width + l);
  g.rows.each_warp(0, [&](int k, int row) {
    T sum = g.share_of_parts(row);
    if (l < i) sum = mad(-from_y, g.own_f[k * g.pitch + l], mad(-from_v, g.own_x[k * g.pitch + l], sum));
    sum = sum_lanes(sum);
    if (l == 0) g.own_x[k * g.pitch + i] = g.x(row, i) = tau * sum;
  });
  g.cols.each_thread(first, [&](int k, int c) {
    const T v = g.row[k], y = tau * mad(-both, v, g.z[k]);
    g.own_y[k * g.pitch + i] = g.y(c, i) = y;
    g.own_v[k * g.pitch + i] = g.v(c, i) = v;
  });
  return row_behind(g, i, make<T>(1), tau * (g.sums.head(0) - both));
}

/* Column i with all updates that it is due, by a warp per row of the block's own. */
template <class Task, class T>
static __device__ void update_own_column(const panel<Task> &task, native_block<T> &g, int i, int first_row, int head,
                                         const native_row<T> &row)
{
  const int l = threadIdx.x % 32;
  const T v = conj(row.v), y = conj(row.y);
  g.column_tag = g.sums.tag + 1;
  g.rows.each_warp(first_row, [&](int k, int r) {
    const T old = g.a(r, i);
    const T s = sum_lanes(l < i ? mad(v, g.own_x[k * g.pitch + l], y * g.own_f[k * g.pitch + l]) : make<T>(0));
    if (l > 0) return;
    g.own_column[k] = old - s;
    post(g.column + r, old - s, g.column_tag);
    if (r >= head) return;
    g.a(r, i) = old - s;
    if constexpr (is_hetrd<Task>) put_real(task.task.d, 0, task.j + i, real(old - s));
  });
}

/* sum and row for the block's own columns, by a warp per column: as correct_sums. */
template <bool WITH_ROW, class T>
static __device__ void correct_own_sums(native_block<T> &g, int i, const native_reflector<T> &u)
{
  const int l = threadIdx.x % 32;
  const T from_f = projected(g, u.h.inverse, l), from_x = projected(g, u.h.inverse, panel_width + l);
  const T f = g.sums.head(1 + l), x = g.sums.head(1 + panel_width + l);
  g.cols.each_warp(i + 1, [&](int k, int c) {
    const int r = c + g.shift;
    T old = make<T>(0);
    if (WITH_ROW)
      old = g.a(i, c);
    else if (r < g.m)
      old = u.element(r, g.await_element(r));
    const T y = listed(g.own_y, k, g.pitch, l, i), v = listed(g.own_v, k, g.pitch, l, i);
    const T s = l < i ? mad(from_x, v, from_f * y) : make<T>(0);
    const T taken = WITH_ROW && l < i ? mad(conj(v), x, conj(y) * f) : make<T>(0);
    const T all = sum_lanes(s), all_taken = WITH_ROW ? sum_lanes(taken) : taken;
    if (l > 0) return;
    g.sum[k] = -all;
    g.row[k] = WITH_ROW ? conj(old - all_taken) : old;
  });
}

/* The numbers of a column's reflector. */
template <class T>
static __device__ void put_column(const gebrd_task<T> &task, int j, const native_reflector<T> &u, real_of<T> beta)
{
  put_real(task.d, 0, j, beta);
  put_reflector(task, 0, true, j, u.h.tau);
}
template <class T>
static __device__ void put_column(const hetrd_task<T> &task, int j, const native_reflector<T> &u, real_of<T> beta)
{
  put_real(task.e, 0, j, beta);
  task.tau.at(0)[j] = u.h.tau;
}
template <class T>
static __device__ void put_column(const gehrd_task<T> &task, int j, const native_reflector<T> &u, real_of<T>)
{
  task.tau.at(0)[j] = u.h.tau;
}

} // namespace batched_cuda::condensed

#endif
