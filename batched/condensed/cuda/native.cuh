/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.native of gebrd, hetrd and gehrd: large matrices one after the other, each with the whole GPU.
 *
 * As cuda.panels, but a panel is one cooperative kernel on all multiprocessors.  Rows and columns are dealt out to the
 * blocks by fours, and a block has its own ones of F, X, Y and V in shared memory.  A step waits for the others twice,
 * since all that it needs of them is linear in the column, or the row, of which the reflector is made:
 *
 *   F^H u = conj(row head of F) + inverse F^H (column below),    of the column after its updates,
 *
 * so that the norm and the short products are summed at once.  So is the last number of a step,
 *
 *   hetrd  u^H A u, of which each block has the part of its own columns
 *   gehrd  x^H u = conj(tau) v^H (A^H u)
 *
 * launches  per matrix: copy; per 32 columns the panel and a gemm (hetrd: one per 128 columns); the rest; copy back
 * scratch   a copy of a matrix
 * takes     all four types, any size
 * memory    A once per column up to 8192 rows (z 4096), beyond that twice; read and written twice per 32 columns
 * accuracy  as the rows in gebrd.cuh, hetrd.cuh and gehrd.cuh
 */
#ifndef BATCHED_CONDENSED_CUDA_NATIVE_CUH
#define BATCHED_CONDENSED_CUDA_NATIVE_CUH

#include "batched/condensed/cuda/grid_sums.cuh"
#include "batched/condensed/cuda/panels.cuh"

namespace batched_cuda::condensed
{

/* Rows or columns 0 .. n - 1, dealt out to the blocks by fours: a block has `count` places for its own ones. */
struct dealt {
  static constexpr int each = 4;
  int n, count;

  /* Places of a block, of which some at the end may be beyond n. */
  static DEVICE int places(int n, int blocks)
  {
    return each * ((n + each * blocks - 1) / (each * blocks));
  }
  __device__ explicit dealt(int size) : n(size), count(places(size, (int)gridDim.x))
  {
  }
  __device__ __forceinline__ int index(int place) const
  {
    return (place / each * (int)gridDim.x + (int)blockIdx.x) * each + place % each;
  }
  __device__ __forceinline__ bool has(int index) const
  {
    return index / each % (int)gridDim.x == (int)blockIdx.x;
  }
  /* f(place, index) for the block's own ones from number `first` on, at every `step`th place. */
  template <class F> __device__ __forceinline__ void for_each(int from, int step, int first, F f) const
  {
    for (int k = from; k < count; k += step)
      if (const int i = index(k); i >= first && i < n) f(k, i);
  }
  template <class F> __device__ __forceinline__ void each_thread(int first, F f) const
  {
    for_each(threadIdx.x, native_threads, first, f);
  }
  template <class F> __device__ __forceinline__ void each_warp(int first, F f) const
  {
    for_each(threadIdx.x / 32, native_warps, first, f);
  }
};

/* Rows of a column that a thread has in registers; 0: a column is read twice. */
template <class T> static DEVICE int native_rows(int m)
{
  if (m <= 4 * native_threads) return 4;
  if (m <= 8 * native_threads) return 8;
  return m <= 16 * native_threads && sizeof(T) <= 8 ? 16 : 0;
}

/* Is the reflector in shared memory, since registers don't hold so many rows of it, of a column and of a sum? */
template <class T> static DEVICE constexpr bool native_stores(int rows)
{
  return rows * sizeof(T) > 64;
}

/* Memory of a panel that all blocks share. */
template <class T> struct native_memory {
  posted<T> *numbers; /* of the sums */
  posted<T> *column;  /* m: the column of the step, before it is a reflector */
  posted<T> *parts;   /* of A v: m for each block */
  T *own;             /* own_elements() of each block; nullptr: in shared memory */

  /* All that is posted. */
  static int64_t posted_numbers(int m, int blocks)
  {
    return grid_sums<T>::posted_numbers(blocks) + (1 + (int64_t)blocks) * m;
  }
  native_memory(posted<T> *memory, T *own_memory, int m, int blocks)
      : numbers(memory), column(memory + grid_sums<T>::posted_numbers(blocks)), parts(column + m), own(own_memory)
  {
  }

  /* F, X and a column, by rows; Y, V and three vectors, by columns; the reflector. */
  static DEVICE int64_t own_elements(int m, int n, int blocks, int width)
  {
    const int held = native_rows<T>(m);
    return (int64_t)dealt::places(m, blocks) * (2 * (width + 1) + 1) +
           (int64_t)dealt::places(n, blocks) * (2 * (width + 1) + 3) +
           (native_stores<T>(held) ? held * native_threads : 0);
  }
};

template <class T> struct native_shared {
  grid_sums_shared<T> sums;
  T sweep[2][native_warps * 4];
};

/* A block's view of the panel that all blocks work on. */
template <class T> struct native_block {
  dense_matrix<T> a, f, x, y, v;
  int m, n, shift;
  dealt rows, cols;
  int pitch;
  T *own_f, *own_x, *own_y, *own_v; /* by places, with one row after the other */
  T *own_column;                    /* by places of rows */
  T *sum;                           /* by places of columns: what the missing updates take from A^H u */
  T *row;                           /* the row of gebrd without what the column takes from it; else v */
  T *z;                             /* A^H u, or the row with that */
  T *u;                             /* the reflector, by rows, if native_stores() */
  posted<T> *column, *parts;
  unsigned column_tag, parts_tag; /* of the step */
  T (*sweep_shared)[native_warps * 4];
  grid_sums<T> sums;

  __device__ native_block(const dense_matrix<T> (&lists)[5], int own_rows, int own_cols, int row_shift, int width,
                          const native_memory<T> &memory, T *own, native_shared<T> &shared, unsigned tag)
      : a(lists[0]), f(lists[1]), x(lists[2]), y(lists[3]), v(lists[4]), m(own_rows), n(own_cols), shift(row_shift),
        rows(m), cols(n), pitch(width + 1), column(memory.column), parts(memory.parts), sweep_shared(shared.sweep),
        sums(memory.numbers, shared.sums, tag)
  {
    own_f = own;
    own_x = own_f + rows.count * pitch;
    own_y = own_x + rows.count * pitch;
    own_v = own_y + cols.count * pitch;
    own_column = own_v + cols.count * pitch;
    sum = own_column + rows.count;
    row = sum + cols.count;
    z = row + cols.count;
    u = z + cols.count;
  }
  /* Elements of the column from row `first` on, in rows threadIdx + 512 k for k = from, ... */
  template <int N> __device__ __forceinline__ void await_column(T (&x)[N], int first, int from) const
  {
    await(x, column_tag, [&](int k) {
      const int r = (int)threadIdx.x + native_threads * (from + k);
      return r >= first && r < m ? column + r : nullptr;
    });
  }
  /* The one in row r. */
  __device__ __forceinline__ T await_element(int r) const
  {
    T x[1];
    await(x, column_tag, [&](int) { return column + r; });
    return x[0];
  }
  /* One that has come. */
  __device__ __forceinline__ T element_of_column(int r) const
  {
    return posted<T>::read(column + r).value();
  }
  __device__ __forceinline__ void post_part(int r, T x) const
  {
    post(parts + (int64_t)blockIdx.x * m + r, x, parts_tag);
  }
  /* A lane's share of row r of A v. */
  __device__ __forceinline__ T share_of_parts(int r) const
  {
    constexpr int N = 5;
    T s = make<T>(0);
    for (int b = threadIdx.x % 32; b < (int)gridDim.x; b += 32 * N) {
      T x[N];
      await(x, parts_tag,
            [&](int k) { return b + 32 * k < (int)gridDim.x ? parts + (b + 32 * k) * (int64_t)m + r : nullptr; });
#pragma unroll
      for (int k = 0; k < N; k++) s += x[k];
    }
    return s;
  }
};

/* Element l of the place's row of a list, 0 from `count` on. */
template <class T> __device__ __forceinline__ T listed(const T *list, int place, int pitch, int l, int count)
{
  return l < count ? list[place * pitch + l] : make<T>(0);
}

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

/* A sweep over the block's own columns, which are only read. */
template <bool LOWER, bool WITH_ROW, class T> struct native_sweep {
  native_block<T> &g;
  int i, first_row;
  T tau;
  native_reflector<T> u;

  __device__ __forceinline__ int low(int c) const
  {
    return LOWER ? c + g.shift : first_row;
  }
  /* The column's factor, given (column at place k)^H u. */
  __device__ __forceinline__ T factor(int k, T dot) const
  {
    if constexpr (WITH_ROW) return g.row[k] - tau * (g.sum[k] + dot);
    return g.row[k];
  }
  __device__ __forceinline__ void put(int k, T dot) const
  {
    const T s = g.sum[k] + dot;
    if constexpr (WITH_ROW) g.own_y[k * g.pitch + i] = tau * s;
    g.z[k] = WITH_ROW ? g.row[k] - tau * s : s;
  }
};

/* As read_columns, with rows threadIdx + 512 k in a thread; returns the thread's share of u^H (parts). */
template <int R, bool LOWER, bool WITH_ROW, class T>
static __device__ T read_own_columns(const native_sweep<LOWER, WITH_ROW, T> &s)
{
  constexpr int G = R * sizeof(T) <= 32 ? 4 : R * sizeof(T) <= 64 ? 2 : 1, sums = G * native_warps;
  const native_block<T> &g = s.g;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, places = g.cols.count;
  constexpr bool stores = native_stores<T>(R);
  T held[stores ? 1 : R], sum[R], x[G][R];
  const auto u = [&](int k) -> T & { return stores ? g.u[threadIdx.x + native_threads * k] : held[stores ? 0 : k]; };
  const auto is_left = [&](int place) {
    const int c = g.cols.index(place);
    return c > s.i && c < g.n;
  };
#pragma unroll
  for (int k = 0; k < R; k += 4) {
    T column[4];
    g.await_column(column, s.first_row, k);
#pragma unroll
    for (int t = 0; t < 4; t++) {
      const int r = threadIdx.x + native_threads * (k + t);
      u(k + t) = r < g.m ? s.u.element(r, column[t]) : make<T>(0);
      sum[k + t] = make<T>(0);
    }
  }
  for (int k0 = 0, turn = 0; k0 < places; k0 += G, turn ^= 1) {
#pragma unroll
    for (int t = 0; t < G; t++) {
      const int c = g.cols.index(k0 + t), low = is_left(k0 + t) ? s.low(c) : g.m;
#pragma unroll
      for (int k = 0; k < R; k++) {
        const int r = threadIdx.x + native_threads * k;
        x[t][k] = r >= low && r < g.m ? g.a(r, c) : make<T>(0);
      }
    }
    T dot[G];
#pragma unroll
    for (int t = 0; t < G; t++) {
      dot[t] = make<T>(0);
#pragma unroll
      for (int k = 0; k < R; k++) {
        const bool is_diagonal = LOWER && threadIdx.x + native_threads * k == s.low(g.cols.index(k0 + t));
        if (is_diagonal) x[t][k] = make<T>(real(x[t][k]));
        if (!is_diagonal) dot[t] = qr::conj_mad(x[t][k], u(k), dot[t]);
      }
    }
    const T mine = sum_transposed<G, 32>(dot);
    T *const shared = g.sweep_shared[turn];
    if (lane < G) shared[warp * G + lane] = mine;
    __syncthreads();
    T total = shared[lane % sums];
    if constexpr (sums > 32) total += shared[lane + 32];
#pragma unroll
    for (int lanes = G; lanes < 32 && lanes < sums; lanes *= 2) total += shuffle_xor(total, lanes);
    const int place = k0 + lane % G;
    const bool in = is_left(place);
    if (warp == 0 && lane < G && in) s.put(place, total);
    const T mine_f = in ? s.factor(place, total) : make<T>(0);
#pragma unroll
    for (int t = 0; t < G; t++) {
      const T f = shuffle(mine_f, t);
#pragma unroll
      for (int k = 0; k < R; k++) sum[k] = mad(x[t][k], f, sum[k]);
    }
  }
  T both = make<T>(0);
  s.g.parts_tag = g.sums.tag + 1;
#pragma unroll
  for (int k = 0; k < R; k++)
    if (const int r = threadIdx.x + native_threads * k; r < g.m) {
      g.post_part(r, sum[k]);
      both = qr::conj_mad(u(k), sum[k], both);
    }
  return both;
}

/* The parts alone, once z (gebrd) or v is there. */
template <bool LOWER, bool WITH_ROW, class T>
static __device__ T add_own_columns(const native_sweep<LOWER, WITH_ROW, T> &s)
{
  const native_block<T> &g = s.g;
  T both = make<T>(0);
  s.g.parts_tag = g.sums.tag + 1;
  for (int r = threadIdx.x; r < g.m; r += native_threads) {
    T sum = make<T>(0);
    g.cols.for_each(0, 1, s.i + 1, [&](int k, int c) {
      if (r < s.low(c)) return;
      const T x = LOWER && s.low(c) == r ? make<T>(real(g.a(r, c))) : g.a(r, c);
      sum = mad(x, WITH_ROW ? g.z[k] : g.row[k], sum);
    });
    g.post_part(r, sum);
    both = qr::conj_mad(s.u.element(r, g.element_of_column(r)), sum, both);
  }
  return both;
}

/* The same as read_own_columns for any height: a warp per column, then a thread per row. */
template <bool LOWER, bool WITH_ROW, class T>
static __device__ T read_own_columns_twice(const native_sweep<LOWER, WITH_ROW, T> &s)
{
  const native_block<T> &g = s.g;
  const int lane = threadIdx.x % 32;
  for (int k = 0; k * native_threads < g.m; k++) {
    T x[1];
    g.await_column(x, s.first_row, k);
  }
  __syncthreads();
  g.cols.each_warp(s.i + 1, [&](int k, int c) {
    T dot = make<T>(0);
    for (int r = s.low(c) + (LOWER ? 1 : 0) + lane; r < g.m; r += 32)
      dot = qr::conj_mad(g.a(r, c), s.u.element(r, g.element_of_column(r)), dot);
    dot = sum_lanes(dot);
    if (lane == 0) s.put(k, dot);
  });
  __syncthreads();
  return add_own_columns(s);
}

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

/* Reduces the panel of one matrix.
 *   grid       512 threads per block, a block per multiprocessor, cooperative
 *   shared     the block's own rows of F, X, Y and V, if they fit, the reflector of many rows, and sums
 *   registers  R rows of 1 to 4 columns, and of one or two vectors, per thread
 *   takes      all four types; up to 512 R rows, or R = 0: any, and then A is read twice */
template <int R, class Task>
static __global__ void __launch_bounds__(native_threads, 1)
  reduce_panel_natively(const __grid_constant__ panel<Task> task, native_memory<typename Task::scalar> memory)
{
  using T = typename Task::scalar;
  constexpr bool WITH_ROW = is_gebrd<Task>, LOWER = is_hetrd<Task>;
  constexpr unsigned tags = 8; /* for the exchanges of a step, at most 6 */
  __shared__ native_shared<T> shared;
  const auto dense = [&](const batch<T> &x) { return dense_matrix<T>{x.at(0), x.leading(0)}; };
  const int m = task.a.m, n = task.a.n, shift = WITH_ROW || LOWER ? 0 : task.j, head0 = WITH_ROW ? 0 : shift + 1;
  T *const own =
    memory.own ? memory.own + blockIdx.x * memory.own_elements(m, n, (int)gridDim.x, task.width) : shared_array<T>();
  native_block<T> g({dense(task.a), dense(task.f), dense(task.x), dense(task.y), dense(task.v)}, m, n, shift,
                    task.width, memory, own, shared, (unsigned)task.j * tags);
  native_row<T> row = {};
  for (int i = 0; i < task.width; i++) {
    const int head = head0 + i, first_row = WITH_ROW || LOWER ? i : 0;
    __syncwarp();
    update_own_column(task, g, i, first_row, head, row);
    __syncwarp();
    const native_reflector<T> u = reflect_own(g, g.rows, head, g.own_column, i, i, [&](real_of<T> scale) {
      project_own<false>(g, g.rows, head, g.own_column, g.own_column, g.own_f, i, g.own_x, i, scale);
    });
    const real_of<T> beta = u.h.beta * qr::inverse_scale(u.scale);
    if (blockIdx.x == 0 && threadIdx.x == 0) put_column(task.task, task.j + i, u, beta);
    correct_own_sums<WITH_ROW>(g, i, u);
    g.rows.each_thread(first_row, [&](int k, int r) {
      const T x = u.element(r, g.own_column[k]);
      g.own_f[k * g.pitch + i] = g.f(r, i) = x;
      if (r >= head) g.a(r, i) = r == head ? make<T>(beta) : x;
    });
    __syncthreads();
    if (i + 1 == n) {
      if constexpr (WITH_ROW)
        if (blockIdx.x == 0 && threadIdx.x == 0) put_reflector(task.task, 0, false, task.j + i, make<T>(0));
      break; /* nothing is left to be waited for */
    }
    const native_sweep<LOWER, WITH_ROW, T> s = {g, i, first_row, u.h.tau, u};
    T both = make<T>(0);
    if constexpr (R > 0)
      both = read_own_columns<R>(s);
    else
      both = read_own_columns_twice(s);
    __syncthreads();
    row = finish_native_step(task, g, s, both);
  }
}

/* ------------------------------------------------------------------ rows */

/* Blocks that work on a panel with so many rows or columns: as many as there is work for. */
static inline int blocks_of_native(int n)
{
  const int64_t most = multiprocessors(), useful = ceil_div(n, dealt::each);
  return (int)(useful < most ? useful : most);
}

template <class Task>
int run_native_panel(batched_ctx *ctx, const panel<Task> &g, const native_memory<typename Task::scalar> &memory)
{
  using T = typename Task::scalar;
  const int m = g.a.m, n = g.a.n, blocks = blocks_of_native(m > n ? m : n);
  const size_t bytes = (size_t)native_memory<T>::own_elements(m, n, blocks, g.width) * sizeof(T);
  const bool fits = bytes <= most_shared() - sizeof(native_shared<T>);
  const auto go = [&](auto kernel) {
    const void *const function = reinterpret_cast<const void *>(kernel);
    if (const int status = fits ? allow_shared(function, bytes) : BATCHED_SUCCESS) return status;
    native_memory<T> own = memory;
    if (fits) own.own = nullptr;
    panel<Task> panel = g;
    void *args[] = {&panel, &own};
    return status_of(cudaLaunchCooperativeKernel(function, dim3((unsigned)blocks), dim3(native_threads), args,
                                                 fits ? bytes : 0, stream_of(ctx)));
  };
  const int held = native_rows<T>(m);
  if (held == 4) return go(reduce_panel_natively<4, Task>);
  if (held == 8) return go(reduce_panel_natively<8, Task>);
  if constexpr (sizeof(T) <= 8)
    if (held == 16) return go(reduce_panel_natively<16, Task>);
  return go(reduce_panel_natively<0, Task>);
}

template <class Task> int run_native(batched_ctx *ctx, const Task &g)
{
  using T = typename Task::scalar;
  constexpr size_t line = 256;
  const int rows = g.most_rows(), cols = g.most_cols(), blocks = blocks_of_native(rows > cols ? rows : cols);
  const size_t numbers =
    (size_t)ceil_div(native_memory<T>::posted_numbers(rows, blocks) * (int64_t)sizeof(posted<T>), line) * line;
  const copies_layout layout = {panel_width, blocks * native_memory<T>::own_elements(rows, cols, blocks, panel_width),
                                true};
  const int64_t each = canonical_batch<T>::elements(rows, cols, layout);
  char *const scratch = static_cast<char *>(batched_scratch_push(ctx, numbers + (size_t)each * sizeof(T)));
  if (!scratch) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t b = 0; b < g.a.count && !status; b++) {
    const canonical_batch<T> c(reinterpret_cast<T *>(scratch + numbers), 1, rows, cols, layout);
    const native_memory<T> memory(reinterpret_cast<posted<T> *>(scratch), c.vectors, rows, blocks);
    status = batched_fill_zero(ctx, scratch, numbers);
    if (status) break;
    status = reduce_canonical(ctx, part_of(g, b, 1), c, [&](const Task &copy, const canonical_batch<T> &c) {
      return reduce_copies(ctx, copy, c, true,
                           [&](const panel<Task> &panel) { return run_native_panel(ctx, panel, memory); });
    });
  }
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::condensed

#endif
