/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with the velocity's mass matrix in single precision, refined in double: as exact as those in double precision,
 * with either preconditioner; the rows for a GPU with --gpu.
 * ranks: 1 2 3
 */
#include "fem/mass/precondition.h"
#include "tests/fem/mass/mass_case.h"

#define FOR_EACH_MIXED(row) \
  for (const batched_variant *row = solver_pcg_op.variants[where]; row->name; row++) \
    if (strstr(row->name, ".mixed"))

static const fem_preconditioner preconditioners[] = {FEM_JACOBI, FEM_ZONE_INVERSE};

/* By any row of the mass matrix, and this one of conjugate gradients. */
static void create(run *r, const problem *p, const char *row, fem_preconditioner preconditioner, double tolerance,
                   int max_iterations)
{
  const fem_mass_options options = {.tolerance = tolerance,
                                    .max_iterations = max_iterations,
                                    .coupled = p->s->dim == 1,
                                    .preconditioner = preconditioner};
  const size_t bytes = sizeof(double) * ((size_t)kinematic(p) + 1);
  run_open(r, p, &fem_velocity_solve_op, where, "auto");
  assert_int_equal(batched_select(r->ctx, &solver_pcg_op, row), 0);
  assert_int_equal(fem_velocity_mass_create(r->ctx, &r->mass, p->s, p->material, &options), 0);
  r->in = batched_allocate(r->ctx, bytes);
  r->out = batched_allocate(r->ctx, bytes);
  assert_true(r->in && r->out);
}

static double *sample_velocity(const problem *p, uint64_t seed)
{
  double *u = sample_doubles((size_t)kinematic(p));
  sample_perturb(p->s, p->mesh, 1.0, seed, u);
  fem_constrain_host(p->s, u);
  return u;
}

static double owned_by_all(const problem *p)
{
  double n = p->s->nowned;
  comm_sum(&n, 1);
  return n;
}

/* b = M u, constrained, times a factor. */
static void right_hand_side(const problem *p, const double *u, double factor, double *b)
{
  run r;
  create(&r, p, "auto", FEM_JACOBI, 1e-8, 1);
  assert_int_equal(run_call(&r, fem_velocity_mass_apply, u, b), 0);
  fem_constrain_host(p->s, b);
  for (int64_t i = 0; i < kinematic(p); i++) b[i] *= factor;
  run_destroy(&r);
}

/* (r, D^-1 r) of r = b - M a, over that of b, the largest of the components. */
static double residual(run *r, const problem *p, const double *b, const double *a)
{
  const fem_space *s = p->s;
  double *w = sample_doubles((size_t)kinematic(p)), *d = sample_doubles((size_t)s->ndofs), worst = 0.0;
  assert_int_equal(run_call(r, fem_velocity_mass_apply, a, w), 0);
  fem_constrain_host(s, w);
  assert_int_equal(batched_copy_to_host(r->ctx, d, r->mass->inverse_diagonal, sizeof *d * (size_t)s->ndofs), 0);
  for (int64_t c = 0; c < s->dim; c++) {
    double sums[2] = {0.0, 0.0};
    for (int i = 0; i < s->nowned; i++) {
      const double bi = b[c * s->ndofs + i], ri = bi - w[c * s->ndofs + i];
      sums[0] += ri * d[i] * ri;
      sums[1] += bi * d[i] * bi;
    }
    comm_sum(sums, 2);
    worst = fmax(worst, sqrt(sums[0] / sums[1]));
  }
  free(w), free(d);
  return worst;
}

/* To one of the tolerances each, in one round and in a few, whatever the size of the numbers; with few more iterations
 * than in double precision, and the same bits in a second solve. */
static void as_exact_as_double(void **state)
{
  (void)state;
  static const double tolerances[] = {1e-3, 1e-8, 1e-13}, factors[] = {1.0, 0x1p-400, 0x1p300};
  for (int i = 0; i < NSHAPES; i++) {
    problem p = make_shape(i);
    const int64_t n = kinematic(&p);
    double *exact = sample_velocity(&p, 3), *b = sample_doubles((size_t)n), *a = sample_doubles((size_t)n),
           *again = sample_doubles((size_t)n);
    for (int k = 0; k < 2; k++) {
      const int j = (i + k) % 3;
      run plain, r;
      right_hand_side(&p, exact, factors[i % 3], b);
      create(&plain, &p, where == BATCHED_HOST ? "host.fused" : "cuda.fused", preconditioners[k], tolerances[j], 400);
      assert_int_equal(run_call(&plain, fem_velocity_mass_solve, b, a), 0);
      FOR_EACH_MIXED(row)
      {
        create(&r, &p, row->name, preconditioners[k], tolerances[j], 400);
        fill(a, n, NAN);
        assert_int_equal(run_call(&r, fem_velocity_mass_solve, b, a), 0);
        assert_int_equal(r.mass->unconverged, 0);
        if (where == BATCHED_HOST || r.mass->rounds > 0) /* a GPU has kernels for some shapes */
          assert_in_range(r.mass->rounds, 1 + (j > 0), 1 + j + (j > 0));
        /* systems of few unknowns or eigenvalues end in as many iterations, but each refinement begins again */
        if (!shapes[i][4] &&
            r.mass->last_iterations > plain.mass->last_iterations * 5 / 4 + (owned_by_all(&p) < 100 ? 15 : 4))
          fail_msg("%s: %d iterations, in double precision %d", row->name, r.mass->last_iterations,
                   plain.mass->last_iterations);
        /* of P r the tolerance is; r itself may be as much larger as the condition of P allows */
        assert_true(residual(&r, &p, b, a) <= tolerances[j] * (k == 0 ? 1.0 + 1e-6 : 4.0));
        for (int64_t x = 0; x < n; x++) a[x] /= factors[i % 3];
        assert_vectors_near(n, a, exact, 100 * tolerances[j]);
        assert_int_equal(run_call(&r, fem_velocity_mass_solve, b, again), 0);
        for (int64_t x = 0; x < n; x++) assert_true(again[x] / factors[i % 3] == a[x]);
        run_destroy(&r);
      }
      run_destroy(&plain);
    }
    free(exact), free(b), free(a), free(again);
    destroy(&p);
  }
}

/* Zeros take no iterations; where they run out the solve has not converged, and x is that of the last one; numbers that
 * are none end. */
static void limits(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(2, (int[]){5, 4}), 2, 1, 0);
  const int64_t n = kinematic(&p);
  double *exact = sample_velocity(&p, 5), *b = sample_doubles((size_t)n), *a = sample_doubles((size_t)n);
  right_hand_side(&p, exact, 1.0, b);
  for (int k = 0; k < 2; k++) FOR_EACH_MIXED(row)
    {
      run r;
      create(&r, &p, row->name, preconditioners[k], 1e-8, 3);
      assert_int_equal(run_call(&r, fem_velocity_mass_solve, b, a), 0);
      assert_int_equal(r.mass->last_iterations, 3);
      assert_int_equal(r.mass->unconverged, 1);
      assert_in_range((int)(1e6 * residual(&r, &p, b, a)), 1, 500000);
      fill(a, n, 0.0);
      assert_int_equal(run_call(&r, fem_velocity_mass_solve, a, b), 0);
      assert_int_equal(r.mass->last_iterations, 0);
      assert_int_equal(r.mass->unconverged, 1);
      for (int64_t i = 0; i < n; i++) assert_true(b[i] == 0.0);
      fill(a, n, NAN);
      assert_int_equal(run_call(&r, fem_velocity_mass_solve, a, b), 0);
      assert_int_equal(r.mass->unconverged, 2);
      right_hand_side(&p, exact, 1.0, b);
      run_destroy(&r);
    }
  free(exact), free(b), free(a);
  destroy(&p);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(as_exact_as_double),
    cmocka_unit_test(limits),
  };
  return test_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
