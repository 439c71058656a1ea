/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/products/host/vendor.h"

#define BODY "batched/products/host/symm_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/products/host/symm_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_symm_args *s = args;
  return FOR_TYPE(s->c.type, ref, s);
}

enum { SQUARES_BYTES = 16384 }; /* of squares made at a time: they stay in the first-level cache */

/* gemm's variant multiplies by whole squares, which are made of a few triangles at a time; of a shared one, once. */
static int simd(batched_ctx *ctx, const void *args)
{
  const batched_symm_args *s = args;
  const batched_variant *gemm = batched_find_variant(&batched_gemm_op, BATCHED_HOST, "host.simd");
  const bool used = !batched_is_zero(s->c.type, s->alpha), left = s->side == BATCHED_LEFT;
  const bool shared = batched_is_shared(&s->a) && !batched_is_variable(&s->a);
  const int64_t square = (int64_t)s->a.m * s->a.m;
  const size_t bytes = (size_t)square * batched_element_bytes(s->c.type);
  const int64_t at_once = shared ? s->c.count : 1 + (int64_t)(SQUARES_BYTES / bytes);
  const int64_t most = at_once < s->c.count ? at_once : s->c.count;
  void *squares = batched_scratch_push(ctx, (shared ? 1 : (size_t)most) * bytes);
  if (!squares) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t i = 0; i < s->c.count && !status; i += most) {
    const int64_t count = s->c.count - i < most ? s->c.count - i : most;
    const batched_matrix a = batched_part(s->a, i, count), b = batched_part(s->b, i, count);
    const batched_matrix whole = batched_with_sizes(
      batched_make_strided(a.type, squares, a.m, a.m, a.m, shared ? 0 : square, count), a.ms, a.ns, NULL);
    for (int64_t q = 0; q < (shared ? 1 : count) && used; q++)
      FOR_TYPE(a.type, mirror, s, batched_rows(&a, q), batched_at(&a, q), batched_ld(&a, q), batched_at(&whole, q),
               a.m);
    const batched_gemm_args product = {BATCHED_NO_TRANS,
                                       BATCHED_NO_TRANS,
                                       s->alpha,
                                       s->beta,
                                       left ? whole : b,
                                       left ? b : whole,
                                       batched_part(s->c, i, count)};
    status = gemm->run(ctx, &product);
  }
  batched_scratch_pop(ctx);
  return status;
}

const batched_variant batched_symm_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.blas", NULL, symm){"host.ref", NULL, batched_never, ref},
  {0},
};
