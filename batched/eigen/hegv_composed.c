/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed and cuda.composed of hegst and hegv: B = L L^H or U^H U (potrf); A becomes L^-1 A L^-H (itype 1)
 * or L^H A L (2, 3), with U^H for L where it is the upper triangle that counts; its eigenvectors (heev) are then
 * multiplied by L^-H, or by L (itype 3).  Each by the row that suits it.
 */
#include "batched/eigen/steps.h"

/* x = op(F) x (LEFT) or x op(F), or the same with F^-1, for a triangular F. */
static int multiply(batched_ctx *ctx, bool inverse, batched_side side, batched_uplo uplo, bool adjoint,
                    batched_matrix f, batched_matrix x)
{
  const batched_trans trans = adjoint ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS;
  return inverse ? batched_trsm(ctx, side, uplo, trans, BATCHED_NON_UNIT, batched_real(1), f, x)
                 : batched_trmm(ctx, side, uplo, trans, BATCHED_NON_UNIT, batched_real(1), f, x);
}

/* x = G x G^H for the whole Hermitian x, with G = L^-1 or U^-H (itype 1), or G = L^H or U. */
static int transform(batched_ctx *ctx, int itype, batched_uplo uplo, batched_matrix f, batched_matrix x)
{
  const bool inverse = itype == 1, adjoint = inverse == (uplo == BATCHED_UPPER);
  const int status = multiply(ctx, inverse, BATCHED_LEFT, uplo, adjoint, f, x);
  return status ? status : multiply(ctx, inverse, BATCHED_RIGHT, uplo, !adjoint, f, x);
}

static int drive_hegst(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_hegst_args *h = args;
  const int n = h->a.n;
  const batched_matrix x = batched_pile_matrices(pile, h->a.type, n, n, h->a.ms, h->a.ns, h->a.count);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = batched_eigen_steps_of(ctx)->whole(ctx, h->uplo, &h->a, &x);
  if (!status) status = transform(ctx, h->itype, h->uplo, h->b, x);
  return status ? status : batched_copy_triangle(ctx, h->uplo, x, h->a);
}

int batched_hegst_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_hegst_op, drive_hegst, args);
}

typedef struct room {
  batched_sizes sizes;
  batched_matrix x, f, w;
  int *failed;
} room;

static room lay_out(batched_pile *pile, const batched_hegv_args *h)
{
  const int n = h->a.n;
  room r = {.sizes = batched_pile_sizes(pile, &h->a)};
  r.x = batched_pile_matrices(pile, h->a.type, n, n, h->a.ms, h->a.ns, h->a.count);
  r.f = batched_pile_matrices(pile, h->a.type, n, n, h->a.ms, h->a.ns, h->a.count);
  r.w = batched_pile_vectors(pile, h->w.type, n, r.sizes.mins, h->a.count);
  r.failed = batched_pile_take(pile, (size_t)h->a.count * sizeof(int));
  return r;
}

/* Large matrices on a host have a row of hegst that is faster than the composed one, which would copy them again. */
static int reduce(batched_ctx *ctx, const batched_hegv_args *h, const room *r)
{
  const bool by_hegst = batched_get_space(ctx) == BATCHED_HOST && h->a.n >= 100;
  int status =
    by_hegst ? batched_copy(ctx, h->a, r->x) : batched_eigen_steps_of(ctx)->whole(ctx, h->uplo, &h->a, &r->x);
  if (!status) status = batched_copy(ctx, h->b, r->f);
  if (!status) status = batched_potrf(ctx, h->uplo, r->f, r->failed);
  if (status) return status;
  return by_hegst ? batched_hegst(ctx, h->itype, h->uplo, r->x, r->f) : transform(ctx, h->itype, h->uplo, r->f, r->x);
}

static int solve(batched_ctx *ctx, const batched_hegv_args *h, const room *r)
{
  const bool vectors = h->job == BATCHED_VECTORS, lower = h->uplo == BATCHED_LOWER, inverse = h->itype != 3;
  int status = reduce(ctx, h, r);
  if (!status) status = batched_heev(ctx, h->job, h->uplo, r->x, r->w, h->info);
  if (status || !vectors) return status;
  return multiply(ctx, inverse, BATCHED_LEFT, h->uplo, lower == inverse, r->f, r->x);
}

static int drive_hegv(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_hegv_args *h = args;
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const room r = lay_out(pile, h);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = r.sizes.mins ? steps->find_sizes(ctx, &h->a, &r.sizes) : BATCHED_SUCCESS;
  if (!status) status = solve(ctx, h, &r);
  if (!status) status = steps->add_failures(ctx, &h->a, r.failed, h->info);
  if (!status) status = batched_copy_triangle(ctx, h->uplo, r.f, h->b);
  if (!status) status = steps->store_values(ctx, h->info, &r.w, &h->w);
  return !status && h->job == BATCHED_VECTORS ? steps->store(ctx, h->info, &r.x, &h->a) : status;
}

int batched_hegv_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_hegv_op, drive_hegv, args);
}
