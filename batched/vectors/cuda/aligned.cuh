/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrices whose columns do not begin at 16 bytes, by way of copies whose columns do, for operations that pass over a
 * matrix so often that bulk copies pay for reading and writing it once more.
 */
#ifndef BATCHED_VECTORS_CUDA_ALIGNED_CUH
#define BATCHED_VECTORS_CUDA_ALIGNED_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::vectors
{

/* Of a block of eight warps. */
enum { COPY_COLUMNS = 32 };

/* The rows that both have; those that only the second one has are set to zero. */
template <class T> static __global__ void __launch_bounds__(256) copy_columns(batch<T> from, batch<T> to)
{
  const int chunks = (from.n + COPY_COLUMNS - 1) / COPY_COLUMNS;
  for (int64_t unit = blockIdx.x; unit < from.count * chunks; unit += gridDim.x) {
    const int64_t b = unit / chunks, source = from.leading(b), target = to.leading(b);
    const int first = (int)(unit - b * chunks) * COPY_COLUMNS, end = min(first + COPY_COLUMNS, from.n);
    const T *const x = from.at(b);
    T *const y = to.at(b);
    for (int j = first + threadIdx.x / 32; j < end; j += blockDim.x / 32)
#pragma unroll 8
      for (int i = threadIdx.x % 32; i < to.m; i += 32) y[i + j * target] = i < from.m ? x[i + j * source] : make<T>(0);
  }
}
template <class T> static int launch_copy(batched_ctx *ctx, const batch<T> &from, const batch<T> &to)
{
  return launch(ctx, copy_columns<T>, from.count * ceil_div(from.n, COPY_COLUMNS), 256, 0, from, to);
}

/* True where the columns of all matrices begin at 16 bytes; of pointers that is taken on trust. */
template <class T> static bool has_aligned_columns(const batch<T> &a)
{
  const auto whole = [](int64_t elements) { return elements * (int64_t)sizeof(T) % 16 == 0; };
  return whole(a.ld) && (a.array || (whole(a.stride) && reinterpret_cast<size_t>(a.data) % 16 == 0));
}

/* Calls f(x), which returns a status, for x = A, uniform matrices, or a copy of A that is copied back.  Where A has no
 * fewer rows than columns, the copy has rows of zeros below, so that a column's bytes are a multiple of 16: they change
 * nothing in A = Q R. */
template <class T, class F> static int with_aligned_columns(batched_ctx *ctx, const batch<T> &a, F f)
{
  if (has_aligned_columns(a)) return f(a);
  constexpr int whole = 16 / (int)sizeof(T);
  const int ld = (a.m + whole - 1) / whole * whole;
  const int64_t stride = (int64_t)ld * a.n;
  T *const memory = static_cast<T *>(batched_scratch_push(ctx, (size_t)(stride * a.count) * sizeof(T)));
  if (!memory) return BATCHED_NO_MEMORY;
  const batch<T> x = {memory, nullptr, stride, a.count, a.m < a.n ? a.m : ld, a.n, ld, nullptr, nullptr, nullptr, 0, 0};
  int status = launch_copy(ctx, a, x);
  if (!status) status = f(x);
  if (!status) status = launch_copy(ctx, x, a);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::vectors

#endif
