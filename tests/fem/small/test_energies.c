/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Internal and kinetic energy, by every row, against integrals of polynomials and host.ref; with --gpu the rows for a
 * GPU.
 * ranks: 1 2 3
 */
#include "tests/fem/mass/mass_case.h"

static double bilinear(const void *user, const double *x)
{
  (void)user;
  return 1.0 + x[0];
}

static void linear_velocity(const void *user, const double *x, double *v)
{
  (void)user;
  v[0] = 1.0 - 2.0 * x[0], v[1] = x[0], v[2] = 3.0;
}

typedef struct pair {
  double internal, kinetic;
} pair;

/* By a row, of vectors on the host; twice, to the same bits. */
static pair measure(const problem *p, batched_space space, const char *row, const double *v, const double *e)
{
  pair sums, again;
  batched_ctx *ctx;
  const size_t kinematic_bytes = sizeof(double) * (size_t)kinematic(p),
               thermodynamic_bytes = sizeof(double) * (size_t)thermodynamic(p);
  assert_int_equal(batched_create(&ctx, space), 0);
  assert_int_equal(batched_select(ctx, &fem_energies_op, row), 0);
  assert_int_equal(fem_space_place(ctx, p->s), 0);
  assert_int_equal(fem_material_place(ctx, p->s, p->material), 0);
  double *there_v = batched_allocate(ctx, kinematic_bytes + 8),
         *there_e = batched_allocate(ctx, thermodynamic_bytes + 8);
  assert_true(there_v && there_e);
  assert_int_equal(batched_copy_from_host(ctx, there_v, v, kinematic_bytes), 0);
  assert_int_equal(batched_copy_from_host(ctx, there_e, e, thermodynamic_bytes), 0);
  assert_int_equal(fem_energies(ctx, p->s, p->material, there_v, there_e, &sums.internal, &sums.kinetic), 0);
  assert_int_equal(fem_energies(ctx, p->s, p->material, there_v, there_e, &again.internal, &again.kinetic), 0);
  assert_true(sums.internal == again.internal && sums.kinetic == again.kinetic);
  batched_release(ctx, there_v);
  batched_release(ctx, there_e);
  fem_material_unplace(p->material);
  fem_space_unplace(p->s);
  batched_destroy(&ctx);
  return sums;
}

#define FOR_EACH(row) for (const batched_variant *row = fem_energies_op.variants[where]; row->name; row++)

/* rho = 1 + x, e = 2 + x, v as above, on [0, a] x ...: polynomials in x alone. */
static void polynomials(void **state)
{
  (void)state;
  const double a = sample_size[0];
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= 3; k++) {
      problem p = {.mesh = sample_box_mesh(dim, (int[]){3, 2, 1})};
      fem_space *s = p.s = sample_space(p.mesh, k, 1, 0);
      double *x = p.x = sample_positions(s, p.mesh), *e = sample_doubles((size_t)(s->nzones * s->nt)), section = 1.0;
      double *v = sample_doubles((size_t)(dim * s->ndofs));
      for (int d = 1; d < dim; d++) section *= sample_size[d];
      p.material = sample_material(s, x, bilinear, sample_gamma, NULL);
      assert_int_equal(fem_project_scalar(s, x, bilinear, NULL, e), 0);
      assert_int_equal(fem_project_vector(s, p.mesh, x, linear_velocity, NULL, v), 0);
      for (int i = 0; i < s->nzones * s->nt; i++) e[i] += 1.0;
      const double internal = 2 * a + 3 * a * a / 2 + a * a * a / 3; // of (1 + x)(2 + x)
      double kinetic = a - 3 * a * a / 2 + 4 * pow(a, 4) / 4;        // of (1 + x)(1 - 4x + 4x^2)
      if (dim > 1) kinetic += a * a * a / 3 + pow(a, 4) / 4;         // of (1 + x) x^2
      if (dim > 2) kinetic += 9 * (a + a * a / 2);
      FOR_EACH(row)
      {
        const pair found = measure(&p, where, row->name, v, e);
        assert_near(found.internal, section * internal, 1e-13 * internal);
        assert_near(found.kinetic, 0.5 * section * kinetic, 1e-13 * kinetic);
      }
      free(e), free(v);
      destroy(&p);
    }
}

static void all_shapes(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    problem p = make_shape(i);
    double *v = sample_doubles((size_t)kinematic(&p)), *e = sample_doubles((size_t)thermodynamic(&p));
    sample_perturb(p.s, p.mesh, 1.0, 1, v);
    sample_energies(p.s, p.mesh, 0.5, 2.0, 2, e);
    const pair exact = measure(&p, BATCHED_HOST, "host.ref", v, e);
    assert_true(exact.internal > 0.0 && exact.kinetic > 0.0);
    FOR_EACH(row)
    {
      const pair found = measure(&p, where, row->name, v, e);
      assert_near(found.internal, exact.internal, 1e-13 * exact.internal);
      assert_near(found.kinetic, exact.kinetic, 1e-13 * exact.kinetic);
    }
    free(v), free(e);
    destroy(&p);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(polynomials), cmocka_unit_test(all_shapes)};
  return test_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
