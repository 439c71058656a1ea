/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The boundary of a mesh: walls and free faces are counted, and what is probably not meant is told of in a sentence.
 *
 * ranks: 1 2
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/boundary.h"
#include "tests/mesh/samples.h"

/* All sentences, a line each. */
typedef struct told {
  char text[2000];
  int n;
} told;

static void note(void *user, const char *sentence)
{
  told *t = user;
  const size_t n = strlen(t->text);
  snprintf(t->text + n, sizeof t->text - n, "%s\n", sentence);
  t->n++;
}

static const bool all_closed[6], all_open[6] = {true, true, true, true, true, true};

/* Takes the coarse mesh over. */
static mesh *make(mesh_coarse *c, int subdivision)
{
  mesh *m;
  assert_int_equal(mesh_create(&m, &c, (int[]){subdivision, subdivision, subdivision}, MESH_HILBERT, NULL), 0);
  return m;
}

static told examine(mesh_coarse *c, const bool open[6], mesh_boundary *b)
{
  told t = {.n = 0};
  mesh *m = make(c, 2);
  mesh_sides sides;
  mesh_boundary own;
  assert_int_equal(mesh_sides_create(&sides, m), 0);
  mesh_boundary_count(m, &sides, b ? b : &own);
  mesh_examine_attributes(m, &sides, open, note, &t);
  assert_int_equal(mesh_examine_geometry(m, &sides, note, &t), 0);
  mesh_sides_destroy(&sides);
  mesh_destroy(&m);
  return t;
}

/* A grid whose faces have the attribute of their axis, on the sides that `walls` names by bits; the others are not
 * listed. */
static mesh_coarse *walled(int dim, const int *n, unsigned walls, uint64_t seed)
{
  mesh_coarse *c = sample_grid(dim, n, 0.2, seed, false);
  int kept = 0;
  for (int f = 0; f < c->nfaces; f++) {
    const int side = c->attributes[f] - 1;
    if (!(walls >> side & 1)) continue;
    c->attributes[kept] = side / 2 + 1;
    memcpy(c->faces + (kept++ << (dim - 1)), c->faces + (f << (dim - 1)), sizeof(int) << (dim - 1));
  }
  c->nfaces = kept;
  return c;
}

static void walls_are_counted(void **state)
{
  (void)state;
  const int n[3] = {3, 4, 2};
  for (int dim = 1; dim <= 3; dim++) {
    for (uint64_t seed = 0; seed < 8; seed++) {
      mesh_boundary b;
      const told t = examine(walled(dim, n, 0x1d, seed), all_open, &b); // but for the upper side of x and z
      const int64_t cells[] = {0, 1, 2, 4}, of_x[] = {0, 1, 4, 8}, of_y[] = {0, 0, 3, 6}, of_z[] = {0, 0, 0, 12};
      assert_int_equal(b.walls[0], of_x[dim] * cells[dim]);
      assert_int_equal(b.walls[1], 2 * of_y[dim] * cells[dim]);
      assert_int_equal(b.walls[2], of_z[dim] * cells[dim]);
      assert_int_equal(b.free, (of_x[dim] + of_z[dim]) * cells[dim]);
      if (t.n) fail_msg("%s", t.text);
    }
  }
}

static void a_box_is_counted(void **state)
{
  (void)state;
  mesh_coarse *c;
  const double low[3] = {0, 0, 0}, high[3] = {1, 2, 3};
  assert_int_equal(mesh_coarse_box(&c, 3, low, high, (int[]){1, 0, 2, 2, 0, 0}), 0);
  mesh *m;
  mesh_sides sides;
  mesh_boundary b;
  assert_int_equal(mesh_create(&m, &c, (int[]){5, 3, 7}, MESH_HILBERT, NULL), 0);
  assert_int_equal(mesh_sides_create(&sides, m), 0);
  mesh_boundary_count(m, &sides, &b);
  assert_int_equal(b.walls[0], 21);
  assert_int_equal(b.walls[1], 70);
  assert_int_equal(b.walls[2], 0);
  assert_int_equal(b.free, 21 + 30);
  mesh_sides_destroy(&sides);
  mesh_destroy(&m);
}

static void expect(const told *t, int n, const char *words)
{
  if (t->n != n || !strstr(t->text, words)) fail_msg("%d sentences, not %d, or not '%s':\n%s", t->n, n, words, t->text);
}

static void doubtful_attributes_are_told_of(void **state)
{
  (void)state;
  const int n[3] = {3, 4, 2};
  told t = examine(walled(2, n, 0, 0), all_closed, NULL);
  expect(&t, 1,
         "14 of the 14 free faces are on sides where the problem has walls (of low x, of high x, of low y, of high y)");
  const bool upper_open[6] = {false, true, false, true, false, true};
  t = examine(walled(3, n, 0x15, 3), upper_open, NULL);
  expect(&t, 0, "");
  t = examine(walled(3, n, 0x11, 3), upper_open, NULL);
  expect(&t, 1, "6 of the 32 free faces are on sides where the problem has walls (of low y), the first around (");
  mesh_coarse *c = walled(2, n, 0xf, 5);
  for (int f = 0; f < c->nfaces; f++) c->attributes[f] = 2;
  t = examine(c, all_open, NULL);
  expect(&t, 1,
         "8 of the 14 walls of y (boundary attribute 2, or wall_y) lie in no line y = const, the first around (");
  c = walled(2, n, 0xf, 5);
  for (int f = 0; f < c->nfaces; f++) c->attributes[f] = c->attributes[f] == 1 ? 3 : 2;
  t = examine(c, all_open, NULL);
  expect(&t, 1, "8 boundary faces are free, as their attribute is no wall's, the first around (");
  t = examine(sample_star(2, 5, 0), all_open, NULL);
  expect(&t, 1, "10 of the 10 walls of x");
  c = walled(2, n, 0xf, 5);
  for (int f = 0, found = 0; f < c->nfaces; f++) {
    const bool first = c->attributes[f] == 2 && !found++;
    c->attributes[f] = first ? 1 : MESH_FREE;
  }
  t = examine(c, all_open, NULL);
  expect(&t, 1, "the only wall of x (boundary attribute 1, or wall_x) lies in no line x = const, the first around (");
}

/* A row of quads from x = 0 to 4, and over it another, whose vertices are its own: moved by dx and dy. */
static mesh_coarse *two_rows(int below, int above, double dx, double dy)
{
  mesh_coarse *c = mesh_coarse_allocate(MESH_TENSOR, 2, 2 * (below + 1) + 2 * (above + 1), below + above, 0);
  for (int row = 0, v = 0, z = 0; row < 2; row++) {
    const int n = row ? above : below, first = v;
    for (int j = 0; j < 2; j++) {
      for (int i = 0; i <= n; i++, v++) {
        c->vertices[2 * v] = 4.0 * i / n + row * dx;
        c->vertices[2 * v + 1] = row + j + row * dy;
      }
    }
    for (int i = 0; i < n; i++, z++)
      for (int k = 0; k < 4; k++) c->zones[4 * z + k] = first + i + (k & 1) + (k >> 1) * (n + 1);
  }
  return c;
}

static void cracks_and_overlaps_are_told_of(void **state)
{
  (void)state;
  told t = examine(two_rows(4, 4, 0, 0), all_open, NULL); // a crack along all of it
  expect(&t, 2, "10 vertices lie at the same place as another, the first at (0, 1)");
  expect(&t, 2, "8 faces of the boundary have a zone behind them, the first at (0.5, 1)");
  t = examine(two_rows(4, 4, 0, 1e-9), all_open, NULL);
  expect(&t, 2, "10 vertices lie at the same place");
  t = examine(two_rows(3, 2, 0, 0), all_open, NULL); // hanging vertices
  expect(&t, 2, "5 faces of the boundary have a zone behind them");
  t = examine(two_rows(4, 4, 0.3, -0.1), all_open, NULL); // overlap
  expect(&t, 2, "vertices of the boundary lie inside a zone");
  expect(&t, 2, "faces of the boundary have a zone behind them");
  t = examine(two_rows(4, 3, 0, 0.01), all_open, NULL); // a gap
  expect(&t, 0, "");
}

/* Hexes with vertices of their own: `near` of them beside one twice as large. */
static void hanging_faces_in_3d_are_told_of(void **state)
{
  (void)state;
  mesh_coarse *c = mesh_coarse_allocate(MESH_TENSOR, 3, 5 * 8, 5, 0);
  const double low[5][3] = {{-2, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}};
  for (int z = 0; z < 5; z++) {
    for (int i = 0; i < 8; i++) {
      c->zones[8 * z + i] = 8 * z + i;
      for (int d = 0; d < 3; d++) c->vertices[3 * (8 * z + i) + d] = low[z][d] + (i >> d & 1) * (z ? 1 : 2);
    }
  }
  const told t = examine(c, all_open, NULL);
  expect(&t, 2, "vertices lie at the same place as another");
  expect(&t, 2,
         "13 faces of the boundary have a zone behind them"); // 8 between the small, 4 of them and 1 of the large
}

/* Whole meshes of every kind raise no doubt about their geometry. */
static void sound_meshes_raise_no_doubt(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++) {
    for (uint64_t seed = 0; seed < 30; seed++) {
      mesh_coarse *c = sample_grid(dim, (int[]){1 + (int)seed % 7, 5, 3}, 0.3, seed, false);
      c->nfaces = 0;
      const told t = examine(c, all_open, NULL);
      if (t.n) fail_msg("%dD, seed %d: %s", dim, (int)seed, t.text);
    }
  }
  for (int arms = 3; arms < 9; arms++) {
    for (int dim = 2; dim <= 3; dim++) {
      mesh_coarse *c = sample_star(dim, arms, (uint64_t)arms);
      c->nfaces = 0;
      const told t = examine(c, all_open, NULL);
      if (t.n) fail_msg("%dD, %d arms: %s", dim, arms, t.text);
    }
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(walls_are_counted),
    cmocka_unit_test(a_box_is_counted),
    cmocka_unit_test(doubtful_attributes_are_told_of),
    cmocka_unit_test(cracks_and_overlaps_are_told_of),
    cmocka_unit_test(hanging_faces_in_3d_are_told_of),
    cmocka_unit_test(sound_meshes_raise_no_doubt),
  };
  comm_init(&argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_finalize();
  return failed;
}
