/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of potri, the inverse from a Cholesky factor.
 *   cuda.lanes      n <= 32: solves for the columns of the identity, with the factor in registers: lanes.cuh
 *   cuda.composed   any n: L^-1, and its product with itself
 *
 * cuda.composed:
 * launches  for as many matrices as have L^-1 in 256 MB: one that checks the diagonal and writes the identity (a block
 *           of 256 threads per matrix), trsm, syrk
 * takes     all four types, any n, uniform and variable
 * reads     a; writes its triangle, and info (first zero on the diagonal; a is left alone then)
 * accuracy  that of the rows of trsm and syrk
 */
#include "batched/products/products.h"
#include "batched/triangular/triangular.h"
#include "batched/cholesky/cholesky.h"
#include "batched/cholesky/cuda/lanes.cuh"

namespace batched_cuda::cholesky
{
namespace
{

bool fits_lanes(const batched_potri_args &p)
{
  return p.a.n <= 32;
}
int lanes(batched_ctx *ctx, const batched_potri_args &p)
{
  return with_type(p.a.type, [&](auto t) { return invert_lanes(ctx, p.uplo, view<decltype(t)>(p.a), p.info); });
}

/* ------------------------------------------------------------------ composed */

/* x = I; info[b] = the first zero on the factor's diagonal, from 1, or 0; sizes[b] = the matrix's order, 0 where it has
 * no inverse.  Grid: a block per matrix. */
template <class T> __global__ void prepare(batch<T> a, batch<T> x, int *info, int *sizes)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b), bad = n > 0 ? first_zero(a.at(b), a.leading(b), n) : 0;
    if (threadIdx.x == 0) {
      info[b] = bad;
      sizes[b] = bad ? 0 : n;
    }
    for (int64_t e = threadIdx.x; e < (int64_t)x.ld * x.n; e += blockDim.x)
      x.data[b * x.stride + e] = make<T>(real_of<T>(e % (x.ld + 1) == 0 ? 1 : 0));
  }
}

/* Matrices first .. first + count - 1. */
batched_matrix part(batched_matrix a, int64_t first, int64_t count)
{
  if (a.array)
    a.array += first;
  else
    a.data = batched_at(&a, first);
  if (a.ms) a.ms += first;
  if (a.ns) a.ns += first;
  if (a.lds) a.lds += first;
  a.count = count;
  return a;
}

/* A^-1 = X^H X with X = L^-1, or X X^H with X = U^-1; x is the identity at first, and sizes[b] 0 for bad matrices. */
int invert(batched_ctx *ctx, batched_uplo uplo, const batched_matrix &a, const batched_matrix &x, int *info, int *sizes)
{
  const batched_matrix factor = batched_with_sizes(a, sizes, sizes, a.lds),
                       inverse = batched_with_sizes(x, sizes, sizes, nullptr);
  const batched_trsm_args solve = {BATCHED_LEFT, uplo, BATCHED_NO_TRANS, BATCHED_NON_UNIT, {1, 0}, factor, inverse};
  const batched_trans trans = uplo == BATCHED_LOWER ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS;
  const batched_syrk_args square = {uplo, trans, true, {1, 0}, {0, 0}, inverse, factor};
  /* Rows that were asked for and do not fit: nothing is written. */
  if (!batched_choose(ctx, &batched_trsm_op, &solve) || !batched_choose(ctx, &batched_syrk_op, &square))
    return BATCHED_DOES_NOT_FIT;
  int status = with_type(a.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, prepare<T>, a.count, 256, 0, view<T>(a), view<T>(x), info, sizes);
  });
  if (!status) status = batched_run(ctx, &batched_trsm_op, &solve);
  return status ? status : batched_run(ctx, &batched_syrk_op, &square);
}

/* Scratch memory for L^-1 of the matrices that are inverted at a time. */
constexpr int64_t scratch_bytes = 256 << 20;

/* Row cuda.composed: trsm with the identity, then syrk. */
int composed(batched_ctx *ctx, const batched_potri_args &p)
{
  const batched_matrix &all = p.a;
  if (all.n == 0) return status_of(cudaMemsetAsync(p.info, 0, (size_t)all.count * sizeof(int), stream_of(ctx)));
  const int64_t square = (int64_t)all.m * all.m, bytes = square * (int64_t)batched_element_bytes(all.type);
  const int64_t fit = scratch_bytes / bytes, chunk = fit < 1 ? 1 : fit < all.count ? fit : all.count;
  void *x = batched_scratch_push(ctx, (size_t)(chunk * bytes));
  if (!x) return BATCHED_NO_MEMORY;
  int *sizes = static_cast<int *>(batched_scratch_push(ctx, (size_t)chunk * sizeof(int)));
  int status = sizes ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < all.count && !status; b += chunk) {
    const int64_t count = b + chunk < all.count ? chunk : all.count - b;
    status = invert(ctx, p.uplo, part(all, b, count),
                    batched_make_strided(all.type, x, all.m, all.m, all.m, square, count), p.info + b, sizes);
  }
  if (sizes) batched_scratch_pop(ctx);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace
} // namespace batched_cuda::cholesky

using namespace batched_cuda;
using namespace batched_cuda::cholesky;

const batched_variant batched_potri_cuda[] = {
  row<fits_lanes, batched_by_table, lanes>("cuda.lanes"),
  row<nullptr, nullptr, composed>("cuda.composed"),
  BATCHED_LAST_ROW,
};
