/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of unmqr: products with the Q of large matrices by block reflectors I - V T V^H of 128 columns (z:
 * 64), of which V, with its ones and zeros, and T are formed for all blocks at once, so that these small steps of one
 * matrix share the GPU; then three gemm per block (compact WY form: Schreiber and Van Loan, SIAM J. Sci. Stat. Comput.
 * 10, 1989; LAPACK's larft and larfb).
 *
 * grid      V: a block per column; T: a block per block reflector
 * block     V: 256 threads; T: a thread per row
 * shared    T: 128 x 129 elements (z: 64 x 65), 66 to 132 kB
 * launches  V, V^H V (gemm), T, and 3 gemm per block
 * takes     all four types, any m and k, 32 columns of C (or rows) and more, uniform and variable; A and tau shared or
 *           not
 * memory    V twice, C read twice and written once per block; V, V^H V, T and two strips of C in scratch memory, of as
 *           many matrices at a time as 1 GB holds
 * accuracy  that of gemm; T by substitution, a row per thread, in order
 */
#ifndef BATCHED_QR_CUDA_UNMQR_NATIVE_CUH
#define BATCHED_QR_CUDA_UNMQR_NATIVE_CUH

#include "batched/products/cuda/gemm.cuh"
#include "batched/qr/qr.h"

namespace batched_cuda::qr
{

template <class T> constexpr int wide_block = sizeof(T) <= 8 ? 128 : 64;

/* Column j of V is reflector j, as long as there is one, and then zero. */
template <class T> static __global__ void __launch_bounds__(256) spread_reflectors(batch<T> a, batch<T> tau, batch<T> v)
{
  for (int64_t unit = blockIdx.x; unit < v.count * v.n; unit += gridDim.x) {
    const int64_t b = unit / v.n;
    const int j = (int)(unit % v.n), m = v.rows(b), k = m > 0 ? min(min(m, a.cols(b)), tau.length(b)) : 0;
    const T *const from = j < k ? a.at(b) + j * (int64_t)a.leading(b) : nullptr;
    T *const to = v.data + b * v.stride + j * (int64_t)v.ld;
    for (int i = threadIdx.x; i < v.m; i += blockDim.x)
      to[i] = j >= k || i < j || i >= m ? make<T>(0) : i == j ? make<T>(1) : from[i];
  }
}

/* T of every block from V^H V and tau, column by column; row i by thread i. */
template <class T>
static __global__ void __launch_bounds__(wide_block<T>)
  form_triangles(batch<T> gram, batch<T> a, batch<T> tau, batch<T> t, int blocks)
{
  constexpr int width = wide_block<T>;
  const int i = threadIdx.x;
  T *const row = shared_array<T>() + i * (width + 1);
  for (int64_t unit = blockIdx.x; unit < gram.count; unit += gridDim.x) {
    const int64_t b = unit / blocks;
    const int i0 = (int)(unit % blocks) * width, m = a.rows(b);
    const int count = m > 0 ? min(min(m, a.cols(b)), tau.length(b)) - i0 : 0;
    const T *const g = gram.at(unit);
    T *const to = t.at(unit);
    for (int j = 0; j < width; j++) {
      const T scale = j < count ? tau.at(b)[(i0 + j) * (int64_t)tau.increment(b)] : make<T>(0);
      T sum = make<T>(0);
#pragma unroll 8
      for (int l = i; l < j && j < count; l++) sum = mad(row[l], g[l + width * j], sum);
      row[j] = i == j ? scale : i < j && j < count ? -(scale * sum) : make<T>(0);
      to[i + width * j] = row[j];
    }
  }
}

/* Of some matrices. */
template <class T> struct wide_reflectors {
  int order, others, blocks;
  bool left, forward; /* the first block comes first */
  batch<T> v, gram, t, w, x;

  static batch<T> take(T *&p, int64_t count, int m, int n)
  {
    const batch<T> a = {p, nullptr, (int64_t)m * n, count, m, n, m, nullptr, nullptr, nullptr, 0, 0};
    p += a.stride * count;
    return a;
  }
  /* Numbers per matrix. */
  size_t each() const
  {
    constexpr size_t width = wide_block<T>;
    return width * blocks * ((size_t)order + 2 * width) + 2 * width * others;
  }
  void lay_out(T *memory, int64_t count)
  {
    constexpr int width = wide_block<T>;
    v = take(memory, count, order, width * blocks);
    gram = take(memory, count * blocks, width, width);
    t = take(memory, count * blocks, width, width);
    w = left ? take(memory, count, width, others) : take(memory, count, others, width);
    x = left ? take(memory, count, width, others) : take(memory, count, others, width);
  }
  int form(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
  {
    constexpr int width = wide_block<T>;
    const batch<T> each = {
      v.data, nullptr, (int64_t)order * width, v.count * blocks, order, width, order, nullptr, nullptr, nullptr, 0, 0};
    v.ms = a.ms;
    int status = launch(ctx, spread_reflectors<T>, v.count * v.n, 256, 0, a, tau, v);
    if (!status)
      status = products::gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, make<T>(1), each, each, make<T>(0), gram);
    return status ? status
                  : launch(ctx, form_triangles<T>, gram.count, width, width * (width + 1) * sizeof(T), gram, a, tau, t,
                           blocks);
  }
  int apply(batched_ctx *ctx, bool adjoint, const batch<T> &c, int block)
  {
    constexpr int width = wide_block<T>;
    const int i0 = block * width;
    const T one = make<T>(1), zero = make<T>(0);
    const batched_trans trans = adjoint ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS;
    const batch<T> u = v.block(i0, i0, order - i0, width);
    const batch<T> part = left ? c.block(i0, 0, order - i0, others) : c.block(0, i0, others, order - i0);
    batch<T> triangle = t;
    triangle.data += block * t.stride;
    triangle.stride *= blocks;
    triangle.count = c.count;
    (left ? w.ns : w.ms) = (left ? x.ns : x.ms) = left ? c.ns : c.ms;
    int status = left ? products::gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, u, part, zero, w)
                      : products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, part, u, zero, w);
    if (!status)
      status = left ? products::gemm(ctx, trans, BATCHED_NO_TRANS, one, triangle, w, zero, x)
                    : products::gemm(ctx, BATCHED_NO_TRANS, trans, one, w, triangle, zero, x);
    if (status) return status;
    return left ? products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, make<T>(-1), u, x, one, part)
                : products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, make<T>(-1), x, u, one, part);
  }
};

/* C = op(Q) C or C op(Q) for matrices that have memory. */
template <class T> static int multiply_wide(batched_ctx *ctx, wide_reflectors<T> &s, const batched_unmqr_args &p)
{
  const bool adjoint = p.trans != BATCHED_NO_TRANS;
  const batch<T> c = view<T>(p.c);
  int status = s.form(ctx, view<T>(p.a), view<T>(p.tau));
  for (int q = 0; q < s.blocks && !status; q++) status = s.apply(ctx, adjoint, c, s.forward ? q : s.blocks - 1 - q);
  return status;
}

template <class T> static int multiply_natively(batched_ctx *ctx, const batched_unmqr_args &p)
{
  wide_reflectors<T> s;
  s.left = p.side == BATCHED_LEFT;
  s.forward = s.left == (p.trans != BATCHED_NO_TRANS);
  s.order = s.left ? p.c.m : p.c.n;
  s.others = s.left ? p.c.n : p.c.m;
  s.blocks = (int)ceil_div(p.a.n < s.order ? p.a.n : s.order, wide_block<T>);
  const int64_t count = p.c.count, fit = ((int64_t)1 << 30) / (int64_t)(s.each() * sizeof(T));
  const int64_t part = ceil_div(count, ceil_div(count, fit > 0 ? fit : 1));
  T *const memory = static_cast<T *>(batched_scratch_push(ctx, s.each() * (size_t)part * sizeof(T)));
  if (!memory) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t first = 0; first < count && !status; first += part) {
    batched_unmqr_args some = p;
    batched_take_part(&batched_unmqr_op, &some, first, part < count - first ? part : count - first);
    s.lay_out(memory, some.c.count);
    status = multiply_wide(ctx, s, some);
  }
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::qr

#endif
