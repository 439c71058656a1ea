/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions across the seams of periodic boxes: the largest difference is found, with its place, on any ranks.
 * ranks: 1 2 3
 */
#include "mesh/simplex/simplex.h"
#include "tests/fem/samples.h"

static mesh *periodic_box(int dim, bool simplices)
{
  mesh_coarse *c;
  int zones[3] = {4, dim > 1 ? 3 : 1, dim > 2 ? 2 : 1};
  const int no_walls[6] = {0};
  const double lower[3] = {0};
  assert_int_equal(simplices ? mesh_simplex_box(&c, dim, zones, lower, sample_size, no_walls)
                             : mesh_coarse_box(&c, dim, lower, sample_size, no_walls),
                   0);
  assert_int_equal(mesh_coarse_close(c, (const bool[]){true, true, true}), 0);
  if (simplices) return sample_mesh(c, 1);
  mesh *m;
  assert_int_equal(mesh_create(&m, &c, zones, MESH_AUTO, NULL), 0);
  return m;
}

/* Waves of the box, and the last component grows by `slope` along the last axis. */
typedef struct waves {
  int dim;
  double slope;
} waves;

static void wave(const void *user, const double *x, double *v)
{
  const waves *w = user;
  const double pi = acos(-1.0);
  for (int c = 0; c < w->dim; c++) {
    v[c] = 2.0;
    for (int d = 0; d < w->dim; d++) v[c] += sin(2.0 * pi * (c + 1) * x[d] / sample_size[d] + c);
  }
  v[w->dim - 1] += w->slope * x[w->dim - 1];
}

static void check(const mesh *m, int k)
{
  const int dim = m->dim;
  fem_space *s = sample_space(m, k, 0, 0);
  double *x = sample_positions(s, m);
  fem_seam_gap gap;
  waves w = {dim, 0.0};
  assert_int_equal(fem_compare_across_seams(s, m, x, wave, &w, &gap), 0);
  assert_true(gap.largest > 2.0);
  assert_true(gap.difference < 1e-13);
  w.slope = 1e-3;
  assert_int_equal(fem_compare_across_seams(s, m, x, wave, &w, &gap), 0);
  assert_near(gap.difference, 1e-3 * sample_size[dim - 1], 1e-13);
  assert_near(fabs(gap.value[0] - gap.value[1]), gap.difference, 1e-13);
  assert_int_equal(gap.component, dim - 1);
  for (int side = 0; side < 2; side++) {
    double v[3];
    wave(&w, gap.place[side], v);
    assert_near(gap.value[side], v[dim - 1], 1e-13);
  }
  assert_near(fabs(gap.place[0][dim - 1] - gap.place[1][dim - 1]), sample_size[dim - 1], 1e-13);
  fem_seam_gap first = gap;
  comm_broadcast(&first, sizeof first, 0);
  assert_memory_equal(&gap, &first, sizeof gap);
  free(x);
  fem_space_destroy(&s);
}

static void finds_the_largest_difference(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int simplices = 0; simplices <= (dim > 1); simplices++) {
      mesh *m = periodic_box(dim, simplices);
      for (int k = 1; k <= 3; k++) check(m, k);
      mesh_destroy(&m);
    }
}

static void has_nothing_to_find_without_seams(void **state)
{
  (void)state;
  mesh *m = sample_box_mesh(2, (int[]){3, 2});
  fem_space *s = sample_space(m, 2, 1, 0);
  double *x = sample_positions(s, m);
  fem_seam_gap gap;
  assert_int_equal(fem_compare_across_seams(s, m, x, wave, &(waves){2, 1.0}, &gap), 0);
  assert_true(gap.difference == 0.0);
  free(x);
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(finds_the_largest_difference),
    cmocka_unit_test(has_nothing_to_find_without_seams),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
