/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Least squares and least norm by QR: F = Q R with F = A where A has at least as many rows as columns, else A^H in
 * scratch memory.  Then op(A) = F gives X = R^-1 Q^H B, and op(A) = F^H gives X = Q R^-H B.
 */
#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/qr/cuda/householder.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/qr/qr.h"

namespace batched_cuda::qr
{

/* Sizes of each matrix of a variable batch: F is rows x cols; `over` and `under` are the columns of B with which F and
 * F^H are to be solved. */
struct gels_sizes {
  int *rows, *cols, *over, *under;
};

template <class T> static __global__ void find_sizes(bool transposed, batch<T> a, batch<T> b, gels_sizes s)
{
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < a.count; i += (int64_t)gridDim.x * blockDim.x) {
    const int m = a.rows(i), n = a.cols(i), nrhs = b.cols(i);
    s.rows[i] = max(m, n);
    s.cols[i] = min(m, n);
    s.over[i] = (m < n) == transposed ? nrhs : 0;
    s.under[i] = (m < n) == transposed ? 0 : nrhs;
  }
}

template <class T> static __global__ void __launch_bounds__(256) copy_tall(batch<T> a, batch<T> f)
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

/* The first zero on R's diagonal. */
template <class T> static __global__ void __launch_bounds__(128) find_zero(batch<T> r, int *info)
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

/* What Q multiplies in X = Q (Y; 0): B's rows from those of R on. */
template <class T> static __global__ void __launch_bounds__(128) clear_rows(batch<T> r, batch<T> b)
{
  for (int64_t i = blockIdx.x; i < b.count; i += gridDim.x) {
    const int k = min(r.rows(i), r.cols(i)), m = b.rows(i), n = b.cols(i);
    for (int j = 0; j < n; j++)
      for (int e = k + threadIdx.x; e < m; e += blockDim.x) b.at(i)[e + j * (int64_t)b.leading(i)] = make<T>(0);
  }
}

/* All that the solution works on. */
template <class T> struct gels_views {
  batch<T> f, tau, r;
};

template <class T> static batch<T> with_columns(batch<T> b, const int *cols)
{
  if (cols) b.ns = cols;
  return b;
}

template <class T> static batch<T> with_rows(batch<T> b, const int *rows, int bound)
{
  if (rows) b.ms = rows;
  b.m = bound;
  return b;
}

/* X = R^-1 Q^H B */
template <class T>
static int solve_over(batched_ctx *ctx, const gels_views<T> &v, const batch<T> &b, const batch<T> &top)
{
  const int status = apply_q(ctx, true, v.f, v.tau, b);
  if (status) return status;
  return triangular::trsm(ctx, BATCHED_LEFT, BATCHED_UPPER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, make<T>(1), v.r, top);
}

/* X = Q (R^-H B; 0) */
template <class T>
static int solve_under(batched_ctx *ctx, const gels_views<T> &v, const batch<T> &b, const batch<T> &top)
{
  int status =
    triangular::trsm(ctx, BATCHED_LEFT, BATCHED_UPPER, BATCHED_CONJ_TRANS, BATCHED_NON_UNIT, make<T>(1), v.r, top);
  if (!status) status = launch(ctx, clear_rows<T>, b.count, 128, 0, v.r, b);
  return status ? status : apply_q(ctx, false, v.f, v.tau, b);
}

template <class T>
static int solve(batched_ctx *ctx, bool transposed, const gels_views<T> &v, const gels_sizes &s, bool wide,
                 const batch<T> &b, int *info)
{
  const int k = v.r.n;
  int status = k > 0 ? geqrf(ctx, v.f, v.tau) : BATCHED_SUCCESS;
  if (!status) status = launch(ctx, find_zero<T>, ceil_div(b.count, 4), 128, 0, v.r, info);
  if (status || b.m == 0 || b.n == 0) return status;
  if (k == 0 && !s.cols)
    return wide == transposed ? BATCHED_SUCCESS : launch(ctx, clear_rows<T>, b.count, 128, 0, v.r, b);
  if (s.cols || wide == transposed) {
    const batch<T> over = with_columns(b, s.over);
    status = k > 0 ? solve_over(ctx, v, over, with_rows(over, s.cols, k)) : BATCHED_SUCCESS;
  }
  if (!status && (s.cols || wide != transposed)) {
    const batch<T> under = with_columns(b, s.under);
    status = k > 0 ? solve_under(ctx, v, under, with_rows(under, s.cols, k))
                   : launch(ctx, clear_rows<T>, b.count, 128, 0, v.r, under);
  }
  return status;
}

/* Scratch memory: F (if it is not A), tau, and the sizes. */
template <class T> static int run_typed(batched_ctx *ctx, const batched_gels_args *g)
{
  const batch<T> a = view<T>(g->a);
  batch<T> b = view<T>(g->b);
  const bool variable = a.is_variable() || b.is_variable(), wide = a.m < a.n, transposed = g->trans != BATCHED_NO_TRANS;
  const int rows = wide ? a.n : a.m, cols = wide ? a.m : a.n;
  const bool copied = variable || wide;
  const int64_t each = (int64_t)rows * cols;
  const size_t count = (size_t)a.count, elements = count * (size_t)((copied ? each : 0) + cols + 1);
  T *memory = static_cast<T *>(batched_scratch_push(ctx, elements * sizeof(T) + 4 * count * sizeof(int)));
  if (!memory) return BATCHED_NO_MEMORY;
  T *const taus = memory + (copied ? each * a.count : 0);
  int *const ints = reinterpret_cast<int *>(memory + elements);
  gels_sizes s = {nullptr, nullptr, nullptr, nullptr};
  int status = BATCHED_SUCCESS;
  if (variable) {
    s = {ints, ints + count, ints + 2 * count, ints + 3 * count};
    status = launch(ctx, find_sizes<T>, ceil_div(a.count, 256), 256, 0, transposed, a, b, s);
  }
  gels_views<T> v;
  v.f = copied
          ? batch<T>{memory, nullptr, each, a.count, rows, cols, rows > 0 ? rows : 1, s.rows, s.cols, nullptr, 0, 0}
          : a;
  v.tau = {taus, nullptr, cols, a.count, cols, 1, cols > 0 ? cols : 1, s.cols, nullptr, nullptr, 0, 0};
  v.r = v.f;
  v.r.m = v.r.n = cols;
  if (variable) v.r.ms = v.r.ns = s.cols;
  if (!status && copied && cols > 0) status = launch(ctx, copy_tall<T>, a.count, 256, 0, a, v.f);
  if (!status) status = solve(ctx, transposed, v, s, wide, b, g->info);
  batched_scratch_pop(ctx);
  return status;
}

static int run_qr(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_gels_args *>(args);
  return with_type(g->a.type, [&](auto t) { return run_typed<decltype(t)>(ctx, g); });
}

/* cuBLAS knows op(A) = A with m >= n alone. */
static bool vendor_fits(const void *args)
{
  const auto *g = static_cast<const batched_gels_args *>(args);
  return g->trans == BATCHED_NO_TRANS && !batched_is_variable(&g->a) && !batched_is_variable(&g->b) &&
         g->a.m >= g->a.n && g->a.n > 0 && g->b.n > 0 && g->a.count <= INT_MAX;
}

static int run_vendor(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_gels_args *>(args);
  return with_type(g->a.type, [&](auto t) {
    using T = decltype(t);
    using V = decltype(vendor(static_cast<T *>(nullptr)));
    cublasHandle_t handle = cublas_of(ctx);
    if (!handle) return (int)BATCHED_NO_MEMORY;
    T **a = pointers_of(ctx, view<T>(g->a)), **b = a ? pointers_of(ctx, view<T>(g->b)) : nullptr;
    int status = b ? BATCHED_SUCCESS : BATCHED_NO_MEMORY, info = 0;
    if (b)
      status = status_of(VENDOR_CALL(T, cublas, gelsBatched)(
        handle, CUBLAS_OP_N, g->a.m, g->a.n, g->b.n, reinterpret_cast<V *>(a), g->a.ld, reinterpret_cast<V *>(b),
        g->b.ld, &info, g->info, (int)g->a.count));
    if (b) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace batched_cuda::qr

using namespace batched_cuda;
using namespace batched_cuda::qr;

const batched_variant batched_gels_cuda[] = {
  {"cuda.composed", nullptr, nullptr, run_qr},
  {"vendor.cublas", vendor_fits, never, run_vendor},
  BATCHED_LAST_ROW,
};
