/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Seams of periodic boxes: nodes have one number exactly where their positions differ by periods.
 *
 * ranks: 1 2 3
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/boundary.h"
#include "mesh/simplex/lattice.h"
#include "mesh/simplex/simplex.h"
#include "tests/mesh/samples.h"

static const int walls[6] = {1, 1, 2, 2, 3, 3};
static const double lower[3] = {0, -1, 2}, upper[3] = {3, 1, 3.5};
enum { MOST_NODES = 1 << 14 };

/* Corner i's share in the node of a zone. */
static double share(const mesh *m, int k, const int *index, int node, int i)
{
  double weight = 1;
  if (m->shape == MESH_SIMPLEX) return (double)index[i] / k;
  for (int d = 0; d < m->dim; d++, node /= k + 1) {
    const double t = (double)(node % (k + 1)) / k;
    weight *= i >> d & 1 ? t : 1 - t;
  }
  return weight;
}

/* The position of a node, by whole periods back into the box. */
static void position(const mesh *m, const bool *periodic, int zone, int k, const int *index, int node, double *x)
{
  for (int d = 0; d < m->dim; d++) {
    x[d] = 0;
    for (int i = 0; i < m->ncorners; i++)
      x[d] += m->corners[(zone * m->ncorners + i) * m->dim + d] * share(m, k, index, node, i);
    if (periodic[d] && x[d] > upper[d] - 1e-9) x[d] -= upper[d] - lower[d];
  }
}

/* Nodes of one number have one position, and there are `expected` numbers. */
static void check_numbers(const mesh *m, const bool *periodic, int k, int expected)
{
  const int each = mesh_nodes_in_zone(m->shape, m->dim, k), n = (int)mesh_nodes_global(m, k);
  static double sum[MOST_NODES * 4], square[MOST_NODES];
  int64_t *ids = malloc(sizeof *ids * (size_t)(m->nzones * each + 1));
  assert_non_null(ids);
  assert_true(n <= MOST_NODES);
  memset(sum, 0, sizeof sum);
  memset(square, 0, sizeof square);
  mesh_joint_ids(m, k, ids);
  for (int z = 0; z < m->nzones; z++) {
    int index[4] = {k};
    for (int i = 0; i < each; i++) {
      double x[3];
      const int64_t id = ids[z * each + i];
      assert_true(id >= 0 && id < n);
      position(m, periodic, z, k, index, i, x);
      for (int d = 0; d < m->dim; d++) sum[id * 4 + d] += x[d], square[id] += x[d] * x[d];
      sum[id * 4 + 3] += 1;
      if (m->shape == MESH_SIMPLEX) simplex_next(m->dim, index);
    }
  }
  comm_sum(sum, 4 * n);
  comm_sum(square, n);
  int found = 0;
  for (int i = 0; i < n; i++) {
    double mean = 0;
    if (sum[i * 4 + 3] == 0) continue;
    found++;
    for (int d = 0; d < m->dim; d++) mean += sum[i * 4 + d] * sum[i * 4 + d] / sum[i * 4 + 3];
    assert_true(fabs(square[i] - mean) < 1e-10 * (1 + mean));
  }
  assert_int_equal(found, expected);
  free(ids);
}

/* Zones at the front, as many as nshared says, are all that touch the seam: some corner is on a periodic side. */
static void check_order(const mesh *m, const bool *periodic)
{
  for (int z = 0; z < m->nzones; z++) {
    bool touches = false;
    for (int i = 0; i < m->ncorners; i++)
      for (int d = 0; d < m->dim; d++) {
        const double x = m->corners[(z * m->ncorners + i) * m->dim + d];
        touches = touches || (periodic[d] && (fabs(x - lower[d]) < 1e-9 || fabs(x - upper[d]) < 1e-9));
      }
    assert_int_equal(touches, mesh_zone_at_seam(m, z));
    assert_true(!touches || z < m->nshared);
  }
}

/* Sides that are left are those of axes that are not periodic. */
static void check_sides(const mesh *m, const bool *periodic, const int *n, int per_square)
{
  mesh_sides sides;
  mesh_boundary b;
  assert_int_equal(mesh_sides_create(&sides, m), STATUS_OK);
  mesh_boundary_count(m, &sides, &b);
  assert_true(b.free == 0);
  for (int d = 0; d < m->dim; d++) {
    int faces = 2 * per_square;
    for (int c = 0; c < m->dim; c++) faces *= c == d ? 1 : n[c];
    assert_true(b.walls[d] == (periodic[d] ? 0 : faces));
  }
  mesh_sides_destroy(&sides);
}

/* n: zones along each axis, refined. */
static void check(mesh_coarse **c, const int *subdivision, const int *n, int axes)
{
  const bool periodic[3] = {axes & 1, axes & 2, axes & 4};
  mesh *m = NULL;
  assert_int_equal(mesh_coarse_close(*c, periodic), STATUS_OK);
  for (int d = 0; d < (*c)->dim; d++) assert_int_equal(mesh_coarse_repeats(*c, d), periodic[d]);
  if ((*c)->shape == MESH_SIMPLEX) assert_int_equal(mesh_simplex_refine(c), STATUS_OK);
  assert_int_equal(mesh_create(&m, c, subdivision, MESH_AUTO, NULL), STATUS_OK);
  check_order(m, periodic);
  check_sides(m, periodic, n, m->shape == MESH_SIMPLEX && m->dim == 3 ? 2 : 1);
  for (int k = 1; k <= (m->dim == 3 ? 3 : 5); k++) {
    int expected = 1;
    for (int d = 0; d < m->dim; d++) expected *= k * n[d] + !periodic[d];
    check_numbers(m, periodic, k, expected);
  }
  mesh_destroy(&m);
}

static void boxes_of_one_coarse_zone(void **state)
{
  (void)state;
  static const int n[3] = {3, 2, 2};
  for (int dim = 1; dim <= 3; dim++)
    for (int axes = 1; axes < 1 << dim; axes++) {
      mesh_coarse *c = NULL;
      assert_int_equal(mesh_coarse_box(&c, dim, lower, upper, walls), STATUS_OK);
      check(&c, n, n, axes);
    }
}

/* Vertices and zones in any order, zones turned: the numbers on both sides of a seam run in other directions. */
static void grids_of_many_coarse_zones(void **state)
{
  (void)state;
  static const int n[3] = {3, 2, 2}, fine[3] = {6, 4, 4}, two[3] = {2, 2, 2};
  for (int dim = 2; dim <= 3; dim++)
    for (int axes = 1; axes < 1 << dim; axes++)
      for (uint64_t seed = 0; seed < 3; seed++) {
        mesh_coarse *c = sample_grid(dim, n, 0, seed, false);
        for (int v = 0; v < c->nvertices; v++)
          for (int d = 0; d < dim; d++) {
            double *x = &c->vertices[v * dim + d];
            *x = mesh_between(lower[d], upper[d], (int)lround(*x * n[d]), n[d]);
          }
        for (int f = 0; f < c->nfaces; f++) c->attributes[f] = (c->attributes[f] - 1) / 2 + 1;
        check(&c, two, fine, axes);
      }
}

static void boxes_of_simplices(void **state)
{
  (void)state;
  static const int n[3] = {3, 2, 2}, fine[3] = {6, 4, 4}, one[3] = {1, 1, 1};
  for (int dim = 2; dim <= 3; dim++)
    for (int axes = 1; axes < 1 << dim; axes++) {
      mesh_coarse *c = NULL;
      assert_int_equal(mesh_simplex_box(&c, dim, n, lower, upper, walls), STATUS_OK);
      check(&c, one, fine, axes);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(boxes_of_one_coarse_zone),
    cmocka_unit_test(grids_of_many_coarse_zones),
    cmocka_unit_test(boxes_of_simplices),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
