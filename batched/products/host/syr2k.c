/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/products/host/squares.h"
#include "batched/products/host/vendor.h"

#define BODY "batched/products/host/syr2k_ref.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_syr2k_args *s = args;
  return FOR_TYPE(s->c.type, ref, s);
}

static int make_squares(batched_ctx *ctx, const batched_variant *gemm, const void *args, int64_t first,
                        batched_matrix to)
{
  const batched_syr2k_args *s = args;
  const batched_trans left = batched_first_trans(s->trans, s->hermitian),
                      right = batched_second_trans(s->trans, s->hermitian);
  const batched_scalar other = s->hermitian ? batched_complex(s->alpha.re, -s->alpha.im) : s->alpha;
  const batched_matrix a = batched_part(s->a, first, to.count), b = batched_part(s->b, first, to.count);
  const batched_gemm_args ab = {left, right, s->alpha, batched_real(0), a, b, to};
  const batched_gemm_args ba = {left, right, other, batched_real(1), b, a, to};
  const int status = gemm->run(ctx, &ab);
  return status ? status : gemm->run(ctx, &ba);
}

static int make_block(batched_ctx *ctx, const batched_variant *gemm, const void *args, int64_t b, int i0, int j0,
                      batched_scalar beta, batched_matrix to)
{
  const batched_syr2k_args *s = args;
  const batched_trans left = batched_first_trans(s->trans, s->hermitian),
                      right = batched_second_trans(s->trans, s->hermitian);
  const batched_scalar other = s->hermitian ? batched_complex(s->alpha.re, -s->alpha.im) : s->alpha;
  const batched_gemm_args ab = {left,
                                right,
                                s->alpha,
                                beta,
                                batched_rows_of(&s->a, s->trans, b, i0, to.m),
                                batched_rows_of(&s->b, s->trans, b, j0, to.n),
                                to};
  const batched_gemm_args ba = {left,
                                right,
                                other,
                                batched_real(1),
                                batched_rows_of(&s->b, s->trans, b, i0, to.m),
                                batched_rows_of(&s->a, s->trans, b, j0, to.n),
                                to};
  const int status = gemm->run(ctx, &ab);
  return status ? status : gemm->run(ctx, &ba);
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_syr2k_args *s = args;
  const batched_syrk_args triangle = {
    .uplo = s->uplo, .hermitian = s->hermitian, .alpha = s->alpha, .beta = s->beta, .c = s->c};
  static const batched_square_makers make = {make_squares, make_block};
  return batched_take_triangles(ctx, &triangle, &make, s);
}

const batched_variant batched_syr2k_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.blas", NULL, syr2k){"host.ref", NULL, NULL, ref},
  {0},
};
