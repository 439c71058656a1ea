/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed and cuda.composed of heevx: A = Q T Q^H (hetrd), some of T's eigenvalues by bisection (stebz),
 * their vectors by inverse iteration (stein), and the product with Q (unmtr), each by the row that suits it.
 */
#include "batched/eigen/steps.h"

typedef struct room {
  batched_sizes sizes;
  batched_matrix x, z, d, e, tau, w;
  int *found, *few, *failed; /* values of each matrix, and those that have room; info of stein */
} room;

static room lay_out(batched_pile *pile, const batched_heevx_args *h)
{
  const int n = h->a.n, less = n > 0 ? n - 1 : 0, k = batched_vector_bound(&h->w);
  const int64_t count = h->a.count;
  const int *const lengths = h->w.n == 1 && !h->w.ns ? h->w.ms : h->w.ns;
  room r = {.sizes = batched_pile_sizes(pile, &h->a)};
  r.x = batched_pile_matrices(pile, h->a.type, n, n, h->a.ms, h->a.ns, count);
  if (h->job == BATCHED_VECTORS) r.z = batched_pile_matrices(pile, h->a.type, n, k, h->a.ms, lengths, count);
  r.d = batched_pile_vectors(pile, h->w.type, n, r.sizes.mins, count);
  r.e = batched_pile_vectors(pile, h->w.type, less, r.sizes.mins_less, count);
  r.tau = batched_pile_vectors(pile, h->a.type, less, r.sizes.mins_less, count);
  r.w = batched_pile_vectors(pile, h->w.type, k, lengths, count);
  r.found = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.few = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.failed = batched_pile_take(pile, (size_t)count * sizeof(int));
  return r;
}

/* The same batch with as many columns as `few` says. */
static batched_matrix narrowed(batched_matrix x, const int *few)
{
  return batched_with_sizes(x, x.ms, few, x.lds);
}

static int find_vectors(batched_ctx *ctx, const batched_heevx_args *h, const room *r)
{
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const batched_matrix z = narrowed(r->z, r->few), none = {0};
  int status = batched_stein(ctx, r->d, r->e, r->few, r->w, r->z, r->failed);
  if (!status) status = batched_unmtr(ctx, BATCHED_LEFT, h->uplo, BATCHED_NO_TRANS, r->x, r->tau, z);
  if (!status && h->is_signed) status = steps->fix_signs(ctx, &z, &none);
  return status ? status : steps->add_info(ctx, h->a.count, r->failed, h->info);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_heevx_args *h = args;
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const room r = lay_out(pile, h);
  const bool vectors = h->job == BATCHED_VECTORS;
  if (!pile->at) return BATCHED_SUCCESS;
  int status = r.sizes.mins ? steps->find_sizes(ctx, &h->a, &r.sizes) : BATCHED_SUCCESS;
  if (!status) status = batched_copy(ctx, h->a, r.x);
  if (!status) status = batched_hetrd(ctx, h->uplo, r.x, r.d, r.e, r.tau);
  if (!status) status = batched_stebz(ctx, h->range, h->vl, h->vu, h->il, h->iu, r.d, r.e, r.found, r.w, h->info);
  if (!status) status = steps->limit_counts(ctx, r.found, &r.w, r.few);
  if (!status && vectors) status = find_vectors(ctx, h, &r);
  const batched_matrix w = batched_with_lengths(h->w, r.few), z = narrowed(h->z, r.few);
  if (!status) status = batched_copy_within(ctx, h->found, r.found, (size_t)h->a.count * sizeof(int));
  if (!status) status = steps->store_values(ctx, h->info, &r.w, &w);
  return !status && vectors ? steps->store(ctx, h->info, &r.z, &z) : status;
}

int batched_heevx_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_heevx_op, drive, args);
}
