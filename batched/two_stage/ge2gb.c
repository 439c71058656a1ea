/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Its rows host.composed and cuda.composed, on copies X in scratch memory, A or A^H, whichever is high: a panel of kd
 * columns from the diagonal on is factored (geqrf), and what is right of it multiplied by Q^H (unmqr); the kd rows
 * right of the panel, as columns of their own, are factored, and what is below multiplied by P from the right.
 */
#include "batched/two_stage/general_steps.h"
#include "batched/parts.h"

/* 4 k^2 (l - k / 3), l the longer side; A, read and written once, and the band. */
static batched_cost cost(const void *args)
{
  const batched_ge2gb_args *g = args;
  const double k = g->a.m < g->a.n ? g->a.m : g->a.n, l = g->a.m + g->a.n - k, count = batched_model_count(&g->a);
  return (batched_cost){count * 4 * k * k * (l - k / 3) * batched_flop_weight(g->a.type),
                        count * (2 * k * l + k * (batched_clamp_width((int)k, g->kd) + 3)) *
                          (double)batched_element_bytes(g->a.type)};
}

const batched_op batched_ge2gb_op = {
  .name = "ge2gb",
  .key = "ge2gb",
  .variants = {batched_ge2gb_host, batched_ge2gb_cuda},
  .cost = cost,
  .operands = {sizeof(batched_ge2gb_args),
               4,
               {offsetof(batched_ge2gb_args, a), offsetof(batched_ge2gb_args, ab), offsetof(batched_ge2gb_args, tauq),
                offsetof(batched_ge2gb_args, taup)}},
};

static bool is_band_of(const batched_ctx *ctx, const batched_matrix *ab, int kd, const batched_matrix *a)
{
  return batched_is_valid_result(ctx, ab) && batched_same_kind(a, ab) &&
         batched_is_min_extent(ctx, batched_col_extent(ab), a) && batched_has_band_rows(ctx, ab, kd);
}

int batched_ge2gb(batched_ctx *ctx, int kd, batched_matrix a, batched_matrix ab, batched_matrix tauq,
                  batched_matrix taup)
{
  if (!ctx) return -1;
  if (!batched_is_width(kd)) return -2;
  if (!batched_is_valid_result(ctx, &a)) return -3;
  if (!is_band_of(ctx, &ab, kd, &a)) return -4;
  if (!batched_is_vector_of(ctx, &a, &tauq, a.type, 0)) return -5;
  if (!batched_is_vector_of(ctx, &a, &taup, a.type, 0)) return -6;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_ge2gb_args args = {kd, a, ab, tauq, taup};
  return batched_run(ctx, &batched_ge2gb_op, &args);
}

/* Memory of a part. */
typedef struct room {
  batched_general_sizes sizes; /* of a variable batch */
  double *largest;             /* element of each matrix */
  batched_matrix x, y;         /* y: rows as columns */
  batched_matrix tauq, taup;
} room;

static room lay_out(batched_pile *pile, const batched_ge2gb_args *g)
{
  const int k = g->a.m < g->a.n ? g->a.m : g->a.n, longer = g->a.m < g->a.n ? g->a.n : g->a.m;
  const int64_t count = g->a.count;
  const batched_type type = g->a.type;
  room r = {.largest = batched_pile_take(pile, (size_t)count * sizeof(double))};
  batched_general_sizes *const s = &r.sizes;
  int **const each[] = {&s->longer, &s->shorter, &s->rows, &s->cols, &s->rest, &s->below, &s->few};
  for (int i = 0; (g->a.ms || g->a.ns) && i < 7; i++) *each[i] = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.x = batched_pile_matrices(pile, type, longer, k, s->longer, s->shorter, count);
  r.tauq = batched_pile_vectors(pile, type, k, s->shorter, count);
  if (k <= g->kd) return r;
  r.taup = batched_pile_vectors(pile, type, k - g->kd, NULL, count);
  r.y = batched_pile_matrices(pile, type, k - g->kd, g->kd, NULL, NULL, count);
  return r;
}

/* Columns from `first` on, and what is right of them. */
static int reduce_columns(batched_ctx *ctx, const room *r, int first, int kd)
{
  const batched_general_sizes *s = &r->sizes;
  const int rows = r->x.m - first, cols = r->x.n - first < kd ? r->x.n - first : kd, rest = r->x.n - first - cols;
  const batched_matrix panel = batched_block_of(r->x, first, first, rows, cols, s->rows, s->cols);
  const batched_matrix right = batched_block_of(r->x, first, first + kd, rows, rest, s->rows, s->rest);
  const batched_matrix tau = batched_block_of(r->tauq, first, 0, cols, 1, s->cols, NULL);
  const int status = batched_geqrf(ctx, panel, tau);
  return status || rest == 0 ? status : batched_unmqr(ctx, BATCHED_LEFT, BATCHED_CONJ_TRANS, panel, tau, right);
}

/* The kd rows from `first` on, right of those columns, and what is below. */
static int reduce_rows(batched_ctx *ctx, const room *r, int first, int kd)
{
  const batched_general_sizes *s = &r->sizes;
  const int rest = r->x.n - first - kd, few = rest < kd ? rest : kd, below = r->x.m - first - kd;
  const batched_matrix rows = batched_block_of(r->x, first, first + kd, kd, rest, s->cols, s->rest);
  const batched_matrix left = batched_block_of(r->x, first + kd, first + kd, below, rest, s->below, s->rest);
  const batched_matrix y = batched_block_of(r->y, 0, 0, rest, kd, s->rest, s->cols);
  const batched_matrix v = batched_block_of(r->y, 0, 0, rest, few, s->rest, s->few);
  const batched_matrix tau = batched_block_of(r->taup, first, 0, few, 1, s->few, NULL);
  int status = batched_transpose(ctx, BATCHED_CONJ_TRANS, rows, y);
  if (!status) status = batched_geqrf(ctx, y, tau);
  if (!status) status = batched_unmqr(ctx, BATCHED_RIGHT, BATCHED_NO_TRANS, v, tau, left);
  return status ? status : batched_transpose(ctx, BATCHED_CONJ_TRANS, y, rows);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_ge2gb_args *g = args;
  const batched_general_steps *steps = batched_general_steps_of(ctx);
  const room r = lay_out(pile, g);
  if (!pile->at) return BATCHED_SUCCESS;
  int status = BATCHED_SUCCESS;
  for (int64_t first = 0; !status && first < r.x.n; first += g->kd) {
    if (r.sizes.rows) status = steps->find_sizes(ctx, &g->a, (int)first, g->kd, &r.sizes);
    if (!status && first == 0) status = steps->take_tall(ctx, &g->a, &r.x, r.largest);
    if (!status) status = reduce_columns(ctx, &r, (int)first, g->kd);
    if (!status && first + g->kd < r.x.n) status = reduce_rows(ctx, &r, (int)first, g->kd);
  }
  return status ? status : steps->store_band(ctx, g, &r.x, &r.tauq, &r.taup, r.largest);
}

int batched_ge2gb_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_ge2gb_op, drive, args);
}
