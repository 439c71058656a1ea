/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of geqrf: QR of large matrices, each by as many blocks of threads as there is work for.  Blocks of
 * 128 to 512 columns are made of blocks of up to 128: in double precision, to 4096 rows, a cluster factors 128 or 64
 * columns in its shared memory (native/cluster_block.cuh); else strips that a cluster factors
 * (native/cluster_panel.cuh) are applied one by one.  Then a block is applied to the matrix behind by products, whose
 * sums over rows are cut into chunks so that they fill the GPU.  Where there is one matrix, a second stream factors the
 * next block meanwhile (look-ahead).
 *
 * The reflectors v_1 .. v_k make I - V M^-1 V^H with M(j, i) = v_j^H v_i above and 1 / tau_i on the diagonal (Puglisi,
 * SIAM J. Sci. Stat. Comput. 13, 1992): solving with M replaces LAPACK's T.  Where tau is 0, v is taken as 0.
 *
 * launches  per block of native/cluster_block.cuh 1; per strip 3: the panel (clusters), two of blocks of 256 threads
 *           per chunk of rows and group of columns; per block of strips 3 for V and M; 4 products or solves for the
 *           next block and 4 for what is behind, matrix by matrix
 * takes     all four types, m <= 65536, any n, uniform
 * workspace V and M of two blocks, and partial sums of V^H C; the same for the blocks of 128
 * accuracy  |A - Q R| < 30 m eps |A| column by column
 */
#ifndef BATCHED_QR_CUDA_GEQRF_NATIVE_CUH
#define BATCHED_QR_CUDA_GEQRF_NATIVE_CUH

#include "batched/cuda/side_stream.cuh"
#include "batched/qr/cuda/native/cluster_block.cuh"
#include "batched/qr/cuda/block_reflector.cuh"
#include "batched/qr/cuda/native/strip_tensor.cuh"

namespace batched_cuda::qr
{

/* ------------------------------------------------------------------ a block, applied to the matrix behind */

/* The sum of `parts` arrays of `size`, in the first. */
template <class T> static __global__ void __launch_bounds__(256) add_parts(T *x, int parts, int64_t size)
{
  for (int64_t e = blockIdx.x * (int64_t)256 + threadIdx.x; e < size; e += gridDim.x * (int64_t)256) {
    T sum = x[e];
#pragma unroll 8
    for (int part = 1; part < parts; part++) sum += x[e + part * size];
    x[e] = sum;
  }
}

/* ------------------------------------------------------------------ on the host */

/* Columns of a block within a block. */
enum { NATIVE_BLOCK = 128 };

/* Columns of a block where m rows are left.  ms of 128, 256 and 512 in d (H200, 2026-11-30): order 4096 6.9 and 7.2;
 * 8192 35.9, 32.6, 32.9; 16384 180 (256) and 175. */
inline int native_width(int m)
{
  return m > 9000 ? 512 : m > 6144 ? 256 : NATIVE_BLOCK;
}

/* Elements behind a block from which on applying it takes so long that the next one is factored by the time V^H C is
 * there: then the last product has all multiprocessors. */
constexpr double BUSY_ELEMENTS = 9e7;

template <class T> struct native_qr {
  batched_ctx *ctx;
  batch<T> a, tau;
  int width; /* columns of a block */
  T *q, *partial, *v, *m, *sums;
  T *inner; /* the last three of the blocks within a block */

  static constexpr int64_t tiles = 528; /* of 64 x 64, that a product should have */

  static batch<T> matrix(T *p, int rows, int cols, int64_t stride, int64_t count)
  {
    return {p, nullptr, stride, count, rows, cols, rows, nullptr, nullptr, nullptr, 0, 0};
  }
  static int strip_chunks(int rows)
  {
    const int64_t chunks = ceil_div(rows, 2 * STRIP_ROWS);
    return (int)(chunks < 32 ? chunks : 32);
  }
  static int product_chunks(int rows, int cols, int k, int least)
  {
    const int64_t wanted = ceil_div(tiles, ceil_div(cols, 64) * ceil_div(k, 64)), most = ceil_div(rows, least);
    return (int)(wanted < most ? wanted : most);
  }
  static int64_t product_room(int n, int k)
  {
    return (tiles * 2 + ceil_div(k, 64) * ceil_div(n, 64) + 4) * 64 * 64;
  }

  static constexpr bool has_cluster_block = std::is_same_v<T, double>;
  static constexpr int64_t strip_room = (int64_t)32 * NATIVE_BLOCK * STRIP_TILE;

  int allocate()
  {
    const int64_t qs = a.count * STRIP_TILE * STRIP_TILE, each = has_cluster_block ? block_room(MOST_CLUSTER) : 0,
                  partials = a.count * (each > strip_room ? each : strip_room), outer = room(width, a.n),
                  within = room(NATIVE_BLOCK, width > NATIVE_BLOCK ? width : 2 * NATIVE_BLOCK);
    q = static_cast<T *>(batched_scratch_push(ctx, (size_t)(qs + partials + outer + within) * sizeof(T)));
    if (!q) return BATCHED_NO_MEMORY;
    partial = q + qs;
    inner = partial + partials + outer;
    place(partial + partials, width);
    return BATCHED_SUCCESS;
  }
  /* What applying blocks of k columns to those behind takes: V, M of each matrix, and sums; V and M twice. */
  int64_t room(int k, int n) const
  {
    if (n <= k) return 0;
    return 2 * ((int64_t)a.m + 1) * k + 2 * a.count * (int64_t)k * k + product_room(n, k);
  }
  void place(T *memory, int k)
  {
    width = k;
    v = memory;
    m = v + 2 * ((int64_t)a.m + 1) * k;
    sums = m + 2 * a.count * (int64_t)k * k;
  }
  /* Columns of the block that begins with column j; fewer where fewer rows are left. */
  int width_at(int j) const
  {
    const int columns = native_width(a.m - j);
    return columns < width ? columns : width;
  }
  /* 0 and 1 for blocks by turns */
  int turn_of(int j) const
  {
    int turn = 0;
    for (int i = 0; i < j; i += width_at(i)) turn ^= 1;
    return turn;
  }
  /* V and M of the block of columns j .. that has k reflectors: by turns, as one is applied while the next is made. */
  batch<T> v_of(int j, int k) const
  {
    const int rows = a.m - j;
    batch<T> reflectors = matrix(v + turn_of(j) * ((int64_t)a.m + 1) * width, rows + rows % 2, k, 0, 1);
    reflectors.m = rows;
    return reflectors;
  }
  batch<T> m_of(int64_t b, int j, int k, int64_t count = 1) const
  {
    return matrix(m + (turn_of(j) * a.count + b) * width * width, k, k, (int64_t)width * width, count);
  }

  batch<T> tau_from(int j, int count) const
  {
    return tau.n == 1 && !tau.ns ? tau.block(j, 0, count, 1) : tau.block(0, j, tau.m, count);
  }

  /* Columns j .. end - 1 from row j on, by blocks within the block: each by one kernel where a cluster has room; */
  int factor_block(int j, int end) const
  {
    native_qr part = *this;
    part.place(inner, NATIVE_BLOCK);
    const int begin = j;
    int status = BATCHED_SUCCESS;
    for (int next; j < end && j < a.m && !status; j = next) {
      next = j + within(j) < end ? j + within(j) : end;
      const int k = (next < a.m ? next : a.m) - j;
      const bool whole = j == begin && next == end, is_applied = next < (whole ? a.n : end);
      status = has_kernel(j) ? factor_in_cluster(whole ? *this : part, j, next, is_applied) : factor_strips(j, next);
      for (int64_t b = 0; b < a.count && next < end && !status; b++) {
        status = part.take_block(b, j, k);
        if (!status) status = part.apply_block(b, j, k, next, end - next);
      }
    }
    return status;
  }
  /* by one kernel, which leaves V and M to a level of blocks, where it is applied; V of a single matrix; */
  int factor_in_cluster(const native_qr &level, int j, int end, bool is_applied) const
  {
    const int k = (end < a.m ? end : a.m) - j;
    const batch<T> none = {}, v = is_applied && a.count == 1 ? level.v_of(j, k) : none,
                   m = is_applied ? level.m_of(0, j, k, a.count) : none;
    int status = BATCHED_DOES_NOT_FIT;
    with_cluster_block<T>(a.m - j, [&](auto kernel, int, int blocks, size_t shared) {
      status = launch_in_clusters<true>(ctx, kernel, a.count, blocks, BLOCK_THREADS, shared,
                                        a.block(j, j, a.m - j, end - j), tau_from(j, k), q, partial, blocks, v, m);
    });
    return status;
  }
  /* Columns of a block within the block, from column j on; has it a kernel of its own? */
  int within(int j) const
  {
    int some = NATIVE_BLOCK;
    with_cluster_block<T>(a.m - j, [&](auto, int columns, int, size_t) { some = columns; });
    return some;
  }
  bool has_kernel(int j) const
  {
    return with_cluster_block<T>(a.m - j, [](auto, int, int, size_t) {});
  }
  /* and strip by strip. */
  int factor_strips(int j, int end) const
  {
    int status = BATCHED_SUCCESS;
    for (int w; j < end && j < a.m && !status; j += w) {
      const int rows = a.m - j;
      with_qr_cluster<T>(rows, [&](auto cluster, int blocks, int each) {
        w = cluster.W;
        const batch<T> strip = a.block(j, j, rows, end - j < w ? end - j : w);
        const int reflectors = strip.n < rows ? strip.n : rows;
        status = launch_in_clusters<true>(ctx, cluster.kernel, a.count, blocks, cluster.THREADS, cluster.shared, strip,
                                          tau_from(j, reflectors), q, blocks, each);
        const int rest = end - j - strip.n;
        if (status || rest <= 0) return;
        const int chunk = 2 * STRIP_ROWS * (int)ceil_div(rows, 2 * STRIP_ROWS * strip_chunks(rows));
        const strip_update<T> s = {
          strip, tau_from(j, reflectors),    a.block(j, j + w, rows, rest),  q, partial, reflectors, w,
          chunk, (int)ceil_div(rows, chunk), (int)ceil_div(rest, STRIP_TILE)};
        if constexpr (std::is_same_v<T, double>)
          status = apply_strip(s, multiply_strip_tc, subtract_strip_tc);
        else
          status = apply_strip(s, multiply_strip<T>, subtract_strip<T>);
      });
    }
    return status;
  }
  /* By these kernels. */
  int apply_strip(const strip_update<T> &s, void (*multiply)(strip_update<T>), void (*subtract)(strip_update<T>)) const
  {
    const int64_t blocks = s.c.count * s.chunks * s.groups;
    const int status = products::launch_waiting(ctx, multiply, blocks, 256, 0, s);
    return status ? status : products::launch_waiting(ctx, subtract, blocks, 256, 0, s);
  }

  /* X^H Y by chunks of rows, to `sums`; their number. */
  int multiply(const batch<T> &x, const batch<T> &y, int *parts) const
  {
    const int rows = x.m, k = x.n, n = y.n;
    const int least = y.array ? 512 : 128; /* rows of a chunk: of an array's matrix each is a launch */
    const int chunk = 16 * (int)ceil_div(rows, 16 * product_chunks(rows, n, k, least));
    *parts = (int)ceil_div(rows, chunk);
    int status = BATCHED_SUCCESS;
    for (int part = 0; part < *parts && !status;) {
      /* equal ones at once, where they are in one array */
      const int whole = rows / chunk - part, some = y.array || whole < 1 ? 1 : whole;
      const int first = part * chunk, last = first + chunk < rows ? first + chunk : rows;
      batch<T> left = x.block(first, 0, last - first, k), right = y.block(first, 0, last - first, n);
      left.count = right.count = some;
      left.stride = right.stride = chunk;
      status = products::gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, make<T>(1), left, right, make<T>(0),
                              matrix(sums + part * (int64_t)k * n, k, n, (int64_t)k * n, some));
      part += some;
    }
    return status;
  }

  /* The k reflectors of columns j .. of matrix b, as V and M; */
  int take_block(int64_t b, int j, int k) const
  {
    const batch<T> t = one_of(tau_from(j, k), b), reflectors = v_of(j, k);
    const bool made = has_kernel(j) && k <= within(j);
    if (made && a.count == 1) return BATCHED_SUCCESS;
    int parts = 0;
    int status = launch(ctx, copy_block<T>, ceil_div(a.m - j, 256) * k, 256, 0, one_of(a, b).block(j, j, a.m - j, k), t,
                        reflectors);
    if (made || status) return status;
    status = multiply(reflectors, reflectors, &parts);
    return status ? status : launch(ctx, make_m<T>, ceil_div(k * k, 256), 256, 0, sums, parts, t, m_of(b, j, k));
  }
  /* Columns of n whose C - V Y is found while the next block is factored; k reflectors of m rows.  By microseconds: a
   * strip of 8192 rows takes 45, the products 46 and 40 Tflop/s. */
  static int columns_beside(int m, int k, int n)
  {
    const double product = 2e-6 * m * n * k, meanwhile = k / STRIP_TILE * 45 * (0.5 + m / 16384.0);
    const double part = (meanwhile - product / 46) / (product / 40);
    return part > 0.85 ? n : part < 0.1 ? 0 : (int)(part * n / 128) * 128;
  }
  /* C -= V (M^-H V^H C), in two parts, the second on all multiprocessors when the next block is factored. */
  int subtract_in_parts(const batch<T> &v, const batch<T> &m, const batch<T> &w, const batch<T> &c,
                        side_stream *side) const
  {
    const int some = columns_beside(c.m, v.n, c.n);
    int status =
      triangular::trsm(ctx, BATCHED_LEFT, BATCHED_UPPER, BATCHED_CONJ_TRANS, BATCHED_NON_UNIT, make<T>(1), m, w);
    const auto subtract = [&](int begin, int end) {
      if (begin < end && !status)
        status = products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, make<T>(-1), v,
                                w.block(0, begin, w.m, end - begin), make<T>(1), c.block(0, begin, c.m, end - begin));
    };
    subtract(0, some);
    if (side && some < c.n && !status) {
      side->reserve(0);
      status = side->join();
    }
    subtract(some, c.n);
    return status;
  }
  /* and applied to n columns of it from c on.  side: where the next block is factored meanwhile, which is done when
   * V^H C of many columns is there. */
  int apply_block(int64_t b, int j, int k, int c, int n, side_stream *side = nullptr) const
  {
    if (n <= 0) return BATCHED_SUCCESS;
    const batch<T> reflectors = v_of(j, k), behind = one_of(a, b).block(j, c, a.m - j, n);
    int parts = 0;
    int status = multiply(reflectors, behind, &parts);
    if (!status && parts > 1)
      status = launch(ctx, add_parts<T>, ceil_div((int64_t)k * n, 256), 256, 0, sums, parts, (int64_t)k * n);
    if (width > NATIVE_BLOCK && n > width && !status)
      return subtract_in_parts(reflectors, m_of(b, j, k), matrix(sums, k, n, 0, 1), behind, side);
    if (side && (double)(a.m - j) * n >= BUSY_ELEMENTS) side->reserve(0);
    return status ? status : subtract_block(ctx, reflectors, m_of(b, j, k), matrix(sums, k, n, 0, 1), behind);
  }

  /* Of the block that begins with column j. */
  int end_of(int j) const
  {
    return j + width_at(j) < a.n ? j + width_at(j) : a.n;
  }

  /* Block after block. */
  int factor() const
  {
    const int k = a.m < a.n ? a.m : a.n;
    int status = BATCHED_SUCCESS;
    for (int j = 0; j < k && !status; j = end_of(j)) {
      const int end = end_of(j), last = end < k ? end : k, next = end_of(end);
      status = factor_block(j, end);
      for (int64_t b = 0; b < a.count && end < a.n && !status; b++) { /* in factor_ahead()'s parts, for the same bits */
        status = take_block(b, j, last - j);
        if (!status) status = apply_block(b, j, last - j, end, next - end);
        if (!status) status = apply_block(b, j, last - j, next, a.n - next);
      }
    }
    return status;
  }

  /* The same of one matrix: the side stream brings the next block up to date and factors it, while the context's
   * applies this one to what is behind.  That starts when the next block is up to date: then the cluster that factors
   * it has its multiprocessors, and the products theirs. */
  int factor_ahead(side_stream &side) const
  {
    const int k = a.m < a.n ? a.m : a.n;
    native_qr taker = *this; /* on the side, which has sums of its own */
    {
      native_qr part = *this;
      part.place(inner, NATIVE_BLOCK);
      taker.sums = part.sums;
    }
    bool taken = false; /* V and M of the block are there */
    int status = side.open();
    if (!status) status = side.fork();
    if (!status) status = side.run([&] { return factor_block(0, end_of(0)); });
    for (int j = 0; j < k && !status; j = end_of(j)) {
      const int end = end_of(j), reflectors = (end < k ? end : k) - j, next = end_of(end);
      status = side.fork();
      if (!status && end < a.n)
        status = side.run([&] {
          const int made = taken ? (int)BATCHED_SUCCESS : take_block(0, j, reflectors);
          return made ? made : apply_block(0, j, reflectors, end, next - end);
        });
      if (!status) status = side.join();
      taken = width > NATIVE_BLOCK && (double)(a.m - end) * (a.n - next) >= BUSY_ELEMENTS / 2;
      if (!status && end < k)
        status = side.run([&] {
          const int factored = factor_block(end, next);
          return factored || !taken ? factored : taker.take_block(0, end, (next < k ? next : k) - end);
        });
      side.reserve(end < k ? MOST_CLUSTER : 0);
      if (!status) status = apply_block(0, j, reflectors, next, a.n - next, &side);
      side.reserve(0);
    }
    return status;
  }
};

template <class T> int run_geqrf_native(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  native_qr<T> qr = {ctx, a, tau};
  qr.width = native_width(a.m);
  int status = qr.allocate();
  if (status) return status;
  if (a.count == 1 && a.n > qr.width) {
    side_stream side(ctx);
    status = qr.factor_ahead(side);
  } else {
    status = qr.factor();
  }
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::qr

#endif
