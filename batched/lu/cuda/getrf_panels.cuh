/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.panels and cuda.blocked of getrf: LU with partial pivoting of one matrix per block, left-looking by panels
 * of W = 16 columns (W = 8 in complex<double>), L kept in shared memory.
 *
 * For each panel J: read its columns in the current order of rows; for each earlier panel K, U(K,J) = L(K,K)^-1 A(K,J)
 * by the inverse of the unit triangle, A(i,J) -= L(i,K) U(K,J); then the W columns in registers, two rows per thread,
 * one barrier per column (left-looking LU: Golub and Van Loan, Matrix Computations, 4th ed., 3.2 and 3.4). A is read
 * and written once. Rows never move inside a panel: a thread knows where its rows belong (their places). In double
 * precision the products run on the tensor cores.
 *
 * grid      a block per matrix (grid-stride over the batch)
 * block     a warp per 64 rows, at most 256 threads
 * shared    L of all panels but the last (their histories), inverses of the unit triangles, buffers: lu_layout
 * takes     all four types, m <= 512, any n, uniform and variable; with `limit` the first columns alone (cuda.blocked)
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN; nothing is divided by a zero)
 * accuracy  |P L U - A| < 30 n eps |A|; inverses of unit triangles cost digits where nearly all of L is near -1
 *
 * One kernel, in sections, each a class that adds to the one before:
 *   shared memory               lu_layout, lu_memory    what lies where, and where rows and columns are
 *   columns of a panel          lu_panel                the panel in registers: pivots, exchanges, elimination
 *   finished panels             lu_history              L and inverses of unit triangles, kept for later panels
 *   updates by earlier panels   lu_update               A(:,J) -= L(:,K) U(K,J), in double on tensor cores
 *   the kernel                  getrf_panels, launcher  the loop over panels; what fits
 */
#ifndef BATCHED_LU_CUDA_GETRF_PANELS_CUH
#define BATCHED_LU_CUDA_GETRF_PANELS_CUH

#include <type_traits>

#include "batched/cuda/compiler.cuh"
#include "batched/lu/cuda/factors.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/triangular/cuda/triangle.cuh"
#include "batched/cuda/predicated.cuh"
#include "batched/cuda/mma.cuh"

namespace batched_cuda::lu
{

/* ------------------------------------------------------------------ shared memory */

/* Rows per thread and per warp; most rows and threads of a block. */
enum { LU_ROWS = 2, LU_WARP_ROWS = 32 * LU_ROWS, LU_MOST_ROWS = 512, LU_THREADS = LU_MOST_ROWS / LU_ROWS };

/* Columns of a panel. */
template <class T> constexpr int lu_width = sizeof(T) == 16 ? 8 : 16;

/* Are the products done by tensor cores? */
template <class T> constexpr bool lu_on_tensor = std::is_same_v<T, double>;

/* The size of a matrix, and its panels of W columns. Factors the first `limit` columns, a multiple of W unless limit
 * >= min(m, n), and updates the others. */
template <int W> struct lu_size {
  int m, n, limit;

  DEVICE int pivots() const
  {
    const int k = m < n ? m : n;
    return k < limit ? k : limit;
  }
  DEVICE int panels() const
  {
    return (pivots() + W - 1) / W;
  }
  /* Panels whose L later panels need. */
  DEVICE int kept() const
  {
    const int before_last = n > 0 ? (n - 1) / W : 0;
    return panels() < before_last ? panels() : before_last;
  }
};

/* Offsets in bytes into shared memory, for matrices of at most m x n; a kernel parameter, which costs no registers.
 * A row is known by its position after the exchanges of the panels that are done; order[i] is the row of A that is
 * now row i. */
template <class T> struct lu_layout {
  static constexpr int W = lu_width<T>, V = pack<T>::size, UNITS = W / V;
  static constexpr int INVERSE = lu_on_tensor<T> ? 3 * 64 : W * W;
  using line = shared_row<T, W>;
  int m, warps;
  int inverses, blocks, products, product, keys, order, bytes;

  lu_layout(int m, int n, int limit) : m(m), warps(m < 1 ? 1 : (int)ceil_div(m, LU_WARP_ROWS))
  {
    const int kept = lu_size<W>{m, n, limit}.kept(), lines = (warps == 1 ? W : 2 * warps) * (int)sizeof(line);
    product = W * W * (int)sizeof(T) > lines ? W * W * (int)sizeof(T) : lines;
    inverses = history(kept) * W * (int)sizeof(T);
    blocks = inverses + kept * INVERSE * (int)sizeof(T);
    products = blocks + (lu_on_tensor<T> ? warps : 2) * W * W * (int)sizeof(T);
    keys = products + (warps > 1 ? 2 : 1) * product;
    order = keys + 2 * warps * (int)sizeof(pivot_key);
    bytes = order + m * (int)sizeof(unsigned short);
  }
  /* First row of panel K's history: the sum of the rows of L below the pivots over earlier panels. */
  DEVICE int history(int K) const
  {
    const int full = K < m / W ? K : m / W;
    return full * m - W * (full * (full + 1) / 2);
  }
};

/* A thread's view of its block's matrix and shared memory. */
template <class T> struct lu_memory {
  using layout = lu_layout<T>;
  using line = typename layout::line;
  static constexpr int W = layout::W, V = layout::V, UNITS = layout::UNITS, R = LU_ROWS;
  const layout &at;
  const lu_size<W> size;
  T *const a;
  const int64_t ld;
  int warp, lane;

  __device__ __forceinline__ lu_memory(const layout &at, lu_size<W> size, T *a, int64_t ld)
      : at(at), size(size), a(a), ld(ld), warp(__shfl_sync(0xffffffffu, threadIdx.x / 32, 0)), lane(threadIdx.x % 32)
  {
  }
  /* Lets everything derived from the lane number be recomputed from here on, to free registers. */
  __device__ __forceinline__ void forget()
  {
    recompute(lane);
  }
  static __device__ __forceinline__ unsigned char *memory()
  {
    return shared_array<unsigned char>();
  }
  /* Position of row r of this thread. */
  __device__ __forceinline__ int row(int r) const
  {
    return LU_WARP_ROWS * warp + 32 * r + lane;
  }
  /* Swizzled position of 16-byte unit u in row s: consecutive rows, and four units of two rows, fall into different
   * banks. */
  static __device__ __forceinline__ int turned(int s, int u)
  {
    return u ^ (UNITS == 4 ? s / 2 % 4 : s % 2 * 4 + s / 2 % 4);
  }
  /* Row s of L in panel K's history. */
  __device__ __forceinline__ pack<T> *history(int K, int s) const
  {
    return reinterpret_cast<pack<T> *>(memory()) + (at.history(K) + s) * UNITS;
  }
  __device__ __forceinline__ T *inverse(int K) const
  {
    return reinterpret_cast<T *>(memory() + at.inverses) + K * layout::INVERSE;
  }
  /* W rows of a panel: one block per warp with tensor cores, else two blocks in all. */
  __device__ __forceinline__ pack<T> *block(int i) const
  {
    return reinterpret_cast<pack<T> *>(memory() + at.blocks) + i * W * UNITS;
  }
  /* Rows of U of panel K; double-buffered, so that a warp may lag by a panel. */
  __device__ __forceinline__ T *product(int K) const
  {
    return reinterpret_cast<T *>(memory() + at.products + (at.warps > 1 ? K % 2 * at.product : 0));
  }
  /* Candidates for the pivot row of panel J, one per warp: W elements and the pivot's reciprocal, double-buffered by
   * steps. Reuses the buffer of the last product. */
  __device__ __forceinline__ line *lines(int J) const
  {
    return reinterpret_cast<line *>(product(J));
  }
  __device__ __forceinline__ pivot_key *keys() const
  {
    return reinterpret_cast<pivot_key *>(memory() + at.keys);
  }
  __device__ __forceinline__ unsigned short *order() const
  {
    return reinterpret_cast<unsigned short *>(memory() + at.order);
  }
  /* The warp that owns the pivot rows of panel K; rows of earlier warps are final by then. */
  static __device__ __forceinline__ int owner(int K)
  {
    return K * W / LU_WARP_ROWS;
  }
  /* The pivot rows of panel K, input of invert(). */
  __device__ __forceinline__ pack<T> *pivot_rows(int K) const
  {
    return block(lu_on_tensor<T> ? owner(K) : 1);
  }
  /* Prefetches panel J into L2, the rows of this warp. */
  __device__ __forceinline__ void prefetch(int J) const
  {
    constexpr int each = 128 / sizeof(T); /* elements per cache line */
    const int64_t column = (int64_t)(J * W + lane % W) * ld;
    if (J * W + lane % W < size.n)
#pragma unroll
      for (int i = lane / W * each; i < LU_WARP_ROWS; i += 32 / W * each)
        if (LU_WARP_ROWS * warp + i < size.m)
          asm volatile("prefetch.global.L2 [%0];" ::"l"(a + column + LU_WARP_ROWS * warp + i));
  }
  /* Barrier of the warps `first` and above. */
  __device__ __forceinline__ void meet(int first) const
  {
    __syncwarp();
    if (at.warps > 1) asm volatile("bar.sync 1, %0;" ::"r"(32 * (at.warps - first)) : "memory");
  }
};

/* ------------------------------------------------------------------ columns of a panel */

template <class T> struct lu_panel : lu_memory<T> {
  using base = lu_memory<T>;
  using base::a, base::at, base::lane, base::ld, base::R, base::row, base::size, base::V, base::W, base::warp;
  static constexpr unsigned SIZES = 0x7fffffc0u; /* bits of |x|'s high word that are compared; the row number is in
                                                  * the others */
  T x[R][W];
  int place[R];     /* -1: final, or no such row */
  unsigned mask[R]; /* SIZES where the row may still become a pivot row, else 0 */
  int pivot, info;  /* pivot: of column `lane` of the panel */

  /* Search for the next pivot: largest key of this lane and of the warp (size, row number in the warp), 1 / x of
   * this lane's row; `doubts`: the keys do not decide. */
  unsigned best, top, doubts;
  T inverse;

  __device__ __forceinline__ lu_panel(const lu_layout<T> &at, lu_size<lu_width<T>> size, T *a, int64_t ld)
      : base(at, size, a, ld), info(0)
  {
  }
  __device__ __forceinline__ void start(int J)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool live = row(r) >= J * W && row(r) < size.m;
      place[r] = live ? row(r) : -1;
      mask[r] = live ? SIZES : 0;
    }
  }
  template <int S> __device__ __forceinline__ void search()
  {
    if constexpr (S < W) {
      unsigned high[R];
#pragma unroll
      for (int r = 0; r < R; r++) high[r] = (high_word(x[r][S]) & mask[r]) | (lane + 32 * r);
      best = max(high[0], high[1]);
      top = max_of_lanes<32>(best);
      inverse = inverse_of(high[1] > high[0] ? x[1][S] : x[0][S]);
      const bool near = (high[0] >= (top & SIZES) && high[0] != top) || (high[1] >= (top & SIZES) && high[1] != top);
      doubts = __ballot_sync(0xffffffffu, near) | !is_usual_pivot<T>(top);
    }
  }
  /* Finds the warp's candidate for row k exactly where sizes nearly tie or are exceptional. */
  template <int S> __device__ __forceinline__ void settle(int k)
  {
    const int found = settle_pivot<32, R, T>(x[0][S], x[1][S], place[0], place[1], k);
    top = found < 0 ? ~0u : (top & SIZES) | found % 256 | found / 256 * 32;
    best = found >= 0 && lane != found % 256 ? ~top : found < 0 ? 0 : top; /* matches no other lane */
    inverse = inverse_of(found >= 256 ? x[1][S] : x[0][S]);
  }
  template <int S> static __device__ __forceinline__ void write(T *line, const T (&x)[W])
  {
#pragma unroll
    for (int c = S / V * V; c < W; c += V) {
      pack<T> p;
#pragma unroll
      for (int v = 0; v < V; v++) p.x[v] = x[c + v];
      *reinterpret_cast<pack<T> *>(line + c) = p;
    }
  }
  /* Step k, on column x[.][S] of the panel. lines, keys: the block's, from warp `first` on. alone: the block has one
   * warp and a line per step, from which restore() recovers pivot rows, so that updates need no predicate. */
  template <int S, bool alone>
  __device__ __forceinline__ void step(int k, int first, typename base::line *lines, pivot_key *keys)
  {
    const int own = alone ? S : 2 * (warp - first) + S % 2;
    if (doubts) settle<S>(k);
    const bool upper = (top & 32) == 0;
    int from = upper ? place[0] : place[1];
    if (best == top) {
      if (upper)
        write<S>(lines[own].x, x[0]);
      else
        write<S>(lines[own].x, x[1]);
      lines[own].x[W] = inverse;
      if (!alone) keys[own] = key_of_pivot(upper ? x[0][S] : x[1][S], from, k);
    }
    int winner = own;
    bool usual = is_usual_pivot<T>(top);
    if constexpr (alone) {
      __syncwarp();
      from = __shfl_sync(0xffffffffu, from, top & 31);
    } else {
      if (top == ~0u && lane == 0) keys[own] = {0, 0, INT_MAX};
      this->meet(first);
      pivot_key key = keys[S % 2];
      winner = S % 2;
#pragma unroll 1
      for (int w = S % 2 + 2; w < 2 * (at.warps - first); w += 2) {
        const pivot_key other = keys[w];
        if (comes_first(other, key)) {
          key = other;
          winner = w;
        }
      }
      from = key.row;
      usual = is_usual_pivot<T>(key.high);
    }
    const T *u = lines[winner].x;
    const T inverse = u[W];
    T l[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (place[r] == from) mask[r] = 0;
      l[r] = x[r][S] * inverse;
    }
    if (!usual) rarely(u[S], k, x[0][S], x[1][S], l);
#pragma unroll
    for (int r = 0; r < R; r++) {
      x[r][S] = alone || mask[r] ? l[r] : x[r][S];
      l[r] = -l[r];
      if constexpr (S + 1 < W) update<alone>(mask[r], l[r], u[S + 1], x[r][S + 1]);
    }
    search<S + 1>();
#pragma unroll
    for (int c = (S + 2) / V * V; c < W; c += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(u + c);
#pragma unroll
      for (int v = 0; v < V; v++)
        if (c + v > S + 1) {
#pragma unroll
          for (int r = 0; r < R; r++) update<alone>(mask[r], l[r], p.x[v], x[r][c + v]);
        }
    }
#pragma unroll
    for (int r = 0; r < R; r++) place[r] = place[r] == from ? k : place[r] == k ? from : place[r];
    if (lane == S) pivot = from;
  }

  /* key_of() for a candidate, in fewer instructions where x is neither exceptional nor NaN. */
  static __device__ __forceinline__ pivot_key key_of_pivot(T x, int row, int k)
  {
    pivot_key key = {high_word(x), 0, row};
    if constexpr (sizeof(real_of<T>) == 8) key.low = (unsigned)__double2loint(abs1(x));
    return is_usual_pivot<T>(key.high) ? key : key_of(x, row, k, true);
  }
  /* x += l u, predicated: a branch would keep the next search from overlapping the update. */
  static __device__ __forceinline__ void mad_if(unsigned mask, T l, T u, T &x)
  {
    if constexpr (std::is_same_v<T, double>)
      fma_if(mask, l, u, x);
    else if (mask)
      x = mad(l, u, x);
  }
  template <bool alone> static __device__ __forceinline__ void update(unsigned mask, T l, T u, T &x)
  {
    if constexpr (alone)
      x = mad(l, u, x);
    else
      mad_if(mask, l, u, x);
  }
  /* Divides by an exceptional pivot d: zero (left undivided), NaN, or one whose reciprocal over- or underflows. */
  __device__ __forceinline__ void rarely(T d, int k, T x, T y, T (&l)[R])
  {
    if (is_bad_pivot(d) && !info) info = k + 1;
    l[0] = d == make<T>(0) ? x : divide_rarely(x, d);
    l[1] = d == make<T>(0) ? y : divide_rarely(y, d);
  }
  template <int S, bool alone>
  __device__ __forceinline__ void steps(int J, int first, typename base::line *lines, pivot_key *keys)
  {
    if constexpr (S < W) {
      if (J * W + S >= size.pivots()) return;
      step<S, alone>(J * W + S, first, lines, keys);
      steps<S + 1, alone>(J, first, lines, keys);
    }
  }
  /* Restores each pivot row to its value when chosen; later updates of it are discarded. */
  __device__ __forceinline__ void restore(int J, const typename base::line *lines)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int i = place[r] - J * W;
      if (i < 0 || i >= W || J * W + i >= size.pivots()) continue;
#pragma unroll
      for (int c = 0; c < W; c += V) {
        const pack<T> p = *reinterpret_cast<const pack<T> *>(lines[i].x + c);
#pragma unroll
        for (int v = 0; v < V; v++)
          if (c + v >= i) x[r][c + v] = p.x[v];
      }
    }
  }
  /* Factors panel J by the warps `first` and above. ipiv is offset by `shift`, the block's first row in the caller's
   * matrix. */
  __device__ __forceinline__ void factor(int J, int first, int shift, int *ipiv)
  {
    start(J);
    search<0>();
    if (at.warps == 1) /* a launch uses one of the two: both would not fit the instruction cache */
      steps<0, true>(J, first, this->lines(J), this->keys());
    else
      steps<0, false>(J, first, this->lines(J), this->keys());
    if (at.warps == 1) restore(J, this->lines(J));
    if (warp == at.warps - 1 && lane < W && J * W + lane < size.pivots()) ipiv[J * W + lane] = shift + pivot + 1;
  }
};

/* ------------------------------------------------------------------ finished panels */

template <class T> struct lu_history : lu_panel<T> {
  using base = lu_panel<T>;
  using base::a, base::at, base::lane, base::ld, base::place, base::R, base::row, base::size, base::V, base::W,
    base::warp, base::x;

  __device__ __forceinline__ lu_history(const lu_layout<T> &at, lu_size<lu_width<T>> size, T *a, int64_t ld)
      : base(at, size, a, ld)
  {
  }
  /* Copies x[r] from (get) or to (put) a row of 16-byte units, swizzled as row s. */
  __device__ __forceinline__ void get(int r, const pack<T> *line, int s)
  {
#pragma unroll
    for (int u = 0; u < W / V; u++) {
      const pack<T> p = line[base::turned(s, u)];
#pragma unroll
      for (int v = 0; v < V; v++) x[r][V * u + v] = p.x[v];
    }
  }
  __device__ __forceinline__ void put(int r, pack<T> *line, int s) const
  {
#pragma unroll
    for (int u = 0; u < W / V; u++) {
      pack<T> p;
#pragma unroll
      for (int v = 0; v < V; v++) p.x[v] = x[r][V * u + v];
      line[base::turned(s, u)] = p;
    }
  }
  /* Stores final rows of panel J, appends its L to the history, and moves the histories of earlier panels to the new
   * order of rows. */
  __device__ __forceinline__ void keep(int J, int first)
  {
    unsigned short known[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int i = place[r] - J * W;
      known[r] = place[r] >= 0 ? this->order()[row(r)] : 0;
      if (J < size.kept() && i >= 0) put(r, i < W ? this->pivot_rows(J) + i * base::UNITS : this->history(J, i - W), i);
      if (i >= 0 && (i < W || J >= size.kept())) {
        T *p = a + place[r] + (int64_t)J * W * ld;
#pragma unroll
        for (int c = 0; c < W; c++, p += ld)
          if (J * W + c < size.n) *p = x[r][c];
      }
    }
    this->meet(first);
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] >= 0) this->order()[place[r]] = known[r];
    move_history(J, first);
  }
  __device__ __forceinline__ void move_history(int J, int first)
  {
    bool moved[R];
#pragma unroll
    for (int r = 0; r < R; r++) moved[r] = place[r] >= 0 && place[r] != row(r);
#pragma unroll 1
    for (int K = 0; K < J; K++) {
#pragma unroll
      for (int r = 0; r < R; r++)
        if (moved[r]) get(r, this->history(K, row(r) - (K + 1) * W), row(r));
      this->meet(first);
#pragma unroll
      for (int r = 0; r < R; r++)
        if (moved[r]) put(r, this->history(K, place[r] - (K + 1) * W), place[r]);
    }
  }
  /* Stores L below the pivots, once the order of its rows is final. */
  __device__ __forceinline__ void store_history()
  {
#pragma unroll 1
    for (int K = 0; K < size.kept(); K++)
#pragma unroll
      for (int r = 0; r < R; r++) {
        if (row(r) < (K + 1) * W || row(r) >= size.m) continue;
        get(r, this->history(K, row(r) - (K + 1) * W), row(r));
        T *p = a + row(r) + (int64_t)K * W * ld;
#pragma unroll
        for (int c = 0; c < W; c++, p += ld) *p = x[r][c];
      }
  }

  /* Stores panel J below the pivots: columns behind the last pivot. */
  __device__ __forceinline__ void store_rest(int J) const
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (row(r) < size.pivots() || row(r) >= size.m) continue;
      T *p = a + row(r) + (int64_t)J * W * ld;
#pragma unroll
      for (int c = 0; c < W; c++, p += ld)
        if (J * W + c < size.n) *p = x[r][c];
    }
  }
  /* Applies the row exchanges to the `count` columns left of the block. */
  __device__ __forceinline__ void exchange_before(int count)
  {
    const unsigned short *order = this->order();
#pragma unroll 1
    for (int c0 = 0; c0 < count; c0 += W) {
      T *p = a - (c0 + 1) * ld;
#pragma unroll
      for (int r = 0; r < R; r++)
        if (row(r) < size.m) {
#pragma unroll
          for (int c = 0; c < W; c++)
            if (c0 + c < count) x[r][c] = p[order[row(r)] - c * ld];
        }
      __syncthreads();
#pragma unroll
      for (int r = 0; r < R; r++)
        if (row(r) < size.m) {
#pragma unroll
          for (int c = 0; c < W; c++)
            if (c0 + c < count) p[row(r) - c * ld] = x[r][c];
        }
    }
  }

  /* Inverts the unit triangle L(K,K), a column per lane, by the warp that uses it next. */
  __device__ __forceinline__ void invert(int K) const
  {
    const pack<T> *rows = this->pivot_rows(K);
    const int c = lane % W, count = size.m - K * W;
    T y[W], *to = lu_memory<T>::inverse(K);
#pragma unroll
    for (int i = 0; i < W; i++) {
      T sum = make<T>(0);
#pragma unroll
      for (int u = 0; u < (i + V - 1) / V; u++) {
        const pack<T> p = rows[i * base::UNITS + base::turned(i, u)];
#pragma unroll
        for (int v = 0; v < V; v++)
          if (u * V + v < i) sum = mad(-p.x[v], y[u * V + v], sum);
      }
      y[i] = i <= c || i >= count ? make<T>(i == c) : sum;
      if (lane >= W) continue;
      if constexpr (lu_on_tensor<T>) {
        if (i / 8 >= c / 8) to[(i / 8 + c / 8) * 64 + (i % 8 * 4 + c % 8 / 2) * 2 + c % 2] = y[i];
      } else {
        to[i * W + c] = y[i];
      }
    }
    __syncwarp();
  }
};

/* ------------------------------------------------------------------ updates by earlier panels */

/* On the CUDA cores: each thread updates its own rows. */
template <class T> struct lu_update : lu_history<T> {
  using base = lu_history<T>;
  using base::a, base::at, base::lane, base::ld, base::R, base::row, base::size, base::V, base::W, base::warp, base::x;

  __device__ __forceinline__ lu_update(const lu_layout<T> &at, lu_size<lu_width<T>> size, T *a, int64_t ld)
      : base(at, size, a, ld)
  {
  }
  /* Reads panel J, applies the earlier panels and stores the rows of U in it. */
  __device__ __forceinline__ void update(int J)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int from = row(r) < size.m ? J > 0 ? this->order()[row(r)] : row(r) : 0;
      const T *p = a + from + (int64_t)J * W * ld;
#pragma unroll
      for (int c = 0; c < W; c++) {
        const int next = J * W + c + 1;
        x[r][c] = row(r) < size.m && next <= size.n ? *p : make<T>(0);
        if (next < size.n) p += ld;
      }
    }
    if (J > 0 && J <= size.kept() && warp == this->owner(J - 1)) this->invert(J - 1);
#pragma unroll 1
    for (int K = 0; K < J && K < size.panels() && warp >= this->owner(K - 1); K++) apply(J, K);
  }
  /* Prepares x for the warps that factor. */
  __device__ __forceinline__ void begin(int)
  {
    __syncwarp(); /* until the last product has been read */
  }
  __device__ __forceinline__ void apply(int J, int K)
  {
    pack<T> *rows = this->block(0);
    const int first = this->owner(K);
    T *u = this->product(K);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int i = row(r) - K * W;
      if (i >= 0 && i < W) this->put(r, rows + i * base::UNITS, i);
    }
    this->meet(this->owner(K - 1)); /* wait for the warp that may still read the product whose buffer is next */
    if (warp < first) return;
    const T *inverse = lu_memory<T>::inverse(K);
#pragma unroll 1
    for (int e = threadIdx.x - 32 * first; e < W * W; e += 32 * (at.warps - first)) {
      const int i = e / W, c = e % W;
      T sum = make<T>(0);
      for (int k = 0; k <= i; k++)
        sum = mad(inverse[i * W + k], rows[k * base::UNITS + base::turned(k, c / V)].x[c % V], sum);
      u[e] = sum;
      if (K * W + i < size.m && J * W + c < size.n) a[K * W + i + (int64_t)(J * W + c) * ld] = sum;
    }
    this->meet(first);
#pragma unroll
    for (int q = 0; q < W / V; q++) {
      pack<T> l[R];
#pragma unroll
      for (int r = 0; r < R; r++) {
        l[r] = {};
        if (row(r) >= (K + 1) * W && row(r) < size.m)
          l[r] = this->history(K, row(r) - (K + 1) * W)[base::turned(row(r), q)];
      }
#pragma unroll
      for (int v = 0; v < V; v++)
#pragma unroll
        for (int h = 0; h < W / V; h++) {
          const pack<T> p = reinterpret_cast<const pack<T> *>(u + (V * q + v) * W)[h];
#pragma unroll
          for (int w = 0; w < V; w++)
#pragma unroll
            for (int r = 0; r < R; r++) x[r][V * h + w] = mad(-l[r].x[v], p.x[w], x[r][V * h + w]);
        }
    }
  }
};

/* On the tensor cores. Lane 4 g + t holds, for each tile of 16 rows, d[tile][j] = rows g and g + 8 in columns 8 j +
 * 2 t and 8 j + 2 t + 1. A tile has the pivot rows of one panel; its warp solves for them. */
template <> struct lu_update<double> : lu_history<double> {
  using base = lu_history<double>;
  static constexpr int TILES = 2 * R;
  double d[TILES][2][4];
  int g, t;

  __device__ __forceinline__ lu_update(const lu_layout<double> &at, lu_size<lu_width<double>> size, double *a,
                                       int64_t ld)
      : base(at, size, a, ld)
  {
  }
  __device__ __forceinline__ void update(int J)
  {
    if (J == 0) return;
    g = lane / 4;
    t = lane % 4;
    load_fragments(J);
    if (J <= size.kept() && warp == owner(J - 1)) invert(J - 1);
#pragma unroll 1
    for (int K = 0; K < J && K < size.panels() && warp >= owner(K - 1); K++) apply(J, K);
  }
  __device__ __forceinline__ void begin(int J)
  {
    if (J == 0)
      load_first();
    else
      turn();
  }
  __device__ __forceinline__ void load_first()
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const double *p = a + min(row(r), size.m - 1);
#pragma unroll
      for (int c = 0; c < W; c++) {
        x[r][c] = row(r) < size.m && c < size.n ? *p : 0.0;
        if (c + 1 < size.n) p += ld;
      }
    }
  }
  __device__ __forceinline__ void load_fragments(int J)
  {
    const unsigned short *order = this->order();
    int64_t columns[4];
    bool exists[4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const int col = J * W + 8 * (c / 2) + 2 * t + c % 2;
      columns[c] = min(col, size.n - 1) * ld;
      exists[c] = col < size.n;
    }
#pragma unroll
    for (int i = 0; i < 2 * TILES; i++) {
      const double *p = a + order[min(LU_WARP_ROWS * warp + 8 * i + g, size.m - 1)];
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const double v = p[columns[c]];
        d[i / 2][c / 2][i % 2 * 2 + c % 2] = exists[c] ? v : 0.0;
      }
    }
  }
  /* Stores tile I as 16 rows in shared memory. */
  template <int I> __device__ __forceinline__ void put_tile(pack<double> *rows) const
  {
#pragma unroll
    for (int e = 0; e < 4; e++)
      rows[(g + e % 2 * 8) * UNITS + turned(g, e / 2 * 4 + t)] = {d[I][e / 2][e % 2 * 2], d[I][e / 2][e % 2 * 2 + 1]};
  }
  template <int I = 0> __device__ __forceinline__ void put_tile(pack<double> *rows, int i) const
  {
    if constexpr (I + 1 < TILES) {
      if (i != I) return put_tile<I + 1>(rows, i);
      compiler_fence(); /* keeps the compiler from indexing d dynamically, which would put it in local memory */
    }
    put_tile<I>(rows);
  }
  /* Solves U(K,J) = L(K,K)^-1 A(K,J) and stores -U as second operand: elements (8 h + 2 t, 8 j + g) and (8 h + 2 t +
   * 1, 8 j + g). */
  __device__ __forceinline__ void solve(int K)
  {
    double u[2][4]; /* u[n]: rows 8 n + 2 t and 8 n + 2 t + 1 of U, columns g and g + 8 */
    pack<double> *rows = block(warp);
    put_tile(rows, K % TILES);
    __syncwarp();
    const double2 *inverse = reinterpret_cast<const double2 *>(lu_memory<double>::inverse(K)) + lane;
#pragma unroll
    for (int h = 0; h < 2; h++) {
      double f[4];
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int i = 8 * h + 2 * t + e / 2;
        /* rows past the matrix hold leftovers of other matrices */
        f[e] = K * W + i < size.m ? rows[i * UNITS + turned(2 * t + e / 2, g / 2 + e % 2 * 4)].x[g % 2] : 0;
        if (h == 0) u[0][e] = u[1][e] = 0;
      }
#pragma unroll
      for (int n = h; n < 2; n++) {
        const double2 l = inverse[(n + h) * 32];
        const double b[2] = {l.x, l.y};
        multiply_16x8x8(u[n], f, b);
      }
    }
    double2 *to = reinterpret_cast<double2 *>(product(K)) + lane;
#pragma unroll
    for (int e = 0; e < 4; e++) to[e * 32] = make_double2(-u[e / 2][e % 2 * 2], -u[e / 2][e % 2 * 2 + 1]);
  }
  __device__ __forceinline__ void store(int J, int K, const double (&b)[2][2][2]) const
  {
#pragma unroll
    for (int j = 0; j < 2; j++) {
      const int c = J * W + 8 * j + g;
      double *p = a + K * W + 2 * t + c * ld;
#pragma unroll
      for (int e = 0; e < 4; e++)
        if (c < size.n && K * W + e / 2 * 8 + 2 * t + e % 2 < size.m) p[e / 2 * 8 + e % 2] = -b[e / 2][j][e % 2];
    }
  }
  __device__ __forceinline__ void apply(int J, int K)
  {
    double b[2][2][2];
    if (warp == owner(K)) solve(K);
    meet(owner(K - 1)); /* wait for the warp that may still read the product whose buffer is next */
    if (warp < owner(K)) return;
    const double2 *from = reinterpret_cast<const double2 *>(product(K)) + lane;
#pragma unroll
    for (int e = 0; e < 4; e++) {
      const double2 p = from[e * 32];
      b[e / 2][e % 2][0] = p.x;
      b[e / 2][e % 2][1] = p.y;
    }
    const pack<double> *l = history(K, LU_WARP_ROWS * warp + g - (K + 1) * W);
    const int unit = turned(g, t);
#pragma unroll
    for (int i = 0; i < TILES; i++, l += W * UNITS) {
      if (TILES * warp + i <= K || LU_WARP_ROWS * warp + W * i >= size.m) continue;
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const pack<double> p = l[unit ^ 4 * h], q = l[(unit ^ 4 * h) + 8 * UNITS];
        const double f[4] = {p.x[0], q.x[0], p.x[1], q.x[1]};
#pragma unroll
        for (int j = 0; j < 2; j++) multiply_16x8x8(d[i][j], f, b[h][j]);
      }
    }
    if (warp == owner(K)) store(J, K, b);
  }
  /* Converts fragments to rows, by way of shared memory. */
  template <int I = 0> __device__ __forceinline__ void turn()
  {
    if constexpr (I < TILES) {
      pack<double> *rows = block(warp);
      __syncwarp();
      put_tile<I>(rows);
      __syncwarp();
      if (I % 2 == 0 || lane >= 16) /* else this half of x follows with the next tile; its old contents are dead */
        get(I / 2, rows + lane % 16 * UNITS, lane);
      turn<I + 1>();
    }
  }
};

/* ------------------------------------------------------------------ the kernel */

template <class T>
__device__ __forceinline__ int factor_matrix(const lu_layout<T> &layout, lu_size<lu_width<T>> size, T *a, int64_t ld,
                                             int shift, int *ipiv)
{
  constexpr int W = lu_width<T>;
  lu_update<T> lu(layout, size, a, ld);
  for (int r = 0; r < LU_ROWS; r++)
    if (lu.row(r) < size.m) lu.order()[lu.row(r)] = (unsigned short)lu.row(r);
#pragma unroll 1
  for (int J = 0; J * W < size.n; J++) {
    const int first = lu.owner(J);
    lu.forget();
    lu.update(J);
    if (J >= size.panels()) {
      if (size.pivots() < size.m) {
        lu.begin(J);
        lu.store_rest(J);
      }
    } else if (lu.warp >= first) {
      lu.begin(J);
      lu.prefetch(J + 1);
      lu.factor(J, first, shift, ipiv);
      lu.forget();
      lu.keep(J, first);
    }
    __syncthreads();
  }
  lu.store_history();
  lu.exchange_before(shift);
  return lu.info;
}

/* Factors `limit` columns of the blocks of A at row and column `shift`, and exchanges rows in the columns left of
 * them. ipiv and info count from the caller's row 1. */
template <class T>
__global__ void __launch_bounds__(LU_THREADS)
  getrf_panels(const __grid_constant__ lu_layout<T> layout, batch<T> a, int limit, int shift, int *__restrict__ ipiv,
               int npivots, int *__restrict__ info)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const lu_size<lu_width<T>> size = {a.rows(b), a.cols(b), limit};
    int found = 0;
    if (size.pivots() > 0) {
      found = factor_matrix(layout, size, a.at(b), a.leading(b), shift, ipiv + b * npivots + shift);
      __syncthreads();
    }
    if (threadIdx.x != blockDim.x - 1)
      continue; /* this thread's warp takes part in all panels, so that it knows
                                                  * info */
    if (shift == 0)
      info[b] = found;
    else if (found && info[b] == 0)
      info[b] = shift + found;
  }
}

/* Do `blocks` blocks fit on an SM? Each occupies 1 KB beyond its own shared memory. */
template <class T> bool panels_fit(int m, int n, int limit, int blocks)
{
  return m <= LU_MOST_ROWS && ((size_t)lu_layout<T>(m, n, limit).bytes + 1024) * blocks <= most_shared() + 1024;
}

template <class T>
int launch_getrf_panels(batched_ctx *ctx, const batch<T> &a, int limit, int shift, int *ipiv, int npivots, int *info)
{
  const lu_layout<T> layout(a.m, a.n, limit);
  return launch(ctx, getrf_panels<T>, a.count, 32 * layout.warps, (size_t)layout.bytes, layout, a, limit, shift, ipiv,
                npivots, info);
}

} // namespace batched_cuda::lu

#endif
