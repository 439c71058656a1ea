/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mirrors: where a problem looks the same with two axes swapped, its state does so too, node by node and coefficient by
 * coefficient.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "tests/app/runs.h"

/* A point with axes 0 and `axis` swapped. */
static void swap(const double *x, int axis, double *y)
{
  memcpy(y, x, 3 * sizeof *y);
  y[0] = x[axis];
  y[axis] = x[0];
}

static void position(const hydro *h, const double *x, int dof, double *at)
{
  for (int c = 0; c < 3; c++) at[c] = c < h->space->dim ? x[(int64_t)c * h->space->ndofs + dof] : 0.0;
}

/* The dof whose initial position is the mirror image of that of `dof`. */
static int mirror_dof(const hydro *h, const double *x0, int dof, int axis)
{
  double here[3], want[3], at[3];
  position(h, x0, dof, here);
  swap(here, axis, want);
  for (int i = 0; i < h->space->ndofs; i++) {
    position(h, x0, i, at);
    if (fabs(at[0] - want[0]) + fabs(at[1] - want[1]) + fabs(at[2] - want[2]) < 1e-10) return i;
  }
  fail_msg("dof %d has no mirror image", dof);
  return -1;
}

/* Largest difference between a vector of u and the mirror image of its mirror image. */
static double asymmetry(const hydro *h, const double *u, const int *mirror, int axis)
{
  double worst = 0;
  for (int i = 0; i < h->space->ndofs; i++) {
    double here[3], there[3], want[3];
    position(h, u, i, here);
    position(h, u, mirror[i], there);
    swap(here, axis, want);
    for (int c = 0; c < h->space->dim; c++) worst = fmax(worst, fabs(there[c] - want[c]));
  }
  return worst;
}

/* The same for the energy at the first and the last corner of every zone: both are on the mirrors or swap with those
 * corners of another zone. */
static double energy_asymmetry(const hydro *h, const double *e, const int *mirror)
{
  const fem_space *s = h->space;
  double worst = 0;
  for (int z = 0; z < s->nzones; z++)
    for (int y = 0; y < s->nzones; y++) {
      // Zone y is the image of zone z if its first and last nodes are those of z.
      const int *of_z = s->dofs + (int64_t)z * s->nd, *of_y = s->dofs + (int64_t)y * s->nd;
      if (mirror[of_z[0]] != of_y[0] || mirror[of_z[s->nd - 1]] != of_y[s->nd - 1]) continue;
      const double *a = e + (int64_t)z * s->nt, *b = e + (int64_t)y * s->nt;
      worst = fmax(worst, fabs(a[0] - b[0]));
      worst = fmax(worst, fabs(a[s->nt - 1] - b[s->nt - 1]));
    }
  return worst;
}

static double largest(const double *u, int64_t n)
{
  double most = 0;
  for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(u[i]));
  return most;
}

static void check(hydro *h, const double *x0, int axis)
{
  int *mirror = malloc(sizeof *mirror * (size_t)h->space->ndofs);
  assert_non_null(mirror);
  for (int i = 0; i < h->space->ndofs; i++) mirror[i] = mirror_dof(h, x0, i, axis);
  const double *x = hydro_x(h, h->state), *v = hydro_v(h, h->state), *e = hydro_e(h, h->state);
  const double dx = asymmetry(h, x, mirror, axis) / largest(x, h->nkinematic);
  const double dv = asymmetry(h, v, mirror, axis) / largest(v, h->nkinematic);
  const double de = energy_asymmetry(h, e, mirror) / largest(e, h->nthermodynamic);
  free(mirror);
  if (!(dx < 1e-12 && dv < 1e-12 && de < 1e-12)) fail_msg("axis %d: x %g, v %g, e %g", axis, dx, dv, de);
}

static void run_and_check(const char *text)
{
  static deck d;
  hydro *h = run_create(&d, text);
  double *x0 = malloc(sizeof(double) * (size_t)h->nkinematic);
  assert_non_null(x0);
  memcpy(x0, hydro_x(h, h->state), sizeof(double) * (size_t)h->nkinematic);
  run_start(h);
  while (!h->last) run_step(h);
  for (int axis = 1; axis < h->space->dim; axis++) check(h, x0, axis);
  free(x0);
  hydro_destroy(&h);
}

static void sedov_in_2d(void **unused)
{
  (void)unused;
  run_and_check(
    "problem: {name: sedov}\nkernels: {backend: host}\nmesh: {dim: 2, zones: [8, 8]}\ntime: {final: 0.4}\n");
}

static void sedov_in_3d(void **unused)
{
  (void)unused;
  run_and_check(
    "problem: {name: sedov}\nkernels: {backend: host}\nmesh: {dim: 3, zones: [3, 3, 3]}\ntime: {final: 0.2}\n"
    "solvers: {velocity: {tolerance: 1e-14}, energy: {tolerance: 1e-14}}\n");
}

static void noh_in_2d(void **unused)
{
  (void)unused;
  run_and_check("problem: {name: noh}\nkernels: {backend: host}\nmesh: {dim: 2, zones: [6, 6], refine: "
                "0}\ndiscretization: {kinematic_order: 3}\n"
                "time: {final: 0.2}\nsolvers: {velocity: {tolerance: 1e-14}, energy: {tolerance: 1e-14}}\n");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sedov_in_2d),
    cmocka_unit_test(sedov_in_3d),
    cmocka_unit_test(noh_in_2d),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
