/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Boundary faces by name: wall_x, wall_y, wall_z and free, as Gmsh's physical groups and MFEM's attribute sets.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/mesh/read/refusals.h"
#include "tests/mesh/read/writers.h"

enum { FACES = 4 };

/* One quad; lower, right, upper and left side in groups 5 to 8. */
static const char gmsh_2[] =
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%s$EndPhysicalNames\n"
  "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
  "$Elements\n5\n1 1 2 5 1 1 2\n2 1 2 6 1 2 3\n3 1 2 7 1 3 4\n4 1 2 8 1 4 1\n5 3 2 9 1 1 2 3 4\n$EndElements\n";
static const char gmsh_4[] =
  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n%s$EndPhysicalNames\n"
  "$Entities\n0 4 1 0\n1 0 0 0 1 0 0 1 5 0\n2 1 0 0 1 1 0 1 6 0\n3 0 1 0 1 1 0 1 7 0\n4 0 0 0 0 1 0 1 -8 0\n"
  "9 0 0 0 1 1 0 1 9 0\n$EndEntities\n"
  "$Nodes\n1 4 1 4\n2 9 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"
  "$Elements\n5 5 1 5\n1 1 1 1\n1 1 2\n1 2 1 1\n2 2 3\n1 3 1 1\n3 3 4\n1 4 1 1\n4 4 1\n2 9 3 1\n5 1 2 3 4\n"
  "$EndElements\n";
static const char mfem[] =
  "MFEM mesh v1.3\ndimension\n2\nelements\n1\n9 3 0 1 2 3\nattribute_sets\n1\n\"all of it\" 1 9\n"
  "boundary\n4\n5 1 0 1\n6 1 1 2\n7 1 2 3\n8 1 3 0\nbdr_attribute_sets\n%s"
  "vertices\n4\n2\n0 0\n1 0\n1 1\n0 1\nmfem_mesh_end\n";

static mesh_coarse *parse(const char *format, const char *names, char message[500])
{
  char text[2000];
  mesh_coarse *c = NULL;
  snprintf(text, sizeof text, format, names);
  mesh_coarse_parse(&c, "sample", text, strlen(text), message, 500);
  return c;
}

static void check(const char *format, const char *names, const int expected[FACES])
{
  char message[500] = "";
  mesh_coarse *c = parse(format, names, message);
  if (!c) fail_msg("%s", message);
  assert_int_equal(c->nfaces, FACES);
  for (int f = 0; f < FACES; f++) assert_int_equal(c->attributes[f], expected[f]);
  mesh_coarse_destroy(&c);
}

static void names_say_what_faces_are(void **state)
{
  (void)state;
  const int named[FACES] = {2, 1, 0, 3}, numbered[FACES] = {5, 6, 7, 8}, half[FACES] = {5, 1, 7, 8};
  const char *const groups =
    "6\n1 5 \"wall_y\"\n1 6 \"wall_x\"\n1 7 \"free\"\n1 8 \"wall_z\"\n2 9 \"the gas\"\n2 5 \"wall_x\"\n";
  check(gmsh_2, groups, named);
  check(gmsh_4, groups, named);
  check(mfem, "4\n\"wall_y\" 1 5\n\"wall_x\" 1 6\n\"free\" 1 7\n\"wall_z\" 1 8\n", named);
  check(gmsh_2, "1\n1 5 \"a wall_x\"\n", numbered);
  check(gmsh_4, "0\n", numbered);
  check(mfem, "2\n\"left side\" 2 8 8\n\"Wall_x\" 4 5 6 7 8\n", numbered);
  check(gmsh_2, "1\n1 6 \"wall_x\"\n", half);
  check(gmsh_4, "1\n1 -6 \"wall_x\"\n", half);
  check(mfem, "2\n\"wall_x\" 2 6 11\n\"empty\" 0\n", half);
  check(mfem, "2\n\"wall_y\" 2 5 7\n\"wall_x\" 2 6\n8\n", (int[]){2, 1, 2, 1});
}

static void check_refused(const char *format, const char *names, const char *says)
{
  char message[500] = "";
  mesh_coarse *c = parse(format, names, message);
  if (c || strncmp(message, says, strlen(says)) != 0) fail_msg("'%s' instead of '%s'", message, says);
}

static void wrong_names_are_refused(void **state)
{
  (void)state;
  check_refused(gmsh_2, "1\n1 5 wall_x\n", "sample:6: 'wall_x' stands where a name in quotation marks should be");
  check_refused(gmsh_2, "1\n1 5 \"wall_x\n", "sample:6: this name has no quotation mark at its end");
  check_refused(gmsh_2, "2\n1 5 \"wall_x\"\n1 5 \"wall_y\"\n",
                "sample:4: boundary faces of number 5 are in wall_x and in wall_y; they may be in one of them");
  check_refused(gmsh_2, "2\n1 5 \"wall_x\"\n",
                "sample:7: '$EndPhysicalNames' stands where the dimension of a physical");
  check_refused(gmsh_2, "1\n4 5 \"wall_x\"\n", "sample:6: the dimension of a physical group is 4");
  check_refused(gmsh_2, "0\n$EndPhysicalNames\n$PhysicalNames\n0\n", "sample:7: there is a second $PhysicalNames");
  check_refused(gmsh_2, "700\n1 5 \"\"\n", "sample:5: the number of physical names is 700, more than the rest");
  check_refused(mfem, "1\nwall_x 1 5\n", "sample:18: 'wall_x' stands where a name in quotation marks should be");
  check_refused(mfem, "1\n\"wall_x\" 1\n", "sample:19: 'vertices' stands where an attribute should be");
  check_refused(mfem, "2\n\"wall_x\" 1 5\n\"free\" 2 6 5\n", "sample:16: boundary faces of number 5 are in ");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_say_what_faces_are),
    cmocka_unit_test(wrong_names_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
