/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ranks: 1 2 3 4 7
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/partition/partition.h"
#include "tests/mesh/samples.h"

static const mesh_partition ways[] = {MESH_BLOCK, MESH_HILBERT, MESH_RCB, MESH_METIS, MESH_AUTO};
enum { NWAYS = sizeof ways / sizeof *ways };

static mesh *make(mesh_coarse *c, const int subdivision[3], mesh_partition how)
{
  mesh *m;
  assert_int_equal(mesh_create(&m, &c, subdivision, how, NULL), 0);
  assert_null(c);
  return m;
}

static mesh *make_box(int dim, const double *lower, const double *upper, const int *n, mesh_partition how)
{
  mesh_coarse *c;
  assert_int_equal(mesh_coarse_box(&c, dim, lower, upper, (int[]){1, 1, 2, 2, 3, 3}), 0);
  return make(c, n, how);
}

/* Length, area or volume of a zone by two Gauss points a direction: exact for multilinear maps. */
static double volume(int dim, const double *x)
{
  double sum = 0;
  for (int q = 0; q < 1 << dim; q++) {
    double t[3], J[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int d = 0; d < dim; d++) t[d] = 0.5 + (q >> d & 1 ? 0.5 : -0.5) / sqrt(3.);
    for (int a = 0; a < dim; a++) {
      for (int d = 0; d < dim; d++) {
        J[a][d] = 0;
        for (int i = 0; i < 1 << dim; i++) {
          double w = i >> d & 1 ? 1 : -1;
          for (int e = 0; e < dim; e++)
            if (e != d) w *= i >> e & 1 ? t[e] : 1 - t[e];
          J[a][d] += w * x[i * dim + a];
        }
      }
    }
    sum += J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
           J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
  }
  return sum / (1 << dim);
}

static void check_volume(const mesh *m, double exact)
{
  double sum = 0;
  int64_t n = m->nzones;
  for (int z = 0; z < m->nzones; z++) sum += volume(m->dim, m->corners + (int64_t)z * m->ncorners * m->dim);
  comm_sum(&sum, 1);
  comm_sum_int64(&n, 1);
  assert_true(fabs(sum - exact) <= 1e-12 * exact);
  assert_int_equal(n, m->nzones_global);
  assert_int_equal(mesh_first_inverted(m), -1);
  assert_in_range(m->nshared, 0, m->nzones);
}

static void volumes(void **state)
{
  (void)state;
  for (int w = 0; w < NWAYS; w++) {
    for (int dim = 1; dim <= 3; dim++) {
      mesh *m = make_box(dim, (double[]){-1, 0.1, 2}, (double[]){0.3, 0.7, 5}, (int[]){4, 3, 2}, ways[w]);
      check_volume(m, dim == 1 ? 1.3 : dim == 2 ? 1.3 * 0.6 : 1.3 * 0.6 * 3);
      mesh_destroy(&m);
      for (int refine = 1; refine <= 4; refine *= 2) {
        m = make(sample_grid(dim, (int[]){3, 2, 2}, 0.2, 11, false), (int[]){refine, refine, refine}, ways[w]);
        check_volume(m, 1);
        mesh_destroy(&m);
      }
    }
    for (int arms = 3; arms <= 5; arms++) { // each arm: two triangles with sides 1 and 1.5
      mesh *m = make(sample_star(2, arms, 1), (int[]){2, 2, 1}, ways[w]);
      check_volume(m, arms * 1.5 * sin(M_PI / arms));
      mesh_destroy(&m);
    }
  }
}

/* The zones with a neighbour on another rank, and only they, are at the front: on a box, by lattice distance. */
static void shared_zones_first(void **state)
{
  (void)state;
  const int n[3] = {5, 4, 3};
  int64_t cells = mesh_cells(n);
  for (int w = 0; w < NWAYS; w++) {
    mesh *m = make_box(3, (double[]){0, 0, 0}, (double[]){1, 1, 1}, n, ways[w]);
    int *owner = malloc((size_t)cells * sizeof *owner);
    for (int r = 0; r < comm_size(); r++) {
      mesh_share share;
      assert_int_equal(mesh_partition_zones(&share, m->coarse, n, ways[w], NULL, comm_size(), r), 0);
      for (int64_t i = 0; i < share.nzones; i++) owner[share.zone_ids[i]] = r;
      free(share.zone_ids);
    }
    bool any = false;
    for (int z = 0; z < m->nzones; z++) {
      int64_t id = m->zone_ids[z];
      bool touches = false;
      assert_int_equal(owner[id], comm_rank());
      for (int64_t j = 0; j < cells; j++) {
        bool near = llabs(id % 5 - j % 5) <= 1 && llabs(id / 5 % 4 - j / 5 % 4) <= 1 && llabs(id / 20 - j / 20) <= 1;
        touches = touches || (near && owner[j] != comm_rank());
      }
      assert_true(!touches || z < m->nshared);
      any = any || touches; // of a group of eight neighbours, which stay together
      if (z < m->nshared && (z % 8 == 7 || z == m->nshared - 1)) {
        assert_true(any);
        any = false;
      }
    }
    free(owner);
    mesh_destroy(&m);
  }
}

/* Corners at the ends of the box are its ends, and planes of zones are flat: no rounding. */
static void ends_are_exact(void **state)
{
  (void)state;
  const double lower[3] = {0.1, -0.7, 1. / 3}, upper[3] = {0.7, 0.1, 2. / 3};
  const int n[3] = {7, 3, 5};
  mesh *m = make_box(3, lower, upper, n, MESH_AUTO);
  double planes[3][8];
  memset(planes, 0, sizeof planes);
  bool seen[3][8] = {{false}};
  for (int z = 0; z < m->nzones; z++) {
    int cell[3];
    assert_int_equal(mesh_zone_cell(m, z, cell), 0);
    for (int i = 0; i < 8; i++) {
      for (int d = 0; d < 3; d++) {
        int at = cell[d] + (i >> d & 1);
        double x = m->corners[(z * 8 + i) * 3 + d];
        if (at == 0) assert_true(x == lower[d]);
        if (at == n[d]) assert_true(x == upper[d]);
        if (seen[d][at]) assert_true(x == planes[d][at]);
        seen[d][at] = true;
        planes[d][at] = x;
      }
    }
  }
  mesh_destroy(&m);
}

static void more_ranks_than_zones(void **state)
{
  (void)state;
  for (int w = 0; w < NWAYS; w++) {
    for (int dim = 1; dim <= 3; dim++) {
      mesh *m = make_box(dim, (double[]){0, 0, 0}, (double[]){1, 1, 1}, (int[]){2, 1, 1}, ways[w]);
      check_volume(m, 1);
      assert_int_equal(m->nshared, comm_size() > 1 ? m->nzones : 0);
      mesh_destroy(&m);
    }
    mesh *m = make(sample_star(2, 3, 2), (int[]){1, 1, 1}, ways[w]);
    check_volume(m, 3 * 1.5 * sin(M_PI / 3));
    mesh_destroy(&m);
  }
}

static void finds_inverted(void **state)
{
  (void)state;
  mesh_coarse *c = sample_grid(2, (int[]){2, 2}, 0, 0, false);
  c->vertices[2 * 4] = 2; // the middle vertex beyond the right side
  mesh *m = make(c, (int[]){1, 1, 1}, MESH_RCB);
  int64_t found = mesh_first_inverted(m) >= 0;
  comm_max_int64(&found, 1);
  assert_int_equal(found, 1);
  mesh_destroy(&m);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(volumes),        cmocka_unit_test(shared_zones_first),    cmocka_unit_test(ends_are_exact),
    cmocka_unit_test(finds_inverted), cmocka_unit_test(more_ranks_than_zones),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
