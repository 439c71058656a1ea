/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A box that grows with the ranks is the mesh of the box with all of its zones, and each rank has its share of it.
 * ranks: 1 2 4 6
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/app/runs.h"

static hydro *create(deck *d, const char *mesh)
{
  char text[512];
  snprintf(text, sizeof text, "problem: {name: standing-wave}\nmesh: {%s}\nkernels: {backend: host}\n", mesh);
  return run_create(d, text);
}

/* Corners of all zones in the order of their ids, on every rank. */
static double *all_corners(const mesh *m)
{
  const size_t each = (size_t)(m->ncorners * m->dim), n = (size_t)m->nzones_global * each;
  double *corners = calloc(n, sizeof *corners);
  assert_non_null(corners);
  for (int z = 0; z < m->nzones; z++)
    memcpy(corners + (size_t)m->zone_ids[z] * each, m->corners + (size_t)z * each, each * sizeof *corners);
  comm_sum(corners, (int)n);
  return corners;
}

static void expect_the_same(const char *growing, const char *whole, int zones_per_rank)
{
  deck d[2];
  hydro *a = create(d, growing), *b = create(d + 1, whole);
  const mesh *m = a->mesh;
  assert_int_equal(m->nzones_global, b->mesh->nzones_global);
  if (m->shape == MESH_TENSOR) assert_int_equal(m->nzones, zones_per_rank);
  assert_int_equal(m->nzones_global, (int64_t)zones_per_rank * comm_size());
  double *x = all_corners(m), *y = all_corners(b->mesh);
  assert_memory_equal(x, y, (size_t)m->nzones_global * (size_t)(m->ncorners * m->dim) * sizeof *x);
  free(x);
  free(y);
  hydro_destroy(&a);
  hydro_destroy(&b);
}

/* The ranks are a box of one, two, three axes, most of them along the last; each adds the deck's box once more. */
static void grows_along_each_axis(void **state)
{
  static const struct {
    int ranks;
    const char *line, *square, *cube;
  } boxes[] = {
    {1, "zones: [5], upper: [3]", "zones: [3, 2], upper: [3, 4]", "zones: [2, 1, 3], upper: [3, 4, 7]"},
    {2, "zones: [10], upper: [5]", "zones: [3, 4], upper: [3, 6]", "zones: [2, 1, 6], upper: [3, 4, 11]"},
    {4, "zones: [20], upper: [9]", "zones: [6, 4], upper: [5, 6]", "zones: [2, 2, 6], upper: [3, 6, 11]"},
    {6, "zones: [30], upper: [13]", "zones: [6, 6], upper: [5, 8]", "zones: [2, 2, 9], upper: [3, 6, 15]"},
  };
  (void)state;
  int i = 0;
  while (boxes[i].ranks != comm_size()) i++;
  char whole[256];
  snprintf(whole, sizeof whole, "dim: 1, lower: [1], %s", boxes[i].line);
  expect_the_same("dim: 1, lower: [1], upper: [3], zones_per_rank: [5]", whole, 5);
  expect_the_same("dim: 1, lower: [1], upper: [3], zones_per_rank: 5", whole, 5);
  snprintf(whole, sizeof whole, "dim: 2, lower: [1, 2], %s", boxes[i].square);
  expect_the_same("dim: 2, lower: [1, 2], upper: [3, 4], zones_per_rank: [3, 2]", whole, 6);
  expect_the_same("dim: 2, lower: [1, 2], upper: [3, 4], zones_per_rank: 6", whole, 6);
  snprintf(whole, sizeof whole, "dim: 3, lower: [1, 2, 3], %s", boxes[i].cube);
  expect_the_same("dim: 3, lower: [1, 2, 3], upper: [3, 4, 7], zones_per_rank: [2, 1, 3]", whole, 6);
  snprintf(whole, sizeof whole, "dim: 3, zone: tet, lower: [1, 2, 3], %s", boxes[i].cube);
  expect_the_same("dim: 3, zone: tet, lower: [1, 2, 3], upper: [3, 4, 7], zones_per_rank: [2, 1, 3]", whole, 36);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(grows_along_each_axis),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
