/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Points of curved zones: found again by their positions, and in no other zone; fields there against their definition.
 * ranks: 1
 */
#include "tests/fem/samples.h"
#include "app/results/zone_point.h"

typedef struct zones {
  mesh *mesh;
  fem_space *space;
  double *x;
  zone_point point;
} zones;

/* A box of bent zones: every node is moved, by less than the distance to its neighbours. */
static zones make(int dim, int k)
{
  zones a = {.mesh = sample_box_mesh(dim, (int[]){3, 2, 2})};
  a.space = sample_space(a.mesh, k, k - 1, 0);
  a.x = sample_positions(a.space, a.mesh);
  sample_perturb(a.space, a.mesh, 0.05 / (3 * k), 3, a.x);
  assert_true(zone_point_create(&a.point, a.space));
  return a;
}

static void destroy(zones *a)
{
  zone_point_destroy(&a->point);
  free(a->x);
  fem_space_destroy(&a->space);
  mesh_destroy(&a->mesh);
}

/* Positions of points inside a zone, on its faces and at its corners lead back to their coordinates. */
static void points_are_found_again(void **state)
{
  (void)state;
  static const double along[] = {0, 0.07, 0.5, 0.83, 1};
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= 4; k++) {
      zones a = make(dim, k);
      for (int z = 0; z < a.space->nzones; z++)
        for (int i = 0; i < 5; i++) {
          const double xi[3] = {along[i], along[(i + 2 * z + 1) % 5], along[(i + z) % 5]};
          double at[3], found[3];
          zone_point_aim(&a.point, xi);
          zone_point_vector(&a.point, z, a.x, at);
          assert_true(zone_point_find(&a.point, z, a.x, at, found));
          for (int d = 0; d < dim; d++) assert_near(found[d], xi[d], 1e-9);
        }
      destroy(&a);
    }
}

/* The middle of a zone is in it alone, and a point outside the mesh in none. */
static void other_zones_have_it_not(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++) {
    zones a = make(dim, 3);
    double xi[3];
    for (int z = 0; z < a.space->nzones; z++) {
      double at[3];
      zone_point_aim(&a.point, (double[]){0.5, 0.5, 0.5});
      zone_point_vector(&a.point, z, a.x, at);
      for (int other = 0; other < a.space->nzones; other++)
        assert_int_equal(zone_point_find(&a.point, other, a.x, at, xi), other == z);
      assert_false(zone_point_find(&a.point, z, a.x, (double[]){2, 0.5, 0.5}, xi));
    }
    destroy(&a);
  }
}

/* sum_j e_j B_j, written out; and e_j = 1 everywhere gives 1. */
static void scalars_are_sums_of_functions(void **state)
{
  (void)state;
  const double xi[3] = {0.3, 0.9, 0.45};
  for (int dim = 1; dim <= 3; dim++) {
    zones a = make(dim, 3);
    const int t1 = a.space->t1;
    double e[64], b[3 * 8], sum = 0;
    fem_bernstein(a.space->t, dim, xi, b);
    for (int j = 0; j < a.space->nt; j++) {
      double function = 1;
      for (int d = 0, i = j; d < dim; d++, i /= t1) function *= b[d * t1 + i % t1];
      e[j] = sample_hash(j, dim, 7);
      sum += e[j] * function;
    }
    zone_point_aim(&a.point, xi);
    assert_near(zone_point_scalar(&a.point, e), sum, 1e-14);
    for (int j = 0; j < a.space->nt; j++) e[j] = 1;
    assert_near(zone_point_scalar(&a.point, e), 1, 1e-14);
    destroy(&a);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_are_found_again),
    cmocka_unit_test(other_zones_have_it_not),
    cmocka_unit_test(scalars_are_sums_of_functions),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
