/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/products/host/vendor.h"

#define BODY "batched/products/host/syr2k_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/products/host/syrk_simd.h"
#include "batched/host/each_type.h"

static int ref(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const batched_syr2k_args *s = args;
  return FOR_TYPE(s->c.type, ref, s);
}

static int first_trans(const batched_syr2k_args *s)
{
  return s->trans == BATCHED_NO_TRANS ? BATCHED_NO_TRANS : s->hermitian ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
}

static int second_trans(const batched_syr2k_args *s)
{
  return s->trans != BATCHED_NO_TRANS ? BATCHED_NO_TRANS : s->hermitian ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
}

enum { SQUARES_BYTES = 16384 }; /* of squares made at a time: they stay in the first-level cache */

/* gemm's variant makes the whole squares of a few matrices, of which the triangles are taken. */
static int simd(batched_ctx *ctx, const void *args)
{
  const batched_syr2k_args *s = args;
  const batched_variant *gemm = batched_find_variant(&batched_gemm_op, BATCHED_HOST, "host.simd");
  const batched_syrk_args triangle = {.uplo = s->uplo, .hermitian = s->hermitian, .beta = s->beta};
  const batched_scalar other = s->hermitian ? batched_complex(s->alpha.re, -s->alpha.im) : s->alpha;
  const int64_t square = (int64_t)s->c.m * s->c.m;
  const size_t bytes = (size_t)square * batched_element_bytes(s->c.type);
  const int64_t most = 1 + (int64_t)(SQUARES_BYTES / bytes);
  void *squares = batched_scratch_push(ctx, (size_t)most * bytes);
  if (!squares) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t i = 0; i < s->c.count && !status; i += most) {
    const int64_t count = s->c.count - i < most ? s->c.count - i : most;
    const batched_matrix a = batched_part(s->a, i, count), b = batched_part(s->b, i, count);
    const batched_matrix c = batched_part(s->c, i, count);
    const batched_matrix to =
      batched_with_sizes(batched_make_strided(c.type, squares, c.m, c.m, c.m, square, count), c.ms, c.ns, NULL);
    const batched_gemm_args ab = {first_trans(s), second_trans(s), s->alpha, batched_real(0), a, b, to};
    const batched_gemm_args ba = {first_trans(s), second_trans(s), other, batched_real(1), b, a, to};
    status = gemm->run(ctx, &ab);
    if (!status) status = gemm->run(ctx, &ba);
    for (int64_t q = 0; q < count && !status; q++)
      FOR_TYPE(c.type, merge, &triangle, batched_rows(&c, q), batched_at(&to, q), c.m, batched_at(&c, q),
               batched_ld(&c, q));
  }
  batched_scratch_pop(ctx);
  return status;
}

const batched_variant batched_syr2k_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.blas", NULL, syr2k){"host.ref", NULL, NULL, ref},
  {0},
};
