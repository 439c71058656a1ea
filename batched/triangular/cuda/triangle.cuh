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

/* One call of trsm or trmm on typed blocks: op(A) X = alpha B, or X op(A) = alpha B. */
template <class T> struct triangular_system {
  batched_side side;
  batched_uplo uplo;
  batched_trans trans;
  batched_diag diag;
  T alpha;
  batch<T> a, b;

  triangle_form form() const
  {
    return form_of(side, uplo, trans, diag);
  }
  int order() const
  {
    return side == BATCHED_LEFT ? b.m : b.n;
  }
  int nrhs() const
  {
    return side == BATCHED_LEFT ? b.n : b.m;
  }
  batched_shape shape() const
  {
    batched_shape s = shape_of(a);
    s.rhs = nrhs();
    s.lower = uplo == BATCHED_LOWER;
    s.transposed = trans != BATCHED_NO_TRANS;
    return s;
  }
};

/* A system whose triangle is [A1 0; A21 A2], or upper, cut after row n1: its halves, E1 X1 = B1 and E2 X2 = B2 in the
 * order in which they are solved, and the block of A that couples them. */
template <class T> struct system_halves {
  triangular_system<T> first, second;
  batch<T> coupling;

  system_halves(const triangular_system<T> &s, int n1) : first(s), second(s)
  {
    const bool left = s.side == BATCHED_LEFT, backward = s.form().backward;
    const int n2 = s.order() - n1;
    triangular_system<T> &top = backward ? second : first, &bottom = backward ? first : second;
    top.a = s.a.block(0, 0, n1, n1);
    bottom.a = s.a.block(n1, n1, n2, n2);
    top.b = left ? s.b.block(0, 0, n1, s.b.n) : s.b.block(0, 0, s.b.m, n1);
    bottom.b = left ? s.b.block(n1, 0, n2, s.b.n) : s.b.block(0, n1, s.b.m, n2);
    coupling = s.uplo == BATCHED_LOWER ? s.a.block(n1, 0, n2, n1) : s.a.block(0, n1, n1, n2);
  }
};

/* The largest end * 2^k below n, end < n: where recursion cuts, so that all leaves but the last have order `end`. */
static inline int recursion_cut(int end, int n)
{
  int n1 = end;
  while (2 * n1 < n) n1 *= 2;
  return n1;
}

} // namespace batched_cuda::triangular

#endif
