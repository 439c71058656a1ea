/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed and cuda.composed of heev: A = Q T Q^H (hetrd), T = V diag(w) V^T (stedc; for values alone steqr,
 * or on a GPU stebz, which has a thread for each), and Z = Q V (unmtr), each by the row that suits it.
 */
#include "batched/eigen/eigen.h"
#include "batched/eigen/steps.h"

/* Memory of a part; nothing is written to the call's operands before all has memory. */
typedef struct room {
  batched_sizes sizes;
  batched_matrix x, z, d, e, tau, w; /* w: where values do not replace d */
  int *found;
} room;

static room lay_out(batched_pile *pile, const batched_heev_args *h)
{
  const int n = h->a.n, less = n > 0 ? n - 1 : 0;
  const int64_t count = h->a.count;
  room r = {.sizes = batched_pile_sizes(pile, &h->a)};
  r.x = batched_pile_matrices(pile, h->a.type, n, n, h->a.ms, h->a.ns, count);
  if (h->job == BATCHED_VECTORS) r.z = batched_pile_matrices(pile, h->a.type, n, n, h->a.ms, h->a.ns, count);
  r.d = batched_pile_vectors(pile, h->w.type, n, r.sizes.mins, count);
  r.e = batched_pile_vectors(pile, h->w.type, less, r.sizes.mins_less, count);
  r.tau = batched_pile_vectors(pile, h->a.type, less, r.sizes.mins_less, count);
  r.w = batched_pile_vectors(pile, h->w.type, n, r.sizes.mins, count);
  r.found = batched_pile_take(pile, (size_t)count * sizeof(int));
  return r;
}

/* The vector of values alone. */
static const batched_matrix *values_of(const batched_ctx *ctx, const room *r)
{
  return batched_get_space(ctx) == BATCHED_CUDA ? &r->w : &r->d;
}

static int solve_for_values(batched_ctx *ctx, const batched_heev_args *h, const room *r)
{
  if (values_of(ctx, r) == &r->d) return batched_steqr(ctx, BATCHED_VALUES, r->d, r->e, r->x, h->info);
  return batched_stebz(ctx, BATCHED_ALL, 0, 0, 0, 0, r->d, r->e, r->found, r->w, h->info);
}

static int reduce_and_solve(batched_ctx *ctx, const batched_heev_args *h, const room *r)
{
  int status = batched_copy(ctx, h->a, r->x);
  if (!status) status = batched_hetrd(ctx, h->uplo, r->x, r->d, r->e, r->tau);
  if (status) return status;
  if (h->job == BATCHED_VALUES) return solve_for_values(ctx, h, r);
  status = batched_stedc(ctx, BATCHED_VECTORS, r->d, r->e, r->z, h->info);
  return status ? status : batched_unmtr(ctx, BATCHED_LEFT, h->uplo, BATCHED_NO_TRANS, r->x, r->tau, r->z);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_heev_args *h = args;
  const batched_eigen_steps *steps = batched_eigen_steps_of(ctx);
  const room r = lay_out(pile, h);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = r.sizes.mins ? steps->find_sizes(ctx, &h->a, &r.sizes) : BATCHED_SUCCESS;
  if (!status) status = reduce_and_solve(ctx, h, &r);
  if (status) return status;
  if (h->job == BATCHED_VECTORS) return steps->store_both(ctx, h->info, &r.d, &r.z, &h->w, &h->a);
  return steps->store_values(ctx, h->info, values_of(ctx, &r), &h->w);
}

int batched_heev_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_heev_op, drive, args);
}
