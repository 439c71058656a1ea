/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of unmtr_hb2st: products with hb2st's Q2, sweep by sweep, one reflector after the other.
 */
#include "batched/qr/host/reflectors_ref.h"

/* A sweep on the columns (left) or rows of C. */
static void NAME(multiply_by_sweep)(bool left, bool adjoint, int order, int others, int kd, int s, const T *v, T *c,
                                    int64_t ld)
{
  for (int row = s + 1; row < order; row += kd) {
    const T tau = adjoint ? CONJ(v[row]) : v[row];
    for (int64_t j = 0; j < others; j++) NAME(reflect)
    (batched_min(kd, order - row), v + row, tau, c + (left ? row + j * ld : j + row * ld), left ? 1 : ld, !left);
  }
}

/* C = op(Q) C, or C = C op(Q) = (op(Q)^H C^H)^H. */
static void NAME(ref)(const batched_unmtr_hb2st_args *u)
{
  const bool left = u->side == BATCHED_LEFT, adjoint = left == (u->trans != BATCHED_NO_TRANS);
  for (int64_t b = 0; b < u->c.count; b++) {
    const int m = batched_rows(&u->c, b), n = batched_cols(&u->c, b), order = left ? m : n;
    const int kd = batched_clamp_width(order, u->kd);
    const T *const v = batched_at(&u->v, b);
    for (int i = 0; i < order - 1; i++) {
      const int s = adjoint ? i : order - 2 - i;
      NAME(multiply_by_sweep)
      (left, adjoint, order, left ? n : m, kd, s, v + s * (int64_t)batched_ld(&u->v, b), batched_at(&u->c, b),
       batched_ld(&u->c, b));
    }
  }
}
