/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A panel of the blocked reductions: LAPACK's labrd, latrd and lahr2 in one form.  The first columns of a matrix are
 * reduced while those behind stay as they were, and the update that they are due,
 *
 *   A -= F Y^H + X V^H,     F: the columns' reflectors, with X and V, Y as in
 *     gebrd  X = taup A v, V the rows' reflectors, Y = tauq A^H u
 *     hetrd  X = Y = w = tau (A u - 1/2 tau (u^H A u) u), V = F
 *     gehrd  X = tau A v, V = F, Y = tau (A - x v^H)^H v
 *
 * is made by one product afterwards.  Each step reads what is left of A once (sweep.cuh), and corrects by the short
 * products F^H u, X^H u, Y^H v and V^H v for the updates that are missing.
 */
#ifndef BATCHED_CONDENSED_CUDA_PANEL_CUH
#define BATCHED_CONDENSED_CUDA_PANEL_CUH

#include "batched/condensed/cuda/gebrd.cuh"
#include "batched/condensed/cuda/gehrd.cuh"
#include "batched/condensed/cuda/hetrd.cuh"

namespace batched_cuda::condensed
{

constexpr int panel_width = 32, panel_threads = 256;

/* Columns that a warp reads at a time, with R rows of each in a lane. */
template <int R, class T> constexpr int columns_of_panel = R * sizeof(T) <= 64 ? 4 : R * sizeof(T) <= 128 ? 2 : 1;

/* A panel of each matrix, from column j on.  a: what is left, from column j and its first row that counts on; f, x:
 * rows of a; y, v: its columns; panel_width columns each. */
template <class Task> struct panel {
  using T = typename Task::scalar;
  Task task; /* with the whole matrices, and where the numbers of each step go */
  batch<T> a, f, x, y, v;
  int j, width;
  T *vectors; /* of each block; nullptr: in shared memory */
  int64_t elements;
};

template <class Task> constexpr bool is_gebrd = false;
template <class T> constexpr bool is_gebrd<gebrd_task<T>> = true;
template <class Task> constexpr bool is_hetrd = false;
template <class T> constexpr bool is_hetrd<hetrd_task<T>> = true;

/* A block's view of its matrix.  Row head + i is the one of reflector i; row shift + c belongs to column c. */
template <class T> struct panel_matrix {
  dense_matrix<T> a, f, x, y, v;
  int m, n, shift, head;
  T *u;          /* m: the reflector of the step */
  T *sum;        /* n: A^H u */
  T *row;        /* n: gebrd: the row of the step, and then its reflector */
  T *parts;      /* of A v */
  T *short_sums; /* 4 panel_width */
};

template <class T> DEVICE int64_t panel_elements(int m, int n, int parts)
{
  return (int64_t)(1 + parts) * m + 2 * (int64_t)n + 4 * panel_width;
}

/* sums = the first `many` columns of a and then `few` of b, transposed, times z: elements first .. last - 1 of all.  A
 * warp takes four columns at a time. */
template <class T>
static __device__ void project(T *sums, int many, int few, int first, int last, const dense_matrix<T> &a,
                               const dense_matrix<T> &b, const T *z)
{
  constexpr int G = 4;
  const int lane = threadIdx.x % 32, all = many + few;
  for (int l0 = threadIdx.x / 32 * G; l0 < all; l0 += blockDim.x / 32 * G) {
    const T *x[G];
    T sum[G];
#pragma unroll
    for (int t = 0; t < G; t++) {
      const int l = min(l0 + t, all - 1);
      x[t] = l < many ? &a(0, l) : &b(0, l - many);
      sum[t] = make<T>(0);
    }
#pragma unroll 2
    for (int i = first + lane; i < last; i += 32) {
      const T factor = z[i];
#pragma unroll
      for (int t = 0; t < G; t++) sum[t] = qr::conj_mad(x[t][i], factor, sum[t]);
    }
    const T mine = sum_transposed<G, 32>(sum);
    if (lane < G && l0 + lane < all) sums[l0 + lane] = mine;
  }
}

/* x^H y by a warp, of elements first .. last - 1. */
template <class T> __device__ __forceinline__ T dot_between(int first, int last, const T *x, const T *y)
{
  return dot_of(last - first, x + first, y + first);
}

/* Column i with all updates that it is due, from row `first` on: to A above row `head`, and to u from there on. */
template <class T> static __device__ void update_column(const panel_matrix<T> &p, int i, int first, int head)
{
  for (int r = first + threadIdx.x; r < p.m; r += blockDim.x) {
    T s = p.a(r, i);
#pragma unroll 8
    for (int l = 0; l < i; l++) s = mad(-conj(p.v(i, l)), p.x(r, l), mad(-conj(p.y(i, l)), p.f(r, l), s));
    (r < head ? p.a(r, i) : p.u[r]) = s;
  }
}

/* Makes the column in u a reflector from row `head` on, which goes to u, F and A. */
template <class T> static __device__ scaled_reflector<T> reflect_column(const panel_matrix<T> &p, int i, int head)
{
  const scaled_reflector<T> s = reflector_of<T>(p.m - head, [&](int r) { return p.u[head + r]; });
  __syncthreads();
  const T last = make<T>(s.h.beta * qr::inverse_scale(s.scale));
  for (int r = threadIdx.x; r < p.m; r += blockDim.x) {
    T u = make<T>(r == head);
    if (r > head) u = (s.scale * p.u[r]) * s.h.inverse;
    p.u[r] = p.f(r, i) = u;
    if (r >= head) p.a(r, i) = r == head ? last : u;
  }
  return s;
}

/* short_sums = F^H u and X^H u, from row `head` on. */
template <class T> static __device__ void project_column(const panel_matrix<T> &p, int i, int head)
{
  project(p.short_sums, i, i, head, p.m, p.f, p.x, p.u);
}

/* sum = - what the missing updates take from A^H u; row (gebrd) = row i with its updates, but for the column's. */
template <bool WITH_ROW, class T> static __device__ void correct_sums(const panel_matrix<T> &p, int i)
{
  for (int c = i + 1 + threadIdx.x; c < p.n; c += blockDim.x) {
    T s = make<T>(0), r = WITH_ROW ? p.a(i, c) : s;
#pragma unroll 8
    for (int l = 0; l < i; l++) {
      const T y = p.y(c, l), v = p.v(c, l);
      s = mad(-p.short_sums[i + l], v, mad(-p.short_sums[l], y, s));
      if (WITH_ROW) r = mad(-conj(v), p.x(i, l), mad(-conj(y), p.f(i, l), r));
    }
    p.sum[c] = s;
    if (WITH_ROW) p.row[c] = conj(r);
  }
}

/* A sweep over columns that are only read.  LOWER: a triangle; WITH_ROW: A v with v from the row. */
template <bool LOWER, bool WITH_ROW, class T> struct panel_sweep {
  panel_matrix<T> p;
  int first_row;
  T tau;

  __device__ __forceinline__ int low(int c) const
  {
    return LOWER ? c + p.shift : first_row;
  }
  __device__ __forceinline__ T factor(int c) const
  {
    if constexpr (WITH_ROW) return p.row[c];
    return c + p.shift < p.m ? p.u[c + p.shift] : make<T>(0);
  }
  /* Takes (column c)^H u and returns the column's factor. */
  __device__ __forceinline__ T finish(int c, T dot, bool writes) const
  {
    const T s = p.sum[c] + dot;
    if constexpr (!WITH_ROW) {
      const T f = factor(c);
      __syncwarp();
      if (writes) p.sum[c] = s;
      return f;
    } else {
      const T y = tau * s, z = p.row[c] - y;
      __syncwarp();
      if (writes) {
        p.sum[c] = y;
        p.row[c] = z;
      }
      return z;
    }
  }
};

template <int R, int G, bool LOWER, bool WITH_ROW, class T>
static __device__ void read_columns(const panel_sweep<LOWER, WITH_ROW, T> &s, int first, T *parts)
{
  const panel_matrix<T> &p = s.p;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  T u[R], sum[R];
#pragma unroll
  for (int k = 0; k < R; k++) {
    u[k] = lane + 32 * k < p.m ? p.u[lane + 32 * k] : make<T>(0);
    sum[k] = make<T>(0);
  }
  for (int c0 = first + warp * G; c0 < p.n; c0 += warps * G) {
    T x[G][R], dot[G];
#pragma unroll
    for (int t = 0; t < G; t++) {
      const int low = c0 + t < p.n ? s.low(c0 + t) : p.m;
      const T *const column = &p.a(lane, c0 + t);
#pragma unroll
      for (int k = 0; k < R; k++) {
        const int i = lane + 32 * k;
        x[t][k] = i >= low && i < p.m ? column[32 * k] : make<T>(0);
        if (LOWER && i == low) x[t][k] = make<T>(real(x[t][k]));
      }
    }
#pragma unroll
    for (int t = 0; t < G; t++) {
      dot[t] = make<T>(0);
#pragma unroll
      for (int k = 0; k < R; k++)
        if (!LOWER || lane + 32 * k > c0 + t + p.shift) dot[t] = qr::conj_mad(x[t][k], u[k], dot[t]);
    }
    const T mine = sum_transposed<G, 32>(dot);
#pragma unroll
    for (int t = 0; t < G; t++) {
      const T total = shuffle(mine, t);
      if (c0 + t >= p.n) continue;
      const T f = s.finish(c0 + t, total, lane == 0);
#pragma unroll
      for (int k = 0; k < R; k++) sum[k] = mad(x[t][k], f, sum[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < R; k++)
    if (lane + 32 * k < p.m) parts[warp * p.m + lane + 32 * k] = sum[k];
}

/* parts = sum factor(c) (column c) alone. */
template <int R, class S, class T> static __device__ void add_columns(const S &s, int first, T *parts)
{
  const panel_matrix<T> &p = s.p;
  const int n = parts_of_block<R>(), threads = blockDim.x / n, part = threadIdx.x / threads;
  for (int i = threadIdx.x % threads; i < p.m; i += threads) {
    T sum = make<T>(0);
    for (int c = first + part; c < p.n && s.low(c) <= i; c += n) sum = mad(p.a(i, c), s.factor(c), sum);
    parts[part * p.m + i] = sum;
  }
}

/* The same by a warp per column and then a thread per row, for any height. */
template <bool LOWER, bool WITH_ROW, class T>
static __device__ void read_columns_twice(const panel_sweep<LOWER, WITH_ROW, T> &s, int first, T *parts)
{
  const panel_matrix<T> &p = s.p;
  const int lane = threadIdx.x % 32;
  for (int c = first + threadIdx.x / 32; c < p.n; c += blockDim.x / 32) {
    T dot = make<T>(0);
    for (int i = s.low(c) + (LOWER ? 1 : 0) + lane; i < p.m; i += 32) dot = qr::conj_mad(p.a(i, c), p.u[i], dot);
    s.finish(c, sum_lanes(dot), lane == 0);
  }
  __syncthreads();
  add_columns<0>(s, first, parts);
}

template <int R, int G, bool LOWER, bool WITH_ROW, class T>
static __device__ void sweep_panel(const panel_sweep<LOWER, WITH_ROW, T> &s, int first)
{
  if constexpr (R > 0)
    read_columns<R, G>(s, first, s.p.parts);
  else
    read_columns_twice(s, first, s.p.parts);
}

/* short_sums = Y^H v (l <= last_y) and V^H v (l < i), of columns first on. */
template <class T>
static __device__ void project_row(const panel_matrix<T> &p, int i, int last_y, int first, const T *v)
{
  project(p.short_sums + 2 * panel_width, last_y + 1, i, first, p.n, p.y, p.v, v);
}

/* Share of the missing updates in row r of A v, after project_row. */
template <class T>
static __device__ __forceinline__ T missing_in_row(const panel_matrix<T> &p, int r, int i, int last_y)
{
  const T *const s = p.short_sums + 2 * panel_width;
  T x = make<T>(0);
#pragma unroll 8
  for (int l = 0; l <= last_y; l++) x = mad(p.f(r, l), s[l], x);
#pragma unroll 8
  for (int l = 0; l < i; l++) x = mad(p.x(r, l), s[last_y + 1 + l], x);
  return x;
}

/* Step i of a panel that begins at column j, behind its column. */
template <int R, int G, class T>
static __device__ void finish_step(const gebrd_task<T> &task, int64_t b, int j, const panel_matrix<T> &p, int i, T tau)
{
  using S = panel_sweep<false, true, T>;
  const S s = {p, i, tau};
  const int first = i + 1, length = p.n - first;
  if (length == 0) {
    if (threadIdx.x == 0) put_reflector(task, b, false, j + i, make<T>(0));
    return;
  }
  sweep_panel<R, G>(s, first);
  __syncthreads();
  const scaled_reflector<T> r = reflector_of<T>(length, [&](int c) { return p.row[first + c]; });
  __syncthreads();
  if (r.scale != 1) { /* tiny: the sums of the sweep have lost digits */
    for (int c = first + threadIdx.x; c < p.n; c += blockDim.x) p.row[c] = r.scale * p.row[c];
    __syncthreads();
    add_columns<R>(s, first, p.parts);
    __syncthreads();
  }
  const T beta = make<T>(r.h.beta);
  const real_of<T> last = r.h.beta * qr::inverse_scale(r.scale);
  for (int c = first + threadIdx.x; c < p.n; c += blockDim.x) {
    const T v = c == first ? make<T>(1) : p.row[c] * r.h.inverse;
    p.row[c] = p.v(c, i) = v;
    p.y(c, i) = p.sum[c];
    p.a(i, c) = c == first ? make<T>(last) : conj(v);
  }
  __syncthreads();
  project_row(p, i, i, first, p.row);
  __syncthreads();
  for (int k = first + threadIdx.x; k < p.m; k += blockDim.x) {
    const T product = r.h.inverse * (sum_of_parts<R>(p.parts, p.m, k) - beta * p.a(k, first));
    p.x(k, i) = r.h.tau * (product - missing_in_row(p, k, i, i));
  }
  if (threadIdx.x == 0) {
    put_reflector(task, b, false, j + i, r.h.tau);
    put_real(task.e, b, j + i, last);
  }
}

template <int R, int G, class T>
static __device__ void finish_step(const hetrd_task<T> &, int64_t, int, const panel_matrix<T> &p, int i, T tau)
{
  const panel_sweep<true, false, T> s = {p, i + 1, tau};
  const int first = i + 1;
  sweep_panel<R, G>(s, first);
  __syncthreads();
  for (int c = first + threadIdx.x; c < p.n; c += blockDim.x)
    p.sum[c] = tau * (p.sum[c] + sum_of_parts<R>(p.parts, p.m, c));
  __syncthreads();
  const T half = real_of<T>(0.5) * (tau * dot_between(first, p.n, p.sum, p.u));
  for (int c = first + threadIdx.x; c < p.n; c += blockDim.x) {
    const T w = mad(-half, p.u[c], p.sum[c]);
    p.x(c, i) = p.y(c, i) = w;
    p.v(c, i) = p.u[c];
  }
}

template <int R, int G, class T>
static __device__ void finish_step(const gehrd_task<T> &, int64_t, int, const panel_matrix<T> &p, int i, T tau)
{
  const panel_sweep<false, false, T> s = {p, 0, tau};
  const int first = i + 1;
  sweep_panel<R, G>(s, first);
  for (int c = first + threadIdx.x; c < p.n; c += blockDim.x) p.row[c] = p.v(c, i) = s.factor(c);
  __syncthreads();
  project_row(p, i, i - 1, first, p.row);
  __syncthreads();
  for (int k = threadIdx.x; k < p.m; k += blockDim.x)
    p.x(k, i) = tau * (sum_of_parts<R>(p.parts, p.m, k) - missing_in_row(p, k, i, i - 1));
  __syncthreads();
  const T both = dot_between(first + p.shift, p.m, &p.x(0, i), p.u);
  for (int c = first + threadIdx.x; c < p.n; c += blockDim.x) p.y(c, i) = tau * mad(-both, p.row[c], p.sum[c]);
}

/* Numbers of step i of a panel that begins at column j, by one thread. */
template <class T>
static __device__ void put_step(const gebrd_task<T> &task, int64_t b, int j, const panel_matrix<T> &p, int i, T tau)
{
  put_real(task.d, b, j + i, real(p.a(i, i)));
  put_reflector(task, b, true, j + i, tau);
}
template <class T>
static __device__ void put_step(const hetrd_task<T> &task, int64_t b, int j, const panel_matrix<T> &p, int i, T tau)
{
  put_real(task.d, b, j + i, real(p.a(i, i)));
  put_real(task.e, b, j + i, real(p.a(i + 1, i)));
  task.tau.at(b)[j + i] = tau;
}
template <class T>
static __device__ void put_step(const gehrd_task<T> &task, int64_t b, int j, const panel_matrix<T> &, int i, T tau)
{
  task.tau.at(b)[j + i] = tau;
}

/* The steps of a panel of `width` columns from column j on, by a block. */
template <int R, int G, class Task, class T>
static __device__ void reduce_columns(const Task &task, int64_t b, int j, const panel_matrix<T> &p, int width)
{
  constexpr bool WITH_ROW = is_gebrd<Task>, LOWER = is_hetrd<Task>;
  for (int i = 0; i < width; i++) {
    const int head = p.head + i;
    update_column(p, i, WITH_ROW || LOWER ? i : 0, head);
    __syncthreads();
    const scaled_reflector<T> s = reflect_column(p, i, head);
    __syncthreads();
    if (threadIdx.x == 0) put_step(task, b, j, p, i, s.h.tau);
    project_column(p, i, head);
    __syncthreads();
    correct_sums<WITH_ROW>(p, i);
    __syncthreads();
    finish_step<R, G>(task, b, j, p, i, s.h.tau);
    __syncthreads();
  }
}

/* Reduces the panel of each matrix; Task: gebrd_task, hetrd_task or gehrd_task.
 *   grid       a block of 8 warps per matrix
 *   shared     u, A^H u, the row, and a part of A v per warp, or (R = 0) all in global memory
 *   registers  R rows of 1 to 4 columns, and of two vectors, per lane
 *   takes      all four types; up to 32 R rows, or R = 0: any, and then A is read twice
 *   memory     per step: what is left of A once, and the panel's F, X, Y and V up to there twice each */
template <int R, class Task>
static __global__ void __launch_bounds__(panel_threads, R * sizeof(typename Task::scalar) <= 128 ? 2 : 1)
  reduce_panel(const __grid_constant__ panel<Task> g)
{
  using T = typename Task::scalar;
  constexpr bool WITH_ROW = is_gebrd<Task>, LOWER = is_hetrd<Task>;
  for (int64_t b = blockIdx.x; b < g.a.count; b += gridDim.x) {
    const auto dense = [&](const batch<T> &x) { return dense_matrix<T>{x.at(b), x.leading(b)}; };
    const int m = g.a.m, n = g.a.n, shift = WITH_ROW || LOWER ? 0 : g.j;
    T *const u = g.vectors ? g.vectors + blockIdx.x * g.elements : shared_array<T>();
    T *const sum = u + m, *const row = sum + n, *const shorts = row + n;
    const panel_matrix<T> p = {dense(g.a),
                               dense(g.f),
                               dense(g.x),
                               dense(g.y),
                               dense(g.v),
                               m,
                               n,
                               shift,
                               WITH_ROW ? 0 : shift + 1,
                               u,
                               sum,
                               row,
                               shorts + 4 * panel_width,
                               shorts};
    reduce_columns<R, columns_of_panel<R, T>>(g.task, b, g.j, p, g.width);
  }
}

} // namespace batched_cuda::condensed

#endif
