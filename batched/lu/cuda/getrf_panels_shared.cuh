/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.panels_shared of getrf: LU with partial pivoting of one matrix per block, with L in shared memory.
 *
 * Left-looking: each warp takes the next panel of W columns into registers, R rows per lane; applies earlier panels as
 * they are finished, G columns at a time (rows of U by substitution, then A -= L U on the CUDA cores); factors it; and
 * appends L to shared memory. No barrier of the block: a warp says that its L is there, so that the updates of
 * later panels overlap a factorisation (look_ahead.cuh). Rows never move: the place of each row is kept per
 * panel, and L is stored in its final order in the end. A row that is final goes to memory at once, and what later
 * updates do to it in registers is ignored. One code does all columns of half a panel, as instructions must stay in
 * their cache: columns move left by one with each step. Left-looking LU: Golub and Van Loan, Matrix Computations, 4th
 * ed., 3.2 and 3.4.
 *
 * grid      a block per matrix (grid-stride over the batch)
 * block     1 to 4 warps, as many as keep an SM busy where shared memory holds few matrices
 * shared    L, min(m, n) columns of m; places of rows, a byte per row and panel; per warp G rows of U
 * takes     s, c, z; m <= 256 (c 192, z 128), any n, while L fits: square up to 232, 165, 117; uniform and variable
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN; nothing is divided by a zero)
 * accuracy  |P L U - A| < 30 n eps |A|; multiplies by reciprocals, divides where they may over- or underflow
 */
#ifndef BATCHED_LU_CUDA_GETRF_PANELS_SHARED_CUH
#define BATCHED_LU_CUDA_GETRF_PANELS_SHARED_CUH

#include "batched/cuda/access.cuh"
#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/look_ahead.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/lu/cuda/strip/instructions.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

/* ------------------------------------------------------------------ shared memory */

/* Columns of L per update, for all widths of panels; most warps of a block: more wait for each other. */
enum { LU_SHARED_GROUP = 8, LU_SHARED_WARPS = 4 };

/* Columns of a panel. */
template <class T, int R> constexpr int lu_shared_width = sizeof(T) == 4 && R <= 4 ? 16 : 8;

/* Blocks of 8 warps per SM that leave a thread the registers for its R x W elements. */
template <class T, int R>
constexpr int lu_shared_blocks = R *lu_shared_width<T, R> * sizeof(T) <= 128   ? 3
                                 : R *lu_shared_width<T, R> * sizeof(T) <= 256 ? 2
                                                                               : 1;

/* Most rows per lane. */
template <class T> constexpr int lu_shared_rows = sizeof(T) == 4 ? 8 : sizeof(T) == 8 ? 6 : 4;

/* Memory of a warp: pivot rows of two steps with the pivots' reciprocals; G rows of U, by rows; L11 of these. */
template <class T, int W> struct alignas(16) lu_shared_scratch {
  shared_row<T, W> lines[2];
  T rows[LU_SHARED_GROUP][W];
  T triangle[LU_SHARED_GROUP][LU_SHARED_GROUP];
};

/* Offsets in bytes into shared memory, for matrices of at most m x n. */
struct lu_shared_layout {
  int m, panels, barriers, scratch, places, pivots, info, bytes; /* panels: those with pivots */

  template <class T, int W> static lu_shared_layout of(int m, int n, int warps)
  {
    lu_shared_layout at;
    const int k = m < n ? m : n;
    const auto aligned = [](int64_t x) { return (x + 15) / 16 * 16; };
    at.m = m;
    at.panels = (int)ceil_div(k, W);
    const int64_t barriers = aligned((int64_t)sizeof(T) * m * k), scratch = aligned(barriers + look_ahead::bytes),
                  places = scratch + (int64_t)sizeof(lu_shared_scratch<T, W>) * warps, pivots = places + at.panels * m,
                  info = aligned(pivots + k), bytes = info + 16;
    at.bytes = bytes < INT_MAX ? (int)bytes : INT_MAX;
    at.barriers = (int)barriers;
    at.scratch = (int)scratch;
    at.places = (int)places;
    at.pivots = (int)pivots;
    at.info = (int)info;
    return at;
  }
};

/* A thread's view of its block's matrix and shared memory, and R rows x W columns of a panel. */
template <class T, int R> struct lu_shared {
  static constexpr int W = lu_shared_width<T, R>, G = LU_SHARED_GROUP, V = pack<T>::size;
  static constexpr unsigned NUMBERS = R > 4   ? 255
                                      : R > 2 ? 127
                                              : 63,
                            SIZES = 0x7fffffffu & ~NUMBERS; /* bits of |x|'s
                                                                         * high word: row number, size */
  using scratch = lu_shared_scratch<T, W>;
  const lu_shared_layout &at;
  T *const a, *const history;
  scratch *const own;
  const int64_t lda;
  const int m, n, k, lane; /* k: number of pivots */

  T x[R][W];
  int place[R]; /* row's position after the exchanges so far; -1: no row */

  /* Search for the next pivot: keys of this lane's elements, the largest of them and of the warp, 1 / x of this lane's
   * best; `doubts`: the keys do not decide. */
  unsigned key[R], best, top, doubts;
  T inverse;
  unsigned live; /* bit r: row r may still become a pivot row */
  int info;

  __device__ __forceinline__ lu_shared(const lu_shared_layout &at, T *a, int64_t lda, int m, int n, int warp)
      : at(at), a(a), history(shared_array<T>()), own(reinterpret_cast<scratch *>(memory() + at.scratch) + warp),
        lda(lda), m(m), n(n), k(min(m, n)), lane(threadIdx.x % 32), live(0), info(0)
  {
  }
  static __device__ __forceinline__ unsigned char *memory()
  {
    return shared_array<unsigned char>();
  }
  __device__ __forceinline__ int row(int r) const
  {
    return 32 * r + lane;
  }
  /* Places of the rows after panel K. */
  __device__ __forceinline__ unsigned char *places(int K) const
  {
    return memory() + at.places + K * at.m;
  }
  /* pivots()[j]: the row of A that is row j of U. */
  __device__ __forceinline__ unsigned char *pivots() const
  {
    return memory() + at.pivots;
  }
  __device__ __forceinline__ int *first_bad() const
  {
    return reinterpret_cast<int *>(memory() + at.info);
  }
  __device__ __forceinline__ void load(int J)
  {
#pragma unroll
    for (int c = 0; c < W; c++) {
      const T *p = a + (int64_t)(J * W + c) * lda;
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c] = row(r) < m && J * W + c < n ? p[row(r)] : make<T>(0);
    }
  }
  __device__ __forceinline__ void load_places(int K)
  {
#pragma unroll
    for (int r = 0; r < R; r++) place[r] = row(r) >= m ? -1 : K < 0 ? row(r) : places(K)[row(r)];
  }

  /* ---------------------------------------------------------------- updates by earlier panels */

  /* L11 of columns k0 .. k0 + count - 1, and the rows of this panel that belong to it. */
  __device__ __forceinline__ void gather(int k0, int count) const
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int i = place[r] - k0;
      const unsigned to = shared_address(own->rows[0]) + i * W * (int)sizeof(T);
#pragma unroll
      for (int c = 0; c < W; c += V) store_pack_if((unsigned)i < (unsigned)G, to + c * (int)sizeof(T), x[r] + c);
    }
#pragma unroll
    for (int e = 0; e < G * G; e += 32) {
      const int i = (e + lane) / G, j = lane % G;
      if (j < i && i < count) own->triangle[i][j] = history[(k0 + j) * at.m + pivots()[k0 + i]];
    }
    __syncwarp();
  }
  /* U = L11^-1 A1 by substitution, a column per lane; stores it. */
  __device__ __forceinline__ void solve(int J, int k0, int count) const
  {
    if (lane < W) {
      T y[G];
#pragma unroll
      for (int i = 0; i < G; i++) y[i] = own->rows[i][lane];
#pragma unroll
      for (int i = 1; i < G; i++) {
#pragma unroll
        for (int j = 0; j < i; j++) y[i] = mad(-own->triangle[i][j], y[j], y[i]);
      }
      T *p = a + k0 + (int64_t)(J * W + lane) * lda;
#pragma unroll
      for (int i = 0; i < G; i++) {
        if (i > 0) own->rows[i][lane] = y[i];
        if (i < count && J * W + lane < n) p[i] = y[i];
      }
    }
    __syncwarp();
  }
  /* A2 -= L21 U */
  __device__ __forceinline__ void subtract(int k0, int count)
  {
    const T *p = history + k0 * at.m + lane;
#pragma unroll 2
    for (int i = 0; i < count; i++, p += at.m) {
      T l[R];
#pragma unroll
      for (int r = 0; r < R; r++) l[r] = row(r) < m ? -p[32 * r] : make<T>(0);
#pragma unroll
      for (int c = 0; c < W; c += V) {
        const pack<T> u = *reinterpret_cast<const pack<T> *>(own->rows[i] + c);
#pragma unroll
        for (int v = 0; v < V; v++)
#pragma unroll
          for (int r = 0; r < R; r++) x[r][c + v] = mad(l[r], u.x[v], x[r][c + v]);
      }
    }
    __syncwarp();
  }
  __device__ __forceinline__ void apply(int J, int K)
  {
    load_places(K);
#pragma unroll 1
    for (int k0 = K * W; k0 < min(K * W + W, k); k0 += G) {
      const int count = min((int)G, k - k0);
      gather(k0, count);
      solve(J, k0, count);
      subtract(k0, count);
    }
  }

  /* ---------------------------------------------------------------- columns of a panel */

  /* Searches column 0 of what is left. */
  __device__ __forceinline__ void search()
  {
    unsigned size[R];
    T value[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      key[r] = size[r] = live >> r & 1 ? (high_word(x[r][0]) & SIZES) | row(r) : 0;
      value[r] = x[r][0];
    }
#pragma unroll
    for (int half = R > 4 ? 4 : R > 2 ? 2 : 1; half > 0; half /= 2)
#pragma unroll
      for (int r = 0; r < half; r++)
        if (r + half < R) {
          value[r] = select(size[r + half] > size[r], value[r + half], value[r]);
          size[r] = max(size[r + half], size[r]);
        }
    best = size[0];
    top = max_of_lanes<32>(best);
    inverse = inverse_of(value[0]);
    bool near = false;
#pragma unroll
    for (int r = 0; r < R; r++) near = near || (key[r] ^ top) - 1 < NUMBERS;
    doubts = __ballot_sync(all_lanes, near) | !is_usual_pivot<T>(top);
  }
  /* Exact choice where sizes nearly tie or are exceptional; divides by an exceptional pivot here, not at all by
   * zero. */
  __device__ __forceinline__ void settle(int j)
  {
    pivot_key first = {0, 0, INT_MAX};
    int chosen = 0;
    T value = make<T>(1);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const pivot_key other = key_of(x[r][0], place[r], j, place[r] >= j);
      if (comes_first(other, first)) {
        first = other;
        chosen = r;
        value = x[r][0];
      }
    }
    const int found = best_lane<32>(first);
    const T d = shuffle(value, found);
    top = __shfl_sync(all_lanes, (first.high & SIZES) | row(chosen), found);
    best = lane == found ? top : ~top;
#pragma unroll
    for (int r = 0; r < R; r++) key[r] = lane == found && chosen == r ? top : ~top;
    inverse = inverse_of(d);
    if (is_usual_pivot<T>(high_word(d))) return;
    inverse = make<T>(1);
    if (is_bad_pivot(d) && !info) info = j + 1;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (key[r] != top && d != make<T>(0)) x[r][0] = divide_rarely(x[r][0], d);
  }
  /* Column j, step S of panel J, of which at most LEFT columns are left. Returns where the pivot row was. */
  template <int LEFT> __device__ __forceinline__ int step(int j, int S, int J)
  {
    if (doubts) settle(j);
    const T *const line = own->lines[S % 2].x;
    const unsigned to = shared_address(line);
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < LEFT; c += V) store_pack_if(key[r] == top, to + c * (int)sizeof(T), x[r] + c);
    const T inverses[V] = {inverse};
    store_pack_if(best == top, to + W * (int)sizeof(T), inverses);
    const int number = top & NUMBERS;
    live = lane == number % 32 ? live & ~(1u << number / 32) : live;
    int from = place[0];
#pragma unroll
    for (int r = 1; r < R; r++) from = select(number / 32 == r, place[r], from);
    from = __shfl_sync(all_lanes, from, number % 32);
    __syncwarp();
    const T by = line[W], element = line[lane % W];
    T u[LEFT], l[R];
#pragma unroll
    for (int c = 0; c < LEFT; c += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(line + c);
#pragma unroll
      for (int v = 0; v < V; v++) u[c + v] = p.x[v];
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
      l[r] = x[r][0] * by;
      x[r][0] = mad(-l[r], u[1], x[r][1]);
    }
    search();
#pragma unroll
    for (int r = 0; r < R; r++) place[r] = place[r] == from ? j : place[r] == j ? from : place[r];
    T *const column = history + j * at.m + lane;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (row(r) < m) column[32 * r] = l[r];
    if (lane < W - S && J * W + S + lane < n) a[j + (int64_t)(j + lane) * lda] = element;
    if (lane == 0) pivots()[j] = (unsigned char)number;
#pragma unroll
    for (int c = 2; c < LEFT; c++)
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c - 1] = mad(-l[r], u[c], x[r][c]);
    return from;
  }
  __device__ __forceinline__ void factor(int J, int *ipiv, const look_ahead &order)
  {
    const int first = J * W, count = min((int)W, k - first);
    load_places(J - 1);
    info = 0;
    live = 0;
#pragma unroll
    for (int r = 0; r < R; r++) live |= (unsigned)(place[r] >= first) << r;
    search();
    int pivot = 0;
#pragma unroll 1
    for (int S = 0; S < min(count, W / 2); S++) {
      const int from = step<W>(first + S, S, J);
      pivot = lane == S ? from : pivot;
    }
#pragma unroll 1
    for (int S = W / 2; S < count; S++) {
      const int from = step<W / 2>(first + S, S, J);
      pivot = lane == S ? from : pivot;
    }
#pragma unroll
    for (int r = 0; r < R; r++)
      if (row(r) < m) places(J)[row(r)] = (unsigned char)place[r];
    if (lane == 0 && info && !*first_bad()) *first_bad() = info;
    order.finish(J);
    if (lane < count) ipiv[first + lane] = pivot + 1;
  }

  /* ---------------------------------------------------------------- the matrix */

  /* Stores L, as warp `warp` of `warps`, once the order of its rows is final. */
  __device__ __forceinline__ void store(int warp, int warps)
  {
    load_places((k - 1) / W);
#pragma unroll 2
    for (int j = warp; j < k; j += warps) {
      T *p = a + (int64_t)j * lda;
#pragma unroll
      for (int r = 0; r < R; r++)
        if (place[r] > j) p[place[r]] = history[j * at.m + row(r)];
    }
  }
  __device__ __forceinline__ void run(int *ipiv, const look_ahead &order)
  {
    const int panels = (k + W - 1) / W;
#pragma unroll 1
    for (int J = order.warp; J * W < n; J += order.warps) {
      load(J);
      const int column = (J + order.warps) * W + lane;
      if (lane < W && column < n) prefetch(a + (int64_t)column * lda, m);
#pragma unroll 1
      for (int K = 0; K < min(J, panels); K++) {
        order.wait(K, J);
        apply(J, K);
      }
      if (J < panels) factor(J, ipiv, order);
    }
    __syncthreads();
    store(order.warp, order.warps);
  }
};

template <class T, int R>
__global__ void __launch_bounds__(32 * look_ahead::most_warps, lu_shared_blocks<T, R>)
  getrf_panels_shared(batch<T> a, int *__restrict__ ipiv, int npivots, int *__restrict__ info,
                      const lu_shared_layout at)
{
  constexpr int W = lu_shared_width<T, R>;
  unsigned char *const memory = shared_array<unsigned char>();
  int *const first_bad = reinterpret_cast<int *>(memory + at.info);
  look_ahead order(memory + at.barriers);
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b), k = min(m, n);
    if (threadIdx.x == 0) *first_bad = 0;
    __syncthreads();
    if (k > 0) lu_shared<T, R>(at, a.at(b), a.leading(b), m, n, order.warp).run(ipiv + b * npivots, order);
    if (threadIdx.x == 0) info[b] = *first_bad;
    __syncthreads();
    order.end_matrix((k + W - 1) / W);
  }
}

/* ------------------------------------------------------------------ launching */

/* Calls f with the least R that holds m rows. */
template <class T, class F> int with_lu_shared_rows(int m, F f)
{
  if (m <= 64) return f(std::integral_constant<int, 2>());
  if (m <= 96) return f(std::integral_constant<int, 3>());
  if (m <= 128) return f(std::integral_constant<int, 4>());
  if constexpr (lu_shared_rows<T> >= 6)
    if (m <= 192) return f(std::integral_constant<int, 6>());
  if constexpr (lu_shared_rows<T> >= 8)
    if (m <= 256) return f(std::integral_constant<int, 8>());
  return BATCHED_NO_VARIANT;
}

template <class T> bool lu_shared_fits(int m, int n)
{
  return m > 0 && n > 0 && with_lu_shared_rows<T>(m, [&](auto rows) {
                             constexpr int W = lu_shared_width<T, decltype(rows)::value>;
                             const int bytes = lu_shared_layout::of<T, W>(m, n, 1).bytes;
                             return (size_t)bytes <= most_shared() ? 1 : 0;
                           }) == 1;
}

template <class T> int launch_getrf_panels_shared(batched_ctx *ctx, const batched_getrf_args &p)
{
  const batch<T> a = view<T>(p.a);
  return with_lu_shared_rows<T>(a.m, [&](auto rows) {
    constexpr int R = decltype(rows)::value, W = lu_shared_width<T, R>;
    const int npivots = a.m < a.n ? a.m : a.n;
    const auto bytes = [&](int warps) { return lu_shared_layout::of<T, W>(a.m, a.n, warps).bytes; };
    const int warps =
      look_ahead_warps((int)ceil_div(a.n, W), LU_SHARED_WARPS, lu_shared_blocks<T, R> * look_ahead::most_warps, bytes);
    const auto at = lu_shared_layout::of<T, W>(a.m, a.n, warps);
    return launch(ctx, getrf_panels_shared<T, R>, a.count, 32 * warps, at.bytes, a, p.ipiv, npivots, p.info, at);
  });
}

} // namespace batched_cuda::lu

#endif
