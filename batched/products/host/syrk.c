/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/products/host/squares.h"
#include "batched/products/host/vendor.h"

#define BODY "batched/products/host/syrk_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/products/host/syrk_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_syrk_args *s = args;
  return FOR_TYPE(s->c.type, ref, s);
}

enum { SQUARES_BYTES = 16384 }; /* of squares made at a time: they stay in the first-level cache */

int batched_take_triangles(batched_ctx *ctx, const batched_syrk_args *triangle, batched_make_squares *make,
                           const void *args)
{
  const batched_matrix *all = &triangle->c;
  const batched_variant *gemm = batched_find_variant(&batched_gemm_op, BATCHED_HOST, "host.simd");
  const int64_t square = (int64_t)all->m * all->m;
  const size_t bytes = (size_t)square * batched_element_bytes(all->type);
  const int64_t most = 1 + (int64_t)(SQUARES_BYTES / bytes);
  void *squares = batched_scratch_push(ctx, (size_t)most * bytes);
  if (!squares) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t i = 0; i < all->count && !status; i += most) {
    const batched_matrix c = batched_part(*all, i, all->count - i < most ? all->count - i : most);
    const batched_matrix to =
      batched_with_sizes(batched_make_strided(c.type, squares, c.m, c.m, c.m, square, c.count), c.ms, c.ns, NULL);
    status = make(ctx, gemm, args, i, to);
    for (int64_t b = 0; b < c.count && !status; b++)
      FOR_TYPE(c.type, merge, triangle, batched_rows(&c, b), batched_at(&to, b), c.m, batched_at(&c, b),
               batched_ld(&c, b));
  }
  batched_scratch_pop(ctx);
  return status;
}

static int make_squares(batched_ctx *ctx, const batched_variant *gemm, const void *args, int64_t first,
                        batched_matrix to)
{
  const batched_syrk_args *s = args;
  const batched_matrix a = batched_part(s->a, first, to.count);
  const batched_gemm_args product = {batched_first_trans(s->trans, s->hermitian),
                                     batched_second_trans(s->trans, s->hermitian),
                                     s->alpha,
                                     batched_real(0),
                                     a,
                                     a,
                                     to};
  return gemm->run(ctx, &product);
}

static int simd(batched_ctx *ctx, const void *args)
{
  return batched_take_triangles(ctx, args, make_squares, args);
}

const batched_variant batched_syrk_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.blas", NULL, syrk){"host.ref", NULL, NULL, ref},
  {0},
};
