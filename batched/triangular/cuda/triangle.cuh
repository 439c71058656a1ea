/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular systems as their kernels see them: whatever the side, the triangle and the transposition, E X = B with a
 * lower triangular E.  X op(A) = B is op(A)^T X^T = B^T; a backward solve counts rows and columns from the other end;
 * and conj(E) X = B is E conj(X) = conj(B).
 */
#ifndef BATCHED_CUDA_TRIANGLE_CUH
#define BATCHED_CUDA_TRIANGLE_CUH

#include "batched/cuda/access.cuh"
#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/launch.cuh"

namespace batched_cuda::triangular
{

struct triangle_form {
  bool left;     /* X is B, otherwise B^T */
  bool flip;     /* E is A^T, before it is turned round */
  bool backward; /* E(i, j) is element (n - 1 - i, n - 1 - j) of that */
  bool conj, unit;
};

static inline triangle_form form_of(batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag)
{
  const bool left = side == BATCHED_LEFT, flip = (trans != BATCHED_NO_TRANS) == left;
  return {left, flip, (uplo == BATCHED_LOWER) == flip, trans == BATCHED_CONJ_TRANS, diag == BATCHED_UNIT};
}

/* E, of order n. */
template <class T> DEVICE strided<T> triangle_of(const triangle_form &f, T *a, int64_t lda, int n)
{
  const int64_t row = f.flip ? lda : 1, col = f.flip ? 1 : lda;
  if (!f.backward) return {a, row, col};
  return {a + (n - 1) * (row + col), -row, -col};
}

/* X, of n rows. */
template <class T> DEVICE strided<T> unknowns_of(const triangle_form &f, T *b, int64_t ldb, int n)
{
  const int64_t row = f.left ? 1 : ldb, col = f.left ? ldb : 1;
  if (!f.backward) return {b, row, col};
  return {b + (n - 1) * row, -row, col};
}

} // namespace batched_cuda::triangular

#endif
