/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of problems: every row is complete and sane, the values are those of the literature, and where a state is
 * exact at all times it is so at the start and fulfils the equations.
 */
#include "app/problems/exact.h"
#include "app/problems/problems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const double pi = 3.14159265358979323846;

/* Calls visit for a few points inside the box of every problem in every dimension. */
static void each_point(void (*visit)(const problem *p, const problem_setting *s, const double *x))
{
  for (const problem *const *row = problems; *row; ++row)
    for (int d = 1; d <= 3; ++d) {
      const problem *p = *row;
      if (!(p->dims & 1u << d)) continue;
      const problem_setting s = {.dim = d, .blast_energy = 1};
      for (int k = 0; k < 60; ++k) {
        double x[3] = {0};
        for (int c = 0; c < d; ++c) {
          const double along = fmod(0.137 + 0.618033988749895 * k * (c + 1) + 0.29 * c, 1);
          x[c] = p->box[d].lower[c] + along * (p->box[d].upper[c] - p->box[d].lower[c]);
        }
        visit(p, &s, x);
      }
    }
}

static void names_are_laghos_and_ours(void **unused)
{
  (void)unused;
  const char *names[] = {"taylor-green", "sedov",     "shock-tube",      "triple-point", "gresho",
                         "riemann-12",   "riemann-6", "rayleigh-taylor", "sod",          "noh",
                         "noh2",         "saltzman",  "standing-wave"};
  int n = 0;
  for (; problems[n]; ++n) {
    assert_string_equal(problems[n]->name, names[n]);
    assert_ptr_equal(problem_find(names[n]), problems[n]);
  }
  assert_int_equal(n, sizeof names / sizeof *names);
  assert_null(problem_find("sedo"));
  assert_null(problem_find(""));
}

static void rows_are_complete(void **unused)
{
  (void)unused;
  for (const problem *const *row = problems; *row; ++row) {
    const problem *p = *row;
    assert_true(p->dims & 1u << p->dim);
    assert_true(p->summary && p->density && p->gamma && p->velocity && p->final > 0 && p->cfl > 0);
    assert_true(p->energy || !strcmp(p->name, "sedov"));
    assert_true(!p->source_dims == (p->source == POINT_NO_SOURCE));
    for (int d = 1; d <= 3; ++d)
      for (int c = 0; c < d && p->dims & 1u << d; ++c) {
        const problem_box *box = &p->box[d];
        assert_true(box->zones[c] >= 1 && box->refine >= 0 && box->upper[c] > box->lower[c]);
        assert_true(p->attributes[2 * c] == c + 1);
        assert_true(p->attributes[2 * c + 1] == c + 1 || p->attributes[2 * c + 1] == 0);
      }
  }
}

static void check_state(const problem *p, const problem_setting *s, const double *x)
{
  double v[4] = {0, 0, 0, 77};
  assert_true(p->density(s, x) > 0);
  if (p->uniform) assert_true(p->density(s, x) == 1);
  assert_true(p->gamma(s, x) > 1 && p->gamma(s, x) <= 3);
  if (p->energy) assert_true(p->energy(s, x) >= 0 && isfinite(p->energy(s, x)));
  for (int c = s->dim; c < 3; ++c) v[c] = 77;
  p->velocity(s, x, v);
  for (int c = 0; c < s->dim; ++c) assert_true(isfinite(v[c]) && v[c] != 77);
  for (int c = s->dim; c < 4; ++c) assert_true(v[c] == 77); // touches dim components only
}

static void states_are_physical(void **unused)
{
  (void)unused;
  each_point(check_state);
}

static double pressure_at(const char *name, double x, double y)
{
  const problem *p = problem_find(name);
  const problem_setting s = {.dim = 2, .blast_energy = 1};
  const double at[3] = {x, y, 0};
  return (p->gamma(&s, at) - 1) * p->density(&s, at) * p->energy(&s, at);
}

static double density_at(const char *name, int dim, double x, double y, double z)
{
  const problem_setting s = {.dim = dim, .blast_energy = 1};
  return problem_find(name)->density(&s, (const double[]){x, y, z});
}

static void near(double got, double want)
{
  if (!(fabs(got - want) <= 1e-13 * fmax(1, fabs(want)))) fail_msg("%.17g is not %.17g", got, want);
}

/* Values and sides of interfaces as the definitions write them: on the line x = 0.5, and so on. */
static void values_are_those_of_the_definitions(void **unused)
{
  (void)unused;
  near(density_at("shock-tube", 1, 0.5, 0, 0), 0.1);
  near(density_at("sod", 1, 0.5, 0, 0), 0.125);
  near(pressure_at("sod", 0.49, 0), 1);
  near(pressure_at("sod", 0.51, 0), 0.1);
  near(density_at("triple-point", 2, 1, 2, 0), 1);
  near(density_at("triple-point", 2, 1.1, 1.5, 0), 1);
  near(density_at("triple-point", 2, 1.1, 1.6, 0), 0.125);
  near(density_at("triple-point", 3, 1.1, 1.6, 1.4), 1);
  near(density_at("triple-point", 3, 1.1, 1.6, 1.6), 0.125);
  near(density_at("triple-point", 3, 1.1, 1.4, 1.4), 0.125);
  near(pressure_at("triple-point", 1, 1), 1);
  near(pressure_at("triple-point", 2, 1), 0.1);
  near(pressure_at("gresho", 0, 0), 5);
  near(pressure_at("gresho", 0.2, 0), 5.5);
  near(pressure_at("gresho", 0.3, 0.4), 3 + 4 * log(2));
  near(density_at("riemann-12", 2, 0.5, 0.5, 0), 0.5313);
  near(density_at("riemann-12", 2, 0.4, 0.4, 0), 0.8);
  near(pressure_at("riemann-12", 0.5, 0.5), 0.4);
  near(density_at("riemann-6", 2, 0.4, 0.5, 0), 2);
  near(density_at("riemann-6", 2, 0.5, 0.4, 0), 3);
  near(density_at("rayleigh-taylor", 2, 0.1, 0, 0), 2);
  near(pressure_at("rayleigh-taylor", 0.1, -0.5), 6.5);
  near(pressure_at("taylor-green", 0, 0), 1.5);
}

/* The exact state at the start is the initial one, away from the points where a shock will form. */
static void check_start(const problem *p, const problem_setting *s, const double *x)
{
  problem_state q;
  const bool skewed = p->map && s->dim > 1;
  if (!p->exact || skewed || !p->exact(s, 1e-9, x, &q)) return;
  double v[3] = {0};
  p->velocity(s, x, v);
  if (!p->energy) return;
  assert_true(fabs(q.density - p->density(s, x)) < 1e-6);
  assert_true(fabs(q.energy - p->energy(s, x)) < 1e-6);
  assert_true(fabs(q.pressure - (p->gamma(s, x) - 1) * q.density * q.energy) < 1e-12 * fmax(1, q.pressure));
  for (int c = 0; c < s->dim; ++c) assert_true(fabs(q.velocity[c] - v[c]) < 1e-6);
}

static void exact_states_start_as_the_problem_does(void **unused)
{
  (void)unused;
  each_point(check_start);
}

/* Steady states of the Euler equations: div v = 0 and (v.grad) v + grad p = 0 with density 1, by central
 * differences. */
static void check_steady(const problem *p, const problem_setting *s, const double *x)
{
  problem_state at, above[3] = {{0}}, below[3] = {{0}};
  const double h = 1e-5;
  if (!p->steady || !p->exact || !p->exact(s, 1, x, &at)) return;
  const double r = hypot(x[0], x[1]);
  if (!strcmp(p->name, "gresho") && (fabs(r - 0.2) < 2 * h || fabs(r - 0.4) < 2 * h)) return; // its kinks
  double divergence = 0;
  for (int a = 0; a < s->dim; ++a) {
    double up[3] = {x[0], x[1], x[2]}, down[3] = {x[0], x[1], x[2]};
    up[a] += h;
    down[a] -= h;
    assert_true(p->exact(s, 1, up, &above[a]) && p->exact(s, 1, down, &below[a]));
    divergence += (above[a].velocity[a] - below[a].velocity[a]) / (2 * h);
  }
  assert_true(fabs(divergence) < 1e-7);
  for (int c = 0; c < s->dim; ++c) {
    double force = (above[c].pressure - below[c].pressure) / (2 * h);
    for (int a = 0; a < s->dim; ++a) force += at.velocity[a] * (above[a].velocity[c] - below[a].velocity[c]) / (2 * h);
    assert_true(fabs(force) < 1e-6);
  }
}

static void steady_states_are_steady(void **unused)
{
  (void)unused;
  each_point(check_steady);
}

static void noh_and_pistons_fit_their_walls(void **unused)
{
  (void)unused;
  double v[3];
  for (int d = 1; d <= 3; ++d) {
    const problem_setting s = {.dim = d, .blast_energy = 1};
    problem_find("noh")->velocity(&s, (const double[]){0, 0, 0}, v);
    for (int c = 0; c < d; ++c) assert_true(v[c] == 0);
    problem_find("noh")->velocity(&s, (const double[]){0.3, 0.2, 0.6}, v);
    double length = 0;
    for (int c = 0; c < d; ++c) length += v[c] * v[c];
    near(length, 1);
    problem_find("saltzman")->velocity(&s, (const double[]){0, 0.05, 0.02}, v);
    near(v[0], 1);
    problem_find("saltzman")->velocity(&s, (const double[]){0.01, 0.05, 0.02}, v);
    near(v[0], 0);
  }
}

/* The skewed mesh keeps the ends of the box plane and its lines in order. */
static void saltzman_mesh_is_a_mesh(void **unused)
{
  (void)unused;
  const problem *p = problem_find("saltzman");
  for (int d = 1; d <= 3; ++d) {
    const problem_setting s = {.dim = d, .blast_energy = 1};
    double largest = 0;
    for (double y = 0; y <= 0.1001; y += 0.025)
      for (double z = 0; z <= 0.1001; z += 0.025) {
        double last = -1;
        for (int i = 0; i <= 40; ++i) {
          double x[3] = {i / 40.0, y, z};
          p->map(&s, x);
          assert_true(x[0] > last && x[1] == y && x[2] == z);
          if (i == 0 || i == 40) near(x[0], i / 40.0);
          last = x[0];
          largest = fmax(largest, fabs(x[0] - i / 40.0));
        }
      }
    near(largest, d == 1 ? 0 : 0.1);
  }
}

/* The Taylor-Green source is what keeps the energy steady: v.grad e + p div v = source, with density 1. */
static void taylor_green_needs_its_source(void **unused)
{
  (void)unused;
  const problem *p = problem_find("taylor-green");
  const problem_setting s = {.dim = 2, .blast_energy = 1};
  assert_true(p->source == POINT_TAYLOR_GREEN && p->source_dims == 1u << 2);
  for (double x = 0.05; x < 1; x += 0.1)
    for (double y = 0.05; y < 1; y += 0.1) {
      const double h = 1e-5;
      double v[2];
      p->velocity(&s, (const double[]){x, y}, v);
      const double ex =
        (p->energy(&s, (const double[]){x + h, y}) - p->energy(&s, (const double[]){x - h, y})) / (2 * h);
      const double ey =
        (p->energy(&s, (const double[]){x, y + h}) - p->energy(&s, (const double[]){x, y - h})) / (2 * h);
      const double source = 3 * pi / 8 * (cos(3 * pi * x) * cos(pi * y) - cos(pi * x) * cos(3 * pi * y));
      assert_true(fabs(v[0] * ex + v[1] * ey - source) < 1e-7);
    }
}

/* Where no one knows the solution any more, none is given. */
static void exact_ends_with_the_waves_in_the_box(void **unused)
{
  (void)unused;
  const problem_setting s = {.dim = 2, .blast_energy = 1};
  const double x[3] = {0.6, 0.05, 0};
  problem_state q;
  const struct {
    const char *name;
    double last, first_beyond;
  } known[] = {{"sedov", 0.99, 1.0}, {"sod", 0.28, 0.29},      {"noh", 0.74, 0.76},
               {"noh2", 0.99, 1.0},  {"saltzman", 0.59, 0.61}, {"standing-wave", 1.4, 1.5}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    const problem *p = problem_find(known[i].name);
    assert_true(p->exact(&s, known[i].last, x, &q));
    assert_false(p->exact(&s, known[i].first_beyond, x, &q));
  }
}

/* The constants of the blast are those that its solution has. */
static void sedov_is_the_exact_one(void **unused)
{
  (void)unused;
  for (int d = 1; d <= 3; ++d) {
    const problem_setting s = {.dim = d, .blast_energy = 1};
    exact_sedov sedov;
    problem_state got, want;
    assert_true(exact_sedov_create(&sedov, d, 1.4, 1));
    for (double r = 0.1; r < 0.6; r += 0.1) {
      assert_true(problem_find("sedov")->exact(&s, 0.3, (const double[]){r, 0, 0}, &got));
      exact_sedov_state(&sedov, exact_sedov_radius(&sedov, 1, 0.3), 0.3, r, &want);
      near(got.density, want.density);
      near(got.pressure, want.pressure);
    }
  }
}

/* Where a prepared setting says that the blast has not been, its solution is the gas of the start; `ahead` does not
 * reach behind the shock, and is not known once that meets a wall. */
static void nothing_happens_ahead(void **unused)
{
  (void)unused;
  const problem *p = problem_find("sedov");
  for (int d = 1; d <= 3; ++d)
    for (double t = 0.05; t < 2; t *= 1.7) {
      problem_setting s = {.dim = d, .blast_energy = 1};
      problem_state q;
      problem_prepare(p, &s, t);
      assert_int_equal(s.ahead > 0, s.shock <= 1);
      problem_setting careful = s;
      careful.ahead = INFINITY;
      for (double r = 0.9999 * s.shock; s.ahead > 0 && r < 1.2 * s.shock; r += 1e-4 * s.shock) {
        const double x[3] = {d > 1 ? 0.6 * r : r, d > 1 ? 0.8 * r : 0, 0};
        const bool ahead = x[0] * x[0] + x[1] * x[1] > s.ahead;
        assert_true(p->exact(&careful, t, x, &q));
        if (ahead) assert_true(q.density == 1 && q.velocity[0] == 0 && q.velocity[1] == 0 && q.velocity[2] == 0);
        if (r < s.shock) assert_true(!ahead && q.density > 1);
        if (r > 1.001 * s.shock) assert_true(ahead);
      }
      problem_release(&s);
      assert_true(s.ahead == 0);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_are_laghos_and_ours),
    cmocka_unit_test(sedov_is_the_exact_one),
    cmocka_unit_test(nothing_happens_ahead),
    cmocka_unit_test(rows_are_complete),
    cmocka_unit_test(states_are_physical),
    cmocka_unit_test(values_are_those_of_the_definitions),
    cmocka_unit_test(exact_states_start_as_the_problem_does),
    cmocka_unit_test(steady_states_are_steady),
    cmocka_unit_test(noh_and_pistons_fit_their_walls),
    cmocka_unit_test(saltzman_mesh_is_a_mesh),
    cmocka_unit_test(taylor_green_needs_its_source),
    cmocka_unit_test(exact_ends_with_the_waves_in_the_box),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
