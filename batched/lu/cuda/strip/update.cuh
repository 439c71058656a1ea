/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Columns beside a strip of getrf, on the tensor cores in double precision: row exchanges as they are read,
 * U = L11^-1 C, C -= L U.  L stays in shared memory while C passes through registers, 16 columns at a time, read and
 * written once.  Of all rows (update_beside_strip), or of those of U alone, where the others are left to products, and
 * only those that pivots exchange move (form_block_row_tc).
 *
 * A set of WARPS warps has 16 columns, transposed, in the accumulators of its products: warp w slices w, w + WARPS, ...
 * of 8 rows.  For each 8 columns of L the warp that has their rows of C shows them to the others; each forms U^T from
 * them, in its registers, where it is the first factor of the products with L^T.  L has zeros on its diagonal and above
 * it, which leaves U where L11 is.
 *
 * grid      a block per matrix and part of its columns
 * block     SETS sets of WARPS warps
 * shared    L as the products' second factors, inverses of its 8 x 8 triangles, rows of C that are shown, sources of
 *           rows
 * takes     double precision, m <= 8 SLICES WARPS (block row: 128 columns of L), so many columns of L as fit, uniform
 * accuracy  as getrf; inverses of unit triangles cost digits where nearly all of L is near -1
 */
#ifndef BATCHED_LU_CUDA_STRIP_UPDATE_CUH
#define BATCHED_LU_CUDA_STRIP_UPDATE_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/cuda/predicated.cuh"
#include "batched/lu/cuda/exchange.cuh"
#include "batched/lu/cuda/strip/instructions.cuh"

namespace batched_cuda::lu
{

struct lu_update_args {
  batch<double> l, c; /* rows of both begin with L's diagonal; as many rows of L as take part */
  const int *ipiv;    /* NULL: no row moves */
  int npivots, first; /* first: rows above, of those that the pivots count */
  int parts, each;    /* parts of C's columns, and columns of each: a multiple of 16 */
};

/* Where things are in shared memory, in doubles, for m rows and k columns of L. */
struct lu_update_layout {
  static constexpr int B = 8, SHOWN = 16 * B;
  int slices, blocks, inverses, shown, sources;

  DEVICE lu_update_layout(int m, int k, int sets)
      : slices((m + B - 1) / B), blocks((k + B - 1) / B), inverses(block(slices, blocks - 1)),
        shown(inverses + blocks * B * B), sources(shown + 2 * SHOWN * sets)
  {
  }
  /* With `moves` rows below that move. */
  DEVICE int64_t bytes(int moves = 0) const
  {
    return (int64_t)sources * (int)sizeof(double) + (int64_t)slices * B * (int)sizeof(int) +
           moves * (int64_t)sizeof(row_move);
  }
  /* The 8 x 8 block q of slice s >= q of L: lane 4 g + t has elements (g, 2 t) and (g, 2 t + 1). */
  DEVICE int block(int s, int q) const
  {
    return (q * slices - q * (q + 1) / 2 + s) * B * B;
  }
};

/* LONG: C has rows below those of L, of which some move. */
template <int SLICES, int WARPS, int SETS, bool LONG> struct lu_update_strip {
  static constexpr int B = lu_update_layout::B, N = 16;
  const lu_update_args &w;
  const lu_update_layout at;
  double *const memory;
  const int warp, set, own, lane, g, t, m, k;
  double p[SLICES][4];

  __device__ __forceinline__ lu_update_strip(const lu_update_args &w, double *memory)
      : w(w), at(w.l.m, w.l.n, SETS), memory(memory), warp(__shfl_sync(all_lanes, (int)threadIdx.x / 32, 0)),
        set(warp / WARPS), own(warp % WARPS), lane(threadIdx.x % 32), g(lane / 4), t(lane % 4), m(w.l.m), k(w.l.n)
  {
  }
  __device__ __forceinline__ int *sources() const
  {
    return reinterpret_cast<int *>(memory + at.sources);
  }
  /* Entry e < k: where the row comes from that goes to pivot e's, below. */
  __device__ __forceinline__ row_move *moves() const
  {
    return reinterpret_cast<row_move *>(sources() + B * at.slices);
  }
  __device__ __forceinline__ int top(int s) const
  {
    return B * (s * WARPS + own);
  }
  /* The set's barrier. */
  __device__ __forceinline__ void meet() const
  {
    named_sync(1 + set, 32 * WARPS);
  }

  __device__ __forceinline__ void load_lower(const double *l, int64_t ld) const
  {
    constexpr int warps = WARPS * SETS; /* long rows and short ones by turns */
#pragma unroll 1
    for (int turn = 0; turn * warps < at.slices; turn++) {
      const int s = turn * warps + (turn % 2 ? warps - 1 - warp : warp), i = B * s + g;
      const int blocks = s < at.slices ? min(s + 1, at.blocks) : 0;
      const double *from = l + i + 2 * t * ld;
#pragma unroll 2
      for (int q = 0; q < blocks; q++, from += B * ld) {
        const int c = B * q + 2 * t;
        const bool one = i < m && c < k && i > c, two = i < m && c + 1 < k && i > c + 1;
        double *const to = memory + at.block(s, q) + 2 * lane;
        start_copy_if(one, to, from);
        start_copy_if(two, to + 1, from + ld);
        if (!one) to[0] = 0;
        if (!two) to[1] = 0;
      }
    }
    copy_commit();
    copy_wait<0>();
  }
  /* Row i of L(q,q)^-1, in order: by a lane per column, which solves for a column of the identity. */
  __device__ __forceinline__ void invert() const
  {
#pragma unroll 1
    for (int q = warp; q < at.blocks; q += WARPS * SETS) {
      const double *const l = memory + at.block(q, q);
      double y[B];
#pragma unroll
      for (int i = 0; i < B; i++) {
        y[i] = i == lane;
#pragma unroll
        for (int j = 0; j < i; j++) y[i] = fma(-l[B * i + j], y[j], y[i]);
        if (lane < B) memory[at.inverses + (q * B + i) * B + lane] = y[i];
      }
    }
  }
  /* Where row i comes from. */
  __device__ __forceinline__ int source_of(int i, const int *pivots) const
  {
#pragma unroll 8
    for (int s = k - 1; s >= 0; s--) {
      const int p = pivots[s] - 1 - w.first;
      i = i == p ? s : i == s ? p : i;
    }
    return i;
  }
  __device__ __forceinline__ void trace_rows(const int *pivots) const
  {
    for (int i = threadIdx.x; i < B * at.slices; i += 32 * WARPS * SETS)
      sources()[i] = i >= m ? -1 : pivots ? source_of(i, pivots) : i;
    if constexpr (LONG)
      for (int e = threadIdx.x; e < k; e += 32 * WARPS * SETS) {
        const int to = pivots ? pivots[e] - 1 - w.first : 0;
        moves()[e] = {to < m ? to : source_of(to, pivots), to};
      }
  }
  /* Columns from c on, `left` of them. */
  __device__ __forceinline__ void read(const double *c, int64_t ld, int left)
  {
    const double *const x = c + g * ld, *const y = x + 8 * ld;
#pragma unroll
    for (int s = 0; s < SLICES; s++) {
      int2 from = {-1, -1};
      if (top(s) < m) from = *reinterpret_cast<const int2 *>(sources() + top(s) + 2 * t);
#pragma unroll
      for (int e = 0; e < 4; e++) p[s][e] = 0;
      load_if<use::once>(from.x >= 0 && g < left, x + from.x, p[s][0]);
      load_if<use::once>(from.y >= 0 && g < left, x + from.y, p[s][1]);
      load_if<use::once>(from.x >= 0 && g + 8 < left, y + from.x, p[s][2]);
      load_if<use::once>(from.y >= 0 && g + 8 < left, y + from.y, p[s][3]);
    }
  }
  __device__ __forceinline__ void write(double *c, int64_t ld, int left, bool by_twos) const
  {
    double *const x = c + g * ld, *const y = x + 8 * ld;
#pragma unroll
    for (int s = 0; s < SLICES; s++) {
      const int i = top(s) + 2 * t;
      if (by_twos) {
        store_if(i < m && g < left, x + i, p[s][0], p[s][1]);
        store_if(i < m && g + 8 < left, y + i, p[s][2], p[s][3]);
      } else {
        store_if(i < m && g < left, x + i, p[s][0]);
        store_if(i + 1 < m && g < left, x + i + 1, p[s][1]);
        store_if(i < m && g + 8 < left, y + i, p[s][2]);
        store_if(i + 1 < m && g + 8 < left, y + i + 1, p[s][3]);
      }
    }
  }
  /* Moves rows below, an entry per lane, behind the set's barrier: then it has read all its rows. */
  __device__ __forceinline__ void move_below(double *c, int64_t ld, int left) const
  {
    const int e = 32 * own + lane;
    double v[N] = {};
    row_move move = {0, 0};
    if (e < k) move = moves()[e];
#pragma unroll
    for (int j = 0; j < N; j++) load_if<use::once>(move.from != move.to && j < left, c + move.from + j * ld, v[j]);
    meet();
#pragma unroll
    for (int j = 0; j < N; j++) store_if(move.from != move.to && j < left, c + move.to + j * ld, v[j]);
  }
  /* Shows slice q, if it is this warp's, to the set: columns one after the other. */
  __device__ __forceinline__ void show(int q, double *shown) const
  {
#pragma unroll
    for (int s = 0; s < SLICES; s++)
      if (top(s) == B * q) {
        *reinterpret_cast<double2 *>(shown + B * g + 2 * t) = {p[s][0], p[s][1]};
        *reinterpret_cast<double2 *>(shown + B * (g + 8) + 2 * t) = {p[s][2], p[s][3]};
      }
  }
  /* -U^T of block q as first factor: lane 4 g + t has elements 2 t and 2 t + 1 of columns g and g + 8. */
  __device__ __forceinline__ void solve(int q, const double *shown, double a[4]) const
  {
    const double *const v = memory + at.inverses + (q * B + g) * B;
    const double2 x = *reinterpret_cast<const double2 *>(shown + B * g + 2 * t),
                  y = *reinterpret_cast<const double2 *>(shown + B * (g + 8) + 2 * t),
                  b = *reinterpret_cast<const double2 *>(v + 2 * t);
    const double given[4] = {x.x, y.x, x.y, y.y}, inverse[2] = {b.x, b.y};
    double u[4] = {};
    multiply_16x8x8(u, given, inverse);
    const bool here = B * q + 2 * t < k, next = B * q + 2 * t + 1 < k; /* rows of U: 0 times infinity would be NaN */
    a[0] = here ? -u[0] : 0, a[1] = here ? -u[2] : 0, a[2] = next ? -u[1] : 0, a[3] = next ? -u[3] : 0;
  }
  __device__ __forceinline__ void apply()
  {
    double *const shown = memory + at.shown + 2 * lu_update_layout::SHOWN * set;
    show(0, shown);
#pragma unroll 1
    for (int q = 0; q < at.blocks; q++) {
      meet();
      double a[4];
      solve(q, shown + q % 2 * lu_update_layout::SHOWN, a);
      const double *const l = memory + at.block(own, q) + 2 * lane;
#pragma unroll
      for (int s = 0; s < SLICES; s++) {
        if (top(s) < B * q || top(s) >= m) continue;
        const double2 x = *reinterpret_cast<const double2 *>(l + s * WARPS * B * B);
        const double b[2] = {x.x, x.y};
        multiply_16x8x8(p[s], a, b);
      }
      show(q + 1, shown + (q + 1) % 2 * lu_update_layout::SHOWN);
    }
    meet();
  }
};

template <int SLICES, int WARPS, int SETS, bool LONG> __device__ __forceinline__ void lu_update(const lu_update_args &w)
{
  static_assert(!LONG || SLICES * 8 <= 32, "an entry per lane");
  lu_update_strip<SLICES, WARPS, SETS, LONG> x(w, shared_array<double>());
  for (int64_t unit = blockIdx.x; unit < w.c.count * w.parts; unit += gridDim.x) {
    const int64_t b = unit / w.parts, ld = w.c.leading(b);
    const int begin = (int)(unit - b * w.parts) * w.each, end = min(begin + w.each, w.c.n);
    x.trace_rows(w.ipiv ? w.ipiv + b * w.npivots + w.first : nullptr);
    x.load_lower(w.l.at(b), w.l.leading(b));
    __syncthreads();
    x.invert();
    __syncthreads();
    double *const c = w.c.at(b);
    const bool by_twos = (reinterpret_cast<size_t>(c) % 16 | ld % 2 | x.m % 2) == 0;
#pragma unroll 1
    for (int j = begin + 16 * x.set; j < end; j += 16 * SETS) {
      x.read(c + j * ld, ld, end - j);
      if (LONG && w.ipiv)
        x.move_below(c + j * ld, ld, end - j);
      else if (x.own == 0 && x.lane < min(16, end - j - 16 * SETS))
        prefetch(c + (j + 16 * SETS + x.lane) * ld, x.m);
      x.apply();
      x.write(c + j * ld, ld, end - j, by_twos);
    }
    __syncthreads();
  }
}

template <int SLICES, int WARPS, int SETS>
__global__ void __launch_bounds__(32 * WARPS * SETS, 1) update_beside_strip(const __grid_constant__ lu_update_args w)
{
  lu_update<SLICES, WARPS, SETS, false>(w);
}

/* L's rows are as many as its columns. */
template <int SLICES, int WARPS, int SETS>
__global__ void __launch_bounds__(32 * WARPS * SETS, 2) form_block_row_tc(const __grid_constant__ lu_update_args w)
{
  lu_update<SLICES, WARPS, SETS, true>(w);
}

} // namespace batched_cuda::lu

#endif
