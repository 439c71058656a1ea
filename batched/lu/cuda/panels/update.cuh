/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Updates of a panel of getrf_panels.cuh by the earlier ones: U(K,J) = L(K,K)^-1 A(K,J), A(i,J) -= L(i,K) U(K,J),
 * on the CUDA cores with a thread per two rows, or in double precision on the tensor cores.
 */
#ifndef BATCHED_LU_CUDA_PANELS_UPDATE_CUH
#define BATCHED_LU_CUDA_PANELS_UPDATE_CUH

#include "batched/cuda/mma.cuh"
#include "batched/lu/cuda/panels/history.cuh"

namespace batched_cuda::lu
{

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

} // namespace batched_cuda::lu

#endif
