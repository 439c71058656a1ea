/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of geqrf: a matrix in each lane, element (i, j) at x[i + j * m].
 */
#include "batched/qr/host/reflectors_simd.h"

static void NAME(factor_lanes)(int m, int n, ELEM *x, ELEM *tau)
{
  for (int j = 0; j < batched_min(m, n); j++) {
    ELEM *v = x + j + j * m;
    tau[j] = NAME(make_reflector_lanes)(m - j, v);
    NAME(reflect_columns)(n - j - 1, m - j, 1, m, v, tau[j], v + m);
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_geqrf_args *p)
{
  const size_t most = (size_t)p->a.m * (size_t)p->a.n, k = (size_t)batched_min(p->a.m, p->a.n);
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &p->a, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, (most + k) * sizeof(ELEM));
  if (x) {
    while (batched_groups_next(&groups, &g)) {
      if (g.m == 0 || g.n == 0) continue;
      NAME(matrices) a;
      NAME(matrices_of)(&p->a, &g, &a);
      const bool dense = NAME(is_dense)(&a, g.m);
      NAME(pack)(&a, 0, 0, g.m, g.n, dense, x);
      NAME(factor_lanes)(g.m, g.n, x, x + most);
      NAME(unpack)(&a, g.active, 0, 0, g.m, g.n, dense, x);
      NAME(unpack_vector)(&p->tau, &g, batched_min(g.m, g.n), false, x + most);
    }
    batched_scratch_pop(ctx);
  }
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"
