/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.stream of lrgemm: a product of low rank is added to a dense C that streams through shared memory; products
 * of a dense and a thin factor before it are those of cuda.composed.
 */
#ifndef BATCHED_LOWRANK_CUDA_LRGEMM_STREAM_CUH
#define BATCHED_LOWRANK_CUDA_LRGEMM_STREAM_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/lowrank/compose.h"

namespace batched_cuda::lowrank
{

/* A block's strip of C is ROWS high; columns come and go in chunks of 16, of which STAGES are held.  K: the largest
 * rank. */
template <int K, int ROWS, int STAGES> struct stream_shape {
  static constexpr int depth = K, rows = ROWS, stages = STAGES, columns = 16;
  static constexpr int warps = 8, threads = 32 * (warps + 1), tiles = ROWS / warps / 8;
  /* Neighbours of 16 bytes in the two columns that eight lanes read at once are in different banks. */
  static constexpr int column_bytes = 8 * ROWS + 64, stage_bytes = columns * column_bytes;
  static constexpr size_t shared = (size_t)STAGES * (stage_bytes + 16);
  static_assert(K % 8 == 0 && ROWS % (8 * warps) == 0, "");
};

/* P Q^T with Q = X, or, where W is there, with Q = X W^T, which no one stores. */
struct stream_update {
  batch<double> c, p, x, w;
  double alpha, beta;
  int strips, chunks;
};

/* A chunk of 16 columns of a strip, and those after it. */
struct stream_place {
  int64_t matrix;
  int strip, chunk;

  __device__ __forceinline__ stream_place(const stream_update &f, int64_t item)
      : matrix(item / ((int64_t)f.strips * f.chunks)), strip((int)(item / f.chunks % f.strips)),
        chunk((int)(item % f.chunks))
  {
  }
  __device__ __forceinline__ void next(const stream_update &f)
  {
    if (++chunk < f.chunks) return;
    chunk = 0;
    if (++strip < f.strips) return;
    strip = 0;
    matrix++;
  }
};

/* So far this thread's bulk stores are a group; all its groups but the last `pending` have read shared memory. */
static __device__ __forceinline__ void bulk_store_commit()
{
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int pending> static __device__ __forceinline__ void bulk_store_wait_for_all_but()
{
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

/* The last warp: chunks of C are copied to the ring, and back when the other warps are done with them; a lane copies a
 * column.  A place is filled anew after the next chunk's stores have begun, when its own have most likely read it. */
template <class S>
__device__ __forceinline__ void copy_chunks(const stream_update &f, int64_t first, int64_t last, unsigned ring,
                                            unsigned full, unsigned done)
{
  const int lane = threadIdx.x % 32;
  stream_place from(f, first), to = from;
  int64_t fetched = first;
  const auto column_of = [&](const stream_place &at) {
    return f.c.at(at.matrix) + at.strip * S::rows + (int64_t)(at.chunk * S::columns + lane) * f.c.ld;
  };
  const auto bytes_of = [&](const stream_place &at) { return 8 * min(S::rows, f.c.m - at.strip * S::rows); };
  const auto columns_of = [&](const stream_place &at) { return min(S::columns, f.c.n - at.chunk * S::columns); };
  const auto fetch = [&](int stage) {
    if (fetched >= last) return;
    if (lane == 0) barrier_arrive_expecting(full + 8 * stage, bytes_of(from) * columns_of(from));
    __syncwarp();
    if (lane < columns_of(from))
      bulk_load(ring + stage * S::stage_bytes + lane * S::column_bytes, column_of(from), bytes_of(from),
                full + 8 * stage);
    from.next(f);
    fetched++;
  };
  for (int stage = 0; stage < S::stages; stage++) fetch(stage);
  int stage = 0, parity = 0;
  for (int64_t item = first; item < last; item++, to.next(f)) {
    barrier_wait(done + 8 * stage, parity);
    if (lane < columns_of(to))
      bulk_store(column_of(to), ring + stage * S::stage_bytes + lane * S::column_bytes, bytes_of(to));
    bulk_store_commit();
    if (item > first) {
      bulk_store_wait_for_all_but<1>();
      fetch(stage == 0 ? S::stages - 1 : stage - 1);
    }
    stage = stage + 1 == S::stages ? 0 : stage + 1;
    parity ^= stage == 0;
  }
  bulk_store_finish();
}

/* The other warps: each has some rows of the strip, and its lanes all of P there.  The tiles of mma are those of C^T,
 * so that a lane's neighbours are neighbours in memory.  Columns of P and Q are in the order in which a lane gets those
 * of X W^T. */
template <class S, bool product>
__device__ __forceinline__ void add_to_chunks(const stream_update &f, int64_t first, int64_t last, unsigned ring,
                                              unsigned full, unsigned done)
{
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, row = (int)threadIdx.x / 32 * 8 * S::tiles;
  stream_place at(f, first), ahead = at;
  double p[S::tiles][S::depth / 4], q[S::depth / 2], next[S::depth / 2], w[S::depth / 8][S::depth / 4];
  const auto mixed = [&](int i) { return i / 2 * 8 + 2 * t + i % 2; };
  const auto load_x = [&] {
    const int rank = f.x.cols(ahead.matrix), ld = f.x.leading(ahead.matrix);
    const double *from = f.x.at(ahead.matrix);
#pragma unroll
    for (int i = 0; i < S::depth / 4; i++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int k = product ? 4 * i + t : mixed(i), j = ahead.chunk * S::columns + 8 * h + g;
        next[2 * i + h] = k < rank && j < f.c.n ? from[j + (int64_t)k * ld] : 0;
      }
    ahead.next(f);
  };
  const auto load_p = [&] {
    const int rank = f.p.cols(at.matrix), ld = f.p.leading(at.matrix);
    const double *from = f.p.at(at.matrix);
#pragma unroll
    for (int j = 0; j < S::tiles; j++)
#pragma unroll
      for (int i = 0; i < S::depth / 4; i++) {
        const int k = mixed(i), r = at.strip * S::rows + row + 8 * j + g;
        p[j][i] = k < rank && r < f.c.m ? from[r + (int64_t)k * ld] : 0;
      }
  };
  const auto load_w = [&] {
    const int rows = f.p.cols(at.matrix), columns = f.x.cols(at.matrix), ld = f.w.leading(at.matrix);
    const double *from = f.w.at(at.matrix);
#pragma unroll
    for (int j = 0; j < S::depth / 8; j++)
#pragma unroll
      for (int i = 0; i < S::depth / 4; i++) {
        const int k = 4 * i + t, r = 8 * j + g;
        w[j][i] = k < columns && r < rows ? from[r + (int64_t)k * ld] : 0;
      }
  };
  load_x();
  int stage = 0, parity = 0;
  for (int64_t item = first; item < last; item++, at.next(f)) {
    if (item == first || at.chunk == 0) {
      load_p();
      if constexpr (product) load_w();
    }
#pragma unroll
    for (int j = 0; j < S::depth / 8; j++) {
      double d[4] = {};
      if constexpr (product) {
#pragma unroll
        for (int k = 0; k < S::depth / 8; k++) multiply_16x8x8(d, next + 4 * k, w[j] + 2 * k);
      }
#pragma unroll
      for (int i = 0; i < 4; i++) q[4 * j + i] = product ? d[i % 2 * 2 + i / 2] : next[4 * j + i];
    }
    if (item + 1 < last) load_x();
    barrier_wait(full + 8 * stage, parity);
    const unsigned mine = ring + stage * S::stage_bytes + g * S::column_bytes + 8 * (row + 2 * t);
#pragma unroll
    for (int j = 0; j < S::tiles; j++) {
      double d[4] = {};
#pragma unroll
      for (int k = 0; k < S::depth / 8; k++) multiply_16x8x8(d, q + 4 * k, p[j] + 2 * k);
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const unsigned to = mine + 8 * h * S::column_bytes + 64 * j;
        double x, y;
        asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "r"(to));
        x = f.alpha * d[2 * h] + f.beta * x;
        y = f.alpha * d[2 * h + 1] + f.beta * y;
        asm volatile("st.shared.v2.f64 [%0], {%1, %2};" ::"r"(to), "d"(x), "d"(y) : "memory");
      }
    }
    bulk_fence();
    __syncwarp();
    if (lane == 0) barrier_arrive(done + 8 * stage);
    stage = stage + 1 == S::stages ? 0 : stage + 1;
    parity ^= stage == 0;
  }
}

/* C = alpha P Q^T + beta C in double precision, Q = X or, `product`, X W^T
 *   algorithm  each block has an equal part of all chunks, in their order in memory; a warp copies them to and from
 *              shared memory, 8 warps add the products of 8 rows, 16 columns and all K by the tensor cores
 *   grid       a block of 288 threads per multiprocessor
 *   registers  of each lane 32 numbers of P: 64 rows and K = 16 of a warp
 *   shared     3 stages of 512 rows: 195 KB
 *   takes      uniform C at equal distances, with columns aligned to 16 bytes and an even number of rows; P, X and W
 *              in any layout, of any ranks up to K
 *   memory     C once read and once written, P and W once, and X once for each strip
 *   accuracy   K + 2 roundings, 2 K + 2 with W */
template <class S, bool product> __global__ void __launch_bounds__(S::threads, 1) stream_through_shared(stream_update f)
{
  const unsigned ring = shared_address(shared_array<double>()), full = ring + S::stages * S::stage_bytes,
                 done = full + 8 * S::stages;
  const int64_t all = f.c.count * f.strips * f.chunks, first = all * blockIdx.x / gridDim.x,
                last = all * (blockIdx.x + 1) / gridDim.x;
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::stages; i++) {
      barrier_init(full + 8 * i, 1);
      barrier_init(done + 8 * i, S::warps);
    }
    barrier_init_fence();
  }
  __syncthreads();
  if (first == last) return;
  if (threadIdx.x / 32 == S::warps)
    copy_chunks<S>(f, first, last, ring, full, done);
  else
    add_to_chunks<S, product>(f, first, last, ring, full, done);
}

template <class S, bool product> int stream(const batched_ctx *ctx, stream_update f)
{
  f.strips = (int)ceil_div(f.c.m, S::rows);
  f.chunks = (int)ceil_div(f.c.n, S::columns);
  return launch(ctx, stream_through_shared<S, product>, multiprocessors(), S::threads, S::shared, f);
}

} // namespace batched_cuda::lowrank

#endif
