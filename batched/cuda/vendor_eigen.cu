/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuSOLVER's batched eigenvalues and singular values.  They overwrite packed matrices and give V where we give V^H, so the
 * operands go through scratch memory.
 */
#include "vendor_eigen.cuh"
#include "vendor.cuh"

namespace batched_cuda
{

/* to = a, one after the other without gaps; back: a = op(to). */
template <class T> static __global__ void pack(batch<T> a, T *to)
{
  const int64_t size = (int64_t)a.m * a.n;
  for (int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; e < size * a.count;
       e += (int64_t)gridDim.x * blockDim.x) {
    const int64_t b = e / size;
    const int i = (int)(e % size % a.m), j = (int)(e % size / a.m);
    to[e] = a.at(b)[i + (int64_t)j * a.ld];
  }
}

/* The first rows (or, conjugated, columns) of packed matrices with leading dimension ld and `size` elements. */
template <class T> static __global__ void unpack(batch<T> a, const T *from, bool transposed, int ld, int64_t size)
{
  const int64_t mine = (int64_t)a.m * a.n;
  for (int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; e < mine * a.count;
       e += (int64_t)gridDim.x * blockDim.x) {
    const int64_t b = e / mine;
    const int i = (int)(e % mine % a.m), j = (int)(e % mine / a.m);
    const T x = from[b * size + (transposed ? j + (int64_t)i * ld : i + (int64_t)j * ld)];
    a.at(b)[i + (int64_t)j * a.ld] = conj_if(transposed, x);
  }
}

template <class T> static int copy_in(batched_ctx *ctx, const batch<T> &a, T *to)
{
  return launch(ctx, pack<T>, ceil_div((int64_t)a.m * a.n * a.count, 256), 256, 0, a, to);
}

template <class T>
static int copy_out(batched_ctx *ctx, const batch<T> &a, const T *from, bool transposed, int ld, int64_t size)
{
  return launch(ctx, unpack<T>, ceil_div((int64_t)a.m * a.n * a.count, 256), 256, 0, a, from, transposed, ld, size);
}

static bool is_uniform(const batched_matrix &a)
{
  return !batched_is_variable(&a) && a.count <= INT_MAX;
}

/* Vectors of length k as k x 1 matrices. */
template <class R> static batch<R> values(const batched_matrix &w, int k)
{
  batch<R> v = view<R>(w);
  v.m = 1;
  v.n = k;
  if (w.n == 1) v.ld = 1;
  return v;
}

/* Pieces of one block of scratch memory. */
struct pieces {
  size_t bytes = 0;

  size_t add(size_t size)
  {
    const size_t at = bytes;
    bytes += (size + 255) / 256 * 256;
    return at;
  }
};

template <class T> static cudaDataType data_type()
{
  return vendor_pick<T>(CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F);
}

/* n <= 32: syevjBatched, Jacobi; beyond: XsyevBatched, by a tridiagonal matrix (faster from n = 48 on). */
template <class T> struct jacobi_solver {
  syevjInfo_t params = nullptr;
  int lwork = 0;

  int begin(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, int count, size_t *bytes)
  {
    int status = status_of(cusolverDnCreateSyevjInfo(&params));
    constexpr auto size = vendor_pick<T>(cusolverDnSsyevjBatched_bufferSize, cusolverDnDsyevjBatched_bufferSize,
                                         cusolverDnCheevjBatched_bufferSize, cusolverDnZheevjBatched_bufferSize);
    if (!status)
      status = status_of(size(h, job, uplo, n, vendor((T *)nullptr), n, (real_of<T> *)nullptr, &lwork, params, count));
    *bytes = (size_t)lwork * sizeof(T);
    return status;
  }
  int run(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, int count, T *a, real_of<T> *w,
          void *work, int *info)
  {
    constexpr auto solve = vendor_pick<T>(cusolverDnSsyevjBatched, cusolverDnDsyevjBatched, cusolverDnCheevjBatched,
                                          cusolverDnZheevjBatched);
    return status_of(solve(h, job, uplo, n, vendor(a), n, w, vendor((T *)work), lwork, info, params, count));
  }
  ~jacobi_solver()
  {
    if (params) cusolverDnDestroySyevjInfo(params);
  }
};

template <class T> struct tridiagonal_solver {
  cusolverDnParams_t params = nullptr;
  size_t device = 0, host = 0;

  int begin(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, int count, size_t *bytes)
  {
    int status = status_of(cusolverDnCreateParams(&params));
    if (!status)
      status = status_of(cusolverDnXsyevBatched_bufferSize(h, params, job, uplo, n, data_type<T>(), nullptr, n,
                                                           data_type<real_of<T>>(), nullptr, data_type<T>(), &device,
                                                           &host, count));
    *bytes = device;
    return status ? status : host > 0 ? (int)BATCHED_DOES_NOT_FIT : (int)BATCHED_SUCCESS;
  }
  int run(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, int count, T *a, real_of<T> *w,
          void *work, int *info)
  {
    return status_of(cusolverDnXsyevBatched(h, params, job, uplo, n, data_type<T>(), a, n, data_type<real_of<T>>(), w,
                                            data_type<T>(), work, device, nullptr, 0, info, count));
  }
  ~tridiagonal_solver()
  {
    if (params) cusolverDnDestroyParams(params);
  }
};

template <class T, class Solver> static int solve(batched_ctx *ctx, const batched_heev_args &h)
{
  using R = real_of<T>;
  const int n = h.a.n, count = (int)h.a.count;
  const auto job = h.job == BATCHED_VECTORS ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const auto uplo = vendor_uplo(h.uplo);
  cusolverDnHandle_t handle = cusolver_of(ctx);
  if (!handle) return BATCHED_DEVICE_FAILED;
  Solver solver;
  size_t work_bytes;
  int status = solver.begin(handle, job, uplo, n, count, &work_bytes);
  if (status) return status;
  pieces p;
  const size_t at_a = p.add((size_t)count * n * n * sizeof(T)), at_w = p.add((size_t)count * n * sizeof(R)),
               at_work = p.add(work_bytes);
  char *base = static_cast<char *>(batched_scratch_push(ctx, p.bytes));
  if (!base) return BATCHED_NO_MEMORY;
  T *a = reinterpret_cast<T *>(base + at_a);
  R *w = reinterpret_cast<R *>(base + at_w);
  status = copy_in(ctx, view<T>(h.a), a);
  if (!status) status = solver.run(handle, job, uplo, n, count, a, w, base + at_work, h.info);
  if (!status && h.job == BATCHED_VECTORS) status = copy_out(ctx, view<T>(h.a), a, false, n, (int64_t)n * n);
  if (!status) status = copy_out(ctx, values<R>(h.w, n), w, false, 1, n);
  batched_scratch_pop(ctx);
  return status;
}

int heev_vendor(batched_ctx *ctx, const void *args)
{
  const auto &h = *static_cast<const batched_heev_args *>(args);
  return with_type(h.a.type, [&](auto t) {
    using T = decltype(t);
    return h.a.n <= 32 ? solve<T, jacobi_solver<T>>(ctx, h) : solve<T, tridiagonal_solver<T>>(ctx, h);
  });
}

bool heev_vendor_fits(const void *args)
{
  const auto &h = *static_cast<const batched_heev_args *>(args);
  return h.a.n > 0 && is_uniform(h.a) && is_uniform(h.w);
}

template <class T> static int svd(batched_ctx *ctx, const batched_gesvd_args &g, gesvdjInfo_t params)
{
  using R = real_of<T>;
  const int m = g.a.m, n = g.a.n, k = m < n ? m : n, count = (int)g.a.count;
  const auto job = g.job == BATCHED_VECTORS ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  cusolverDnHandle_t handle = cusolver_of(ctx);
  if (!handle) return BATCHED_DEVICE_FAILED;
  int lwork = 0;
  T *none = nullptr;
  int status = status_of(VENDOR_CALL(T, cusolverDn, gesvdjBatched_bufferSize)(
    handle, job, m, n, vendor(none), m, (R *)nullptr, vendor(none), m, vendor(none), n, &lwork, params, count));
  if (status) return status;
  pieces p;
  const size_t at_a = p.add((size_t)count * m * n * sizeof(T)), at_s = p.add((size_t)count * k * sizeof(R)),
               at_u = p.add((size_t)count * m * m * sizeof(T)), at_v = p.add((size_t)count * n * n * sizeof(T)),
               at_work = p.add((size_t)lwork * sizeof(T));
  char *base = static_cast<char *>(batched_scratch_push(ctx, p.bytes));
  if (!base) return BATCHED_NO_MEMORY;
  T *a = reinterpret_cast<T *>(base + at_a), *u = reinterpret_cast<T *>(base + at_u),
    *v = reinterpret_cast<T *>(base + at_v), *work = reinterpret_cast<T *>(base + at_work);
  R *s = reinterpret_cast<R *>(base + at_s);
  status = copy_in(ctx, view<T>(g.a), a);
  if (!status)
    status = status_of(VENDOR_CALL(T, cusolverDn, gesvdjBatched)(
      handle, job, m, n, vendor(a), m, s, vendor(u), m, vendor(v), n, vendor(work), lwork, g.info, params, count));
  if (!status) status = copy_out(ctx, values<R>(g.s, k), s, false, 1, k);
  if (!status && g.job == BATCHED_VECTORS) status = copy_out(ctx, view<T>(g.u), u, false, m, (int64_t)m * m);
  if (!status && g.job == BATCHED_VECTORS) status = copy_out(ctx, view<T>(g.vt), v, true, n, (int64_t)n * n);
  batched_scratch_pop(ctx);
  return status;
}

int gesvd_vendor(batched_ctx *ctx, const void *args)
{
  const auto &g = *static_cast<const batched_gesvd_args *>(args);
  gesvdjInfo_t params;
  int status = status_of(cusolverDnCreateGesvdjInfo(&params));
  if (status) return status;
  status = with_type(g.a.type, [&](auto t) { return svd<decltype(t)>(ctx, g, params); });
  cusolverDnDestroyGesvdjInfo(params);
  return status;
}

bool gesvd_vendor_fits(const void *args)
{
  const auto &g = *static_cast<const batched_gesvd_args *>(args);
  const bool vectors = g.job == BATCHED_VECTORS;
  return g.a.m > 0 && g.a.n > 0 && g.a.m <= 32 && g.a.n <= 32 && is_uniform(g.a) && is_uniform(g.s) &&
         (!vectors || (is_uniform(g.u) && is_uniform(g.vt)));
}

} // namespace batched_cuda
