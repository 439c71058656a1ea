/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the physics at a point needs of small matrices: eigenpairs, singular values, adjugates.
 */
#include "tests/fem/point/point_case.h"

/* Q diag(d) Q^T with a random rotation Q. */
static void with_eigenvalues(int dim, const double *d, double *a, uint64_t *state)
{
  memset(a, 0, 9 * sizeof *a);
  for (int i = 0; i < dim; i++) a[i * dim + i] = d[i];
  for (int p = 0; p < dim; p++)
    for (int q = p + 1; q < dim; q++) {
      const double angle = M_PI * sample_uniform(state), c = cos(angle), s = sin(angle);
      for (int i = 0; i < dim; i++) {
        const double x = a[i * dim + p], y = a[i * dim + q];
        a[i * dim + p] = c * x - s * y, a[i * dim + q] = s * x + c * y;
      }
      for (int i = 0; i < dim; i++) {
        const double x = a[p * dim + i], y = a[q * dim + i];
        a[p * dim + i] = c * x - s * y, a[q * dim + i] = s * x + c * y;
      }
    }
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < i; j++) a[i * dim + j] = a[j * dim + i];
}

/* The value to a few eps of the norm, a unit vector, a small residual: whatever the scale. */
static void check_eigenpair(int dim, const double *a)
{
  double s[3] = {NAN, NAN, NAN}, norm = 0.0, length = 0.0;
  long double copy[3][3], w[3];
  const double mu = point_smallest_eigenpair(dim, a, s);
  for (int i = 0; i < dim * dim; i++) norm = fmax(norm, fabs(a[i]));
  for (int i = 0; i < dim * dim; i++) copy[i / dim][i % dim] = norm > 0.0 ? (long double)a[i] / norm : 0.0L;
  eigenvalues(dim, copy, w);
  for (int i = 0; i < dim; i++) length += s[i] * s[i];
  assert_near(length, 1.0, 20 * DBL_EPSILON);
  if (norm < DBL_MIN) { // as good as zero
    assert_near(mu, 0.0, 3 * norm);
    return;
  }
  assert_near(mu / norm, (double)w[0], 10 * DBL_EPSILON);
  for (int i = 0; i < dim; i++) {
    long double residual = -(long double)mu * s[i];
    for (int j = 0; j < dim; j++) residual += (long double)a[i * dim + j] * s[j];
    assert_near((double)(residual / norm), 0.0, 20 * DBL_EPSILON);
  }
}

static void eigenpairs_at_any_scale(void **state)
{
  (void)state;
  uint64_t random = 1;
  for (int dim = 1; dim <= 3; dim++)
    for (int scale = 0; scale < NSCALES; scale++)
      for (int i = 0; i < 200; i++) {
        double a[9] = {0};
        random_symmetric(dim, a, &random);
        for (int j = 0; j < dim * dim; j++) a[j] *= scales[scale];
        check_eigenpair(dim, a);
      }
}

/* Double and nearly double eigenvalues, rank one, entries of very different size. */
static void eigenpairs_in_hard_cases(void **state)
{
  (void)state;
  const double cases[][3] = {{1, 1, 1},     {-1, -1, 1},        {-1, 1, 1},       {0, 0, 1},
                             {0, 0, -1},    {1, 1 + 1e-15, 2},  {1, 1 + 1e-8, 2}, {-1, -1 + 1e-12, 0},
                             {1e-16, 1, 1}, {-1e-16, 1e-16, 1}, {1, 1e8, 1e16},   {-1, 1e-10, 1e-20}};
  uint64_t random = 2;
  for (int dim = 2; dim <= 3; dim++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      for (int scale = 0; scale < NSCALES; scale++)
        for (int turn = 0; turn < 20; turn++) {
          double a[9];
          with_eigenvalues(dim, cases[i], a, &random);
          for (int j = 0; j < dim * dim; j++) a[j] *= fabs(scales[scale]) > 1e250 ? 1e250 : scales[scale];
          check_eigenpair(dim, a);
        }
}

/* The closed form answers for eigenvalues that are apart and leaves close ones to Jacobi; both are as accurate on
 * either side of where they meet. */
static void closed_form_where_eigenvalues_are_apart(void **state)
{
  (void)state;
  uint64_t random = 9;
  for (int k = 0; k < 50; k++)
    for (int third = 0; third < 3; third++)
      for (int turn = 0; turn < 40; turn++) {
        const double gap = exp2(-k), more[3] = {0.0, gap, 0.7}, d[3] = {-0.3, -0.3 + gap, -0.3 + gap + more[third]};
        double a[9], s[3], lowest;
        with_eigenvalues(3, d, a, &random);
        check_eigenpair(3, a);
        const point_symmetric m = {a[0], a[4], a[8], a[1], a[2], a[5]};
        const bool sure = point_closed_3(&m, &lowest, s);
        if (k < 8) assert_true(sure);
        if (k > 14) assert_false(sure);
      }
}

/* Diagonal matrices: axes to the last bit; on ties the first of them. */
static void eigenvectors_on_axes(void **state)
{
  (void)state;
  const double diagonals[][4] = {{3, 2, 1, 2}, {1, 2, 3, 0}, {2, 1, 3, 1}, {1, 1, 2, 0},  {2, 1, 1, 1},
                                 {1, 2, 1, 0}, {5, 5, 5, 0}, {0, 0, 0, 0}, {-1, 0, 0, 0}, {0, 0, -1, 2}};
  for (size_t i = 0; i < sizeof diagonals / sizeof *diagonals; i++)
    for (int dim = 1; dim <= 3; dim++) {
      double a[9] = {0}, s[3];
      int first = 0;
      for (int d = 0; d < dim; d++) {
        a[d * dim + d] = diagonals[i][d];
        if (diagonals[i][d] < diagonals[i][first]) first = d;
      }
      assert_true(point_smallest_eigenpair(dim, a, s) == diagonals[i][first]);
      for (int d = 0; d < dim; d++) assert_true(s[d] == (d == first));
      if (dim == 3) assert_int_equal(first, (int)diagonals[i][3]);
    }
}

/* To a relative error of a few eps of the determinant's terms, so down to tiny singular values. */
static void singular_values_by_jacobi(void **state)
{
  (void)state;
  uint64_t random = 3;
  const double moderate[] = {1.0, 1e-3, 1e-30, 1e30, 1e-90, 1e90};
  for (int dim = 1; dim <= 3; dim++)
    for (int scale = 0; scale < 6; scale++)
      for (int i = 0; i < 400; i++) {
        double a[9];
        long double w[3];
        random_matrix(dim * dim, a, &random);
        for (int j = 0; j < dim * dim; j++) a[j] *= moderate[scale];
        singular_values(dim, a, w);
        const double smallest = (double)w[dim - 1], largest = (double)w[0];
        assert_near(smallest_singular(dim, a), smallest, 30 * DBL_EPSILON * largest);
      }
}

/* A zone that is a million times longer than it is wide: the diagonal of its Jacobian tells, turned or not. */
static void singular_values_of_needles(void **state)
{
  (void)state;
  const double d[3] = {1e3, 1.0, 1e-3};
  for (int dim = 2; dim <= 3; dim++)
    for (int i = 0; i < 50; i++) {
      double a[9] = {0};
      const double c = cos(0.1 * i), s = sin(0.1 * i);
      for (int j = 0; j < dim; j++) a[j * dim + j] = d[j];
      for (int j = 0; j < dim; j++) { // rotate the rows 0 and 1
        const double x = a[j], y = a[dim + j];
        a[j] = c * x - s * y, a[dim + j] = s * x + c * y;
      }
      assert_near(smallest_singular(dim, a), d[dim - 1], 1e-9 * d[dim - 1]);
    }
  const double flat[9] = {1, 2, 3, 2, 4, 6, 0, 1, 0};
  assert_near(smallest_singular(3, flat), 0.0, 1e-15);
  assert_near(smallest_singular(2, (double[]){1, 2, 2, 4}), 0.0, 1e-15);
}

static void adjugates(void **state)
{
  (void)state;
  uint64_t random = 4;
  for (int dim = 1; dim <= 3; dim++)
    for (int n = 0; n < 100; n++) {
      double a[9], adj[9];
      random_matrix(dim * dim, a, &random);
      const double det = point_adjugate(dim, a, adj);
      for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
          double sum = 0.0;
          for (int k = 0; k < dim; k++) sum += a[i * dim + k] * adj[k * dim + j];
          assert_near(sum, i == j ? det : 0.0, 8 * DBL_EPSILON);
        }
    }
  double adj[9];
  assert_true(point_adjugate(3, (double[]){2, 0, 0, 0, 3, 0, 0, 0, 5}, adj) == 30.0);
  assert_true(point_adjugate(2, (double[]){0, 1, 1, 0}, adj) == -1.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(closed_form_where_eigenvalues_are_apart),
    cmocka_unit_test(eigenpairs_at_any_scale),
    cmocka_unit_test(eigenpairs_in_hard_cases),
    cmocka_unit_test(eigenvectors_on_axes),
    cmocka_unit_test(singular_values_by_jacobi),
    cmocka_unit_test(singular_values_of_needles),
    cmocka_unit_test(adjugates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
