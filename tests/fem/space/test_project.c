/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Polynomials come back exactly; the delta has its energy and its place; densities keep the mass.
 * ranks: 1 2 3
 */
#include "tests/fem/samples.h"

enum { MAX_POINTS = 729 };

/* A polynomial of total degree p: on zones with straight edges its pull-back is in Q_p. */
static double polynomial(const void *user, const double *x)
{
  const int *at = user; // dim, degree
  double base = 0.3, value = 1.0;
  for (int d = 0; d < at[0]; d++) base += (0.7 - 0.4 * d) * x[d];
  for (int i = 0; i < at[1]; i++) value *= base;
  return value;
}

static void polynomials(const void *user, const double *x, double *v)
{
  const int *at = user;
  for (int c = 0; c < at[0]; c++) v[c] = (1.0 + c) * polynomial(user, x) + c;
}

/* Box, jittered and turned grid, star. */
static mesh *some_mesh(int dim, int which)
{
  if (which == 0 || dim == 1) return sample_box_mesh(dim, (int[]){3, 2, 2});
  return which == 1 ? sample_mesh(sample_grid(dim, (int[]){2, 2, 2}, 0.2, 8, false), 2)
                    : sample_mesh(sample_star(dim, 5, 3), 1);
}

static void scalars_of_degree_t(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int which = 0; which < 3; which++)
      for (int t = 0; t <= (dim == 3 ? 3 : FEM_MAX_ORDER); t++) {
        mesh *m = some_mesh(dim, which);
        fem_space *s = sample_space(m, 1 + t % 3, t, 0);
        double *x = sample_positions(s, m), *e = sample_doubles((size_t)(s->nzones * s->nt));
        const int at[2] = {dim, t};
        double value[MAX_POINTS], position[3 * MAX_POINTS];
        fem_rule r;
        assert_int_equal(fem_project_scalar(s, x, polynomial, at, e), 0);
        assert_int_equal(fem_rule_create(&r, s, 4, (double[]){0.0, 0.31, 0.77, 1.0}, NULL), 0);
        for (int z = 0; z < s->nzones; z++) {
          fem_rule_values(&r, s, z, dim, x, position);
          fem_rule_energies(&r, s, e + z * s->nt, value);
          for (int q = 0; q < r.n; q++) {
            const double exact = polynomial(at, position + q * dim);
            assert_near(value[q], exact, 1e-12 * (1.0 + fabs(exact)));
          }
        }
        fem_rule_destroy(&r);
        free(x);
        free(e);
        fem_space_destroy(&s);
        mesh_destroy(&m);
      }
}

/* A function that jumps is interpolated, not smoothed: its values at the Gauss points are kept. */
static double jump(const void *user, const double *x)
{
  (void)user;
  return x[0] < 0.55 ? 1.0 : 0.1;
}

static void jumps_are_interpolated(void **state)
{
  (void)state;
  for (int t = 0; t <= FEM_MAX_ORDER; t++) {
    mesh *m = sample_box_mesh(2, (int[]){3, 2});
    fem_space *s = sample_space(m, 2, t, 0);
    double *x = sample_positions(s, m), *e = sample_doubles((size_t)(s->nzones * s->nt));
    double value[MAX_POINTS], position[3 * MAX_POINTS];
    fem_rule r;
    assert_int_equal(fem_project_scalar(s, x, jump, NULL, e), 0);
    assert_int_equal(fem_rule_create_gauss(&r, s, t + 1), 0);
    for (int z = 0; z < s->nzones; z++) {
      fem_rule_values(&r, s, z, 2, x, position);
      fem_rule_energies(&r, s, e + z * s->nt, value);
      for (int q = 0; q < r.n; q++) assert_near(value[q], jump(NULL, position + 2 * q), 1e-11);
    }
    fem_rule_destroy(&r);
    free(x);
    free(e);
    fem_space_destroy(&s);
    mesh_destroy(&m);
  }
}

static void vectors_of_degree_k(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int which = 0; which < 3; which++)
      for (int k = 1; k <= (dim == 3 ? 4 : FEM_MAX_ORDER); k++) {
        mesh *m = some_mesh(dim, which);
        fem_space *s = sample_space(m, k, 0, 0);
        double *x = sample_positions(s, m), *u = sample_doubles((size_t)(dim * s->ndofs));
        const int at[2] = {dim, k};
        double value[3 * MAX_POINTS], position[3 * MAX_POINTS], exact[3];
        fem_rule r;
        assert_int_equal(fem_project_vector(s, m, x, polynomials, at, u), 0);
        assert_int_equal(fem_rule_create(&r, s, 3, (double[]){0.12, 0.5, 0.91}, NULL), 0);
        for (int z = 0; z < s->nzones; z++) {
          fem_rule_values(&r, s, z, dim, x, position);
          fem_rule_values(&r, s, z, dim, u, value);
          for (int q = 0; q < r.n; q++) {
            polynomials(at, position + q * dim, exact);
            for (int c = 0; c < dim; c++) assert_near(value[q * dim + c], exact[c], 1e-12 * (1.0 + fabs(exact[c])));
          }
        }
        fem_rule_destroy(&r);
        free(x);
        free(u);
        fem_space_destroy(&s);
        mesh_destroy(&m);
      }
}

/* Integral of e over the mesh at x. */
static double integral(const fem_space *s, const double *x, const double *e)
{
  double jacobian[9 * MAX_POINTS], value[MAX_POINTS], sum = 0.0;
  const int dim = s->dim;
  fem_rule r;
  assert_int_equal(fem_rule_create_gauss(&r, s, dim == 3 ? 8 : 16), 0);
  for (int z = 0; z < s->nzones; z++) {
    fem_rule_gradients(&r, s, z, dim, x, jacobian);
    fem_rule_energies(&r, s, e + (int64_t)z * s->nt, value);
    for (int q = 0; q < r.n; q++)
      sum += fem_rule_weight(&r, q) * fem_determinant(dim, jacobian + q * dim * dim) * value[q];
  }
  fem_rule_destroy(&r);
  comm_sum(&sum, 1);
  return sum;
}

/* One value at the origin in all zones that have it, nothing at all other corners; returns how many zones have it. */
static int check_delta(const fem_space *s, const double *x, const double *e)
{
  double corner[3 * 8], value[8], highest = 0.0;
  int64_t zones = 0;
  fem_rule r;
  assert_int_equal(fem_rule_create(&r, s, 2, (double[]){0.0, 1.0}, NULL), 0);
  for (int z = 0; z < s->nzones * s->nt; z++) highest = fmax(highest, e[z]);
  comm_max(&highest, 1);
  for (int z = 0; z < s->nzones; z++) {
    int coefficients = 0, origins = 0;
    fem_rule_values(&r, s, z, s->dim, x, corner);
    fem_rule_energies(&r, s, e + (int64_t)z * s->nt, value);
    for (int q = 0; q < r.n; q++) {
      double distance = 0.0;
      for (int d = 0; d < s->dim; d++) distance += fabs(corner[q * s->dim + d]);
      origins += distance < 1e-13;
      if (distance < 1e-13 || s->t > 0) assert_near(value[q], distance < 1e-13 ? highest : 0.0, 1e-14 * highest);
    }
    for (int j = 0; j < s->nt; j++) coefficients += e[(int64_t)z * s->nt + j] != 0.0;
    assert_int_equal(coefficients, origins);
    zones += origins;
  }
  fem_rule_destroy(&r);
  comm_sum_int64(&zones, 1);
  return (int)zones;
}

static void deltas(void **state)
{
  static const int walls[3][4] = {{0, 1, 2, 3}, {0, 1, 1, 2}, {0, 1, 0, 1}}; // through the origin
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int which = 0; which < 3; which++)
      for (int t = 0; t <= (dim == 3 ? 3 : FEM_MAX_ORDER); t++) {
        mesh *m = some_mesh(dim, which);
        fem_space *s = sample_space(m, t ? t : 1, t, 0);
        double *x = sample_positions(s, m), *e = sample_doubles((size_t)(s->nzones * s->nt)), distance = NAN;
        for (int i = 0; i < s->nzones * s->nt; i++) e[i] = NAN; // it is set, not added to
        assert_int_equal(fem_project_delta(s, x, 0.37, e, &distance), 0);
        assert_true(distance < 1e-15);
        assert_near(integral(s, x, e), ldexp(0.37, -walls[which][dim]), 1e-13);
        assert_int_equal(check_delta(s, x, e), which == 2 && dim > 1 ? 5 : 1);
        if (which == 0) {
          double corner = ldexp(0.37, -dim), highest = 0.0;
          for (int d = 0; d < dim; d++) corner *= (t + 1) * (d ? 2 : 3) / sample_size[d];
          for (int i = 0; i < s->nzones * s->nt; i++) highest = fmax(highest, e[i]);
          comm_max(&highest, 1);
          assert_near(highest, corner, 1e-13 * corner);
        }
        free(x);
        free(e);
        fem_space_destroy(&s);
        mesh_destroy(&m);
      }
}

static void deltas_off_the_origin(void **state)
{
  (void)state;
  mesh *m = sample_box_mesh(2, (int[]){3, 2});
  fem_space *s = sample_space(m, 2, 1, 0);
  double *x = sample_positions(s, m), *e = sample_doubles((size_t)(s->nzones * s->nt)), distance = NAN;
  for (int i = 0; i < s->ndofs; i++) x[i] += 0.03, x[s->ndofs + i] += 0.04;
  assert_int_equal(fem_project_delta(s, x, 1.0, e, &distance), 0);
  assert_near(distance, 0.05, 1e-15);
  assert_near(integral(s, x, e), 0.25, 1e-13);
  for (int i = 0; i < s->ndofs; i++)
    x[i] -= 0.03 + sample_size[0] / 3, x[s->ndofs + i] -= 0.04 + 0.5; // an inner vertex
  assert_int_equal(fem_project_delta(s, x, 1.0, e, &distance), 0);
  assert_true(distance < 1e-15);
  assert_near(integral(s, x, e), 1.0, 1e-13);
  assert_int_equal(check_delta(s, x, e), 4);
  free(x);
  free(e);
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

/* At a corner of a box that repeats itself: the zones at its images have their part. */
static void deltas_across_seams(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int axes = 1; axes < 1 << dim; axes++) {
      const bool periodic[3] = {axes & 1, axes & 2, axes & 4};
      mesh_coarse *c;
      mesh *m;
      int halves = dim, zones = 0;
      for (int d = 0; d < dim; d++) halves -= periodic[d];
      assert_int_equal(mesh_coarse_box(&c, dim, (double[]){0, 0, 0}, sample_size, (int[]){1, 1, 2, 2, 3, 3}), 0);
      assert_int_equal(mesh_coarse_close(c, periodic), 0);
      assert_int_equal(mesh_create(&m, &c, (int[]){3, dim > 1 ? 2 : 1, dim > 2 ? 3 : 1}, MESH_AUTO, NULL), 0);
      fem_space *s = sample_space(m, 2, 1, 0);
      double *x = sample_positions(s, m), *e = sample_doubles((size_t)(s->nzones * s->nt)), distance = NAN,
             highest = 0.0;
      assert_int_equal(fem_project_delta(s, x, 0.37, e, &distance), 0);
      assert_true(distance == 0.0);
      assert_near(integral(s, x, e), ldexp(0.37, -halves), 1e-13);
      for (int i = 0; i < s->nzones * s->nt; i++) highest = fmax(highest, e[i]);
      comm_max(&highest, 1);
      for (int i = 0; i < s->nzones * s->nt; i++) zones += e[i] > 0.0 && e[i] == highest;
      double all = zones;
      comm_sum(&all, 1);
      assert_true(all == 1 << (dim - halves));
      free(x);
      free(e);
      fem_space_destroy(&s);
      mesh_destroy(&m);
    }
}

/* A density of degree t is found again, and falls as the volume grows; on any mesh the mass stays. */
static void densities(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int t = 0; t <= (dim == 3 ? 2 : 5); t++) {
      mesh *m = sample_box_mesh(dim, (int[]){3, 2, 2});
      fem_space *s = sample_space(m, t + 1, t, 0);
      double *x = sample_positions(s, m), *exact = sample_doubles((size_t)(s->nzones * s->nt));
      double *rho = sample_doubles((size_t)(s->nzones * s->nt)), mass = 0.0;
      const int at[2] = {dim, t};
      fem_material *material = sample_material(s, x, polynomial, sample_gamma, at);
      for (int64_t i = 0; i < (int64_t)s->nzones * s->nq; i++) mass += material->mass[i];
      comm_sum(&mass, 1);
      assert_int_equal(fem_project_scalar(s, x, polynomial, at, exact), 0);
      assert_int_equal(fem_project_density(s, material, x, rho), 0);
      assert_vectors_near((int64_t)s->nzones * s->nt, rho, exact, 1e-10);
      assert_near(integral(s, x, rho), mass, 1e-13 * mass);
      for (int i = 0; i < dim * s->ndofs; i++) x[i] *= 2.0;
      assert_int_equal(fem_project_density(s, material, x, rho), 0);
      for (int i = 0; i < s->nzones * s->nt; i++) exact[i] /= 1 << dim;
      assert_vectors_near((int64_t)s->nzones * s->nt, rho, exact, 1e-10);
      sample_perturb(s, m, 0.02, 1, x);
      assert_int_equal(fem_project_density(s, material, x, rho), 0);
      assert_near(integral(s, x, rho), mass, 1e-11 * mass);
      for (int i = 0; i < s->ndofs; i++) x[i] = -x[i];
      assert_int_equal(fem_project_density(s, material, x, rho), s->nzones ? 1 : 0);
      free(x);
      free(exact);
      free(rho);
      fem_material_destroy(&material);
      fem_space_destroy(&s);
      mesh_destroy(&m);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(scalars_of_degree_t),
    cmocka_unit_test(jumps_are_interpolated),
    cmocka_unit_test(vectors_of_degree_k),
    cmocka_unit_test(deltas),
    cmocka_unit_test(deltas_off_the_origin),
    cmocka_unit_test(deltas_across_seams),
    cmocka_unit_test(densities),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
