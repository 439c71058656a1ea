/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with a unitary Q whose reflectors lie anywhere: in rows or columns, forward or backward, as conjugates.
 */
#include "batched/qr/host/reflectors_ref.h"

/* Q = H(0) ... H(k-1): element r of vector i, the first of which is one, lies at v[i * next + r * along]; it acts on
 * elements i + r, below `order`. */
typedef struct NAME(sequence) {
  const T *v;
  int64_t next, along;
  bool conj;
  const T *tau;
  int64_t step;
  int k, order;
} NAME(sequence);

/* c = op(Q) c (left), where element (i, j) of c is at c[i * down + j * across], i < order, j < others; or c = c op(Q)
 * with i and j exchanged.  work: one vector. */
static inline void NAME(apply_sequence)(const NAME(sequence) * q, bool left, bool adjoint, int others, T *c,
                                        int64_t down, int64_t across, T *work)
{
  const bool forward = left == adjoint;
  for (int s = 0; s < q->k; s++) {
    const int i = forward ? s : q->k - 1 - s, length = q->order - i;
    const T *const v = q->v + i * q->next, tau = q->tau[i * q->step];
    for (int r = 1; r < length; r++) work[r] = q->conj ? CONJ(v[r * q->along]) : v[r * q->along];
    for (int j = 0; j < others; j++)
      NAME(reflect)(length, work, forward ? CONJ(tau) : tau, c + i * down + j * across, down, !left);
  }
}

/* a = I. */
static inline void NAME(set_identity)(int m, int n, T *a, int64_t ld)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) a[i + j * ld] = i == j;
}

/* to = a, without gaps. */
static inline void NAME(copy_dense)(int m, int n, const T *a, int64_t ld, T *to)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) to[i + (int64_t)j * m] = a[i + j * ld];
}
