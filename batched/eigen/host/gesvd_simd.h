/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One-sided Jacobi.  x holds A, whose columns are made orthogonal; or, if A is wide, its rows: the columns of A^T =
 * U1 S V1^H, and A = conj(V1) S U1^T.  Element (i, j) of that tall matrix is x[i * row + j * col].
 */
#include "batched/eigen/host/jacobi_simd.h"

/* The matrix is scaled to have a largest element of about LIFT, so that the fourth powers in a rotation neither over-
 * nor underflow.  Below the squared norm TINY a column counts as zero. */
#define LIFT (sizeof(R) == 4 ? 0x1p15f : (R)0x1p125)
#define TINY (sizeof(R) == 4 ? 0x1p-32f : (R)0x1p-250)

typedef struct NAME(tall) {
  int rows, k;
  int64_t row, col;
} NAME(tall);

ALWAYS_INLINE MASK NAME(rotate_pair)(NAME(tall) s, int p, int q, ELEM *x, ELEM *v)
{
  ELEM *xp = x + p * s.col, *xq = x + q * s.col, dot = NAME(make)((VEC){0});
  VEC pp = {0}, qq = {0};
  for (int i = 0; i < s.rows; i++) {
    const ELEM a = xp[i * s.row], b = xq[i * s.row];
    pp += NAME(square)(a);
    qq += NAME(square)(b);
    dot = NAME(plus)(dot, NAME(times)(NAME(conjugate)(a), b));
  }
  const VEC g2 = NAME(square)(dot);
  const R tolerance = EPS * (s.rows <= 16 ? 2 : SQRT((R)s.rows) / 2);
  const MASK active = (g2 > tolerance * tolerance * (pp * qq)) & (pp >= TINY) & (qq >= TINY);
  if (!SIMD(any)(active)) return active;
  VEC shift;
  const NAME(rotor) r = NAME(make_rotor)(pp, qq, dot, g2, active, &shift);
  NAME(rotate_columns)(s.rows, &r, xp, xq, s.row);
  if (v) NAME(rotate_columns)(s.k, &r, v + p * s.k, v + q * s.k, 1);
  return active;
}

/* The lanes that did not converge. */
ALWAYS_INLINE MASK NAME(orthogonalize_lanes)(NAME(tall) s, ELEM *x, ELEM *v)
{
  MASK active = {0};
  for (int sweep = 0; sweep < NAME(MAX_SWEEPS); sweep++) {
    active = (MASK){0};
    for (int p = 0; p < s.k - 1; p++)
      for (int q = p + 1; q < s.k; q++) active |= NAME(rotate_pair)(s, p, q, x, v);
    if (!SIMD(any)(active)) break;
  }
  return active;
}

/* Orders 2 and 3 without loops, in registers. */
ALWAYS_INLINE MASK NAME(orthogonalize_2)(ELEM *x, ELEM *v)
{
  const NAME(tall) s = {2, 2, 1, 2};
  MASK active = {0};
  for (int sweep = 0; sweep < NAME(MAX_SWEEPS); sweep++) {
    active = NAME(rotate_pair)(s, 0, 1, x, v);
    if (!SIMD(any)(active)) break;
  }
  return active;
}

ALWAYS_INLINE MASK NAME(orthogonalize_3)(ELEM *x, ELEM *v)
{
  const NAME(tall) s = {3, 3, 1, 3};
  MASK active = {0};
  for (int sweep = 0; sweep < NAME(MAX_SWEEPS); sweep++) {
    active = NAME(rotate_pair)(s, 0, 1, x, v) | NAME(rotate_pair)(s, 0, 2, x, v) | NAME(rotate_pair)(s, 1, 2, x, v);
    if (!SIMD(any)(active)) break;
  }
  return active;
}

static MASK NAME(orthogonalize_group)(NAME(tall) s, ELEM *x, ELEM *v)
{
  ELEM sx[9], sv[9];
  MASK failed;
  if (s.rows != s.k || (s.k != 2 && s.k != 3)) return NAME(orthogonalize_lanes)(s, x, v);
  for (int i = 0; i < s.k * s.k; i++) {
    sx[i] = x[i];
    sv[i] = v ? v[i] : x[i];
  }
  if (s.k == 2)
    failed = v ? NAME(orthogonalize_2)(sx, sv) : NAME(orthogonalize_2)(sx, NULL);
  else
    failed = v ? NAME(orthogonalize_3)(sx, sv) : NAME(orthogonalize_3)(sx, NULL);
  for (int i = 0; i < s.k * s.k; i++) {
    x[i] = sx[i];
    if (v) v[i] = sv[i];
  }
  return failed;
}

/* Brings the largest element near `lift`, and replaces the lanes with a NaN or an infinity by zeros; tells which. */
static MASK NAME(prepare)(int64_t count, R lift, ELEM *x, VEC *scale)
{
  MASK bad = {0};
  VEC largest = {0}, inverse;
  for (int64_t i = 0; i < count; i++) {
    bad |= NAME(not_finite)(x[i]);
    largest = SIMD(max)(NAME(magnitude)(x[i]), largest);
  }
  largest = SIMD(select)(bad, SIMD(splat)(1), largest);
  SIMD(power_of_two)(largest, scale, &inverse);
  for (int64_t i = 0; i < count; i++)
    x[i] = NAME(choose)(bad, NAME(make)((VEC){0}), NAME(scaled)(NAME(scaled)(x[i], inverse), SIMD(splat)(lift)));
  return bad;
}

/* Norms of the columns into w, sorted; columns become unit vectors unless they count as zero.  rank[l]: how many
 * are. */
static void NAME(normalize)(NAME(tall) s, ELEM *x, VEC *w, MASK *from, MASK *rank)
{
  *rank = (MASK){0};
  for (int j = 0; j < s.k; j++) {
    VEC norm2 = {0};
    for (int i = 0; i < s.rows; i++) norm2 += NAME(square)(x[i * s.row + j * s.col]);
    const MASK good = norm2 >= TINY;
    w[j] = SIMD(sqrt)(norm2);
    *rank -= good;
    const VEC inverse = 1 / SIMD(select)(good, w[j], SIMD(splat)(1));
    for (int i = 0; i < s.rows; i++) x[i * s.row + j * s.col] = NAME(scaled)(x[i * s.row + j * s.col], inverse);
  }
  NAME(sort_lanes)(s.k, w, from, false);
}

/* Lane l's vectors, into the rows or columns where they belong. */
static void NAME(store_lane)(const batched_gesvd_args *g, int64_t b, int l, bool wide, NAME(tall) s, const ELEM *x,
                             const ELEM *v, const MASK *from, int rank)
{
  T *u = batched_at(&g->u, b), *vt = batched_at(&g->vt, b);
  const int64_t ldu = batched_ld(&g->u, b), ldvt = batched_ld(&g->vt, b);
  for (int j = 0; j < s.k; j++) {
    const ELEM *xj = x + from[j][l] * s.col, *vj = v + from[j][l] * s.k;
    for (int i = 0; i < s.rows; i++) *(wide ? &vt[j + i * ldvt] : &u[i + j * ldu]) = NAME(lane)(&xj[i * s.row], l);
    for (int i = 0; i < s.k; i++)
      *(wide ? &u[i + j * ldu] : &vt[j + i * ldvt]) = CONJ(NAME(lane)(&vj[i], l)) + FROM(0, 0);
  }
  if (rank < s.k) {
    if (wide)
      NAME(complete)(s.rows, s.k, rank, vt, ldvt, 1);
    else
      NAME(complete)(s.rows, s.k, rank, u, 1, ldu);
  }
}

/* Stores info and values of matrix b, lane l, and NaN for its vectors where it failed; true: its vectors remain. */
static bool NAME(store_values)(const batched_gesvd_args *g, int64_t b, int l, MASK failed, int k, const VEC *w)
{
  const int64_t inc = batched_increment(&g->s, b);
  R *to = batched_at(&g->s, b);
  g->info[b] = failed[l] ? k : 0;
  for (int j = 0; j < k; j++) to[j * inc] = failed[l] ? (R)__builtin_nan("") : w[j][l];
  if (g->job != BATCHED_VECTORS) return false;
  if (!failed[l]) return true;
  NAME(fill_nan)(batched_rows(&g->a, b), k, batched_at(&g->u, b), batched_ld(&g->u, b));
  NAME(fill_nan)(k, batched_cols(&g->a, b), batched_at(&g->vt, b), batched_ld(&g->vt, b));
  return false;
}

/* Room for a group: x for a matrix, v (NULL where there are no vectors) for a square one, w and from for a vector. */
static void NAME(solve_by_jacobi)(const batched_gesvd_args *g, const batched_group *group, ELEM *x, ELEM *v, VEC *w,
                                  MASK *from)
{
  const int m = group->m, n = group->n;
  const NAME(tall) s = {batched_max(m, n), batched_min(m, n), m < n ? m : 1, m < n ? 1 : m};
  NAME(matrices) a;
  MASK rank;
  VEC scale;
  NAME(matrices_of)(&g->a, group, &a);
  NAME(pack)(&a, 0, 0, m, n, NAME(is_dense)(&a, m), x);
  MASK failed = NAME(prepare)((int64_t)m * n, LIFT, x, &scale);
  if (v) NAME(set_unit)(s.k, v);
  failed |= NAME(orthogonalize_group)(s, x, v);
  NAME(normalize)(s, x, w, from, &rank);
  for (int j = 0; j < s.k; j++) w[j] = w[j] * (1 / LIFT) * scale;
  for (int l = 0; l < group->active; l++)
    if (NAME(store_values)(g, group->index[l], l, failed, s.k, w))
      NAME(store_lane)(g, group->index[l], l, m < n, s, x, v, from, (int)rank[l]);
}

static int NAME(simd)(batched_ctx *ctx, const batched_gesvd_args *g)
{
  const size_t rows = (size_t)batched_max(g->a.m, g->a.n), most = (size_t)batched_min(g->a.m, g->a.n);
  batched_groups groups;
  batched_group group;
  int status = batched_groups_begin(ctx, &groups, &g->a, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, (rows + most) * most * sizeof(ELEM) + most * (sizeof(VEC) + sizeof(MASK)));
  ELEM *const v = g->job == BATCHED_VECTORS ? x + rows * most : NULL;
  VEC *w = (VEC *)(x + (rows + most) * most);
  while (x && batched_groups_next(&groups, &group)) NAME(solve_by_jacobi)(g, &group, x, v, w, (MASK *)(w + most));
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#undef LIFT
#undef TINY
#include "batched/eigen/host/gesvd_simd_qr.h"
#undef SMALL
#include "batched/host/lanes_end.h"
