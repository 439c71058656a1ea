/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Meshes of triangles and tetrahedra: boxes, their refinement, the first corner of a zone, the numbers of nodes.
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

#include "mesh/simplex/lattice.h"
#include "mesh/simplex/simplex.h"

static const int walls[6] = {1, 1, 2, 2, 3, 3};

static mesh_coarse *box(int dim, int refinements)
{
  mesh_coarse *c = NULL;
  assert_int_equal(mesh_simplex_box(&c, dim, (int[]){3, 2, 1}, (double[]){0, -1, 2}, (double[]){3, 1, 3.5}, walls),
                   STATUS_OK);
  for (int i = 0; i < refinements; i++) assert_int_equal(mesh_simplex_refine(&c), STATUS_OK);
  return c;
}

static double jacobian(const mesh_coarse *c, int zone)
{
  double x[12];
  for (int i = 0; i <= c->dim; i++)
    memcpy(x + i * c->dim, c->vertices + mesh_coarse_zone(c, zone)[i] * c->dim, sizeof(double) * (size_t)c->dim);
  return mesh_smallest_jacobian(MESH_SIMPLEX, c->dim, x);
}

static double square_of(const mesh_coarse *c, int a, int b)
{
  double sum = 0;
  for (int d = 0; d < c->dim; d++) sum += pow(c->vertices[a * c->dim + d] - c->vertices[b * c->dim + d], 2);
  return sum;
}

static void lattice_counts_its_nodes(void **state)
{
  (void)state;
  for (int e = 1; e <= 3; e++)
    for (int k = 0; k <= 8; k++) {
      int m[4] = {k}, n = 0;
      do assert_int_equal(simplex_place(e, k, m), n++);
      while (simplex_next(e, m));
      assert_int_equal(n, simplex_nodes(e, k));
      assert_int_equal(m[0], k);
    }
}

static void zones_fill_the_box(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int refinements = 0; refinements <= 2; refinements++) {
      mesh_coarse *c = box(dim, refinements);
      double volume = 0;
      assert_int_equal(c->nzones, (dim == 2 ? 12 : 36) << dim * refinements);
      assert_int_equal(c->nfaces, (dim == 2 ? 10 : 44) << (dim - 1) * refinements);
      for (int z = 0; z < c->nzones; z++) {
        assert_true(jacobian(c, z) > 0);
        volume += jacobian(c, z) / (dim == 2 ? 2 : 6);
      }
      assert_true(fabs(volume - (dim == 2 ? 6 : 9)) < 1e-12);
      mesh_coarse_destroy(&c);
    }
}

static void first_edge_is_the_longest(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    mesh_coarse *c = box(dim, 0);
    for (int z = 0; z < c->nzones; z++) {
      const int *v = mesh_coarse_zone(c, z);
      for (int i = 0; i <= dim; i++)
        for (int j = 0; j < i; j++) assert_true(square_of(c, v[i], v[j]) <= square_of(c, v[0], v[1]) * (1 + 1e-14));
    }
    mesh_coarse_destroy(&c);
  }
}

/* The position of node m of a zone, on an equispaced lattice. */
static void position(const mesh *m, int zone, int k, const int *index, double *x)
{
  for (int d = 0; d < m->dim; d++) {
    x[d] = 0;
    for (int i = 0; i <= m->dim; i++) x[d] += m->corners[(zone * m->ncorners + i) * m->dim + d] * index[i] / k;
  }
}

/* Which walls a position is on. */
static int walls_at(int dim, const double *x)
{
  static const double lower[3] = {0, -1, 2}, upper[3] = {3, 1, 3.5};
  int bits = 0;
  for (int d = 0; d < dim; d++) bits |= (fabs(x[d] - lower[d]) < 1e-9 || fabs(x[d] - upper[d]) < 1e-9) << d;
  return bits;
}

/* Sums over all zones that hold a node: each is as often there as its id, with the same position. */
static void check_nodes(const mesh *m, int k)
{
  const int each = mesh_nodes_in_zone(m->shape, m->dim, k), n = (int)mesh_nodes_global(m, k);
  double *sum = calloc((size_t)n * 4, sizeof *sum), *square = calloc((size_t)n, sizeof *square);
  int64_t *ids = malloc(sizeof *ids * (size_t)(m->nzones * each + 1));
  unsigned char *bits = malloc((size_t)(m->nzones * each) + 1);
  mesh_node_ids(m, k, ids);
  mesh_node_attributes(m, k, bits);
  for (int z = 0, at = 0; z < m->nzones; z++) {
    int index[4] = {k};
    do {
      double x[3];
      position(m, z, k, index, x);
      assert_true(ids[at] >= 0 && ids[at] < n);
      assert_int_equal(bits[at] & ~walls_at(m->dim, x), 0);
      for (int d = 0; d < m->dim; d++) sum[ids[at] * 4 + d] += x[d], square[ids[at]] += x[d] * x[d];
      sum[ids[at] * 4 + 3] += 1;
      at++;
    } while (simplex_next(m->dim, index));
  }
  comm_sum(sum, 4 * n);
  comm_sum(square, n);
  for (int i = 0; i < n; i++) {
    double mean = 0;
    assert_true(sum[i * 4 + 3] > 0); // no number is left out
    for (int d = 0; d < m->dim; d++) mean += sum[i * 4 + d] * sum[i * 4 + d] / sum[i * 4 + 3];
    assert_true(fabs(square[i] - mean) < 1e-11 * (1 + mean)); // no spread
  }
  free(sum);
  free(square);
  free(ids);
  free(bits);
}

static void nodes_are_shared(void **state)
{
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int how = MESH_BLOCK; how <= MESH_AUTO; how++) {
      mesh_coarse *c = box(dim, 1);
      mesh *m = NULL;
      assert_int_equal(mesh_create(&m, &c, (int[]){1, 1, 1}, (mesh_partition)how, NULL), STATUS_OK);
      int64_t all = m->nzones;
      comm_sum_int64(&all, 1);
      assert_int_equal(all, m->nzones_global);
      assert_int_equal(mesh_first_inverted(m), -1);
      for (int k = 1; k <= (dim == 2 ? 6 : 5); k++) check_nodes(m, k);
      mesh_destroy(&m);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(lattice_counts_its_nodes),
    cmocka_unit_test(zones_fill_the_box),
    cmocka_unit_test(first_edge_is_the_longest),
    cmocka_unit_test(nodes_are_shared),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
