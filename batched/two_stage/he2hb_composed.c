/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed and cuda.composed of he2hb: LAPACK's hetrd_he2hb on whole matrices in scratch memory.  A panel of
 * kd columns below the band is factored, I - V T V^H (geqrf), and the rest of A is updated from both sides:
 *
 *   Y = A V,  W = Y T + V M,  M = -1/2 T^H (V^H Y) T,  A = A - V W^H - W V^H = A - [V W] [W V]^H
 *
 * The update waits for the next panel: its columns alone are updated before it is factored, and the rest while it is
 * multiplied by the next V, where the space has a kernel that does both (multiply), else by two products (gemm).
 */
#include "batched/two_stage/steps.h"
#include "batched/parts.h"

/* A panel and the one before, whose update waits, have these in turn. */
typedef struct memory {
  int *rest, *few; /* of a variable batch: rows that are left, and reflectors, of each matrix in a step */
  batched_matrix block;
} memory;

typedef struct room {
  memory turns[2];
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
  for (int i = 0; i < 2; i++) {
    memory *const m = &r.turns[i];
    if (h->a.ms || h->a.ns) {
      m->rest = batched_pile_take(pile, (size_t)count * sizeof(int));
      m->few = batched_pile_take(pile, (size_t)count * sizeof(int));
    }
    if (n > kd) m->block = batched_pile_matrices(pile, type, n - kd, 4 * kd, NULL, NULL, count);
  }
  r.largest = batched_pile_take(pile, (size_t)count * sizeof(double));
  r.panel.x = batched_pile_matrices(pile, type, n, n, h->a.ms, h->a.ns, count);
  if (n <= kd) return r;
  r.tau = batched_pile_vectors(pile, type, n - kd, NULL, count);
  r.panel.products = batched_pile_matrices(pile, type, kd, 2 * kd, NULL, NULL, count);
  r.panel.factors = batched_pile_matrices(pile, type, 2 * kd, kd, NULL, NULL, count);
  return r;
}

/* Rows row .. row + rows - 1 of `number` parts of the block [Y V W V], beginning with part `first`; a part has kd
 * columns. */
static batched_matrix part_of(const memory *m, int kd, int row, int rows, int first, int number, const int *each)
{
  return batched_block_of(m->block, row, (int64_t)first * kd, rows, number * kd, each, NULL);
}

/* The columns of the panel, and the block of the band above them, after what waits. */
static int update_columns(batched_ctx *ctx, const room *r, const memory *last, int rest)
{
  const int kd = r->panel.kd, first = r->panel.first - kd, cols = rest < kd ? rest : kd;
  const batched_matrix columns = batched_block_of(r->panel.x, first, first, rest, cols, last->rest, last->few);
  return batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, batched_real(-1),
                      part_of(last, kd, 0, rest, 1, 2, last->rest), part_of(last, kd, 0, cols, 2, 2, last->few),
                      batched_real(1), columns);
}

int batched_multiply_band(batched_ctx *ctx, const batched_band_product *p)
{
  const batched_two_stage_steps *const steps = batched_two_stage_steps_of(ctx);
  const batched_scalar one = batched_real(1);
  int status = steps->multiply ? steps->multiply(ctx, p) : BATCHED_DOES_NOT_FIT;
  if (status != BATCHED_DOES_NOT_FIT) return status;
  status = BATCHED_SUCCESS;
  if (p->updates)
    status = batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, batched_real(-1), p->left, p->right, one, p->a);
  return status ? status
                : batched_gemm(ctx, p->adjoint ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, p->a,
                               p->v, batched_real(0), p->y);
}

/* Updates what is right of the panel, where anything waits, and Y = A V. */
static int multiply(batched_ctx *ctx, const room *r, const memory *last, const memory *now, int rest)
{
  const int kd = r->panel.kd, first = r->panel.first;
  batched_band_product p = {.kd = kd, .updates = last != NULL};
  p.a = batched_block_of(r->panel.x, first, first, rest, rest, now->rest, now->rest);
  p.v = part_of(now, kd, 0, rest, 1, 1, now->rest);
  p.y = part_of(now, kd, 0, rest, 0, 1, now->rest);
  if (last) {
    p.left = part_of(last, kd, kd, rest, 1, 2, now->rest);
    p.right = part_of(last, kd, kd, rest, 2, 2, now->rest);
  }
  return batched_multiply_band(ctx, &p);
}

/* W, from V and Y. */
static int finish_block(batched_ctx *ctx, const batched_two_stage_steps *steps, const room *r, const memory *now,
                        int rest)
{
  const int kd = r->panel.kd;
  const batched_scalar one = batched_real(1), zero = batched_real(0);
  const batched_matrix yv = part_of(now, kd, 0, rest, 0, 2, now->rest), v = part_of(now, kd, 0, rest, 1, 1, now->rest);
  const batched_matrix y = part_of(now, kd, 0, rest, 0, 1, now->rest), w = part_of(now, kd, 0, rest, 2, 1, now->rest);
  const batched_band_finish f = {kd, BATCHED_BAND_MIDDLE, v, y, r->panel.tau, y, v, w};
  int status = batched_finish_band(ctx, &f);
  if (status != BATCHED_DOES_NOT_FIT) return status;
  status = batched_gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, v, yv, zero, r->panel.products);
  if (!status) status = steps->form_factors(ctx, &r->panel);
  return status ? status : batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, yv, r->panel.factors, zero, w);
}

static int reduce_panel(batched_ctx *ctx, const batched_two_stage_steps *steps, const batched_he2hb_args *h, room *r,
                        const memory *last, const memory *now)
{
  const int kd = h->kd, first = r->panel.first, rest = h->a.n - first, few = rest < kd ? rest : kd;
  const batched_matrix panel = batched_block_of(r->panel.x, first, first - kd, rest, kd, now->rest, NULL);
  r->panel.tau = batched_block_of(r->tau, first - kd, 0, few, 1, now->few, NULL);
  r->panel.block = now->block;
  int status = now->rest ? steps->find_rest(ctx, &h->a, first, kd, now->rest, now->few) : BATCHED_SUCCESS;
  if (!status && last) status = update_columns(ctx, r, last, rest + kd);
  if (!status) status = batched_geqrf(ctx, panel, r->panel.tau);
  if (!status) status = steps->take_panel(ctx, &r->panel);
  if (!status) status = multiply(ctx, r, last, now, rest);
  return status ? status : finish_block(ctx, steps, r, now, rest);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_he2hb_args *h = args;
  const batched_two_stage_steps *steps = batched_two_stage_steps_of(ctx);
  room r = lay_out(pile, h);
  if (!pile->at) return BATCHED_SUCCESS;
  const memory *last = NULL;
  int status = steps->take_whole(ctx, h->uplo, &h->a, &r.panel.x, r.largest);
  int64_t first = h->kd;
  for (; !status && first < h->a.n; first += h->kd) {
    const memory *const now = last == r.turns ? r.turns + 1 : r.turns;
    r.panel.first = (int)first;
    status = reduce_panel(ctx, steps, h, &r, last, now);
    last = now;
  }
  if (!status && last) {
    r.panel.first = (int)first;
    status = update_columns(ctx, &r, last, h->a.n - (r.panel.first - h->kd));
  }
  return status ? status : steps->store_band(ctx, h, &r.panel.x, &r.tau, r.largest);
}

int batched_he2hb_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_he2hb_op, drive, args);
}
