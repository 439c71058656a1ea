/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the corner force share: problems, and runs of a row, on the host or, with --gpu, on a GPU.
 */
#ifndef TESTS_FEM_FORCE_CASE_H
#define TESTS_FEM_FORCE_CASE_H

#include <stdio.h>

#include "fem/tables.h"
#include "tests/fem/samples.h"

/* The backend whose rows are tested, and on a GPU the one context for all of it: the problems' constant arrays and what
 * their halos need are in its memory. */
static batched_space backend = BATCHED_HOST;
static batched_ctx *keeper;

typedef struct problem {
  mesh *mesh;
  fem_space *s;
  fem_material *material;
  double *x, *v, *e;
} problem;

static inline int64_t kinematic(const problem *p)
{
  return (int64_t)p->s->dim * p->s->ndofs;
}

static inline int64_t thermodynamic(const problem *p)
{
  return (int64_t)p->s->nzones * p->s->nt;
}

/* Takes the mesh; a smooth material with a gamma of its own in every zone, or density and gamma 1 and 1.4. */
static inline problem make(mesh *m, int k, int t, int quadrature_order, bool smooth)
{
  static const double gamma = 1.4;
  problem p = {.mesh = m, .s = sample_space(m, k, t, quadrature_order)};
  p.x = sample_positions(p.s, m);
  p.v = sample_doubles((size_t)kinematic(&p));
  p.e = sample_doubles((size_t)thermodynamic(&p));
  p.material = smooth ? sample_material(p.s, p.x, sample_density, sample_gamma, NULL)
                      : sample_material(p.s, p.x, sample_one, sample_constant, &gamma);
  if (keeper) {
    assert_int_equal(fem_space_place(keeper, p.s), 0);
    assert_int_equal(fem_material_place(keeper, p.s, p.material), 0);
    assert_int_equal(halo_place(keeper, p.s->halo), 0);
  }
  return p;
}

/* Nodes moved by a part of their distance, random velocities and energies (some of these negative). */
static inline void deform(problem *p, int seed)
{
  double width = INFINITY;
  for (int z = 0; z < p->s->nzones; z++)
    for (int c = 0; c < p->s->dim; c++)
      width = fmin(width, p->mesh->corners[z * p->mesh->ncorners * p->s->dim + p->s->dim * (1 << c) + c] -
                            p->mesh->corners[z * p->mesh->ncorners * p->s->dim + c]);
  comm_min(&width, 1);
  sample_perturb(p->s, p->mesh, 0.1 * width / (p->s->k * p->s->k), seed, p->x);
  sample_perturb(p->s, p->mesh, 1.0, seed + 1, p->v);
  sample_energies(p->s, p->mesh, -0.2, 2.0, seed + 2, p->e);
}

static inline void destroy(problem *p)
{
  free(p->x);
  free(p->v);
  free(p->e);
  fem_material_destroy(&p->material);
  fem_space_destroy(&p->s);
  mesh_destroy(&p->mesh);
}

/* A corner force run as the row `name`: the state and the results in the memory of the context, and the results
 * here. */
typedef struct run {
  batched_ctx *ctx;
  fem_force *force;
  double *x, *v, *e, *out_f, *out_power, *out_step;
  double *f, *power, step;
} run;

static inline void select_variant(batched_ctx *ctx, const char *name)
{
  assert_int_equal(batched_select(ctx, &fem_stress_op, name), 0);
  assert_int_equal(batched_select(ctx, &fem_force_op, name), 0);
  assert_int_equal(batched_select(ctx, &fem_power_op, name), 0);
}

/* n numbers in the memory of the context. */
static inline double *place(batched_ctx *ctx, int64_t n, const double *from)
{
  double *p = batched_allocate(ctx, sizeof(double) * (size_t)(n + 1));
  assert_non_null(p);
  assert_int_equal(batched_copy_from_host(ctx, p, from, sizeof(double) * (size_t)n), 0);
  return p;
}

static inline void fetch(batched_ctx *ctx, int64_t n, const double *p, double *to)
{
  assert_int_equal(batched_copy_to_host(ctx, to, p, sizeof(double) * (size_t)n), 0);
}

/* A context of the backend, the state in its memory, and places for results that are NaN until they are set. */
static inline void run_open(run *r, const problem *p, batched_space space, const char *name)
{
  const int64_t nk = kinematic(p), nt = thermodynamic(p);
  *r = (run){.step = INFINITY, .f = sample_doubles((size_t)nk), .power = sample_doubles((size_t)nt)};
  for (int64_t i = 0; i < nk; i++) r->f[i] = NAN;
  for (int64_t i = 0; i < nt; i++) r->power[i] = NAN;
  sample_name_subject(name, p->s);
  r->ctx = space == BATCHED_CUDA ? keeper : NULL;
  if (!r->ctx) assert_int_equal(batched_create(&r->ctx, space), 0);
  select_variant(r->ctx, name);
  r->x = place(r->ctx, nk, p->x);
  r->v = place(r->ctx, nk, p->v);
  r->e = place(r->ctx, nt, p->e);
  r->out_f = place(r->ctx, nk, r->f);
  r->out_power = place(r->ctx, nt, r->power);
  r->out_step = place(r->ctx, 1, &r->step);
}

static inline void run_destroy(run *r)
{
  double *all[] = {r->x, r->v, r->e, r->out_f, r->out_power, r->out_step};
  fem_force_destroy(r->ctx, &r->force);
  assert_null(r->force);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) batched_release(r->ctx, all[i]);
  if (r->ctx != keeper) batched_destroy(&r->ctx);
  free(r->f);
  free(r->power);
}

/* false: the row can't do this shape. */
static inline bool run_create_in(run *r, const problem *p, batched_space space, const char *name)
{
  run_open(r, p, space, name);
  const int status = fem_force_create(r->ctx, &r->force, p->s, p->material);
  assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
  if (status == 0) return true;
  run_destroy(r);
  return false;
}

static inline bool run_create(run *r, const problem *p, const char *name)
{
  return run_create_in(r, p, backend, name);
}

/* The largest stable step of all ranks, at most `step`. */
static inline double run_update(run *r, double step)
{
  assert_int_equal(batched_copy_from_host(r->ctx, r->out_step, &step, sizeof step), 0);
  assert_int_equal(fem_force_update(r->ctx, r->force, r->x, r->v, r->e, r->out_step), 0);
  fetch(r->ctx, 1, r->out_step, &step);
  comm_min(&step, 1);
  return step;
}

static inline void run_power(run *r, const problem *p, const double *v)
{
  assert_int_equal(fem_force_power(r->ctx, r->force, v, r->out_power), 0);
  fetch(r->ctx, thermodynamic(p), r->out_power, r->power);
}

static inline void run_all(run *r, const problem *p)
{
  r->step = run_update(r, INFINITY);
  assert_int_equal(fem_force_apply(r->ctx, r->force, r->out_f), 0);
  fetch(r->ctx, kinematic(p), r->out_f, r->f);
  run_power(r, p, r->v);
}

#define FOR_EACH_VARIANT(row) for (const batched_variant *row = fem_stress_op.variants[backend]; row->name; row++)

/* Viscosity off; on; on with the vorticity switch. */
static inline void set_mode(problem *p, int mode)
{
  p->material->constants.viscosity = mode > 0;
  p->material->constants.vorticity = mode > 1;
}

/* Orders and rules, in shapes.def and not: dim, k, t, quadrature order. */
static const int shapes[][4] = {
  {1, 1, 0, 0},  {1, 2, 1, 0}, {1, 3, 2, 0},  {1, 4, 3, 0}, {1, 5, 4, 0},  {1, 6, 5, 0},  {1, 7, 6, 0},  {1, 8, 7, 0},
  {1, 8, 8, 0},  {1, 1, 8, 0}, {1, 8, 0, 0},  {1, 2, 1, 1}, {1, 2, 1, 40}, {1, 3, 3, 9},  {2, 1, 0, 0},  {2, 2, 1, 0},
  {2, 3, 2, 0},  {2, 4, 3, 0}, {2, 5, 4, 0},  {2, 6, 5, 0}, {2, 7, 6, 0},  {2, 8, 7, 0},  {2, 8, 8, 20}, {2, 1, 8, 0},
  {2, 8, 0, 9},  {2, 2, 1, 1}, {2, 2, 1, 21}, {2, 3, 3, 9}, {2, 2, 2, 6},  {2, 3, 0, 10}, {3, 1, 0, 0},  {3, 2, 1, 0},
  {3, 3, 2, 0},  {3, 4, 3, 0}, {3, 5, 4, 7},  {3, 6, 5, 6}, {3, 7, 0, 5},  {3, 8, 1, 4},  {3, 1, 3, 0},  {3, 2, 1, 3},
  {3, 2, 0, 11}, {3, 2, 2, 6}, {3, 3, 0, 10}, {3, 1, 1, 1},
};
enum { NSHAPES = sizeof shapes / sizeof *shapes };

/* Runs the tests, with --gpu those of the rows for a GPU: 77 where there is none. */
static inline int test_rows(int argc, char **argv, const struct CMUnitTest *tests, size_t n)
{
  comm_init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "--gpu") == 0) {
    backend = BATCHED_CUDA;
    sample_numbering = FEM_ZONE_BY_ZONE;
    if (batched_create(&keeper, backend)) {
      if (comm_rank() == 0) puts("There is no GPU here, or CUDA was not built.");
      comm_finalize();
      return 77;
    }
  }
  int failed = _cmocka_run_group_tests("force", tests, n, NULL, NULL);
  batched_destroy(&keeper);
  comm_finalize();
  return failed;
}

#endif
