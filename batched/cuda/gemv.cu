/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gemv: a few lanes or a warp a matrix (`warp`), a block a matrix (`tile`), several blocks a matrix (`classic`), the last
 * two after Dong, Haidar, Tomov, Dongarra, Optimizing the SVD bidiagonalization process for a batch of small matrices,
 * Procedia Computer Science 108 (2017).  Sums have an order that m and n alone decide.
 */
#include "gemv.cuh"
#include "vendor.cuh"

namespace batched_cuda
{

static constexpr unsigned all_lanes = 0xffffffffu;
static constexpr int warp_threads = 128;

/* ------------------------------------------------------------------ warp */

/* R lanes of rows by `slices` of columns make a group, which does a matrix; there are 32 / (R slices) groups a warp.
 * The loops are as long as the largest matrix of the warp needs, so that the lanes stay together. */
template <class T, int R> static __global__ void __launch_bounds__(warp_threads, 4) warp_plain(product<T> p, int slices)
{
  constexpr int U = R < 8 ? R : 8;
  const int group = R * slices, r = threadIdx.x % R, c = threadIdx.x / R % slices, each = blockDim.x / group;
  for (int64_t first = (int64_t)blockIdx.x * each; first < p.y.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / group;
    const one_product<T> o = b < p.y.count ? one_product<T>(p, b) : one_product<T>();
    const int m = __reduce_max_sync(all_lanes, o.m), n = __reduce_max_sync(all_lanes, o.n);
    for (int i = r; i - r < m; i += R) {
      T sum[1] = {make<T>(0)};
      for (int j = c; j - c < n; j += U * slices) add_columns<1, U>(o, i, j, slices, o.n, sum);
      for (int lanes = R; lanes < group; lanes *= 2) sum[0] += shuffle_xor(sum[0], lanes);
      if (c == 0 && i < o.m) o.out(i, sum[0]);
    }
  }
}

template <class T, int R>
static __global__ void __launch_bounds__(warp_threads, 4) warp_transposed(product<T> p, int slices)
{
  constexpr int U = R < 8 ? R : 8;
  const int group = R * slices, r = threadIdx.x % R, c = threadIdx.x / R % slices, each = blockDim.x / group;
  for (int64_t first = (int64_t)blockIdx.x * each; first < p.y.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / group;
    const one_product<T> o = b < p.y.count ? one_product<T>(p, b) : one_product<T>();
    const int m = __reduce_max_sync(all_lanes, o.m), n = __reduce_max_sync(all_lanes, o.n);
    for (int j = c; j - c < n; j += U * slices) {
      T sum[U] = {};
#pragma unroll 1
      for (int i = r; i - r < m; i += R) add_row<U>(o, p.conj, i, j, slices, sum);
      const T total = sum_transposed<U, R>(sum);
      const int column = j + r * slices;
      if (r < U && column < o.n) o.out(column, total);
    }
  }
}

/* Rows in as few lanes as waste little, and a lane has some 16 elements at least where there are slices of columns. */
template <class T, int R> static int warp_of(batched_ctx *ctx, const product<T> &p)
{
  int slices = 1;
  while (R * slices < 32 && (int64_t)p.a.m * p.a.n > 16 * R * slices) slices *= 2;
  const int64_t blocks = ceil_div(p.y.count, warp_threads / (R * slices));
  return p.plain ? launch(ctx, warp_plain<T, R>, blocks, warp_threads, 0, p, slices)
                 : launch(ctx, warp_transposed<T, R>, blocks, warp_threads, 0, p, slices);
}

static int warp(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  return with_type(g->y.type, [&](auto t) {
    using T = decltype(t);
    const product<T> p = product_of<T>(*g);
    const int m = p.a.m;
    if (m <= 4) return warp_of<T, 4>(ctx, p);
    if (m <= 8 || (m > 16 && m <= 24)) return warp_of<T, 8>(ctx, p);
    if (m <= 16) return warp_of<T, 16>(ctx, p);
    return warp_of<T, 32>(ctx, p);
  });
}

/* ------------------------------------------------------------------ blocks */

/* Sums of rows i0 .. i0 + 32 P of this block over columns [begin, end), warps taking U columns in turn.  After the
 * barrier part[w][i - i0] has what warp w found. */
template <int P, int U, class T>
static __device__ __forceinline__ void rows_of_block(const one_product<T> &o, int i0, int begin, int end, T *part)
{
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  T sum[P] = {};
  for (int j = begin + w * U; j < end; j += warps * U) add_columns<P, U>(o, i0 + lane, j, 1, end, sum);
#pragma unroll
  for (int q = 0; q < P; q++) part[(w * P + q) * 32 + lane] = sum[q];
  __syncthreads();
}

template <class T> static __device__ __forceinline__ T sum_parts(const T *part, int each, int i)
{
  T sum = part[i];
  for (int w = 1; w < (int)blockDim.x / 32; w++) sum += part[w * each + i];
  return sum;
}

template <class T, int P> static __global__ void __launch_bounds__(256, 2) tile_plain(product<T> p)
{
  constexpr int U = sizeof(T) == 16 || P == 4 ? 4 : 8;
  T *part = shared_array<T>();
  for (int64_t b = blockIdx.x; b < p.y.count; b += gridDim.x) {
    const one_product<T> o(p, b);
    for (int i0 = 0; i0 < o.m; i0 += 32 * P) {
      rows_of_block<P, U>(o, i0, 0, o.n, part);
      for (int i = threadIdx.x; i < 32 * P && i0 + i < o.m; i += blockDim.x) o.out(i0 + i, sum_parts(part, 32 * P, i));
      __syncthreads();
    }
  }
}

static constexpr int dots = 8; /* columns that a warp does at a time */

template <class T> static __global__ void __launch_bounds__(256, 2) tile_transposed(product<T> p)
{
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int64_t b = blockIdx.x; b < p.y.count; b += gridDim.x) {
    const one_product<T> o(p, b);
    for (int j = w * dots; j < o.n; j += warps * dots) {
      T sum[dots] = {};
#pragma unroll 2
      for (int i = lane; i - lane < o.m; i += 32) add_row<dots>(o, p.conj, i, j, 1, sum);
      const T total = sum_transposed<dots, 32>(sum);
      if (lane < dots && j + lane < o.n) o.out(j + lane, total);
    }
  }
}

/* More warps where there is more to do; T: as many as share the groups of columns best. */
static int tile_threads(bool plain, int m, int n)
{
  const int64_t elements = (int64_t)m * n, groups = ceil_div(n, dots);
  const int most = elements <= 2048 ? 2 : elements <= 64 * 64 ? 4 : 8;
  int warps = most;
  for (int w = most; !plain && w >= (most + 1) / 2; w--)
    if (ceil_div(groups, w) * w < ceil_div(groups, warps) * warps) warps = w;
  return 32 * (plain || groups > warps ? warps : (int)groups);
}

static int tile(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  return with_type(g->y.type, [&](auto t) {
    using T = decltype(t);
    const product<T> p = product_of<T>(*g);
    const int threads = tile_threads(p.plain, p.a.m, p.a.n);
    if (!p.plain) return launch(ctx, tile_transposed<T>, p.y.count, threads, 0, p);
    if (p.a.m <= 32) return launch(ctx, tile_plain<T, 1>, p.y.count, threads, threads * sizeof(T), p);
    if (p.a.m <= 64) return launch(ctx, tile_plain<T, 2>, p.y.count, threads, 2 * threads * sizeof(T), p);
    return launch(ctx, tile_plain<T, 4>, p.y.count, threads, 4 * threads * sizeof(T), p);
  });
}

/* ------------------------------------------------------------------ classic */

/* A matrix is cut into `chunks` of its result by `slices` of the sum, a block each; `depth` terms a slice.  With several
 * slices their sums go to partial[(b * slices + s) * length + i], and are added up by a second kernel. */
struct cut {
  int length, chunks, slices, depth;
};

template <class T> static __device__ __forceinline__ void deliver(const one_product<T> &o, int i, T sum, T *partial)
{
  if (partial)
    partial[i] = sum;
  else
    o.out(i, sum);
}

template <class T> static __global__ void __launch_bounds__(256, 2) classic_plain(product<T> p, cut c, T *partial)
{
  constexpr int P = 4, U = 4, height = 32 * P;
  T *part = shared_array<T>();
  for (int64_t item = blockIdx.x; item < p.y.count * c.chunks * c.slices; item += gridDim.x) {
    const int i0 = (int)(item % c.chunks) * height, s = (int)(item / c.chunks % c.slices);
    const int64_t b = item / c.chunks / c.slices;
    const one_product<T> o(p, b);
    const int begin = s * c.depth, end = begin + c.depth < o.n ? begin + c.depth : o.n;
    T *to = partial ? partial + (b * c.slices + s) * c.length : nullptr;
    rows_of_block<P, U>(o, i0, begin, end, part);
    for (int i = threadIdx.x; i < height && i0 + i < o.m; i += blockDim.x)
      deliver(o, i0 + i, sum_parts(part, height, i), to);
    __syncthreads();
  }
}

template <class T> static __global__ void __launch_bounds__(256, 2) classic_transposed(product<T> p, cut c, T *partial)
{
  T *part = shared_array<T>();
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int64_t item = blockIdx.x; item < p.y.count * c.chunks * c.slices; item += gridDim.x) {
    const int j0 = (int)(item % c.chunks) * dots, s = (int)(item / c.chunks % c.slices);
    const int64_t b = item / c.chunks / c.slices;
    const one_product<T> o(p, b);
    const int begin = s * c.depth, end = begin + c.depth < o.m ? begin + c.depth : o.m;
    T sum[dots] = {}, *to = partial ? partial + (b * c.slices + s) * c.length : nullptr;
#pragma unroll 2
    for (int i = begin + 32 * w; i < end; i += 32 * warps) add_row<dots>(o, p.conj, i + lane, j0, 1, sum);
    const T total = sum_transposed<dots, 32>(sum);
    if (lane < dots) part[w * dots + lane] = total;
    __syncthreads();
    if (threadIdx.x < dots && j0 + (int)threadIdx.x < o.n)
      deliver(o, j0 + threadIdx.x, sum_parts(part, dots, threadIdx.x), to);
    __syncthreads();
  }
}

/* y = alpha (sum of the slices' sums) + beta y, 32 elements a block: warps add every eighth slice. */
template <class T> static __global__ void __launch_bounds__(256) add_slices(product<T> p, cut c, const T *partial)
{
  T *part = shared_array<T>();
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int64_t each = (c.length + 31) / 32;
  for (int64_t item = blockIdx.x; item < p.y.count * each; item += gridDim.x) {
    const int64_t b = item / each;
    const int i = (int)(item % each) * 32 + lane;
    const one_product<T> o(p, b);
    const bool there = i < (p.plain ? o.m : o.n);
    const T *from = partial + b * c.slices * c.length + i;
    T sum = make<T>(0);
#pragma unroll 4
    for (int s = w; s < c.slices; s += warps)
      if (there) sum += from[(int64_t)s * c.length];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (w == 0 && there) o.out(i, sum_parts(part, 32, lane));
    __syncthreads();
  }
}

/* Blocks enough to fill a GPU with one matrix, but at least 64 columns or 1024 rows for each: the sums of the slices are
 * little to write then. */
static cut cut_of(bool plain, int m, int n)
{
  cut c = {plain ? m : n, 0, 0, 0};
  const int inner = plain ? n : m, least = plain ? 64 : 1024;
  c.chunks = (int)ceil_div(c.length, plain ? 128 : dots);
  const int64_t want = ceil_div(plain ? 512 : 128, c.chunks), most = ceil_div(inner > 0 ? inner : 1, least);
  c.slices = (int)(want < most ? want : most);
  c.depth = (int)(ceil_div(ceil_div(inner, c.slices), 32) * 32);
  return c;
}

static int classic(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  return with_type(g->y.type, [&](auto t) -> int {
    using T = decltype(t);
    const product<T> p = product_of<T>(*g);
    const cut c = cut_of(p.plain, p.a.m, p.a.n);
    const int64_t blocks = p.y.count * c.chunks * c.slices, sums = p.y.count * c.slices * c.length;
    T *partial = nullptr;
    if (c.slices > 1) {
      partial = static_cast<T *>(batched_scratch_push(ctx, (size_t)sums * sizeof(T)));
      if (!partial) return BATCHED_NO_MEMORY;
    }
    int status = p.plain ? launch(ctx, classic_plain<T>, blocks, 256, 4 * 256 * sizeof(T), p, c, partial)
                         : launch(ctx, classic_transposed<T>, blocks, 256, 8 * dots * sizeof(T), p, c, partial);
    if (!partial) return status;
    if (!status)
      status = launch(ctx, add_slices<T>, p.y.count * ceil_div(c.length, 32), 256, 256 * sizeof(T), p, c, partial);
    batched_scratch_pop(ctx);
    return status;
  });
}

/* ------------------------------------------------------------------ cuBLAS */

static bool vendor_fits(const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  const bool uniform = !batched_is_variable(&g->a) && !batched_is_variable(&g->x) && !batched_is_variable(&g->y);
  return uniform && g->a.m > 0 && g->a.n > 0 && g->y.count <= INT_MAX && (g->alpha.re != 0 || g->alpha.im != 0);
}

static int vendor_gemv(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return with_type(g->y.type, [&](auto t) -> int {
    using T = decltype(t);
    product<T> p = product_of<T>(*g);
    const int incx = batched_increment(&g->x, 0), incy = batched_increment(&g->y, 0), count = (int)p.y.count;
    if (!p.a.array && !p.x.array && !p.y.array)
      return status_of(VENDOR_CALL(T, cublas, gemvStridedBatched)(
        handle, vendor_trans(g->trans), p.a.m, p.a.n, vendor(&p.alpha), vendor(p.a.data), p.a.ld, p.a.stride,
        vendor(p.x.data), incx, p.x.stride, vendor(&p.beta), vendor(p.y.data), incy, p.y.stride, count));
    T **a = pointers_of(ctx, p.a), **x = a ? pointers_of(ctx, p.x) : nullptr, **y = x ? pointers_of(ctx, p.y) : nullptr;
    int status = BATCHED_NO_MEMORY;
    using V = decltype(vendor(&p.alpha));
    if (y)
      status = status_of(VENDOR_CALL(T, cublas, gemvBatched)(
        handle, vendor_trans(g->trans), p.a.m, p.a.n, vendor(&p.alpha), reinterpret_cast<V *>(a), p.a.ld,
        reinterpret_cast<V *>(x), incx, vendor(&p.beta), reinterpret_cast<V *>(y), incy, count));
    for (int pushed = (a != nullptr) + (x != nullptr) + (y != nullptr); pushed > 0; pushed--) batched_scratch_pop(ctx);
    return status;
  });
}

/* ------------------------------------------------------------------ rows */

static bool is_small(const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  const int64_t m = g->a.m, n = g->a.n;
  const bool narrow = m <= 16 || (g->trans != BATCHED_NO_TRANS && n <= dots);
  return m * n <= 900 || (narrow && m * n <= 1 << 15);
}

static bool is_medium(const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  return (int64_t)g->a.m * g->a.n <= 512 * 512;
}

} // namespace batched_cuda

const batched_variant batched_gemv_cuda[] = {
  {"cuda.warp", nullptr, batched_cuda::is_small, batched_cuda::warp},
  {"cuda.tile", nullptr, batched_cuda::is_medium, batched_cuda::tile},
  {"cuda.classic", nullptr, nullptr, batched_cuda::classic},
  {"vendor.cublas", batched_cuda::vendor_fits, batched_cuda::never, batched_cuda::vendor_gemv},
  BATCHED_LAST_ROW,
};
