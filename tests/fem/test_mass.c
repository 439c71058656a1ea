/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every row of both mass matrices against integrals, residuals and host.ref.
 * ranks: 1 2 3
 */
#include "fem/tables.h"
#include "samples.h"

typedef struct problem {
  mesh *mesh;
  fem_space *s;
  fem_material *material;
  double *x;
} problem;

static int64_t kinematic(const problem *p)
{
  return (int64_t)p->s->dim * p->s->ndofs;
}

static int64_t thermodynamic(const problem *p)
{
  return (int64_t)p->s->nzones * p->s->nt;
}

/* Takes the mesh. */
static problem make(mesh *m, int k, int t, int quadrature_order)
{
  problem p = {.mesh = m, .s = sample_space(m, k, t, quadrature_order)};
  p.x = sample_positions(p.s, m);
  p.material = sample_material(p.s, p.x, sample_density, sample_gamma, NULL);
  return p;
}

static void destroy(problem *p)
{
  free(p->x);
  fem_material_destroy(&p->material);
  fem_space_destroy(&p->s);
  mesh_destroy(&p->mesh);
}

typedef struct run {
  batched_ctx *ctx;
  const batched_op *op;
  fem_mass *mass;
} run;

/* false: the row can't do this shape. */
static bool run_create(run *r, const problem *p, const batched_op *op, const char *name, double tolerance,
                       int max_iterations)
{
  *r = (run){.op = op};
  assert_int_equal(batched_create(&r->ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_select(r->ctx, op, name), 0);
  const int status = (op == &fem_velocity_solve_op ? fem_velocity_mass_create : fem_energy_mass_create)(
    r->ctx, &r->mass, p->s, p->material, tolerance, max_iterations);
  if (status == BATCHED_DOES_NOT_FIT) {
    assert_null(r->mass);
    batched_destroy(&r->ctx);
    return false;
  }
  assert_int_equal(status, 0);
  return true;
}

static void run_destroy(run *r)
{
  fem_mass_destroy(r->ctx, r->op, &r->mass);
  assert_null(r->mass);
  batched_destroy(&r->ctx);
}

static bool create_velocity(run *r, const problem *p, const char *name, double tolerance)
{
  return run_create(r, p, &fem_velocity_solve_op, name, tolerance, 5000);
}

#define FOR_EACH_VELOCITY(row) for (const batched_variant *row = fem_host_velocity_mass; row->name; row++)
#define FOR_EACH_ENERGY(row) for (const batched_variant *row = fem_host_energy_mass; row->name; row++)

/* Of the density function, as the mass matrices have it. */
static double total_mass(const problem *p)
{
  double sum = 0.0;
  for (int64_t i = 0; i < (int64_t)p->s->nzones * p->s->nq; i++) sum += p->material->density[i];
  comm_sum(&sum, 1);
  return sum;
}

static void fill(double *x, int64_t n, double value)
{
  for (int64_t i = 0; i < n; i++) x[i] = value;
}

/* Orders and rules, in shapes.def and not: dim, k, t, quadrature order. */
static const int shapes[][4] = {
  {1, 1, 0, 0}, {1, 2, 1, 0}, {1, 4, 3, 0}, {1, 6, 5, 0}, {1, 8, 7, 0}, {1, 8, 8, 0},  {1, 2, 1, 40}, {1, 3, 0, 8},
  {2, 1, 0, 0}, {2, 2, 1, 0}, {2, 3, 2, 0}, {2, 4, 3, 0}, {2, 5, 4, 0}, {2, 7, 0, 15}, {2, 8, 1, 17}, {2, 2, 2, 0},
  {2, 1, 3, 6}, {2, 3, 1, 9}, {3, 1, 0, 0}, {3, 2, 1, 0}, {3, 3, 2, 0}, {3, 1, 2, 0},  {3, 2, 0, 5},  {3, 4, 1, 9},
};
enum { NSHAPES = sizeof shapes / sizeof *shapes };

static problem make_shape(int i)
{
  const int *shape = shapes[i], dim = shape[0];
  return make(sample_box_mesh(dim, dim == 1   ? (int[]){11}
                                   : dim == 2 ? (int[]){3, 3}
                                              : (int[]){2, 1, 2}),
              shape[1], shape[2], shape[3]);
}

/* ------------------------------------------------------------------ velocity */

/* M 1 sums to the mass; M is symmetric; u . M u is twice the kinetic energy; all rows are the same M. */
static void velocity_products(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    problem p = make_shape(i);
    const int64_t n = kinematic(&p);
    const int dim = p.s->dim;
    const double mass = total_mass(&p);
    double *u = sample_doubles((size_t)n), *w = sample_doubles((size_t)n), *ones = sample_doubles((size_t)n);
    double *mu = sample_doubles((size_t)n), *mw = sample_doubles((size_t)n), *reference = sample_doubles((size_t)n);
    sample_perturb(p.s, p.mesh, 1.0, 1, u);
    sample_perturb(p.s, p.mesh, 1.0, 2, w);
    fill(ones, n, 1.0);
    memcpy(p.material->mass, p.material->density, sizeof(double) * (size_t)(p.s->nzones * p.s->nq));
    run r;
    assert_true(create_velocity(&r, &p, "host.ref", 0.0));
    assert_int_equal(fem_velocity_mass_apply(r.ctx, r.mass, u, reference), 0);
    run_destroy(&r);
    FOR_EACH_VELOCITY(row)
    {
      if (!create_velocity(&r, &p, row->name, 0.0)) continue;
      fill(mu, n, NAN); // it is set, not added to
      assert_int_equal(fem_velocity_mass_apply(r.ctx, r.mass, u, mu), 0);
      assert_int_equal(fem_velocity_mass_apply(r.ctx, r.mass, w, mw), 0);
      assert_vectors_near(n, mu, reference, 1e-14);
      assert_near(sample_dot(p.s, dim, w, mu), sample_dot(p.s, dim, u, mw), 1e-14 * mass);
      assert_near(0.5 * sample_dot(p.s, dim, u, mu), fem_kinetic_energy(p.s, p.material, u), 1e-13 * mass);
      assert_int_equal(fem_velocity_mass_apply(r.ctx, r.mass, ones, mu), 0);
      assert_near(sample_dot(p.s, dim, ones, mu), dim * mass, 1e-13 * mass);
      assert_near(sample_dot(p.s, 1, ones, mu), mass, 1e-13 * mass);
      run_destroy(&r);
    }
    free(u), free(w), free(ones), free(mu), free(mw), free(reference);
    destroy(&p);
  }
}

/* The inverse diagonal is that of M: e_i . M e_i, for a dof of each rank in turn. */
static void velocity_diagonal(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(2, (int[]){3, 2}), 3, 1, 0);
  const int64_t n = kinematic(&p);
  double *unit = sample_doubles((size_t)n), *product = sample_doubles((size_t)n);
  int64_t *ids = sample_ids(p.s, p.mesh);
  run r;
  assert_true(create_velocity(&r, &p, "host.ref", 0.0));
  for (int64_t id = 0; id < p.s->ndofs_global; id++) {
    for (int i = 0; i < p.s->ndofs; i++) unit[i] = ids[i] == id;
    assert_int_equal(fem_velocity_mass_apply(r.ctx, r.mass, unit, product), 0);
    for (int i = 0; i < p.s->ndofs; i++)
      if (ids[i] == id) assert_near(product[i] * r.mass->inverse_diagonal[i], 1.0, 1e-13);
  }
  run_destroy(&r);
  free(unit), free(product), free(ids);
  destroy(&p);
}

/* Solves M a = b for a known a; walls included: there a is zero, and b is what the other rows of M say. */
static void velocity_solves(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    problem p = make_shape(i);
    const int64_t n = kinematic(&p);
    const int dim = p.s->dim;
    double *exact = sample_doubles((size_t)n), *b = sample_doubles((size_t)n), *a = sample_doubles((size_t)n);
    int64_t iterations = -1;
    sample_perturb(p.s, p.mesh, 1.0, 3, exact);
    fem_constrain_host(p.s, exact);
    FOR_EACH_VELOCITY(row)
    {
      run r;
      if (!create_velocity(&r, &p, row->name, 1e-13)) continue;
      assert_int_equal(fem_velocity_mass_apply(r.ctx, r.mass, exact, b), 0);
      fem_constrain_host(p.s, b);
      fill(a, n, NAN); // no initial guess
      assert_int_equal(fem_velocity_mass_solve(r.ctx, r.mass, b, a), 0);
      assert_vectors_near(n, a, exact, 1e-10);
      for (int c = 0; c < dim; c++)
        for (int j = 0; j < p.s->ndofs; j++)
          if (p.s->essential[j] >> c & 1) assert_true(a[c * p.s->ndofs + j] == 0.0);
      assert_int_equal(r.mass->solves, 1);
      assert_int_equal(r.mass->unconverged, 0);
      assert_true(r.mass->last_iterations <= r.mass->iterations && r.mass->iterations <= dim * r.mass->last_iterations);
      run_destroy(&r);
    }
    FOR_EACH_VELOCITY(row) // all rows take the same steps
    {
      run r;
      if (!create_velocity(&r, &p, row->name, 1e-6)) continue;
      assert_int_equal(fem_velocity_mass_solve(r.ctx, r.mass, b, a), 0);
      if (iterations < 0) iterations = r.mass->iterations;
      assert_int_equal(r.mass->iterations, iterations);
      fem_velocity_mass_apply(r.ctx, r.mass, a, exact);
      fem_constrain_host(p.s, exact);
      assert_vectors_near(n, exact, b, 1e-4); // the residual, whose norm in CG is another
      run_destroy(&r);
    }
    free(exact), free(b), free(a);
    destroy(&p);
  }
}

static void limits_of_a_solve(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(3, (int[]){3, 2, 2}), 2, 1, 0);
  const int64_t n = kinematic(&p);
  double *b = sample_doubles((size_t)n), *a = sample_doubles((size_t)n);
  sample_perturb(p.s, p.mesh, 1.0, 3, b);
  fem_constrain_host(p.s, b);
  FOR_EACH_VELOCITY(row)
  {
    run r;
    if (!run_create(&r, &p, &fem_velocity_solve_op, row->name, 1e-14, 3)) continue;
    assert_int_equal(fem_velocity_mass_solve(r.ctx, r.mass, b, a), 0); // no error
    assert_int_equal(r.mass->last_iterations, 3);
    assert_int_equal(r.mass->iterations, 9);
    assert_int_equal(r.mass->unconverged, 1);
    double *zero = sample_doubles((size_t)n);
    assert_int_equal(fem_velocity_mass_solve(r.ctx, r.mass, zero, a), 0);
    for (int64_t i = 0; i < n; i++) assert_true(a[i] == 0.0);
    assert_int_equal(r.mass->last_iterations, 0);
    assert_int_equal(r.mass->unconverged, 1);
    assert_int_equal(r.mass->solves, 2);
    free(zero);
    run_destroy(&r);
  }
  free(b), free(a);
  destroy(&p);
}

/* Blocks that are full, or not, and ranks without zones. */
static void any_number_of_zones(void **state)
{
  (void)state;
  for (int zones = 1; zones <= 20; zones += zones < 10 ? 1 : 3)
    for (int dim = 1; dim <= 3; dim++) {
      problem p = make(sample_box_mesh(dim, (int[]){zones, 1, 1}), 2, 1, 0);
      const int64_t n = kinematic(&p);
      const double mass = total_mass(&p);
      double *ones = sample_doubles((size_t)n), *y = sample_doubles((size_t)n);
      fill(ones, n, 1.0);
      FOR_EACH_VELOCITY(row)
      {
        run r;
        if (!create_velocity(&r, &p, row->name, 0.0)) continue;
        assert_int_equal(fem_velocity_mass_apply(r.ctx, r.mass, ones, y), 0);
        assert_near(sample_dot(p.s, dim, ones, y), dim * mass, 1e-13 * mass);
        run_destroy(&r);
      }
      free(ones), free(y);
      destroy(&p);
    }
}

/* ------------------------------------------------------------------ energy */

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
      assert_int_equal(fem_energy_mass_solve(r.ctx, r.mass, b, e), 0);
      assert_vectors_near(n, e, exact, tolerance);
      multiply_energy(&p, e, product);
      assert_vectors_near(n, product, b, tolerance);
      fill(exact, n, 1.0); // M_e 1 is the mass of each function, so that M_e^-1 of it is 1
      multiply_energy(&p, exact, b);
      assert_int_equal(fem_energy_mass_solve(r.ctx, r.mass, b, e), 0);
      assert_vectors_near(n, e, exact, tolerance);
      assert_int_equal(r.mass->solves, 2);
      assert_int_equal(r.mass->unconverged, 0);
      run_destroy(&r);
    }
    for (int64_t j = 0; j < n; j++) sum += b[j];
    comm_sum(&sum, 1);
    assert_near(sum, total_mass(&p), 1e-13 * sum);
    free(exact), free(b), free(e), free(product);
    destroy(&p);
  }
}

/* Conjugate gradients over all zones of all ranks stop by one tolerance; where they are what `auto` takes, so does this. */
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
    assert_int_equal(fem_energy_mass_solve(r.ctx, r.mass, b, e), 0);
    multiply_energy(&p, e, product);
    for (int64_t i = 0; i < n; i++) product[i] -= b[i];
    assert_true(fem_norm_local(n, product) <= 1.001 * tolerance * fem_norm_local(n, b));
    assert_true(r.mass->iterations >= last);
    last = r.mass->iterations;
    run_destroy(&r);
  }
  free(b), free(e), free(product);
  destroy(&p);
}

static void energy_of_any_number_of_zones(void **state)
{
  (void)state;
  for (int zones = 1; zones <= 20; zones += zones < 10 ? 1 : 3) {
    problem p = make(sample_box_mesh(2, (int[]){zones, 1}), 2, 1, 0);
    const int64_t n = thermodynamic(&p);
    double *ones = sample_doubles((size_t)n), *b = sample_doubles((size_t)n), *e = sample_doubles((size_t)n);
    fill(ones, n, 1.0);
    multiply_energy(&p, ones, b);
    FOR_EACH_ENERGY(row)
    {
      run r;
      if (!run_create(&r, &p, &fem_energy_solve_op, row->name, 1e-14, 1000)) continue;
      assert_int_equal(fem_energy_mass_solve(r.ctx, r.mass, b, e), 0);
      assert_vectors_near(n, e, ones, 1e-11);
      run_destroy(&r);
    }
    free(ones), free(b), free(e);
    destroy(&p);
  }
}

/* ------------------------------------------------------------------ no memory */

/* The n-th allocation fails, for every n: a status, nothing lost, and the next attempt works. */
static void fail_allocations(const problem *p, const batched_op *op, const char *name)
{
  int status = BATCHED_NO_MEMORY, n = 0;
  for (; status && n < 100; n++) {
    batched_ctx *ctx;
    fem_mass *mass = NULL;
    assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
    assert_int_equal(batched_select(ctx, op, name), 0);
    batched_fail_allocation(n);
    status = (op == &fem_velocity_solve_op ? fem_velocity_mass_create : fem_energy_mass_create)(ctx, &mass, p->s,
                                                                                                p->material, 1e-8, 300);
    batched_fail_allocation(-1);
    assert_true(status == 0 || status == BATCHED_NO_MEMORY);
    assert_true(status ? !mass : !!mass);
    fem_mass_destroy(ctx, op, &mass);
    batched_destroy(&ctx);
  }
  assert_in_range(n, 2, 99);
}

static void no_memory(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(2, (int[]){3, 3}), 2, 1, 0);
  FOR_EACH_VELOCITY(row) fail_allocations(&p, &fem_velocity_solve_op, row->name);
  FOR_EACH_ENERGY(row) fail_allocations(&p, &fem_energy_solve_op, row->name);
  destroy(&p);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(velocity_products),   cmocka_unit_test(velocity_diagonal),
    cmocka_unit_test(velocity_solves),     cmocka_unit_test(limits_of_a_solve),
    cmocka_unit_test(any_number_of_zones), cmocka_unit_test(energy_solves),
    cmocka_unit_test(energy_tolerance),    cmocka_unit_test(energy_of_any_number_of_zones),
    cmocka_unit_test(no_memory),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
