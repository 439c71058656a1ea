/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tiles of A, or several small matrices, go through shared memory: both sides are read and written along their columns.
 */
#include "elementwise.cuh"

namespace batched_cuda
{

/* Tiles of rows x cols elements of A, `each` of them a block. */
struct tiles {
  int rows, cols, each;
  unsigned down, across;
};

static constexpr int elements_of_block = 1024, threads_of_block = 256;

static tiles tiles_of(int m, int n)
{
  tiles t;
  const int edge = 32;
  t.rows = m < edge ? m : edge;
  t.cols = n < elements_of_block / t.rows ? n : elements_of_block / t.rows;
  if (t.cols < edge) t.rows = m < elements_of_block / t.cols ? m : elements_of_block / t.cols;
  if (m >= edge && n >= edge) t.rows = t.cols = edge;
  t.each = elements_of_block / (t.rows * t.cols);
  t.down = (unsigned)ceil_div(m, t.rows);
  t.across = (unsigned)ceil_div(n, t.cols);
  return t;
}

/* What a thread moves: element (i, j) of A to (j, i) of B.  Elements of a tile at tile[j * pitch + i]. */
template <class T>
static __global__ void __launch_bounds__(threads_of_block)
  through_shared(bool conjugate, batch<T> a, batch<T> b, tiles t)
{
  T *shared = shared_array<T>();
  const int size = t.rows * t.cols, pitch = t.rows | 1;
  const int64_t per_matrix = (int64_t)t.down * t.across, items = a.count * per_matrix;
  for (int64_t first = (int64_t)blockIdx.x * t.each; first < items; first += (int64_t)gridDim.x * t.each) {
    for (int side = 0; side < 2; side++) {
      for (int e = threadIdx.x; e < size * t.each; e += threads_of_block) {
        const int k = e / size, inside = e - k * size, run = side ? t.cols : t.rows;
        const int64_t item = first + k;
        if (item >= items) break;
        const int64_t matrix = per_matrix == 1 ? item : item / per_matrix;
        const unsigned at = (unsigned)(item - matrix * per_matrix);
        const int slow = inside / run, quick = inside - slow * run;
        const int i = side ? slow : quick, j = side ? quick : slow;
        const int64_t row = (int64_t)(at % t.down) * t.rows + i, col = (int64_t)(at / t.down) * t.cols + j;
        if (row >= a.rows(matrix) || col >= a.cols(matrix)) continue;
        T *place = &shared[(k * t.cols + j) * pitch + i];
        if (side)
          b.at(matrix)[col + row * b.leading(matrix)] = conj_if(conjugate, *place);
        else
          *place = a.at(matrix)[row + col * a.leading(matrix)];
      }
      __syncthreads();
    }
  }
}

static int through(batched_ctx *ctx, const void *args)
{
  const auto *s = static_cast<const batched_transpose_args *>(args);
  return with_type(s->a.type, [&](auto t) {
    using T = decltype(t);
    const tiles cut = tiles_of(s->a.m, s->a.n);
    const size_t bytes = (size_t)cut.each * cut.cols * (cut.rows | 1) * sizeof(T);
    const int64_t blocks = ceil_div(s->a.count * cut.down * cut.across, cut.each);
    return launch(ctx, through_shared<T>, blocks, threads_of_block, bytes, s->trans == BATCHED_CONJ_TRANS,
                  view<T>(s->a), view<T>(s->b), cut);
  });
}

} // namespace batched_cuda

const batched_variant batched_transpose_cuda[] = {{"cuda.tile", nullptr, nullptr, batched_cuda::through},
                                                  BATCHED_LAST_ROW};
