/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Masses, lengths and energies against integrals known in closed form; refusals that all ranks agree on.
 * ranks: 1 2 3
 */
#include "tests/fem/samples.h"

static double bilinear(const void *user, const double *x)
{
  (void)user;
  return 1.0 + x[0];
}

static void masses_are_integrals(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= (dim == 3 ? 3 : FEM_MAX_ORDER); k++) {
      mesh *m = sample_box_mesh(dim, (int[]){3, 2, 1});
      fem_space *s = sample_space(m, k, 1 + k % 2, 0);
      double *x = sample_positions(s, m), mass = 0.0, volume = sample_size[0] * (dim > 1 ? sample_size[1] : 1.0);
      if (dim > 2) volume *= sample_size[2];
      fem_material *material = sample_material(s, x, bilinear, sample_gamma, NULL);
      for (int64_t i = 0; i < (int64_t)s->nzones * s->nq; i++) {
        mass += material->mass[i];
        assert_near(material->mass[i], material->density[i], 1e-14); // a density of degree 1 is interpolated exactly
      }
      comm_sum(&mass, 1);
      assert_near(material->volume, volume, 1e-13);
      assert_near(mass, volume * (1.0 + 0.5 * sample_size[0]), 1e-13);
      assert_near(material->constants.h0, pow(volume / (double)s->nzones_global, 1.0 / dim) / k, 1e-14);
      assert_true(material->constants.order == k);
      fem_material_destroy(&material);
      assert_null(material);
      free(x);
      fem_space_destroy(&s);
      mesh_destroy(&m);
    }
}

/* On any zones: `density` is the function at the points, `mass` its interpolant; J0 J0^-1 = I; gamma is that of the
 * centre. */
static void point_by_point(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int t = 0; t <= 2; t++) {
      mesh *m = dim == 1 ? sample_box_mesh(1, (int[]){5}) : sample_mesh(sample_star(dim, 5, 3), 1);
      fem_space *s = sample_space(m, 2, t, 0);
      double *x = sample_positions(s, m), *rho = sample_doubles((size_t)(s->nzones * s->nt));
      double *jacobian = sample_doubles((size_t)(s->nq * dim * dim)), *position = sample_doubles((size_t)(s->nq * dim));
      double *value = sample_doubles((size_t)s->nq);
      fem_material *material = sample_material(s, x, sample_density, sample_gamma, NULL);
      fem_rule r, centre;
      assert_int_equal(fem_project_scalar(s, x, sample_density, NULL, rho), 0);
      assert_int_equal(fem_rule_create_gauss(&r, s, s->q1), 0);
      assert_int_equal(fem_rule_create(&centre, s, 1, (double[]){0.5}, NULL), 0);
      for (int z = 0; z < s->nzones; z++) {
        fem_rule_values(&centre, s, z, dim, x, position);
        assert_near(material->gamma[z], sample_gamma(NULL, position), 1e-15);
        fem_rule_values(&r, s, z, dim, x, position);
        fem_rule_gradients(&r, s, z, dim, x, jacobian);
        fem_rule_energies(&r, s, rho + z * s->nt, value);
        for (int q = 0; q < s->nq; q++) {
          const double *j = jacobian + q * dim * dim, volume = s->weight[q] * fem_determinant(dim, j);
          const double *inverse = fem_initial_inverse(s, material, z, q);
          assert_near(material->density[z * s->nq + q], volume * sample_density(NULL, position + q * dim), 1e-14);
          assert_near(material->mass[z * s->nq + q], volume * value[q], 1e-14);
          for (int i = 0; i < dim; i++)
            for (int k = 0; k < dim; k++) {
              double sum = 0.0;
              for (int l = 0; l < dim; l++) sum += j[i * dim + l] * inverse[dim == 3 ? k * dim + l : l * dim + k];
              assert_near(sum, i == k, 1e-13);
            }
        }
      }
      fem_rule_destroy(&r);
      fem_rule_destroy(&centre);
      free(jacobian), free(position), free(value), free(rho), free(x);
      fem_material_destroy(&material);
      fem_space_destroy(&s);
      mesh_destroy(&m);
    }
}

/* Boxes are; one zone that is bent tells. */
static void affine_zones(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int bent = 0; bent <= 1; bent++) {
      mesh *m = sample_box_mesh(dim, (int[]){4, 3, 2});
      fem_space *s = sample_space(m, 2, 1, 0);
      const int corner = fem_corner_node(s, s->k, (1 << dim) - 1);
      double *x = sample_positions(s, m);
      if (bent && s->nzones > 0) x[s->dofs[(int64_t)(s->nzones - 1) * s->nd + corner]] += 1e-4;
      fem_material *material = sample_material(s, x, sample_density, sample_gamma, NULL);
      assert_true(material->affine == (!bent || s->nzones == 0));
      free(x);
      fem_material_destroy(&material);
      fem_space_destroy(&s);
      mesh_destroy(&m);
    }
}

/* Boxes of one density are, not those whose density varies within a zone, nor with a zone that is bent. */
static void even_zones(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int kind = 0; kind < 3; kind++) {
      mesh *m = sample_box_mesh(dim, (int[]){4, 3, 2});
      fem_space *s = sample_space(m, 2, 1, 0);
      double *x = sample_positions(s, m);
      const int corner = fem_corner_node(s, s->k, (1 << dim) - 1);
      if (kind == 2 && s->nzones > 0) x[s->dofs[(int64_t)(s->nzones - 1) * s->nd + corner]] += 1e-4;
      fem_material *material = sample_material(s, x, kind == 1 ? sample_density : sample_one, sample_gamma, NULL);
      assert_true(fem_material_is_even(s, material) == (kind == 0 || s->nzones == 0));
      free(x);
      fem_material_destroy(&material);
      fem_space_destroy(&s);
      mesh_destroy(&m);
    }
}

/* Without a function the density is 1, to the bits that a function of that value gives. */
static void density_of_one(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= 3; k++) {
      mesh *m = sample_box_mesh(dim, (int[]){4, 3, 2});
      fem_space *s = sample_space(m, k, k - 1, 0);
      double *x = sample_positions(s, m);
      fem_material *with = sample_material(s, x, sample_one, sample_gamma, NULL),
                   *without = sample_material(s, x, NULL, sample_gamma, NULL);
      const size_t bytes = sizeof(double) * (size_t)s->nzones * (size_t)s->nq;
      assert_true(with->affine == without->affine && with->volume == without->volume);
      assert_memory_equal(with->mass, without->mass, bytes);
      assert_memory_equal(with->density, without->density, bytes);
      free(x);
      fem_material_destroy(&with);
      fem_material_destroy(&without);
      fem_space_destroy(&s);
      mesh_destroy(&m);
    }
}

/* `good`, but `bad` in the last corner of the box, which one rank alone sees. */
typedef struct spot {
  double good, bad;
} spot;

static double spotted(const void *user, const double *x)
{
  const spot *s = user;
  return x[0] > 0.9 * sample_size[0] && x[1] > 0.9 * sample_size[1] ? s->bad : s->good;
}

static void expect_refusal(const fem_space *s, const double *x, fem_function density, fem_function gamma,
                           const void *user, const char *why)
{
  fem_material *material = NULL;
  const char *bad = NULL;
  assert_int_equal(fem_material_create(&material, s, x, density, gamma, user, &bad), 2);
  assert_null(material);
  assert_non_null(bad);
  if (!strstr(bad, why)) fail_msg("'%s' says nothing of %s", bad, why);
}

static void refuses(void **state)
{
  (void)state;
  const double no_densities[] = {0.0, -1.0, NAN, INFINITY, -INFINITY}, no_gammas[] = {1.0, 0.9, -2.0, NAN, INFINITY};
  mesh *m = sample_box_mesh(2, (int[]){16, 16});
  fem_space *s = sample_space(m, 2, 1, 0);
  double *x = sample_positions(s, m);
  for (int i = 0; i < 5; i++) {
    expect_refusal(s, x, spotted, sample_gamma, &(spot){1.0, no_densities[i]}, "density");
    expect_refusal(s, x, sample_density, spotted, &(spot){1.4, no_gammas[i]}, "gamma");
    expect_refusal(s, x, sample_constant, sample_gamma, &no_densities[i], "density");
    expect_refusal(s, x, sample_density, sample_constant, &no_gammas[i], "gamma");
  }
  for (int i = 0; i < s->ndofs; i++) x[i] = -x[i];
  expect_refusal(s, x, sample_density, sample_gamma, NULL, "volume");
  for (int i = 0; i < s->ndofs; i++) x[i] = 0.0;
  expect_refusal(s, x, sample_density, sample_gamma, NULL, "volume");
  free(x);
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(masses_are_integrals), cmocka_unit_test(point_by_point), cmocka_unit_test(affine_zones),
    cmocka_unit_test(even_zones),           cmocka_unit_test(density_of_one), cmocka_unit_test(refuses),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
