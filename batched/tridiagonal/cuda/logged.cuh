/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sweeps of rotations by one warp, applied by the others: warp 0 of a block runs the iteration on the diagonals and
 * logs the rotations of a sweep, while the other warps apply those of the sweep before to the vectors, of which each
 * thread owns rows.  There are two logs, and one barrier a sweep.
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_LOGGED_CUH
#define BATCHED_TRIDIAGONAL_CUDA_LOGGED_CUH

#include "batched/tridiagonal/cuda/rotation.cuh"

namespace batched_cuda::tridiagonal
{

/* A sweep: rotation i acts on columns at + i step and at + (i + 1) step, which become c x + s y and c y - s x. */
struct sweep_extent {
  int at, step, count;
  bool last; /* no sweep: the iteration is at its end */
};

/* Rotations of a sweep, in places i < n - 1. */
template <class R> struct sweep_log {
  R *c, *s;
};

/* Where a block has its diagonals with all that goes with them, and its vectors: in shared memory what fits there, else
 * in the block's part of scratch memory. Sizes in bytes. */
struct block_room {
  bool diagonals_shared, vectors_shared;
  size_t diagonals, vectors;

  static block_room of(size_t diagonals, size_t vectors)
  {
    block_room room;
    room.diagonals = (diagonals + 15) / 16 * 16;
    room.vectors = (vectors + 15) / 16 * 16;
    room.diagonals_shared = room.diagonals + 2048 <= most_shared();
    room.vectors_shared = room.diagonals_shared && room.vectors <= 36 * 1024;
    return room;
  }
  size_t shared() const
  {
    return (diagonals_shared ? diagonals : 0) + (vectors_shared ? vectors : 0);
  }
  __host__ __device__ size_t scratch() const
  {
    return (diagonals_shared ? 0 : diagonals) + (vectors_shared ? 0 : vectors);
  }
};

/* One row of the vectors: its column j is row[j * ld]. */
template <class R>
__device__ __forceinline__ void apply_sweep(const sweep_extent &sweep, const sweep_log<R> &log, R *row, int64_t ld)
{
  const int64_t step = sweep.step * ld;
  R *p = row + sweep.at * ld, x = *p;
#pragma unroll 4
  for (int i = 0; i < sweep.count; i++) {
    const R y = p[step], c = log.c[i], s = log.s[i];
    *p = fma(c, x, s * y);
    x = fma(c, y, -s * x);
    p += step;
  }
  *p = x;
}

/* The number of values before each of d in order, equal ones by their places: where each goes. */
template <class R> __device__ __forceinline__ void rank_values(int n, const R *d, bool descending, int *place)
{
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    const R mine = d[j];
    int before = 0;
    for (int i = 0; i < n; i++) before += (descending ? d[i] > mine : d[i] < mine) || (d[i] == mine && i < j);
    place[j] = before;
  }
}

/* f(i, j) for the elements of a matrix, by a block of whole warps: a column per warp, or short columns in a row. */
template <class F> __device__ __forceinline__ void each_element(int rows, int n, F f)
{
  if (rows >= 24) {
    for (int j = threadIdx.x / 32; j < n; j += blockDim.x / 32)
      for (int i = threadIdx.x % 32; i < rows; i += 32) f(i, j);
  } else if (rows > 0) {
    for (int64_t x = threadIdx.x; x < (int64_t)rows * n; x += blockDim.x) f((int)(x % rows), (int)(x / rows));
  }
}

/* G lanes of a warp that step together, 32 / G groups of them beside each other. */
template <int G> struct lane_group {
  static __device__ __forceinline__ unsigned mask()
  {
    return 0xffffffffu >> (32 - G) << (threadIdx.x % 32 / G * G);
  }
  static __device__ __forceinline__ bool is_first()
  {
    return threadIdx.x % G == 0;
  }
  static __device__ __forceinline__ void sync()
  {
    __syncwarp(mask());
  }
  /* The first i in first .. end - 1 of which f says yes, or `end`. */
  template <class F> static __device__ __forceinline__ int find_first(int first, int end, F f)
  {
    const int lane = threadIdx.x % G;
    for (int i = first; i < end; i += G) {
      const unsigned yes = __ballot_sync(mask(), i + lane < end && f(i + lane)) & mask();
      if (yes) return i + (__ffs(yes) - 1) % G;
    }
    return end;
  }
};

/* Threads of a block for so many rows of vectors: a warp more than they are, up to 288. */
static inline int threads_for(int64_t rows)
{
  const int64_t workers = ceil_div(rows, 32) * 32;
  return 32 + (int)(workers < 256 ? workers : 256);
}

} // namespace batched_cuda::tridiagonal

#endif
