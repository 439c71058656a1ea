/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every zone belongs to exactly one rank, and the ranks' shares are of nearly the same size.
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

/* Gives every zone to a rank and checks that none is given twice or left out; returns the largest share. */
static int64_t check_cover(const mesh_coarse *c, const int subdivision[3], mesh_partition how, int nranks)
{
  int64_t n = mesh_cells(subdivision) * c->nzones, given = 0, largest = 0;
  char *seen = calloc((size_t)n + 1, 1);
  for (int rank = 0; rank < nranks; rank++) {
    mesh_share share, again;
    assert_int_equal(mesh_partition_zones(&share, c, subdivision, how, NULL, nranks, rank), 0);
    assert_int_equal(mesh_partition_zones(&again, c, subdivision, how, NULL, nranks, rank), 0);
    assert_int_equal(share.nzones, again.nzones);
    for (int64_t i = 0; i < share.nzones; i++) {
      assert_in_range(share.zone_ids[i], 0, n - 1);
      assert_false(seen[share.zone_ids[i]]);
      assert_int_equal(share.zone_ids[i], again.zone_ids[i]);
      seen[share.zone_ids[i]] = 1;
    }
    given += share.nzones;
    if (share.nzones > largest) largest = share.nzones;
    free(share.zone_ids);
    free(again.zone_ids);
  }
  assert_int_equal(given, n);
  free(seen);
  return largest;
}

static mesh_coarse *unit_box(int dim)
{
  mesh_coarse *c;
  assert_int_equal(mesh_coarse_box(&c, dim, (double[]){0, 0, 0}, (double[]){1, 1, 1}, (int[]){1, 1, 2, 2, 3, 3}), 0);
  return c;
}

static int64_t ceiling(int64_t a, int64_t b)
{
  return (a + b - 1) / b;
}

static void boxes(void **state)
{
  (void)state;
  const int n[][3] = {{1, 1, 1}, {7, 1, 1}, {8, 8, 8}, {5, 3, 2}, {9, 4, 1}, {2, 13, 3}};
  mesh_coarse *c = unit_box(3);
  for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
    for (int nranks = 1; nranks <= 13; nranks++) {
      int64_t fair = ceiling(mesh_cells(n[i]), nranks);
      int p[3];
      check_cover(c, n[i], MESH_BLOCK, nranks);
      assert_int_equal(check_cover(c, n[i], MESH_HILBERT, nranks), fair);
      assert_in_range(check_cover(c, n[i], MESH_RCB, nranks), fair, fair + 1);
      mesh_block_grid(n[i], nranks, p);
      assert_int_equal(p[0] * p[1] * p[2], nranks);
      int64_t largest = check_cover(c, n[i], MESH_AUTO, nranks);
      assert_true((double)largest <= fmax(1.1 * (double)mesh_cells(n[i]) / nranks, (double)fair));
    }
  }
  mesh_coarse_destroy(&c);
}

static void block_grids(void **state)
{
  (void)state;
  const struct {
    int n[3], nranks, p[3];
  } cases[] = {{{8, 8, 8}, 8, {2, 2, 2}},   {{8, 8, 8}, 64, {4, 4, 4}}, {{16, 8, 8}, 2, {2, 1, 1}},
               {{8, 8, 1}, 16, {4, 4, 1}},  {{7, 8, 8}, 7, {7, 1, 1}},  {{1, 1, 12}, 4, {1, 1, 4}},
               {{12, 12, 1}, 6, {2, 3, 1}}, {{5, 1, 1}, 3, {3, 1, 1}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int p[3];
    mesh_block_grid(cases[i].n, cases[i].nranks, p);
    assert_memory_equal(p, cases[i].p, sizeof p);
  }
}

static void given_blocks(void **state)
{
  (void)state;
  mesh_coarse *c = unit_box(3);
  const int n[3] = {6, 6, 6}, blocks[3] = {1, 6, 1};
  for (int rank = 0; rank < 6; rank++) {
    mesh_share share;
    assert_int_equal(mesh_partition_zones(&share, c, n, MESH_BLOCK, blocks, 6, rank), 0);
    assert_int_equal(share.nzones, 36);
    for (int i = 0; i < 36; i++) assert_int_equal(share.zone_ids[i] / 6 % 6, rank);
    free(share.zone_ids);
  }
  mesh_coarse_destroy(&c);
}

/* The curve visits every cell of any box once; on cubes of 2^k it goes from neighbour to neighbour. */
static void curve(void **state)
{
  (void)state;
  mesh_coarse *c = unit_box(3);
  for (int i = 0; i < 6 * 6 * 6; i++) {
    int n[3] = {1 + i % 6, 1 + i / 6 % 6, 1 + i / 36};
    check_cover(c, n, MESH_HILBERT, 1);
    check_cover(c, n, MESH_HILBERT, 5);
  }
  const int cubes[][3] = {{2, 2, 2}, {4, 4, 4}, {8, 8, 8}, {8, 8, 1}, {16, 16, 1}, {4, 6, 8}};
  for (size_t i = 0; i < sizeof cubes / sizeof *cubes; i++) {
    const int *n = cubes[i];
    mesh_share share;
    assert_int_equal(mesh_partition_hilbert(&share, c, n, 1, 0), 0);
    for (int64_t j = 1; j < share.nzones; j++) {
      int64_t a = share.zone_ids[j - 1], b = share.zone_ids[j];
      int64_t steps = llabs(a % n[0] - b % n[0]) + llabs(a / n[0] % n[1] - b / n[0] % n[1]) +
                      llabs(a / n[0] / n[1] - b / n[0] / n[1]);
      assert_int_equal(steps, 1);
    }
    free(share.zone_ids);
  }
  mesh_coarse_destroy(&c);
}

/* Half of the zones of a long bar, by coordinate, is one end of it, whichever way the bar lies. */
static void bisection_cuts_across(void **state)
{
  (void)state;
  for (int axis = 0; axis < 2; axis++) {
    int n[2] = {axis == 0 ? 20 : 2, axis == 0 ? 2 : 20};
    mesh_coarse *c = sample_grid(2, n, 0.1, 3, false);
    for (int v = 0; v < c->nvertices; v++) c->vertices[2 * v + axis] *= 10;
    for (int rank = 0; rank < 2; rank++) {
      mesh_share share;
      assert_int_equal(mesh_partition_rcb(&share, c, (int[]){1, 1, 1}, 2, rank), 0);
      assert_int_equal(share.nzones, 20);
      for (int i = 0; i < 20; i++) {
        double x = 0;
        for (int j = 0; j < 4; j++) x += c->vertices[2 * c->zones[4 * share.zone_ids[i] + j] + axis] / 4;
        assert_true(rank == 0 ? x < 5 : x > 5);
      }
      free(share.zone_ids);
    }
    mesh_coarse_destroy(&c);
  }
}

static void unstructured(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++) {
    for (int refine = 1; refine <= 2; refine++) {
      int n[3] = {7, dim == 2 ? 9 : 4, 5}, subdivision[3] = {refine, dim > 1 ? refine : 1, dim > 2 ? refine : 1};
      mesh_coarse *c = sample_grid(dim, n, 0.2, (unsigned)dim + (unsigned)refine, false);
      int64_t all = mesh_cells(subdivision) * c->nzones;
      for (int nranks = 1; nranks <= 20; nranks += nranks < 8 ? 1 : 11) {
        int64_t fair = ceiling(all, nranks);
        assert_int_equal(check_cover(c, subdivision, MESH_HILBERT, nranks), fair);
        assert_in_range(check_cover(c, subdivision, MESH_RCB, nranks), fair, fair + 1);
        int64_t largest = check_cover(c, subdivision, MESH_AUTO, nranks);
        assert_true((double)largest <= fmax(1.1 * (double)all / nranks, (double)fair + 1));
        largest = check_cover(c, subdivision, MESH_METIS, nranks);
        assert_true((double)largest <= fmax(1.1 * (double)all / nranks, (double)fair + 1));
      }
      mesh_coarse_destroy(&c);
    }
  }
}

/* METIS cuts few faces: fewer than twice those of two straight cuts of a square into four. */
static void metis_cuts_little(void **state)
{
  (void)state;
  mesh_coarse *c = sample_grid(2, (int[]){20, 20}, 0.1, 9, false);
  int part[400], cut = 0;
  for (int rank = 0; rank < 4; rank++) {
    mesh_share share;
    int status = mesh_partition_metis(&share, c, (int[]){1, 1, 1}, 4, rank);
    if (status < 0) { // not built in
      mesh_coarse_destroy(&c);
      skip();
    }
    assert_int_equal(status, 0);
    for (int64_t i = 0; i < share.nzones; i++) part[share.zone_ids[i]] = rank;
    free(share.zone_ids);
  }
  for (int a = 0; a < 400; a++) {
    for (int b = 0; b < a; b++) {
      int common = 0;
      for (int i = 0; i < 16; i++) common += c->zones[4 * a + i % 4] == c->zones[4 * b + i / 4];
      cut += common == 2 && part[a] != part[b];
    }
  }
  assert_in_range(cut, 1, 80);
  mesh_coarse_destroy(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(boxes),
    cmocka_unit_test(block_grids),
    cmocka_unit_test(given_blocks),
    cmocka_unit_test(curve),
    cmocka_unit_test(bisection_cuts_across),
    cmocka_unit_test(unstructured),
    cmocka_unit_test(metis_cuts_little),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
