/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix by one block, left-looking.  Rows do not move: a thread knows where its rows belong (their places).  A
 * panel of W columns is in registers, R rows of it in each thread.  It is brought up to date with the panels before it, in
 * double precision on the tensor cores, and is factored with one barrier a column.  The L of earlier panels is kept without the rows that were finished by then: in
 * shared memory as far as that goes, of later panels in the matrix itself, whose columns are free.  What is final is
 * stored; the order of L's rows is mended in the end.
 */
#ifndef BATCHED_CUDA_LU_SHARED_CUH
#define BATCHED_CUDA_LU_SHARED_CUH

#include <type_traits>

#include "gemm_product.cuh"
#include "lu.cuh"
#include "lu_pivot.cuh"
#include "triangle_small.cuh"

namespace batched_cuda
{

enum { LU_SHARED_THREADS = 256, LU_ROWS = 2, LU_REGISTERS = 200 };

template <class T> constexpr int lu_width = sizeof(T) == 16 ? 8 : 16;

/* Do the tensor cores form the products? */
template <class T> constexpr bool lu_on_tensor = std::is_same_v<T, double>;

/* A row of U.  Rows t of 0 .. 3 and 4 columns of each are in different banks. */
template <class T> struct alignas(16) lu_u_row {
  T x[lu_width<T> + (lu_on_tensor<T> ? 4 : 16 / sizeof(T))];
};

/* Where things are in shared memory, in bytes; for matrices of at most m x n. */
template <class T> struct lu_layout {
  static constexpr int W = lu_width<T>, TRIANGLE = small_layout<T, W>::scales;
  int m, n, warps, kept, resident; /* panels whose L is needed by later ones; those of them that are in shared memory */
  int padded;                      /* m, or the next multiple of W where columns of L are swizzled */
  int rows, keys, counts, triangles, slots, places, start, bytes;

  DEVICE lu_layout(int m, int n, int warps, int room) : m(m), n(n), warps(warps)
  {
    kept = panels();
    if (n > 0 && (n - 1) / W < kept) kept = (n - 1) / W;
    padded = lu_on_tensor<T> ? (m + W - 1) / W * W : m;
    /* two blocks of U, in the place of which the panel is later turned from fragments to rows */
    const int u = 2 * W * (int)sizeof(lu_u_row<T>), turned = warps * W * (int)sizeof(shared_row<T, W>);
    rows = lu_on_tensor<T> && turned > u ? turned : u;
    triangles = rows + 2 * warps * (int)sizeof(shared_row<T, W>);
    keys = triangles + kept * TRIANGLE * (int)sizeof(T);
    counts = keys + 2 * warps * (int)sizeof(pivot_key);
    slots = counts + LU_ROWS * warps * (int)sizeof(int);
    places = slots + kept * m * (int)sizeof(unsigned short);
    start = (places + m * (int)sizeof(unsigned short) + 15) / 16 * 16;
    resident = kept;
    while (resident > 0 && start + history(resident) * (int)sizeof(T) > room) resident--;
    bytes = start + history(resident) * (int)sizeof(T);
  }
  DEVICE int pivots() const
  {
    return m < n ? m : n;
  }
  DEVICE int panels() const
  {
    return (pivots() + W - 1) / W;
  }
  /* Elements of the L of the panels before K, of W columns each. */
  DEVICE int history(int K) const
  {
    const int full = K < m / W ? K : m / W;
    return W * (full * padded - W * (full * (full + 1) / 2));
  }
  /* The distance of columns of panel K's L. */
  DEVICE int stride(int K) const
  {
    return padded > (K + 1) * W ? padded - (K + 1) * W : 0;
  }
  /* Where row s of L is in column k: 4 rows of 4 columns are in different banks. */
  static DEVICE int swizzle(int s, int k)
  {
    return lu_on_tensor<T> ? s ^ 4 * (k & 3) : s;
  }
};

template <class T> struct shared_lu {
  static constexpr int W = lu_width<T>, R = LU_ROWS, V = pack<T>::size;
  const lu_layout<T> &at;
  unsigned char *memory;
  T *a;
  int64_t ld;
  int place[R]; /* of rows threadIdx.x + r * blockDim.x; -1 where there is no such row */
  int turn, info;
  T x[R][W];

  __device__ __forceinline__ shared_lu(const lu_layout<T> &at, unsigned char *memory, T *a, int64_t ld)
      : at(at), memory(memory), a(a), ld(ld), turn(0), info(0)
  {
#pragma unroll
    for (int r = 0; r < R; r++) place[r] = row(r) < at.m ? row(r) : -1;
  }
  static __device__ __forceinline__ int row(int r)
  {
    return threadIdx.x + r * blockDim.x;
  }
  /* Panel K's L below its pivots, and the distance of its columns. */
  __device__ __forceinline__ T *resident(int K) const
  {
    return reinterpret_cast<T *>(memory + at.start) + at.history(K);
  }
  __device__ __forceinline__ T *stored(int K) const
  {
    return a + (K + 1) * W + (int64_t)K * W * ld;
  }
  __device__ __forceinline__ T *triangle(int K) const
  {
    return reinterpret_cast<T *>(memory + at.triangles) + K * at.TRIANGLE;
  }
  __device__ __forceinline__ unsigned short &slot(int K, int row) const
  {
    return reinterpret_cast<unsigned short *>(memory + at.slots)[K * at.m + row];
  }
  /* U of the current panel's product; two take turns. */
  __device__ __forceinline__ lu_u_row<T> *next_u()
  {
    return reinterpret_cast<lu_u_row<T> *>(memory) + W * (turn++ % 2);
  }
  __device__ __forceinline__ shared_row<T, W> *rows_at(size_t offset) const
  {
    return reinterpret_cast<shared_row<T, W> *>(memory + offset);
  }

  /* U of panel K in these columns: the pivot rows' elements, solved with L(K, K) by one warp, a lane a column. */
  __device__ __forceinline__ void solve(int K, int count, lu_u_row<T> *u) const
  {
    const int lane = threadIdx.x;
    if (lane >= W) return;
    T y[W];
#pragma unroll
    for (int i = 0; i < W; i++) y[i] = i < count ? u[i].x[lane] : make<T>(0);
    substitute_registers<T, W>(count, true, triangle(K), nullptr, y);
#pragma unroll
    for (int i = 1; i < W; i++)
      if (i < count) u[i].x[lane] = y[i];
  }

  /* x -= L U for W columns of L, column k of row r at l[r][k * step]. */
  template <int AHEAD>
  __device__ __forceinline__ void subtract(const T *const (&l)[R], int64_t step, const bool (&active)[R],
                                           const lu_u_row<T> *u)
  {
#pragma unroll 1
    for (int k0 = 0; k0 < W; k0 += AHEAD) {
      T f[R][AHEAD];
#pragma unroll
      for (int r = 0; r < R; r++)
#pragma unroll
        for (int k = 0; k < AHEAD; k++) f[r][k] = active[r] ? -l[r][(k0 + k) * step] : make<T>(0);
#pragma unroll
      for (int k = 0; k < AHEAD; k++)
#pragma unroll
        for (int q = 0; q < W / V; q++) {
          const pack<T> p = reinterpret_cast<const pack<T> *>(u[k0 + k].x)[q];
#pragma unroll
          for (int r = 0; r < R; r++)
            if (active[r]) {
#pragma unroll
              for (int v = 0; v < V; v++) x[r][q * V + v] = mad(f[r][k], p.x[v], x[r][q * V + v]);
            }
        }
    }
  }

  /* Subtracts what panel K does to the columns in registers. */
  __device__ __forceinline__ void apply(int K)
  {
    lu_u_row<T> *u = next_u();
    const int left = at.pivots() - K * W, count = left < W ? left : W;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int i = place[r] - K * W;
      if (i >= 0 && i < count) {
#pragma unroll
        for (int c = 0; c < W; c++) u[i].x[c] = x[r][c];
      }
    }
    __syncthreads();
    solve(K, count, u);
    __syncthreads();
    const bool is_resident = K < at.resident;
    const T *l[R];
    bool active[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int i = place[r] - K * W;
      active[r] = i >= W;
      l[r] = (is_resident ? resident(K) : stored(K)) + (active[r] ? slot(K, row(r)) : 0);
      if (i >= 0 && i < count) {
#pragma unroll
        for (int c = 0; c < W; c++) x[r][c] = u[i].x[c];
      }
    }
    if (is_resident)
      subtract<2>(l, at.stride(K), active, u);
    else
      subtract<4>(l, ld, active, u);
  }

  /* Row of the fragments: that of lane 4 g + t in half h of tile i. */
  __device__ __forceinline__ int fragment_row(int i, int h) const
  {
    return i / 2 * blockDim.x + (threadIdx.x & ~31) + i % 2 * 16 + 8 * h + threadIdx.x % 32 / 4;
  }
  /* As apply, with the panel as fragments of 16 x 8: all panels before J. */
  __device__ __forceinline__ void update_fragments(int J)
  {
    constexpr int tiles = 2 * R;
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    double d[tiles][2][4];
    int64_t columns[4];
    bool exists[4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const int col = J * W + 8 * (c / 2) + 2 * t + c % 2;
      columns[c] = min(col, at.n - 1) * ld;
      exists[c] = col < at.n;
    }
#pragma unroll
    for (int i = 0; i < tiles; i++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int row = fragment_row(i, h);
        const double *p = a + min(row, at.m - 1);
#pragma unroll
        for (int c = 0; c < 4; c++) {
          const double v = p[columns[c]];
          d[i][c / 2][2 * h + c % 2] = row < at.m && exists[c] ? v : 0.0;
        }
      }
    for (int K = 0; K < J && K < at.panels(); K++) subtract_panel(K, d);
    __syncthreads();
    shared_row<T, W> *turned = rows_at(0) + threadIdx.x / 32 * W;
#pragma unroll
    for (int i = 0; i < tiles; i++) {
#pragma unroll
      for (int e = 0; e < 8; e++) turned[g + e / 2 % 2 * 8].x[e / 4 * 8 + 2 * t + e % 2] = d[i][e / 4][e % 4];
      __syncwarp();
      if (i % 2 == 0 || threadIdx.x % 32 >= 16) { /* else: not yet, but what x was is past */
#pragma unroll
        for (int c = 0; c < W; c++) x[i / 2][c] = turned[threadIdx.x % 16].x[c];
      }
      __syncwarp();
    }
    __syncthreads();
  }
  __device__ __forceinline__ void subtract_panel(int K, double (&d)[2 * R][2][4])
  {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int left = at.pivots() - K * W, count = left < W ? left : W;
    const unsigned short *places = reinterpret_cast<unsigned short *>(memory + at.places);
    lu_u_row<T> *u = next_u();
    const auto place_of = [&](int row) { return row < at.m ? places[row] - K * W : -1; };
    /* element e of the fragments of a row is in column 8 (e / 2) + 2 t + e % 2 */
    const auto exchange = [&](bool out) {
#pragma unroll
      for (int i = 0; i < 2 * R; i++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
          const int p = place_of(fragment_row(i, h));
          if (p < 0 || p >= count) continue;
#pragma unroll
          for (int e = 0; e < 4; e++) {
            double &own = d[i][e / 2][2 * h + e % 2], &other = u[p].x[8 * (e / 2) + 2 * t + e % 2];
            if (out)
              other = own;
            else
              own = other;
          }
        }
    };
    exchange(true);
    __syncthreads();
    solve(K, count, u);
    __syncthreads();
    exchange(false);
    if (at.m <= (K + 1) * W) return;
    double b[2][2][2];
#pragma unroll
    for (int e = 0; e < 8; e++) b[e / 4][e / 2 % 2][e % 2] = -u[8 * (e / 4) + 4 * (e % 2) + t].x[8 * (e / 2 % 2) + g];
    if (K < at.resident)
      multiply_fragments<true>(K, d, b, resident(K), at.stride(K));
    else
      multiply_fragments<false>(K, d, b, stored(K), ld);
  }
  /* d += L b, L's column k from l + k * step on. */
  template <bool is_resident>
  __device__ __forceinline__ void multiply_fragments(int K, double (&d)[2 * R][2][4], const double (&b)[2][2][2],
                                                     const double *l, int64_t step)
  {
    const int t = threadIdx.x % 4;
    const unsigned short *places = reinterpret_cast<unsigned short *>(memory + at.places);
    l += t * step;
    step *= 4;
#pragma unroll
    for (int i = 0; i < 2 * R; i++) {
      int s[2];
      bool active[2];
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int row = fragment_row(i, h), known = min(row, at.m - 1);
        active[h] = row < at.m && places[known] >= (K + 1) * W;
        s[h] = active[h] ? slot(K, known) : 0;
        if (is_resident) s[h] = at.swizzle(s[h], t);
      }
      double f[2][4];
#pragma unroll
      for (int e = 0; e < 8; e++) {
        const double v = l[s[e % 2] + e / 2 * step];
        f[e / 4][e % 4] = active[e % 2] ? v : 0.0;
      }
#pragma unroll
      for (int k = 0; k < 2; k++)
#pragma unroll
        for (int j = 0; j < 2; j++) multiply_16x8x8(d[i][j], f[k], b[k][j]);
    }
  }

  /* Column k, which is x[.][S] of the panel; returns the row from which the pivot came. */
  template <int S> __device__ __forceinline__ int step(int k)
  {
    constexpr unsigned all = 0xffffffffu;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, buffer = S % 2 * at.warps;
    pivot_key *keys = reinterpret_cast<pivot_key *>(memory + at.keys) + buffer;
    shared_row<T, W> *rows = rows_at(at.rows) + buffer;
    int own, winner = 0;
    T column[R];
#pragma unroll
    for (int r = 0; r < R; r++) column[r] = x[r][S];
    const int best = pivot_lane<32, R>(column, place, k, &own);
    int from = __shfl_sync(all, own ? place[R - 1] : place[0], best < 0 ? 0 : best);
    if (best < 0 && lane == 0) keys[warp] = {0, 0, INT_MAX};
    if (lane == best) {
      keys[warp] = key_of(own ? x[R - 1][S] : x[0][S], from, k, true);
#pragma unroll
      for (int r = 0; r < R; r++)
        if (own == r) {
#pragma unroll
          for (int c = S / V * V; c < W; c += V) {
            pack<T> p;
#pragma unroll
            for (int v = 0; v < V; v++) p.x[v] = x[r][c + v];
            *reinterpret_cast<pack<T> *>(rows[warp].x + c) = p;
          }
        }
    }
    __syncthreads();
    if (at.warps > 1) {
      pivot_key of_warp = {0, 0, INT_MAX};
      if (lane < at.warps) of_warp = keys[lane];
      winner = best_lane<32>(of_warp);
      from = __shfl_sync(all, of_warp.row, winner);
    }
    const T *u = rows[winner].x;
    const diagonal<T> d(u[S]);
    if (is_bad_pivot(d.d) && !info) info = k + 1;
    bool active[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (place[r] == from)
        place[r] = k;
      else if (place[r] == k)
        place[r] = from;
      active[r] = place[r] > k;
      if (active[r] && d.d != make<T>(0)) x[r][S] = d.solve(x[r][S]);
    }
#pragma unroll
    for (int c = (S + 1) / V * V; c < W; c += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(u + c);
#pragma unroll
      for (int r = 0; r < R; r++)
        if (active[r]) {
#pragma unroll
          for (int v = 0; v < V; v++)
            if (c + v > S) x[r][c + v] = mad(-x[r][S], p.x[v], x[r][c + v]);
        }
    }
    return from;
  }
  template <int S> __device__ __forceinline__ void steps(int k0, int last, int first, int *ipiv)
  {
    if constexpr (S < W) {
      if (k0 + S >= last) return;
      const int from = step<S>(k0 + S);
      if (threadIdx.x == 0) ipiv[k0 + S] = first + from + 1;
      steps<S + 1>(k0, last, first, ipiv);
    }
  }
  __device__ __forceinline__ void factor(int j0, int first, int *ipiv)
  {
    steps<0>(j0, at.pivots() < j0 + W ? at.pivots() : j0 + W, first, ipiv);
  }

  /* Panel J's L: the triangle of its pivot rows, and the rows below, in the order of the threads. */
  __device__ __forceinline__ void keep(int J)
  {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, stride = at.stride(J);
    unsigned short *places = reinterpret_cast<unsigned short *>(memory + at.places);
    int *counts = reinterpret_cast<int *>(memory + at.counts);
    unsigned actives[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      actives[r] = __ballot_sync(0xffffffffu, place[r] >= (J + 1) * W);
      if (lane == 0) counts[r * at.warps + warp] = __popc(actives[r]);
      if (place[r] >= 0) places[row(r)] = (unsigned short)place[r];
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int i = place[r] - J * W;
      if (i >= W) {
        int s = __popc(actives[r] & ((1u << lane) - 1));
        for (int w = 0; w < r * at.warps + warp; w++) s += counts[w];
        slot(J, row(r)) = (unsigned short)s;
        if (J < at.resident) {
#pragma unroll
          for (int c = 0; c < W; c++) resident(J)[at.swizzle(s, c) + c * stride] = x[r][c];
        } else {
#pragma unroll
          for (int c = 0; c < W; c++) stored(J)[s + c * ld] = x[r][c];
        }
      } else if (i > 0) {
#pragma unroll
        for (int c = 0; c < W - 1; c++)
          if (c < i) triangle(J)[small_layout<T, W>::element(i, c)] = x[r][c];
      }
    }
  }

  /* The L of rows that were not finished in their panels, in the order of the places. */
  __device__ __forceinline__ void store_history()
  {
    unsigned short *places = reinterpret_cast<unsigned short *>(memory + at.places);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] >= 0) places[place[r]] = (unsigned short)row(r);
    __syncthreads();
    for (int K = 0; K < at.kept; K++) {
      const bool is_resident = K < at.resident;
      const T *l = is_resident ? resident(K) : stored(K);
      const int64_t step = is_resident ? at.stride(K) : ld;
#pragma unroll
      for (int r = 0; r < R; r++)
        if (row(r) < at.m && row(r) >= (K + 1) * W) {
          const int s = slot(K, places[row(r)]);
#pragma unroll
          for (int c = 0; c < W; c++) x[r][c] = l[(is_resident ? at.swizzle(s, c) : s) + c * step];
        }
      if (!is_resident) __syncthreads(); /* these are exchanged in place */
#pragma unroll
      for (int r = 0; r < R; r++)
        if (row(r) < at.m && row(r) >= (K + 1) * W) {
#pragma unroll
          for (int c = 0; c < W; c++) a[row(r) + (K * W + c) * ld] = x[r][c];
        }
    }
  }

  /* Panel J, up to date.  Rows and columns that do not exist are read elsewhere, and are zero. */
  __device__ __forceinline__ void load(int J)
  {
    if constexpr (lu_on_tensor<T>)
      if (J > 0) return update_fragments(J);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const T *p = a + min(row(r), at.m - 1) + (int64_t)J * W * ld;
#pragma unroll
      for (int c = 0; c < W; c++) {
        const T v = *p;
        const int next = J * W + c + 1;
        x[r][c] = place[r] >= 0 && next <= at.n ? v : make<T>(0);
        if (next < at.n) p += ld;
      }
    }
    if constexpr (!lu_on_tensor<T>)
      for (int K = 0; K < J && K < at.panels(); K++) apply(K);
  }
  /* Stores the rows of panel J whose places are before `end`. */
  __device__ __forceinline__ void store(int J, int end) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] >= 0 && place[r] < end) {
        T *p = a + place[r] + (int64_t)J * W * ld;
#pragma unroll
        for (int c = 0; c < W; c++, p += ld)
          if (J * W + c < at.n) *p = x[r][c];
      }
  }

  __device__ __forceinline__ void run(int first, int *ipiv)
  {
    for (int J = 0; J * W < at.n; J++) {
      load(J);
      if (J * W < at.pivots()) factor(J * W, first, ipiv);
      if (J < at.kept) keep(J);
      store(J, (J + 1) * W >= at.pivots() ? at.m : (J + 1) * W);
    }
    store_history();
  }
};

/* Pivots and info count rows of the caller's matrix, in which these blocks start at row and column `first`. */
template <class T>
__global__ void __maxnreg__(LU_REGISTERS)
  getrf_shared(batch<T> a, int room, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  unsigned char *memory = shared_array<unsigned char>();
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b);
    int found = 0;
    if (m > 0 && n > 0) {
      const lu_layout<T> layout(m, n, (int)blockDim.x / 32, room);
      shared_lu<T> lu(layout, memory, a.at(b), a.leading(b));
      lu.run(first, ipiv + b * npivots + first);
      found = lu.info;
      __syncthreads();
    }
    if (threadIdx.x == 0 && first == 0) info[b] = found;
    if (threadIdx.x == 0 && first > 0 && found && info[b] == 0) info[b] = first + found;
  }
}

/* Can one block factor such a matrix? */
static inline bool fits_lu_shared(int m)
{
  return m <= LU_ROWS * LU_SHARED_THREADS;
}

/* Two blocks share a multiprocessor at least, unless their registers do not fit. */
template <class T>
int launch_getrf_shared(batched_ctx *ctx, const batch<T> &a, int first, int *ipiv, int npivots, int *info)
{
  const int warps = a.m < 1 ? 1 : (int)ceil_div(a.m, 32 * LU_ROWS);
  const int room = (int)(2 * 32 * warps * LU_REGISTERS > 65536 ? most_shared() : most_shared() / 2 - 512);
  return launch(ctx, getrf_shared<T>, a.count, 32 * warps, lu_layout<T>(a.m, a.n, warps, room).bytes, a, room, first,
                ipiv, npivots, info);
}

} // namespace batched_cuda

#endif
