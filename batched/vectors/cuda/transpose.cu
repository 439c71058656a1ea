/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tile of transpose: tiles of A, or several small matrices, go through shared memory, so that both sides are
 * accessed along their columns.
 */
#include <cuda_pipeline.h>

#include "batched/vectors/vectors.h"
#include "batched/vectors/cuda/elements.cuh"

namespace batched_cuda::vectors
{
namespace
{

/* Tiles of rows x cols elements of A, `each` of them a block. */
struct tiles {
  int rows, cols, each;
  unsigned down, across;
  float by_size, by_rows, by_cols; /* 1 / (rows cols), 1 / rows, 1 / cols */
};

constexpr int elements_of_block = 2048, threads_of_block = 256;

/* The length of parts of at most `most`, as even as possible. */
int even_part(int n, int most)
{
  return (int)ceil_div(n, ceil_div(n, most));
}

/* Whole matrices if they are small, else tiles of 32 x 64, or longer ones of narrow matrices. */
tiles tiles_of(int m, int n)
{
  tiles t = {m, n, 1, 1, 1, 0, 0, 0};
  if ((int64_t)m * n <= elements_of_block) {
    t.each = elements_of_block / (m * n);
  } else {
    t.rows = even_part(m, n >= 64 ? 32 : elements_of_block / n);
    t.cols = even_part(n, elements_of_block / (t.rows < 32 ? t.rows : 32));
    t.down = (unsigned)ceil_div(m, t.rows);
    t.across = (unsigned)ceil_div(n, t.cols);
  }
  t.by_rows = 1.f / (float)t.rows;
  t.by_cols = 1.f / (float)t.cols;
  t.by_size = 1.f / (float)(t.rows * t.cols);
  return t;
}

/* The place of a block's element e: (row, col) of a matrix, and in shared memory; in the order of A's columns, or
 * (across) of its rows. */
struct place {
  bool there;
  int64_t matrix;
  int row, col, shared;
};

/* at: where the block starts.  Where a matrix has several tiles, a block has one of them. */
__device__ __forceinline__ place place_of(const tiles &t, const place &at, int64_t first, int64_t items, int e,
                                          bool across)
{
  const int k = quotient(e, t.by_size), inside = e - k * t.rows * t.cols;
  const int slow = quotient(inside, across ? t.by_cols : t.by_rows), quick = inside - slow * (across ? t.cols : t.rows);
  const int i = across ? slow : quick, j = across ? quick : slow;
  return {k < t.each && first + k < items, at.matrix + k, at.row + i, at.col + j, (k * t.cols + j) * (t.rows | 1) + i};
}

/* B = op(A).
 *   algorithm  a tile through shared memory, read along A's columns, written along B's
 *   grid       a block of 256 threads per tile of 32 x 64, or per several small matrices
 *   shared     2048 elements and a padding row per column
 *   takes      any size, all types, uniform and variable
 *   memory     each element once from and to global memory
 *   accuracy   exact */
template <class T>
__global__ void __launch_bounds__(threads_of_block) through_shared(bool conjugate, batch<T> a, batch<T> b, tiles t)
{
  T *shared = shared_array<T>();
  const int64_t items = a.count * t.down * t.across;
  for (int64_t first = (int64_t)blockIdx.x * t.each; first < items; first += (int64_t)gridDim.x * t.each) {
    const int64_t matrix = first / ((int64_t)t.down * t.across);
    const unsigned tile = (unsigned)(first - matrix * t.down * t.across), strip = tile / t.down;
    const place at = {true, matrix, (int)(tile - strip * t.down) * t.rows, (int)strip * t.cols, 0};
#pragma unroll 1
    for (int e = threadIdx.x; e < elements_of_block; e += threads_of_block) {
      const place p = place_of(t, at, first, items, e, false);
      if (p.there && p.row < a.rows(p.matrix) && p.col < a.cols(p.matrix))
        __pipeline_memcpy_async(&shared[p.shared], a.at(p.matrix) + p.row + (int64_t)p.col * a.leading(p.matrix),
                                sizeof(T));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll 1
    for (int e = threadIdx.x; e < elements_of_block; e += threads_of_block) {
      const place p = place_of(t, at, first, items, e, true);
      if (p.there && p.row < a.rows(p.matrix) && p.col < a.cols(p.matrix))
        b.at(p.matrix)[p.col + (int64_t)p.row * b.leading(p.matrix)] = conj_if(conjugate, shared[p.shared]);
    }
    __syncthreads();
  }
}

int through(batched_ctx *ctx, const batched_transpose_args &s)
{
  return with_type(s.a.type, [&](auto t) {
    using T = decltype(t);
    const tiles cut = tiles_of(s.a.m, s.a.n);
    const size_t bytes = (size_t)cut.each * cut.cols * (cut.rows | 1) * sizeof(T);
    const int64_t blocks = ceil_div(s.a.count * cut.down * cut.across, cut.each);
    return launch(ctx, through_shared<T>, blocks, threads_of_block, bytes, s.trans == BATCHED_CONJ_TRANS, view<T>(s.a),
                  view<T>(s.b), cut);
  });
}

} // namespace
} // namespace batched_cuda::vectors

using namespace batched_cuda;
using namespace batched_cuda::vectors;

const batched_variant batched_transpose_cuda[] = {row<nullptr, nullptr, through>("cuda.tile"), BATCHED_LAST_ROW};
