/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.stream of potrs: a block per matrix solves for one right-hand side and reads the factor L once, as a
 * pipeline of warps.  Some warps copy tiles of L to shared memory; each of the others owns the 32 unknowns of one row
 * of tiles.  In the forward substitution it multiplies by the tiles of its row, in the backward one by those of its
 * column, each as soon as the tile has arrived and its unknowns are known, which mbarriers tell.  The tiles of the next
 * matrix take the places of those that the backward substitution is done with.  Diagonal tiles pass through a ring: a
 * warp keeps its own in registers.
 *
 * Sections: how a matrix is cut; barriers; copying; solving; the kernel.
 */
#ifndef BATCHED_CHOLESKY_CUDA_POTRS_STREAM_CUH
#define BATCHED_CHOLESKY_CUDA_POTRS_STREAM_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::cholesky
{

/* ------------------------------------------------------------------ how a matrix is cut */

/* Element (i, k) of a tile is at k * ld + i: neither its rows nor its columns have bank conflicts. */
constexpr int stream_edge = 32, stream_ld = stream_edge + 1, stream_size = stream_edge * stream_ld;

/* Unknowns that are found together. */
constexpr int stream_group = 4;

/* Layout of shared memory.  Where more tiles lie below the diagonal than there are places, the first ones leave theirs
 * in the forward substitution and are fetched again for the backward one. */
struct stream_plan {
  int rows, tiles, places, ring, feeders, blocks;
  bool turns; /* warps take the rows of every other matrix from the other end */

  static DEVICE int index(int i, int k)
  {
    return i * (i - 1) / 2 + k;
  }
  DEVICE int again() const
  {
    return tiles - places;
  }
  DEVICE int loads() const
  {
    return tiles + again();
  }
  /* Places become free in the order opposite to that in which they are filled, so that every other matrix uses them in
   * reverse. */
  DEVICE int place(int tile, int turn) const
  {
    const int at = tile < places ? tile : tile - places;
    return turn & 1 ? places - 1 - at : at;
  }
  /* Rows of unknowns that other warps wait for: all but the last one forwards, all but the first one backwards. */
  DEVICE int known() const
  {
    return 2 * (rows - 1);
  }
  DEVICE int barriers() const
  {
    return 2 * (loads() + ring) + known();
  }
  bool fits() const
  {
    return again() <= places;
  }
  template <class T> size_t bytes() const
  {
    return ((places + ring) * stream_size + known() * stream_edge) * sizeof(T) + barriers() * 8;
  }
};

/* ------------------------------------------------------------------ barriers */

/* Per load: full (the tile has arrived), free (it is no longer needed); the same for the ring; per row and direction:
 * its unknowns are known.  All but the ring's have one phase per matrix. */
struct stream_barriers {
  unsigned full, free, ring_full, ring_free, known;

  __device__ __forceinline__ stream_barriers(const stream_plan &p, unsigned start)
      : full(start), free(full + 8 * p.loads()), ring_full(free + 8 * p.loads()), ring_free(ring_full + 8 * p.ring),
        known(ring_free + 8 * p.ring)
  {
  }
};

/* Each lane arrives for its own reads and writes. */
__device__ __forceinline__ void stream_signal(unsigned barrier, int phase)
{
  if (phase > 0) barrier_wait(barrier, ~phase & 1); /* over long ago; for synccheck, which can't know it */
  barrier_arrive(barrier);
}

/* ------------------------------------------------------------------ copying */

/* Starts to copy tile (row, col) of L; elements outside of L become zero. */
template <class T>
__device__ __forceinline__ void fetch_tile(bool lower, const T *a, int64_t ld, int n, int row, int col, T *tile,
                                           unsigned full)
{
  const int lane = threadIdx.x % 32, i0 = row * stream_edge, k0 = col * stream_edge, height = n - i0;
  const T *from = lower ? a + i0 + lane + k0 * ld : a + k0 + lane + i0 * ld;
  const unsigned to = shared_address(tile + (lower ? lane : lane * stream_ld));
#pragma unroll
  for (int s = 0; s < stream_edge; s++) {
    const int i = lower ? lane : s, k = lower ? s : lane;
    copy_async(to + (lower ? s * stream_ld : s) * (unsigned)sizeof(T), from, i < height && (row != col || i >= k));
    from += ld;
  }
  barrier_arrive_copied(full);
}

/* The feeder warps: copy one matrix after the other, row by row of tiles.  The first of several feeders has the
 * diagonal tiles, the others the rest. */
template <class T>
__device__ __forceinline__ void feed(const stream_plan &p, const stream_barriers &at, bool lower, const batch<T> &a,
                                     int64_t count, T *tiles, int feeder)
{
  const int others = max(p.feeders - 1, 1), own = p.feeders == 1 ? 0 : feeder - 1;
  int turn = 0, slot = 0, round = 0;
  for (int64_t b = blockIdx.x; b < count; b += gridDim.x, turn++) {
    const T *const from = a.at(b);
    const int64_t ld = a.leading(b);
    int load = 0, row = 0, col = 0;
    for (int step = 1; step <= p.loads() + p.rows; step++) {
      const bool diagonal = row == col;
      if (diagonal ? feeder == 0 : load % others == own) {
        const int left = load - p.places; /* the load whose place this one takes; negative: of the matrix before */
        if (diagonal) {
          if (round > 0) barrier_wait(at.ring_free + 8 * slot, ~round & 1);
        } else if (left >= 0) {
          barrier_wait(at.free + 8 * left, turn & 1);
        } else if (turn > 0) {
          barrier_wait(at.free + 8 * (p.loads() + left), ~turn & 1);
        }
        fetch_tile(lower, from, ld, a.m, row, col,
                   tiles + (diagonal ? p.places + slot : p.place(p.index(row, col), turn)) * stream_size,
                   diagonal ? at.ring_full + 8 * slot : at.full + 8 * load);
      }
      if (!diagonal)
        load++;
      else if (++slot == p.ring)
        slot = 0, round++;
      if (step < p.tiles + p.rows) {
        row += diagonal;
        col = diagonal ? 0 : col + 1;
      } else {
        const int tile = p.loads() - 1 - load;
        for (row = p.rows - 1; row > 1 && p.index(row, 0) > tile;) row--;
        col = tile - p.index(row, 0);
      }
    }
  }
}

/* ------------------------------------------------------------------ solving */

/* z - E x, E being a tile or (back) its transpose. */
template <class T, bool back> __device__ __forceinline__ T subtract(const T *tile, const T *x, bool conjugate, T z)
{
  constexpr int width = pack<T>::size, step = back ? 1 : stream_ld;
  const T *const e = tile + threadIdx.x % 32 * (back ? stream_ld : 1);
  T sum[4] = {z};
#pragma unroll
  for (int k = 0; k < stream_edge; k += width) {
    const auto v = *reinterpret_cast<const pack<T> *>(x + k);
#pragma unroll
    for (int q = 0; q < width; q++) {
      const int j = k + q;
      sum[j % 4] = mad(-conj_if(conjugate, e[j * step]), v.x[q], sum[j % 4]);
    }
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Prepares a diagonal tile E for substitute(): with D = diag(d), e = row (back: column) of D^-1 E, its diagonal zero,
 * times the inverse of each group's own unit triangle, so that the unknowns of a group don't depend on each other. */
template <class T, bool back>
__device__ __forceinline__ void take(const T *tile, const reciprocal<T> &d, bool conjugate, T (&e)[stream_edge])
{
  const T *const own = tile + threadIdx.x % 32 * (back ? stream_ld : 1);
#pragma unroll
  for (int j = 0; j < stream_edge; j++) e[j] = d(conj_if(conjugate, own[j * (back ? 1 : stream_ld)]));
#pragma unroll
  for (int first = 0; first < stream_edge; first += stream_group)
#pragma unroll
    for (int s = 1; s < stream_group; s++) {
      const int j = back ? first + s : first + stream_group - 1 - s;
      T m = e[j];
#pragma unroll
      for (int q = 0; q < s; q++) {
        const int k = back ? first + q : first + stream_group - 1 - q;
        m = mad(-e[k], shuffle(e[j], k), m);
      }
      e[j] = m;
    }
}

/* The unknowns of a row of tiles, one in each lane. */
template <class T, bool back>
__device__ __forceinline__ T substitute(const T (&e)[stream_edge], const reciprocal<T> &d, int height, T z)
{
  z = d(z);
#pragma unroll
  for (int s = 0; s < stream_edge; s += stream_group) {
    const int first = back ? stream_edge - stream_group - s : s;
    if (first >= height) continue;
    T sum[2] = {z, make<T>(0)};
#pragma unroll
    for (int q = 0; q < stream_group; q++) {
      const int j = back ? first + stream_group - 1 - q : first + q;
      sum[q % 2] = mad(-e[j], shuffle(z, j), sum[q % 2]);
    }
    z = sum[0] + sum[1];
  }
  return z;
}

/* The solver warps: a row of tiles of one matrix after the other. */
template <class T>
__device__ __forceinline__ void follow_rows(const stream_plan &p, const stream_barriers &at, bool lower,
                                            const batch<T> &x, T *tiles, T *known, int warp)
{
  const int lane = threadIdx.x % 32, last = p.rows - 1;
  const auto row_of = [&](int turn) { return p.turns && turn & 1 ? last - warp : warp; };
  const auto height_of = [&](int row) { return min(stream_edge, x.m - row * stream_edge); };
  const auto element = [&](int64_t b, int row) {
    return x.at(b) + (int64_t)(row * stream_edge + lane) * x.increment(b);
  };
  T next = make<T>(0), e[stream_edge];
  if (lane < height_of(warp)) next = *element(blockIdx.x, warp);
  int turn = 0;
  for (int64_t b = blockIdx.x; b < x.count; b += gridDim.x, turn++) {
    const int row = row_of(turn), height = height_of(row), after = row_of(turn + 1);
    const bool mine = lane < height;
    T z = mine ? next : make<T>(0);
    if (b + gridDim.x < x.count && lane < height_of(after)) next = *element(b + gridDim.x, after);
    const auto place = [&](int tile) { return tiles + p.place(tile, turn) * stream_size; };
    const auto tell = [&](int k) {
      known[k * stream_edge + lane] = z;
      stream_signal(at.known + 8 * k, turn);
    };
    /* All warps that read the old values have gone on long ago; for racecheck, which can't know it. */
    const auto look = [&](int from, int to) {
      if (p.turns && turn > 0)
        for (int k = from; k < to; k++) barrier_wait(at.known + 8 * k, ~turn & 1);
    };
    if (row < last) look(row + 1, last);
    if (row < last) look(2 * last - 1, 2 * last);
    const int round = (turn * p.rows + row) / p.ring, slot = turn * p.rows + row - round * p.ring;
    T *const diagonal = tiles + (p.places + slot) * stream_size, *const own = diagonal + lane * (stream_ld + 1);
    reciprocal<T> d;
    for (int k = 0; k <= row; k++) {
      if (k == max(row - 1, 0)) {
        barrier_wait(at.ring_full + 8 * slot, round & 1);
        d = reciprocal_of(mine ? conj_if(!lower, *own) : make<T>(1));
        *own = make<T>(0);
        take<T, false>(diagonal, d, !lower, e);
      }
      if (k == row) break;
      const int tile = p.index(row, k);
      barrier_wait(at.full + 8 * tile, turn & 1);
      barrier_wait(at.known + 8 * k, turn & 1);
      z = subtract<T, false>(place(tile), known + k * stream_edge, !lower, z);
      if (tile < p.again()) stream_signal(at.free + 8 * tile, turn);
    }
    z = substitute<T, false>(e, d, height, z);
    if (row < last) tell(row);
    d.inverse = conj(d.inverse);
    take<T, true>(diagonal, d, lower, e);
    stream_signal(at.ring_free + 8 * slot, round);
    if (row > 1) look(last, last + row - 1);
    for (int k = last; k > row; k--) {
      const int tile = p.index(k, row), load = p.loads() - 1 - tile;
      if (tile < p.again()) barrier_wait(at.full + 8 * load, turn & 1);
      barrier_wait(at.known + 8 * (last + k - 1), turn & 1);
      z = subtract<T, true>(place(tile), known + (last + k - 1) * stream_edge, lower, z);
      stream_signal(at.free + 8 * load, turn);
    }
    z = substitute<T, true>(e, d, height, z);
    if (row > 0) tell(last + row - 1);
    if (mine) *element(b, row) = z;
  }
}

/* ------------------------------------------------------------------ the kernel */

/* x = A^-1 x with the factor of A, one right-hand side.
 *   algorithm  substitution by 32 x 32 tiles as a data flow; four unknowns of a tile at a time (take, substitute)
 *   grid       persistent: as many blocks as are resident; ceil(n / 32) solver warps and 1 or 4 feeder warps each
 *   shared     tiles, ring, unknowns and barriers: stream_plan::bytes
 *   takes      double (by table), n from 33 to 256, one right-hand side, uniform
 *   memory     the triangle once from global memory, tiles that don't fit into shared memory twice; x once from and to
 *              it
 *   accuracy   of substitution with the inverses of the diagonal */
template <class T, int threads>
static __global__ void __launch_bounds__(threads, threads > 256 ? 1 : 2)
  solve_in_stream(batched_uplo uplo, const stream_plan p, batch<T> a, batch<T> x)
{
  const bool lower = uplo == BATCHED_LOWER;
  const int warp = __shfl_sync(all_lanes, threadIdx.x / 32, 0);
  T *const tiles = shared_array<T>(), *const known = tiles + (p.places + p.ring) * stream_size;
  const unsigned start = shared_address(known + p.known() * stream_edge);
  const stream_barriers at(p, start);
  if (threadIdx.x == 0) {
    for (int i = 0; i < p.barriers(); i++) barrier_init(start + 8 * i, 32);
    barrier_init_fence();
  }
  __syncthreads();
  if (warp < p.rows)
    follow_rows(p, at, lower, x, tiles, known, warp);
  else
    feed(p, at, lower, a, x.count, tiles, warp - p.rows);
}

/* Blocks per multiprocessor and feeders as measured on an H100.  The ring has at least 2 places: a warp takes its own
 * diagonal tile when that of two rows above has been used, and not before. */
template <class T> stream_plan plan_stream(int n)
{
  const int rows = (int)ceil_div(n, stream_edge), tiles = stream_plan::index(rows, 0);
  const bool large = rows > 4;
  const int blocks = rows == 2 ? 5 : rows == 3 ? 4 : rows == 4 ? 2 : 1, least = large ? 4 : 2;
  const size_t room = (most_shared() + 1024) / blocks - 1024; /* 1 KB per block is the system's */
  stream_plan p = {rows, tiles, tiles, rows, large ? 4 : 1, blocks, rows > 3};
  while (p.bytes<T>() > room && p.ring > least) p.ring--;
  while (p.bytes<T>() > room && p.places > 0) p.places--;
  return p;
}

template <class T>
static int solve_stream(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, const batch<T> &x)
{
  const stream_plan p = plan_stream<T>(x.m);
  const int64_t most = multiprocessors() * p.blocks;
  return launch(ctx, p.rows > 4 ? solve_in_stream<T, 384> : solve_in_stream<T, 256>, x.count < most ? x.count : most,
                32 * (p.rows + p.feeders), p.bytes<T>(), uplo, p, a, x);
}

} // namespace batched_cuda::cholesky

#endif
