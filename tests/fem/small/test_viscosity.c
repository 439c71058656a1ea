/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The viscosity of zones: that of the formula where the flow is the same everywhere, and none where it is switched off.
 */
#include "tests/fem/samples.h"

static double two(const void *user, const double *x)
{
  (void)user, (void)x;
  return 2.0;
}

/* Cold gas of density 2: no sound, so 2 density h0^2 |mu|.  v = -x: mu = -1 in all directions; v = (y, 0, 0): mu = -1/2
 * along the diagonal (1, -1, 0). */
static void check(int dim, bool on, bool shear)
{
  const int n[3] = {3, 2, 2};
  mesh *m = sample_box_mesh(dim, n);
  fem_space *s = sample_space(m, 2, 1, 0);
  fem_material *material;
  const char *bad;
  double *x = sample_positions(s, m), *v = sample_doubles((size_t)dim * (size_t)s->ndofs);
  double *e = sample_doubles((size_t)s->nzones * (size_t)s->nt), *out = sample_doubles((size_t)s->nzones);
  assert_int_equal(fem_material_create(&material, s, x, two, two, NULL, &bad), 0);
  material->constants.viscosity = on;
  for (int i = 0; i < dim * s->ndofs; i++) v[i] = !shear ? -x[i] : i < s->ndofs ? x[s->ndofs + i] : 0.0;
  assert_int_equal(fem_zone_viscosity(s, material, x, v, e, out), 0);
  const double h = material->constants.h0, expected = !on ? 0.0 : shear ? 2.0 * h * h : 4.0 * h * h;
  for (int z = 0; z < s->nzones; z++) assert_near(out[z], expected, 1e-12 * h * h);
  free(x);
  free(v);
  free(e);
  free(out);
  fem_material_destroy(&material);
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

static void uniform_compression(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++) {
    check(dim, true, false);
    check(dim, false, false);
  }
}

static void uniform_shear(void **state)
{
  (void)state;
  check(2, true, true);
  check(3, true, true);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(uniform_compression), cmocka_unit_test(uniform_shear)};
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
