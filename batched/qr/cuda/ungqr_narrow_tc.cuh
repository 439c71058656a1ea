/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.narrow_tc of ungqr: all reflectors of a matrix of few columns as one, I - V T V^T.
 */
#ifndef BATCHED_QR_CUDA_UNGQR_NARROW_TC_CUH
#define BATCHED_QR_CUDA_UNGQR_NARROW_TC_CUH

#include "batched/cuda/mma.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

/* Matrices of up to 8 N columns: with up to 48 of them 8 warps leave room for two blocks, with more 4 do. */
template <int N> struct narrow_shape {
  static constexpr int groups = N, width = 8 * N, tall = (N + 1) / 2; /* tiles of 16 rows of V^T V */
  static constexpr int warps = N <= 6 ? 8 : 4, threads = 32 * warps;
  static constexpr int ld = 16 * tall + 4; /* lanes 4 g + t read element (t, g): all banks */
  static constexpr size_t shared = 2 * sizeof(double) * width * ld;
};
constexpr int narrow_least = 17, narrow_most = 64;

/* Element (r, c) of V, of which A holds what is below the diagonal. */
struct reflectors_of {
  const double *a;
  int64_t ld;
  int m, k;

  __device__ __forceinline__ double operator()(int r, int c) const
  {
    return r < m && r > c && c < k ? a[r + c * ld] : r == c && c < k ? 1.0 : 0.0;
  }
};

/* The upper 8 x 8 blocks of V^T V, added up over the warps in their order. */
template <class S> __device__ __forceinline__ void add_gram(const reflectors_of &v, double *gram)
{
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  double d[S::tall][S::groups][4] = {};
#pragma unroll 1
  for (int first = 8 * warp; first < v.m; first += 8 * S::warps) {
    double x[2 * S::tall][2] = {};
#pragma unroll
    for (int j = 0; j < S::groups; j++)
#pragma unroll
      for (int i = 0; i < 2; i++) x[j][i] = v(first + 4 * i + t, 8 * j + g);
#pragma unroll
    for (int i = 0; i < S::tall; i++) {
      const double y[4] = {x[2 * i][0], x[2 * i + 1][0], x[2 * i][1], x[2 * i + 1][1]};
#pragma unroll
      for (int j = 2 * i; j < S::groups; j++) multiply_16x8x8(d[i][j], y, x[j]);
    }
  }
  for (int turn = 0; turn < S::warps; turn++) {
    if (warp == turn) {
#pragma unroll
      for (int i = 0; i < S::tall; i++)
#pragma unroll
        for (int j = 2 * i; j < S::groups; j++)
#pragma unroll
          for (int e = 0; e < 4; e++) {
            const int row = 16 * i + g + e / 2 * 8;
            double *const at = gram + row + (8 * j + 2 * t + e % 2) * S::ld;
            if (row < S::width) *at = turn == 0 ? d[i][j][e] : *at + d[i][j][e];
          }
    }
    __syncthreads();
  }
}

/* A row of T by each thread, from what is above the diagonal of V^T V and from tau (LAPACK's larft). */
template <class S>
__device__ __forceinline__ void make_t(const double *gram, const double *tau, int increment, int k, double *t)
{
  const int i = threadIdx.x;
  for (int j = 0; j < S::width; j++) {
    const double scale = j < k ? tau[(int64_t)j * increment] : 0;
    const double *const g = gram + j * S::ld;
    double even = 0, odd = 0;
    for (int l = 0; l < j; l += 2) {
      even = fma(t[i + l * S::ld], g[l], even);
      if (l + 1 < j) odd = fma(t[i + (l + 1) * S::ld], g[l + 1], odd);
    }
    t[i + j * S::ld] = i < j ? -scale * (even + odd) : i == j ? scale : 0.0;
  }
}

/* The first n columns of Q = H(1) ... H(k) = I - V T V^T of a matrix of few columns
 *   algorithm  G = V^T V on the tensor cores; T from G and tau; W = T V1^T with the n rows V1 of V; Q = I - V W
 *              (Schreiber, Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989)
 *   grid       a block of 8 warps per matrix, or, beyond 48 columns, of 4
 *   shared     G and T: 2 n (n + 4) numbers
 *   takes      double; uniform, from 17 to 64 columns, any number of rows and reflectors
 *   memory     A twice read and once written
 *   accuracy   m eps */
template <class S> __global__ void __launch_bounds__(S::threads, 2) generate_narrow(batch<double> a, batch<double> tau)
{
  double *const gram = shared_array<double>(), *const t = gram + S::width * S::ld;
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, lane = threadIdx.x % 4, n = a.n;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int ld = a.leading(b), k = tau.length(b);
    double *const q = a.at(b);
    const reflectors_of v = {q, ld, a.m, k};
    add_gram<S>(v, gram);
    /* Below the diagonal, where nobody looks at it, V1 takes its place. */
    for (int e = threadIdx.x; e < S::width * S::width; e += S::threads) {
      const int i = e % S::width, j = e / S::width;
      if (i > j) gram[i + j * S::ld] = i < n ? v(i, j) : 0;
    }
    if (threadIdx.x < S::width) make_t<S>(gram, k > 0 ? tau.at(b) : nullptr, tau.increment(b), k, t);
    __syncthreads();
    /* W, in the place of G. */
    for (int e = threadIdx.x; e < S::width * S::width; e += S::threads) {
      const int i = e % S::width, j = e / S::width;
      double sum = t[i + j * S::ld];
      for (int l = 0; l < j; l++) sum = fma(t[i + l * S::ld], gram[j + l * S::ld], sum);
      if (i <= j) gram[i + j * S::ld] = sum;
    }
    __syncthreads();
#pragma unroll 1
    for (int first = 16 * warp; first < a.m; first += 16 * S::warps) {
      double x[S::groups][4];
#pragma unroll
      for (int l = 0; l < S::groups; l++)
#pragma unroll
        for (int e = 0; e < 4; e++) x[l][e] = v(first + g + e % 2 * 8, 8 * l + e / 2 * 4 + lane);
#pragma unroll
      for (int j = 0; j < S::groups; j++) {
        double d[4] = {};
#pragma unroll
        for (int l = 0; l <= j; l++) {
          double w[2];
#pragma unroll
          for (int i = 0; i < 2; i++) {
            const int row = 8 * l + 4 * i + lane, col = 8 * j + g;
            w[i] = row <= col ? gram[row + col * S::ld] : 0;
          }
          multiply_16x8x8(d, x[l], w);
        }
#pragma unroll
        for (int e = 0; e < 4; e++) {
          const int row = first + g + e / 2 * 8, col = 8 * j + 2 * lane + e % 2;
          if (row < a.m && col < n) q[row + (int64_t)col * ld] = (row == col) - d[e];
        }
      }
    }
    __syncthreads();
  }
}

inline bool fits_narrow(batched_type type, int n)
{
  return type == BATCHED_D && n >= narrow_least && n <= narrow_most;
}

template <int N> int run_narrow(const batched_ctx *ctx, const batch<double> &a, const batch<double> &tau)
{
  using S = narrow_shape<N>;
  return launch(ctx, generate_narrow<S>, a.count, S::threads, S::shared, a, tau);
}

static inline int run_narrow(const batched_ctx *ctx, const batch<double> &a, const batch<double> &tau)
{
  switch (ceil_div(a.n, 8)) {
  case 3: return run_narrow<3>(ctx, a, tau);
  case 4: return run_narrow<4>(ctx, a, tau);
  case 5: return run_narrow<5>(ctx, a, tau);
  case 6: return run_narrow<6>(ctx, a, tau);
  case 7: return run_narrow<7>(ctx, a, tau);
  default: return run_narrow<8>(ctx, a, tau);
  }
}

} // namespace batched_cuda::qr

#endif
