/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The physics at a point against definitions in long double.
 */
#include "tests/fem/point/point_case.h"

/* ------------------------------------------------------------------ switches */

/* 1 - S(mu - 2 delta), S the clamped cubic on [-delta, delta]: on up to delta, off from 3 delta. */
static void compression_switch(void **state)
{
  (void)state;
  const double delta = 1e-12;
  const double on[] = {-INFINITY, -1e200, -1.0, -delta, -1e-300, 0.0, 1e-300, delta},
               off[] = {3 * delta, 4 * delta, 1.0, 1e200, INFINITY};
  for (int i = 0; i < 8; i++) assert_true(point_compression_switch(on[i]) == 1.0);
  for (int i = 0; i < 5; i++) assert_near(point_compression_switch(off[i]), 0.0, DBL_EPSILON);
  assert_near(point_compression_switch(2 * delta), 0.5, 1e-12);
  for (int i = 1; i < 20; i++) {
    const double mu = (1.0 + 2.0 * i / 20) * delta, y = (mu - 2 * delta + delta) / (2 * delta);
    assert_near(point_compression_switch(mu), 1.0 - (3.0 - 2.0 * y) * y * y, 1e-12);
    assert_true(point_compression_switch(mu) < point_compression_switch(mu - 0.1 * delta));
  }
}

static void vorticity_switch(void **state)
{
  (void)state;
  const double zero[9] = {0}, turn[4] = {0, -3, 3, 0}, compress[9] = {-2, 0, 0, 0, 0, 0, 0, 0, 0};
  const double shear[9] = {0, 5, 0, 0, 0, 0, 0, 0, 0}, mixed[4] = {3, 0, 4, 0},
               square[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
  for (int dim = 1; dim <= 3; dim++) {
    assert_true(point_vorticity_switch(dim, zero) == 1.0);
    assert_true(point_vorticity_switch(dim, compress) == 1.0);
  }
  assert_true(point_vorticity_switch(2, turn) == 0.0);
  assert_true(point_vorticity_switch(3, shear) == 0.0);
  assert_near(point_vorticity_switch(2, mixed), 0.6, 1e-15);
  assert_near(point_vorticity_switch(3, square), sqrt(3.0), 1e-15);
}

/* ------------------------------------------------------------------ gas, time step, stress */

static void gas_law(void **state)
{
  (void)state;
  double density, pressure, sound;
  point_input in = {.mass = 3.0, .energy = 2.5, .gamma = 1.4};
  point_gas(&in, 2.0, &density, &pressure, &sound);
  assert_near(density, 1.5, 1e-15);
  assert_near(pressure, 0.4 * 1.5 * 2.5, 1e-15);
  assert_near(sound, sqrt(1.4 * pressure / density), 1e-15);
  in.energy = -1.0; // a negative energy counts as none
  point_gas(&in, 2.0, &density, &pressure, &sound);
  assert_true(density == 1.5 && pressure == 0.0 && sound == 0.0);
}

static void time_steps(void **state)
{
  (void)state;
  const point_constants k = {.h0 = 1.0, .cfl = 0.5, .order = 2.0};
  const double h = 0.3 / 2.0;
  assert_near(point_time_step(&k, 1.0, 0.3, 2.0, 4.0, 0.0), 0.5 * h / 4.0, 1e-16);
  assert_near(point_time_step(&k, 1.0, 0.3, 2.0, 4.0, 0.7), 0.5 / (4.0 / h + 2.5 * 0.7 / (2.0 * h * h)), 1e-16);
  assert_true(point_time_step(&k, 1.0, 0.3, 2.0, 0.0, 0.0) == INFINITY); // cold and at rest: no limit
  assert_true(point_time_step(&k, -1e-300, 0.3, 2.0, 4.0, 0.0) == 0.0);
  assert_true(point_time_step(&k, 0.0, 0.0, INFINITY, 4.0, 0.0) == 0.0);
  assert_true(point_time_step(&k, NAN, 0.3, 2.0, 4.0, 0.0) == 0.0);
  assert_true(point_time_step(&k, 1.0, NAN, 2.0, 4.0, 0.0) == 0.0);
  assert_true(point_time_step(&k, 1.0, 0.3, NAN, 4.0, 1.0) == 0.0);
  assert_true(point_time_step(&k, 1.0, 0.3, 2.0, NAN, 0.0) == 0.0);
  assert_true(point_time_step(&k, 1.0, 0.3, 2.0, 4.0, NAN) == 0.0);
}

/* weight det sigma J^-T and the step, as the method's text has them, in long double; mu and s are given. */
static long double stress_by_the_text(int dim, const point_constants *k, const point_input *in, const double *s,
                                      long double a[9])
{
  long double adj[9], l[9], eps[9], sigma[9], copy[3][3], w[3];
  double adj_double[9];
  point_adjugate(dim, in->jacobian, adj_double);
  long double det = 0.0L;
  for (int i = 0; i < dim * dim; i++) adj[i] = adj_double[i];
  for (int i = 0; i < dim; i++) det += (long double)in->jacobian[i] * adj[i * dim];
  const long double density = in->mass / (in->weight * det), energy = in->energy > 0.0 ? in->energy : 0.0L;
  const long double pressure = (in->gamma - 1.0L) * density * energy,
                    sound = sqrtl(in->gamma * (in->gamma - 1.0L) * energy);
  long double eta = 0.0L, norm = 0.0L, trace = 0.0L, stretch = 0.0L;
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      l[i * dim + j] = 0.0L;
      for (int m = 0; m < dim; m++) l[i * dim + j] += in->gradient[i * dim + m] * adj[m * dim + j] / det;
      norm += l[i * dim + j] * l[i * dim + j];
      if (i == j) trace += l[i * dim + j];
    }
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) copy[i][j] = eps[i * dim + j] = (l[i * dim + j] + l[j * dim + i]) / 2;
  eigenvalues(dim, copy, w);
  for (int i = 0; i < dim; i++) {
    long double component = 0.0L;
    for (int j = 0; j < dim; j++)
      for (int m = 0; m < dim; m++)
        component += (long double)in->jacobian[i * dim + j] * in->initial_inverse[j * dim + m] * s[m];
    stretch += component * component;
  }
  const long double h = k->h0 * sqrtl(stretch), psi = k->vorticity ? fabsl(trace) / sqrtl(norm) : 1.0L;
  if (k->viscosity) {
    eta = 2 * density * h * h * fabsl(w[0]);
    if (w[0] <= 1e-12L) eta += density * h * sound * psi / 2;
  }
  for (int i = 0; i < dim * dim; i++) sigma[i] = eta * eps[i] - (i % (dim + 1) == 0 ? pressure : 0.0L);
  for (int c = 0; c < dim; c++)
    for (int g = 0; g < dim; g++) {
      a[c * dim + g] = 0.0L;
      for (int m = 0; m < dim; m++) a[c * dim + g] += in->weight * sigma[c * dim + m] * adj[g * dim + m];
    }
  singular_values(dim, in->jacobian, w);
  const long double shortest = w[dim - 1] / k->order;
  return k->cfl / (sound / shortest + 2.5L * eta / (density * shortest * shortest));
}

static void stress(void **state)
{
  (void)state;
  uint64_t random = 5;
  for (int dim = 1; dim <= 3; dim++)
    for (int mode = 0; mode < 4; mode++)
      for (int n = 0; n < 200; n++) {
        const point_constants k = {.h0 = 0.2, .cfl = 0.5, .order = 2, .viscosity = mode > 0, .vorticity = mode > 1};
        point_input in = random_point(dim, &random);
        if (mode == 3) in.energy = -in.energy;
        double a[9], adj[9], l[9], eps[9] = {0}, s[3];
        long double exact[9];
        const double det = point_adjugate(dim, in.jacobian, adj);
        if (det < 0.05) continue;
        for (int i = 0; i < dim * dim; i++) l[i] = 0.0;
        for (int i = 0; i < dim * dim; i++)
          for (int m = 0; m < dim; m++) l[i] += in.gradient[i / dim * dim + m] * adj[m * dim + i % dim] / det;
        for (int i = 0; i < dim * dim; i++) eps[i] = 0.5 * (l[i] + l[i % dim * dim + i / dim]);
        point_smallest_eigenpair(dim, eps, s); // checked above; eigenvectors are unique but for the sign
        const double step = point_stress(dim, &k, &in, INFINITY, a);
        const long double exact_step = stress_by_the_text(dim, &k, &in, s, exact);
        double size = 0.0;
        for (int i = 0; i < dim * dim; i++) size = fmax(size, fabs((double)exact[i]));
        for (int i = 0; i < dim * dim; i++) assert_near(a[i], (double)exact[i], 1e-11 * size);
        if (isinf((double)exact_step))
          assert_true(step == INFINITY);
        else
          assert_near(step, (double)exact_step, 1e-11 * (double)exact_step);
      }
}

/* At rest the linear term is on (mu = 0, s = e_1): it limits the time step, though it makes no stress. */
static void at_rest(void **state)
{
  (void)state;
  const point_constants k = {.h0 = 0.2, .cfl = 1.0, .order = 1, .viscosity = true};
  point_input in = {.jacobian = {2, 0, 0, 0, 1, 0, 0, 0, 1},
                    .initial_inverse = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                    .mass = 2.0,
                    .weight = 1.0,
                    .energy = 1.0,
                    .gamma = 2.0};
  double a[9];
  const double sound = sqrt(2.0), eta = 0.5 * 1.0 * (0.2 * 2.0) * sound; // h0 |J e_1| = 0.4
  assert_near(point_stress(3, &k, &in, INFINITY, a), 1.0 / (sound + 2.5 * eta), 1e-15);
  const double exact[9] = {-1, 0, 0, 0, -2, 0, 0, 0, -2}; // -p adj(J), p = 1
  for (int i = 0; i < 9; i++) assert_near(a[i], exact[i], 1e-15);
}

static void inverted_zones_stop_the_step(void **state)
{
  (void)state;
  uint64_t random = 6;
  for (int dim = 1; dim <= 3; dim++)
    for (int viscosity = 0; viscosity < 2; viscosity++)
      for (int n = 0; n < 50; n++) {
        const point_constants k = {.h0 = 0.2, .cfl = 0.5, .order = 2, .viscosity = viscosity};
        point_input in = random_point(dim, &random);
        double a[9], adj[9];
        if (!(point_adjugate(dim, in.jacobian, adj) > 0.0)) continue;
        for (int j = 0; j < dim; j++) in.jacobian[j] = -in.jacobian[j];
        assert_true(point_stress(dim, &k, &in, INFINITY, a) == 0.0);
        in.jacobian[0] = NAN;
        assert_true(point_stress(dim, &k, &in, INFINITY, a) == 0.0);
        for (int j = 0; j < dim * dim; j++) in.jacobian[j] = 0.0;
        assert_true(point_stress(dim, &k, &in, INFINITY, a) == 0.0);
        in = random_point(dim, &random);
        in.gradient[dim * dim - 1] = NAN;
        if (viscosity) assert_true(point_stress(dim, &k, &in, INFINITY, a) == 0.0);
      }
}

/* With a limit the step is exact below it, and at least the limit where it is not. */
static void limited_steps(void **state)
{
  (void)state;
  uint64_t random = 9;
  int64_t saved = 0;
  for (int dim = 1; dim <= 3; dim++)
    for (int n = 0; n < 2000; n++) {
      const point_constants k = {.h0 = 0.2, .cfl = 0.5, .order = 2, .viscosity = n % 2};
      point_input in = random_point(dim, &random);
      if (n % 7 == 0) in.jacobian[0] -= 4.0;
      if (n % 11 == 0) in.jacobian[dim * dim - 1] = NAN;
      if (n % 13 == 0) in.energy = 0.0;
      double a[9], same[9];
      const double step = point_stress(dim, &k, &in, INFINITY, a);
      const double limits[] = {0.01 * step, 0.7 * step, 0.999 * step, 1.001 * step, 100.0 * step, 1e-3, 1e3, 0.0};
      for (int i = 0; i < 8; i++) {
        const double limited = point_stress(dim, &k, &in, limits[i], same);
        if (step < limits[i])
          assert_near(limited, step, 1e-12 * step);
        else
          assert_true(limited >= limits[i] || isnan(limits[i]));
        saved += limited != step;
      }
    }
  assert_true(saved > 10000); // the bounds are good for something
}

static void manufactured_source(void **state)
{
  (void)state;
  assert_true(point_source_at(POINT_NO_SOURCE, (double[]){0.2, 0.6}) == 0.0);
  for (int i = 0; i <= 40; i++)
    for (int j = 0; j <= 40; j++) {
      const double x = i / 40.0, y = j / 40.0, along = cos(3 * M_PI * x) * cos(M_PI * y);
      assert_near(point_source_at(POINT_TAYLOR_GREEN, (double[]){x, y}),
                  3 * M_PI / 8 * (along - cos(M_PI * x) * cos(3 * M_PI * y)), 4e-15);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(compression_switch),
    cmocka_unit_test(vorticity_switch),
    cmocka_unit_test(gas_law),
    cmocka_unit_test(time_steps),
    cmocka_unit_test(stress),
    cmocka_unit_test(at_rest),
    cmocka_unit_test(inverted_zones_stop_the_step),
    cmocka_unit_test(limited_steps),
    cmocka_unit_test(manufactured_source),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
