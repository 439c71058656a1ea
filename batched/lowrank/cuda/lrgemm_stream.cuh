/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.stream of lrgemm: a product of low rank is added to a dense C that streams through shared memory; products
 * of a dense and a thin factor before it are those of cuda.composed.
 */
#ifndef BATCHED_LOWRANK_CUDA_LRGEMM_STREAM_CUH
#define BATCHED_LOWRANK_CUDA_LRGEMM_STREAM_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/launch.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/lowrank/compose.h"

namespace batched_cuda::lowrank
{

/* A block's strip of C is ROWS high; columns come and go in chunks of 16, of which STAGES are held.  K: the largest
 * rank.  In shared memory: the ring of chunks, its barriers and those of W, and two W. */
template <int K, int ROWS, int STAGES> struct stream_shape {
  static constexpr int depth = K, rows = ROWS, stages = STAGES, columns = 16;
  static constexpr int warps = 8, threads = 32 * (warps + 2), tiles = ROWS / warps / 8;
  /* Neighbours of 16 bytes in the two columns that eight lanes read at once are in different banks. */
  static constexpr int column_bytes = 8 * ROWS + 64, stage_bytes = columns * column_bytes;
  static constexpr int barriers_at = STAGES * stage_bytes, w_at = barriers_at + 16 * (STAGES + 2);
  static constexpr int w_numbers = K * K;
  static constexpr size_t shared = w_at + sizeof(double) * w_numbers * 2;
  static_assert(K % 16 == 0 && ROWS % (8 * warps) == 0, "");
};

/* P Q^T with Q = X, or, `product`, with Q = X W^T, W = V^T Y, neither of which is stored. */
struct stream_update {
  batch<double> c, p, x, v, y;
  double alpha, beta;
  int strips, chunks;
  int across; /* so many blocks have the strips of the same columns, at about the same time; 1: each has whole strips */
};

/* The chunks of a block: one after the other, of one strip after the other or, across, of the same one. */
struct stream_place {
  int64_t matrix;
  int strip, chunk;

  __device__ __forceinline__ stream_place(const stream_update &f, int64_t item)
      : matrix(item / ((int64_t)(f.strips / f.across) * f.chunks)),
        strip(f.across > 1 ? (int)(blockIdx.x % f.across) : (int)(item / f.chunks % f.strips)),
        chunk((int)(item % f.chunks))
  {
  }
  __device__ __forceinline__ void next(const stream_update &f)
  {
    if (++chunk < f.chunks) return;
    chunk = 0;
    if (f.across == 1 && ++strip < f.strips) return;
    if (f.across == 1) strip = 0;
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

/* The ninth warp: chunks of C are copied to the ring, and back when the first eight are done with them; a lane copies a
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

/* The last warp: W = V^T Y of one matrix after the other, each while the one before it is being used. */
template <class S>
__device__ __forceinline__ void make_inner(const stream_update &f, int64_t first, int64_t last, double *ws,
                                           unsigned ready, unsigned taken)
{
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int64_t end = stream_place(f, last - 1).matrix;
  int place = 0, parity = 1;
  for (int64_t b = stream_place(f, first).matrix; b <= end; b++) {
    const int inner = f.v.rows(b), rv = f.v.cols(b), ry = f.y.cols(b), ldv = f.v.leading(b), ldy = f.y.leading(b);
    const double *v = f.v.at(b), *y = f.y.at(b);
    double d[S::depth / 16][S::depth / 8][4] = {};
    barrier_wait(taken + 8 * place, parity);
#pragma unroll 4
    for (int k0 = 0; k0 < inner; k0 += 8) {
      double x[S::depth / 8][2], z[S::depth / 8][2];
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < S::depth / 8; j++) {
          const int k = k0 + 4 * i + t, column = 8 * j + g;
          x[j][i] = k < inner && column < rv ? v[k + (int64_t)column * ldv] : 0;
          z[j][i] = k < inner && column < ry ? y[k + (int64_t)column * ldy] : 0;
        }
#pragma unroll
      for (int h = 0; h < S::depth / 16; h++) {
        const double rows[4] = {x[2 * h][0], x[2 * h + 1][0], x[2 * h][1], x[2 * h + 1][1]};
#pragma unroll
        for (int j = 0; j < S::depth / 8; j++) multiply_16x8x8(d[h][j], rows, z[j]);
      }
    }
    double *const to = ws + place * S::w_numbers;
#pragma unroll
    for (int h = 0; h < S::depth / 16; h++)
#pragma unroll
      for (int j = 0; j < S::depth / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++) to[16 * h + g + i / 2 * 8 + (8 * j + 2 * t + i % 2) * S::depth] = d[h][j][i];
    __syncwarp();
    if (lane == 0) barrier_arrive(ready + 8 * place);
    place ^= 1;
    parity ^= place == 0;
  }
}

/* The first eight warps: each has some rows of the strip, and its lanes all of P there.  The tiles of mma are those of
 * C^T, so that a lane's neighbours are neighbours in memory.  Columns of P and Q are in the order in which a lane gets
 * those of X W^T. */
template <class S, bool product>
__device__ __forceinline__ void add_to_chunks(const stream_update &f, int64_t first, int64_t last, unsigned ring,
                                              unsigned full, unsigned done, double *ws, unsigned ready, unsigned taken)
{
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, row = (int)threadIdx.x / 32 * 8 * S::tiles;
  stream_place at(f, first), ahead = at;
  double p[S::tiles][S::depth / 4], q[S::depth / 2], next[S::depth / 2];
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
  load_x();
  int stage = 0, parity = 0, place = 1, turn = 1;
  int64_t of = -1; /* whose W is at `place` */
  for (int64_t item = first; item < last; item++, at.next(f)) {
    if (item == first || at.chunk == 0) {
      load_p();
      if (product && at.matrix != of) {
        __syncwarp();
        if (of >= 0 && lane == 0) barrier_arrive(taken + 8 * place);
        of = at.matrix;
        place ^= 1;
        turn ^= place == 0;
        barrier_wait(ready + 8 * place, turn);
      }
    }
#pragma unroll
    for (int j = 0; j < S::depth / 8; j++) {
      double d[4] = {};
      if constexpr (product) {
#pragma unroll
        for (int k = 0; k < S::depth / 8; k++) {
          const double *const from = ws + place * S::w_numbers + 8 * j + g + (8 * k + t) * S::depth;
          const double w[2] = {from[0], from[4 * S::depth]};
          multiply_16x8x8(d, next + 4 * k, w);
        }
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

/* C = alpha P Q^T + beta C in double precision, Q = X or, `product`, X W^T with W = V^T Y
 *   algorithm  blocks go through the chunks of a strip, those of a matrix's strips side by side, so that whole columns
 *              are read and written at about the same time; a warp copies chunks to and from shared memory, 8 warps add
 *              the products of 16 columns, their rows and all K by the tensor cores, a tenth makes W of the next matrix
 *   grid       a block of 320 threads per multiprocessor
 *   registers  of each lane 16 numbers of P: 32 rows and K = 16 of a warp
 *   shared     6 stages of 256 rows: 198 KB; W twice
 *   takes      uniform C at equal distances, with columns aligned to 16 bytes and an even number of rows; P, X, V and Y
 *              in any layout, of any ranks up to K
 *   memory     C once read and once written, P once, X once for each strip, V and Y once for each block that has a part
 *              of the matrix
 *   accuracy   K + 2 roundings, with W 2 K + 2 and those of the sum over the inner index */
template <class S, bool product> __global__ void __launch_bounds__(S::threads, 1) stream_through_shared(stream_update f)
{
  const unsigned ring = shared_address(shared_array<double>()), full = ring + S::barriers_at,
                 done = full + 8 * S::stages, ready = done + 8 * S::stages, taken = ready + 16;
  double *const ws = reinterpret_cast<double *>(shared_array<char>() + S::w_at);
  const int64_t all = f.c.count * (f.strips / f.across) * f.chunks;
  const int parts = gridDim.x / f.across, part = blockIdx.x / f.across;
  const int64_t first = all * part / parts, last = all * (part + 1) / parts;
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::stages; i++) {
      barrier_init(full + 8 * i, 1);
      barrier_init(done + 8 * i, S::warps);
    }
    for (int i = 0; i < 2; i++) {
      barrier_init(ready + 8 * i, 1);
      barrier_init(taken + 8 * i, S::warps);
    }
    barrier_init_fence();
  }
  __syncthreads();
  if (first == last) return;
  const int warp = threadIdx.x / 32;
  if (warp == S::warps)
    copy_chunks<S>(f, first, last, ring, full, done);
  else if (warp < S::warps)
    add_to_chunks<S, product>(f, first, last, ring, full, done, ws, ready, taken);
  else if (product)
    make_inner<S>(f, first, last, ws, ready, taken);
}

template <class S, bool product> int stream(const batched_ctx *ctx, stream_update f)
{
  const int blocks = (int)multiprocessors();
  f.strips = (int)ceil_div(f.c.m, S::rows);
  f.chunks = (int)ceil_div(f.c.n, S::columns);
  if (f.strips == 0 || f.chunks == 0) return BATCHED_SUCCESS;
  const int busy = blocks / f.strips * f.strips; /* if as many blocks as there are strips go together */
  f.across = 32 * busy >= 31 * blocks ? f.strips : 1;
  return launch(ctx, stream_through_shared<S, product>, f.across > 1 ? busy : blocks, S::threads, S::shared, f);
}

} // namespace batched_cuda::lowrank

#endif
