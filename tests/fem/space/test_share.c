/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops over zones on several threads: the same bits on any number of threads.
 * ranks: 1 2 3
 */
#include "fem/space/share.h"
#include "tests/fem/samples.h"

static void same_bits(void **state)
{
  (void)state;
  mesh *m = sample_box_mesh(2, (int[]){120, 110});
  fem_space *s = sample_space(m, 2, 1, 0);
  assert_true(s->threads >= 1);
  const size_t points = (size_t)s->nzones * (size_t)s->nq, n = (size_t)s->nzones * (size_t)s->nt;
  double *x = sample_positions(s, m), *rho[2] = {sample_doubles(n), sample_doubles(n)};
  fem_material *material[2];
  for (int i = 0; i < 2; i++) {
    s->threads = i ? 4 : 1;
    material[i] = sample_material(s, x, sample_density, sample_gamma, NULL);
    assert_int_equal(fem_project_density(s, material[i], x, rho[i]), 0);
  }
  assert_memory_equal(rho[0], rho[1], n * sizeof(double));
  assert_memory_equal(material[0]->mass, material[1]->mass, points * sizeof(double));
  assert_memory_equal(material[0]->density, material[1]->density, points * sizeof(double));
  const size_t shapes = material[0]->affine ? (size_t)s->nzones : points;
  assert_memory_equal(material[0]->initial_inverse, material[1]->initial_inverse, 4 * shapes * sizeof(double));
  assert_memory_equal(&material[0]->volume, &material[1]->volume, sizeof(double));
  for (int i = 0; i < 2; i++) {
    fem_material_destroy(&material[i]);
    free(rho[i]);
  }
  free(x);
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

/* Each dof has one place on all ranks together, in the zone of the largest number that has the dof. */
static void last_touches(void **state)
{
  (void)state;
  mesh *m = sample_box_mesh(3, (int[]){5, 4, 6});
  fem_space *s = sample_space(m, 2, 1, 0);
  int *last = fem_last_touches(s, m, s->halo);
  assert_non_null(last);
  double *u = sample_doubles(2 * (size_t)s->ndofs), *zone = u + s->ndofs;
  for (int dof = 0; dof < s->ndofs; dof++) {
    const int place = last[dof], at = place / s->nd;
    assert_true(place < 0 || s->dofs[place] == dof);
    u[dof] = place >= 0;
    zone[dof] = place >= 0 ? (double)m->zone_ids[at] : 1e300; // another rank's is taken
  }
  halo_sum_begin(NULL, s->halo, 1, u);
  halo_sum_end(NULL, s->halo, 1, u);
  for (int dof = 0; dof < s->ndofs; dof++) assert_true(u[dof] == 1.0);
  fem_take_last(s, last, s->halo, 1, zone);
  for (int i = 0; i < s->nzones * s->nd; i++) {
    const int at = i / s->nd;
    const double number = (double)m->zone_ids[at];
    assert_true(zone[s->dofs[i]] >= number && (last[s->dofs[i]] != i || zone[s->dofs[i]] == number));
  }
  free(u);
  free(last);
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(last_touches)};
  comm_init(&argc, &argv);
  const int status = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return status;
}
