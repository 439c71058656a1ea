/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The physics at a point against definitions in long double, and one point at a time against many.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "../mesh/samples.h"
#include "fem/point.h"
#include "point_lanes.h"

static void assert_near(double a, double exact, double tolerance)
{
  if (!(fabs(a - exact) <= tolerance)) fail_msg("%.17g is not %.17g to %.1g", a, exact, tolerance);
}

/* ------------------------------------------------------------------ long double */

/* Eigenvalues of a symmetric n x n matrix, ascending: cyclic Jacobi until nothing is left. */
static void eigenvalues(int n, long double a[3][3], long double *w)
{
  for (int sweep = 0; sweep < 40; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (a[p][q] == 0.0L) continue;
        const long double theta = 0.5L * atan2l(2.0L * a[p][q], a[q][q] - a[p][p]), c = cosl(theta), s = sinl(theta);
        for (int i = 0; i < n; i++) {
          const long double x = a[i][p], y = a[i][q];
          a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
        }
        for (int i = 0; i < n; i++) {
          const long double x = a[p][i], y = a[q][i];
          a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
        }
      }
  for (int i = 0; i < n; i++) w[i] = a[i][i];
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (w[j] < w[i]) {
        const long double swap = w[i];
        w[i] = w[j], w[j] = swap;
      }
}

/* Singular values, descending, by one-sided Jacobi: the small ones to high relative accuracy. */
static void singular_values(int n, const double *a, long double *w)
{
  long double u[3][3]; // u[j]: column j
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) u[j][i] = a[i * n + j];
  for (int sweep = 0; sweep < 40; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        long double pp = 0.0L, qq = 0.0L, pq = 0.0L;
        for (int i = 0; i < n; i++) pp += u[p][i] * u[p][i], qq += u[q][i] * u[q][i], pq += u[p][i] * u[q][i];
        if (pq == 0.0L) continue;
        const long double theta = 0.5L * atan2l(2.0L * pq, qq - pp), c = cosl(theta), s = sinl(theta);
        for (int i = 0; i < n; i++) {
          const long double x = u[p][i], y = u[q][i];
          u[p][i] = c * x - s * y, u[q][i] = s * x + c * y;
        }
      }
  for (int j = 0; j < n; j++) {
    long double sum = 0.0L;
    for (int i = 0; i < n; i++) sum += u[j][i] * u[j][i];
    w[j] = sqrtl(sum);
  }
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (w[j] > w[i]) {
        const long double swap = w[i];
        w[i] = w[j], w[j] = swap;
      }
}

/* ------------------------------------------------------------------ matrices to try */

static void random_matrix(int n, double *a, uint64_t *state)
{
  for (int i = 0; i < n; i++) a[i] = sample_uniform(state);
}

static void random_symmetric(int dim, double *a, uint64_t *state)
{
  random_matrix(dim * dim, a, state);
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < i; j++) a[i * dim + j] = a[j * dim + i];
}

/* Q diag(d) Q^T with a random rotation Q. */
static void with_eigenvalues(int dim, const double *d, double *a, uint64_t *state)
{
  memset(a, 0, 9 * sizeof *a);
  for (int i = 0; i < dim; i++) a[i * dim + i] = d[i];
  for (int p = 0; p < dim; p++)
    for (int q = p + 1; q < dim; q++) {
      const double angle = M_PI * sample_uniform(state), c = cos(angle), s = sin(angle);
      for (int i = 0; i < dim; i++) {
        const double x = a[i * dim + p], y = a[i * dim + q];
        a[i * dim + p] = c * x - s * y, a[i * dim + q] = s * x + c * y;
      }
      for (int i = 0; i < dim; i++) {
        const double x = a[p * dim + i], y = a[q * dim + i];
        a[p * dim + i] = c * x - s * y, a[q * dim + i] = s * x + c * y;
      }
    }
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < i; j++) a[i * dim + j] = a[j * dim + i];
}

/* The value to a few eps of the norm, a unit vector, a small residual: whatever the scale. */
static void check_eigenpair(int dim, const double *a)
{
  double s[3] = {NAN, NAN, NAN}, norm = 0.0, length = 0.0;
  long double copy[3][3], w[3];
  const double mu = point_smallest_eigenpair(dim, a, s);
  for (int i = 0; i < dim * dim; i++) norm = fmax(norm, fabs(a[i]));
  for (int i = 0; i < dim * dim; i++) copy[i / dim][i % dim] = norm > 0.0 ? (long double)a[i] / norm : 0.0L;
  eigenvalues(dim, copy, w);
  for (int i = 0; i < dim; i++) length += s[i] * s[i];
  assert_near(length, 1.0, 20 * DBL_EPSILON);
  if (norm < DBL_MIN) { // as good as zero
    assert_near(mu, 0.0, 3 * norm);
    return;
  }
  assert_near(mu / norm, (double)w[0], 10 * DBL_EPSILON);
  for (int i = 0; i < dim; i++) {
    long double residual = -(long double)mu * s[i];
    for (int j = 0; j < dim; j++) residual += (long double)a[i * dim + j] * s[j];
    assert_near((double)(residual / norm), 0.0, 20 * DBL_EPSILON);
  }
}

static const double scales[] = {1.0, 1e-12, 1e12, 1e-200, 1e200, 1e-300, 1e300, 1e-310};
enum { NSCALES = sizeof scales / sizeof *scales };

static void eigenpairs_at_any_scale(void **state)
{
  (void)state;
  uint64_t random = 1;
  for (int dim = 1; dim <= 3; dim++)
    for (int scale = 0; scale < NSCALES; scale++)
      for (int i = 0; i < 200; i++) {
        double a[9];
        random_symmetric(dim, a, &random);
        for (int j = 0; j < dim * dim; j++) a[j] *= scales[scale];
        check_eigenpair(dim, a);
      }
}

/* Double and nearly double eigenvalues, rank one, entries of very different size. */
static void eigenpairs_in_hard_cases(void **state)
{
  (void)state;
  const double cases[][3] = {{1, 1, 1},     {-1, -1, 1},        {-1, 1, 1},       {0, 0, 1},
                             {0, 0, -1},    {1, 1 + 1e-15, 2},  {1, 1 + 1e-8, 2}, {-1, -1 + 1e-12, 0},
                             {1e-16, 1, 1}, {-1e-16, 1e-16, 1}, {1, 1e8, 1e16},   {-1, 1e-10, 1e-20}};
  uint64_t random = 2;
  for (int dim = 2; dim <= 3; dim++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
      for (int scale = 0; scale < NSCALES; scale++)
        for (int turn = 0; turn < 20; turn++) {
          double a[9];
          with_eigenvalues(dim, cases[i], a, &random);
          for (int j = 0; j < dim * dim; j++) a[j] *= fabs(scales[scale]) > 1e250 ? 1e250 : scales[scale];
          check_eigenpair(dim, a);
        }
}

/* Diagonal matrices: axes to the last bit; on ties the first of them. */
static void eigenvectors_on_axes(void **state)
{
  (void)state;
  const double diagonals[][4] = {{3, 2, 1, 2}, {1, 2, 3, 0}, {2, 1, 3, 1}, {1, 1, 2, 0},  {2, 1, 1, 1},
                                 {1, 2, 1, 0}, {5, 5, 5, 0}, {0, 0, 0, 0}, {-1, 0, 0, 0}, {0, 0, -1, 2}};
  for (size_t i = 0; i < sizeof diagonals / sizeof *diagonals; i++)
    for (int dim = 1; dim <= 3; dim++) {
      double a[9] = {0}, s[3];
      int first = 0;
      for (int d = 0; d < dim; d++) {
        a[d * dim + d] = diagonals[i][d];
        if (diagonals[i][d] < diagonals[i][first]) first = d;
      }
      assert_true(point_smallest_eigenpair(dim, a, s) == diagonals[i][first]);
      for (int d = 0; d < dim; d++) assert_true(s[d] == (d == first));
      if (dim == 3) assert_int_equal(first, (int)diagonals[i][3]);
    }
}

static double smallest_singular(int dim, const double *a)
{
  double adj[9];
  return point_smallest_singular(dim, a, point_adjugate(dim, a, adj));
}

/* To a relative error of a few eps of the determinant's terms, so down to tiny singular values. */
static void singular_values_by_jacobi(void **state)
{
  (void)state;
  uint64_t random = 3;
  const double moderate[] = {1.0, 1e-3, 1e-30, 1e30, 1e-90, 1e90};
  for (int dim = 1; dim <= 3; dim++)
    for (int scale = 0; scale < 6; scale++)
      for (int i = 0; i < 400; i++) {
        double a[9];
        long double w[3];
        random_matrix(dim * dim, a, &random);
        for (int j = 0; j < dim * dim; j++) a[j] *= moderate[scale];
        singular_values(dim, a, w);
        const double smallest = (double)w[dim - 1], largest = (double)w[0];
        assert_near(smallest_singular(dim, a), smallest, 30 * DBL_EPSILON * largest);
      }
}

/* A zone that is a million times longer than it is wide: the diagonal of its Jacobian tells, turned or not. */
static void singular_values_of_needles(void **state)
{
  (void)state;
  const double d[3] = {1e3, 1.0, 1e-3};
  for (int dim = 2; dim <= 3; dim++)
    for (int i = 0; i < 50; i++) {
      double a[9] = {0};
      const double c = cos(0.1 * i), s = sin(0.1 * i);
      for (int j = 0; j < dim; j++) a[j * dim + j] = d[j];
      for (int j = 0; j < dim; j++) { // rotate the rows 0 and 1
        const double x = a[j], y = a[dim + j];
        a[j] = c * x - s * y, a[dim + j] = s * x + c * y;
      }
      assert_near(smallest_singular(dim, a), d[dim - 1], 1e-9 * d[dim - 1]);
    }
  const double flat[9] = {1, 2, 3, 2, 4, 6, 0, 1, 0};
  assert_near(smallest_singular(3, flat), 0.0, 1e-15);
  assert_near(smallest_singular(2, (double[]){1, 2, 2, 4}), 0.0, 1e-15);
}

static void adjugates(void **state)
{
  (void)state;
  uint64_t random = 4;
  for (int dim = 1; dim <= 3; dim++)
    for (int n = 0; n < 100; n++) {
      double a[9], adj[9];
      random_matrix(dim * dim, a, &random);
      const double det = point_adjugate(dim, a, adj);
      for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
          double sum = 0.0;
          for (int k = 0; k < dim; k++) sum += a[i * dim + k] * adj[k * dim + j];
          assert_near(sum, i == j ? det : 0.0, 8 * DBL_EPSILON);
        }
    }
  double adj[9];
  assert_true(point_adjugate(3, (double[]){2, 0, 0, 0, 3, 0, 0, 0, 5}, adj) == 30.0);
  assert_true(point_adjugate(2, (double[]){0, 1, 1, 0}, adj) == -1.0);
}

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

/* A random point that makes sense: a Jacobian near the identity, positive mass. */
static point_input random_point(int dim, uint64_t *state)
{
  point_input in = {
    .mass = 1.0 + 0.5 * sample_uniform(state), .weight = 0.25, .energy = 1.0 + sample_uniform(state), .gamma = 1.4};
  random_matrix(dim * dim, in.gradient, state);
  for (int i = 0; i < dim * dim; i++) {
    in.jacobian[i] = (i % (dim + 1) == 0) + 0.3 * sample_uniform(state);
    in.initial_inverse[i] = (i % (dim + 1) == 0) + 0.3 * sample_uniform(state);
  }
  return in;
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
  const double x[2] = {0.2, 0.6};
  assert_true(point_source_at(POINT_NO_SOURCE, x) == 0.0);
  assert_near(point_source_at(POINT_TAYLOR_GREEN, x),
              3 * M_PI / 8 * (cos(0.6 * M_PI) * cos(0.6 * M_PI) - cos(0.2 * M_PI) * cos(1.8 * M_PI)), 1e-15);
}

/* ------------------------------------------------------------------ many points at once */

static void assert_same(double a, double exact, double size)
{
  if (isnan(exact) || isinf(exact))
    assert_true(isnan(exact) ? isnan(a) : a == exact);
  else
    assert_near(a, exact, 1e-13 * size);
}

/* Lanes do not disturb each other, even if one holds nonsense; compilers may round differently. */
static void lanes_are_points(void **state)
{
  (void)state;
  uint64_t random = 7;
  const int lanes = point_lanes();
  for (int dim = 1; dim <= 3; dim++)
    for (int n = 0; n < 400; n++) {
      const point_constants k = {.h0 = 0.2, .cfl = 0.5, .order = 2, .viscosity = n % 4 > 0, .vorticity = n % 4 > 2};
      double inputs[POINT_LANES_MOST * POINT_INPUT], a[POINT_LANES_MOST * 9], steps[POINT_LANES_MOST];
      point_input in[POINT_LANES_MOST];
      for (int lane = 0; lane < lanes; lane++) {
        in[lane] = random_point(dim, &random);
        if (sample_random(&random) % 8 == 0) in[lane].jacobian[0] = NAN;
        if (sample_random(&random) % 8 == 0) in[lane].jacobian[0] -= 5.0;
        if (sample_random(&random) % 8 == 0) in[lane].energy = -1.0;
        if (sample_random(&random) % 8 == 0) memset(in[lane].gradient, 0, sizeof in[lane].gradient);
        memcpy(inputs + lane * POINT_INPUT, &in[lane], sizeof in[lane]);
      }
      point_lanes_stress(dim, &k, inputs, a, steps);
      for (int lane = 0; lane < lanes; lane++) {
        double alone[9], size = 0.0;
        const double step = point_stress(dim, &k, &in[lane], INFINITY, alone);
        for (int i = 0; i < dim * dim; i++) size = fmax(size, fabs(alone[i]));
        for (int i = 0; i < dim * dim; i++) assert_same(a[lane * 9 + i], alone[i], size);
        assert_same(steps[lane], step, step);
      }
    }
}

static void lanes_are_matrices(void **state)
{
  (void)state;
  uint64_t random = 8;
  const int lanes = point_lanes();
  for (int dim = 1; dim <= 3; dim++)
    for (int n = 0; n < 400; n++) {
      double a[POINT_LANES_MOST * 9] = {0}, vectors[POINT_LANES_MOST * 3], values[POINT_LANES_MOST],
                                  singular[POINT_LANES_MOST];
      for (int lane = 0; lane < lanes; lane++) {
        random_symmetric(dim, a + 9 * lane, &random);
        const double scale = lane % 3 ? 1.0 : scales[n % NSCALES];
        for (int i = 0; i < 9; i++) a[9 * lane + i] *= n % 5 || lane ? scale : 0.0;
      }
      point_lanes_eigenpair(dim, a, vectors, values);
      point_lanes_singular(dim, a, singular);
      for (int lane = 0; lane < lanes; lane++) {
        double s[3], size = 0.0;
        const double *matrix = a + 9 * lane, value = point_smallest_eigenpair(dim, matrix, s);
        for (int i = 0; i < dim * dim; i++) size = fmax(size, fabs(matrix[i]));
        assert_same(values[lane], value, size);
        for (int i = 0; i < dim; i++) assert_same(vectors[lane * 3 + i], s[i], 1e3); // 1e-10: eigenvalues may be close
        assert_same(singular[lane], smallest_singular(dim, matrix), size);
      }
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(eigenpairs_at_any_scale),
    cmocka_unit_test(eigenpairs_in_hard_cases),
    cmocka_unit_test(eigenvectors_on_axes),
    cmocka_unit_test(singular_values_by_jacobi),
    cmocka_unit_test(singular_values_of_needles),
    cmocka_unit_test(adjugates),
    cmocka_unit_test(compression_switch),
    cmocka_unit_test(vorticity_switch),
    cmocka_unit_test(gas_law),
    cmocka_unit_test(time_steps),
    cmocka_unit_test(stress),
    cmocka_unit_test(at_rest),
    cmocka_unit_test(inverted_zones_stop_the_step),
    cmocka_unit_test(limited_steps),
    cmocka_unit_test(manufactured_source),
    cmocka_unit_test(lanes_are_points),
    cmocka_unit_test(lanes_are_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
