/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Meshes of more zones and nodes than an int counts: numbers, shares of ranks and shared nodes are right, of a few
 * zones of a mesh that nobody could hold.
 * ranks: 1 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fem/fem.h"
#include "mesh/coarse.h"
#include "mesh/comm/halo.h"
#include "mesh/partition/partition.h"

enum { MOST_ZONES = 8, MOST_NODES = 729 };

static const double lower[3] = {0.0, 0.0, 0.0}, upper[3] = {3.0, 2.0, 1.0};

/* A few zones of a large mesh. */
static mesh *few_zones(mesh_coarse *c, const int subdivision[3], int nzones, const int64_t *zone_ids)
{
  mesh *m = calloc(1, sizeof *m);
  assert_non_null(m);
  m->dim = c->dim, m->shape = c->shape, m->coarse = c, m->ncorners = mesh_coarse_corners(c);
  memcpy(m->subdivision, subdivision, sizeof m->subdivision);
  m->entities = mesh_entities_create(c);
  m->nzones = m->nshared = nzones;
  m->nzones_global = mesh_cells(subdivision) * c->nzones;
  m->zone_ids = malloc(MOST_ZONES * sizeof *m->zone_ids);
  m->corners = calloc((size_t)(MOST_ZONES * m->ncorners * m->dim), sizeof *m->corners);
  assert_true(m->entities && m->zone_ids && m->corners);
  memcpy(m->zone_ids, zone_ids, (size_t)nzones * sizeof *zone_ids);
  return m;
}

static mesh *box(int dim, const int subdivision[3], int nzones, const int64_t *zone_ids)
{
  static const int walls[6] = {1, 1, 2, 2, 3, 3};
  mesh_coarse *c;
  assert_int_equal(mesh_coarse_box(&c, dim, lower, upper, walls), 0);
  return few_zones(c, subdivision, nzones, zone_ids);
}

/* Two hexes with a face in common. */
static mesh_coarse *two_hexes(void)
{
  static const char text[] =
    "MFEM mesh v1.0\n\ndimension\n3\n\nelements\n2\n1 5 0 1 4 3 6 7 10 9\n1 5 1 2 5 4 7 8 11 10\n\n"
    "boundary\n0\n\nvertices\n12\n3\n0 0 0\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n"
    "0 0 1\n1 0 1\n2 0 1\n0 1 1\n1 1 1\n2 1 1\n";
  char message[256];
  mesh_coarse *c;
  if (mesh_coarse_parse(&c, "two.mesh", text, sizeof text - 1, message, sizeof message)) fail_msg("%s", message);
  return c;
}

/* Node ids of a box are those of its lattice, first direction fastest. */
static void nodes_of_a_box(void **state)
{
  static const struct {
    int dim, subdivision[3];
  } boxes[] = {
    {1, {1 << 27, 1, 1}}, {2, {1 << 25, 1 << 24, 1}}, {3, {3000, 2000, 1000}}, {3, {100000, 100000, 100000}}};
  (void)state;
  for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
    for (int k = 1; k <= FEM_MAX_ORDER; k++) {
      const int dim = boxes[b].dim, *n = boxes[b].subdivision;
      const int64_t all = mesh_cells(n), picked[] = {0, all / 3, all / 2 + 1, all - 1};
      mesh *m = box(dim, n, 4, picked);
      int64_t ids[4 * MOST_NODES];
      __int128 nodes = 1;
      for (int d = 0; d < dim; d++) nodes *= (__int128)k * n[d] + 1;
      assert_true(nodes == mesh_nodes_global(m, k));
      mesh_node_ids(m, k, ids);
      for (int z = 0, i = 0; z < 4; z++)
        for (int node = 0; node < mesh_nodes_in_zone(m->shape, dim, k); node++, i++) {
          __int128 expected = 0, stride = 1;
          int64_t zone = picked[z];
          for (int d = 0, rest = node; d < dim; d++, zone /= n[d - 1], rest /= k + 1) {
            expected += stride * ((__int128)k * (zone % n[d]) + rest % (k + 1));
            stride *= (__int128)k * n[d] + 1;
          }
          assert_true(expected == ids[i]);
        }
      mesh_destroy(&m);
    }
}

/* A mesh file refined as often as a deck may: nodes differ, but on the face that two coarse zones share. */
static void nodes_of_a_file(void **state)
{
  const int k = FEM_MAX_ORDER, n[3] = {4096, 4096, 4096};
  const int64_t cells = mesh_cells(n), row = 1 + INT64_C(4096) * 2049,
                neighbours[] = {row * 4096 - 1, cells + (row - 1) * 4096};
  (void)state;
  mesh *m = few_zones(two_hexes(), n, 2, neighbours); // at the face, one on either side
  int64_t *ids = malloc(2 * MOST_NODES * sizeof *ids);
  const __int128 along = (__int128)k * 4096 + 1;
  assert_true(mesh_nodes_global(m, k) == 2 * along * along * along - along * along);
  assert_true(m->nzones_global == 2 * cells);
  mesh_node_ids(m, k, ids);
  int same = 0;
  for (int i = 0; i < MOST_NODES; i++)
    for (int j = 0; j < 2 * MOST_NODES; j++) {
      if (ids[i] != ids[j] || i == j) continue;
      assert_true(j >= MOST_NODES && i % (k + 1) == k && j - MOST_NODES == i - k); // the last plane is the first
      same++;
    }
  assert_int_equal(same, (k + 1) * (k + 1));
  for (int i = 0; i < 2 * MOST_NODES; i++) assert_true(ids[i] >= 0 && ids[i] < mesh_nodes_global(m, k));
  free(ids);
  mesh_destroy(&m);
}

/* The shares of ranks follow each other without gaps: by number, as blocks, along the curve. */
static void shares_of_ranks(void **state)
{
  const int n[3] = {4096, 4096, 4096}, blocks[3] = {1024, 512, 1024}, nranks = 1 << 29;
  const int64_t all = mesh_cells(n);
  (void)state;
  for (int r = 0; r <= 4096; r++) {
    const int64_t at = mesh_piece(INT64_C(1000000000000000), 4096, r);
    assert_true(at == (int64_t)((__int128)1000000000000000 * r / 4096));
  }
  int grid[3];
  mesh_block_grid(n, 1 << 12, grid);
  assert_true(grid[0] == 16 && grid[1] == 16 && grid[2] == 16);
  mesh_share share;
  assert_int_equal(mesh_partition_block(&share, n, blocks, nranks - 1), 0);
  assert_true(share.nzones == 4 * 8 * 4);
  assert_true(share.zone_ids[0] == 4092 + 4096 * (4088 + INT64_C(4096) * 4092) && share.zone_ids[127] == all - 1);
  free(share.zone_ids);
  mesh_coarse *c;
  assert_int_equal(mesh_coarse_box(&c, 3, lower, upper, (const int[6]){0}), 0);
  int64_t last = -1;
  for (int r = nranks - 3; r < nranks; r++) { // steps along the curve are between neighbours
    assert_int_equal(mesh_partition_hilbert(&share, c, n, nranks, r), 0);
    assert_true(share.nzones == 128);
    for (int i = 0; i < 128; last = share.zone_ids[i++]) {
      assert_true(share.zone_ids[i] >= 0 && share.zone_ids[i] < all);
      const int64_t step = llabs(share.zone_ids[i] - last);
      assert_true(last < 0 || step == 1 || step == 4096 || step == INT64_C(4096) * 4096);
    }
    free(share.zone_ids);
  }
  mesh_coarse_destroy(&c);
}

/* A column of zones far out in the mesh, one on each rank: each shares a face with the next. */
static void shared_nodes(void **state)
{
  const int k = 2, n[3] = {3000, 2000, 1000}, rank = comm_rank(), size = comm_size();
  const int64_t above = INT64_C(3000) * 2000, zone = mesh_cells(n) - 1 - above * rank;
  (void)state;
  mesh *m = box(3, n, 1, &zone);
  for (int i = 0; i < 8; i++) // where the zone is does not matter here
    for (int d = 0; d < 3; d++) m->corners[i * 3 + d] = i >> d & 1;
  fem_space *s = NULL;
  assert_int_equal(fem_space_create(&s, m, k, 1, 0, FEM_ZONE_BY_ZONE), 0);
  assert_true(s->nzones_global == INT64_C(6000000000));
  assert_true(s->ndofs_global == INT64_C(6001) * 4001 * 2001);
  assert_int_equal(s->ndofs, 27);
  const int neighbours = (rank > 0) + (rank < size - 1);
  const int *index;
  assert_int_equal(halo_shared(s->halo, &index), 9 * neighbours);
  double *count = calloc(27, sizeof *count);
  for (int i = 0; i < 27; i++) count[i] = 1.0;
  halo_sum_begin(NULL, s->halo, 1, count);
  halo_sum_end(NULL, s->halo, 1, count);
  double sum = 0.0;
  for (int i = 0; i < 27; i++) sum += count[i];
  assert_true(sum == 27.0 + 9.0 * neighbours);
  free(count);
  int64_t owned = s->nowned;
  comm_sum_int64(&owned, 1);
  assert_int_equal(owned, 27 + 18 * (size - 1));
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(nodes_of_a_box),
    cmocka_unit_test(nodes_of_a_file),
    cmocka_unit_test(shares_of_ranks),
    cmocka_unit_test(shared_nodes),
  };
  comm_init(&argc, &argv);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
