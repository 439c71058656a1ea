/* SPDX-License-Identifier: BSD-3-Clause
 *
 * potrf of all matrices, then potrs of those that have a factor.
 */
#include "vendor.h"

/* Matrices first .. first + count - 1 of a batch. */
static batched_matrix part(batched_matrix a, int64_t first, int64_t count)
{
  if (a.array)
    a.array += first;
  else if (a.data)
    a.data = (char *)a.data + first * a.stride * (int64_t)batched_element_bytes(a.type);
  if (a.ms) a.ms += first;
  if (a.ns) a.ns += first;
  if (a.lds) a.lds += first;
  a.count = count;
  return a;
}

/* Takes the scratch memory that the rows below will ask for, and gives it back: without it nothing must be touched.
 * They have two pieces: an order of the matrices, and a group of them in lanes of at most 128 bytes an element. */
static bool has_scratch(batched_ctx *ctx, const batched_posv_args *p)
{
  const size_t n = (size_t)p->a.n, lanes = (n + 40) * (n + 1) * 128, order = (size_t)p->a.count * sizeof(int64_t);
  const bool first = batched_scratch_push(ctx, lanes > order ? lanes : order) != NULL;
  const bool second = first && batched_scratch_push(ctx, lanes) != NULL;
  if (second) batched_scratch_pop(ctx);
  if (first) batched_scratch_pop(ctx);
  return second;
}

static int solve(batched_ctx *ctx, const batched_posv_args *p, const char *row)
{
  const batched_variant *potrf = batched_find_variant(&batched_potrf_op, BATCHED_HOST, row);
  const batched_variant *potrs = batched_find_variant(&batched_potrs_op, BATCHED_HOST, row);
  batched_potrf_args factor = {p->uplo, p->a, p->info};
  if (!has_scratch(ctx, p)) return BATCHED_NO_MEMORY;
  int status = potrf->run(ctx, &factor);
  if (p->b.m == 0 || p->b.n == 0) return status;
  for (int64_t begin = 0, end; begin < p->a.count && !status; begin = end + 1) {
    for (end = begin; end < p->a.count && p->info[end] == 0;) end++;
    if (end == begin) continue;
    batched_potrs_args one = {p->uplo, part(p->a, begin, end - begin), part(p->b, begin, end - begin)};
    status = potrs->run(ctx, &one);
  }
  return status;
}

static int simd(batched_ctx *ctx, const void *args)
{
  return solve(ctx, args, "host.simd");
}

static int ref(batched_ctx *ctx, const void *args)
{
  return solve(ctx, args, "host.ref");
}

static bool is_small(const void *args)
{
  const batched_posv_args *p = args;
  return p->a.n <= 64;
}

const batched_variant batched_posv_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.lapacke", NULL, batched_vendor_posv){"host.ref", NULL, batched_never, ref},
  {0},
};
