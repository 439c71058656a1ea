/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular solves with many right-hand sides.
 */
#include "gemm.cuh"
#include "triangle.cuh"
#include "vendor.cuh"

namespace batched_cuda
{

/* Largest order that one kernel solves. */
static constexpr int small_order = 32;

/* Shared memory of one group of threads: E by columns, the scales of its pivots, and B. */
template <class T, int N> struct small_layout {
  static constexpr int lde = N + pack<T>::size, ldx = N + 1;
  static constexpr int scales = N * lde, x = scales + N;

  static DEVICE int elements(int group)
  {
    return (x + group * ldx + pack<T>::size - 1) / pack<T>::size * pack<T>::size;
  }
};

/* x = E^-1 x for one right-hand side in registers; e holds E by columns, with the inverses on its diagonal. */
template <class T, int N>
static __device__ __forceinline__ void substitute(int n, bool unit, const T *e, const T *scales, T (&x)[N])
{
  constexpr int lde = small_layout<T, N>::lde, V = pack<T>::size;
#pragma unroll
  for (int j = 0; j < N; j++) {
    if (j >= n) break;
    if (!unit) x[j] = reciprocal<T>{real(scales[j]), e[j * lde + j]}(x[j]);
#pragma unroll
    for (int p = (j + 1) / V; p < N / V; p++) {
      const auto c = reinterpret_cast<const pack<T> *>(e + j * lde)[p];
#pragma unroll
      for (int k = 0; k < V; k++)
        if (p * V + k > j) x[p * V + k] = mad(-c.x[k], x[j], x[p * V + k]);
    }
  }
}

/* A group of threads solves for as many right-hand sides of one matrix, each thread for one.  The unit of work is such a
 * chunk of right-hand sides. */
template <class T, int N>
static __global__ void __launch_bounds__(128)
  solve_small(triangle_form f, int group, int chunks, T alpha, batch<T> a, batch<T> b)
{
  using layout = small_layout<T, N>;
  const int t = threadIdx.x % group, own = threadIdx.x / group, groups = blockDim.x / group;
  T *const e = shared_array<T>() + own * layout::elements(group), *const scales = e + layout::scales,
           *const xs = e + layout::x;
  const int64_t units = b.count * chunks;
  for (int64_t first = (int64_t)blockIdx.x * groups; first < units; first += (int64_t)gridDim.x * groups) {
    const int64_t unit = first + own, i = unit / chunks;
    const int r0 = (int)(unit - i * chunks) * group;
    const bool mine = unit < units;
    const int rows = mine ? b.rows(i) : 0, cols = mine ? b.cols(i) : 0, n = f.left ? rows : cols;
    const int nrhs = min(group, (f.left ? cols : rows) - r0);
    const bool any = n > 0 && nrhs > 0;
    strided<T> x = {nullptr, 0, 0};
    if (any) {
      const int64_t lda = a.leading(i), ldb = b.leading(i);
      const auto triangle = triangle_of<T>(f, a.at(i), lda, n);
      x = unknowns_of<T>(f, b.at(i), ldb, n);
      x.at += r0 * x.col;
      for (int k = t; k < N * N; k += group) {
        /* neighbouring threads along a column of A */
        const int row = f.flip ? k / N : k % N, col = f.flip ? k % N : k / N;
        if (row < n && row >= col) start_copy(e + col * layout::lde + row, &triangle(row, col));
      }
      for (int k = t; f.left && k < N * nrhs; k += group)
        if (k % N < n) start_copy(xs + k / N * layout::ldx + k % N, &x(k % N, k / N));
    }
    wait_copies();
    __syncthreads();
    for (int k = t; any && !f.unit && k < n; k += group) {
      const auto r = reciprocal_of(e[k * layout::lde + k]);
      e[k * layout::lde + k] = r.inverse;
      scales[k] = make<T>(r.scale);
    }
    __syncthreads();
    if (t < nrhs && any) {
      T y[N];
#pragma unroll
      for (int k = 0; k < N; k++)
        y[k] = k < n ? alpha * conj_if(f.conj, f.left ? xs[t * layout::ldx + k] : x(k, t)) : T{};
      substitute<T, N>(n, f.unit, e, scales, y);
#pragma unroll
      for (int k = 0; k < N; k++) {
        if (k >= n) break;
        (f.left ? xs[t * layout::ldx + k] : x(k, t)) = conj_if(f.conj, y[k]);
      }
    }
    __syncthreads();
    if (any && f.left)
      for (int k = t; k < N * nrhs; k += group)
        if (k % N < n) x(k % N, k / N) = xs[k / N * layout::ldx + k % N];
    __syncthreads();
  }
}

template <class T, int N>
static int launch_small(batched_ctx *ctx, triangle_form f, T alpha, const batch<T> &a, const batch<T> &b)
{
  const int nrhs = f.left ? b.n : b.m;
  int group = 8;
  while (group < nrhs && group < 64) group *= 2;
  const int threads = 64, groups = threads / group, chunks = (int)ceil_div(nrhs, group);
  const size_t shared = (size_t)(groups * small_layout<T, N>::elements(group)) * sizeof(T);
  return launch(ctx, solve_small<T, N>, ceil_div(b.count * chunks, groups), threads, shared, f, group, chunks,
                conj_if(f.conj, alpha), a, b);
}

template <class T> static int small(batched_ctx *ctx, triangle_form f, T alpha, const batch<T> &a, const batch<T> &b)
{
  const int n = f.left ? b.m : b.n;
  return n <= 4    ? launch_small<T, 4>(ctx, f, alpha, a, b)
         : n <= 8  ? launch_small<T, 8>(ctx, f, alpha, a, b)
         : n <= 16 ? launch_small<T, 16>(ctx, f, alpha, a, b)
                   : launch_small<T, 32>(ctx, f, alpha, a, b);
}

template <class T> static __global__ void clear(batch<T> b)
{
  for (int64_t i = blockIdx.x; i < b.count; i += gridDim.x) {
    const int m = b.rows(i), n = b.cols(i);
    const int64_t ld = b.leading(i);
    T *const x = m > 0 && n > 0 ? b.at(i) : nullptr;
    for (int j = threadIdx.y; j < n; j += blockDim.y)
      for (int k = threadIdx.x; k < m; k += blockDim.x) x[k + j * ld] = T{};
  }
}

/* The halves of the system one after the other, with a product in between that takes the first one's unknowns out of
 * the second one. */
template <class T>
static int halves(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag,
                  T alpha, const batch<T> &a, const batch<T> &b)
{
  const triangle_form f = form_of(side, uplo, trans, diag);
  const int n = f.left ? b.m : b.n;
  if (n <= small_order) return small(ctx, f, alpha, a, b);
  int n1 = small_order;
  while (2 * n1 < n) n1 *= 2;
  const int n2 = n - n1;
  const batch<T> b1 = f.left ? b.block(0, 0, n1, b.n) : b.block(0, 0, b.m, n1);
  const batch<T> b2 = f.left ? b.block(n1, 0, n2, b.n) : b.block(0, n1, b.m, n2);
  const batch<T> a1 = a.block(0, 0, n1, n1), a2 = a.block(n1, n1, n2, n2);
  const batch<T> off = uplo == BATCHED_LOWER ? a.block(n1, 0, n2, n1) : a.block(0, n1, n1, n2);
  const batch<T> &first = f.backward ? b2 : b1, &second = f.backward ? b1 : b2;
  int status = halves(ctx, side, uplo, trans, diag, alpha, f.backward ? a2 : a1, first);
  if (!status)
    status = f.left ? gemm(ctx, trans, BATCHED_NO_TRANS, make<T>(-1), off, first, alpha, second)
                    : gemm(ctx, BATCHED_NO_TRANS, trans, make<T>(-1), first, off, alpha, second);
  return status ? status : halves(ctx, side, uplo, trans, diag, make<T>(1), f.backward ? a1 : a2, second);
}

template <class T>
int trsm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag, T alpha,
         const batch<T> &a, const batch<T> &b)
{
  if (b.m == 0 || b.n == 0 || b.count == 0) return BATCHED_SUCCESS;
  if (alpha == T{}) return launch(ctx, clear<T>, b.count, dim3(32, 4), 0, b);
  return halves(ctx, side, uplo, trans, diag, alpha, a, b);
}

#define INSTANTIATE(...) \
  template int trsm(batched_ctx *, batched_side, batched_uplo, batched_trans, batched_diag, __VA_ARGS__, \
                    const batch<__VA_ARGS__> &, const batch<__VA_ARGS__> &);
#if BATCHED_CUDA_TYPES & 1
INSTANTIATE(float)
#endif
#if BATCHED_CUDA_TYPES & 2
INSTANTIATE(double)
#endif
#if BATCHED_CUDA_TYPES & 4
INSTANTIATE(complex<float>)
#endif
#if BATCHED_CUDA_TYPES & 8
INSTANTIATE(complex<double>)
#endif
#undef INSTANTIATE

static int run(batched_ctx *ctx, const void *args)
{
  const auto *t = static_cast<const batched_trsm_args *>(args);
  return with_type(t->b.type, [&](auto zero) {
    using T = decltype(zero);
    return trsm<T>(ctx, t->side, t->uplo, t->trans, t->diag, make<T>(t->alpha), view<T>(t->a), view<T>(t->b));
  });
}

static int run_vendor(batched_ctx *ctx, const void *args)
{
  const auto *t = static_cast<const batched_trsm_args *>(args);
  return with_type(t->b.type, [&](auto zero) {
    using T = decltype(zero);
    T alpha = make<T>(t->alpha);
    using pointer = decltype(vendor(&alpha));
    cublasHandle_t handle = cublas_of(ctx);
    T **a = handle ? pointers_of(ctx, view<T>(t->a)) : nullptr, **b = a ? pointers_of(ctx, view<T>(t->b)) : nullptr;
    const int status = !b ? (int)BATCHED_NO_MEMORY
                          : status_of(VENDOR_CALL(T, cublas, trsmBatched)(
                              handle, vendor_side(t->side), vendor_uplo(t->uplo), vendor_trans(t->trans),
                              vendor_diag(t->diag), t->b.m, t->b.n, vendor(&alpha), reinterpret_cast<pointer *>(a),
                              t->a.ld, reinterpret_cast<pointer *>(b), t->b.ld, (int)t->b.count));
    if (b) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

static bool vendor_fits(const void *args)
{
  const auto *t = static_cast<const batched_trsm_args *>(args);
  return !batched_is_variable(&t->a) && !batched_is_variable(&t->b) && t->b.count <= INT_MAX;
}

} // namespace batched_cuda

const batched_variant batched_trsm_cuda[] = {
  {"cuda.recursive", nullptr, nullptr, batched_cuda::run},
  {"vendor.cublas", batched_cuda::vendor_fits, batched_cuda::never, batched_cuda::run_vendor},
  BATCHED_LAST_ROW,
};
