/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Repeated and zero singular values and eigenvalues, in every row and type, over many matrices: an iteration that
 * stalls does so in a few of a thousand.  Values within 30 n eps of those that A was made with, |A - U diag(s) V^H| the
 * same.
 */
#include "batched/operations.h"
#include "tests/batched/lowrank/lowrank_case.h"

enum { LARGEST = 64, VALUES = 6 };

typedef struct problem {
  batched_type type;
  int n;
  int64_t count;
  bool hermitian;
  number *a;     /* count matrices, n x n, on the host */
  double *s;     /* their values, descending */
  void *where_a; /* A in the context's space */
} problem;

/* Value i of matrix b, descending. */
static double value_of(int64_t b, int i, int n)
{
  const int pair = (n - i - 1) / 2;
  switch (b % VALUES) {
  case 0: return i < n / 2 ? 3 : 1;
  case 1: return pair; /* the last 0 */
  case 2: return i == 0 ? 2 : 1;
  case 3: return i < 3 ? 3 : 1;
  case 4: return i < (n + 1) / 2 ? 1 : 0;
  default: return 1;
  }
}

/* X = (I - 2 v v^H / v^H v) X for n random v. */
static void reflect(batched_type type, int n, number *x)
{
  for (int turn = 0; turn < n; turn++) {
    number v[LARGEST];
    double norm = 0;
    for (int i = 0; i < n; i++) {
      v[i] = draw() + (batched_is_complex(type) ? draw() * I : 0);
      norm += creal(v[i] * conj(v[i]));
    }
    for (int j = 0; j < n; j++) {
      number dot = 0;
      for (int i = 0; i < n; i++) dot += conj(v[i]) * x[i + j * n];
      for (int i = 0; i < n; i++) x[i + j * n] -= 2 / norm * dot * v[i];
    }
  }
}

/* A = Q diag(s) Q^H, exactly Hermitian, or with another unitary matrix on the right. */
static void make_matrix(batched_type type, int n, const double *s, bool hermitian, number *a)
{
  number q[LARGEST * LARGEST] = {0}, qs[LARGEST * LARGEST];
  for (int i = 0; i < n; i++) q[i + i * n] = 1;
  reflect(type, n, q);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) qs[i + j * n] = q[i + j * n] * s[j];
  if (!hermitian) reflect(type, n, q);
  multiply(1, qs, n, n, q, true, n, 0, a);
  for (int j = 0; hermitian && j < n; j++) {
    a[j + (int64_t)j * n] = creal(a[j + (int64_t)j * n]);
    for (int i = j + 1; i < n; i++) a[j + (int64_t)i * n] = conj(a[i + (int64_t)j * n]);
  }
}

static problem make_problem(batched_type type, int n, int64_t count, bool hermitian)
{
  const int64_t elements = (int64_t)n * n * count;
  problem p = {.type = type, .n = n, .count = count, .hermitian = hermitian};
  p.a = calloc((size_t)elements, sizeof *p.a);
  p.s = calloc((size_t)(n * count), sizeof *p.s);
  void *image = malloc((size_t)elements * batched_element_bytes(type));
  assert_true(p.a && p.s && image);
  for (int64_t b = 0; b < count; b++) {
    number *a = p.a + b * n * n;
    for (int i = 0; i < n; i++) p.s[b * n + i] = value_of(b, i, n);
    make_matrix(type, n, p.s + b * n, hermitian, a);
    for (int64_t i = 0; i < (int64_t)n * n; i++) store_number(type, image, b * n * n + i, a[i]);
  }
  p.where_a = put_bytes(image, (size_t)elements * batched_element_bytes(type));
  free(image);
  return p;
}

static void free_problem(problem *p)
{
  release_all();
  free(p->a);
  free(p->s);
}

static batched_matrix square(const problem *p, void *data)
{
  return batched_make_strided(p->type, data, p->n, p->n, p->n, (int64_t)p->n * p->n, p->count);
}

/* Values w and A = U diag(w) V^H, or U diag(w) U^H; NULL: values alone. */
static void check(const problem *p, const char *op, const char *name, batched_matrix w, const void *u, const void *vt)
{
  const int n = p->n;
  const size_t bytes = (size_t)(n * n * p->count) * batched_element_bytes(p->type);
  const double allowed = 30 * n * eps_of(p->type);
  void *values = malloc((size_t)(n * p->count) * batched_element_bytes(w.type)), *left = malloc(bytes),
       *right = malloc(bytes);
  assert_true(values && left && right);
  assert_int_equal(batched_copy_to_host(ctx, values, w.data, (size_t)(n * p->count) * batched_element_bytes(w.type)),
                   0);
  if (u) assert_int_equal(batched_copy_to_host(ctx, left, u, bytes), 0);
  if (vt) assert_int_equal(batched_copy_to_host(ctx, right, vt, bytes), 0);
  for (int64_t b = 0; b < p->count; b++) {
    double worst = 0;
    for (int i = 0; i < n; i++) {
      const double s = creal(load_number(w.type, values, b * n + (p->hermitian ? n - 1 - i : i)));
      const double error = fabs(s - p->s[b * n + i]) / fmax(p->s[b * n], 1);
      worst = error <= worst ? worst : error;
    }
    for (int j = 0; u && j < n; j++)
      for (int i = 0; i < n; i++) {
        number r = p->a[b * n * n + i + (int64_t)j * n];
        for (int k = 0; k < n; k++) {
          const number other = p->hermitian ? conj(load_number(p->type, left, b * n * n + j + (int64_t)k * n))
                                            : load_number(p->type, right, b * n * n + k + (int64_t)j * n);
          r -=
            load_number(p->type, left, b * n * n + i + (int64_t)k * n) * load_number(w.type, values, b * n + k) * other;
        }
        const double error = cabs(r) / fmax(p->s[b * n], 1);
        worst = error <= worst ? worst : error;
      }
    if (!(worst <= allowed)) fail_msg("%s by %s, %c, n %d, matrix %d: %g", op, name, "sdcz"[p->type], n, (int)b, worst);
  }
  free(values);
  free(left);
  free(right);
}

static void check_info(const problem *p, const char *op, const char *name, const int *where)
{
  int *info = malloc((size_t)p->count * sizeof *info);
  assert_non_null(info);
  get_ints(info, where, (int)p->count);
  for (int64_t b = 0; b < p->count; b++)
    if (info[b]) fail_msg("%s by %s, %c, n %d, matrix %d: info %d", op, name, "sdcz"[p->type], p -> n, (int)b, info[b]);
  free(info);
}

typedef int solver(const problem *p, batched_job job, batched_matrix w, batched_matrix u, batched_matrix vt, int *found,
                   int *info);

static int by_gesvd(const problem *p, batched_job job, batched_matrix w, batched_matrix u, batched_matrix vt,
                    int *found, int *info)
{
  (void)found;
  return batched_gesvd(ctx, job, square(p, p->where_a), w, u, vt, info);
}

static int by_gesvdx(const problem *p, batched_job job, batched_matrix w, batched_matrix u, batched_matrix vt,
                     int *found, int *info)
{
  return batched_gesvdx(ctx, job, BATCHED_ALL, square(p, p->where_a), 0, 0, 0, 0, found, w, u, vt, info);
}

static int by_heev(const problem *p, batched_job job, batched_matrix w, batched_matrix u, batched_matrix vt, int *found,
                   int *info)
{
  (void)vt, (void)found;
  const int status = batched_copy(ctx, square(p, p->where_a), u);
  return status ? status : batched_heev(ctx, job, BATCHED_LOWER, u, w, info);
}

static int by_heevx(const problem *p, batched_job job, batched_matrix w, batched_matrix u, batched_matrix vt,
                    int *found, int *info)
{
  (void)vt;
  return batched_heevx(ctx, job, BATCHED_ALL, BATCHED_UPPER, square(p, p->where_a), 0, 0, 0, 0, found, w, u, info);
}

static void try_rows(const batched_op *op, solver *solve, const problem *p)
{
  const int n = p->n;
  const size_t bytes = (size_t)(n * n * p->count) * batched_element_bytes(p->type);
  void *u = take(bytes), *vt = take(bytes), *values = take(bytes);
  int *info = take((size_t)p->count * sizeof *info), *found = take((size_t)p->count * sizeof *found);
  const batched_matrix w = batched_make_strided(batched_real_type(p->type), values, n, 1, n, n, p->count);
  for (int row = 0; row_of(op, row); row++) {
    const char *name = row_of(op, row);
    assert_int_equal(batched_select(ctx, op, name), 0);
    for (int with = 0; with < 2; with++) {
      const int status = solve(p, with ? BATCHED_VECTORS : BATCHED_VALUES, w, square(p, u), square(p, vt), found, info);
      if (status == BATCHED_DOES_NOT_FIT) continue;
      assert_int_equal(status, 0);
      check_info(p, op->name, name, info);
      check(p, op->name, name, w, with ? u : NULL, with && !p->hermitian ? vt : NULL);
    }
  }
  assert_int_equal(batched_select(ctx, op, "auto"), 0);
}

static void try_sizes(bool hermitian, const batched_op *op, solver *solve, const batched_op *other, solver *solve_other)
{
  static const int sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17, 32, 33, 64};
  for (int type = 0; type < 4; type++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      const int n = sizes[i];
      problem p = make_problem((batched_type)type, n, n < 10 ? 600 : n < 20 ? 120 : 12, hermitian);
      try_rows(op, solve, &p);
      try_rows(other, solve_other, &p);
      free_problem(&p);
    }
}

static void test_singular_values(void **unused)
{
  (void)unused;
  try_sizes(false, &batched_gesvd_op, by_gesvd, &batched_gesvdx_op, by_gesvdx);
}

static void test_eigenvalues(void **unused)
{
  (void)unused;
  try_sizes(true, &batched_heev_op, by_heev, &batched_heevx_op, by_heevx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_singular_values), cmocka_unit_test(test_eigenvalues)};
  return lowrank_main(argc, argv, tests);
}
