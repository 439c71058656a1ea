/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.composed of gelqf, unglq and unmlq: A^H = Q^H L^H, so that geqrf, ungqr and unmqr do the work on A^H in
 * scratch memory, by their rows in this context.  The rows of A hold the conjugates of the vectors, which are columns
 * of A^H.
 *
 * launches  transpose, the call, and transpose back where A is a result
 * takes     all four types, any size, uniform and variable; unmlq: A and tau shared or not
 * accuracy  that of the call
 */
#ifndef BATCHED_QR_CUDA_COMPOSED_CUH
#define BATCHED_QR_CUDA_COMPOSED_CUH

#include "batched/cuda/launch.cuh"
#include "batched/qr/qr.h"
#include "batched/vectors/vectors.h"

namespace batched_cuda::qr
{

static int copy_adjoint(batched_ctx *ctx, const batched_matrix &a, const batched_matrix &b)
{
  const batched_transpose_args args = {BATCHED_CONJ_TRANS, a, b};
  return batched_run(ctx, &batched_transpose_op, &args);
}

/* Calls f(A^H), and returns its status. */
template <class F> static int with_adjoint(batched_ctx *ctx, const batched_matrix &a, F f)
{
  const int64_t each = (int64_t)a.m * a.n, copies = batched_is_shared(&a) ? 1 : a.count;
  void *const memory = batched_scratch_push(ctx, (size_t)(each * copies) * batched_element_bytes(a.type));
  if (!memory) return BATCHED_NO_MEMORY;
  batched_matrix from = a, to = batched_make_strided(a.type, memory, a.n, a.m, a.n, each, copies);
  from.count = copies;
  to = batched_with_sizes(to, a.ns, a.ms, nullptr);
  int status = copy_adjoint(ctx, from, to);
  to.count = a.count;
  if (copies < a.count) to.stride = 0;
  if (!status) status = f(to);
  batched_scratch_pop(ctx);
  return status;
}

static int gelqf_composed(batched_ctx *ctx, const batched_gelqf_args &p)
{
  return with_adjoint(ctx, p.a, [&](const batched_matrix &adjoint) {
    const batched_geqrf_args args = {adjoint, p.tau};
    const int status = batched_run(ctx, &batched_geqrf_op, &args);
    return status ? status : copy_adjoint(ctx, adjoint, p.a);
  });
}

static int unglq_composed(batched_ctx *ctx, const batched_unglq_args &p)
{
  return with_adjoint(ctx, p.a, [&](const batched_matrix &adjoint) {
    const batched_ungqr_args args = {adjoint, p.tau};
    const int status = batched_run(ctx, &batched_ungqr_op, &args);
    return status ? status : copy_adjoint(ctx, adjoint, p.a);
  });
}

static int unmlq_composed(batched_ctx *ctx, const batched_unmlq_args &p)
{
  const batched_trans adjoint_of = batched_is_complex(p.c.type) ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
  return with_adjoint(ctx, p.a, [&](const batched_matrix &adjoint) {
    const batched_trans trans = p.trans == BATCHED_NO_TRANS ? adjoint_of : BATCHED_NO_TRANS;
    const batched_unmqr_args args = {p.side, trans, adjoint, p.tau, p.c};
    return batched_run(ctx, &batched_unmqr_op, &args);
  });
}

} // namespace batched_cuda::qr

#endif
