/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every row of the velocity's mass matrix against integrals, residuals and host.ref.
 * ranks: 1 2 3
 */
#include "fem/mass/mass.h"
#include "tests/fem/mass/mass_case.h"

static bool create_velocity(run *r, const problem *p, const char *name, double tolerance)
{
  return run_create(r, p, &fem_velocity_solve_op, name, tolerance, 5000);
}

static int apply(run *r, const double *x, double *y)
{
  return run_call(r, fem_velocity_mass_apply, x, y);
}

static int solve(run *r, const double *b, double *a)
{
  return run_call(r, fem_velocity_mass_solve, b, a);
}

/* A row that solves without conjugate gradients. */
static bool is_direct(const run *r)
{
  return r->mass->functions->solve;
}

#define FOR_EACH_VELOCITY(row) \
  for (const batched_variant *row = fem_velocity_solve_op.variants[where]; row->name; row++)

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
    assert_true(run_create_in(&r, &p, &fem_velocity_solve_op, BATCHED_HOST, "host.ref", 0.0, 1));
    assert_int_equal(apply(&r, u, reference), 0);
    run_destroy(&r);
    FOR_EACH_VELOCITY(row)
    {
      if (!create_velocity(&r, &p, row->name, 0.0)) continue;
      fill(mu, n, NAN); // it is set, not added to
      assert_int_equal(apply(&r, u, mu), 0);
      assert_int_equal(apply(&r, w, mw), 0);
      assert_vectors_near(n, mu, reference, 1e-14);
      assert_near(sample_dot(p.s, dim, w, mu), sample_dot(p.s, dim, u, mw), 1e-14 * mass);
      assert_near(0.5 * sample_dot(p.s, dim, u, mu), sample_kinetic_energy(p.s, p.material, u), 1e-13 * mass);
      assert_int_equal(apply(&r, ones, mu), 0);
      assert_near(sample_dot(p.s, dim, ones, mu), dim * mass, 1e-13 * mass);
      assert_near(sample_dot(p.s, 1, ones, mu), mass, 1e-13 * mass);
      run_destroy(&r);
    }
    free(u), free(w), free(ones), free(mu), free(mw), free(reference);
    destroy(&p);
  }
}

/* The same of zone blocks of as many zones as they can have, of one density each and not. */
static void large_products(void **state)
{
  (void)state;
  for (int k = 1; k <= 5; k++)
    for (int dim = 2; dim <= 3; dim++)
      for (int even = 0; even < 2; even++) {
        const int n3 = k == 1 ? 29 : k == 2 ? 19 : 11, zones[3] = {dim == 2 ? 81 : n3, dim == 2 ? 80 : n3, n3};
        if (where == BATCHED_HOST || comm_size() > 1) return;
        problem p = even ? make_even(dim, zones, k, k - 1, 0) : make(sample_box_mesh(dim, zones), k, k - 1, 0);
        const int64_t n = kinematic(&p);
        double *u = sample_doubles((size_t)n), *mu = sample_doubles((size_t)n), *exact = sample_doubles((size_t)n);
        sample_perturb(p.s, p.mesh, 1.0, 1, u);
        run r;
        assert_true(run_create_in(&r, &p, &fem_velocity_solve_op, BATCHED_HOST, "host.sumfact", 0.0, 1));
        assert_int_equal(apply(&r, u, exact), 0);
        run_destroy(&r);
        assert_true(create_velocity(&r, &p, "cuda.sumfact", 0.0));
        assert_int_equal(apply(&r, u, mu), 0);
        assert_vectors_near(n, mu, exact, even ? 1e-11 : 1e-13);
        run_destroy(&r);
        free(u), free(mu), free(exact);
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
  assert_true(run_create_in(&r, &p, &fem_velocity_solve_op, BATCHED_HOST, "host.ref", 0.0, 1));
  for (int64_t id = 0; id < p.s->ndofs_global; id++) {
    for (int i = 0; i < p.s->ndofs; i++) unit[i] = ids[i] == id;
    assert_int_equal(apply(&r, unit, product), 0);
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
      assert_int_equal(apply(&r, exact, b), 0);
      fem_constrain_host(p.s, b);
      fill(a, n, NAN); // no initial guess
      assert_int_equal(solve(&r, b, a), 0);
      assert_vectors_near(n, a, exact, 1e-10);
      for (int c = 0; c < dim; c++)
        for (int j = 0; j < p.s->ndofs; j++)
          if (p.s->essential[j] >> c & 1) assert_true(a[c * p.s->ndofs + j] == 0.0);
      assert_int_equal(r.mass->solves, 1);
      assert_int_equal(r.mass->unconverged, 0);
      assert_true(r.mass->last_iterations <= r.mass->iterations && r.mass->iterations <= dim * r.mass->last_iterations);
      run_destroy(&r);
    }
    FOR_EACH_VELOCITY(row) // all rows take the same steps, but for those that take none
    {
      run r;
      if (!create_velocity(&r, &p, row->name, 1e-6)) continue;
      assert_int_equal(solve(&r, b, a), 0);
      if (iterations < 0) iterations = r.mass->iterations;
      assert_int_equal(r.mass->iterations, is_direct(&r) ? 0 : iterations);
      apply(&r, a, exact);
      fem_constrain_host(p.s, exact);
      assert_vectors_near(n, exact, b, 1e-4); // the residual, whose norm in CG is another
      count_late_solves(&r, fem_velocity_mass_solve, b, a);
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
    assert_int_equal(solve(&r, b, a), 0); // no error
    const int steps = is_direct(&r) ? 0 : 3;
    assert_int_equal(r.mass->last_iterations, steps);
    assert_int_equal(r.mass->iterations, 3 * steps);
    assert_int_equal(r.mass->unconverged, steps > 0);
    double *zero = sample_doubles((size_t)n);
    assert_int_equal(solve(&r, zero, a), 0);
    for (int64_t i = 0; i < n; i++) assert_true(a[i] == 0.0);
    assert_int_equal(r.mass->last_iterations, 0);
    assert_int_equal(r.mass->unconverged, steps > 0);
    assert_int_equal(r.mass->solves, 2);
    free(zero);
    run_destroy(&r);
  }
  free(b), free(a);
  destroy(&p);
}

/* dim, k, t */
static const int peer_shapes[][3] = {{2, 1, 1}, {2, 2, 2}, {3, 1, 0}, {3, 2, 1}, {3, 3, 2}};
enum { PEER_SHAPES = sizeof peer_shapes / sizeof *peer_shapes };

/* A box that several zone blocks make up, of several zones each or, in a small one, of one zone. */
static problem make_peers(const int *shape, bool large)
{
  const int dim = shape[0];
  const int *zones = large ? dim == 2 ? (int[]){24, 20} : (int[]){8, 7, 6} : (int[]){2, 2, 2};
  return make(sample_box_mesh(dim, zones), shape[1], shape[2], 0);
}

/* Solves twice, for the same bits.  false: the row can't do it. */
static bool solve_with(const problem *p, const char *product, const char *conjugate_gradients, double tolerance,
                       const double *b, double *a, int64_t *iterations)
{
  const int64_t n = kinematic(p);
  double *again = sample_doubles((size_t)n);
  run r;
  assert_true(create_velocity(&r, p, product, tolerance));
  assert_int_equal(batched_select(r.ctx, &solver_pcg_op, conjugate_gradients), 0);
  const int status = solve(&r, b, a);
  const bool can = status != BATCHED_DOES_NOT_FIT;
  if (can) {
    assert_int_equal(status, 0);
    *iterations = r.mass->last_iterations;
    fill(again, n, NAN);
    assert_int_equal(solve(&r, b, again), 0);
    for (int64_t j = 0; j < n; j++) assert_true(again[j] == a[j]);
  }
  run_destroy(&r);
  free(again);
  return can;
}

/* The steps and, to rounding, the numbers that messages give; with zone inverses, which a matrix has in single
 * precision, the numbers that both come to, in a step more or less.  Returns how many shapes the row can do. */
static int solve_as_peers(const char *product, const char *conjugate_gradients, bool large)
{
  const bool rounded = preconditioner == FEM_ZONE_INVERSE;
  const double tolerance = rounded ? 1e-12 : 1e-6;
  int solved = 0;
  for (int i = 0; i < PEER_SHAPES; i++) {
    problem p = make_peers(peer_shapes[i], large);
    const int64_t n = kinematic(&p);
    double *b = sample_doubles((size_t)n), *a = sample_doubles((size_t)n), *with = sample_doubles((size_t)n);
    int64_t iterations = 0, theirs = 0;
    sample_perturb(p.s, p.mesh, 1.0, 3, b);
    fem_constrain_host(p.s, b);
    assert_true(solve_with(&p, "cuda.sumfact", "cuda.fused", tolerance, b, a, &iterations));
    if (solve_with(&p, product, conjugate_gradients, tolerance, b, with, &theirs)) {
      assert_in_range(theirs + 1, iterations + !rounded, iterations + 1 + rounded);
      assert_vectors_near(n, with, a, rounded ? 1e-10 : 1e-11);
      solved++;
    }
    free(b), free(a), free(with);
    destroy(&p);
  }
  return solved;
}

/* True where this is one machine, and every rank has a GPU of its own. */
static bool have_own_gpus(void)
{
  batched_device mine, other;
  assert_int_equal(batched_get_device(comm_local_rank() % batched_device_count(NULL), &mine), 0);
  bool own = comm_local_size() == comm_size();
  for (int r = 0; r < comm_size(); r++) {
    other = mine;
    comm_broadcast(&other, sizeof other, r);
    own = own && (r == comm_rank() || memcmp(other.uuid, mine.uuid, sizeof mine.uuid) != 0);
  }
  return !comm_worst(!own);
}

/* Ranks on GPUs of one machine solve without messages; they may do where they share a GPU. */
static void velocity_peers(void **state)
{
  (void)state;
  if (where == BATCHED_HOST || comm_size() == 1) return;
  const int solved = solve_as_peers("cuda.sumfact", "cuda.peers", true);
  if (comm_rank() == 0) printf("%d shapes by cuda.peers\n", solved);
  if (have_own_gpus()) assert_int_equal(solved, PEER_SHAPES);
}

/* An assembled matrix in one kernel per GPU: boxes of one block of threads per rank, and of many. */
static void velocity_resident(void **state)
{
  (void)state;
  if (where == BATCHED_HOST || comm_size() == 1 || !have_own_gpus()) return;
  assert_int_equal(solve_as_peers("cuda.csr", "cuda.resident", false), PEER_SHAPES);
  assert_int_equal(solve_as_peers("cuda.csr", "cuda.resident", true), PEER_SHAPES);
}

/* With zone inverses, whose rows are whole on one rank each, too. */
static void inverses_resident(void **state)
{
  (void)state;
  if (where == BATCHED_HOST || comm_size() == 1 || !have_own_gpus()) return;
  preconditioner = FEM_ZONE_INVERSE;
  assert_int_equal(solve_as_peers("cuda.csr", "cuda.resident", true), PEER_SHAPES);
  preconditioner = FEM_JACOBI;
}

/* The same kernels, for compute-sanitizer, which can't follow the graph and may run blocks one after the other: blocks
 * of the residual await those of other ranks, so there is one of it. */
static void velocity_peers_looped(void **state)
{
  (void)state;
  if (where == BATCHED_HOST || comm_size() == 1) return;
  assert_int_equal(solve_as_peers("cuda.sumfact", "cuda.looped", false), PEER_SHAPES);
}

static const char *tensor_row(void)
{
  return where == BATCHED_HOST ? "host.tensor" : "cuda.tensor";
}

static double no_product(const void *user, const double *x)
{
  (void)user;
  return 1.0 + 0.4 * sin(2.0 * x[0] + x[1]);
}

/* True where the row with the exact inverse takes this problem.  Destroys it. */
static bool tensor_takes(problem p)
{
  run r;
  const bool takes = create_velocity(&r, &p, tensor_row(), 1e-13);
  if (takes) run_destroy(&r);
  destroy(&p);
  return takes;
}

/* The exact inverse is one rank's, of a box whose density is a product; nothing else is taken for one. */
static void what_the_tensor_row_takes(void **state)
{
  (void)state;
  const bool alone = comm_size() == 1;
  for (int i = 0; i < NSHAPES; i++) assert_int_equal(tensor_takes(make_shape(i)), alone);
  for (int dim = 2; dim <= 3; dim++) {
    problem p = make(sample_box_mesh(dim, (int[]){4, 3, 2}), 2, 1, 0);
    fem_material_destroy(&p.material);
    p.material = sample_material(p.s, p.x, no_product, sample_gamma, NULL);
    assert_false(tensor_takes(p));
    p = make(sample_box_mesh(dim, (int[]){4, 3, 2}), 2, 1, 0);
    p.s->essential[p.s->dofs[p.s->nd / 2]] |= 1; // a node within a zone that does not move
    assert_false(tensor_takes(p));
  }
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
        assert_int_equal(apply(&r, ones, y), 0);
        assert_near(sample_dot(p.s, dim, ones, y), dim * mass, 1e-13 * mass);
        run_destroy(&r);
      }
      free(ones), free(y);
      destroy(&p);
    }
}

static void no_memory(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(2, (int[]){3, 3}), 2, 1, 0);
  FOR_EACH_VELOCITY(row)
  {
    run r;
    if (!create_velocity(&r, &p, row->name, 1e-8)) continue;
    run_destroy(&r);
    fail_allocations(&p, &fem_velocity_solve_op, row->name);
  }
  destroy(&p);
}

/* ------------------------------------------------------------------ benchmark */

static double milliseconds(run *r, int (*f)(batched_ctx *, fem_mass *, const double *, double *), int times)
{
  batched_synchronize(r->ctx);
  const double start = batched_seconds();
  for (int i = 0; i < times; i++) assert_int_equal(f(r->ctx, r->mass, r->in, r->out), 0);
  batched_synchronize(r->ctx);
  return 1e3 * (batched_seconds() - start) / times;
}

/* Milliseconds of a solve, of its iterations and of the products in them; and the bytes of the model next to the
 * bandwidth. */
static void measure(run *r, const char *row, const char *conjugate_gradients, double product, double bandwidth)
{
  const fem_space *s = r->p->s;
  assert_int_equal(batched_select(r->ctx, &solver_pcg_op, conjugate_gradients), 0);
  milliseconds(r, fem_velocity_mass_solve, 2);
  const double ms = milliseconds(r, fem_velocity_mass_solve, 10), steps = r->mass->last_iterations;
  const double bytes = 8.0 * (s->nzones * (double)s->nq + 12.0 * (double)kinematic(r->p));
  if (comm_rank() > 0) return;
  printf(
    "%dD Q%d %8d zones a rank %-13s %-10s %3.0f iterations %9.4f ms, each %8.5f (product %8.5f) %6.0f GB/s %4.0f %%\n",
    s->dim, s->k, s->nzones, row, conjugate_gradients, steps, ms, ms / steps, product, 1e-6 * bytes * steps / ms,
    1e5 * bytes * steps / ms / bandwidth);
  fflush(stdout);
}

/* --bench dim zones k [row [rows of conjugate gradients]]: zones a direction, and as many times that in the first as
 * there are ranks; solves to 1e-8. */
static int bench(int argc, char **argv)
{
  const int dim = atoi(argv[2]), zones = atoi(argv[3]), k = atoi(argv[4]);
  problem p = make(sample_box_mesh(dim, (int[]){zones * comm_size(), zones, zones}), k, k - 1, 0);
  const size_t n = (size_t)kinematic(&p);
  double *b = sample_doubles(n);
  batched_limits limits = {0};
  sample_perturb(p.s, p.mesh, 1.0, 3, b);
  fem_constrain_host(p.s, b);
  for (const batched_variant *row = fem_velocity_solve_op.variants[where]; row->name; row++) {
    run r;
    if ((argc > 5 && strcmp(argv[5], row->name) != 0) ||
        !run_create(&r, &p, &fem_velocity_solve_op, row->name, 1e-8, 300))
      continue;
    if (limits.triad == 0.0) batched_measure_each_limit(r.ctx, &limits);
    assert_int_equal(batched_copy_from_host(r.ctx, r.in, b, n * sizeof *b), 0);
    milliseconds(&r, fem_velocity_mass_apply, 2);
    const double product = milliseconds(&r, fem_velocity_mass_apply, 20);
    for (int i = 6; i < argc || i == 6; i++) measure(&r, row->name, i < argc ? argv[i] : "auto", product, limits.triad);
    run_destroy(&r);
  }
  free(b);
  destroy(&p);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc > 4 && strcmp(argv[1], "--bench") == 0) {
    comm_init(&argc, &argv);
    where = BATCHED_CUDA;
    sample_numbering = FEM_ZONE_BY_ZONE;
    assert_int_equal(create_keeper(), 0);
    const int status = bench(argc, argv);
    batched_destroy(&keeper);
    comm_finalize();
    return status;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(velocity_products),
    cmocka_unit_test(velocity_diagonal),
    cmocka_unit_test(large_products),
    cmocka_unit_test(velocity_solves),
    cmocka_unit_test(limits_of_a_solve),
    cmocka_unit_test(any_number_of_zones),
    cmocka_unit_test(no_memory),
    cmocka_unit_test(velocity_peers),
    cmocka_unit_test(velocity_resident),
    cmocka_unit_test(inverses_resident),
    cmocka_unit_test(velocity_peers_looped),
    cmocka_unit_test(what_the_tensor_row_takes),
  };
  return test_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
