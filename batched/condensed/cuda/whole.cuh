/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel of rows cuda.shared and cuda.unblocked of gebrd, hetrd and gehrd: a block copies a matrix to shared
 * memory, or to its slot of scratch memory, reduces the copy by one reflector after the other, and copies it back.
 * gebrd.cuh, hetrd.cuh and gehrd.cuh say what is computed, and how accurately.
 */
#ifndef BATCHED_CONDENSED_CUDA_WHOLE_CUH
#define BATCHED_CONDENSED_CUDA_WHOLE_CUH

#include "batched/condensed/cuda/sweep.cuh"

namespace batched_cuda::condensed
{

/* Home of the copies: shared memory if `slots` is nullptr, else a slot of so many elements for each block. */
template <class T> struct copies {
  T *slots;
  int64_t elements, ld, vectors; /* of a slot; of a copy; where its vectors begin */
};

/* Threads of a block for matrices with so many rows in canonical form. */
static constexpr int threads_of_whole(int rows)
{
  return rows <= 32 ? 32 : rows <= 64 ? 128 : rows <= 128 ? 256 : 512;
}

/* The largest part of the elements that g reads, in all threads. */
template <class Task> static __device__ auto largest_of(const Task &g, int64_t b, share s = {})
{
  using T = typename Task::scalar;
  __shared__ maximum_of<real_of<T>> of_warps[32];
  maximum_of<real_of<T>> size;
  g.each(
    b, [&](T &x, auto...) { size.add(qr::largest_part(x)); }, s);
  const real_of<T> most = merge_block(size, of_warps).result();
  __syncthreads();
  return most;
}

/* A power of two that brings the largest element that g reads near 1. */
template <class Task> static __device__ auto scale_of(const Task &g, int64_t b)
{
  return qr::column_scale(largest_of(g, b));
}

/* Task: gebrd_task, hetrd_task or gehrd_task, whose file says what is computed.
 *   grid       a block per matrix; with slots, as many blocks as run at once
 *   block      1 to 16 warps
 *   shared     the copy and its vectors, if there are no slots
 *   registers  R rows of up to 4 columns, and of 4 vectors, per lane
 *   takes      all four types; up to 32 R rows, or R = 0: any */
template <int R, class Task>
static __global__ void __launch_bounds__(512)
  reduce_whole(const __grid_constant__ Task g, copies<typename Task::scalar> to)
{
  using T = typename Task::scalar;
  T *const memory = to.slots ? to.slots + blockIdx.x * to.elements : shared_array<T>();
  const dense_matrix<T> a = {memory, to.ld};
  for (int64_t b = blockIdx.x; b < g.a.count; b += gridDim.x) {
    const int m = g.a.rows(b), n = m > 0 ? g.a.cols(b) : 0;
    if (n == 0) continue;
    const real_of<T> scale = scale_of(g, b);
    g.load(b, a, scale);
    __syncthreads();
    reduce<R>(g, b, a, memory + to.vectors, qr::inverse_scale(scale));
    __syncthreads();
    g.store(b, a, qr::inverse_scale(scale));
    __syncthreads();
  }
}

/* ------------------------------------------------------------------ rows */

template <class Task> copies<typename Task::scalar> copies_of(const Task &g, int parts)
{
  const int64_t ld = g.most_rows() | 1, vectors = ld * g.most_cols();
  return {nullptr, vectors + g.vector_elements(parts), ld, vectors};
}

template <class Task> size_t bytes_in_shared(const Task &g)
{
  return (size_t)copies_of(g, threads_of_whole(g.most_rows()) / 32).elements * sizeof(typename Task::scalar);
}

/* Rows per lane that there are kernels for: of matrices that fit into shared memory. */
template <class T> constexpr int most_rows_in_shared = sizeof(T) == 4 ? 256 : sizeof(T) == 8 ? 192 : 128;

template <class Task> bool fits_in_shared(const Task &g)
{
  return g.most_rows() <= most_rows_in_shared<typename Task::scalar> && bytes_in_shared(g) + 1024 <= most_shared();
}

template <class Task> int run_in_shared(batched_ctx *ctx, const Task &g)
{
  using T = typename Task::scalar;
  const int rows = g.most_rows(), threads = threads_of_whole(rows);
  const auto go = [&](auto kernel) {
    return launch(ctx, kernel, g.a.count, threads, bytes_in_shared(g), g, copies_of(g, threads / 32));
  };
  if (rows <= 32) return go(reduce_whole<1, Task>);
  if (rows <= 64) return go(reduce_whole<2, Task>);
  if constexpr (sizeof(T) <= 8) {
    if (rows > 128 && rows <= 192) return go(reduce_whole<6, Task>);
    if constexpr (sizeof(T) == 4)
      if (rows > 192) return go(reduce_whole<8, Task>);
  }
  return go(reduce_whole<4, Task>);
}

/* cuda.lanes (lanes.cuh), for as many rows and columns as registers hold. */
template <class T> constexpr int most_in_lanes = sizeof(T) == 16 ? 16 : 32;

template <class Task> bool fits_in_lanes(const Task &g)
{
  return g.most_rows() <= most_in_lanes<typename Task::scalar>;
}

template <class Task> int run_in_lanes(batched_ctx *ctx, const Task &g);

/* cuda.registers (registers.cuh) */
template <class Task> bool fits_in_registers(const Task &g);
template <class Task> int run_in_registers(batched_ctx *ctx, const Task &g);

/* cuda.fused (fused.cuh) */
template <class Task> bool fits_fused(const Task &g);
template <class Task> int run_fused(batched_ctx *ctx, const Task &g);

template <class Task> int run_unblocked(batched_ctx *ctx, const Task &g)
{
  using T = typename Task::scalar;
  constexpr size_t most_bytes = (size_t)1 << 30;
  copies<T> to = copies_of(g, 1);
  const size_t each = (size_t)to.elements * sizeof(T), many = most_bytes / each;
  int64_t blocks = 4 * multiprocessors() < g.a.count ? 4 * multiprocessors() : g.a.count;
  if ((size_t)blocks > many) blocks = many > 0 ? (int64_t)many : 1;
  to.slots = static_cast<T *>(batched_scratch_push(ctx, each * (size_t)blocks));
  if (!to.slots) return BATCHED_NO_MEMORY;
  const int status = launch(ctx, reduce_whole<0, Task>, blocks, 512, 0, g, to);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::condensed

#endif
