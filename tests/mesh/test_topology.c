/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lattice nodes have the same id if and only if they are at the same place, whatever the zones' orientations.
 * ranks: 1 2 3
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "mesh/comm/halo.h"
#include "tests/mesh/samples.h"

enum { MAX_K = 4 };

/* Gauss-Lobatto points on [0, 1] */
static void gll(int k, double t[MAX_K + 1])
{
  double inner = k == 3 ? 0.5 / sqrt(5.) : k == 4 ? 0.5 * sqrt(3. / 7) : 0;
  double points[MAX_K + 1][MAX_K + 1] = {
    {0}, {0, 1}, {0, 0.5, 1}, {0, 0.5 - inner, 0.5 + inner, 1}, {0, 0.5 - inner, 0.5, 0.5 + inner, 1}};
  memcpy(t, points[k], sizeof points[k]);
}

typedef struct node {
  double x[3], key;
  int64_t id;
  unsigned char bits;
} node;

static int compare_keys(const void *a, const void *b)
{
  double x = ((const node *)a)->key, y = ((const node *)b)->key;
  return (x > y) - (x < y);
}

/* All lattice nodes of this rank's zones with their places, from the definition: the multilinear map of the corners. */
static node *collect(const mesh *m, int k, int64_t *count)
{
  int per_zone = 1;
  double t[MAX_K + 1];
  gll(k, t);
  for (int d = 0; d < m->dim; d++) per_zone *= k + 1;
  *count = (int64_t)m->nzones * per_zone;
  node *nodes = calloc((size_t)*count + 1, sizeof *nodes);
  int64_t *ids = malloc(((size_t)*count + 1) * sizeof *ids);
  unsigned char *bits = malloc((size_t)*count + 1);
  mesh_node_ids(m, k, ids);
  mesh_node_attributes(m, k, bits);
  for (int64_t i = 0; i < *count; i++) {
    int at[3] = {(int)(i % per_zone % (k + 1)), (int)(i % per_zone / (k + 1) % (k + 1)),
                 (int)(i % per_zone / (k + 1) / (k + 1))};
    for (int corner = 0; corner < m->ncorners; corner++) {
      double weight = 1;
      for (int d = 0; d < m->dim; d++) weight *= corner >> d & 1 ? t[at[d]] : 1 - t[at[d]];
      for (int d = 0; d < m->dim; d++)
        nodes[i].x[d] += weight * m->corners[(i / per_zone * m->ncorners + corner) * m->dim + d];
    }
    nodes[i].key = nodes[i].x[0] + 0.6180339887 * nodes[i].x[1] + 0.3247179572 * nodes[i].x[2];
    nodes[i].id = ids[i];
    nodes[i].bits = bits[i];
  }
  free(ids);
  free(bits);
  return nodes;
}

static bool same_place(const node *a, const node *b)
{
  for (int d = 0; d < 3; d++) {
    if (fabs(a->x[d] - b->x[d]) > 1e-10) return false;
  }
  return true;
}

static void check_ids(const mesh *m, int k, node *nodes, int64_t count)
{
  int64_t nglobal = mesh_nodes_global(m, k), distinct = 0;
  const node **first = calloc((size_t)nglobal, sizeof *first);
  int64_t *mine = malloc(((size_t)count + 1) * sizeof *mine);
  qsort(nodes, (size_t)count, sizeof *nodes, compare_keys);
  for (int64_t i = 0; i < count; i++) {
    assert_in_range(nodes[i].id, 0, nglobal - 1);
    if (!first[nodes[i].id]) {
      first[nodes[i].id] = &nodes[i];
      mine[distinct++] = nodes[i].id;
    }
    assert_true(same_place(first[nodes[i].id], &nodes[i]));
    assert_int_equal(first[nodes[i].id]->bits, nodes[i].bits);
    for (int64_t j = i - 1; j >= 0 && nodes[i].key - nodes[j].key < 1e-9; j--) {
      if (same_place(&nodes[i], &nodes[j])) assert_int_equal(nodes[i].id, nodes[j].id);
    }
  }
  halo *h;
  assert_int_equal(halo_create(&h, (int)distinct, mine), 0);
  bool *owner = malloc((size_t)distinct + 1);
  halo_owned(h, owner);
  int64_t owned = 0;
  for (int64_t i = 0; i < distinct; i++) owned += owner[i];
  comm_sum_int64(&owned, 1);
  assert_int_equal(owned, nglobal); // every id in [0, nglobal) is some node's
  halo_destroy(&h);
  free(owner);
  free(mine);
  free(first);
}

/* Unit box with attribute 1 + 2*axis + side: the place says what the bits must be. */
static void check_box_bits(const mesh *m, const node *nodes, int64_t count)
{
  for (int64_t i = 0; i < count; i++) {
    int expected = 0;
    for (int d = 0; d < m->dim; d++)
      expected |= (nodes[i].x[d] < 1e-12) << (2 * d) | (nodes[i].x[d] > 1 - 1e-12) << (2 * d + 1);
    assert_int_equal(nodes[i].bits, expected);
  }
}

static void check_mesh(mesh_coarse *c, const int subdivision[3], mesh_partition how, bool is_box)
{
  mesh *m;
  assert_int_equal(mesh_create(&m, &c, subdivision, how, NULL), 0);
  assert_null(c);
  for (int k = 1; k <= MAX_K; k++) {
    int64_t count;
    node *nodes = collect(m, k, &count);
    check_ids(m, k, nodes, count);
    if (is_box) check_box_bits(m, nodes, count);
    free(nodes);
  }
  mesh_destroy(&m);
  assert_null(m);
}

static void turned_grids(void **state)
{
  (void)state;
  const int n[][3] = {{2, 2, 2}, {3, 2, 1}, {1, 1, 2}};
  for (int dim = 1; dim <= 3; dim++) {
    for (int refine = 0; refine <= 2; refine++) {
      int r = 1 << refine, subdivision[3] = {r, r, r};
      for (int i = 0; i < 3; i++) {
        if (refine == 2 && i == 1 && dim == 3) continue;
        check_mesh(sample_grid(dim, n[i], 0.2, 10u * (unsigned)refine + (unsigned)i + 1, true), subdivision, MESH_RCB,
                   true);
      }
    }
  }
}

static void subdivision_by_three(void **state)
{
  (void)state;
  check_mesh(sample_grid(3, (int[]){2, 1, 2}, 0.2, 5, true), (int[]){3, 3, 3}, MESH_HILBERT, true);
}

static void boxes(void **state)
{
  (void)state;
  const double lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1};
  const int attributes[6] = {1, 2, 3, 4, 5, 6}, n[][3] = {{1, 1, 1}, {4, 3, 2}, {1, 5, 2}};
  for (int dim = 1; dim <= 3; dim++) {
    for (int i = 0; i < 3; i++) {
      mesh_coarse *c;
      assert_int_equal(mesh_coarse_box(&c, dim, lower, upper, attributes), 0);
      check_mesh(c, n[i], MESH_AUTO, true);
    }
  }
}

/* Three and five zones meet in an edge, where no box has so many. */
static void stars(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    for (int refine = 0; refine <= 2; refine++) {
      int r = 1 << refine;
      for (int arms = 3; arms <= 5; arms += 2)
        check_mesh(sample_star(dim, arms, (unsigned)arms + (unsigned)refine), (int[]){r, r, r}, MESH_AUTO, false);
    }
  }
}

/* A box is numbered by rows, so that its vertices lie in memory as in space. */
static void box_numbers(void **state)
{
  (void)state;
  mesh_coarse *c;
  mesh *m;
  int64_t ids[4];
  assert_int_equal(mesh_coarse_box(&c, 2, (double[]){0, 0}, (double[]){1, 1}, (int[]){1, 1, 2, 2}), 0);
  assert_int_equal(mesh_create(&m, &c, (int[]){1, 1, 1}, MESH_AUTO, NULL), 0);
  if (m->nzones) {
    mesh_node_ids(m, 1, ids);
    for (int i = 0; i < 4; i++) assert_int_equal(ids[i], i);
  }
  assert_int_equal(mesh_nodes_global(m, 3), 16);
  mesh_destroy(&m);
}

/* A long thin box, of which only the first zones are there: its nodes can be numbered though n^3 of them could not. */
static void numbers_of_a_long_box(void **state)
{
  (void)state;
  mesh_coarse *c;
  mesh *m;
  int64_t ids[27];
  const int64_t length = 1 << 27, row = 2 * length + 1;
  assert_int_equal(mesh_coarse_box(&c, 3, (double[]){0, 0, 0}, (double[]){1, 1, 1}, (int[]){1, 1, 2, 2, 3, 3}), 0);
  assert_int_equal(mesh_create(&m, &c, (int[]){1, 1, 1}, MESH_AUTO, NULL), 0);
  m->subdivision[0] = (int)length;
  if (m->nzones) {
    mesh_node_ids(m, 2, ids);
    for (int i = 0; i < 27; i++) assert_true(ids[i] == i % 3 + row * (i / 3));
  }
  assert_true(mesh_nodes_global(m, 2) == 9 * row);
  mesh_destroy(&m);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(turned_grids), cmocka_unit_test(subdivision_by_three), cmocka_unit_test(boxes),
    cmocka_unit_test(stars),        cmocka_unit_test(box_numbers),          cmocka_unit_test(numbers_of_a_long_box),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
