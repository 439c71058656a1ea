/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every row of the corner force against closed forms: where the stress is the same everywhere, and for a gas at rest.
 * With --gpu the rows for CUDA, where there is a GPU.
 * ranks: 1 2 3
 */
#include "tests/fem/force/force_case.h"

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

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(uniform_stress),
    cmocka_unit_test(time_step_of_a_cube),
  };
  return test_rows(argc, argv, tests, sizeof tests / sizeof *tests);
}
