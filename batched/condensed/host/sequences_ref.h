/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the reductions keep the reflectors of Q and P, for one matrix at a time: the operands c of products, and a,
 * which is overwritten, of the ungXX.
 */
#include "batched/condensed/range.h"
#include "batched/qr/host/sequence_ref.h"

/* The reflectors, and from which row (or column) of C on they act; `turned`: from its last one backward. */
typedef struct NAME(q_of) {
  NAME(sequence) q;
  int first;
  bool turned;
} NAME(q_of);

/* Q or P of a matrix m x n that gebrd reduced. */
static inline NAME(q_of)
  NAME(q_of_gebrd)(bool q, int m, int n, bool shifted, const T *a, int64_t ld, const T *tau, int64_t step)
{
  const int order = q ? m : n, first = shifted ? 1 : 0;
  const T *const v = a + first * (q ? 1 : ld);
  return (NAME(q_of)){
    {v, ld + 1, q ? 1 : ld, !q, tau, step, batched_min(order - first, q ? n : m), order - first}, first, false};
}

static inline NAME(q_of) NAME(q_of_hetrd)(batched_uplo uplo, int n, const T *a, int64_t ld, const T *tau, int64_t step)
{
  if (n < 2) return (NAME(q_of)){{a, 0, 0, false, tau, step, 0, 0}, 0, false};
  if (uplo == BATCHED_LOWER) return (NAME(q_of)){{a + 1, ld + 1, 1, false, tau, step, n - 1, n - 1}, 1, false};
  return (NAME(q_of)){
    {a + (n - 2) + (n - 1) * ld, -(ld + 1), -1, false, tau + (n - 2) * step, -step, n - 1, n - 1}, 1, true};
}

static inline NAME(q_of) NAME(q_of_gehrd)(int ilo, int ihi, int n, const T *a, int64_t ld, const T *tau, int64_t step)
{
  const int k = batched_range_reflectors(n, ilo, ihi);
  if (k == 0) return (NAME(q_of)){{a, 0, 0, false, tau, step, 0, 0}, 0, false};
  return (NAME(q_of)){{a + ilo + (ilo - 1) * ld, ld + 1, 1, false, tau + (ilo - 1) * step, step, k, k}, ilo, false};
}

/* c = op(Q) c (left) or c op(Q), c m x n. */
static inline void NAME(multiply_by)(const NAME(q_of) * x, bool left, bool adjoint, int m, int n, T *c, int64_t ld,
                                     T *work)
{
  const int64_t down = left ? 1 : ld, first = x->turned ? (left ? m : n) - 1 - x->first : x->first;
  NAME(apply_sequence)
  (&x->q, left, adjoint, left ? n : m, c + first * down, x->turned ? -down : down, left ? ld : 1, work);
}

/* a = Q, or Q^H, where its reflectors lie in a copy of a. */
static inline void NAME(generate_by)(const NAME(q_of) * x, bool adjoint, int m, int n, T *a, int64_t ld, T *work)
{
  NAME(set_identity)(m, n, a, ld);
  NAME(multiply_by)(x, !adjoint, adjoint, m, n, a, ld, work);
}

/* Scratch memory for a copy of a matrix of a batch, and a vector behind it. */
static inline T *NAME(copy_and_vector)(batched_ctx *ctx, const batched_matrix *a, T **vector)
{
  const size_t most = (size_t)a->m * (size_t)a->n;
  T *const v = batched_scratch_push(ctx, (most + (size_t)batched_max(a->m, a->n)) * sizeof(T));
  *vector = v ? v + most : NULL;
  return v;
}
