/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every row of the corner force against what F must do (transpose, free stream, closed forms) and against host.ref.  With --gpu the
 * rows for CUDA, where there is a GPU.
 * ranks: 1 2 3
 */
#include <stdio.h>

#include "fem/tables.h"
#include "samples.h"

/* The backend whose rows are tested, and on a GPU the one context for all of it: the problems' constant arrays and what their halos need
 * are in its memory. */
static batched_space backend = BATCHED_HOST;
static batched_ctx *keeper;

typedef struct problem {
  mesh *mesh;
  fem_space *s;
  fem_material *material;
  double *x, *v, *e;
} problem;

static int64_t kinematic(const problem *p)
{
  return (int64_t)p->s->dim * p->s->ndofs;
}

static int64_t thermodynamic(const problem *p)
{
  return (int64_t)p->s->nzones * p->s->nt;
}

/* Takes the mesh; a smooth material with a gamma of its own in every zone, or density and gamma 1 and 1.4. */
static problem make(mesh *m, int k, int t, int quadrature_order, bool smooth)
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
static void deform(problem *p, int seed)
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

static void destroy(problem *p)
{
  free(p->x);
  free(p->v);
  free(p->e);
  fem_material_destroy(&p->material);
  fem_space_destroy(&p->s);
  mesh_destroy(&p->mesh);
}

/* A corner force run as the row `name`: the state and the results in the memory of the context, and the results here. */
typedef struct run {
  batched_ctx *ctx;
  fem_force *force;
  double *x, *v, *e, *out_f, *out_power, *out_step;
  double *f, *power, step;
} run;

static void select_variant(batched_ctx *ctx, const char *name)
{
  assert_int_equal(batched_select(ctx, &fem_stress_op, name), 0);
  assert_int_equal(batched_select(ctx, &fem_force_op, name), 0);
  assert_int_equal(batched_select(ctx, &fem_power_op, name), 0);
}

/* n numbers in the memory of the context. */
static double *place(batched_ctx *ctx, int64_t n, const double *from)
{
  double *p = batched_allocate(ctx, sizeof(double) * (size_t)(n + 1));
  assert_non_null(p);
  assert_int_equal(batched_copy_from_host(ctx, p, from, sizeof(double) * (size_t)n), 0);
  return p;
}

static void fetch(batched_ctx *ctx, int64_t n, const double *p, double *to)
{
  assert_int_equal(batched_copy_to_host(ctx, to, p, sizeof(double) * (size_t)n), 0);
}

/* A context of the backend, the state in its memory, and places for results that are NaN until they are set. */
static void run_open(run *r, const problem *p, batched_space space, const char *name)
{
  const int64_t nk = kinematic(p), nt = thermodynamic(p);
  *r = (run){.step = INFINITY, .f = sample_doubles((size_t)nk), .power = sample_doubles((size_t)nt)};
  for (int64_t i = 0; i < nk; i++) r->f[i] = NAN;
  for (int64_t i = 0; i < nt; i++) r->power[i] = NAN;
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

static void run_destroy(run *r)
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
static bool run_create_in(run *r, const problem *p, batched_space space, const char *name)
{
  run_open(r, p, space, name);
  const int status = fem_force_create(r->ctx, &r->force, p->s, p->material);
  assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
  if (status == 0) return true;
  run_destroy(r);
  return false;
}

static bool run_create(run *r, const problem *p, const char *name)
{
  return run_create_in(r, p, backend, name);
}

/* The largest stable step of all ranks, at most `step`. */
static double run_update(run *r, double step)
{
  assert_int_equal(batched_copy_from_host(r->ctx, r->out_step, &step, sizeof step), 0);
  assert_int_equal(fem_force_update(r->ctx, r->force, r->x, r->v, r->e, r->out_step), 0);
  fetch(r->ctx, 1, r->out_step, &step);
  comm_min(&step, 1);
  return step;
}

static void run_power(run *r, const problem *p, const double *v)
{
  assert_int_equal(fem_force_power(r->ctx, r->force, v, r->out_power), 0);
  fetch(r->ctx, thermodynamic(p), r->out_power, r->power);
}

static void run_all(run *r, const problem *p)
{
  r->step = run_update(r, INFINITY);
  assert_int_equal(fem_force_apply(r->ctx, r->force, r->out_f), 0);
  fetch(r->ctx, kinematic(p), r->out_f, r->f);
  run_power(r, p, r->v);
}

#define FOR_EACH_VARIANT(row) for (const batched_variant *row = fem_stress_op.variants[backend]; row->name; row++)

/* Viscosity off; on; on with the vorticity switch. */
static void set_mode(problem *p, int mode)
{
  p->material->constants.viscosity = mode > 0;
  p->material->constants.vorticity = mode > 1;
}

/* The same bits as before, on this rank. */
static void assert_repeats(const problem *p, const run *r, const double *f, const double *power)
{
  assert_memory_equal(r->f, f, sizeof(double) * (size_t)kinematic(p));
  assert_memory_equal(r->power, power, sizeof(double) * (size_t)thermodynamic(p));
}

static void check_against_reference(problem *p, bool twice)
{
  run reference;
  double *f = sample_doubles((size_t)kinematic(p)), *power = sample_doubles((size_t)thermodynamic(p));
  assert_true(run_create_in(&reference, p, BATCHED_HOST, "host.ref"));
  run_all(&reference, p);
  assert_true(isfinite(sample_largest(kinematic(p), reference.f, NULL)));
  FOR_EACH_VARIANT(row)
  {
    run r;
    if (!run_create(&r, p, row->name)) continue;
    run_all(&r, p);
    if (twice) { // nothing is left from an earlier state
      memcpy(f, r.f, sizeof(double) * (size_t)kinematic(p));
      memcpy(power, r.power, sizeof(double) * (size_t)thermodynamic(p));
      run_all(&r, p);
      assert_repeats(p, &r, f, power);
    }
    assert_vectors_near(kinematic(p), r.f, reference.f, 1e-12);
    assert_vectors_near(thermodynamic(p), r.power, reference.power, 1e-12);
    assert_near(r.step, reference.step, 1e-11 * reference.step);
    run_destroy(&r);
  }
  run_destroy(&reference);
  free(f);
  free(power);
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

static void variants_agree(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    const int *shape = shapes[i], dim = shape[0];
    const bool heavy = dim == 3 && shape[1] > 3;
    mesh *m = sample_box_mesh(dim, dim == 1 ? (int[]){11} : heavy ? (int[]){2, 1, 1} : (int[]){3, 3, 1});
    problem p = make(m, shape[1], shape[2], shape[3], true);
    deform(&p, i);
    for (int mode = heavy ? 2 : 0; mode < 3; mode++) {
      set_mode(&p, mode);
      check_against_reference(&p, false);
    }
    destroy(&p);
  }
}

/* Any number of zones, on ranks that may have none: blocks that are full, or not. */
static void any_number_of_zones(void **state)
{
  (void)state;
  for (int zones = 1; zones <= 34; zones += zones < 10 ? 1 : 3)
    for (int dim = 1; dim <= 3; dim++) {
      if (dim > 1 && zones > 20) continue;
      problem p = make(sample_box_mesh(dim, (int[]){zones, 1, 1}), 2, 1, 0, true);
      deform(&p, zones);
      set_mode(&p, 1);
      check_against_reference(&p, true);
      destroy(&p);
    }
}

static void unstructured_meshes(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int refine = 1; refine <= (dim == 2 ? 3 : 1); refine++) {
      problem p = make(sample_mesh(sample_star(dim, 5, 3), refine), 2, 1, 0, true);
      sample_perturb(p.s, p.mesh, 0.01, 1, p.x);
      sample_perturb(p.s, p.mesh, 1.0, 2, p.v);
      sample_energies(p.s, p.mesh, 0.1, 2.0, 3, p.e);
      set_mode(&p, 2);
      check_against_reference(&p, false);
      destroy(&p);
    }
}

/* u . (F 1) = 1 . (F^T u) for any u, not only the state's velocity. */
static void power_is_the_transpose(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    const int *shape = shapes[i], dim = shape[0];
    if (dim == 3 && shape[1] > 4) continue;
    problem p =
      make(sample_box_mesh(dim, dim == 1 ? (int[]){7} : (int[]){3, 1, 1}), shape[1], shape[2], shape[3], true);
    deform(&p, i);
    set_mode(&p, 1);
    double *u = sample_doubles((size_t)kinematic(&p)), *ones = sample_doubles((size_t)thermodynamic(&p));
    sample_perturb(p.s, p.mesh, 1.0, 77, u);
    for (int64_t j = 0; j < thermodynamic(&p); j++) ones[j] = 1.0;
    FOR_EACH_VARIANT(row)
    {
      run r;
      if (!run_create(&r, &p, row->name)) continue;
      run_all(&r, &p);
      double *on_device = place(r.ctx, kinematic(&p), u);
      run_power(&r, &p, on_device);
      batched_release(r.ctx, on_device);
      const double left = sample_dot(p.s, dim, u, r.f), right = sample_dot_local(thermodynamic(&p), ones, r.power);
      const double size = fem_norm_kinematic(p.s, dim, u) * fem_norm_kinematic(p.s, dim, r.f);
      assert_near(left, right, 1e-13 * size);
      run_destroy(&r);
    }
    free(u);
    free(ones);
    destroy(&p);
  }
}

/* One pressure everywhere: no force inside; on the walls the pressure times their area, along the normal. */
static void free_stream(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= (dim == 3 ? 3 : FEM_MAX_ORDER); k++) {
      problem p = make(sample_box_mesh(dim, dim == 1 ? (int[]){7} : (int[]){3, 2, 2}), k, k - 1, 0, false);
      for (int64_t i = 0; i < thermodynamic(&p); i++) p.e[i] = 2.5;
      const double pressure = 0.4 * 2.5;
      FOR_EACH_VARIANT(row)
      {
        run r;
        double walls[6] = {0.0};
        if (!run_create(&r, &p, row->name)) continue;
        run_all(&r, &p);
        for (int c = 0; c < dim; c++)
          for (int i = 0; i < p.s->nowned; i++) {
            const double at = p.x[c * p.s->ndofs + i], f = r.f[c * p.s->ndofs + i];
            if (at == 0.0)
              walls[2 * c] += f;
            else if (at == sample_size[c])
              walls[2 * c + 1] += f;
            else
              assert_near(f, 0.0, 1e-13);
          }
        comm_sum(walls, 6);
        for (int c = 0; c < dim; c++) {
          double area = 1.0;
          for (int d = 0; d < dim; d++) area *= d == c ? 1.0 : sample_size[d];
          assert_near(walls[2 * c], pressure * area, 1e-13);
          assert_near(walls[2 * c + 1], -pressure * area, 1e-13);
        }
        for (int64_t i = 0; i < thermodynamic(&p); i++) assert_true(r.power[i] == 0.0); // at rest
        run_destroy(&r);
      }
      destroy(&p);
    }
}

/* Forces are internal: their sum is zero.  A rigid motion does no work; without viscosity nor does it change the force. */
static void rigid_motion(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++) {
    problem p = make(sample_box_mesh(dim, (int[]){4, 2, 2}), 2, 1, 0, true);
    deform(&p, 5);
    set_mode(&p, 1);
    const double spin = dim > 1 ? 0.7 : 0.0;
    for (int i = 0; i < p.s->ndofs; i++) {
      const double x = p.x[i], y = dim > 1 ? p.x[p.s->ndofs + i] : 0.0;
      p.v[i] = 1.5 - spin * y;
      if (dim > 1) p.v[p.s->ndofs + i] = -0.3 + spin * x;
      if (dim > 2) p.v[2 * p.s->ndofs + i] = 0.9;
    }
    FOR_EACH_VARIANT(row)
    {
      run r;
      if (!run_create(&r, &p, row->name)) continue;
      run_all(&r, &p);
      for (int c = 0; c < dim; c++) {
        double sum = 0.0;
        for (int i = 0; i < p.s->nowned; i++) sum += r.f[c * p.s->ndofs + i];
        comm_sum(&sum, 1);
        assert_near(sum, 0.0, 1e-13);
      }
      assert_near(sample_largest(thermodynamic(&p), r.power, NULL), 0.0, 1e-13);
      run_destroy(&r);
    }
    destroy(&p);
  }
}

/* ------------------------------------------------------------------ closed forms */

/* A box stretched by a[d], with v = L x, constant energy, density 1 at first, gamma 1.4: the same stress everywhere. */
typedef struct uniform {
  double a[3], l[9], energy;
} uniform;

typedef struct answer {
  double sigma[9], step; /* step: for cfl 0.5 */
} answer;

/* L = Q diag(-2, 1, 0.5) Q^T + a turn, Q a rotation about the last axis: the smallest eigenpair is -2 and Q e_1. */
static uniform make_uniform(int dim, bool turning)
{
  const double d[3] = {-2.0, 1.0, 0.5}, c = dim > 1 ? 0.8 : 1.0, s = dim > 1 ? 0.6 : 0.0;
  const double q[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
  uniform u = {.a = {1.5, 0.8, 0.9}, .energy = 1.7};
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++)
      for (int m = 0; m < dim; m++) u.l[i * dim + j] += q[3 * i + m] * d[m] * q[3 * j + m];
  if (turning && dim > 1) u.l[1] += 0.6, u.l[dim] -= 0.6;
  return u;
}

static answer solve_uniform(const problem *p, const uniform *u, int mode)
{
  const int dim = p->s->dim;
  const point_constants *k = &p->material->constants;
  const double s[3] = {dim > 1 ? 0.8 : 1.0, dim > 1 ? 0.6 : 0.0, 0.0};
  double volume = 1.0, stretch = 0.0, trace = 0.0, norm = 0.0, shortest = INFINITY, cells[3] = {3, 2, 1};
  for (int d = 0; d < dim; d++) {
    volume *= u->a[d];
    stretch += u->a[d] * u->a[d] * s[d] * s[d];
    trace += u->l[d * dim + d];
    shortest = fmin(shortest, u->a[d] * sample_size[d] / cells[d] / p->s->k);
  }
  for (int i = 0; i < dim * dim; i++) norm += u->l[i] * u->l[i];
  const double density = 1.0 / volume, pressure = 0.4 * density * u->energy, sound = sqrt(1.4 * 0.4 * u->energy);
  const double h = k->h0 * sqrt(stretch), psi = mode > 1 ? fabs(trace) / sqrt(norm) : 1.0;
  const double eta = mode > 0 ? 2.0 * density * h * h * 2.0 + 0.5 * density * h * sound * psi : 0.0;
  answer exact = {.step = 0.5 / (sound / shortest + 2.5 * eta / (density * shortest * shortest))};
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++)
      exact.sigma[i * dim + j] = 0.5 * eta * (u->l[i * dim + j] + u->l[j * dim + i]) - (i == j ? pressure : 0.0);
  return exact;
}

static double contract(int dim, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < dim * dim; i++) sum += a[i] * b[i];
  return sum;
}

/* field = matrix x, an L-vector. */
static void linear_field(const problem *p, const double *matrix, double *field)
{
  const int dim = p->s->dim, n = p->s->ndofs;
  for (int c = 0; c < dim; c++)
    for (int i = 0; i < n; i++) {
      field[c * n + i] = 0.0;
      for (int d = 0; d < dim; d++) field[c * n + i] += matrix[c * dim + d] * p->x[d * n + i];
    }
}

/* u . (F 1) = volume sigma : M for u = M x;  (F^T v)_j = sigma : L volume of the zone / coefficients of the zone. */
static void check_uniform(problem *p, const uniform *u, int mode, const char *name)
{
  const int dim = p->s->dim;
  const double m[9] = {0.3, -1.1, 0.4, 0.9, 0.2, -0.7, 1.3, -0.5, 0.6};
  const answer exact = solve_uniform(p, u, mode);
  double volume = p->material->volume;
  for (int d = 0; d < dim; d++) volume *= u->a[d];
  run r;
  if (!run_create(&r, p, name)) return;
  run_all(&r, p);
  const double power = contract(dim, exact.sigma, u->l) * volume / (double)p->s->nzones_global / p->s->nt;
  for (int64_t j = 0; j < thermodynamic(p); j++) assert_near(r.power[j], power, 1e-12 * (fabs(power) + 1.0 / p->s->nt));
  double *field = sample_doubles((size_t)kinematic(p));
  linear_field(p, m, field);
  assert_near(sample_dot(p->s, dim, field, r.f), contract(dim, exact.sigma, m) * volume, 1e-12);
  assert_near(r.step, exact.step, 1e-12 * exact.step);
  free(field);
  run_destroy(&r);
}

static void uniform_stress(void **state)
{
  (void)state;
  for (int i = 0; i < NSHAPES; i++) {
    const int *shape = shapes[i], dim = shape[0];
    if (shape[3] || (dim == 3 && shape[1] > 3)) continue; // closed forms need rules that are exact
    for (int mode = 0; mode < 4; mode++) {
      const uniform u = make_uniform(dim, mode == 3);
      problem p = make(sample_box_mesh(dim, (int[]){3, 2, 1}), shape[1], shape[2], 0, false);
      set_mode(&p, mode);
      for (int64_t j = 0; j < thermodynamic(&p); j++) p.e[j] = u.energy;
      for (int d = 0; d < dim; d++)
        for (int j = 0; j < p.s->ndofs; j++) p.x[d * p.s->ndofs + j] *= u.a[d];
      linear_field(&p, u.l, p.v);
      FOR_EACH_VARIANT(row) check_uniform(&p, &u, mode, row->name);
      destroy(&p);
    }
  }
}

/* A gas at rest in cubes of side 1/2 without viscosity: cfl side / (k sound). */
static void time_step_of_a_cube(void **state)
{
  (void)state;
  for (int k = 1; k <= 4; k++) {
    mesh_coarse *c;
    assert_int_equal(mesh_coarse_box(&c, 3, (double[]){0, 0, 0}, (double[]){1, 1, 1}, (int[]){1, 1, 2, 2, 3, 3}), 0);
    problem p = make(sample_mesh(c, 2), k, 0, 0, false);
    for (int64_t i = 0; i < thermodynamic(&p); i++) p.e[i] = 1.0;
    FOR_EACH_VARIANT(row)
    {
      run r;
      if (!run_create(&r, &p, row->name)) continue;
      run_all(&r, &p);
      assert_near(r.step, 0.5 * 0.5 / (k * sqrt(0.56)), 1e-13);
      assert_true(run_update(&r, 1e-9) == 1e-9); // it is only lowered
      run_destroy(&r);
    }
    destroy(&p);
  }
}

/* One bad zone is enough, wherever it is in its block. */
static void bad_zones_stop_the_step(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int which = 0; which < 9; which++)
      for (int kind = 0; kind < 3; kind++) {
        problem p = make(sample_box_mesh(dim, (int[]){9, 1, 1}), 2, 1, 0, false);
        set_mode(&p, kind == 2);
        for (int64_t i = 0; i < thermodynamic(&p); i++) p.e[i] = 1.0;
        for (int z = 0; z < p.s->nzones; z++) {
          double *middle =
            &p.x[p.s->dofs[z * p.s->nd + p.s->nd / 2]]; // the node in the centre belongs to this zone alone
          if (p.mesh->zone_ids[z] == which) *middle = kind == 0 ? *middle + 1.0 : kind == 1 ? NAN : *middle - 1.0;
        }
        FOR_EACH_VARIANT(row)
        {
          run r;
          if (!run_create(&r, &p, row->name)) continue;
          run_all(&r, &p);
          assert_true(r.step == 0.0);
          run_destroy(&r);
        }
        destroy(&p);
      }
}

/* ------------------------------------------------------------------ the source, and no memory */

static double sine_integral(int n, double to)
{
  return sin(n * M_PI * to) / (n * M_PI);
}

/* The b_j sum to 1, so the entries sum to the integral of the source over the moved mesh, here half of the box. */
static void source(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(2, (int[]){4, 3}), 4, 3, 0, false);
  const double a = 0.5 * sample_size[0], b = 0.5 * sample_size[1];
  const double exact =
    3 * M_PI / 8 * (sine_integral(3, a) * sine_integral(1, b) - sine_integral(1, a) * sine_integral(3, b));
  for (int i = 0; i < 2 * p.s->ndofs; i++) p.x[i] *= 0.5;
  for (const batched_variant *row = fem_source_op.variants[backend]; row->name; row++) {
    batched_ctx *ctx;
    double sum = 0.0;
    for (int64_t i = 0; i < thermodynamic(&p); i++) p.e[i] = 3.0;
    assert_int_equal(batched_create(&ctx, backend), 0);
    assert_int_equal(batched_select(ctx, &fem_source_op, row->name), 0);
    double *x = place(ctx, kinematic(&p), p.x), *e = place(ctx, thermodynamic(&p), p.e);
    p.material->source = POINT_NO_SOURCE;
    assert_int_equal(fem_source_add(ctx, p.s, p.material, x, e), 0);
    fetch(ctx, thermodynamic(&p), e, p.e);
    for (int64_t i = 0; i < thermodynamic(&p); i++) assert_true(p.e[i] == 3.0); // no source
    p.material->source = POINT_TAYLOR_GREEN;
    assert_int_equal(fem_source_add(ctx, p.s, p.material, x, e), 0);
    fetch(ctx, thermodynamic(&p), e, p.e);
    for (int64_t i = 0; i < thermodynamic(&p); i++) sum += p.e[i] - 3.0; // it is added
    comm_sum(&sum, 1);
    assert_near(sum, exact, 1e-11);
    batched_release(ctx, x);
    batched_release(ctx, e);
    batched_destroy(&ctx);
  }
  destroy(&p);
}

/* The n-th allocation fails, for every n: a status, nothing lost, and the next attempt works. */
static void no_memory(void **state)
{
  (void)state;
  problem p = make(sample_box_mesh(2, (int[]){3, 3}), 2, 1, 0, true);
  deform(&p, 4);
  set_mode(&p, 1);
  FOR_EACH_VARIANT(row)
  {
    int status = BATCHED_NO_MEMORY, n = 0;
    run r;
    if (!run_create(&r, &p, row->name)) continue;
    run_destroy(&r);
    for (; status && n < 100; n++) {
      run_open(&r, &p, backend, row->name);
      batched_fail_allocation(n);
      status = fem_force_create(r.ctx, &r.force, p.s, p.material);
      assert_true(status ? !r.force : !!r.force);
      if (!status) status = fem_force_update(r.ctx, r.force, r.x, r.v, r.e, r.out_step);
      if (!status) status = fem_force_power(r.ctx, r.force, r.v, r.out_power);
      if (r.force && fem_force_apply(r.ctx, r.force, r.out_f))
        status = BATCHED_NO_MEMORY; // collective: all ranks come here
      batched_fail_allocation(-1);
      assert_true(status == 0 || status == BATCHED_NO_MEMORY);
      run_destroy(&r);
    }
    assert_true(n < 100);
  }
  destroy(&p);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(variants_agree),
    cmocka_unit_test(any_number_of_zones),
    cmocka_unit_test(unstructured_meshes),
    cmocka_unit_test(power_is_the_transpose),
    cmocka_unit_test(free_stream),
    cmocka_unit_test(rigid_motion),
    cmocka_unit_test(uniform_stress),
    cmocka_unit_test(time_step_of_a_cube),
    cmocka_unit_test(bad_zones_stop_the_step),
    cmocka_unit_test(source),
    cmocka_unit_test(no_memory),
  };
  comm_init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "--gpu") == 0) {
    backend = BATCHED_CUDA;
    if (batched_create(&keeper, backend)) {
      if (comm_rank() == 0) puts("There is no GPU here, or CUDA was not built.");
      comm_finalize();
      return 77;
    }
  }
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  batched_destroy(&keeper);
  comm_finalize();
  return failed;
}
