/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.composed of ungbr, unmbr, ungtr, unmtr, unghr and unmhr: the reflectors are copied as columns
 * (reflectors.cuh), then ungqr and unmqr do the work, by their rows in this context.  Where hetrd of an upper triangle
 * has them from the last one backward, C, or the result, is in scratch memory with its rows (columns) in reverse order.
 *
 * launches  copy, the call, and a copy back where A is a result or C is reversed
 * takes     all four types, any size, uniform and variable; unmXX: A and tau shared or not
 * accuracy  that of the call
 */
#ifndef BATCHED_CONDENSED_CUDA_COMPOSED_CUH
#define BATCHED_CONDENSED_CUDA_COMPOSED_CUH

#include "batched/condensed/condensed.h"
#include "batched/condensed/cuda/reflectors.cuh"
#include "batched/qr/qr.h"
#include "batched/vectors/vectors.h"

namespace batched_cuda::condensed
{

/* A dense batch in scratch memory. */
static batched_matrix dense(batched_type type, void *data, int m, int n, int64_t count)
{
  return batched_make_strided(type, data, m, n, m > 0 ? m : 1, (int64_t)m * n, count);
}

/* Columns that hold the reflectors of matrices with the bounds of q.a, and of those bounds what unmqr takes. */
template <class T> static int columns_of(const stored_reflectors<T> &q, int order)
{
  const int k = q.of == OF_GEBRD ? (q.is_q ? q.a.n : q.a.m) + 1 : order;
  return k < order ? k : order;
}

template <class T>
static int collect(batched_ctx *ctx, const stored_reflectors<T> &q, batched_matrix v, batched_matrix t)
{
  return launch(ctx, collect_reflectors<T>, v.count, reflectors_threads, 0, q, view<T>(v), view<T>(t));
}

/* True where C = op(Q) C (left) or C op(Q) has its rows (columns) reversed. */
template <class T> static int reverse(batched_ctx *ctx, bool left, const batched_matrix &from, const batched_matrix &to)
{
  return launch(ctx, copy_reversed<T>, to.count, reflectors_threads, 0, left, !left, view<T>(from), view<T>(to));
}

/* C = op(Q) C or C op(Q), with c1 for C where it is reversed. */
template <class T>
static int multiply_with(batched_ctx *ctx, batched_side side, batched_trans trans, const stored_reflectors<T> &q,
                         const batched_matrix &c, const batched_matrix &v, const batched_matrix &t,
                         const batched_matrix &c1)
{
  const bool left = side == BATCHED_LEFT;
  int status = q.upper ? reverse<T>(ctx, left, c, c1) : (int)BATCHED_SUCCESS;
  const batched_unmqr_args args = {side, trans, v, t, q.upper ? c1 : c};
  if (!status) status = batched_run(ctx, &batched_unmqr_op, &args);
  if (!status && q.upper) status = reverse<T>(ctx, left, c1, c);
  return status;
}

template <class T>
static int multiply(batched_ctx *ctx, batched_side side, batched_trans trans, stored_reflectors<T> q, batched_matrix c)
{
  const bool left = side == BATCHED_LEFT;
  const bool shared = !q.a.array && q.a.stride == 0 && !q.tau.array && q.tau.stride == 0;
  const int order = left ? c.m : c.n, k = columns_of(q, order);
  const int64_t copies = shared ? 1 : c.count, each = (int64_t)order * k;
  const int64_t reversed = q.upper ? (int64_t)c.m * c.n * c.count : 0;
  T *const memory =
    static_cast<T *>(batched_scratch_push(ctx, (size_t)((each + k) * copies + reversed + 1) * sizeof(T)));
  if (!memory) return BATCHED_NO_MEMORY;
  batched_matrix v = dense(c.type, memory, order, k, copies), t = dense(c.type, memory + each * copies, k, 1, copies);
  batched_matrix c1 = dense(c.type, memory + (each + k) * copies, c.m, c.n, c.count);
  if (!shared) v = batched_with_sizes(v, left ? c.ms : c.ns, nullptr, nullptr);
  c1 = batched_with_sizes(c1, c.ms, c.ns, nullptr);
  int status = collect(ctx, q, v, t);
  v.count = t.count = c.count;
  if (shared) v.stride = t.stride = 0;
  if (!status) status = multiply_with(ctx, side, trans, q, c, v, t, c1);
  batched_scratch_pop(ctx);
  return status;
}

/* A = the columns of Q, or (adjoint) the rows of P^H. */
template <class T>
static int generate(batched_ctx *ctx, const stored_reflectors<T> &q, bool adjoint, const batched_matrix &a)
{
  const int m = adjoint ? a.n : a.m, n = adjoint ? a.m : a.n;
  const int64_t each = (int64_t)m * n;
  T *const memory = static_cast<T *>(batched_scratch_push(ctx, (size_t)((each + n) * a.count) * sizeof(T)));
  if (!memory) return BATCHED_NO_MEMORY;
  const int *const ms = adjoint ? a.ns : a.ms, *const ns = adjoint ? a.ms : a.ns;
  const batched_matrix v = batched_with_sizes(dense(a.type, memory, m, n, a.count), ms, ns, nullptr);
  const batched_matrix t =
    batched_with_sizes(dense(a.type, memory + each * a.count, n, 1, a.count), ns, nullptr, nullptr);
  int status = collect(ctx, q, v, t);
  const batched_ungqr_args args = {v, t};
  if (!status) status = batched_run(ctx, &batched_ungqr_op, &args);
  if (!status && adjoint) {
    const batched_transpose_args back = {BATCHED_CONJ_TRANS, v, a};
    status = batched_run(ctx, &batched_transpose_op, &back);
  } else if (!status) {
    status = launch(ctx, copy_reversed<T>, a.count, reflectors_threads, 0, q.upper, q.upper, view<T>(v), view<T>(a));
  }
  batched_scratch_pop(ctx);
  return status;
}

/* Calls f with the reflectors in a and tau. */
template <class F> static int with_reflectors(reduction of, const batched_matrix &a, const batched_matrix &tau, F f)
{
  return with_type(a.type, [&](auto t) {
    using T = decltype(t);
    return f(stored_reflectors<T>{of, view<T>(a), view<T>(tau), true, false, false, 1, a.n});
  });
}

static int ungbr_composed(batched_ctx *ctx, const batched_ungbr_args &p)
{
  return with_reflectors(OF_UNGBR, p.a, p.tau, [&](auto q) {
    q.is_q = p.which == BATCHED_Q;
    q.tall = p.k <= p.a.m;
    return generate(ctx, q, !q.is_q, p.a);
  });
}

static int unmbr_composed(batched_ctx *ctx, const batched_unmbr_args &p)
{
  return with_reflectors(OF_GEBRD, p.a, p.tau, [&](auto q) {
    q.is_q = p.which == BATCHED_Q;
    return multiply(ctx, p.side, p.trans, q, p.c);
  });
}

static int ungtr_composed(batched_ctx *ctx, const batched_ungtr_args &p)
{
  return with_reflectors(OF_HETRD, p.a, p.tau, [&](auto q) {
    q.upper = p.uplo == BATCHED_UPPER;
    return generate(ctx, q, false, p.a);
  });
}

static int unmtr_composed(batched_ctx *ctx, const batched_unmtr_args &p)
{
  return with_reflectors(OF_HETRD, p.a, p.tau, [&](auto q) {
    q.upper = p.uplo == BATCHED_UPPER;
    return multiply(ctx, p.side, p.trans, q, p.c);
  });
}

static int unghr_composed(batched_ctx *ctx, const batched_unghr_args &p)
{
  return with_reflectors(OF_GEHRD, p.a, p.tau, [&](auto q) {
    q.ilo = p.ilo;
    q.ihi = p.ihi;
    return generate(ctx, q, false, p.a);
  });
}

static int unmhr_composed(batched_ctx *ctx, const batched_unmhr_args &p)
{
  return with_reflectors(OF_GEHRD, p.a, p.tau, [&](auto q) {
    q.ilo = p.ilo;
    q.ihi = p.ihi;
    return multiply(ctx, p.side, p.trans, q, p.c);
  });
}

} // namespace batched_cuda::condensed

#endif
