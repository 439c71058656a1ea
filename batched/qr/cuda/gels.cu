/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gels: least squares and least norm by QR.  F = Q R with F = A where m >= n, else F = A^H in scratch memory;
 * then X = R^-1 Q^H B where op(A) = F, and X = Q (R^-H B; 0) where op(A) = F^H.  Where the largest number of A or B is
 * so large or small that sums of its products over- or underflow, the matrix is first multiplied by a power of two.
 *
 * The kernels of this file find sizes, copy, scale and clear; they have no shared memory but where one says so, take
 * all types and any size, and are exact: copies, and products by powers of two.  The accuracy of X is that of geqrf,
 * unmqr and trsm.
 */
#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/qr/cuda/householder.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/qr/qr.h"

namespace batched_cuda::qr
{
namespace
{

/* Sizes of each matrix of a variable batch: F is rows x cols; over, under: columns of B to be solved with F and with
 * F^H. */
struct gels_sizes {
  int *rows, *cols, *over, *under;
};

/* A thread per matrix. */
template <class T> __global__ void find_sizes(bool transposed, batch<T> a, batch<T> b, gels_sizes s)
{
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < a.count; i += (int64_t)gridDim.x * blockDim.x) {
    const int m = a.rows(i), n = a.cols(i), nrhs = b.cols(i);
    s.rows[i] = max(m, n);
    s.cols[i] = min(m, n);
    s.over[i] = (m < n) == transposed ? nrhs : 0;
    s.under[i] = (m < n) == transposed ? 0 : nrhs;
  }
}

/* F = A, or A^H where A is wide, once from and to global memory; grid: a block per matrix. */
template <class T> __global__ void __launch_bounds__(256) copy_tall(batch<T> a, batch<T> f)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b), rows = max(m, n), cols = min(m, n);
    if (cols == 0) continue;
    const T *const from = a.at(b);
    T *const to = f.at(b);
    const int64_t lda = a.leading(b), ldf = f.leading(b);
    for (int64_t e = threadIdx.x; e < (int64_t)rows * cols; e += blockDim.x) {
      const int64_t j = e / m, i = e - j * m;
      if (m >= n)
        to[i + j * ldf] = from[i + j * lda];
      else
        to[j + i * ldf] = conj(from[i + j * lda]);
    }
  }
}

/* ------------------------------------------------------------------ scaling */

/* Powers of two by which A and B of each matrix were multiplied; a is 0 where A = 0. */
template <class R> struct gels_scales {
  R *a, *b;
};

/* |x| as an integer that grows with it: the upper half of a double, all of a float; of a complex number the larger
 * part's. */
[[maybe_unused]] __device__ __forceinline__ unsigned size_bits(float x)
{
  return __float_as_uint(x) & 0x7fffffffu;
}
__device__ __forceinline__ unsigned size_bits(double x)
{
  return (unsigned)__double2hiint(x) & 0x7fffffffu;
}
template <class R> __device__ __forceinline__ unsigned size_bits(complex<R> x)
{
  return max(size_bits(x.re), size_bits(x.im));
}

/* The bounds of xGELS of LAPACK, eps / (the smallest normal number) and its inverse, as such integers, and the factors
 * that bring a largest number beyond them back inside. */
template <class R> struct safe_range {
  static constexpr bool single = sizeof(R) == 4;
  static constexpr unsigned small = single ? (127 - 103) << 23 : (1023 - 970) << 20,
                            large = single ? (127 + 103) << 23 : (1023 + 970) << 20,
                            infinite = single ? 0x7f800000u : 0x7ff00000u;
  static constexpr R up = single ? R(0x1p46) : R(0x1p104), down = single ? R(0x1p-25) : R(0x1p-54);

  static __device__ __forceinline__ bool has(unsigned bits)
  {
    return (bits >= small && bits <= large) || bits >= infinite;
  }
};

/* Calls f(element) for each of the m x n, by `threads` threads. */
template <class T, class F>
__device__ __forceinline__ void for_elements(T *x, int64_t ld, int m, int n, int thread, int threads, F f)
{
  const int64_t elements = (int64_t)m * n;
  if (ld == m) {
#pragma unroll 4
    for (int64_t e = thread; e < elements; e += threads) f(x[e]);
  } else if (elements <= INT_MAX - 1024) {
    for (int e = thread; e < (int)elements; e += threads) f(x[e % m + e / m * ld]);
  } else {
    for (int64_t e = thread; e < elements; e += threads) f(x[e % m + e / m * ld]);
  }
}

/* The threads of a group: a warp, or a block of up to 8 warps. */
template <bool whole_block> struct gels_group {
  static __device__ __forceinline__ int thread()
  {
    return whole_block ? threadIdx.x : threadIdx.x % 32;
  }
  static __device__ __forceinline__ int threads()
  {
    return whole_block ? blockDim.x : 32;
  }
  static __device__ __forceinline__ unsigned largest(unsigned mine, unsigned *shared)
  {
    mine = __reduce_max_sync(all_lanes, mine);
    if (!whole_block) return mine;
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = mine;
    __syncthreads();
    for (int w = 0; w < (int)blockDim.x / 32; w++) mine = max(mine, shared[w]);
    return mine;
  }
  static __device__ __forceinline__ bool any(bool mine)
  {
    return whole_block ? __syncthreads_or(mine) : __any_sync(all_lanes, mine);
  }
};

/* size_bits of the largest of this thread's elements; of 1 where the matrix is empty. */
template <class G, class T> __device__ __forceinline__ unsigned largest_of_thread(T *x, int64_t ld, int m, int n)
{
  unsigned bits = m > 0 && n > 0 ? 0 : size_bits(real_of<T>(1));
  for_elements(x, ld, m, n, G::thread(), G::threads(), [&](const T &e) { bits = max(bits, size_bits(e)); });
  return bits;
}

/* Multiplies x by the factor that belongs to its largest number, and returns that; 0 where x = 0. */
template <class G, class T> __device__ __noinline__ real_of<T> rescale(T *x, int64_t ld, int m, int n, unsigned largest)
{
  using R = real_of<T>;
  bool nonzero = false;
  for_elements(x, ld, m, n, G::thread(), G::threads(), [&](const T &e) { nonzero |= !(e == make<T>(0)); });
  if (!G::any(nonzero)) return R(0);
  const R s = largest > safe_range<R>::large ? safe_range<R>::down : safe_range<R>::up;
  for_elements(x, ld, m, n, G::thread(), G::threads(), [&](T &e) { e = s * e; });
  return s;
}

/* Scales F and the rows of B that are given.
 *   grid       a warp per matrix in blocks of 128 threads, or a block of 256 per matrix (whole_block)
 *   shared     whole_block: a number per warp, for F and for B
 *   memory     reads F and B once; again, and writes, where they are scaled
 * a: the caller's A, whose shape says which rows of B are given. */
template <class T, bool whole_block>
__global__ void __launch_bounds__(256)
  scale_all(bool transposed, batch<T> a, batch<T> f, batch<T> b, gels_scales<real_of<T>> scales)
{
  using R = real_of<T>;
  using G = gels_group<whole_block>;
  __shared__ unsigned shared[2][8];
  const int groups = whole_block ? 1 : blockDim.x / 32, group = whole_block ? 0 : threadIdx.x / 32;
  for (int64_t i = (int64_t)blockIdx.x * groups + group; i < f.count; i += (int64_t)gridDim.x * groups) {
    const bool over = (a.rows(i) >= a.cols(i)) != transposed;
    const int rows = f.rows(i), cols = f.cols(i), nrhs = b.cols(i), given = over ? rows : cols;
    T *const at_f = cols > 0 ? f.at(i) : nullptr, *const at_b = given > 0 && nrhs > 0 ? b.at(i) : nullptr;
    const int ldf = f.leading(i), ldb = b.leading(i);
    const unsigned mine_f = largest_of_thread<G>(at_f, ldf, rows, cols),
                   mine_b = largest_of_thread<G>(at_b, ldb, given, nrhs);
    const unsigned of_f = G::largest(mine_f, shared[0]), of_b = G::largest(mine_b, shared[1]);
    const R s = safe_range<R>::has(of_f) ? R(1) : rescale<G>(at_f, ldf, rows, cols, of_f);
    const R t = safe_range<R>::has(of_b) ? R(1) : rescale<G>(at_b, ldb, given, nrhs, of_b);
    if (whole_block) __syncthreads();
    if (G::thread() == 0) scales.a[i] = s, scales.b[i] = t == R(0) ? R(1) : t;
  }
}

/* X = (s / t) Y from (s A) Y = t B; X = 0, and no error, where A = 0.  A warp looks at 32 matrices, and goes through
 * those that were scaled. */
template <class T>
__global__ void __launch_bounds__(128) scale_back(batch<T> b, gels_scales<real_of<T>> scales, int *info)
{
  using R = real_of<T>;
  const int lane = threadIdx.x % 32;
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  for (int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x - lane; first < b.count; first += threads) {
    const bool mine = first + lane < b.count && scales.a[first + lane] != scales.b[first + lane];
    for (unsigned left = __ballot_sync(all_lanes, mine); left; left &= left - 1) {
      const int64_t i = first + __ffs((int)left) - 1;
      const R s = scales.a[i] / scales.b[i];
      const bool zero = s == R(0);
      if (zero && lane == 0) info[i] = 0;
      if (b.rows(i) > 0 && b.cols(i) > 0)
        for_elements(b.at(i), b.leading(i), b.rows(i), b.cols(i), lane, 32,
                     [&](T &e) { e = zero ? make<T>(0) : s * e; });
    }
  }
}

template <class T>
int scale_problem(batched_ctx *ctx, bool transposed, const batch<T> &a, const batch<T> &f, const batch<T> &b,
                  const gels_scales<real_of<T>> &scales)
{
  if ((int64_t)f.m * f.n > 4096) return launch(ctx, scale_all<T, true>, f.count, 256, 0, transposed, a, f, b, scales);
  return launch(ctx, scale_all<T, false>, ceil_div(f.count, 4), 128, 0, transposed, a, f, b, scales);
}

/* ------------------------------------------------------------------ factors and solves */

/* info: the first zero on R's diagonal, or 0. */
template <class T> __global__ void __launch_bounds__(128) find_zero(batch<T> r, int *info)
{
  for (int64_t b = (int64_t)blockIdx.x * 4 + threadIdx.x / 32; b < r.count; b += (int64_t)gridDim.x * 4) {
    const int n = min(r.rows(b), r.cols(b));
    int first = INT_MAX;
    for (int i = threadIdx.x % 32; i < n; i += 32)
      if (first == INT_MAX && r.at(b)[i + (int64_t)i * r.leading(b)] == make<T>(0)) first = i + 1;
    first = __reduce_min_sync(all_lanes, first);
    if (threadIdx.x % 32 == 0) info[b] = first == INT_MAX ? 0 : first;
  }
}

/* Clears the rows of B below those of R, for X = Q (Y; 0).  A block per matrix. */
template <class T> __global__ void __launch_bounds__(128) clear_rows(batch<T> r, batch<T> b)
{
  for (int64_t i = blockIdx.x; i < b.count; i += gridDim.x) {
    const int k = min(r.rows(i), r.cols(i)), m = b.rows(i), n = b.cols(i);
    for (int j = 0; j < n; j++)
      for (int e = k + threadIdx.x; e < m; e += blockDim.x) b.at(i)[e + j * (int64_t)b.leading(i)] = make<T>(0);
  }
}

/* The factorisation: F and tau, and R as the triangle of F. */
template <class T> struct gels_factors {
  batched_matrix f, tau;
  batch<T> r;
};

template <class T> batch<T> top_of(const batched_matrix &b, const int *rows, int bound)
{
  batch<T> top = view<T>(b);
  if (rows) top.ms = rows;
  top.m = bound;
  return top;
}

template <class T> int multiply_by_q(batched_ctx *ctx, batched_trans trans, const gels_factors<T> &q, batched_matrix b)
{
  const batched_unmqr_args args = {BATCHED_LEFT, trans, q.f, q.tau, b};
  return batched_run(ctx, &batched_unmqr_op, &args);
}

template <class T> int solve_with_r(batched_ctx *ctx, batched_trans trans, const gels_factors<T> &q, const batch<T> &x)
{
  return triangular::trsm(ctx, BATCHED_LEFT, BATCHED_UPPER, trans, BATCHED_NON_UNIT, make<T>(1), q.r, x);
}

/* X = R^-1 Q^H B */
template <class T> int solve_over(batched_ctx *ctx, const gels_factors<T> &q, batched_matrix b, const int *cols)
{
  const int status = multiply_by_q(ctx, BATCHED_CONJ_TRANS, q, b);
  return status ? status : solve_with_r(ctx, BATCHED_NO_TRANS, q, top_of<T>(b, cols, q.r.n));
}

/* X = Q (R^-H B; 0) */
template <class T> int solve_under(batched_ctx *ctx, const gels_factors<T> &q, batched_matrix b, const int *cols)
{
  int status = solve_with_r(ctx, BATCHED_CONJ_TRANS, q, top_of<T>(b, cols, q.r.n));
  if (!status) status = launch(ctx, clear_rows<T>, b.count, 128, 0, q.r, view<T>(b));
  return status ? status : multiply_by_q(ctx, BATCHED_NO_TRANS, q, b);
}

/* s: of a variable batch; over: is op(A) = F? */
template <class T>
int factor_and_solve(batched_ctx *ctx, const gels_factors<T> &q, const gels_sizes &s, bool over,
                     const batched_gels_args &p)
{
  const batched_geqrf_args factor = {q.f, q.tau};
  const int k = q.r.n;
  int status = k > 0 ? batched_run(ctx, &batched_geqrf_op, &factor) : BATCHED_SUCCESS;
  if (!status) status = launch(ctx, find_zero<T>, ceil_div(p.b.count, 4), 128, 0, q.r, p.info);
  if (status || p.b.m == 0 || p.b.n == 0) return status;
  const auto with_columns = [&](const int *cols) {
    return cols ? batched_with_sizes(p.b, p.b.ms, cols, p.b.lds) : p.b;
  };
  if (k > 0 && (s.cols || over)) status = solve_over(ctx, q, with_columns(s.over), s.cols);
  if (!status && (s.cols || !over)) {
    const batched_matrix b = with_columns(s.under);
    status = k > 0 ? solve_under(ctx, q, b, s.cols) : launch(ctx, clear_rows<T>, b.count, 128, 0, q.r, view<T>(b));
  }
  return status;
}

/* Scratch memory: F (if it is not A), tau, the scales, and the sizes. */
template <class T> int run_composed(batched_ctx *ctx, const batched_gels_args &p)
{
  const batch<T> a = view<T>(p.a);
  const bool variable = batched_is_variable(&p.a) || batched_is_variable(&p.b), wide = a.m < a.n,
             transposed = p.trans != BATCHED_NO_TRANS, copied = variable || wide;
  const int rows = wide ? a.n : a.m, cols = wide ? a.m : a.n;
  const int64_t each = (int64_t)rows * cols;
  const size_t count = (size_t)a.count, elements = count * (size_t)((copied ? each : 0) + cols + 1);
  using R = real_of<T>;
  const size_t bytes = elements * sizeof(T) + 2 * count * sizeof(R) + 4 * count * sizeof(int);
  T *memory = static_cast<T *>(batched_scratch_push(ctx, bytes));
  if (!memory) return BATCHED_NO_MEMORY;
  R *const reals = reinterpret_cast<R *>(memory + elements);
  int *const ints = reinterpret_cast<int *>(reals + 2 * count);
  const gels_scales<R> scales = {reals, reals + count};
  gels_sizes s = {nullptr, nullptr, nullptr, nullptr};
  int status = BATCHED_SUCCESS;
  if (variable) {
    s = {ints, ints + count, ints + 2 * count, ints + 3 * count};
    status = launch(ctx, find_sizes<T>, ceil_div(a.count, 256), 256, 0, transposed, a, view<T>(p.b), s);
  }
  gels_factors<T> q;
  q.f = p.a;
  if (copied) {
    q.f = batched_make_strided(p.a.type, memory, rows, cols, rows > 0 ? rows : 1, each, a.count);
    q.f = batched_with_sizes(q.f, s.rows, s.cols, nullptr);
    if (!status && cols > 0) status = launch(ctx, copy_tall<T>, a.count, 256, 0, a, view<T>(q.f));
  }
  q.tau =
    batched_make_strided(p.a.type, memory + (copied ? each * a.count : 0), cols, 1, cols > 0 ? cols : 1, cols, a.count);
  q.tau.ms = s.cols;
  q.r = view<T>(q.f);
  q.r.m = q.r.n = cols;
  if (variable) q.r.ms = q.r.ns = s.cols;
  const bool is_scaled = cols > 0;
  if (!status && is_scaled) status = scale_problem(ctx, transposed, a, view<T>(q.f), view<T>(p.b), scales);
  if (!status) status = factor_and_solve(ctx, q, s, wide == transposed, p);
  if (!status && is_scaled)
    status = launch(ctx, scale_back<T>, ceil_div(a.count, 128), 128, 0, view<T>(p.b), scales, p.info);
  batched_scratch_pop(ctx);
  return status;
}

/* Row cuda.composed: geqrf and unmqr by the rows that the context was told to use, and trsm. */
int composed(batched_ctx *ctx, const batched_gels_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_composed<decltype(t)>(ctx, p); });
}

/* cuBLAS has op(A) = A with m >= n alone. */
bool fits_cublas(const batched_gels_args &p)
{
  return p.trans == BATCHED_NO_TRANS && !batched_is_variable(&p.a) && !batched_is_variable(&p.b) && p.a.m >= p.a.n &&
         p.a.n > 0 && p.b.n > 0 && p.a.count <= INT_MAX;
}
int cublas(batched_ctx *ctx, const batched_gels_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    using V = decltype(vendor(static_cast<T *>(nullptr)));
    cublasHandle_t handle = cublas_of(ctx);
    if (!handle) return (int)BATCHED_NO_MEMORY;
    T **a = pointers_of(ctx, view<T>(p.a)), **b = a ? pointers_of(ctx, view<T>(p.b)) : nullptr;
    int status = b ? BATCHED_SUCCESS : BATCHED_NO_MEMORY, info = 0;
    if (b)
      status = status_of(VENDOR_CALL(T, cublas, gelsBatched)(handle, CUBLAS_OP_N, p.a.m, p.a.n, p.b.n,
                                                             reinterpret_cast<V *>(a), p.a.ld, reinterpret_cast<V *>(b),
                                                             p.b.ld, &info, p.info, (int)p.a.count));
    if (b) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace
} // namespace batched_cuda::qr

using namespace batched_cuda;
using namespace batched_cuda::qr;

const batched_variant batched_gels_cuda[] = {
  row<nullptr, nullptr, composed>("cuda.composed"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  BATCHED_LAST_ROW,
};
