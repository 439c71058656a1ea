/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Zone blocks of zones: each zone is in one, and their numbers say what they claim.
 * ranks: 1 3
 */
#include <limits.h>

#include "fem/mass/zone_blocks.h"
#include "tests/fem/samples.h"

/* Every zone is in one zone block, first zones in first zone blocks. */
static void check_zones(const fem_zone_blocks *p, const fem_space *s)
{
  int *seen = calloc((size_t)s->nzones + 1, sizeof *seen), zones = 0;
  assert_non_null(seen);
  for (int k = 0; k < p->nzone_blocks; k++)
    for (int z = 0; z < p->size; z++) {
      const int zone = p->zone[k * p->size + z];
      if (zone < 0) continue;
      assert_true(z == 0 || p->zone[k * p->size + z - 1] < zone);
      assert_int_equal(zone < fem_first_zones(s), k < p->nfirst);
      assert_int_equal(seen[zone]++, 0);
      zones++;
    }
  assert_int_equal(zones, s->nzones);
  free(seen);
}

/* The numbers of zone block k: local and place are inverse to each other, and inner nodes are complete.  Nodes are
 * sorted. */
static void check_nodes(const fem_zone_blocks *p, const fem_space *s, const int *zones_of_dof, int k)
{
  const int *node = p->node + p->node_start[k], n = p->node_start[k + 1] - p->node_start[k], m = p->numbering[k];
  const uint16_t *local = p->local + (int64_t)m * s->nd * p->stride;
  const uint16_t *start = p->chunk_start + (int64_t)m * (p->nchunks + 1),
                 *place = p->place + (int64_t)m * p->most_rows * FEM_CHUNK;
  int places = 0, last_count = INT_MAX;
  assert_true(m < p->nnumberings && n <= p->most_nodes && start[0] == 0 && start[p->nchunks] <= p->most_rows);
  for (int i = 0; i < n; i++) {
    const uint16_t *mine = place + start[i / FEM_CHUNK] * FEM_CHUNK + i % FEM_CHUNK; // a column
    const int rows = start[i / FEM_CHUNK + 1] - start[i / FEM_CHUNK];
    int count = 0;
    while (count < rows && mine[count * FEM_CHUNK] != p->size) count++;
    assert_true(count > 0);
    assert_int_equal(i < p->ninner[k], count == zones_of_dof[node[i]]);
    assert_true(count <= last_count || i == p->ninner[k]);
    last_count = count;
    for (int j = 0; j < rows; j++) {
      const int at = mine[j * FEM_CHUNK], z = at % p->stride, in_zone = at / p->stride;
      if (j >= count) {
        assert_int_equal(at, p->size);
        continue;
      }
      assert_true(z < p->size && p->zone[k * p->size + z] >= 0);
      assert_true(j == 0 || mine[(j - 1) * FEM_CHUNK] % p->stride < z);
      assert_int_equal(local[at], i);
      assert_int_equal(s->dofs[(int64_t)p->zone[k * p->size + z] * s->nd + in_zone], node[i]);
      places++;
    }
  }
  for (int z = 0; z < p->size; z++) places -= p->zone[k * p->size + z] >= 0 ? s->nd : 0;
  assert_int_equal(places, 0);
  assert_int_equal(p->slot_start[k + 1] - p->slot_start[k], n - p->ninner[k]);
}

static void check(const fem_space *s, int size, int stride, int nodes)
{
  fem_zone_blocks *p;
  int *zones_of_dof = calloc((size_t)s->ndofs + 1, sizeof *zones_of_dof);
  assert_non_null(zones_of_dof);
  for (int64_t i = 0; i < (int64_t)s->nzones * s->nd; i++) zones_of_dof[s->dofs[i]]++;
  assert_int_equal(fem_zone_blocks_create(&p, s, fem_first_zones(s), size, stride, nodes), 0);
  check_zones(p, s);
  for (int k = 0; k < p->nzone_blocks; k++) {
    check_nodes(p, s, zones_of_dof, k);
    assert_true(p->node_start[k + 1] - p->node_start[k] <= (nodes < s->nd ? s->nd : nodes));
  }
  fem_zone_blocks_destroy(&p);
  assert_null(p);
  free(zones_of_dof);
}

static void zone_blocks_of_boxes(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= 3; k++)
      for (int zones = 1; zones <= 7; zones += 3) {
        mesh *m = sample_box_mesh(dim, (int[]){zones, 5, 4});
        fem_space *s = sample_space(m, k, k - 1, 0);
        check(s, 8, 9, 10000);
        check(s, 8, 9, 3 * s->nd);
        check(s, 64, 65, 10000);
        check(s, 1, 2, 1);
        fem_space_destroy(&s);
        mesh_destroy(&m);
      }
}

static void zone_blocks_of_other_meshes(void **state)
{
  (void)state;
  mesh *m = sample_mesh(sample_star(2, 5, 3), 4);
  fem_space *s = sample_space(m, 2, 1, 0);
  check(s, 16, 17, 1000);
  check(s, 7, 9, 60);
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

/* On a lattice that cubes can tile they do: 4^3 zones of order 2 have 9^3 nodes, and inner zone blocks are all
 * alike. */
static void zone_blocks_are_compact(void **state)
{
  (void)state;
  if (comm_size() > 2) return;
  mesh *m = sample_box_mesh(3, (int[]){16, 16, 16});
  fem_space *s = sample_space(m, 2, 1, 0);
  fem_zone_blocks *p;
  assert_int_equal(fem_zone_blocks_create(&p, s, s->nzones, 64, 65, 900), 0);
  assert_int_equal(p->nzone_blocks, 64 / comm_size());
  assert_int_equal(p->nfirst, p->nzone_blocks);
  assert_int_equal(p->most_nodes, 729);
  assert_in_range(p->nnumberings, 1, 27);
  fem_zone_blocks_destroy(&p);
  fem_space_destroy(&s);
  mesh_destroy(&m);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(zone_blocks_of_boxes),
    cmocka_unit_test(zone_blocks_of_other_meshes),
    cmocka_unit_test(zone_blocks_are_compact),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
