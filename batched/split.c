/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A batch shared out among threads: each runs the same variant on its own matrices.  The table says what of an
 * operation's arguments belongs to single matrices.
 */
#include <string.h>

#include "batched/host/group.h"
#include "batched/threads.h"

enum { MATRICES = 4 }; /* of an operation, at most */

#define MEMBER(op) batched_##op##_args op;
typedef union any_args {
  BATCHED_EACH_OPERATION(MEMBER)
} any_args;

/* Offsets into the arguments. */
typedef struct parts {
  const batched_op *op;
  size_t bytes; /* of the arguments */
  int nmatrices;
  size_t matrices[MATRICES]; /* of a batched_matrix each; with pivots, the first is the one that they belong to */
  size_t info, pivots;       /* of an int *; 0: there is none */
} parts;

#define AT(op, field) offsetof(batched_##op##_args, field)
/* clang-format off */
#define ROW(name, n, ...) \
  {.op = &batched_##name##_op, .bytes = sizeof(batched_##name##_args), .nmatrices = n, .matrices = __VA_ARGS__}
/* clang-format on */

static const parts table[] = {
  ROW(scal, 1, {AT(scal, x)}),
  ROW(axpy, 2, {AT(axpy, x), AT(axpy, y)}),
  ROW(copy, 2, {AT(copy, x), AT(copy, y)}),
  ROW(set, 1, {AT(set, a)}),
  ROW(transpose, 2, {AT(transpose, a), AT(transpose, b)}),
  ROW(dot, 3, {AT(dot, x), AT(dot, y), AT(dot, r)}),
  ROW(nrm2, 2, {AT(nrm2, x), AT(nrm2, r)}),
  ROW(norm, 2, {AT(norm, a), AT(norm, r)}),
  ROW(gemv, 3, {AT(gemv, a), AT(gemv, x), AT(gemv, y)}),
  ROW(symv, 3, {AT(symv, a), AT(symv, x), AT(symv, y)}),
  ROW(gemm, 3, {AT(gemm, a), AT(gemm, b), AT(gemm, c)}),
  ROW(syrk, 2, {AT(syrk, a), AT(syrk, c)}),
  ROW(trmm, 2, {AT(trmm, a), AT(trmm, b)}),
  ROW(trsm, 2, {AT(trsm, a), AT(trsm, b)}),
  ROW(trsv, 2, {AT(trsv, a), AT(trsv, x)}),
  ROW(trtri, 1, {AT(trtri, a)}, .info = AT(trtri, info)),
  ROW(potrf, 1, {AT(potrf, a)}, .info = AT(potrf, info)),
  ROW(potrs, 2, {AT(potrs, a), AT(potrs, b)}),
  ROW(posv, 2, {AT(posv, a), AT(posv, b)}, .info = AT(posv, info)),
  ROW(potri, 1, {AT(potri, a)}, .info = AT(potri, info)),
  ROW(getrf, 1, {AT(getrf, a)}, .info = AT(getrf, info), .pivots = AT(getrf, ipiv)),
  ROW(getrs, 2, {AT(getrs, a), AT(getrs, b)}, .pivots = AT(getrs, ipiv)),
  ROW(gesv, 2, {AT(gesv, a), AT(gesv, b)}, .info = AT(gesv, info), .pivots = AT(gesv, ipiv)),
  ROW(getri, 1, {AT(getri, a)}, .info = AT(getri, info), .pivots = AT(getri, ipiv)),
  ROW(geqrf, 2, {AT(geqrf, a), AT(geqrf, tau)}),
  ROW(unmqr, 3, {AT(unmqr, a), AT(unmqr, tau), AT(unmqr, c)}),
  ROW(ungqr, 2, {AT(ungqr, a), AT(ungqr, tau)}),
  ROW(gels, 2, {AT(gels, a), AT(gels, b)}, .info = AT(gels, info)),
  ROW(heev, 2, {AT(heev, a), AT(heev, w)}, .info = AT(heev, info)),
  ROW(gesvd, 4, {AT(gesvd, a), AT(gesvd, s), AT(gesvd, u), AT(gesvd, vt)}, .info = AT(gesvd, info)),
};

typedef struct call {
  const parts *parts;
  const batched_variant *variant;
  const void *args;
  int64_t count;
  int shares;
} call;

static void advance(char *args, size_t offset, int64_t ints)
{
  int *p;
  memcpy(&p, args + offset, sizeof p);
  p += ints;
  memcpy(args + offset, &p, sizeof p);
}

/* The arguments for matrices first .. first + count - 1. */
static void take(const parts *p, char *args, int64_t first, int64_t count)
{
  batched_matrix a;
  memcpy(&a, args + p->matrices[0], sizeof a);
  const bool shared = batched_is_shared(&a);
  if (p->info) advance(args, p->info, first);
  if (p->pivots && !shared) advance(args, p->pivots, first * batched_min(a.m, a.n));
  for (int i = 0; i < p->nmatrices; i++) {
    memcpy(&a, args + p->matrices[i], sizeof a);
    a = batched_part(a, first, count);
    memcpy(args + p->matrices[i], &a, sizeof a);
  }
}

/* Where share i begins: at a full group of lanes, if there are groups enough for all. */
static int64_t share_begin(const call *c, int i)
{
  const int64_t groups = c->count / BATCHED_MAX_LANES;
  if (i == c->shares) return c->count;
  return groups < c->shares ? c->count * i / c->shares : groups * i / c->shares * BATCHED_MAX_LANES;
}

static int run_share(batched_ctx *ctx, int i, void *data)
{
  const call *c = data;
  any_args args;
  const int64_t first = share_begin(c, i);
  memcpy(&args, c->args, c->parts->bytes);
  take(c->parts, (char *)&args, first, share_begin(c, i + 1) - first);
  return c->variant->run(ctx, &args);
}

/* As far as the work is known. */
static int shares_for(const call *c, int threads, double grain)
{
  const batched_op *op = c->parts->op;
  const double bytes = op->cost ? op->cost(c->args).bytes : 0;
  const double shares = bytes > 0 ? 1 + bytes / grain : threads;
  if (c->count < threads) threads = (int)c->count;
  return shares < threads ? (int)shares : threads;
}

static const parts *find_parts(const batched_op *op)
{
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].op == op) return &table[i];
  return NULL;
}

bool batched_can_share(const batched_op *op)
{
  return find_parts(op) != NULL;
}

int batched_share(batched_ctx *ctx, const batched_op *op, const batched_variant *v, const void *args)
{
  const int threads = batched_team_size(ctx);
  call c = {.parts = threads > 1 ? find_parts(op) : NULL, .variant = v, .args = args};
  if (!c.parts) return v->run(ctx, args);
  batched_matrix a;
  memcpy(&a, (const char *)args + c.parts->matrices[0], sizeof a);
  c.count = a.count;
  c.shares = shares_for(&c, threads, batched_team_grain(ctx));
  return batched_team_do(ctx, c.shares, run_share, &c);
}
