/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp_tc of getrf: LU with partial pivoting of matrices up to 64 x 64, a warp each.
 *
 * With e = max(m, n) - 32: factors the first e columns in registers, two rows per lane; updates the other columns, 16
 * at a time, on the tensor cores (U = L11^-1 A1 by inverses of 8 x 8 unit triangles, A2 -= L21 U); then factors what is
 * left, the corner, at most 32 x 32, with a row per lane. Rows do not move until they are stored: a lane tracks where
 * its rows belong (their places). Finished columns and pivot rows go to shared memory. Single
 * precision is factored as it is, and only updates are in double precision; complex numbers take four real products.
 *
 * grid      a block per matrix (grid-stride over the batch)
 * block     a warp; 16, 12 or 8 blocks per SM for e <= 8, 16, 32 (s 20, 20, 12; c 12, 10, 8; z 8)
 * shared    the corner, triangles, the order of rows, and a tile of the first columns
 * takes     all four types, m, n <= 64 (z 40), uniform and variable
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN)
 * accuracy  |P L U - A| < 30 n eps |A|
 */
#ifndef BATCHED_LU_CUDA_GETRF_WARP_TC_CUH
#define BATCHED_LU_CUDA_GETRF_WARP_TC_CUH

#include <type_traits>

#include "batched/lu/cuda/warp_panel.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/lu/cuda/getrf_lanes.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

/* ------------------------------------------------------------------ columns in registers */

/* Outcome of an exact search for the pivot: its row, 1 / pivot (1 if exceptional), and the column's elements,
 * already divided if exceptional. */
template <class T, int R> struct lu_choice {
  T x[R], inverse;
  int number;
  bool is_bad;
};

template <class T, int R>
static __device__ __noinline__ lu_choice<T, R> settle_rows(lu_choice<T, R> choice, int place_x, int place_y, int k)
{
  const pivot_key first = key_of(choice.x[0], place_x, k, true), second = key_of(choice.x[R - 1], place_y, k, R > 1);
  const bool own = comes_first(second, first);
  const int found = best_lane<32>(own ? second : first);
  const T d = shuffle(select(own, choice.x[R - 1], choice.x[0]), found);
  choice.number = __shfl_sync(all_lanes, (int)threadIdx.x % 32 + 32 * own, found);
  choice.is_bad = false;
  if (is_usual_pivot<T>(high_word(d))) {
    choice.inverse = inverse_of(d);
    return choice;
  }
  choice.inverse = make<T>(1);
  choice.is_bad = is_bad_pivot(d);
#pragma unroll
  for (int r = 0; r < R; r++)
    if (d != make<T>(0) && choice.number != (int)threadIdx.x % 32 + 32 * r) choice.x[r] = divide_rarely(choice.x[r], d);
  return choice;
}

/* LU of at most 32 R x N elements by a warp, R rows per lane. One code does 8 columns, as instructions must stay in
 * their cache: columns move left as they are done. */
template <class T, int R, int N> struct lu_rows {
  static constexpr int LD = N + 2;                                                /* of the tile, by rows */
  static constexpr unsigned NUMBERS = 32 * R - 1, SIZES = 0x7fffffffu & ~NUMBERS; /* bits of |x|'s high word: row
                                                                                   * number, size */
  struct alignas(2 * sizeof(T)) pair {
    T x, y;
  };
  T x[R][N]; /* from the next column on */
  T *const tile, *const inverses;
  int place[R]; /* -1: no such row */
  int n, last, lane;
  int odd;            /* column k is element k + odd of a tile's row, so that the last 8, 16, ... columns are aligned in
            * pairs */
  int pivot[R], info; /* pivot[r]: entry 32 r + lane of ipiv */
  unsigned top;
  bool doubts;
  T inverse;

  __device__ __forceinline__ lu_rows(T *tile, T *inverses, int m, int n)
      : tile(tile), inverses(inverses), n(n), last(min(m, n)), lane(threadIdx.x % 32), odd(n % 2), info(0)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      place[r] = 32 * r + lane < m ? 32 * r + lane : -1;
      pivot[r] = 0;
    }
  }
  __device__ __forceinline__ T *row(int r) const
  {
    return tile + (32 * r + lane) * LD;
  }
  __device__ __forceinline__ void load(const T *a, int64_t ld)
  {
    const T *p = a + lane - odd * ld;
#pragma unroll
    for (int c = 0; c < N; c++, p += ld)
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c] = place[r] >= 0 && c >= odd && c < n + odd ? p[32 * r] : make<T>(0);
#pragma unroll
    for (int r = 0; r < R; r++)
      if (odd && place[r] >= 0) row(r)[0] = make<T>(0);
  }
  /* Reads the rows from the tile. */
  __device__ __forceinline__ void fetch()
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < N; c += 2) {
        const pair v = *reinterpret_cast<const pair *>(row(r) + c);
        x[r][c] = v.x;
        x[r][c + 1] = v.y;
      }
    __syncwarp();
  }
  __device__ __forceinline__ void store(T *a, int64_t ld) const
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (place[r] < 0) continue;
      T *p = a + place[r] - odd * ld;
#pragma unroll
      for (int c = 0; c < N; c += 2, p += 2 * ld) {
        const pair v = *reinterpret_cast<const pair *>(row(r) + c);
        if (c >= odd && c < n + odd) *p = v.x;
        if (c + 1 < n + odd) p[ld] = v.y;
      }
    }
  }
  /* Searches the pivot of column k, which is x[.][j]. */
  template <int j> __device__ __forceinline__ void search(int k)
  {
    unsigned high[R];
    bool near = false;
#pragma unroll
    for (int r = 0; r < R; r++) high[r] = place[r] >= k ? (high_word(x[r][j]) & SIZES) | (lane + 32 * r) : 0;
    top = max_of_lanes<32>(max(high[0], high[R - 1]));
    inverse = inverse_of(select(high[R - 1] > high[0], x[R - 1][j], x[0][j]));
#pragma unroll
    for (int r = 0; r < R; r++) near = near || (high[r] ^ top) - 1 < NUMBERS;
    doubts = __any_sync(all_lanes, near) || !is_usual_pivot<T>(top);
  }
  template <int j> __device__ __forceinline__ void settle(int k)
  {
    lu_choice<T, R> choice;
#pragma unroll
    for (int r = 0; r < R; r++) choice.x[r] = x[r][j];
    choice = settle_rows<T, R>(choice, place[0], place[R - 1], k);
#pragma unroll
    for (int r = 0; r < R; r++) x[r][j] = choice.x[r];
    inverse = choice.inverse;
    top = choice.number;
    if (choice.is_bad && !info) info = k + 1;
  }
  /* Column k, x[.][S] of at most W left. Even steps update the columns behind; odd steps also move them left by two. */
  template <int W, int S> __device__ __forceinline__ void step(int k)
  {
    if (doubts) settle<S>(k);
    const int left = n - k + S;
    const int number = top & NUMBERS, from = __shfl_sync(all_lanes, number < 32 ? place[0] : place[R - 1], number % 32);
    T *line = tile + number * LD + k + odd - S;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (number == lane + 32 * r) {
        inverses[S] = inverse;
        if (S == 1) line[1] = x[r][1];
#pragma unroll
        for (int c = 2 * S; c < W; c += 2)
          if (c <= W - 8 || c < left) *reinterpret_cast<pair *>(line + c) = {x[r][c], x[r][c + 1]};
      }
    __syncwarp();
    const T by = inverses[S], next = line[S + 1];
    T l[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      place[r] = place[r] == from ? k : place[r] == k ? from : place[r];
      l[r] = x[r][S] * by;
      x[r][1 - S] = mad(-l[r], next, x[r][S + 1]);
      pivot[r] = lane + 32 * r == k ? from + 1 : pivot[r];
    }
    search<1 - S>(k + 1);
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] > k) row(r)[k + odd] = l[r];
#pragma unroll
    for (int c = 2; c < W; c += 2) {
      pair u = {};
      if (c <= W - 8 || c < left) u = *reinterpret_cast<const pair *>(line + c);
#pragma unroll
      for (int r = 0; r < R; r++) {
        if (c > S + 1) x[r][c - 2 * S] = mad(-l[r], u.x, x[r][c]);
        x[r][c + 1 - 2 * S] = mad(-l[r], u.y, x[r][c + 1]);
      }
    }
  }
  /* Columns from k on while more than W - 8 are left, then the rest. */
  template <int W> __device__ __forceinline__ void steps(int k)
  {
    if constexpr (W > 0) {
      const int end = min(n - W + 8, last);
#pragma unroll 1
      for (; k < end; k += 2) {
        step<W, 0>(k);
        if (k + 1 == last) return;
        step<W, 1>(k + 1);
      }
      if (k < last) steps<W - 8>(k);
    }
  }
  __device__ __forceinline__ void factor()
  {
    if (odd) {
      search<1>(0);
      step<N, 1>(0);
    } else {
      search<0>(0);
    }
    if (odd < last) steps<N>(odd);
    __syncwarp();
  }
};

/* ------------------------------------------------------------------ the kernel */

/* Rows of the corner; columns per update. */
enum { LU_CORNER = 32, LU_CORNER_COLUMNS = 16 };

/* Blocks per SM. */
template <class T, int E>
constexpr int lu_corner_blocks = sizeof(T) == 4    ? (E == 8    ? 20
                                                      : E == 16 ? 20
                                                                : 12)
                                 : sizeof(T) == 16 ? 8
                                 : is_complex<T>   ? (E == 8    ? 12
                                                      : E == 16 ? 10
                                                                : 8)
                                 : E == 8          ? 16
                                 : E == 16         ? 12
                                                   : 8;

/* Numbers in products are double: real and imaginary parts in planes. */
template <class T> constexpr int lu_planes = is_complex<T> ? 2 : 1;
template <int P>
static __device__ __forceinline__ void multiply_planes(double (&d)[P][4], const double (&a)[P][4],
                                                       const double (&b)[P][2])
{
  multiply_16x8x8(d[0], a[0], b[0]);
  if constexpr (P == 2) {
    const double minus[2] = {-b[1][0], -b[1][1]};
    multiply_16x8x8(d[0], a[1], minus);
    multiply_16x8x8(d[1], a[0], b[1]);
    multiply_16x8x8(d[1], a[1], b[0]);
  }
}

/* Shared memory: the corner; inverses of diagonal unit triangles and of pivots; order[i]: the row in place i after
 * the first columns. The tile of the first columns follows. */
template <class T, int E> struct alignas(16) lu_corner_memory {
  T corner[LU_CORNER][E == 32 ? lu_rows<T, 1, LU_CORNER>::LD : sizeof(shared_row<T, LU_CORNER>) / sizeof(T)];
  double triangles[E / 8][lu_planes<T>][64];
  T inverses[2];
  unsigned char order[2 * LU_CORNER];
};

/* At most E columns come first. In products lane 4 g + t holds rows 2 t and 2 t + 1 of 8, columns g (d[0], d[1]) and
 * g + 8 (d[2], d[3]) of 16, so that a product is the first operand of the next. */
template <class T, int E> struct lu_corner {
  using memory = lu_corner_memory<T, E>;
  using rows = lu_rows<T, 2, E>;
  using pair = typename rows::pair;
  static constexpr int P = lu_planes<T>;
  using wide = std::conditional_t<P == 2, complex<double>, double>;
  static constexpr int BLOCKS = E / 8, LD = rows::LD;
  memory *const at;
  T *const tile, *const a;
  const int64_t ld;
  const int m, n, first, pivots; /* columns and pivots that come first */
  const int odd, lane, g, t;     /* odd: as in lu_rows */

  __device__ __forceinline__ lu_corner(memory *at, T *a, int64_t ld, int m, int n)
      : at(at), tile(reinterpret_cast<T *>(at + 1)), a(a), ld(ld), m(m), n(n),
        first(min(max(max(m, n) - LU_CORNER, 0), n)), pivots(min(first, m)), odd(first % 2), lane(threadIdx.x % 32),
        g(lane / 4), t(lane % 4)
  {
  }
  __device__ __forceinline__ void list(const rows &lu) const
  {
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const int row = lane + 32 * r;
      at->order[lu.place[r] >= 0 ? lu.place[r] : row] = (unsigned char)(lu.place[r] >= 0 ? row : 0);
    }
    __syncwarp();
  }
  static __device__ __forceinline__ wide widen(T x)
  {
    return make<wide>(real(x), imag(x));
  }
  /* Element e of an accumulator as a number of the matrix. */
  static __device__ __forceinline__ T narrow(const double (&d)[P][4], int e)
  {
    return make<T>((real_of<T>)d[0][e], (real_of<T>)d[P - 1][e]);
  }
  static __device__ __forceinline__ void spread(double (&d)[P][4], int e, T x)
  {
    d[0][e] = real(x);
    if constexpr (P == 2) d[1][e] = imag(x);
  }
  /* Inverts the diagonal unit triangles: 8 lanes each, a column per lane. */
  __device__ __forceinline__ void invert() const
  {
    const int k = lane / 8, c = lane % 8;
    if (k < BLOCKS) {
      wide y[8];
#pragma unroll
      for (int i = 0; i < 8; i++) {
        const int place = 8 * k + i - odd;
        const bool exists = place >= 0 && place < pivots;
        const T *row = tile + (exists ? at->order[place] : 0) * LD + 8 * k;
        y[i] = make<wide>(i == c);
#pragma unroll
        for (int j = 0; j < i; j++) y[i] = mad(exists ? -widen(row[j]) : make<wide>(0), y[j], y[i]);
        at->triangles[k][0][8 * i + c] = real(y[i]);
        if constexpr (P == 2) at->triangles[k][1][8 * i + c] = imag(y[i]);
      }
    }
    __syncwarp();
  }
  /* Columns c0 + g and c0 + 8 + g of the rows at places i and j, zero unless begin <= place < end. */
  __device__ __forceinline__ void load(double (&d)[P][4], int c0, int i, int j, int begin, int end) const
  {
    const int places[2] = {i, j};
#pragma unroll
    for (int v = 0; v < 2; v++) {
      const bool exists = places[v] >= begin && places[v] < end;
      const T *p = a + at->order[max(places[v], 0)] + (c0 + g) * ld;
      spread(d, v, exists && c0 + g < n ? *p : make<T>(0));
      spread(d, 2 + v, exists && c0 + 8 + g < n ? p[8 * ld] : make<T>(0));
    }
  }
  /* Block k of U: stores it and returns -U^T as first operand. */
  __device__ __forceinline__ void solve(const double (&x)[P][4], int k, int c0, double (&u)[P][4]) const
  {
    double f[P][4], b[P][2], d[P][4] = {};
#pragma unroll
    for (int p = 0; p < P; p++) {
      const double2 y = reinterpret_cast<const double2 *>(at->triangles[k][p])[lane];
      b[p][0] = y.x;
      b[p][1] = y.y;
#pragma unroll
      for (int e = 0; e < 4; e++) f[p][e] = x[p][e / 2 + e % 2 * 2];
    }
    multiply_planes(d, f, b);
    const int place = 8 * k + 2 * t - odd;
    T *p = a + place + (c0 + g) * ld;
#pragma unroll
    for (int v = 0; v < 2; v++) {
      const bool exists = place + v >= 0 && place + v < pivots;
      if (exists && c0 + g < n) p[v] = narrow(d, v);
      if (exists && c0 + 8 + g < n) p[8 * ld + v] = narrow(d, 2 + v);
    }
#pragma unroll
    for (int p = 0; p < P; p++)
#pragma unroll
      for (int e = 0; e < 4; e++) u[p][e] = -d[p][e / 2 + e % 2 * 2];
  }
  /* 8 rows -= L U(k), with row g of L at `place`. */
  __device__ __forceinline__ void subtract(double (&d)[P][4], const double (&u)[P][4], int place, int k) const
  {
    const int c = 8 * k + 2 * t;
    double b[P][2] = {};
    if (c < first + odd) {
      const pair l = *reinterpret_cast<const pair *>(tile + at->order[place] * LD + c);
      b[0][0] = real(l.x);
      b[0][1] = real(l.y);
      if constexpr (P == 2) b[1][0] = imag(l.x), b[1][1] = imag(l.y);
    }
    multiply_planes(d, u, b);
  }
  /* Updates columns c0 .. c0 + 15 of U and of the corner; of 8 rows lane 4 g + t holds rows t and t + 4. */
  __device__ __forceinline__ void update(int c0) const
  {
    double x[BLOCKS][P][4], d[LU_CORNER / 8][P][4];
#pragma unroll
    for (int k = 0; k < BLOCKS; k++) {
      const int place = 8 * k + 2 * t - odd;
      load(x[k], c0, place, place + 1, 0, pivots);
    }
#pragma unroll
    for (int i = 0; i < LU_CORNER / 8; i++) {
      const int place = first + 8 * i + t;
      load(d[i], c0, place, place + 4, first, m);
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < BLOCKS; k++) {
      if (8 * k >= first + odd) break;
      double u[P][4];
      solve(x[k], k, c0, u);
#pragma unroll
      for (int j = k + 1; j < BLOCKS; j++) subtract(x[j], u, 8 * j + g - odd, k);
#pragma unroll
      for (int i = 0; i < LU_CORNER / 8; i++) subtract(d[i], u, first + 8 * i + g / 2 + g % 2 * 4, k);
    }
    if (first >= m) return;
#pragma unroll
    for (int i = 0; i < LU_CORNER / 8; i++)
#pragma unroll
      for (int v = 0; v < 2; v++) {
        T *p = at->corner[8 * i + t + 4 * v] + c0 - first + shift() + g;
        p[0] = narrow(d[i], v);
        p[8] = narrow(d[i], 2 + v);
      }
  }
  /* Rows of the corner are aligned in pairs, as must be the last 8, 16, ... columns where lu_rows factors it. */
  __device__ __forceinline__ int shift() const
  {
    return E == 32 ? (n - first) % 2 : 0;
  }
  /* Returns the place of this lane's row of the corner. */
  __device__ __forceinline__ int factor_corner(int *ipiv, int *info) const
  {
    T *const p = a + first + first * ld;
    if constexpr (E == 32) {
      lu_rows<T, 1, LU_CORNER> lu(at->corner[0], at->inverses, m - first, n - first);
      lu.fetch();
      lu.factor();
      lu.store(p, ld);
      if (lane < lu.last) ipiv[first + lane] = first + lu.pivot[0];
      *info = lu.info ? first + lu.info : 0;
      return lu.place[0];
    } else {
      lanes_lu<T, LU_CORNER> lu(lane, lane, m - first, n - first);
      auto *lines = reinterpret_cast<lanes_lines<T, LU_CORNER> *>(at->corner);
      lu.fetch(lines);
      lu.factor(lines);
      lu.store(p, ld, lines);
      if (lane < lu.steps) ipiv[first + lane] = first + lu.pivot;
      *info = lu.info ? first + lu.info : 0;
      return lu.place;
    }
  }
  /* Returns the number of the first pivot that is zero or NaN, or 0. */
  __device__ __forceinline__ int factor(int *ipiv) const
  {
    rows lu(tile, at->inverses, m, first);
    lu.load(a, ld);
    lu.factor();
    list(lu);
    invert();
#pragma unroll 1
    for (int c0 = first; c0 < n; c0 += LU_CORNER_COLUMNS) update(c0);
    __syncwarp();
    int info = 0, place = 0;
    if (first < m && first < n) place = factor_corner(ipiv, &info);
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const int last = __shfl_sync(all_lanes, place, max(lu.place[r] - first, 0) % 32);
      if (lu.place[r] >= first && first < n) lu.place[r] = first + last;
      if (lane + 32 * r < pivots) ipiv[lane + 32 * r] = lu.pivot[r];
    }
    lu.store(a, ld);
    __syncwarp();
    return lu.info ? lu.info : info;
  }
};

template <class T, int E>
__global__ void __launch_bounds__(32, lu_corner_blocks<T, E>)
  getrf_warp_tc(batch<T> a, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  auto *memory = shared_array<lu_corner_memory<T, E>>();
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b);
    int found = 0;
    if (m > 0 && n > 0) found = lu_corner<T, E>(memory, a.at(b), a.leading(b), m, n).factor(ipiv + b * npivots);
    if (threadIdx.x == 0) info[b] = found;
  }
}

template <class T> int launch_getrf_warp_tc(batched_ctx *ctx, const batched_getrf_args &p)
{
  const batch<T> a = view<T>(p.a);
  const int first = (a.m > a.n ? a.m : a.n) - LU_CORNER, npivots = a.m < a.n ? a.m : a.n;
  const auto go = [&](auto kernel, size_t memory, int ld) {
    return launch(ctx, kernel, a.count, 32, memory + a.m * ld * sizeof(T), a, p.ipiv, npivots, p.info);
  };
  if (first <= 8) return go(getrf_warp_tc<T, 8>, sizeof(lu_corner_memory<T, 8>), lu_rows<T, 2, 8>::LD);
  if constexpr (sizeof(T) < 16) {
    if (first <= 16) return go(getrf_warp_tc<T, 16>, sizeof(lu_corner_memory<T, 16>), lu_rows<T, 2, 16>::LD);
    return go(getrf_warp_tc<T, 32>, sizeof(lu_corner_memory<T, 32>), lu_rows<T, 2, 32>::LD);
  }
  return BATCHED_DOES_NOT_FIT;
}

} // namespace batched_cuda::lu

#endif
