/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of gels: least squares and least norm by QR.  F = Q R with F = A where m >= n, else F = A^H in scratch memory;
 * then X = R^-1 Q^H B where op(A) = F, and X = Q (R^-H B; 0) where op(A) = F^H.
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

/* info: the first zero on R's diagonal, or 0. */
template <class T> __global__ void __launch_bounds__(128) find_zero(batch<T> r, int *info)
{
  for (int64_t b = (int64_t)blockIdx.x * 4 + threadIdx.x / 32; b < r.count; b += (int64_t)gridDim.x * 4) {
    const int n = min(r.rows(b), r.cols(b));
    int first = INT_MAX;
    for (int i = threadIdx.x % 32; i < n; i += 32)
      if (first == INT_MAX && r.at(b)[i + (int64_t)i * r.leading(b)] == make<T>(0)) first = i + 1;
    first = __reduce_min_sync(0xffffffffu, first);
    if (threadIdx.x % 32 == 0) info[b] = first == INT_MAX ? 0 : first;
  }
}

/* Zeros in B below the rows of R: what Q multiplies in X = Q (Y; 0). */
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

/* Scratch memory: F (if it is not A), tau, and the sizes. */
template <class T> int run_composed(batched_ctx *ctx, const batched_gels_args &p)
{
  const batch<T> a = view<T>(p.a);
  const bool variable = batched_is_variable(&p.a) || batched_is_variable(&p.b), wide = a.m < a.n,
             transposed = p.trans != BATCHED_NO_TRANS, copied = variable || wide;
  const int rows = wide ? a.n : a.m, cols = wide ? a.m : a.n;
  const int64_t each = (int64_t)rows * cols;
  const size_t count = (size_t)a.count, elements = count * (size_t)((copied ? each : 0) + cols + 1);
  T *memory = static_cast<T *>(batched_scratch_push(ctx, elements * sizeof(T) + 4 * count * sizeof(int)));
  if (!memory) return BATCHED_NO_MEMORY;
  int *const ints = reinterpret_cast<int *>(memory + elements);
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
  if (!status) status = factor_and_solve(ctx, q, s, wide == transposed, p);
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
