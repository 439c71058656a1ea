/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of potrf: one large matrix has the whole GPU; a batch shares it.  Left-looking by tiles of B x B
 * elements, all of them in one launch: blocks of threads claim tile after tile, column by column, and wait for what a
 * tile stands on (the dataflow of Agullo et al., Faster, Cheaper, Better, GPU Computing Gems, 2011, without a runtime).
 *
 *   tile (i, j):  C = A(i, j) - sum over k < j of L(i, k) L(j, k)^H
 *                 i = j: L(j, j) in shared memory, by 32 columns at a time, whose diagonal block a warp factors in
 *                 registers as cuda.panels_tc does; of complex numbers by 8, one warp ahead of the others
 *                 i > j: L(i, j) = C L(j, j)^-H by inverted 8 x 8 triangles with a step of refinement, in registers
 *
 * All arithmetic is in double precision, on the tensor cores; s and c convert what they load into registers, and round
 * what they store.
 *
 * Matrices of 16384 rows or more in double precision are factored one after the other, by panels of 2048 columns, tile
 * by tile, behind which they are updated by syrk's kernels.
 *
 * done[i] counts the finished tiles in row i, which finish in the order of their columns.  A tile waits only for tiles
 * claimed before it, so the launch comes to an end whatever part of its grid is resident.
 *
 * grid      persistent; B = 64: 3 blocks of 128 threads per multiprocessor; double beyond 6144: B = 128, one of 256
 * shared    a ring of 3 or 4 slices of both factors, and in its place the tile (B B elements); beside it L(j, j) and
 *           the inverted triangles, which arrive while products are formed
 * takes     all types, any order, uniform and variable
 * workspace per row of tiles an int; of up to two groups of matrices, L(i, i) and its inverted triangles (B (B + 24) /
 *           2 numbers in double precision); a group takes it over when the one before the last is done
 * reads     the triangle; tiles of L once per tile that they meet, mostly from the L2 cache; writes the triangle, info
 * accuracy  |L L^H - A| < 30 n eps |A|
 *
 * In native/: order.cuh (shapes, the order of tiles), operands.cuh (8 x 8 tiles); a tile of the matrix: view.cuh, its
 * products.cuh, solve.cuh, and tile.cuh with all of it.
 */
#ifndef BATCHED_CHOLESKY_CUDA_POTRF_NATIVE_CUH
#define BATCHED_CHOLESKY_CUDA_POTRF_NATIVE_CUH

#include "batched/cuda/side_stream.cuh"
#include "batched/cholesky/cuda/native.cuh"
#include "batched/cholesky/cuda/native/tile.cuh"
#include "batched/products/cuda/gemm.cuh"

namespace batched_cuda::cholesky
{

/* Until matrix b, whose part of the workspace another one takes over, is done: its last tile waits for all others. */
template <class T, int B>
__device__ __forceinline__ void wait_for_slot(const native_order &order, const batch<T> &a, int64_t b)
{
  const int last = (a.rows(b) - 1) / B;
  if (threadIdx.x == 0 && a.rows(b) > 0) wait_beyond(order.done + b * order.tiles + last, last);
  __syncthreads();
}

template <class T, int B>
__global__ void __launch_bounds__(native_shape<T, B>::threads, native_shape<T, B>::resident)
  factor_native(bool lower, batch<T> a, int *info, native_order order, native_sum<T> *diagonals)
{
  using S = native_shape<T, B>;
  __shared__ int64_t claimed;
  __shared__ int ready[2];
  const int64_t tasks = native_tasks(order, a.count);
  int64_t next = 0;
  if (threadIdx.x == 0) claimed = (int64_t)atomicAdd(order.claimed, 1ull);
  for (;;) {
    __syncthreads();
    const int64_t own = claimed;
    if (own >= tasks) return;
    if (threadIdx.x == 0) next = (int64_t)atomicAdd(order.claimed, 1ull);
    const native_task task = task_of(order, a.count, own);
    const int64_t b = task.b;
    const int n = a.rows(b);
    int *const done = order.done + b * order.tiles;
    if (task.i * B >= n || task.j >= order.columns) {
      if (task.i == 0 && threadIdx.x == 0 && order.first == 0) info[b] = 0;
      __syncthreads();
      if (threadIdx.x == 0) claimed = next;
      continue;
    }
    const int64_t ld = a.leading(b);
    T *const at = a.at(b);
    const native_tile<T, B> tile = {{at, lower ? 1 : ld, lower ? ld : 1}, n, task.i, task.j, shared_array<T>()};
    native_sum<T> *const diagonal = diagonals + (b % order.slots * order.tiles + task.j) * S::packed;
    const bool fetched = tile.subtract_products(done, ready, diagonal);
    if (task.i == task.j) {
      const int found = tile.factor_diagonal();
      if (threadIdx.x == 0 && task.j == 0 && order.first == 0)
        info[b] = found;
      else if (threadIdx.x == 0 && found && info[b] == 0)
        info[b] = order.first + task.j * B + found;
      if (b >= order.slots) wait_for_slot<T, B>(order, a, b - order.slots);
      tile.pack_diagonal(diagonal);
    } else {
      tile.solve(fetched, done, diagonal);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) publish(done + task.i, task.j + 1), claimed = next;
    if (task.i == task.j) tile.store_diagonal(); /* nobody waits for these */
  }
}

/* ------------------------------------------------------------------ on the host */

/* The first `columns` columns of tiles, of matrices that are the trailing parts of larger ones from row `first` on; of
 * one matrix, or all columns. */
template <class T, int B>
int launch_native(batched_ctx *ctx, bool lower, const batch<T> &a, int *info, int first, int columns)
{
  using S = native_shape<T, B>;
  const int tiles = a.m > 0 ? (int)ceil_div(a.m, B) : 1;
  const int64_t room = S::resident * multiprocessors();
  const int64_t groups = a.count > 0 ? ceil_div(a.count * tiles, 4 * room) : 1;
  const int64_t group = a.count > 0 ? ceil_div(a.count, groups) : 1, slots = 2 * group < a.count ? 2 * group : a.count;
  const size_t counters = sizeof(unsigned long long) + (size_t)a.count * tiles * sizeof(int);
  const size_t diagonals = (size_t)slots * tiles * S::packed * sizeof(typename S::sum);
  auto *memory = static_cast<typename S::sum *>(batched_scratch_push(ctx, diagonals + counters));
  if (!memory) return BATCHED_NO_MEMORY;
  auto *claimed = reinterpret_cast<unsigned long long *>(reinterpret_cast<char *>(memory) + diagonals);
  const native_order order = {
    claimed, reinterpret_cast<int *>(claimed + 1), tiles, columns < tiles ? columns : tiles, first, group, slots};
  const int64_t tasks = native_tasks(order, a.count);
  int status = batched_fill_zero(ctx, claimed, counters);
  if (!status)
    status = launch(ctx, factor_native<T, B>, tasks < room ? tasks : room, S::threads, S::shared, lower, a, info, order,
                    memory);
  batched_scratch_pop(ctx);
  return status;
}

/* One matrix by panels of so many columns, behind which syrk's kernels update it. */
enum { NATIVE_PANEL = 2048 };
template <class T, int B> int factor_one_by_panels(batched_ctx *ctx, bool lower, const batch<T> &a, int *info)
{
  int status = BATCHED_SUCCESS;
  for (int j = 0, end; j < a.m && !status; j = end) {
    end = a.m - j < 2 * NATIVE_PANEL ? a.m : j + NATIVE_PANEL;
    const int width = end - j, rest = a.m - end;
    status = launch_native<T, B>(ctx, lower, a.block(j, j, a.m - j, a.m - j), info, j, (int)ceil_div(width, B));
    if (!status && rest > 0)
      status = products::syrk(ctx, lower ? BATCHED_LOWER : BATCHED_UPPER, lower ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS,
                              true, make<T>(-1), lower ? a.block(end, j, rest, width) : a.block(j, end, width, rest),
                              make<T>(1), a.block(end, end, rest, rest));
  }
  return status;
}

template <class T, int B> int factor_by_panels(batched_ctx *ctx, bool lower, const batch<T> &a, int *info)
{
  int status = BATCHED_SUCCESS;
  for (int64_t b = 0; b < a.count && !status; b++)
    status = factor_one_by_panels<T, B>(ctx, lower, one_of(a, b), info + b);
  return status;
}

template <class T> int factor_natively(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info)
{
  const bool lower = uplo == BATCHED_LOWER;
  if constexpr (has_tensor_tiles<T> && !is_complex<T>) {
    if (a.m >= 16384 && !a.is_variable()) return factor_by_panels<T, 128>(ctx, lower, a, info);
    if (a.m > 6144) return launch_native<T, 128>(ctx, lower, a, info, 0, INT_MAX);
  }
  return launch_native<T, 64>(ctx, lower, a, info, 0, INT_MAX);
}

} // namespace batched_cuda::cholesky

#endif
