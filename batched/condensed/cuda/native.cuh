/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.native of gebrd, hetrd and gehrd: large matrices one after the other, each with the whole GPU.
 *
 * As cuda.panels, but a panel is one cooperative kernel on all multiprocessors: rows and columns are dealt out to the
 * blocks, and a step has four or five barriers of the grid, at each of which the blocks' parts of the sums that all of
 * them need are added up in the same order.
 *
 * launches  per matrix: copy; per 32 columns the panel and a gemm (hetrd: one per 128 columns); the rest; copy back
 * scratch   a copy of a matrix
 * takes     all four types, any size
 * memory    A once per column up to 8192 rows (z 4096), beyond that twice; read and written twice per 32 columns
 * accuracy  as the rows in gebrd.cuh, hetrd.cuh and gehrd.cuh
 */
#ifndef BATCHED_CONDENSED_CUDA_NATIVE_CUH
#define BATCHED_CONDENSED_CUDA_NATIVE_CUH

#include <cooperative_groups.h>

#include "batched/condensed/cuda/panels.cuh"

namespace batched_cuda::condensed
{

constexpr int native_threads = 512, native_warps = native_threads / 32, native_shorts = 2 * panel_width + 1;

/* Memory of a panel that all blocks share. */
template <class T> struct native_memory {
  T *sum, *row; /* n each: what the missing updates take from A^H u, and the row of gebrd */
  T *z;         /* n: A^H u, or the row without what the column takes from it */
  T *parts;     /* of A v: m for each block */
  T *exchanged; /* 2 native_shorts for each block */

  static int64_t elements(int m, int n, int64_t blocks)
  {
    return 3 * (int64_t)n + blocks * (m + 2 * native_shorts);
  }
  native_memory(T *memory, int m, int n, int64_t blocks)
      : sum(memory), row(sum + n), z(row + n), parts(z + n), exchanged(parts + blocks * m)
  {
  }
};

/* Elements first .. last - 1 of a vector that belong to this block. */
struct own_range {
  int first, last;

  __device__ __forceinline__ own_range(int from, int to)
  {
    const int each = (to - from + (int)gridDim.x - 1) / (int)gridDim.x;
    first = min(to, from + (int)blockIdx.x * each);
    last = min(to, first + each);
  }
};

/* Sums over the grid.  Buffers take turns, so that one barrier per sum is enough. */
template <class T> struct grid_sums {
  T *exchanged;
  T *shared; /* native_warps + native_shorts */
  int turn = 0;

  __device__ __forceinline__ T *slot(int block) const
  {
    return exchanged + ((int64_t)(turn % 2) * gridDim.x + block) * native_shorts;
  }
  static __device__ __forceinline__ void barrier()
  {
    cooperative_groups::this_grid().sync();
  }
  /* Sums `count` values of each block, which are in result() and become the sums. */
  __device__ void exchange(int count)
  {
    __syncthreads();
    for (int l = threadIdx.x; l < count; l += blockDim.x) slot(blockIdx.x)[l] = result()[l];
    barrier();
    for (int l = threadIdx.x / 32; l < count; l += native_warps) {
      T sum = make<T>(0);
      for (int b = threadIdx.x % 32; b < (int)gridDim.x; b += 32) sum += slot(b)[l];
      sum = sum_lanes(sum);
      if (threadIdx.x % 32 == 0) result()[l] = sum;
    }
    turn++;
    __syncthreads();
  }
  __device__ __forceinline__ T *result() const
  {
    return shared + native_warps;
  }
  /* Sums one value of each thread, and `once`, which belongs to one block. */
  __device__ T all(T x, T once = make<T>(0))
  {
    x = sum_lanes(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x == 0) {
      T sum = shared[0];
      for (int w = 1; w < native_warps; w++) sum += shared[w];
      result()[0] = sum;
      result()[1] = once;
    }
    exchange(2);
    return result()[0];
  }
  /* The largest number of all blocks, each of which has one for every thread. */
  __device__ real_of<T> largest(real_of<T> x)
  {
    maximum_of<real_of<T>> most;
    most.value = x;
    x = merge_lanes(most).result();
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = make<T>(x);
    __syncthreads();
    if (threadIdx.x == 0)
      for (int w = 0; w < native_warps; w++)
        *slot(blockIdx.x) = make<T>(w == 0 ? real(shared[0]) : fmax(real(*slot(blockIdx.x)), real(shared[w])));
    barrier();
    maximum_of<real_of<T>> all;
    for (int b = threadIdx.x % 32; b < (int)gridDim.x; b += 32) all.add(real(*slot(b)));
    turn++;
    return merge_lanes(all).result();
  }
};

/* The reflector of element(head), ..., of which each block has the range `own`. */
template <class T, class F>
static __device__ scaled_reflector<T> native_reflector(grid_sums<T> &g, own_range own, int head, F element)
{
  using R = real_of<T>;
  const bool is_mine = head >= own.first && head < own.last;
  const auto tail_of = [&](R scale) {
    R tail = 0;
    for (int i = own.first + threadIdx.x; i < own.last; i += blockDim.x)
      if (i > head) tail += square(scale * element(i));
    return real(g.all(make<T>(tail), is_mine ? scale * element(head) : make<T>(0)));
  };
  const R tail = tail_of(R(1));
  if (const T alpha = g.result()[1]; is_safe(tail + square(alpha))) return {qr::reflect(alpha, tail), R(1)};
  R size = 0;
  for (int i = own.first + threadIdx.x; i < own.last; i += blockDim.x)
    if (i >= head) size = fmax(size, qr::largest_part(element(i)));
  const R scale = qr::column_scale(g.largest(size)), scaled = tail_of(scale);
  return {qr::reflect(g.result()[1], scaled), scale};
}

/* result = x_l^H y for l < count over the block's own elements. */
template <class T, class F>
static __device__ void native_project(const grid_sums<T> &g, own_range own, int count, F x, const T *y)
{
  for (int l = threadIdx.x / 32; l < count; l += native_warps) {
    const T s = dot_between(own.first, own.last, x(l), y);
    if (threadIdx.x % 32 == 0) g.result()[l] = s;
  }
}

/* A sweep over the block's own columns, which are only read; z: where the results go, beside Y. */
template <bool LOWER, bool WITH_ROW, class T> struct native_sweep {
  panel_matrix<T> p;
  int i, first_row;
  T tau;
  T *z;

  __device__ __forceinline__ int low(int c) const
  {
    return LOWER ? c + p.shift : first_row;
  }
  /* The column's factor, given (column c)^H u. */
  __device__ __forceinline__ T factor(int c, T dot) const
  {
    if constexpr (WITH_ROW) return p.row[c] - tau * (p.sum[c] + dot);
    return c + p.shift < p.m ? p.u[c + p.shift] : make<T>(0);
  }
  __device__ __forceinline__ void put(int c, T dot) const
  {
    const T s = p.sum[c] + dot;
    if constexpr (WITH_ROW) {
      p.y(c, i) = tau * s;
      z[c] = p.row[c] - tau * s;
    } else {
      z[c] = s;
    }
  }
};

/* The sum of the block's warps' sums, of which thread w has put that of warp w to shared[w * G + t]. */
template <int G, class T> __device__ __forceinline__ T sum_of_warps(const T *shared, int t)
{
  T total = shared[t];
  for (int w = 1; w < native_warps; w++) total += shared[w * G + t];
  return total;
}

/* As read_columns, with rows threadIdx + 512 k in a thread. */
template <int R, bool LOWER, bool WITH_ROW, class T>
static __device__ void read_own_columns(const native_sweep<LOWER, WITH_ROW, T> &s, own_range own, T *parts, T *shared)
{
  constexpr int G = R * sizeof(T) <= 32 ? 4 : R * sizeof(T) <= 64 ? 2 : 1;
  const panel_matrix<T> &p = s.p;
  T u[R], sum[R];
#pragma unroll
  for (int k = 0; k < R; k++) {
    const int i = threadIdx.x + native_threads * k;
    u[k] = i >= p.head + s.i && i < p.m ? p.u[i] : make<T>(0);
    sum[k] = make<T>(0);
  }
  for (int c0 = own.first; c0 < own.last; c0 += G) {
    T x[G][R], dot[G];
#pragma unroll
    for (int t = 0; t < G; t++) {
      const int low = c0 + t < own.last ? s.low(c0 + t) : p.m;
      dot[t] = make<T>(0);
#pragma unroll
      for (int k = 0; k < R; k++) {
        const int i = threadIdx.x + native_threads * k;
        x[t][k] = i >= low && i < p.m ? p.a(i, c0 + t) : make<T>(0);
        if (LOWER && i == low) x[t][k] = make<T>(real(x[t][k]));
        if (!LOWER || i > low) dot[t] = qr::conj_mad(x[t][k], u[k], dot[t]);
      }
    }
    const T mine = sum_transposed<G, 32>(dot);
    __syncthreads();
    if (threadIdx.x % 32 < G) shared[threadIdx.x / 32 * G + threadIdx.x % 32] = mine;
    __syncthreads();
#pragma unroll
    for (int t = 0; t < G; t++) {
      if (c0 + t >= own.last) continue;
      const T total = sum_of_warps<G>(shared, t), f = s.factor(c0 + t, total);
      if (threadIdx.x == 0) s.put(c0 + t, total);
#pragma unroll
      for (int k = 0; k < R; k++) sum[k] = mad(x[t][k], f, sum[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < R; k++)
    if (threadIdx.x + native_threads * k < p.m) parts[threadIdx.x + native_threads * k] = sum[k];
}

/* parts = the sum of z(c) (column c), or of factor(c) (column c), over the block's own columns. */
template <bool LOWER, bool WITH_ROW, class T>
static __device__ void add_own_columns(const native_sweep<LOWER, WITH_ROW, T> &s, own_range own, T *parts)
{
  for (int i = threadIdx.x; i < s.p.m; i += blockDim.x) {
    T sum = make<T>(0);
    for (int c = own.first; c < own.last && s.low(c) <= i; c++) {
      const T x = LOWER && s.low(c) == i ? make<T>(real(s.p.a(i, c))) : s.p.a(i, c);
      sum = mad(x, WITH_ROW ? s.z[c] : s.factor(c, x), sum);
    }
    parts[i] = sum;
  }
}

/* The same as read_own_columns for any height: a warp per column, then a thread per row. */
template <bool LOWER, bool WITH_ROW, class T>
static __device__ void read_own_columns_twice(const native_sweep<LOWER, WITH_ROW, T> &s, own_range own, T *parts)
{
  const panel_matrix<T> &p = s.p;
  const int lane = threadIdx.x % 32;
  for (int c = own.first + threadIdx.x / 32; c < own.last; c += native_warps) {
    T dot = make<T>(0);
    for (int i = s.low(c) + (LOWER ? 1 : 0) + lane; i < p.m; i += 32) dot = qr::conj_mad(p.a(i, c), p.u[i], dot);
    dot = sum_lanes(dot);
    if (lane == 0) s.put(c, dot);
  }
  __syncthreads();
  add_own_columns(s, own, parts);
}

/* A block's view of the panel that all blocks work on. */
template <class T> struct native_step {
  panel_matrix<T> p;
  native_memory<T> memory;
  grid_sums<T> sums;

  __device__ __forceinline__ T *own_parts() const
  {
    return memory.parts + (int64_t)blockIdx.x * p.m;
  }
  /* Row r of A v, by a warp. */
  __device__ __forceinline__ T sum_of_parts(int r) const
  {
    T x = make<T>(0);
    for (int b = threadIdx.x % 32; b < (int)gridDim.x; b += 32) x += memory.parts[(int64_t)b * p.m + r];
    return sum_lanes(x);
  }
  template <int R, bool LOWER, bool WITH_ROW>
  __device__ void sweep(const native_sweep<LOWER, WITH_ROW, T> &s, own_range own)
  {
    if constexpr (R > 0)
      read_own_columns<R>(s, own, own_parts(), sums.shared + native_warps + native_shorts);
    else
      read_own_columns_twice(s, own, own_parts());
    __syncthreads();
  }
};

/* result = Y^H v (l <= last_y) and V^H v (l < i), the block's own columns' part. */
template <class T>
static __device__ void native_project_row(const native_step<T> &g, own_range own, int i, int last_y, const T *v)
{
  const panel_matrix<T> &p = g.p;
  native_project(
    g.sums, own, last_y + 1 + i, [&](int l) { return l <= last_y ? &p.y(0, l) : &p.v(0, l - last_y - 1); }, v);
}

/* Share of the missing updates in row r of A v, by a warp. */
template <class T> __device__ __forceinline__ T native_missing(const native_step<T> &g, int r, int i, int last_y)
{
  static_assert(panel_width == 32, "a lane per vector");
  const T *const s = g.sums.result();
  const int l = threadIdx.x % 32;
  T x = make<T>(0);
  if (l <= last_y) x = g.p.f(r, l) * s[l];
  if (l < i) x = mad(g.p.x(r, l), s[last_y + 1 + l], x);
  return sum_lanes(x);
}

/* Step i of gebrd behind its column. */
template <int R, class T>
static __device__ void finish_native_step(const panel<gebrd_task<T>> &task, native_step<T> &g, int i, T tau)
{
  const panel_matrix<T> &p = g.p;
  const int first = i + 1;
  const bool is_first_thread = blockIdx.x == 0 && threadIdx.x == 0;
  if (first == p.n) {
    if (is_first_thread) put_reflector(task.task, 0, false, task.j + i, make<T>(0));
    return;
  }
  const own_range cols(first, p.n), rows(first, p.m);
  T *const z = g.memory.z;
  const native_sweep<false, true, T> s = {p, i, i, tau, z};
  g.template sweep<R>(s, cols);
  const scaled_reflector<T> r = native_reflector(g.sums, cols, first, [&](int c) { return z[c]; });
  if (r.scale != 1) { /* tiny: the sums of the sweep have lost digits */
    grid_sums<T>::barrier();
    for (int c = cols.first + threadIdx.x; c < cols.last; c += blockDim.x) z[c] = r.scale * z[c];
    __syncthreads();
    add_own_columns(s, cols, g.own_parts());
  }
  const T beta = make<T>(r.h.beta);
  const real_of<T> last = r.h.beta * qr::inverse_scale(r.scale);
  for (int c = cols.first + threadIdx.x; c < cols.last; c += blockDim.x) {
    const T v = c == first ? make<T>(1) : z[c] * r.h.inverse;
    p.v(c, i) = v;
    p.a(i, c) = c == first ? make<T>(last) : conj(v);
  }
  __syncthreads();
  native_project_row(g, cols, i, i, &p.v(0, i));
  g.sums.exchange(2 * i + 1);
  for (int k = rows.first + threadIdx.x / 32; k < rows.last; k += native_warps) {
    const T product = r.h.inverse * (g.sum_of_parts(k) - beta * p.a(k, first)), missing = native_missing(g, k, i, i);
    if (threadIdx.x % 32 == 0) p.x(k, i) = r.h.tau * (product - missing);
  }
  if (!is_first_thread) return;
  put_reflector(task.task, 0, false, task.j + i, r.h.tau);
  put_real(task.task.e, 0, task.j + i, last);
}

template <int R, class T>
static __device__ void finish_native_step(const panel<hetrd_task<T>> &, native_step<T> &g, int i, T tau)
{
  const panel_matrix<T> &p = g.p;
  const int first = i + 1;
  const own_range own(first, p.n);
  T *const z = g.memory.z;
  g.template sweep<R>(native_sweep<true, false, T>{p, i, first, tau, z}, own);
  grid_sums<T>::barrier();
  T dot = make<T>(0);
  for (int c = own.first + threadIdx.x / 32; c < own.last; c += native_warps) {
    const T w = tau * (z[c] + g.sum_of_parts(c));
    __syncwarp();
    if (threadIdx.x % 32 > 0) continue;
    z[c] = w;
    dot = qr::conj_mad(w, p.u[c], dot);
  }
  const T half = real_of<T>(0.5) * (tau * g.sums.all(dot));
  for (int c = own.first + threadIdx.x; c < own.last; c += blockDim.x) {
    p.x(c, i) = p.y(c, i) = mad(-half, p.u[c], z[c]);
    p.v(c, i) = p.u[c];
  }
  grid_sums<T>::barrier();
}

template <int R, class T>
static __device__ void finish_native_step(const panel<gehrd_task<T>> &, native_step<T> &g, int i, T tau)
{
  const panel_matrix<T> &p = g.p;
  const int first = i + 1;
  const own_range cols(first, p.n), rows(0, p.m);
  T *const z = g.memory.z;
  const native_sweep<false, false, T> s = {p, i, 0, tau, z};
  g.template sweep<R>(s, cols);
  for (int c = cols.first + threadIdx.x; c < cols.last; c += blockDim.x) p.v(c, i) = s.factor(c, make<T>(0));
  __syncthreads();
  native_project_row(g, cols, i, i - 1, &p.v(0, i));
  g.sums.exchange(2 * i);
  T dot = make<T>(0);
  for (int k = rows.first + threadIdx.x / 32; k < rows.last; k += native_warps) {
    const T x = tau * (g.sum_of_parts(k) - native_missing(g, k, i, i - 1));
    if (threadIdx.x % 32 > 0) continue;
    p.x(k, i) = x;
    dot = qr::conj_mad(x, p.u[k], dot);
  }
  const T both = g.sums.all(dot);
  for (int c = cols.first + threadIdx.x; c < cols.last; c += blockDim.x) p.y(c, i) = tau * mad(-both, p.v(c, i), z[c]);
  grid_sums<T>::barrier();
}

/* Column i with all updates that it is due, by a warp per row of the block's own. */
template <class T> static __device__ void native_update_column(const panel_matrix<T> &p, int i, own_range rows)
{
  const int l = threadIdx.x % 32;
  const T v = l < i ? conj(p.v(i, l)) : make<T>(0), y = l < i ? conj(p.y(i, l)) : make<T>(0);
  for (int r = rows.first + threadIdx.x / 32; r < rows.last; r += native_warps) {
    const T s = sum_lanes(l < i ? mad(v, p.x(r, l), y * p.f(r, l)) : make<T>(0));
    if (l == 0) p.a(r, i) = p.a(r, i) - s;
  }
}

/* sum and row for the block's own columns, by a warp per column: as correct_sums. */
template <bool WITH_ROW, class T>
static __device__ void native_correct_sums(const native_step<T> &g, int i, own_range cols)
{
  const panel_matrix<T> &p = g.p;
  const int l = threadIdx.x % 32;
  const bool in = l < i;
  const T from_f = in ? g.sums.result()[l] : make<T>(0), from_x = in ? g.sums.result()[i + l] : make<T>(0);
  const T f = in && WITH_ROW ? p.f(i, l) : make<T>(0), x = in && WITH_ROW ? p.x(i, l) : make<T>(0);
  for (int c = cols.first + threadIdx.x / 32; c < cols.last; c += native_warps) {
    const T y = in ? p.y(c, l) : make<T>(0), v = in ? p.v(c, l) : make<T>(0);
    const T s = sum_lanes(mad(from_x, v, from_f * y));
    const T r = WITH_ROW ? sum_lanes(mad(conj(v), x, conj(y) * f)) : s;
    if (l > 0) continue;
    p.sum[c] = -s;
    if (WITH_ROW) p.row[c] = conj(p.a(i, c) - r);
  }
}

/* Reduces the panel of one matrix.
 *   grid       512 threads per block, a block per multiprocessor, cooperative
 *   shared     a few sums
 *   registers  R rows of 1 to 4 columns, and of two vectors, per thread
 *   takes      all four types; up to 512 R rows, or R = 0: any, and then A is read twice */
template <int R, class Task>
static __global__ void __launch_bounds__(native_threads)
  reduce_panel_natively(const __grid_constant__ panel<Task> g, native_memory<typename Task::scalar> memory)
{
  using T = typename Task::scalar;
  constexpr bool WITH_ROW = is_gebrd<Task>, LOWER = is_hetrd<Task>;
  __shared__ T shared[native_warps + native_shorts + 4 * native_warps];
  const auto dense = [&](const batch<T> &x) { return dense_matrix<T>{x.at(0), x.leading(0)}; };
  const int m = g.a.m, n = g.a.n, shift = WITH_ROW || LOWER ? 0 : g.j, head0 = WITH_ROW ? 0 : shift + 1;
  native_step<T> step = {{dense(g.a), dense(g.f), dense(g.x), dense(g.y), dense(g.v), m, n, shift, head0, nullptr,
                          memory.sum, memory.row, memory.parts, nullptr},
                         memory,
                         {memory.exchanged, shared}};
  panel_matrix<T> &p = step.p;
  grid_sums<T> &sums = step.sums;
  for (int i = 0; i < g.width; i++) {
    const int head = head0 + i;
    const own_range rows(WITH_ROW || LOWER ? i : 0, m), cols(i + 1, n);
    __syncthreads();
    native_update_column(p, i, rows);
    __syncthreads();
    const scaled_reflector<T> h = native_reflector(sums, rows, head, [&](int r) { return p.a(r, i); });
    const T last = make<T>(h.h.beta * qr::inverse_scale(h.scale));
    for (int r = rows.first + threadIdx.x; r < rows.last; r += blockDim.x) {
      T u = make<T>(r == head);
      if (r > head) u = (h.scale * p.a(r, i)) * h.h.inverse;
      p.f(r, i) = u;
      if (r >= head) p.a(r, i) = r == head ? last : u;
    }
    __syncthreads();
    p.u = &p.f(0, i);
    native_project(
      sums, rows, 2 * i, [&](int l) { return l < i ? &p.f(0, l) : &p.x(0, l - i); }, p.u);
    sums.exchange(2 * i);
    if (blockIdx.x == 0 && threadIdx.x == 0) put_step(g.task, 0, g.j, p, i, h.h.tau);
    native_correct_sums<WITH_ROW>(step, i, cols);
    __syncthreads();
    finish_native_step<R>(g, step, i, h.h.tau);
  }
}

/* ------------------------------------------------------------------ rows */

/* Blocks that work on a panel with so many columns behind it: as many as there is work for. */
static inline int64_t blocks_of_native(int n)
{
  const int64_t most = multiprocessors(), useful = ceil_div(n, 4);
  return useful < most ? useful : most;
}

template <class Task> int run_native_panel(batched_ctx *ctx, const panel<Task> &g, typename Task::scalar *memory)
{
  using T = typename Task::scalar;
  const int m = g.a.m;
  const int64_t blocks = blocks_of_native(g.a.n);
  const auto go = [&](auto kernel) {
    native_memory<T> shared(memory, m, g.a.n, blocks);
    panel<Task> own = g;
    void *args[] = {&own, &shared};
    return status_of(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), dim3((unsigned)blocks),
                                                 dim3(native_threads), args, 0, stream_of(ctx)));
  };
  if (m <= 4 * native_threads) return go(reduce_panel_natively<4, Task>);
  if (m <= 8 * native_threads) return go(reduce_panel_natively<8, Task>);
  if constexpr (sizeof(T) <= 8)
    if (m <= 16 * native_threads) return go(reduce_panel_natively<16, Task>);
  return go(reduce_panel_natively<0, Task>);
}

template <class Task> int run_native(batched_ctx *ctx, const Task &g)
{
  using T = typename Task::scalar;
  const int rows = g.most_rows(), cols = g.most_cols();
  const int64_t own = native_memory<T>::elements(rows, cols, blocks_of_native(cols));
  const copies_layout layout = {panel_width, own, true};
  const int64_t each = canonical_batch<T>::elements(rows, cols, layout);
  T *const memory = static_cast<T *>(batched_scratch_push(ctx, (size_t)each * sizeof(T)));
  if (!memory) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t b = 0; b < g.a.count && !status; b++) {
    const canonical_batch<T> c(memory, 1, rows, cols, layout);
    status = reduce_canonical(ctx, part_of(g, b, 1), c, [ctx](const Task &copy, const canonical_batch<T> &c) {
      return reduce_copies(ctx, copy, c, true,
                           [&](const panel<Task> &panel) { return run_native_panel(ctx, panel, c.vectors); });
    });
  }
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::condensed

#endif
