/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heev and gesvd of orders to 1024 (on the host 257) against the values that the matrices were made with: even ones,
 * clusters, repeated and zero ones, graded ones, and a bad matrix among them.  Values with vectors and alone within 30
 * n eps |A|; |A - U diag(s) V^H| and the orthogonality of the vectors to the same; signs, where they are fixed.  And
 * 262144 matrices: every one as its copies, bit by bit.
 */
#include "batched/batched_estimate.h"
#include "batched/operations.h"
#include "tests/batched/lowrank/lowrank_case.h"

enum { MATRICES = 6, BAD = 4 }; /* BAD: the matrix with a NaN */

typedef struct problem {
  batched_type type;
  int m, n; /* m >= n */
  bool hermitian;
  double s[MATRICES][1024]; /* descending */
  batched_matrix a;
} problem;

static double value_of(int b, int i, int n, double eps)
{
  switch (b) {
  case 0: return 1 - (double)i / n;
  case 1: return (i < n / 2 ? 1 : .5) - i % 16 * eps;
  case 2: return i < n / 3 ? 1 : i < n / 2 ? .25 : 0;
  case 3: return pow(eps * eps, (double)i / n);
  default: return i == 0 ? 1 : .5;
  }
}

static int compare(const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;
  return (a < b) - (a > b);
}

static void draw_vector(batched_type type, int n, number *v)
{
  for (int i = 0; i < n; i++) v[i] = draw() + (batched_is_complex(type) ? draw() * I : 0);
}

/* H X, or X H, of an m x n X, with H = I - 2 v v^H / v^H v. */
static void reflect(const number *v, bool left, int m, int n, number *x)
{
  const int length = left ? m : n, lines = left ? n : m;
  const int64_t step = left ? 1 : m, next = left ? m : 1;
  double norm = 0;
  for (int i = 0; i < length; i++) norm += creal(v[i] * conj(v[i]));
  for (int l = 0; l < lines; l++) {
    number *const line = x + l * next, dot = 0;
    for (int i = 0; i < length; i++) dot += (left ? conj(v[i]) : v[i]) * line[i * step];
    for (int i = 0; i < length; i++) line[i * step] -= 2 / norm * dot * (left ? v[i] : conj(v[i]));
  }
}

/* H1 H2 diag(s) H2 H1, or with two other reflections on the right. */
static void make_matrix(const problem *p, const double *s, number *a)
{
  number *const v = malloc(sizeof *v * (size_t)p->m);
  assert_non_null(v);
  for (int64_t i = 0; i < (int64_t)p->m * p->n; i++) a[i] = 0;
  for (int i = 0; i < p->n; i++) a[i + (int64_t)i * p->m] = s[i];
  for (int turn = 0; turn < 2; turn++) {
    draw_vector(p->type, p->m, v);
    reflect(v, true, p->m, p->n, a);
    if (!p->hermitian) draw_vector(p->type, p->n, v);
    reflect(v, false, p->m, p->n, a);
  }
  free(v);
}

static problem *make_problem(batched_type type, int m, int n, bool hermitian)
{
  problem *const p = malloc(sizeof *p);
  const int64_t each = (int64_t)m * n;
  number *const a = malloc(sizeof *a * (size_t)each);
  char *const image = malloc((size_t)(each * MATRICES) * batched_element_bytes(type));
  assert_true(p && a && image);
  *p = (problem){.type = type, .m = m, .n = n, .hermitian = hermitian};
  for (int b = 0; b < MATRICES; b++) {
    for (int i = 0; i < n; i++) p->s[b][i] = value_of(b, i, n, eps_of(type)) * (hermitian && i % 3 == 1 ? -1 : 1);
    make_matrix(p, p->s[b], a);
    if (b == BAD) a[n - 1] = NAN;
    qsort(p->s[b], (size_t)n, sizeof(double), compare);
    for (int64_t i = 0; i < each; i++) store_number(type, image, b * each + i, a[i]);
  }
  p->a = batched_make_strided(type, put_bytes(image, (size_t)(each * MATRICES) * batched_element_bytes(type)), m, n, m,
                              each, MATRICES);
  free(image);
  free(a);
  return p;
}

static void free_problem(problem *p)
{
  release_all();
  free(p);
}

static batched_matrix new_matrices(batched_type type, int m, int n, int64_t count)
{
  void *const data = take((size_t)m * (size_t)n * (size_t)count * batched_element_bytes(type));
  return batched_make_strided(type, data, m, n, m, (int64_t)m * n, count);
}

static void *fetch(batched_matrix a)
{
  const size_t bytes = (size_t)a.stride * (size_t)a.count * batched_element_bytes(a.type);
  void *const x = malloc(bytes);
  assert_non_null(x);
  assert_int_equal(batched_copy_to_host(ctx, x, a.data, bytes), 0);
  return x;
}

/* The Frobenius norms of x, less I where `identity`. */
static void find_norms(batched_matrix x, bool identity, double *norms)
{
  void *const host = fetch(x);
  for (int64_t b = 0; b < x.count; b++) {
    norms[b] = 0;
    for (int64_t i = 0; i < x.stride; i++) {
      const number e = load_number(x.type, host, b * x.stride + i) - (identity && i % x.m == i / x.m);
      norms[b] += creal(e * conj(e));
    }
    norms[b] = sqrt(norms[b]);
  }
  free(host);
}

static void require(const problem *p, const char *row, int b, const char *what, double error)
{
  if (!(error <= 30 * p->m * eps_of(p->type)))
    fail_msg("%s by %s, %c, %d x %d, matrix %d: %s %g", p->hermitian ? "heev" : "gesvd", row, "sdcz"[p->type], p -> m,
             p -> n, b, what, error);
}

/* Info is positive for the bad matrix alone, and values are as they should be. */
static void check_values(const problem *p, const char *row, batched_matrix s, const int *info)
{
  int found[MATRICES];
  void *const values = fetch(s);
  get_ints(found, info, MATRICES);
  for (int b = 0; b < MATRICES; b++) {
    if (b == BAD) {
      assert_true(found[b] > 0 && isnan(creal(load_number(s.type, values, b * s.stride))));
      continue;
    }
    assert_int_equal(found[b], 0);
    for (int i = 0; i < p->n; i++) {
      const double value = creal(load_number(s.type, values, b * s.stride + (p->hermitian ? p->n - 1 - i : i)));
      require(p, row, b, "value", fabs(value - p->s[b][i]));
    }
  }
  free(values);
}

/* X^H X - I, or X X^H - I. */
static void check_orthogonality(const problem *p, const char *row, batched_matrix x, bool rows)
{
  const int n = rows ? x.m : x.n;
  const batched_matrix g = new_matrices(x.type, n, n, x.count);
  double norms[MATRICES];
  assert_int_equal(batched_gemm(ctx, rows ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS,
                                rows ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, batched_real(1), x, x, batched_real(0),
                                g),
                   0);
  find_norms(g, true, norms);
  for (int b = 0; b < MATRICES; b++)
    if (b != BAD) require(p, row, b, "orthogonality", norms[b]);
}

/* A - U diag(s) V^H; vt: NULL: of the eigenvectors U. */
static void check_vectors(const problem *p, const char *row, batched_matrix s, batched_matrix u,
                          const batched_matrix *vt)
{
  const batched_matrix r = new_matrices(p->type, p->m, p->n, MATRICES), us = new_matrices(p->type, u.m, u.n, MATRICES);
  double norms[MATRICES];
  void *const values = fetch(s), *const scaled = fetch(u);
  for (int64_t i = 0; i < u.stride * MATRICES; i++) {
    const number x = load_number(p->type, scaled, i);
    store_number(p->type, scaled, i, x * load_number(s.type, values, i / u.stride * s.stride + i % u.stride / u.m));
  }
  assert_int_equal(
    batched_copy_from_host(ctx, us.data, scaled, (size_t)(u.stride * MATRICES) * batched_element_bytes(p->type)), 0);
  assert_int_equal(batched_copy(ctx, p->a, r), 0);
  assert_int_equal(batched_gemm(ctx, BATCHED_NO_TRANS, vt ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, batched_real(-1), us,
                                vt ? *vt : u, batched_real(1), r),
                   0);
  find_norms(r, false, norms);
  for (int b = 0; b < MATRICES; b++)
    if (b != BAD) require(p, row, b, "residual", norms[b]);
  check_orthogonality(p, row, u, false);
  if (vt) check_orthogonality(p, row, *vt, true);
  free(values);
  free(scaled);
}

/* Of the components of each column that are largest but for rounding, one is real and positive. */
static void check_signs(const problem *p, const char *row, batched_matrix u)
{
  void *const vectors = fetch(u);
  for (int64_t line = 0; line < (int64_t)u.n * MATRICES; line++) {
    const double slack = 100 * eps_of(p->type);
    double most = 0;
    bool good = line / u.n == BAD;
    for (int64_t i = line * u.m; i < (line + 1) * u.m; i++) most = fmax(most, cabs(load_number(p->type, vectors, i)));
    for (int64_t i = line * u.m; i < (line + 1) * u.m; i++) {
      const number x = load_number(p->type, vectors, i);
      good = good || (creal(x) >= most * (1 - slack) && fabs(cimag(x)) <= slack);
    }
    require(p, row, (int)(line / u.n), "sign", good ? 0 : 1);
  }
  free(vectors);
}

static int solve(const problem *p, batched_job job, batched_matrix s, batched_matrix u, batched_matrix vt, int *info)
{
  if (!p->hermitian) return batched_gesvd(ctx, job, p->a, s, u, vt, info);
  const int status = batched_copy(ctx, p->a, u);
  return status ? status : batched_heev(ctx, job, BATCHED_LOWER, u, s, info);
}

static void try_order(batched_type type, int m, int n, bool hermitian, const char *const *rows)
{
  const batched_op *const op = hermitian ? &batched_heev_op : &batched_gesvd_op;
  problem *const p = make_problem(type, m, n, hermitian);
  const int first = nblocks;
  for (int i = 0; rows[i]; i++) {
    if (strcmp(rows[i], "auto") != 0 && strncmp(rows[i], space == BATCHED_HOST ? "host." : "cuda.", 5) != 0) continue;
    const batched_matrix s = new_matrices(batched_real_type(type), n, 1, MATRICES);
    const batched_matrix u = new_matrices(type, m, n, MATRICES), vt = new_matrices(type, n, n, MATRICES);
    int *const info = take(MATRICES * sizeof *info);
    assert_int_equal(batched_select(ctx, op, rows[i]), 0);
    assert_int_equal(solve(p, BATCHED_VALUES, s, u, vt, info), 0);
    check_values(p, rows[i], s, info);
    assert_int_equal(solve(p, BATCHED_VECTORS, s, u, vt, info), 0);
    check_values(p, rows[i], s, info);
    check_vectors(p, rows[i], s, u, hermitian ? NULL : &vt);
    assert_int_equal(solve(p, BATCHED_SIGNED_VECTORS, s, u, vt, info), 0);
    check_vectors(p, rows[i], s, u, hermitian ? NULL : &vt);
    check_signs(p, rows[i], u);
    while (nblocks > first) batched_release(ctx, blocks[--nblocks]);
  }
  assert_int_equal(batched_select(ctx, op, "auto"), 0);
  free_problem(p);
}

static const char *const rows_that_reduce[] = {"auto",          "host.composed",  "host.two_stage",
                                               "cuda.composed", "cuda.two_stage", NULL};

static void test_eigenvalues(void **unused)
{
  (void)unused;
  for (int type = 0; type < 4; type++) {
    try_order((batched_type)type, space == BATCHED_HOST ? 130 : 257, space == BATCHED_HOST ? 130 : 257, true,
              rows_that_reduce);
    if (space == BATCHED_CUDA) try_order((batched_type)type, 512, 512, true, rows_that_reduce);
    if (space == BATCHED_CUDA && type != BATCHED_D) try_order((batched_type)type, 641, 641, true, rows_that_reduce);
  }
  try_order(BATCHED_D, 257, 257, true, rows_that_reduce);
  if (space == BATCHED_CUDA) try_order(BATCHED_D, 1024, 1024, true, rows_that_reduce);
}

static void test_singular_values(void **unused)
{
  (void)unused;
  for (int type = 0; type < 4; type++) {
    try_order((batched_type)type, space == BATCHED_HOST ? 130 : 300, space == BATCHED_HOST ? 120 : 257, false,
              rows_that_reduce);
    if (space == BATCHED_CUDA) try_order((batched_type)type, 512, 512, false, rows_that_reduce);
    if (space == BATCHED_CUDA && type != BATCHED_D) try_order((batched_type)type, 770, 641, false, rows_that_reduce);
  }
  try_order(BATCHED_D, 257, 257, false, rows_that_reduce);
  if (space == BATCHED_CUDA) try_order(BATCHED_D, 1024, 1024, false, rows_that_reduce);
}

/* `count` matrices, copies of a few: each result has the bits of the first one of its kind. */
static void try_many(batched_type type, int n, int64_t count, bool hermitian)
{
  enum { FEW = 64 };
  const int64_t each = (int64_t)n * n;
  const size_t element = batched_element_bytes(type), few = (size_t)(each * FEW) * element;
  const batched_matrix a = new_matrices(type, n, n, count), u = new_matrices(type, n, n, count);
  const batched_matrix vt = hermitian ? (batched_matrix){0} : new_matrices(type, n, n, count);
  const batched_matrix s = new_matrices(batched_real_type(type), n, 1, count);
  int *const info = take((size_t)count * sizeof *info);
  char *const image = malloc(few);
  assert_non_null(image);
  for (int64_t i = 0; i < each * FEW; i++) {
    const bool real = !batched_is_complex(type) || (hermitian && i % each % (n + 1) == 0);
    store_number(type, image, i, draw() + (real ? 0 : draw() * I));
  }
  assert_int_equal(batched_copy_from_host(ctx, a.data, image, few), 0);
  free(image);
  for (int64_t done = FEW; done < count; done *= 2)
    assert_int_equal(batched_copy_within(ctx, (char *)a.data + (size_t)(done * each) * element, a.data,
                                         (size_t)((count - done < done ? count - done : done) * each) * element),
                     0);
  if (hermitian) {
    assert_int_equal(batched_copy(ctx, a, u), 0);
    assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, u, s, info), 0);
  } else {
    assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, s, u, vt, info), 0);
  }
  const batched_matrix results[] = {s, u, vt};
  for (int r = 0; r < (hermitian ? 2 : 3); r++) {
    const size_t bytes = (size_t)(results[r].stride * FEW) * batched_element_bytes(results[r].type);
    char *const all = fetch(results[r]);
    for (int64_t first = FEW; first < count; first += FEW)
      if (memcmp(all + (size_t)(first / FEW) * bytes, all, bytes) != 0)
        fail_msg("%s, %c, n %d: matrices from %lld on differ from their copies", hermitian ? "heev" : "gesvd",
                 "sdcz"[type], n, (long long)first);
    free(all);
  }
  int *const found = malloc((size_t)count * sizeof *found);
  assert_non_null(found);
  assert_int_equal(batched_copy_to_host(ctx, found, info, (size_t)count * sizeof *found), 0);
  for (int64_t b = 0; b < count; b++) assert_int_equal(found[b], 0);
  free(found);
  release_all();
}

/* On a GPU of 3 x 3 and 32 x 32, and of 33 x 33, where reductions take workspace: that of parts of the batch. */
static void test_many(void **unused)
{
  (void)unused;
  const int64_t many = 262144;
  for (int hermitian = 0; hermitian < 2; hermitian++) {
    for (int type = 0; type < 4; type++) try_many((batched_type)type, 3, many, hermitian);
    try_many(BATCHED_D, 32, space == BATCHED_HOST ? 4096 : many, hermitian);
  }
  if (space == BATCHED_HOST) return;
  batched_ctx *const other = ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  double *const nowhere = (double *)4096;
  size_t foreseen;
  assert_int_equal(batched_begin_estimate(ctx), 0);
  assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER,
                                batched_strided(nowhere, 33, 33, 33, 33 * 33, many),
                                batched_strided(nowhere, 33, 1, 33, 33, many), (int *)nowhere),
                   0);
  assert_int_equal(batched_end_estimate(ctx, &foreseen), 0);
  assert_true(foreseen < (size_t)3 << 32);
  try_many(BATCHED_D, 33, many, true);
  assert_int_equal(batched_workspace(ctx), foreseen);
  batched_destroy(&ctx);
  ctx = other;
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_eigenvalues), cmocka_unit_test(test_singular_values),
                                     cmocka_unit_test(test_many)};
  return lowrank_main(argc, argv, tests);
}
