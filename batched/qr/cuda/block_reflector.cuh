/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Block reflectors by batched gemm, for matrices of any size: H(1) ... H(32) = I - V T V^H (compact WY form: Schreiber
 * and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989; LAPACK's larft and larfb).
 *
 * V, with its ones and zeros, and T go to scratch memory (reflectors_memory). make_block() forms them from 32
 * reflectors of A and tau; apply_block() computes C -= V op(T) V^H C or C -= C V op(T) V^H by three gemm.  Rows
 * cuda.blocked (blocked.cuh) are made of these.
 *
 * launches  make_block: V (a block of 256 threads per matrix), V^H V (gemm), T (128 threads per
 *           matrix); apply_block: 3 gemm
 * shared    T, V^H V and a product: 10 to 38 KB
 * takes     all four types, any m, n and k, uniform and variable
 * memory    make_block: reads 32 columns of A, writes V, reads V; apply_block: reads V twice and C twice, writes C
 * accuracy  that of gemm; T by substitution within 8 x 8 blocks, by products between them
 */
#ifndef BATCHED_QR_CUDA_BLOCK_REFLECTOR_CUH
#define BATCHED_QR_CUDA_BLOCK_REFLECTOR_CUH

#include "batched/products/cuda/gemm.cuh"
#include "batched/qr/cuda/householder.cuh"
#include "batched/triangular/cuda/solve.cuh"

namespace batched_cuda::qr
{

static constexpr int reflectors_width = 32;

/* Copies reflectors i0 .. i0 + 31 of each matrix to V, with their ones and zeros; zero columns past its last
 * reflector. */
template <class T>
static __global__ void __launch_bounds__(256) copy_reflectors(batch<T> a, batch<T> tau, batch<T> v, int i0)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = v.rows(b), k = m > 0 ? min(min(m, a.cols(b)), tau.length(b)) : 0;
    if (m <= i0) continue;
    T *const to = v.at(b);
    const T *const from = k > i0 ? a.at(b) : nullptr;
    const int64_t ldv = v.leading(b), lda = k > i0 ? a.leading(b) : 0;
    for (int j = threadIdx.x / 32; j < reflectors_width; j += blockDim.x / 32)
      for (int i = i0 + threadIdx.x % 32; i < m; i += 32) {
        T x = make<T>(i == i0 + j && i < k);
        if (i > i0 + j && i0 + j < k) x = from[i + (i0 + j) * lda];
        to[i + j * ldv] = x;
      }
  }
}

/* T from G = V^H V and tau, T = diag(tau) (I + triu(G, 1) diag(tau))^-1: its 8 x 8 blocks on the diagonal by
 * substitution, a row per thread; then twice the block that couples two of the same size, -T1 G12 T2. */
static constexpr int triangle_threads = 128;
template <class T>
static __global__ void __launch_bounds__(triangle_threads)
  make_triangle(batch<T> gram, batch<T> a, batch<T> tau, batch<T> t, int i0)
{
  constexpr int width = reflectors_width, edge = 8;
  __shared__ T g[width][width + 1], x[width][width + 1], product[width / 2][width / 2 + 1];
  for (int64_t b = blockIdx.x; b < gram.count; b += gridDim.x) {
    const int m = a.rows(b), count = m > 0 ? min(min(m, a.cols(b)), tau.length(b)) - i0 : 0;
    const T *const from = gram.at(b);
    for (int e = threadIdx.x; e < width * width; e += triangle_threads) {
      const int i = e % width, j = e / width;
      g[i][j] = i < j && j < count ? from[e] : make<T>(0);
      x[i][j] = i == j && i < count ? tau.at(b)[(i0 + i) * (int64_t)tau.increment(b)] : make<T>(0);
    }
    __syncthreads();
    if (threadIdx.x < width) {
      const int i = threadIdx.x, first = i / edge * edge;
      T row[edge];
#pragma unroll
      for (int j = 0; j < edge; j++) {
        T sum = make<T>(0);
#pragma unroll
        for (int l = 0; l < j; l++) sum = mad(row[l], g[first + l][first + j], sum);
        row[j] = select(first + j == i, x[i][i], -(x[first + j][first + j] * sum));
      }
      __syncwarp();
#pragma unroll
      for (int j = 0; j < edge; j++) x[i][first + j] = row[j];
    }
    __syncthreads();
    for (int size = edge; size < width; size *= 2) {
      const int pairs = width / 2 / size;
      for (int e = threadIdx.x; e < pairs * size * size; e += triangle_threads) {
        const int i = e % size, j = e / size % size, top = e / (size * size) * 2 * size;
        T sum = make<T>(0);
        for (int l = 0; l <= j; l++) sum = mad(g[top + i][top + size + l], x[top + size + l][top + size + j], sum);
        product[top / 2 + i][top / 2 + j] = sum;
      }
      __syncthreads();
      for (int e = threadIdx.x; e < pairs * size * size; e += triangle_threads) {
        const int i = e % size, j = e / size % size, top = e / (size * size) * 2 * size;
        T sum = make<T>(0);
        for (int l = i; l < size; l++) sum = mad(x[top + i][top + l], product[top / 2 + l][top / 2 + j], sum);
        x[top + i][top + size + j] = -sum;
      }
      __syncthreads();
    }
    for (int e = threadIdx.x; e < width * width; e += triangle_threads) t.at(b)[e] = x[e % width][e / width];
    __syncthreads();
  }
}

/* Scratch memory: V, V^H V, T, W = V^H C and X = op(T) W (right: C V and C V op(T)). order: rows of V; others: C's
 * other dimension. */
template <class T> struct reflectors_memory {
  T *memory;
  batch<T> v, gram, t, w, x;

  static batch<T> matrix(T *&p, int64_t count, int m, int n)
  {
    const batch<T> a = {p, nullptr, (int64_t)m * n, count, m, n, m, nullptr, nullptr, nullptr, 0, 0};
    p += a.stride * count;
    return a;
  }
  int open(batched_ctx *ctx, int64_t count, int order, int others, bool left)
  {
    constexpr int width = reflectors_width;
    const size_t each = (size_t)width * (order + 2 * width + 2 * (size_t)others);
    T *p = memory = static_cast<T *>(batched_scratch_push(ctx, each * (size_t)count * sizeof(T)));
    if (!memory) return BATCHED_NO_MEMORY;
    v = matrix(p, count, order, width);
    gram = matrix(p, count, width, width);
    t = matrix(p, count, width, width);
    w = left ? matrix(p, count, width, others) : matrix(p, count, others, width);
    x = left ? matrix(p, count, width, others) : matrix(p, count, others, width);
    return BATCHED_SUCCESS;
  }
};

/* Calls f(s) with scratch memory for products with the reflectors of A, and returns its status. */
template <class T, class F>
static int with_memory(batched_ctx *ctx, const batch<T> &a, int64_t count, int order, int others, bool left, F f)
{
  reflectors_memory<T> s;
  if (s.open(ctx, count, order, others, left)) return BATCHED_NO_MEMORY;
  s.v.ms = a.ms;
  const int status = f(s);
  batched_scratch_pop(ctx);
  return status;
}

/* Forms V and T of the reflectors i0 .. i0 + 31 of A. */
template <class T>
static int make_block(batched_ctx *ctx, reflectors_memory<T> &s, const batch<T> &a, const batch<T> &tau, int i0)
{
  int status = launch(ctx, copy_reflectors<T>, a.count, 256, 0, a, tau, s.v, i0);
  const batch<T> v = s.v.block(i0, 0, s.v.m - i0, reflectors_width);
  if (!status) status = products::gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, make<T>(1), v, v, make<T>(0), s.gram);
  return status ? status : launch(ctx, make_triangle<T>, a.count, triangle_threads, 0, s.gram, a, tau, s.t, i0);
}

/* C = op(H) C (left) or C op(H), on columns (rows) from `first` on. */
template <class T>
static int apply_block(batched_ctx *ctx, const reflectors_memory<T> &s, bool left, bool adjoint, const batch<T> &c,
                       int i0, int first)
{
  constexpr int width = reflectors_width;
  const batched_trans trans = adjoint ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS;
  const T one = make<T>(1), zero = make<T>(0);
  const batch<T> v = s.v.block(i0, 0, s.v.m - i0, width);
  const int others = (left ? c.n : c.m) - first;
  if (others <= 0) return BATCHED_SUCCESS;
  batch<T> part = left ? c.block(i0, first, c.m - i0, others) : c.block(first, i0, others, c.n - i0);
  batch<T> w = left ? s.w.block(0, first, width, others) : s.w.block(first, 0, others, width);
  batch<T> x = left ? s.x.block(0, first, width, others) : s.x.block(first, 0, others, width);
  (left ? w.ns : w.ms) = (left ? x.ns : x.ms) = left ? c.ns : c.ms;
  int status;
  if (left) {
    status = products::gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, v, part, zero, w);
    if (!status) status = products::gemm(ctx, trans, BATCHED_NO_TRANS, one, s.t, w, zero, x);
    return status ? status : products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, make<T>(-1), v, x, one, part);
  }
  status = products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, part, v, zero, w);
  if (!status) status = products::gemm(ctx, BATCHED_NO_TRANS, trans, one, w, s.t, zero, x);
  return status ? status : products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, make<T>(-1), x, v, one, part);
}

/* ------------------------------------------------------------------ many reflectors at once
 *
 * I - V M^-1 V^H with M(j, i) = v_j^H v_i above and 1 / tau_i on the diagonal (Puglisi, SIAM J. Sci. Stat. Comput. 13,
 * 1992): solving with M replaces T.  Where tau is 0, v is taken as 0.  Of uniform matrices. */

/* V = the reflectors below A's diagonal, with their ones and zeros; zero columns where tau is 0.  grid: a block per 256
 * rows of a column. */
template <class T> static __global__ void __launch_bounds__(256) copy_block(batch<T> a, batch<T> tau, batch<T> v)
{
  const int chunks = (v.m + 255) / 256;
  for (int64_t unit = blockIdx.x; unit < v.count * chunks * v.n; unit += gridDim.x) {
    const int64_t b = unit / (chunks * v.n);
    const int rest = (int)(unit - b * chunks * v.n), j = rest / chunks, i = rest % chunks * 256 + threadIdx.x;
    if (i >= v.m) continue;
    const bool none = tau.at(b)[(int64_t)j * tau.increment(b)] == make<T>(0);
    v.at(b)[i + j * (int64_t)v.ld] = none    ? make<T>(0)
                                     : i > j ? a.at(b)[i + j * (int64_t)a.leading(b)]
                                             : make<T>(i == j);
  }
}

/* M from partial sums of V^H V, `parts` of k x k, of one matrix after the other. */
template <class T>
static __global__ void __launch_bounds__(256) make_m(const T *gram, int parts, batch<T> tau, batch<T> m)
{
  const int k = m.n;
  const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x, b = unit / (k * k);
  if (b >= m.count) return;
  const int e = (int)(unit - b * k * k);
  T sum = make<T>(0);
  for (int part = 0; part < parts; part++) sum += gram[e + (b * parts + part) * k * k];
  if (e % k == e / k) {
    const T t = tau.at(b)[(int64_t)(e / k) * tau.increment(b)];
    sum = t == make<T>(0) ? make<T>(1) : divide(make<T>(1), t);
  }
  m.at(b)[e] = sum;
}

/* w = M^-H w, C -= V w: the reflectors V, M applied to C, of which w = V^H C. */
template <class T>
int subtract_block(batched_ctx *ctx, const batch<T> &v, const batch<T> &m, const batch<T> &w, const batch<T> &c)
{
  const int status =
    triangular::trsm(ctx, BATCHED_LEFT, BATCHED_UPPER, BATCHED_CONJ_TRANS, BATCHED_NON_UNIT, make<T>(1), m, w);
  return status ? status : products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, make<T>(-1), v, w, make<T>(1), c);
}

} // namespace batched_cuda::qr

#endif
