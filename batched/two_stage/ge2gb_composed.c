/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.composed and cuda.composed of ge2gb, on copies X in scratch memory, A or A^H, whichever is high.  A panel
 * of kd columns from the diagonal on is factored, I - V T V^H (geqrf), and so are the adjoints of the kd rows right of
 * it, I - Y S Y^H, of what the first leaves there; C, right of the panel, becomes
 *
 *   (I - V T^H V^H) C = C - V W^H,  W = C^H V T,  and, below the rows, (C - V W^H) (I - Y S Y^H) = C - V W^H - Z Y^H,
 *   Z = (C Y - V K) S,  K = W^H Y
 *
 * The update C - [V Z] [W Y]^H waits for the next panel: its columns alone are updated before it is factored, and the
 * rest while it is multiplied by the next V, where the space has a kernel that does both (steps.h: multiply).
 */
#include "batched/two_stage/general_steps.h"
#include "batched/parts.h"

/* A panel and the one before, whose update waits, have these in turn: [B V Z], B = C Y, in the rows of the panel and
 * below, and [U W Y], U = C^H V, in the columns right of it. */
typedef struct memory {
  batched_matrix left, right;
} memory;

typedef struct room {
  batched_general_sizes sizes; /* of a variable batch */
  double *largest;             /* element of each matrix */
  memory turns[2];
  batched_matrix x;
  batched_matrix tauq, taup;
  batched_matrix products, factors;
} room;

static room lay_out(batched_pile *pile, const batched_ge2gb_args *g)
{
  const int k = g->a.m < g->a.n ? g->a.m : g->a.n, longer = g->a.m < g->a.n ? g->a.n : g->a.m, kd = g->kd;
  const int64_t count = g->a.count;
  const batched_type type = g->a.type;
  room r = {.largest = batched_pile_take(pile, (size_t)count * sizeof(double))};
  batched_general_sizes *const s = &r.sizes;
  int **const each[] = {&s->longer, &s->shorter, &s->rows, &s->cols, &s->rest, &s->below, &s->few};
  for (int i = 0; (g->a.ms || g->a.ns) && i < 7; i++) *each[i] = batched_pile_take(pile, (size_t)count * sizeof(int));
  r.x = batched_pile_matrices(pile, type, longer, k, s->longer, s->shorter, count);
  r.tauq = batched_pile_vectors(pile, type, k, s->shorter, count);
  if (k <= kd) return r;
  r.taup = batched_pile_vectors(pile, type, k - kd, NULL, count);
  for (int i = 0; i < 2; i++) {
    r.turns[i].left = batched_pile_matrices(pile, type, longer, 3 * kd, NULL, NULL, count);
    r.turns[i].right = batched_pile_matrices(pile, type, k - kd, 3 * kd, NULL, NULL, count);
  }
  r.products = batched_pile_matrices(pile, type, kd, 2 * kd, NULL, NULL, count);
  r.factors = batched_pile_matrices(pile, type, 2 * kd, kd, NULL, NULL, count);
  return r;
}

/* A step: rows and columns `first` and beyond are left. */
typedef struct step {
  batched_ctx *ctx;
  const batched_general_steps *steps;
  const room *r;
  const memory *last, *now;               /* last: NULL where nothing waits */
  int kd, first, rows, cols, rest, below; /* as in batched_general_sizes */
  bool band_alone;
} step;

/* Rows row .. row + rows - 1 of `number` parts of a block, beginning with part `first`; a part has kd columns. */
static batched_matrix part_of(const step *s, batched_matrix block, int row, int rows, int first, int number,
                              const int *each)
{
  return batched_block_of(block, row, (int64_t)first * s->kd, rows, number * s->kd, each, NULL);
}

/* alpha A op(B) + beta C, op = B or B^H. */
static int multiply(const step *s, double alpha, batched_matrix a, batched_trans trans, batched_matrix b, double beta,
                    batched_matrix c)
{
  return batched_gemm(s->ctx, BATCHED_NO_TRANS, trans, batched_real(alpha), a, b, batched_real(beta), c);
}

static int factor_columns(const step *s)
{
  const batched_general_sizes *const z = &s->r->sizes;
  const batched_matrix panel = batched_block_of(s->r->x, s->first, s->first, s->rows, s->cols, z->rows, z->cols);
  int status = BATCHED_SUCCESS;
  if (s->last)
    status = multiply(s, -1, part_of(s, s->last->left, s->kd, s->rows, 1, 2, z->rows), BATCHED_CONJ_TRANS,
                      part_of(s, s->last->right, 0, s->cols, 1, 2, z->cols), 1, panel);
  return status ? status
                : batched_geqrf(s->ctx, panel, batched_block_of(s->r->tauq, s->first, 0, s->cols, 1, z->cols, NULL));
}

/* C's update, and W. */
static int apply_columns(const step *s)
{
  const batched_general_sizes *const z = &s->r->sizes;
  const batched_matrix v = part_of(s, s->now->left, 0, s->rows, 1, 1, z->rows);
  const batched_matrix u = part_of(s, s->now->right, 0, s->rest, 0, 1, z->rest);
  const batched_general_panel p = {
    .kd = s->kd,
    .x = batched_block_of(s->r->x, s->first, s->first, s->rows, s->kd, z->rows, z->cols),
    .tau = batched_block_of(s->r->tauq, s->first, 0, s->cols, 1, z->cols, NULL),
    .v = v,
    .products = s->r->products,
    .factors = s->r->factors,
  };
  batched_band_product b = {.kd = s->kd, .updates = s->last != NULL, .adjoint = true, .v = v, .y = u};
  b.a = batched_block_of(s->r->x, s->first, s->first + s->kd, s->rows, s->rest, z->rows, z->rest);
  if (s->last) {
    b.left = part_of(s, s->last->left, s->kd, s->rows, 1, 2, z->rows);
    b.right = part_of(s, s->last->right, s->kd, s->rest, 1, 2, z->rest);
  }
  const batched_matrix w = part_of(s, s->now->right, 0, s->rest, 1, 1, z->rest), none = {0};
  const batched_band_finish f = {s->kd, BATCHED_BAND_ALONE, v, none, p.tau, u, none, w};
  int status = s->steps->take_vectors(s->ctx, &p);
  if (!status) status = batched_multiply_band(s->ctx, &b);
  if (!status) status = batched_finish_band(s->ctx, &f);
  if (status != BATCHED_DOES_NOT_FIT) return status;
  status = batched_gemm(s->ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, batched_real(1), v, v, batched_real(0),
                        batched_block_of(p.products, 0, s->kd, s->kd, s->kd, NULL, NULL));
  if (!status) status = s->steps->form_factors(s->ctx, &p);
  return status
           ? status
           : multiply(s, 1, u, BATCHED_NO_TRANS, batched_block_of(p.factors, 0, 0, s->kd, s->kd, NULL, NULL), 0, w);
}

/* The kd rows right of the panel, as columns, where their Y will be. */
static int factor_rows(const step *s)
{
  const batched_general_sizes *const z = &s->r->sizes;
  const int few = s->rest < s->kd ? s->rest : s->kd;
  const batched_matrix rows = batched_block_of(s->r->x, s->first, s->first + s->kd, s->kd, s->rest, z->cols, z->rest);
  const batched_matrix y = batched_block_of(s->now->right, 0, 2 * (int64_t)s->kd, s->rest, s->kd, z->rest, z->cols);
  const batched_matrix w = part_of(s, s->now->right, 0, s->rest, 1, 1, z->rest);
  int status = batched_transpose(s->ctx, BATCHED_CONJ_TRANS, rows, y);
  if (!status) status = multiply(s, -1, w, BATCHED_CONJ_TRANS, part_of(s, s->now->left, 0, s->kd, 1, 1, z->cols), 1, y);
  if (!status) status = batched_geqrf(s->ctx, y, batched_block_of(s->r->taup, s->first, 0, few, 1, z->few, NULL));
  if (status || !s->band_alone) return status ? status : batched_transpose(s->ctx, BATCHED_CONJ_TRANS, y, rows);
  const batched_matrix first = batched_block_of(y, 0, 0, few, s->kd, z->few, z->cols);
  return batched_transpose(s->ctx, BATCHED_CONJ_TRANS, first,
                           batched_block_of(rows, 0, 0, s->kd, few, z->cols, z->few));
}

/* Z. */
static int apply_rows(const step *s)
{
  const batched_general_sizes *const z = &s->r->sizes;
  const int few = s->rest < s->kd ? s->rest : s->kd;
  const batched_general_panel p = {
    .kd = s->kd,
    .both = true,
    .x = part_of(s, s->now->right, 0, s->rest, 2, 1, z->rest),
    .tau = batched_block_of(s->r->taup, s->first, 0, few, 1, z->few, NULL),
    .v = part_of(s, s->now->right, 0, s->rest, 2, 1, z->rest),
    .products = s->r->products,
    .factors = s->r->factors,
  };
  const batched_band_product b = {
    .kd = s->kd,
    .a = batched_block_of(s->r->x, s->first + s->kd, s->first + s->kd, s->below, s->rest, z->below, z->rest),
    .v = p.v,
    .y = part_of(s, s->now->left, s->kd, s->below, 0, 1, z->below),
  };
  const batched_matrix v = part_of(s, s->now->left, s->kd, s->below, 1, 1, z->below);
  const batched_matrix w = part_of(s, s->now->right, 0, s->rest, 1, 1, z->rest);
  const batched_matrix to = part_of(s, s->now->left, s->kd, s->below, 2, 1, z->below);
  const batched_band_finish f = {s->kd, BATCHED_BAND_PRODUCT, p.v, w, p.tau, b.y, v, to};
  int status = s->steps->take_vectors(s->ctx, &p);
  if (!status) status = batched_multiply_band(s->ctx, &b);
  if (!status) status = batched_finish_band(s->ctx, &f);
  if (status != BATCHED_DOES_NOT_FIT) return status;
  status = batched_gemm(s->ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, batched_real(1), p.v,
                        part_of(s, s->now->right, 0, s->rest, 1, 2, z->rest), batched_real(0), p.products);
  if (!status) status = s->steps->form_factors(s->ctx, &p);
  return status ? status
                : multiply(s, 1, part_of(s, s->now->left, s->kd, s->below, 0, 2, z->below), BATCHED_NO_TRANS, p.factors,
                           0, to);
}

static int reduce(const step *s)
{
  int status = factor_columns(s);
  if (status || s->rest == 0) return status;
  status = apply_columns(s);
  if (!status) status = factor_rows(s);
  return status ? status : apply_rows(s);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_ge2gb_args *g = args;
  const batched_general_steps *steps = batched_general_steps_of(ctx);
  const room r = lay_out(pile, g);
  if (!pile->at) return BATCHED_SUCCESS;
  step s = {.ctx = ctx, .steps = steps, .r = &r, .kd = g->kd, .band_alone = g->band_alone};
  int status = BATCHED_SUCCESS;
  for (int64_t first = 0; !status && first < r.x.n; first += g->kd) {
    const int left = r.x.n - (int)first;
    s.first = (int)first;
    s.now = s.last == r.turns ? r.turns + 1 : r.turns;
    s.rows = r.x.m - s.first;
    s.cols = left < g->kd ? left : g->kd;
    s.rest = left - s.cols;
    s.below = s.rows > g->kd ? s.rows - g->kd : 0;
    if (r.sizes.rows) status = steps->find_sizes(ctx, &g->a, s.first, g->kd, &r.sizes);
    if (!status && first == 0) status = steps->take_tall(ctx, &g->a, &r.x, r.largest);
    if (!status) status = reduce(&s);
    s.last = s.now;
  }
  return status ? status : steps->store_band(ctx, g, &r.x, &r.tauq, &r.taup, r.largest);
}

int batched_ge2gb_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_ge2gb_op, drive, args);
}
