/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

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

/* Largest width of block columns, measured: wider ones make more of the other triangle, narrower ones call gemm more
 * often. */
static int block_for(batched_type type)
{
  return batched_is_complex(type) ? 24 : 32;
}

/* Block columns of nearly equal width, in whole vectors. */
static int even_width(int n, int width)
{
  const int blocks = (n + width - 1) / width, even = (n + blocks - 1) / blocks;
  return (even + 7) / 8 * 8;
}

static batched_matrix block_of(const batched_matrix *c, int64_t b, int i0, int j0, int rows, int cols)
{
  const int64_t ld = batched_ld(c, b);
  char *at = (char *)batched_at(c, b) + (i0 + j0 * ld) * (int64_t)batched_element_bytes(c->type);
  return batched_make_strided(c->type, at, rows, cols, (int)ld, ld * cols, 1);
}

static int by_blocks(batched_ctx *ctx, const batched_syrk_args *t, const batched_square_makers *make, const void *args,
                     const batched_variant *gemm)
{
  const batched_matrix *c = &t->c;
  const int width = block_for(c->type);
  const int64_t square = (int64_t)width * width;
  void *diagonal = batched_scratch_push(ctx, (size_t)square * batched_element_bytes(c->type));
  if (!diagonal) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t b = 0; b < c->count; b++) {
    const int n = batched_rows(c, b), step = n > 0 ? even_width(n, width) : 1;
    for (int j0 = 0; j0 < n && !status; j0 += step) {
      const int cols = batched_min(step, n - j0), end = j0 + cols, i0 = t->uplo == BATCHED_LOWER ? end : 0;
      const int rows = t->uplo == BATCHED_LOWER ? n - end : j0;
      const batched_matrix to = batched_make_strided(c->type, diagonal, cols, cols, width, square, 1);
      const batched_matrix at = block_of(c, b, j0, j0, cols, cols);
      status = make->block(ctx, gemm, args, b, j0, j0, batched_real(0), to);
      if (!status) FOR_TYPE(c->type, merge, t, cols, diagonal, width, at.data, at.ld);
      if (!status && rows > 0)
        status = make->block(ctx, gemm, args, b, i0, j0, t->beta, block_of(c, b, i0, j0, rows, cols));
    }
  }
  batched_scratch_pop(ctx);
  return status;
}

int batched_take_triangles(batched_ctx *ctx, const batched_syrk_args *triangle, const batched_square_makers *make,
                           const void *args)
{
  const batched_matrix *all = &triangle->c;
  if (batched_is_zero(all->type, triangle->alpha)) {
    FOR_TYPE(all->type, scale, triangle);
    return BATCHED_SUCCESS;
  }
  const batched_variant *gemm = batched_find_variant(&batched_gemm_op, BATCHED_HOST, "host.simd");
  if (all->m > block_for(all->type)) return by_blocks(ctx, triangle, make, args, gemm);
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
    status = make->squares(ctx, gemm, args, i, to);
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

static int make_block(batched_ctx *ctx, const batched_variant *gemm, const void *args, int64_t b, int i0, int j0,
                      batched_scalar beta, batched_matrix to)
{
  const batched_syrk_args *s = args;
  const batched_gemm_args product = {
    batched_first_trans(s->trans, s->hermitian),   batched_second_trans(s->trans, s->hermitian),  s->alpha, beta,
    batched_rows_of(&s->a, s->trans, b, i0, to.m), batched_rows_of(&s->a, s->trans, b, j0, to.n), to};
  return gemm->run(ctx, &product);
}

static int simd(batched_ctx *ctx, const void *args)
{
  static const batched_square_makers make = {make_squares, make_block};
  return batched_take_triangles(ctx, args, &make, args);
}

const batched_variant batched_syrk_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.blas", NULL, syrk){"host.ref", NULL, NULL, ref},
  {0},
};
