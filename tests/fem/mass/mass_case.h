/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of both mass matrices share: problems, and runs of a row, on the host or, with --gpu, on a GPU.
 */
#ifndef TESTS_FEM_MASS_CASE_H
#define TESTS_FEM_MASS_CASE_H

#include <stdio.h>

#include "fem/mass/mass.h"
#include "fem/tables.h"
#include "tests/fem/samples.h"

typedef struct problem {
  mesh *mesh;
  fem_space *s;
  fem_material *material;
  double *x;
} problem;

static inline int64_t kinematic(const problem *p)
{
  return (int64_t)p->s->dim * p->s->ndofs;
}

static inline int64_t thermodynamic(const problem *p)
{
  return (int64_t)p->s->nzones * p->s->nt;
}

/* Takes the mesh. */
static inline problem make(mesh *m, int k, int t, int quadrature_order)
{
  problem p = {.mesh = m, .s = sample_space(m, k, t, quadrature_order)};
  p.x = sample_positions(p.s, m);
  p.material = sample_material(p.s, p.x, sample_density, sample_gamma, NULL);
  return p;
}

static inline void destroy(problem *p)
{
  free(p->x);
  fem_material_destroy(&p->material);
  fem_space_destroy(&p->s);
  mesh_destroy(&p->mesh);
}

/* Whose rows are tested. */
static batched_space where = BATCHED_HOST;

/* Of the solves for the velocity. */
static fem_preconditioner preconditioner = FEM_JACOBI;

/* Has the halo of a space between two runs, as their contexts come and go; NULL on the host. */
static batched_ctx *keeper;

/* A row of an operation at work.  Vectors of the calls are on the host. */
typedef struct run {
  batched_ctx *ctx;
  const batched_op *op;
  const problem *p;
  fem_mass *mass;
  double *in, *out; /* owned: in the context's memory */
} run;

typedef int create_function(batched_ctx *ctx, fem_mass **m, const fem_space *s, const fem_material *mat,
                            const fem_mass_options *options);

static inline create_function *run_creator(const batched_op *op)
{
  return op == &fem_velocity_solve_op ? fem_velocity_mass_create : fem_energy_mass_create;
}

static inline void run_open(run *r, const problem *p, const batched_op *op, batched_space space, const char *name)
{
  *r = (run){.op = op, .p = p};
  sample_name_subject(name, p->s);
  assert_int_equal(batched_create(&r->ctx, space), 0);
  assert_int_equal(batched_select(r->ctx, op, name), 0);
  assert_int_equal(fem_space_place(r->ctx, p->s), 0);
  assert_int_equal(fem_material_place(r->ctx, p->s, p->material), 0);
  assert_int_equal(halo_place(r->ctx, p->s->halo), 0);
}

static inline void run_destroy(run *r)
{
  fem_mass_destroy(r->ctx, &r->mass);
  assert_null(r->mass);
  batched_release(r->ctx, r->in);
  batched_release(r->ctx, r->out);
  if (batched_get_space(r->ctx) == BATCHED_CUDA) assert_int_equal(halo_place(keeper, r->p->s->halo), 0);
  fem_material_unplace(r->p->material);
  fem_space_unplace(r->p->s);
  batched_destroy(&r->ctx);
}

/* false: the row can't do this shape. */
static inline bool run_create_in(run *r, const problem *p, const batched_op *op, batched_space space, const char *name,
                                 double tolerance, int max_iterations)
{
  const size_t n = (size_t)(kinematic(p) + thermodynamic(p)) + 1;
  const fem_mass_options options = {tolerance, max_iterations, .coupled = p->s->dim == 1, .iterated = p->s->dim > 1,
                                    .preconditioner = preconditioner};
  run_open(r, p, op, space, name);
  const int status = run_creator(op)(r->ctx, &r->mass, p->s, p->material, &options);
  if (status == BATCHED_DOES_NOT_FIT) {
    run_destroy(r);
    return false;
  }
  assert_int_equal(status, 0);
  r->in = batched_allocate(r->ctx, n * sizeof(double));
  r->out = batched_allocate(r->ctx, n * sizeof(double));
  assert_true(r->in && r->out);
  return true;
}

static inline bool run_create(run *r, const problem *p, const batched_op *op, const char *name, double tolerance,
                              int max_iterations)
{
  return run_create_in(r, p, op, where, name, tolerance, max_iterations);
}

/* to = M from, or M^-1 from; what `to` holds before goes along, as it has to be overwritten. */
static inline int run_call(run *r, int (*f)(batched_ctx *, fem_mass *, const double *, double *), const double *from,
                           double *to)
{
  const size_t bytes =
    (size_t)(r->op == &fem_velocity_solve_op ? kinematic(r->p) : thermodynamic(r->p)) * sizeof(double);
  assert_int_equal(batched_copy_from_host(r->ctx, r->in, from, bytes), 0);
  assert_int_equal(batched_copy_from_host(r->ctx, r->out, to, bytes), 0);
  const int status = f(r->ctx, r->mass, r->in, r->out);
  assert_int_equal(batched_copy_to_host(r->ctx, to, r->out, bytes), 0);
  return status;
}

/* A solve that may come late is counted as one that may not, also where there are more of them than are kept. */
static inline void count_late_solves(run *r, int (*f)(batched_ctx *, fem_mass *, const double *, double *),
                                     const double *b, double *x)
{
  fem_mass *m = r->mass;
  const int64_t before = m->iterations;
  assert_int_equal(run_call(r, f, b, x), 0);
  const int64_t each = m->iterations - before, counted = m->iterations, solves = m->solves;
  const int last = m->last_iterations;
  m->options.late = true;
  for (int i = 0; i < SOLVER_LATE + 3; i++) {
    assert_int_equal(run_call(r, f, b, x), 0);
    if (m->functions->direct) assert_int_equal(m->nlate, i < SOLVER_LATE ? i + 1 : i + 1 - SOLVER_LATE);
  }
  assert_int_equal(fem_mass_settle(r->ctx, m), 0);
  m->options.late = false;
  assert_int_equal(m->solves, solves + SOLVER_LATE + 3);
  assert_int_equal(m->iterations, counted + (SOLVER_LATE + 3) * each);
  assert_int_equal(m->last_iterations, last);
  assert_int_equal(m->nlate, 0);
}

/* The n-th allocation fails, for every n: a status, nothing lost, and the next attempt works.  Ranks have different
 * numbers of them, and go on until the last is through. */
static inline void fail_allocations(const problem *p, const batched_op *op, const char *name)
{
  const fem_mass_options options = {.tolerance = 1e-8, .max_iterations = 300, .preconditioner = preconditioner};
  int status = BATCHED_NO_MEMORY, n = 0;
  for (; status && n < 100; n++) {
    run r;
    run_open(&r, p, op, where, name);
    batched_fail_allocation(n);
    status = run_creator(op)(r.ctx, &r.mass, p->s, p->material, &options);
    batched_fail_allocation(-1);
    assert_true(status == 0 || status == BATCHED_NO_MEMORY);
    assert_true(status ? !r.mass : !!r.mass);
    run_destroy(&r);
    status = comm_worst(status);
  }
  assert_in_range(n, 2, 99);
}

/* Of the density function, as the mass matrices have it. */
static inline double total_mass(const problem *p)
{
  double sum = 0.0;
  for (int64_t i = 0; i < (int64_t)p->s->nzones * p->s->nq; i++) sum += p->material->density[i];
  comm_sum(&sum, 1);
  return sum;
}

static inline void fill(double *x, int64_t n, double value)
{
  for (int64_t i = 0; i < n; i++) x[i] = value;
}

/* Orders and rules, in shapes.def and not: dim, k, t, quadrature order; of one density in each zone? */
static const int shapes[][5] = {
  {1, 1, 0, 0},    {1, 2, 1, 0},    {1, 4, 3, 0},    {1, 6, 5, 0},    {1, 8, 7, 0},     {1, 8, 8, 0},
  {1, 2, 1, 40},   {1, 3, 0, 8},    {2, 1, 0, 0},    {2, 2, 1, 0},    {2, 3, 2, 0},     {2, 4, 3, 0},
  {2, 5, 4, 0},    {2, 7, 0, 15},   {2, 8, 1, 17},   {2, 2, 2, 0},    {2, 1, 3, 6},     {2, 3, 1, 9},
  {3, 1, 0, 0},    {3, 2, 1, 0},    {3, 3, 2, 0},    {3, 1, 2, 0},    {3, 2, 0, 5},     {3, 4, 1, 9},
  {2, 1, 0, 0, 1}, {2, 2, 1, 0, 1}, {2, 3, 2, 0, 1}, {2, 4, 3, 0, 1}, {2, 5, 4, 0, 1},  {2, 7, 0, 15, 1},
  {3, 1, 0, 0, 1}, {3, 2, 1, 5, 1}, {3, 3, 2, 0, 1}, {3, 4, 1, 9, 1}, {3, 5, 1, 11, 1},
};
enum { NSHAPES = sizeof shapes / sizeof *shapes };

/* A density that steps from one to the next of *(int *)user zones along x. */
static inline double stepped_density(const void *user, const double *x)
{
  return 1.0 + 0.5 * floor(x[0] / sample_size[0] * *(const int *)user);
}

/* With zones of one density each. */
static inline problem make_even(int dim, const int *zones, int k, int t, int quadrature_order)
{
  problem p = make(sample_box_mesh(dim, zones), k, t, quadrature_order);
  fem_material_destroy(&p.material);
  p.material = sample_material(p.s, p.x, stepped_density, sample_gamma, zones);
  return p;
}

static inline problem make_shape(int i)
{
  const int *shape = shapes[i], dim = shape[0];
  const int *zones = dim == 1 ? (int[]){11} : dim == 2 ? (int[]){3, 3} : (int[]){3, 1, 3};
  return shape[4] ? make_even(dim, zones, shape[1], shape[2], shape[3])
                  : make(sample_box_mesh(dim, zones), shape[1], shape[2], shape[3]);
}

/* On a GPU, each rank of a machine on the next one. */
static inline int create_keeper(void)
{
  const int devices = batched_device_count(NULL);
  return devices ? batched_create_on_device(&keeper, comm_local_rank() % devices) : BATCHED_NO_DEVICE;
}

/* Runs the tests, with --gpu [name] those of the rows for a GPU, or the one of this name: 77 where there is no GPU. */
static inline int test_rows(int argc, char **argv, const struct CMUnitTest *tests, size_t n)
{
  comm_init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "--gpu") == 0) {
    where = BATCHED_CUDA;
    sample_numbering = FEM_ZONE_BY_ZONE;
    if (create_keeper()) {
      printf("No GPU here, so no tests of its rows.\n");
      comm_finalize();
      return 77;
    }
  }
  if (argc > 2) cmocka_set_test_filter(argv[2]);
  int failed = _cmocka_run_group_tests("mass", tests, n, NULL, NULL);
  if (keeper) batched_destroy(&keeper);
  comm_finalize();
  return failed;
}

#endif
