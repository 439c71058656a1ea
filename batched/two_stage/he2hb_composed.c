/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed and cuda.composed of he2hb: LAPACK's hetrd_he2hb on whole matrices in scratch memory.  A panel of
 * kd columns below the band is factored, I - V T V^H (geqrf), and the rest of A is updated from both sides:
 *
 *   Y = A V,  W = Y T + V M,  M = -1/2 T^H (V^H Y) T,  A = A - V W^H - W V^H = A - [V W] [W V]^H
 *
 * by four products per panel (gemm), each by the row that suits it.
 */
#include "batched/two_stage/steps.h"
#include "batched/parts.h"

typedef struct room {
  int *rest, *few; /* of a variable batch: rows that are left, and reflectors, of each matrix in a step */
  double *largest; /* element of each matrix */
  batched_matrix tau;
  batched_band_panel panel;
} room;

static room lay_out(batched_pile *pile, const batched_he2hb_args *h)
{
  const int n = h->a.n, kd = h->kd;
  const int64_t count = h->a.count;
  const batched_type type = h->a.type;
  room r = {.panel = {.kd = kd}};
  if (h->a.ms || h->a.ns) {
    r.rest = batched_pile_take(pile, (size_t)count * sizeof(int));
    r.few = batched_pile_take(pile, (size_t)count * sizeof(int));
  }
  r.largest = batched_pile_take(pile, (size_t)count * sizeof(double));
  r.panel.x = batched_pile_matrices(pile, type, n, n, h->a.ms, h->a.ns, count);
  if (n <= kd) return r;
  r.panel.block = batched_pile_matrices(pile, type, n - kd, 4 * kd, NULL, NULL, count);
  r.tau = batched_pile_vectors(pile, type, n - kd, NULL, count);
  r.panel.products = batched_pile_matrices(pile, type, kd, 2 * kd, NULL, NULL, count);
  r.panel.factors = batched_pile_matrices(pile, type, 2 * kd, kd, NULL, NULL, count);
  return r;
}

/* Columns first .. first + number - 1 of [Y V W V], each name standing for kd of them. */
static batched_matrix columns_of(const room *r, int rest, int first, int number)
{
  const int kd = r->panel.kd;
  return batched_block_of(r->panel.block, 0, (int64_t)first * kd, rest, number * kd, r->rest, NULL);
}

static int update(batched_ctx *ctx, const batched_two_stage_steps *steps, const room *r, int rest)
{
  const batched_scalar one = batched_real(1), zero = batched_real(0);
  const int first = r->panel.first;
  const batched_matrix a = batched_block_of(r->panel.x, first, first, rest, rest, r->rest, r->rest);
  const batched_matrix y = columns_of(r, rest, 0, 1), v = columns_of(r, rest, 1, 1), w = columns_of(r, rest, 2, 1);
  const batched_matrix yv = columns_of(r, rest, 0, 2);
  int status = batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, a, v, zero, y);
  if (!status) status = batched_gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, v, yv, zero, r->panel.products);
  if (!status) status = steps->form_factors(ctx, &r->panel);
  if (!status) status = batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, yv, r->panel.factors, zero, w);
  if (status) return status;
  return batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, batched_real(-1), columns_of(r, rest, 1, 2),
                      columns_of(r, rest, 2, 2), one, a);
}

static int reduce_panel(batched_ctx *ctx, const batched_two_stage_steps *steps, const batched_he2hb_args *h, room *r,
                        int first)
{
  const int rest = h->a.n - first, few = rest < h->kd ? rest : h->kd;
  const batched_matrix panel = batched_block_of(r->panel.x, first, first - h->kd, rest, h->kd, r->rest, NULL);
  r->panel.first = first;
  r->panel.tau = batched_block_of(r->tau, first - h->kd, 0, few, 1, r->few, NULL);
  int status = r->rest ? steps->find_rest(ctx, &h->a, first, h->kd, r->rest, r->few) : BATCHED_SUCCESS;
  if (!status) status = batched_geqrf(ctx, panel, r->panel.tau);
  if (!status) status = steps->take_panel(ctx, &r->panel);
  return status ? status : update(ctx, steps, r, rest);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_he2hb_args *h = args;
  const batched_two_stage_steps *steps = batched_two_stage_steps_of(ctx);
  room r = lay_out(pile, h);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = steps->take_whole(ctx, h->uplo, &h->a, &r.panel.x, r.largest);
  for (int64_t first = h->kd; !status && first < h->a.n; first += h->kd)
    status = reduce_panel(ctx, steps, h, &r, (int)first);
  return status ? status : steps->store_band(ctx, h, &r.panel.x, &r.tau, r.largest);
}

int batched_he2hb_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_he2hb_op, drive, args);
}
