/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies of the matrices of gebrd, hetrd and gehrd in canonical form, on which the rows by panels work: A or A^H,
 * whichever is tall; the lower triangle, or the upper one backward; scaled by a power of two, and filled up with zeros
 * to the size of the largest matrix of the batch.  The kernels of this file make the copies and bring them back; those
 * that work on them have contracts in panels.cuh and fused.cuh.
 *
 * grid      8 blocks per multiprocessor share the matrices, at least one block per matrix, at most one per 16 columns;
 *           zeros: 16 blocks per multiprocessor
 * block     256 threads
 * takes     all four types, any size, uniform and variable; as many matrices at a time as have copies in 2 GB
 * memory    writes the copies twice, once with zeros; reads A twice, once for its largest element; at the end reads
 *           the copies, writes A and the numbers beside it
 * accuracy  exact: powers of two
 */
#ifndef BATCHED_CONDENSED_CUDA_CANONICAL_CUH
#define BATCHED_CONDENSED_CUDA_CANONICAL_CUH

#include "batched/condensed/cuda/gebrd.cuh"
#include "batched/condensed/cuda/gehrd.cuh"
#include "batched/condensed/cuda/hetrd.cuh"
#include "batched/condensed/cuda/whole.cuh"

namespace batched_cuda::condensed
{

/* Matrices first .. first + count - 1 of a batch. */
template <class T> batch<T> part_of(batch<T> a, int64_t first, int64_t count)
{
  if (a.array)
    a.array += first;
  else
    a.data += first * a.stride;
  if (a.ms) a.ms += first;
  if (a.ns) a.ns += first;
  if (a.lds) a.lds += first;
  a.count = count;
  return a;
}
template <class T> gebrd_task<T> part_of(const gebrd_task<T> &g, int64_t first, int64_t count)
{
  return {part_of(g.a, first, count), part_of(g.d, first, count), part_of(g.e, first, count),
          part_of(g.tauq, first, count), part_of(g.taup, first, count)};
}
template <class T> hetrd_task<T> part_of(const hetrd_task<T> &h, int64_t first, int64_t count)
{
  return {h.upper, part_of(h.a, first, count), part_of(h.d, first, count), part_of(h.e, first, count),
          part_of(h.tau, first, count)};
}
template <class T> gehrd_task<T> part_of(const gehrd_task<T> &g, int64_t first, int64_t count)
{
  return {g.ilo, g.ihi, part_of(g.a, first, count), part_of(g.tau, first, count)};
}

/* Memory of copies beside the matrices: F, X, Y and V of panels of `panel` columns, and `vectors` elements for each
 * matrix; padded: columns begin at multiples of 128 bytes. */
struct copies_layout {
  int panel;
  int64_t vectors;
  bool padded;
};

/* The copies, and the numbers that come out of them. */
template <class T> struct canonical_batch {
  using R = real_of<T>;
  batch<T> a;           /* rows x cols */
  batch<T> p, b;        /* rows and cols x 2 panel: F, X and Y, V of a panel */
  batch<T> tauq, taup;  /* cols */
  batch<R> d, e, sizes; /* cols, cols, 1: the largest part of its elements */
  T *vectors;           /* nullptr: none */

  template <class X> static batch<X> dense(X *data, int64_t count, int m, int n)
  {
    return {data, nullptr, (int64_t)m * n, count, m, n, m, nullptr, nullptr, nullptr, 0, 0};
  }
  /* Columns that begin at 128 bytes. */
  static int padded_rows(int rows)
  {
    constexpr int line = 128 / sizeof(T);
    return rows <= line ? rows : (rows + line - 1) / line * line;
  }
  /* Elements of T for each matrix. */
  static int64_t elements(int rows, int cols, const copies_layout &s)
  {
    return (int64_t)padded_rows(rows) * cols + (2 * s.panel + 4) * (int64_t)cols + 2 * s.panel * (int64_t)rows + 1 +
           s.vectors;
  }
  canonical_batch(T *memory, int64_t count, int rows, int cols, const copies_layout &s)
  {
    const auto next = [&](int m, int n) {
      const batch<T> x = dense(memory, count, m, n);
      memory += x.stride * count;
      return x;
    };
    const auto next_real = [&](int m) { return dense(reinterpret_cast<R *>(next(m, 1).data), count, m, 1); };
    const int ld = s.padded ? padded_rows(rows) : rows;
    a = next(ld, cols);
    a.m = rows;
    a.ld = ld;
    p = next(rows, 2 * s.panel);
    b = next(cols, 2 * s.panel);
    tauq = next(cols, 1);
    taup = next(cols, 1);
    d = next_real(cols);
    e = next_real(cols);
    sizes = next_real(1);
    vectors = s.vectors > 0 ? memory : nullptr;
  }
};

template <class T> gebrd_task<T> on_copies(const gebrd_task<T> &, const canonical_batch<T> &c)
{
  return {c.a, c.d, c.e, c.tauq, c.taup};
}
template <class T> hetrd_task<T> on_copies(const hetrd_task<T> &, const canonical_batch<T> &c)
{
  return {false, c.a, c.d, c.e, c.tauq};
}
template <class T> gehrd_task<T> on_copies(const gehrd_task<T> &g, const canonical_batch<T> &c)
{
  return {g.ilo, g.ihi, c.a, c.tauq};
}

/* The trailing matrix, from row and column j on. */
template <class T> gebrd_task<T> rest_of(const gebrd_task<T> &g, int j)
{
  const int n = g.a.n - j;
  return {g.a.block(j, j, g.a.m - j, n), g.d.block(j, 0, n, 1), g.e.block(j, 0, n, 1), g.tauq.block(j, 0, n, 1),
          g.taup.block(j, 0, n, 1)};
}
template <class T> hetrd_task<T> rest_of(const hetrd_task<T> &h, int j)
{
  const int n = h.a.n - j;
  return {false, h.a.block(j, j, n, n), h.d.block(j, 0, n, 1), h.e.block(j, 0, n, 1), h.tau.block(j, 0, n, 1)};
}

/* Zeros around what is copied, and the size of nothing. */
template <class T> static __global__ void __launch_bounds__(256) clear_copies(canonical_batch<T> to)
{
  const int64_t elements = to.a.stride * to.a.count;
  for (int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; e < elements; e += (int64_t)gridDim.x * blockDim.x)
    to.a.data[e] = make<T>(0);
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < to.a.count; b += (int64_t)gridDim.x * blockDim.x)
    *to.sizes.at(b) = 0;
}

/* Atomic maximum of numbers >= 0, whose order is that of their bits. */
static __device__ __forceinline__ void raise_to(double *to, double x)
{
  atomicMax(reinterpret_cast<unsigned long long *>(to), (unsigned long long)__double_as_longlong(x));
}
static __device__ __forceinline__ void raise_to(float *to, float x)
{
  atomicMax(reinterpret_cast<unsigned *>(to), (unsigned)__float_as_int(x));
}

/* Matrix and share of a block, of which `parts` have a matrix together. */
struct place_of_block {
  int64_t matrix;
  share own;

  __device__ place_of_block(int64_t unit, int parts) : matrix(unit / parts), own{(int)(unit % parts), parts}
  {
  }
};

/* The largest part of the elements of each matrix; its blocks meet by an atomic maximum. */
template <class Task>
static __global__ void __launch_bounds__(256)
  find_sizes(const __grid_constant__ Task g, canonical_batch<typename Task::scalar> to, int parts)
{
  for (int64_t unit = blockIdx.x; unit < to.a.count * parts; unit += gridDim.x) {
    const place_of_block at(unit, parts);
    if (g.a.rows(at.matrix) == 0 || g.a.cols(at.matrix) == 0) continue;
    const auto most = largest_of(g, at.matrix, at.own);
    if (threadIdx.x == 0) raise_to(to.sizes.at(at.matrix), most);
  }
}

/* The copies, scaled. */
template <class Task>
static __global__ void __launch_bounds__(256)
  copy_to_canonical(const __grid_constant__ Task g, canonical_batch<typename Task::scalar> to, int parts)
{
  for (int64_t unit = blockIdx.x; unit < to.a.count * parts; unit += gridDim.x) {
    const place_of_block at(unit, parts);
    if (g.a.rows(at.matrix) == 0 || g.a.cols(at.matrix) == 0) continue;
    g.load(at.matrix, {to.a.at(at.matrix), to.a.ld}, qr::column_scale(*to.sizes.at(at.matrix)), at.own);
  }
}

template <class T>
static __device__ void copy_numbers(const gebrd_task<T> &g, int64_t b, const canonical_batch<T> &from, real_of<T> back)
{
  const int n = min(g.a.rows(b), g.a.cols(b));
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    put_real(g.d, b, i, back * from.d.at(b)[i]);
    if (i + 1 < n) put_real(g.e, b, i, back * from.e.at(b)[i]);
    put_reflector(g, b, true, i, from.tauq.at(b)[i]);
    put_reflector(g, b, false, i, from.taup.at(b)[i]);
  }
}
template <class T>
static __device__ void copy_numbers(const hetrd_task<T> &h, int64_t b, const canonical_batch<T> &from, real_of<T> back)
{
  const int n = h.a.rows(b);
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    h.put(h.d, b, n, i, back * from.d.at(b)[i]);
    if (i + 1 < n) h.put(h.e, b, n - 1, i, back * from.e.at(b)[i]);
    if (i + 1 < n) h.put(h.tau, b, n - 1, i, from.tauq.at(b)[i]);
  }
}
template <class T>
static __device__ void copy_numbers(const gehrd_task<T> &g, int64_t b, const canonical_batch<T> &from, real_of<T>)
{
  const int n = g.a.rows(b), end = min(g.ihi, n);
  for (int i = threadIdx.x; i < n - 1; i += blockDim.x)
    g.tau.at(b)[(int64_t)i * g.tau.increment(b)] = i >= g.ilo - 1 && i < end - 1 ? from.tauq.at(b)[i] : make<T>(0);
}

/* Back to A, d, e and tau, with the scale undone. */
template <class Task>
static __global__ void __launch_bounds__(256)
  copy_from_canonical(const __grid_constant__ Task g, canonical_batch<typename Task::scalar> from, int parts)
{
  for (int64_t unit = blockIdx.x; unit < from.a.count * parts; unit += gridDim.x) {
    const place_of_block at(unit, parts);
    if (g.a.rows(at.matrix) == 0 || g.a.cols(at.matrix) == 0) continue;
    const auto back = qr::inverse_scale(qr::column_scale(*from.sizes.at(at.matrix)));
    g.store(at.matrix, {from.a.at(at.matrix), from.a.ld}, back, at.own);
    if (at.own.part == 0) copy_numbers(g, at.matrix, from, back);
  }
}

/* There, reduce(copies, c), and back. */
template <class Task, class F>
int reduce_canonical(batched_ctx *ctx, const Task &g, const canonical_batch<typename Task::scalar> &c, F reduce)
{
  const int64_t count = c.a.count, most = 8 * multiprocessors() / count, useful = ceil_div(g.a.n, 16);
  const int parts = (int)(most < 1 ? 1 : most < useful ? most : useful);
  int status = launch(ctx, clear_copies<typename Task::scalar>, 16 * multiprocessors(), 256, 0, c);
  if (!status) status = launch(ctx, find_sizes<Task>, count * parts, 256, 0, g, c, parts);
  if (!status) status = launch(ctx, copy_to_canonical<Task>, count * parts, 256, 0, g, c, parts);
  if (!status) status = reduce(on_copies(g, c), c);
  return status ? status : launch(ctx, copy_from_canonical<Task>, count * parts, 256, 0, g, c, parts);
}

/* Reduces the batch by copies of as many matrices at a time as take 2 GB. */
template <class Task, class F> int run_by_copies(batched_ctx *ctx, const Task &g, const copies_layout &layout, F reduce)
{
  using T = typename Task::scalar;
  constexpr size_t most_bytes = (size_t)2 << 30;
  const int rows = g.most_rows(), cols = g.most_cols();
  const int64_t each = canonical_batch<T>::elements(rows, cols, layout);
  int64_t many = (int64_t)(most_bytes / ((size_t)each * sizeof(T)));
  if (many < 1) many = 1;
  if (many > g.a.count) many = g.a.count;
  T *const memory = static_cast<T *>(batched_scratch_push(ctx, (size_t)(each * many) * sizeof(T)));
  if (!memory) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t first = 0; first < g.a.count && !status; first += many) {
    const int64_t count = g.a.count - first < many ? g.a.count - first : many;
    const canonical_batch<T> c(memory, count, rows, cols, layout);
    status = reduce_canonical(ctx, part_of(g, first, count), c, reduce);
  }
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::condensed

#endif
