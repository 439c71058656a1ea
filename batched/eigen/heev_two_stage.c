/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.two_stage and cuda.two_stage of heev: A = Q1 B Q1^H with a band B (he2hb), B = Q2 T Q2^H (hb2st),
 * T = V diag(w) V^T (stedc; for values alone steqr, or on a GPU stebz), and Z = Q1 Q2 V (unmtr_hb2st, unmtr_he2hb).
 */
#include "batched/eigen/eigen.h"
#include "batched/eigen/steps.h"
#include "batched/two_stage/steps.h"

/* Memory of a part; nothing is written to the call's operands before all has memory. */
typedef struct room {
  batched_sizes sizes;
  batched_matrix x, z, ab, v, d, e, tau, w; /* x, z, v: with vectors; w: where values do not replace d */
  int *less, *found;                        /* less: lengths of tau, of a variable batch */
} room;

/* Diagonals of B beside its main one: a narrow band is chased in few steps, and a wide one is reached by few panels.
 * One number, for a matrix of a variable batch to have the same bits as alone. */
enum { KD = 16 };

static room lay_out(batched_pile *pile, const batched_heev_args *h)
{
  const int n = h->a.n, less = n > 0 ? n - 1 : 0;
  const int64_t count = h->a.count;
  const bool vectors = h->job == BATCHED_VECTORS;
  room r = {.sizes = batched_pile_sizes(pile, &h->a)};
  if (h->a.ms || h->a.ns) r.less = batched_pile_take(pile, (size_t)count * sizeof(int));
  if (vectors) r.x = batched_pile_matrices(pile, h->a.type, n, n, h->a.ms, h->a.ns, count);
  if (vectors) r.z = batched_pile_matrices(pile, h->a.type, n, n, h->a.ms, h->a.ns, count);
  r.ab = batched_pile_matrices(pile, h->a.type, KD + 1, n, NULL, h->a.ns, count);
  if (vectors) r.v = batched_pile_matrices(pile, h->a.type, n, n, h->a.ms, h->a.ns, count);
  r.d = batched_pile_vectors(pile, h->w.type, n, r.sizes.mins, count);
  r.e = batched_pile_vectors(pile, h->w.type, less, r.sizes.mins_less, count);
  if (vectors) r.tau = batched_pile_vectors(pile, h->a.type, n > KD ? n - KD : 0, r.less, count);
  r.w = batched_pile_vectors(pile, h->w.type, n, r.sizes.mins, count);
  r.found = batched_pile_take(pile, (size_t)count * sizeof(int));
  return r;
}

/* The vector of values alone. */
static const batched_matrix *values_of(const batched_ctx *ctx, const room *r)
{
  return batched_get_space(ctx) == BATCHED_CUDA ? &r->w : &r->d;
}

static int reduce(batched_ctx *ctx, const batched_heev_args *h, const room *r)
{
  const batched_he2hb_args band = {h->uplo, KD, h->a, r->ab, r->tau, true};
  int status = h->job == BATCHED_VECTORS ? batched_copy(ctx, h->a, r->x) : batched_run(ctx, &batched_he2hb_op, &band);
  if (!status && h->job == BATCHED_VECTORS) status = batched_he2hb(ctx, h->uplo, KD, r->x, r->ab, r->tau);
  return status ? status : batched_hb2st(ctx, h->job, h->uplo, KD, r->ab, r->d, r->e, r->v);
}

static int solve(batched_ctx *ctx, const batched_heev_args *h, const room *r)
{
  if (h->job == BATCHED_VALUES) {
    if (values_of(ctx, r) == &r->d) return batched_steqr(ctx, BATCHED_VALUES, r->d, r->e, r->x, h->info);
    return batched_stebz(ctx, BATCHED_ALL, 0, 0, 0, 0, r->d, r->e, r->found, r->w, h->info);
  }
  int status = batched_stedc(ctx, BATCHED_VECTORS, r->d, r->e, r->z, h->info);
  if (!status) status = batched_unmtr_hb2st(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, KD, r->v, r->z);
  return status ? status : batched_unmtr_he2hb(ctx, BATCHED_LEFT, h->uplo, BATCHED_NO_TRANS, KD, r->x, r->tau, r->z);
}

static int find_sizes(batched_ctx *ctx, const batched_heev_args *h, const room *r)
{
  if (!r->less) return BATCHED_SUCCESS;
  int status = batched_eigen_steps_of(ctx)->find_sizes(ctx, &h->a, &r->sizes);
  return status ? status : batched_two_stage_steps_of(ctx)->find_rest(ctx, &h->a, KD, KD, r->less, r->found);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_heev_args *h = args;
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const room r = lay_out(pile, h);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = find_sizes(ctx, h, &r);
  if (!status) status = reduce(ctx, h, &r);
  if (!status) status = solve(ctx, h, &r);
  if (status) return status;
  if (h->job == BATCHED_VECTORS) return steps->store_both(ctx, h->info, &r.d, &r.z, &h->w, &h->a);
  return steps->store_values(ctx, h->info, values_of(ctx, &r), &h->w);
}

int batched_heev_two_stage(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_heev_op, drive, args);
}
