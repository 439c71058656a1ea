/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.tile of unmtr_hb2st: a block has some columns of C, or rows, a thread each, and applies all reflectors to
 * them, in parallelograms: those of block row k of several consecutive sweeps, whose rows, and the vectors, are in
 * shared memory for so long.  In Q2 C later sweeps go first, and of a group of sweeps the first block row: vectors of
 * earlier sweeps below have to wait, and those of later ones below do not meet; in Q2^H C it is the other way round.
 *
 *   grid       a block per tile
 *   block      a thread per column: 32 or 64
 *   shared     kd + sweeps - 1 rows of the tile, sweeps x kd elements of v; where kd is too large for a single sweep:
 *              nothing, and C and v are read where they are
 *   registers  8, 16 and 32 diagonals: kd + 7 (z kd + 3) elements of a column, for 8 (4) reflectors
 *   takes      all four types, any size
 *   reads      v once per tile; C, and writes it, (kd + sweeps) / (kd sweeps) n times
 *   accuracy   that of reflectors, one after the other
 */
#ifndef BATCHED_TWO_STAGE_CUDA_UNMTR_HB2ST_TILE_CUH
#define BATCHED_TWO_STAGE_CUDA_UNMTR_HB2ST_TILE_CUH

#include "batched/two_stage/cuda/hb2st.cuh"

namespace batched_cuda::two_stage
{

template <class T> struct unmtr_hb2st_task {
  bool left, adjoint; /* X = Q2 X or Q2^H X, X being C or, if not `left`, C^H */
  int kd, sweeps;
  bool shared;
  batch<T> v, c;
};

/* Element i of the thread's column of X; in C^H it is the conjugate of what is stored. */
template <class T> struct stored_column {
  T *at;
  int64_t step;
  bool conjugate;

  __device__ __forceinline__ T get(int64_t i) const
  {
    return conj_if(conjugate, at[i * step]);
  }
  __device__ __forceinline__ void set(int64_t i, T x) const
  {
    at[i * step] = conj_if(conjugate, x);
  }
};

/* x = H x or H^H x, of m elements; v has tau in the place of its 1. */
template <class T>
static __device__ __forceinline__ void reflect_column(bool adjoint, int m, const T *v, const stored_column<T> &x)
{
  T sum = x.get(0);
#pragma unroll 8
  for (int i = 1; i < m; i++) sum = mad(conj(v[i]), x.get(i), sum);
  const T f = -((adjoint ? conj(v[0]) : v[0]) * sum);
  x.set(0, x.get(0) + f);
#pragma unroll 8
  for (int i = 1; i < m; i++) x.set(i, mad(f, v[i], x.get(i)));
}

/* The same, for widths that there are kernels for: U reflectors at a time on KD + U - 1 elements of a column in
 * registers.  Vectors and the window are filled up with zeros, to so many sweeps, a multiple of U. */
template <class T> constexpr int reflectors_at_once = sizeof(T) == 16 ? 4 : 8;
template <int KD, bool ADJOINT, class T>
static __device__ __forceinline__ void reflect_in_registers(int sweeps, const T *vectors, T *column, int ld)
{
  constexpr int U = reflectors_at_once<T>;
  for (int l = 0; l < sweeps; l += U) {
    const int first = ADJOINT ? l : sweeps - U - l;
    T *const at = column + first * ld;
    T x[KD + U - 1];
#pragma unroll
    for (int i = 0; i < KD + U - 1; i++) x[i] = at[i * ld];
#pragma unroll
    for (int h = 0; h < U; h++) {
      const int q = ADJOINT ? h : U - 1 - h;
      const T *const v = vectors + (first + q) * KD;
      T sums[4] = {x[q], make<T>(0), make<T>(0), make<T>(0)};
#pragma unroll
      for (int i = 1; i < KD; i++) sums[i % 4] = mad(conj(v[i]), x[q + i], sums[i % 4]);
      const T f = -((ADJOINT ? conj(v[0]) : v[0]) * ((sums[0] + sums[1]) + (sums[2] + sums[3])));
      x[q] += f;
#pragma unroll
      for (int i = 1; i < KD; i++) x[q + i] = mad(f, v[i], x[q + i]);
    }
#pragma unroll
    for (int i = 0; i < KD + U - 1; i++) at[i * ld] = x[i];
  }
}

/* Sweeps first .. last - 1, their block row k, whose first row is `row`, of a tile of `cols` columns. */
template <class T> struct parallelogram {
  int first, last, row, rows, cols;
  T *c; /* element (row, 0) of the tile of C */
  const T *v;
  int64_t down, right, ldv;
};

/* Copies the tile's rows from C, with zeros below them, and the vectors. */
template <class T>
static __device__ __forceinline__ void load_parallelogram(const unmtr_hb2st_task<T> &g, int n, int kd,
                                                          const parallelogram<T> &p, T *vectors, T *window, int ld)
{
  const int sweeps = p.last - p.first, height = kd + g.sweeps - 1;
  for (int e = threadIdx.x; e < g.sweeps * kd; e += blockDim.x) {
    const int i = e % kd, q = e / kd;
    const bool there = q < sweeps && p.row + q + i < n;
    vectors[e] = there ? p.v[p.row + q + i + (p.first + q) * p.ldv] : make<T>(0);
  }
  for (int e = threadIdx.x; e < height * p.cols; e += blockDim.x) {
    const int i = g.left ? e % height : e / p.cols, j = g.left ? e / height : e % p.cols;
    window[i * ld + j] = i < p.rows ? conj_if(!g.left, p.c[i * p.down + j * p.right]) : make<T>(0);
  }
}

template <class T>
static __device__ __forceinline__ void store_parallelogram(const unmtr_hb2st_task<T> &g, const parallelogram<T> &p,
                                                           const T *window, int ld)
{
  for (int e = threadIdx.x; e < p.rows * p.cols; e += blockDim.x) {
    const int i = g.left ? e % p.rows : e / p.cols, j = g.left ? e / p.rows : e % p.cols;
    p.c[i * p.down + j * p.right] = conj_if(!g.left, window[i * ld + j]);
  }
}

/* KD: the width that there are registers for; 0: any. */
template <int KD, class T>
static __device__ __forceinline__ void apply_parallelogram(const unmtr_hb2st_task<T> &g, int n, int kd,
                                                           const parallelogram<T> &p, T *memory)
{
  const int sweeps = p.last - p.first, ld = blockDim.x + 1;
  T *const vectors = memory, *const window = memory + (int64_t)g.sweeps * kd;
  const bool mine = (int)threadIdx.x < p.cols;
  if (g.shared) {
    load_parallelogram(g, n, kd, p, vectors, window, ld);
    __syncthreads();
  }
  if (KD > 0 && kd == KD) {
    if constexpr (KD > 0) {
      if (mine && g.adjoint) reflect_in_registers<KD, true>(g.sweeps, vectors, window + threadIdx.x, ld);
      if (mine && !g.adjoint) reflect_in_registers<KD, false>(g.sweeps, vectors, window + threadIdx.x, ld);
    }
  } else {
    for (int l = 0; l < sweeps && mine; l++) {
      const int q = g.adjoint ? l : sweeps - 1 - l, m = min(kd, n - p.row - q);
      if (m <= 0) continue;
      if (g.shared)
        reflect_column(g.adjoint, m, vectors + q * kd, stored_column<T>{window + q * ld + threadIdx.x, ld, false});
      else
        reflect_column(g.adjoint, m, p.v + p.row + q + (p.first + q) * p.ldv,
                       stored_column<T>{p.c + q * p.down + threadIdx.x * p.right, p.down, !g.left});
    }
  }
  if (!g.shared) return;
  __syncthreads();
  store_parallelogram(g, p, window, ld);
  __syncthreads();
}

template <int KD, class T>
static __global__ void __launch_bounds__(64) multiply_tiles(const __grid_constant__ unmtr_hb2st_task<T> g, int tiles)
{
  T *const memory = shared_array<T>();
  for (int64_t unit = blockIdx.x; unit < g.c.count * tiles; unit += gridDim.x) {
    const int64_t b = unit / tiles;
    const int n = g.left ? g.c.rows(b) : g.c.cols(b), others = g.left ? g.c.cols(b) : g.c.rows(b);
    const int j0 = (int)(unit % tiles) * blockDim.x, kd = clamp_width(n, g.kd);
    if (n < 2 || j0 >= others) continue;
    const int64_t ld = g.c.leading(b), down = g.left ? 1 : ld, right = g.left ? ld : 1;
    const int groups = (n - 1 + g.sweeps - 1) / g.sweeps;
    for (int l = 0; l < groups; l++) {
      const int first = (g.adjoint ? l : groups - 1 - l) * g.sweeps, last = min(first + g.sweeps, n - 1);
      const int blocks = (n - 1 - first + kd - 1) / kd;
      for (int h = 0; h < blocks; h++) {
        const int row = first + 1 + (g.adjoint ? blocks - 1 - h : h) * kd;
        const parallelogram<T> p = {first,
                                    last,
                                    row,
                                    min(kd + last - first - 1, n - row),
                                    min((int)blockDim.x, others - j0),
                                    g.c.at(b) + row * down + j0 * right,
                                    g.v.at(b),
                                    down,
                                    right,
                                    g.v.leading(b)};
        apply_parallelogram<KD>(g, n, kd, p, memory);
      }
    }
  }
}

} // namespace batched_cuda::two_stage

#endif
