/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.cusolver of heev and gesvd and vendor.xsyev of heev: cuSOLVER's batched eigenvalues and singular values
 * (syevjBatched, gesvdjBatched; XsyevBatched). They overwrite packed matrices, leave NaNs and huge numbers undefined,
 * and give V for V^H, so operands are copied to scratch memory and scaled there.
 *
 * launches  pack (a warp per matrix, blocks of 128 threads), cuSOLVER, unpack (a thread per element, blocks of 256),
 *           values (a thread per matrix, blocks of 256)
 * takes     all four types, uniform; vendor.cusolver m, n <= 32, vendor.xsyev any n
 * reads     a twice; scratch: a, values, for gesvd m^2 and n^2 elements of vectors, and what cuSOLVER wants, which for
 *           vendor.xsyev is 0.5 MB for each 2 x 2 matrix: parts of the batch that have 4 GB, of one matrix at least
 * accuracy  cuSOLVER's; the scaling is exact
 */
#include <cstdlib>

#include "batched/eigen/cuda/cusolver.cuh"
#include "batched/eigen/cuda/jacobi.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/eigen/eigen.h"

namespace batched_cuda::eigen
{
namespace
{

/* Which elements count. */
enum part { WHOLE, LOWER, UPPER };

static __device__ __forceinline__ bool counts(part p, int i, int j)
{
  return p == WHOLE || (p == LOWER ? i >= j : i <= j);
}

/* Packs and scales matrices, a warp each: to = a times a power of two, by its largest element, which goes to
 * largest[b]; zero and NaN if an element is not finite. */
template <class T> static __global__ void pack(batch<T> a, part what, T *to, real_of<T> *largest)
{
  using R = real_of<T>;
  const int lane = (int)threadIdx.x % 32, warps = (int)blockDim.x / 32;
  const int64_t step = (int64_t)gridDim.x * warps, size = (int64_t)a.m * a.n;
  for (int64_t b = blockIdx.x * (int64_t)warps + threadIdx.x / 32; b < a.count; b += step) {
    const T *from = a.at(b);
    R most = 0;
    bool good = true;
    for (int j = 0; j < a.n; j++)
      for (int i = lane; i < a.m; i += 32) {
        if (!counts(what, i, j)) continue;
        const T e = from[i + (int64_t)j * a.ld];
        good = good && is_finite(what != WHOLE && i == j ? make<T>(real(e)) : e);
        most = fmax(most, magnitude(e));
      }
    good = __all_sync(all_lanes, good);
    for (int half = 16; half > 0; half /= 2) most = fmax(most, shuffle_xor(most, half));
    const power_scale<R> scale(most, 1);
    for (int j = 0; j < a.n; j++)
      for (int i = lane; i < a.m; i += 32)
        to[b * size + i + (int64_t)j * a.m] =
          good && counts(what, i, j) ? scale.up(from[i + (int64_t)j * a.ld]) : make<T>(0);
    if (lane == 0) largest[b] = good ? most : R(NAN);
  }
}

/* Unpacks the first rows (transposed: conjugated columns) of packed matrices with leading dimension ld and `size`
 * elements each; NaN where they were not finite or did not converge (info). */
template <class T>
static __global__ void unpack(batch<T> a, const T *from, bool transposed, int ld, int64_t size,
                              const real_of<T> *largest, const int *info)
{
  const int64_t mine = (int64_t)a.m * a.n;
  for (int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; e < mine * a.count;
       e += (int64_t)gridDim.x * blockDim.x) {
    const int64_t b = e / mine;
    const int i = (int)(e % mine % a.m), j = (int)(e % mine / a.m);
    const T x = from[b * size + (transposed ? j + (int64_t)i * ld : i + (int64_t)j * ld)];
    a.at(b)[i + (int64_t)j * a.ld] =
      largest[b] == largest[b] && info[b] == 0 ? conj_if(transposed, x) : not_a_number<T>();
  }
}

/* Unpacks and unscales the k values of each matrix; sets info. */
template <class R> static __global__ void unpack_values(batch<R> w, int k, const R *from, const R *largest, int *info)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < w.count; b += (int64_t)gridDim.x * blockDim.x) {
    const bool good = largest[b] == largest[b] && info[b] == 0;
    const power_scale<R> scale(largest[b], 1);
    for (int i = 0; i < k; i++) w.at(b)[i * (int64_t)w.increment(b)] = good ? scale.down(from[b * k + i]) : R(NAN);
    info[b] = good ? 0 : k;
  }
}

template <class T> static int copy_in(batched_ctx *ctx, const batch<T> &a, part what, T *to, real_of<T> *largest)
{
  return launch(ctx, pack<T>, ceil_div(a.count, 4), 128, 0, a, what, to, largest);
}

template <class T>
static int copy_out(batched_ctx *ctx, const batch<T> &a, const T *from, bool transposed, int ld, int64_t size,
                    const real_of<T> *largest, const int *info)
{
  return launch(ctx, unpack<T>, ceil_div((int64_t)a.m * a.n * a.count, 256), 256, 0, a, from, transposed, ld, size,
                largest, info);
}

template <class R>
static int values_out(batched_ctx *ctx, const batched_matrix &w, int k, const R *from, const R *largest, int *info)
{
  return launch(ctx, unpack_values<R>, ceil_div(w.count, 256), 256, 0, view<R>(w), k, from, largest, info);
}

static bool is_uniform(const batched_matrix &a)
{
  return !batched_is_variable(&a) && a.count <= INT_MAX;
}

/* Offsets into one block of scratch memory. */
struct pieces {
  size_t bytes = 0;

  size_t add(size_t size)
  {
    const size_t at = bytes;
    bytes += (size + 255) / 256 * 256;
    return at;
  }
};

/* syevjBatched; up to n = 32, as beyond that errors reach 100 n eps |A| (CUDA 13.0). */
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

/* XsyevBatched, whose results depend on the count. */
template <class T> struct general_solver {
  using R = real_of<T>;
  static constexpr cudaDataType type = is_complex<T> ? (sizeof(R) == 4 ? CUDA_C_32F : CUDA_C_64F)
                                                     : (sizeof(R) == 4 ? CUDA_R_32F : CUDA_R_64F),
                                real_type = sizeof(R) == 4 ? CUDA_R_32F : CUDA_R_64F;
  cusolverDnParams_t params = nullptr;
  size_t bytes = 0, host_bytes = 0;
  void *host = nullptr;

  int begin(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, int count, size_t *work)
  {
    int status = params ? (int)BATCHED_SUCCESS : status_of(cusolverDnCreateParams(&params));
    if (!status)
      status = status_of(cusolverDnXsyevBatched_bufferSize(h, params, job, uplo, n, type, nullptr, n, real_type,
                                                           nullptr, type, &bytes, &host_bytes, count));
    *work = bytes;
    return status;
  }
  int run(cusolverDnHandle_t h, cusolverEigMode_t job, cublasFillMode_t uplo, int n, int count, T *a, R *w, void *work,
          int *info)
  {
    free(host);
    host = host_bytes > 0 ? malloc(host_bytes) : nullptr;
    if (host_bytes > 0 && !host) return BATCHED_NO_MEMORY;
    return status_of(cusolverDnXsyevBatched(h, params, job, uplo, n, type, a, n, real_type, w, type, work, bytes, host,
                                            host_bytes, info, count));
  }
  ~general_solver()
  {
    free(host);
    if (params) cusolverDnDestroyParams(params);
  }
};

/* By solver S, in parts of the batch: halves, until what it wants is less than 4 GB. */
template <class S, class T> static int solve(batched_ctx *ctx, const batched_heev_args &h)
{
  using R = real_of<T>;
  constexpr size_t most = (size_t)1 << 32;
  const int n = h.a.n;
  const auto job = h.job == BATCHED_VECTORS ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const auto uplo = vendor_uplo(h.uplo);
  cusolverDnHandle_t handle = cusolver_of(ctx);
  if (!handle) return BATCHED_DEVICE_FAILED;
  S solver;
  int64_t part = h.a.count;
  size_t work_bytes;
  int status;
  while (!(status = solver.begin(handle, job, uplo, n, (int)part, &work_bytes)) && work_bytes > most && part > 1)
    part = (part + 1) / 2;
  if (status) return status;
  pieces p;
  const size_t at_a = p.add((size_t)part * n * n * sizeof(T)), at_w = p.add((size_t)part * n * sizeof(R)),
               at_largest = p.add((size_t)part * sizeof(R)), at_work = p.add(work_bytes);
  char *base = static_cast<char *>(batched_scratch_push(ctx, p.bytes));
  if (!base) return BATCHED_NO_MEMORY;
  T *a = reinterpret_cast<T *>(base + at_a);
  R *w = reinterpret_cast<R *>(base + at_w), *largest = reinterpret_cast<R *>(base + at_largest);
  for (int64_t first = 0; !status && first < h.a.count; first += part) {
    batched_heev_args some = h;
    const int64_t count = h.a.count - first < part ? h.a.count - first : part;
    batched_take_part(&batched_heev_op, &some, first, count);
    if (count < part) status = solver.begin(handle, job, uplo, n, (int)count, &work_bytes);
    if (!status) status = copy_in(ctx, view<T>(some.a), h.uplo == BATCHED_LOWER ? LOWER : UPPER, a, largest);
    if (!status) status = solver.run(handle, job, uplo, n, (int)count, a, w, base + at_work, some.info);
    if (!status && h.job == BATCHED_VECTORS)
      status = copy_out(ctx, view<T>(some.a), a, false, n, (int64_t)n * n, largest, some.info);
    if (!status) status = values_out(ctx, some.w, n, w, largest, some.info);
  }
  batched_scratch_pop(ctx);
  return status;
}

} // namespace

int heev_vendor(batched_ctx *ctx, const batched_heev_args &h)
{
  return with_type(h.a.type, [&](auto t) { return solve<jacobi_solver<decltype(t)>, decltype(t)>(ctx, h); });
}
int heev_xsyev(batched_ctx *ctx, const batched_heev_args &h)
{
  return with_type(h.a.type, [&](auto t) { return solve<general_solver<decltype(t)>, decltype(t)>(ctx, h); });
}

bool heev_vendor_fits(const batched_heev_args &h)
{
  return h.a.n <= 32 && heev_xsyev_fits(h);
}
bool heev_xsyev_fits(const batched_heev_args &h)
{
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
               at_largest = p.add((size_t)count * sizeof(R)), at_work = p.add((size_t)lwork * sizeof(T));
  char *base = static_cast<char *>(batched_scratch_push(ctx, p.bytes));
  if (!base) return BATCHED_NO_MEMORY;
  T *a = reinterpret_cast<T *>(base + at_a), *u = reinterpret_cast<T *>(base + at_u),
    *v = reinterpret_cast<T *>(base + at_v), *work = reinterpret_cast<T *>(base + at_work);
  R *s = reinterpret_cast<R *>(base + at_s), *largest = reinterpret_cast<R *>(base + at_largest);
  status = copy_in(ctx, view<T>(g.a), WHOLE, a, largest);
  if (!status)
    status = status_of(VENDOR_CALL(T, cusolverDn, gesvdjBatched)(
      handle, job, m, n, vendor(a), m, s, vendor(u), m, vendor(v), n, vendor(work), lwork, g.info, params, count));
  if (!status && g.job == BATCHED_VECTORS)
    status = copy_out(ctx, view<T>(g.u), u, false, m, (int64_t)m * m, largest, g.info);
  if (!status && g.job == BATCHED_VECTORS)
    status = copy_out(ctx, view<T>(g.vt), v, true, n, (int64_t)n * n, largest, g.info);
  if (!status) status = values_out(ctx, g.s, k, s, largest, g.info);
  batched_scratch_pop(ctx);
  return status;
}

int gesvd_vendor(batched_ctx *ctx, const batched_gesvd_args &g)
{
  gesvdjInfo_t params;
  int status = status_of(cusolverDnCreateGesvdjInfo(&params));
  if (status) return status;
  status = with_type(g.a.type, [&](auto t) { return svd<decltype(t)>(ctx, g, params); });
  cusolverDnDestroyGesvdjInfo(params);
  return status;
}

bool gesvd_vendor_fits(const batched_gesvd_args &g)
{
  const bool vectors = g.job == BATCHED_VECTORS;
  return g.a.m > 0 && g.a.n > 0 && g.a.m <= 32 && g.a.n <= 32 && is_uniform(g.a) && is_uniform(g.s) &&
         (!vectors || (is_uniform(g.u) && is_uniform(g.vt)));
}

} // namespace batched_cuda::eigen
