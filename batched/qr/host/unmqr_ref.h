/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of unmqr: products with geqrf's Q, one reflector after the other.
 */
#include "batched/qr/host/reflectors_ref.h"

static int NAME(ref)(const batched_unmqr_args *u)
{
  const bool left = u->side == BATCHED_LEFT;
  for (int64_t b = 0; b < u->c.count; b++) {
    const int m = batched_rows(&u->c, b), n = batched_cols(&u->c, b);
    NAME(multiply)
    (left, u->trans != BATCHED_NO_TRANS, left ? m : n, batched_cols(&u->a, b), left ? n : m, batched_at(&u->a, b),
     batched_ld(&u->a, b), batched_at(&u->tau, b), batched_increment(&u->tau, b), batched_at(&u->c, b),
     batched_ld(&u->c, b));
  }
  return BATCHED_SUCCESS;
}
