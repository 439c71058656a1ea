/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.panels of gbtrs, pbtrs and tbsv: op(A) X = B with the factors or triangles of wide bands, a block per matrix
 * and up to 16 right-hand sides, NB columns of ab, a panel, after another.
 *
 * A substitution goes by steps, each with a column of ab, forward or backward.  Three panels are in shared memory, of
 * which two arrive asynchronously, and so is a window of B.  NB lanes per right-hand side solve with the panel's
 * triangle, rows in registers, unknowns passed by shuffles.  Where ab's columns are E's, the rows that follow then lose
 * their NB products, a thread per row; where they are E's rows, eight lanes per row first take off the products with
 * what is solved.  L of gbtrs: while a panel is in use a warp applies the exchanges of the next one to its multipliers,
 * as LAPACK's getrf would have, and traces which rows they move; rows of B are then gathered (NO_TRANS) or scattered.
 *
 * grid      a block per matrix and 1 or 4 to 16 right-hand sides (tbsv: 1)
 * block     64, 128 or 256 threads
 * shared    3 NB numbers of each diagonal; width + 3 NB rows of B
 * takes     all four types, any n and number of right-hand sides, any transposition, A shared or not, uniform and
 *           variable; widths up to some 560 (s 1150, c 560, z 560) diagonals of a triangle; NB = 16 (z: 8)
 * reads     ab inside of the band, ipiv, once for 16 right-hand sides (pbtrs: twice); b twice; writes b twice (tbsv:
 *           once; info as in reference.cuh)
 * accuracy  |op(A) X - B| < 30 n eps |A| |X|; multiplies by reciprocals, divides where they may over- or underflow
 */
#ifndef BATCHED_BAND_CUDA_PANELS_CUH
#define BATCHED_BAND_CUDA_PANELS_CUH

#include "batched/band/cuda/warp.cuh"
#include "batched/cuda/bulk_copy.cuh"

namespace batched_cuda::band
{

enum { PANEL_SIDES = 16, PANEL_STAGES = 3, PANEL_PARTS = 8 /* lanes of a product */ };

template <class T> constexpr int solve_columns = sizeof(T) == 16 ? 8 : 16;

/* A substitution.  Step t is with column k of ab: t, or n - 1 - t where it goes backward.  Number d of that column, at
 * distance d from the diagonal, is element (t + d, t) of E, or if transposed element (t, t - d), rows and columns in
 * the order of steps.  ipiv: L of gbtrs, whose columns follow exchanges. */
template <class T> struct band_pass {
  const T *at; /* the diagonal's first element */
  int ld, n, width;
  bool lower, transposed, conj, unit;
  const int *ipiv;

  __device__ __forceinline__ int turned(int t) const
  {
    return lower == transposed ? n - 1 - t : t;
  }
};

/* Layout of a block's memory: x of a panel, NB rows of `sides`; three panels, columns `pitch` apart; the window of B,
 * `ring` rows of each right-hand side. */
template <class T, int NB> struct solve_layout {
  int sides, pitch, ring;

  /* Rows of a panel are 8 banks apart, or 16, but for the shift of a band.  Exchanges take a panel's columns down by up
   * to NB - 1 rows. */
  solve_layout(int64_t width, int64_t exchanged_width, int sides)
      : sides(sides), pitch(pitch_of(std::max(width + 1, exchanged_width + NB))),
        ring((int)(std::max(width, exchanged_width) + PANEL_STAGES * NB))
  {
  }
  static int pitch_of(int64_t numbers)
  {
    constexpr int banks = sizeof(T) == 4 ? 32 : 16;
    return (int)((numbers + banks - 9) / banks * banks + 8);
  }
  DEVICE int64_t size() const
  {
    return (int64_t)NB * sides + PANEL_STAGES * NB * (int64_t)pitch + (int64_t)sides * ring;
  }
};

/* Exchanges of a panel, by step: the pivot, and from where a row comes to the step's place and to the pivot's (-1: it
 * does not). */
template <int NB> struct solve_exchanges {
  int pivot[NB], top[NB], below[NB];
};

/* NB columns a panel, G right-hand sides per thread. */
template <class T, int NB, int G> struct panel_solve {
  solve_layout<T, NB> l;
  solve_exchanges<NB> *exchanges; /* of three panels */
  T *solved, *panels, *window;
  T *b;
  int64_t inc, ldb; /* between rows, and between right-hand sides */
  int nrhs;
  band_pass<T> e;
  int thread;       /* threadIdx.x, turned, so that first warps of blocks are not all on one scheduler */
  int first, start; /* the panel's first step, and its place in the window */

  /* Columns of the panel of step s, `pitch` apart. */
  __device__ __forceinline__ T *panel(int s) const
  {
    return panels + s / NB % PANEL_STAGES * (NB * l.pitch);
  }
  __device__ __forceinline__ solve_exchanges<NB> &exchange(int s) const
  {
    return exchanges[s / NB % PANEL_STAGES];
  }
  __device__ __forceinline__ T &x(int r, int t) const
  {
    const int at = start + t - first;
    return window[r * l.ring + (at < 0 ? at + l.ring : at >= l.ring ? at - l.ring : at)];
  }
  __device__ __forceinline__ T &result(int r, int t) const
  {
    return b[e.turned(t) * inc + r * ldb];
  }
  /* The last number of a column that may count; beyond the band there are zeros. */
  __device__ __forceinline__ int last() const
  {
    return e.ipiv ? e.width + NB - 1 : e.width;
  }

  /* The panel of step s, and the rows that come with it. */
  __device__ __forceinline__ void fetch(int s) const
  {
    const int lane = thread % 32, sign = e.lower ? 1 : -1;
    for (int c = thread / 32; c < min(NB, e.n - s); c += blockDim.x / 32) {
      const int t = s + c, end = min(e.width, e.transposed ? t : e.n - 1 - t);
      T *to = panel(s) + c * l.pitch;
      const T *from = e.at + (int64_t)e.turned(t) * e.ld;
      for (int d = e.unit + lane; d <= end; d += 32) start_copy(to + d, from + sign * d);
      if (e.ipiv)
        for (int d = end + 1 + lane; d <= last(); d += 32) to[d] = make<T>(0);
    }
    const int ahead = e.transposed ? 0 : e.width, stop = min(s + ahead + NB, e.n);
    for (int from = s == 0 ? 0 : s + ahead; from < stop; from += NB)
      for (int i = thread; i < NB * nrhs; i += blockDim.x) {
        const int t = from + i % NB;
        if (t < stop) start_copy(&x(i / NB, t), &result(i / NB, t));
      }
    if (e.ipiv && thread < NB && s + thread < e.n)
      start_copy(&exchange(s).pivot[thread], e.ipiv + e.turned(s + thread));
    copy_commit();
  }

  /* A warp: exchanges of the panel of step s in its columns, and whose rows they bring.  Lane c has the panel's column
   * c in ab's order, rows are counted from the panel's first. */
  __device__ __forceinline__ void prepare(int s) const
  {
    const int steps = min(NB, e.n - s), c = thread % NB, lane = thread % 32;
    if (c >= steps || lane >= 2 * NB) return;
    const bool back = e.transposed;
    const int low = back ? e.n - s - steps : s, mine = back ? steps - 1 - c : c;
    solve_exchanges<NB> &p = exchange(s);
    int at[NB];
#pragma unroll
    for (int q = 0; q < NB; q++) at[q] = q < steps ? p.pivot[back ? steps - 1 - q : q] - 1 - low : -1;
    if (lane < NB) {
      T *to = panel(s) + mine * l.pitch - c;
#pragma unroll
      for (int q = 1; q < NB; q++) {
        if (q <= c || q >= steps || at[q] == q) continue;
        const T y = to[q];
        to[q] = to[at[q]];
        to[at[q]] = y;
      }
    } else {
      const int pivot = p.pivot[mine] - 1 - low;
      int top = pivot, below = c;
      bool moves = pivot >= steps;
#pragma unroll
      for (int q = NB - 1; q >= 0; q--) {
        if (q > c) moves = moves && at[q] != pivot;
        if (q < c && top == at[q]) top = q;
        if (q < c && below == at[q]) below = q;
      }
      p.top[mine] = low + top;
      p.below[mine] = moves ? low + below : -1;
    }
  }

  /* Row i of the solution of the panel's triangle, whose row the lane has; a warp calls. */
  template <class F> static __device__ __forceinline__ T substitute(const T (&row)[NB], int i, T y, F divided)
  {
#pragma unroll
    for (int q = 0; q < NB - 1; q++) {
      const T solved = shuffle(divided(y), q, NB);
      if (q < i) y = mad(-row[q], solved, y);
    }
    return divided(y);
  }
  /* The panel's triangle, NB lanes per right-hand side. */
  __device__ __forceinline__ void solve() const
  {
    constexpr int each = 32 / NB;
    const int i = thread % NB, t = first + i;
    if (thread / 32 * each >= nrhs) return;
    const T *from = panel(first) + (e.transposed ? i * (l.pitch + 1) : i);
    const int step = e.transposed ? -1 : l.pitch - 1, low = i - last(), high = t < e.n ? i : 0;
    T row[NB], pivot = make<T>(1);
#pragma unroll
    for (int q = 0; q < NB; q++) row[q] = q >= low && q < high ? conj_if(e.conj, from[q * step]) : make<T>(0);
    if (!e.unit && t < e.n) pivot = conj_if(e.conj, panel(first)[i * l.pitch]);
    const diagonal<T> by(pivot);
    const bool safe = __all_sync(all_lanes, by.safe);
    for (int r0 = thread / 32 * each; r0 < nrhs; r0 += blockDim.x / 32 * each) {
      const int r = r0 + thread % 32 / NB;
      const bool active = r < nrhs && t < e.n;
      T y = make<T>(0);
      if (e.ipiv && !e.transposed)
        y = gather(r, i, active);
      else if (active)
        y = x(r, t);
      if (e.unit)
        y = substitute(row, i, y, [](T z) { return z; });
      else if (safe)
        y = substitute(row, i, y, [&](T z) { return z * by.inverse; });
      else
        y = substitute(row, i, y, [&](T z) { return by.solve(z); });
      if (e.ipiv && e.transposed)
        scatter(r, i, active, y);
      else if (active)
        result(r, t) = y;
      if (active && e.transposed && !e.ipiv) x(r, t) = y;
      if (r < nrhs && !e.transposed) solved[i * l.sides + r] = y;
    }
  }
  /* Rows of a right-hand side that the panel's exchanges move; a warp calls. */
  __device__ __forceinline__ T gather(int r, int i, bool active) const
  {
    const solve_exchanges<NB> &p = exchange(first);
    const int from = active ? p.below[i] : -1;
    T y = make<T>(0), moved = y;
    if (active) y = x(r, p.top[i]);
    if (from >= 0) moved = x(r, from);
    __syncwarp();
    if (from >= 0) x(r, p.pivot[i] - 1) = moved;
    return y;
  }
  /* Backward, rows have their values when no exchange reaches them any more: width rows later. */
  __device__ __forceinline__ void scatter(int r, int i, bool active, T y) const
  {
    const solve_exchanges<NB> &p = exchange(first);
    const int to = active ? p.below[i] : -1;
    T moved = make<T>(0);
    if (to >= 0) moved = x(r, e.turned(p.pivot[i] - 1));
    __syncwarp();
    if (active) x(r, e.turned(p.top[i])) = y;
    if (to >= 0) x(r, e.turned(to)) = moved;
    __syncwarp();
    const int t = first - e.width + i;
    if (r < nrhs && t >= 0 && t < e.n) result(r, t) = x(r, t);
  }

  /* Rows behind the panel lose its columns times what is solved. */
  __device__ __forceinline__ void push() const
  {
    const int rows = min(e.width, e.n - first - NB);
    for (int task = thread; task < rows * ((nrhs + G - 1) / G); task += blockDim.x) {
      const int i = NB + task % rows, r0 = task / rows * G;
      const T *from = panel(first) + i;
      T sum[G];
#pragma unroll
      for (int r = 0; r < G; r++) sum[r] = make<T>(0);
#pragma unroll
      for (int q = 0; q < NB; q++) {
        if (i - q <= last()) {
          const T factor = conj_if(e.conj, from[q * (l.pitch - 1)]);
          T y[G];
          load_sides(solved + q * l.sides + r0, y);
#pragma unroll
          for (int r = 0; r < G; r++) sum[r] = mad(factor, y[r], sum[r]);
        }
      }
#pragma unroll
      for (int r = 0; r < G; r++)
        if (r0 + r < nrhs) x(r0 + r, first + i) = x(r0 + r, first + i) - sum[r];
    }
  }
  static __device__ __forceinline__ void load_sides(const T *from, T (&y)[G])
  {
    constexpr int size = pack<T>::size < G ? pack<T>::size : G;
#pragma unroll
    for (int r = 0; r < G; r += size) {
      if constexpr (G == 1) {
        y[r] = from[r];
      } else {
        const pack<T> both = *reinterpret_cast<const pack<T> *>(from + r);
#pragma unroll
        for (int v = 0; v < size; v++) y[r + v] = both.x[v];
      }
    }
  }

  /* The panel's rows lose their products with what was solved before it; exchanges have moved numbers of column i down
   * by up to i. */
  __device__ __forceinline__ void pull() const
  {
    for (int task = thread; task < NB * PANEL_PARTS * ((nrhs + G - 1) / G); task += blockDim.x) {
      const int i = task / PANEL_PARTS % NB, t = first + i, r0 = task / (PANEL_PARTS * NB) * G;
      const int end = t < e.n ? min(e.ipiv ? e.width + i : e.width, t) : 0;
      const T *row = panel(first) + i * l.pitch;
      T sum[G];
#pragma unroll
      for (int r = 0; r < G; r++) sum[r] = make<T>(0);
      for (int d = i + 1 + task % PANEL_PARTS; d <= end; d += PANEL_PARTS) {
        const T factor = conj_if(e.conj, row[d]);
#pragma unroll
        for (int r = 0; r < G; r++) sum[r] = mad(factor, x(min(r0 + r, nrhs - 1), t - d), sum[r]);
      }
#pragma unroll
      for (int r = 0; r < G; r++) {
        sum[r] = sum_lanes(sum[r], PANEL_PARTS);
        if (task % PANEL_PARTS == 0 && t < e.n && r0 + r < nrhs) x(r0 + r, t) = x(r0 + r, t) - sum[r];
      }
    }
  }

  __device__ __forceinline__ void run()
  {
    const bool prepares = e.ipiv && thread / 32 == 1;
    first = start = 0;
    fetch(0);
    fetch(NB);
    if (e.ipiv) {
      copy_wait<1>();
      __syncthreads();
      if (prepares) prepare(0);
    }
    while (first < e.n) {
      if (e.ipiv)
        copy_wait<0>();
      else
        copy_wait<1>();
      __syncthreads();
      fetch(first + 2 * NB);
      if (e.transposed) {
        pull();
        __syncthreads();
      }
      if (prepares) prepare(first + NB);
      solve();
      if (!e.transposed) {
        __syncthreads();
        push();
      }
      first += NB;
      start += NB;
      if (start >= l.ring) start -= l.ring;
    }
    copy_wait<0>();
    __syncthreads();
    if (!e.ipiv || !e.transposed) return;
    const int left = max(0, first - e.width);
    for (int r = 0; r < nrhs; r++)
      for (int t = left + thread; t < e.n; t += blockDim.x) result(r, t) = x(r, t);
    __syncthreads();
  }
};

template <class T, int NB, int G>
__device__ __forceinline__ panel_solve<T, NB, G> panel_solve_of(const solve_layout<T, NB> &l, T *b, int64_t inc,
                                                                int64_t ldb, int nrhs)
{
  __shared__ solve_exchanges<NB> exchanges[PANEL_STAGES];
  T *solved = shared_array<T>(), *panels = solved + NB * l.sides;
  const unsigned turn = (blockIdx.x * 2654435769u >> 29) * 32; /* 2^32 by the golden section: evenly spread */
  const int thread = (int)((threadIdx.x + turn) % blockDim.x);
  return {l,  exchanges, solved, panels, panels + PANEL_STAGES * NB * l.pitch, b, inc, ldb, min(nrhs, l.sides),
          {}, thread,    0,      0};
}

/* ------------------------------------------------------------------ kernels */

/* A = L U: forward with L, backward with U; or forward with U's transpose, backward with L's. */
template <class T, int NB, int G> __global__ void gbtrs_panels(gbtrs_call<T> c, solve_layout<T, NB> l, int tiles)
{
  const bool transposed = c.trans != BATCHED_NO_TRANS, conj = c.trans == BATCHED_CONJ_TRANS;
  for (int64_t g = blockIdx.x; g < c.b.count * tiles; g += gridDim.x) {
    const int64_t b = g / tiles, ldb = c.b.leading(b);
    const int j = (int)(g % tiles) * l.sides, n = c.b.rows(b), kl = c.kl.at(b), kv = kl + c.ku.at(b);
    if (n == 0 || j >= c.b.cols(b) || (c.info && c.info[b] != 0)) continue;
    panel_solve<T, NB, G> s = panel_solve_of<T, NB, G>(l, c.b.at(b) + j * ldb, 1, ldb, c.b.cols(b) - j);
    for (int pass = 0; pass < 2; pass++) {
      const bool lower = (pass == 0) != transposed;
      s.e = {c.ab.at(b) + kv,
             c.ab.leading(b),
             n,
             min(lower ? kl : kv, n - 1),
             lower,
             transposed,
             conj,
             lower,
             lower ? c.pivots.at(b) : nullptr};
      s.run();
    }
  }
}

/* A^-1 = L^-H L^-1 or U^-1 U^-H. */
template <class T, int NB, int G> __global__ void pbtrs_panels(pbtrs_call<T> c, solve_layout<T, NB> l, int tiles)
{
  for (int64_t g = blockIdx.x; g < c.b.count * tiles; g += gridDim.x) {
    const int64_t b = g / tiles, ldb = c.b.leading(b);
    const int j = (int)(g % tiles) * l.sides, n = c.b.rows(b), kd = c.kd.at(b);
    if (n == 0 || j >= c.b.cols(b) || (c.info && c.info[b] != 0)) continue;
    panel_solve<T, NB, G> s = panel_solve_of<T, NB, G>(l, c.b.at(b) + j * ldb, 1, ldb, c.b.cols(b) - j);
    for (int pass = 0; pass < 2; pass++) {
      const bool transposed = (pass == 0) == c.upper;
      s.e = {c.ab.at(b) + (c.upper ? kd : 0),
             c.ab.leading(b),
             n,
             min(kd, n - 1),
             !c.upper,
             transposed,
             transposed,
             false,
             nullptr};
      s.run();
    }
  }
}

template <class T, int NB> __global__ void tbsv_panels(tbsv_call<T> c, solve_layout<T, NB> l)
{
  for (int64_t b = blockIdx.x; b < c.x.count; b += gridDim.x) {
    const int n = c.x.length(b), kd = c.kd.at(b);
    if (n == 0) continue;
    panel_solve<T, NB, 1> s = panel_solve_of<T, NB, 1>(l, c.x.at(b), c.x.increment(b), 0, 1);
    s.e = {c.ab.at(b) + (c.upper ? kd : 0),
           c.ab.leading(b),
           n,
           min(kd, n - 1),
           !c.upper,
           c.transposed,
           c.conj,
           c.unit,
           nullptr};
    s.run();
  }
}

/* ------------------------------------------------------------------ launches */

/* Layout of a block's shared memory for a call with right-hand sides: with as many of them as fit. */
template <class T> struct panel_plan {
  static constexpr int NB = solve_columns<T>;
  solve_layout<T, NB> l;
  int tiles, threads;

  /* n, width and exchanged_width are bounds; exchanged_width < 0: no exchanges. */
  panel_plan(int64_t n, int64_t width, int64_t exchanged_width, int nrhs)
      : l(reach(n, width), exchanged_width < 0 ? -NB : reach(n, exchanged_width), nrhs <= 1 ? 1 : sides_for(nrhs))
  {
    while (l.sides > 4 && !fits()) l.sides = std::max(4, l.sides / 8 * 4);
    tiles = (int)ceil_div(std::max(nrhs, 1), l.sides);
    const int64_t tasks = reach(n, width) * (l.sides == 1 ? 1 : l.sides / 4);
    threads = tasks <= 32 ? 64 : tasks <= 128 ? 128 : 256;
  }
  static int64_t reach(int64_t n, int64_t width)
  {
    return std::min(width, std::max(n - 1, (int64_t)0));
  }
  static int sides_for(int nrhs)
  {
    return std::min((nrhs + 3) / 4 * 4, (int)PANEL_SIDES);
  }
  size_t bytes() const
  {
    return (size_t)l.size() * sizeof(T);
  }
  bool fits() const
  {
    return bytes() + sizeof(solve_exchanges<NB>) * PANEL_STAGES + 1024 <= most_shared();
  }
};

template <class T> panel_plan<T> plan_of(const gbtrs_call<T> &c)
{
  return {c.ab.n, (int64_t)c.kl.bound + c.ku.bound, c.kl.bound, c.b.n};
}
template <class T> panel_plan<T> plan_of(const pbtrs_call<T> &c)
{
  return {c.ab.n, c.kd.bound, -1, c.b.n};
}
template <class T> panel_plan<T> plan_of(const tbsv_call<T> &c)
{
  return {c.ab.n, c.kd.bound, -1, 1};
}

template <class C> bool panels_can_solve(const C &c)
{
  return plan_of(c).fits();
}

template <class T> int launch_gbtrs_panels(batched_ctx *ctx, const gbtrs_call<T> &c)
{
  const panel_plan<T> p = plan_of(c);
  const auto kernel = p.l.sides == 1 ? gbtrs_panels<T, p.NB, 1> : gbtrs_panels<T, p.NB, 4>;
  return launch(ctx, kernel, c.b.count * p.tiles, p.threads, p.bytes(), c, p.l, p.tiles);
}
template <class T> int launch_pbtrs_panels(batched_ctx *ctx, const pbtrs_call<T> &c)
{
  const panel_plan<T> p = plan_of(c);
  const auto kernel = p.l.sides == 1 ? pbtrs_panels<T, p.NB, 1> : pbtrs_panels<T, p.NB, 4>;
  return launch(ctx, kernel, c.b.count * p.tiles, p.threads, p.bytes(), c, p.l, p.tiles);
}
template <class T> int launch_tbsv_panels(batched_ctx *ctx, const tbsv_call<T> &c)
{
  const panel_plan<T> p = plan_of(c);
  return launch(ctx, tbsv_panels<T, p.NB>, c.x.count, p.threads, p.bytes(), c, p.l);
}

} // namespace batched_cuda::band

#endif
