/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every row of the energy's mass matrix against integrals, residuals and host.ref.
 * ranks: 1 2 3
 */
#include "tests/fem/mass/mass_case.h"

static int solve(run *r, const double *b, double *e)
{
  return run_call(r, fem_energy_mass_solve, b, e);
}

#define FOR_EACH_ENERGY(row) for (const batched_variant *row = fem_energy_solve_op.variants[where]; row->name; row++)

/* b_j = integral of density e b_j: M_e e by its definition, zone by zone. */
static void multiply_energy(const problem *p, const double *e, double *b)
{
  const fem_space *s = p->s;
  for (int z = 0; z < s->nzones; z++)
    for (int j = 0; j < s->nt; j++) b[z * s->nt + j] = 0.0;
  for (int z = 0; z < s->nzones; z++)
    for (int q = 0; q < s->nq; q++) {
      double shape[FEM_MAX_POINTS * 16], value = 0.0;
      for (int j = 0; j < s->nt; j++) {
        shape[j] = 1.0;
        for (int d = 0, jj = j, qq = q; d < s->dim; d++, jj /= s->t1, qq /= s->q1)
          shape[j] *= s->bt[qq % s->q1 * s->t1 + jj % s->t1];
        value += shape[j] * e[z * s->nt + j];
      }
      for (int j = 0; j < s->nt; j++)
        b[z * s->nt + j] += p->material->density[(int64_t)z * s->nq + q] * shape[j] * value;
    }
}

/* Condition of a zone's block for a constant density: binomial(2t + 1, t) a direction. */
static double condition(const problem *p)
{
  double c = 1.0;
  for (int i = 1; i <= p->s->t; i++) c = c * (p->s->t + 1 + i) / i;
  return pow(c, p->s->dim);
}

static void energy_solves(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    problem p = make_shape(i);
    const int64_t n = thermodynamic(&p);
    double *exact = sample_doubles((size_t)n), *b = sample_doubles((size_t)n), *e = sample_doubles((size_t)n);
    double *product = sample_doubles((size_t)n), sum = 0.0;
    const double tolerance = 1e-14 * condition(&p) + 1e-12;
    FOR_EACH_ENERGY(row)
    {
      run r;
      if (!run_create(&r, &p, &fem_energy_solve_op, row->name, 1e-15, 100000)) continue;
      sample_energies(p.s, p.mesh, -1.0, 1.0, 6, exact);
      multiply_energy(&p, exact, b);
      fill(e, n, NAN);
      assert_int_equal(solve(&r, b, e), 0);
      assert_vectors_near(n, e, exact, tolerance);
      multiply_energy(&p, e, product);
      assert_vectors_near(n, product, b, tolerance);
      fill(exact, n, 1.0); // M_e 1 is the mass of each function, so that M_e^-1 of it is 1
      multiply_energy(&p, exact, b);
      assert_int_equal(solve(&r, b, e), 0);
      assert_vectors_near(n, e, exact, tolerance);
      assert_int_equal(r.mass->solves, 2);
      assert_int_equal(r.mass->unconverged, 0);
      assert_int_equal(r.mass->functions->direct, r.mass->iterations == 0);
      count_late_solves(&r, fem_energy_mass_solve, b, e);
      run_destroy(&r);
    }
    for (int64_t j = 0; j < n; j++) sum += b[j];
    comm_sum(&sum, 1);
    assert_near(sum, total_mass(&p), 1e-13 * sum);
    free(exact), free(b), free(e), free(product);
    destroy(&p);
  }
}

/* Conjugate gradients over all zones of all ranks stop by one tolerance; where they are what `auto` takes, so does
 * this. */
static void energy_tolerance(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(2, (int[]){4, 3}), 3, 2, 0);
  const int64_t n = thermodynamic(&p);
  double *b = sample_doubles((size_t)n), *e = sample_doubles((size_t)n), *product = sample_doubles((size_t)n);
  sample_energies(p.s, p.mesh, -1.0, 1.0, 6, b);
  int64_t last = 0;
  for (double tolerance = 1e-2; tolerance > 1e-11; tolerance *= 1e-3) {
    run r;
    assert_true(run_create(&r, &p, &fem_energy_solve_op, "auto", tolerance, 1000));
    assert_int_equal(solve(&r, b, e), 0);
    multiply_energy(&p, e, product);
    for (int64_t i = 0; i < n; i++) product[i] -= b[i];
    assert_true(fem_norm_local(n, product) <= 1.001 * tolerance * fem_norm_local(n, b));
    assert_true(r.mass->iterations >= last);
    last = r.mass->iterations;
    count_late_solves(&r, fem_energy_mass_solve, b, e);
    run_destroy(&r);
  }
  free(b), free(e), free(product);
  destroy(&p);
}

/* Every row finds the energy 1 again from the mass of each function. */
static void check_ones(const int *zones, int dim, int k, int t)
{
  problem p = make(sample_box_mesh(dim, zones), k, t, 0);
  const int64_t n = thermodynamic(&p);
  double *ones = sample_doubles((size_t)n), *b = sample_doubles((size_t)n), *e = sample_doubles((size_t)n);
  fill(ones, n, 1.0);
  multiply_energy(&p, ones, b);
  FOR_EACH_ENERGY(row)
  {
    run r;
    if (!run_create(&r, &p, &fem_energy_solve_op, row->name, 1e-14, 1000)) continue;
    assert_int_equal(solve(&r, b, e), 0);
    assert_vectors_near(n, e, ones, 1e-11);
    run_destroy(&r);
  }
  free(ones), free(b), free(e);
  destroy(&p);
}

static void energy_of_any_number_of_zones(void **state)
{
  (void)state;
  for (int zones = 1; zones <= 20; zones += zones < 10 ? 1 : 3) check_ones((int[]){zones, 1}, 2, 2, 1);
}

/* More unknowns than a GPU holds in registers and shared memory, and as many as it does. */
static void energy_of_many_zones(void **state)
{
  (void)state;
  static const int zones[] = {20000, 300000, 800000};
  for (int i = 0; i < (where == BATCHED_HOST ? 1 : 3); i++) check_ones(&zones[i], 1, 3, 2);
}

static void no_memory(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(2, (int[]){3, 3}), 2, 1, 0);
  FOR_EACH_ENERGY(row) fail_allocations(&p, &fem_energy_solve_op, row->name);
  destroy(&p);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(energy_solves),
    cmocka_unit_test(energy_tolerance),
    cmocka_unit_test(energy_of_any_number_of_zones),
    cmocka_unit_test(energy_of_many_zones),
    cmocka_unit_test(no_memory),
  };
  return test_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
