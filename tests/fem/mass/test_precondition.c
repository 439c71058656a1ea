/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Zone inverses: every row against the definition, and what conjugate gradients make of them.
 * ranks: 1 2 3
 */
#include "fem/mass/precondition.h"
#include "tests/fem/mass/mass_case.h"

#define FOR_EACH_INVERSE(row) for (const batched_variant *row = fem_precondition_op.variants[where]; row->name; row++)

/* Of the mass matrix: on a GPU a small one is assembled, and P with it, if nobody names another row. */
static const char *const mass_rows[][2] = {{"auto", NULL}, {"auto", "cuda.sumfact"}};
enum { NMASS_ROWS = 2 };
static const char *mass_row = "auto";

#define FOR_EACH_MASS_ROW(i) for (int i = 0; i < NMASS_ROWS && (mass_row = mass_rows[where][i]); i++)

/* The mass matrix by `mass_row`, the preconditioner by this one; false: they can't do this shape. */
static bool create(run *r, const problem *p, const char *row, double tolerance, int max_iterations)
{
  const fem_mass_options options = {.tolerance = tolerance,
                                    .max_iterations = max_iterations,
                                    .coupled = p->s->dim == 1,
                                    .preconditioner = row ? FEM_ZONE_INVERSE : FEM_JACOBI};
  const size_t bytes = sizeof(double) * ((size_t)kinematic(p) + 1);
  run_open(r, p, &fem_velocity_solve_op, where, mass_row);
  assert_int_equal(batched_select(r->ctx, &fem_precondition_op, row ? row : "auto"), 0);
  const int status = fem_velocity_mass_create(r->ctx, &r->mass, p->s, p->material, &options);
  if (status == BATCHED_DOES_NOT_FIT) {
    run_destroy(r);
    return false;
  }
  assert_int_equal(status, 0);
  r->in = batched_allocate(r->ctx, bytes);
  r->out = batched_allocate(r->ctx, bytes);
  assert_true(r->in && r->out);
  return true;
}

/* Sets constrained and shared entries as those of a residual are. */
static double *sample_residual(const problem *p, uint64_t seed)
{
  double *r = sample_doubles((size_t)kinematic(p));
  sample_perturb(p->s, p->mesh, 1.0, seed, r);
  fem_constrain_host(p->s, r);
  return r;
}

/* z += the inverse of the scaled reference matrix of each zone by its definition: P_z^T W_z S_z M^^-1 S_z W_z P_z r,
 * with M^ integrated with the basis of the zone, dense, and W_z, S_z from the diagonals of M_z. */
static void define(const problem *p, const double *inverse_diagonal, const double *r, double *z)
{
  const fem_space *s = p->s;
  const int nd = s->nd;
  double *reference = sample_doubles((size_t)(nd * nd)), *scale = sample_doubles((size_t)nd);
  for (int i = 0; i < nd; i++)
    for (int j = 0; j < nd; j++)
      for (int q = 0; q < s->nq; q++)
        reference[i * nd + j] +=
          s->weight[q] * fem_basis_at(s, s->d1, s->b, -1, NULL, i, q) * fem_basis_at(s, s->d1, s->b, -1, NULL, j, q);
  double *diagonal = sample_doubles((size_t)nd);
  for (int i = 0; i < nd; i++) diagonal[i] = reference[i * nd + i];
  assert_true(fem_invert(nd, reference));
  fill(z, kinematic(p), 0.0);
  for (int zone = 0; zone < s->nzones; zone++) {
    const int *dofs = s->dofs + (int64_t)zone * nd;
    for (int i = 0; i < nd; i++) {
      double own = 0.0;
      for (int q = 0; q < s->nq; q++)
        own += p->material->density[(int64_t)zone * s->nq + q] * pow(fem_basis_at(s, s->d1, s->b, -1, NULL, i, q), 2);
      scale[i] = own * inverse_diagonal[dofs[i]] * sqrt(diagonal[i] / own);
    }
    for (int c = 0; c < s->dim; c++)
      for (int i = 0; i < nd; i++)
        for (int j = 0; j < nd; j++)
          z[(int64_t)c * s->ndofs + dofs[i]] +=
            scale[i] * reference[i * nd + j] * scale[j] * r[(int64_t)c * s->ndofs + dofs[j]];
  }
  halo_sum_begin(NULL, s->halo, s->dim, z);
  halo_sum_end(NULL, s->halo, s->dim, z);
  fem_constrain_host(s, z);
  free(reference), free(scale), free(diagonal);
}

/* All rows are the definition where that can be inverted, and host.ref elsewhere; P is symmetric and positive. */
static void what_they_are(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    problem p = make_shape(i);
    const int64_t n = kinematic(&p);
    const int dim = p.s->dim;
    double *u = sample_residual(&p, 1), *w = sample_residual(&p, 2), *pu = sample_doubles((size_t)n),
           *pw = sample_doubles((size_t)n), *exact = sample_doubles((size_t)n), *d = sample_doubles((size_t)p.s->ndofs);
    bool defined = false;
    FOR_EACH_INVERSE(row)
    {
      run r;
      if (!create(&r, &p, row->name, 0.0, 1)) continue;
      if (!defined && p.s->nd <= FEM_MAX_FUNCTIONS) {
        assert_int_equal(batched_copy_to_host(r.ctx, d, r.mass->inverse_diagonal, sizeof *d * (size_t)p.s->ndofs), 0);
        define(&p, d, u, exact);
        defined = true;
      }
      fill(pu, n, NAN); // it is set, not added to
      assert_int_equal(run_call(&r, fem_precondition, u, pu), 0);
      assert_int_equal(run_call(&r, fem_precondition, w, pw), 0);
      if (defined) assert_vectors_near(n, pu, exact, 1e-11);
      const double uu = sample_dot(p.s, dim, u, pu), ww = sample_dot(p.s, dim, w, pw);
      assert_true(uu > 0.0 && ww > 0.0);
      assert_near(sample_dot(p.s, dim, w, pu), sample_dot(p.s, dim, u, pw), 1e-12 * sqrt(uu * ww));
      run_destroy(&r);
    }
    free(u), free(w), free(pu), free(pw), free(exact), free(d);
    destroy(&p);
  }
}

/* The inverse of a zone alone, whose density is constant, is exact; where it is in single precision, in the passes of
 * cuda.sumfact and as a matrix, it takes a second iteration. */
static void one_zone(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++) {
    problem p = make(sample_box_mesh(dim, (int[]){1, 1, 1}), 3, 2, 0);
    double constant = 2.5;
    fem_material_destroy(&p.material);
    p.material = sample_material(p.s, p.x, sample_constant, sample_gamma, &constant);
    memset(p.s->essential, 0, (size_t)p.s->ndofs); // no walls
    for (int c = 0; c <= dim; c++) p.s->constrained_start[c] = 0;
    const int64_t n = kinematic(&p);
    double *u = sample_doubles((size_t)n), *b = sample_doubles((size_t)n), *z = sample_doubles((size_t)n);
    sample_perturb(p.s, p.mesh, 1.0, 1, u);
    FOR_EACH_MASS_ROW(i)
    FOR_EACH_INVERSE(row)
    {
      run r;
      if (!create(&r, &p, row->name, 1e-10, 5)) continue;
      assert_int_equal(run_call(&r, fem_velocity_mass_apply, u, b), 0);
      assert_int_equal(run_call(&r, fem_precondition, b, z), 0);
      assert_vectors_near(n, z, u, 1e-12);
      assert_int_equal(run_call(&r, fem_velocity_mass_solve, b, z), 0);
      assert_vectors_near(n, z, u, 1e-12);
      assert_in_range(r.mass->last_iterations, 1, r.mass->matrix.split || r.mass->matrix.inverse ? 2 : 1);
      run_destroy(&r);
    }
    free(u), free(b), free(z);
    destroy(&p);
  }
}

/* Solves to 1e-13 find what is known; to 1e-8 they take at most 14 iterations, as few whatever the rows, and never more
 * than those with the diagonal. */
static void few_iterations(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    problem p = make_shape(i);
    const int64_t n = kinematic(&p);
    double *exact = sample_residual(&p, 3), *b = sample_doubles((size_t)n), *a = sample_doubles((size_t)n);
    run r;
    mass_row = "auto";
    assert_true(create(&r, &p, NULL, 1e-8, 300));
    assert_int_equal(run_call(&r, fem_velocity_mass_apply, exact, b), 0);
    fem_constrain_host(p.s, b);
    assert_int_equal(run_call(&r, fem_velocity_mass_solve, b, a), 0);
    const int by_diagonal = r.mass->last_iterations;
    run_destroy(&r);
    int known = 0;
    FOR_EACH_MASS_ROW(k)
    FOR_EACH_INVERSE(row)
    {
      if (!create(&r, &p, row->name, 1e-8, 300)) continue;
      assert_int_equal(run_call(&r, fem_velocity_mass_solve, b, a), 0);
      assert_vectors_near(n, a, exact, 1e-6);
      assert_int_equal(r.mass->unconverged, 0);
      assert_in_range(r.mass->last_iterations, 1, 14);
      assert_true(r.mass->last_iterations <= by_diagonal);
      if (known == 0) known = r.mass->last_iterations;
      assert_in_range(r.mass->last_iterations, known - 1, known + 1); // in single precision or double
      count_late_solves(&r, fem_velocity_mass_solve, b, a);
      run_destroy(&r);
      if (!create(&r, &p, row->name, 1e-13, 300)) continue;
      fill(a, n, NAN);
      assert_int_equal(run_call(&r, fem_velocity_mass_solve, b, a), 0);
      assert_vectors_near(n, a, exact, 1e-10);
      run_destroy(&r);
    }
    free(exact), free(b), free(a);
    destroy(&p);
  }
}

static void no_memory(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(2, (int[]){3, 3}), 2, 1, 0);
  preconditioner = FEM_ZONE_INVERSE;
  fail_allocations(&p, &fem_velocity_solve_op, "auto");
  preconditioner = FEM_JACOBI;
  destroy(&p);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_they_are),
    cmocka_unit_test(one_zone),
    cmocka_unit_test(few_iterations),
    cmocka_unit_test(no_memory),
  };
  return test_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
