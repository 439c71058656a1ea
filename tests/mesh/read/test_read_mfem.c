/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wrong MFEM and areamesh2 files: each is refused with one sentence that says where and what.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/mesh/read/refusals.h"

#define TABLE(t) t, sizeof t / sizeof *t

// clang-format off
/* Three quads in a row; vertices 0..3 below, 4..7 above. */
static const char quads[] =
  "MFEM mesh v1.0\n"            // line 1
  "\n"
  "# three quads\n"
  "dimension\n"
  "2\n"                         // 5
  "elements\n"
  "3\n"
  "1 3 0 1 5 4\n"               // 8
  "1 3 1 2 6 5\n"
  "1 3 2 3 7 6\n"               // 10
  "boundary\n"
  "3\n"
  "1 1 0 4\n"                   // 13
  "1 1 3 7\n"
  "2 1 0 1\n"                   // 15
  "vertices\n"
  "8\n"
  "2\n"                         // 18
  "0 0\n" "1.5 0\n" "2.5 0\n" "3.5 0\n"
  "0 1\n" "1.5 1\n" "2.5 1\n" "3.5 1\n";

static const refusal quad_refusals[] = {
  {"MFEM mesh v1.0", "", "3: '#' does not begin a mesh"},
  {"MFEM", "MFEN", "1: 'MFEN' does not begin a mesh"},
  {"mesh v1.0", "NURBS mesh v1.0", "1: this is an MFEM NURBS mesh"},
  {"v1.0", "v1.1", "1: this is MFEM mesh v1.1; only MFEM mesh v1.0"},
  {"v1.0", "INLINE mesh v1.0", "1: this is MFEM mesh INLINE"},
  {"dimension\n2", "dimension\n4", "5: the dimension is 4, but must be from 1 to 3"},
  {"dimension\n2", "dimension\n0", "5: the dimension is 0"},
  {"dimension\n2", "dimension\ntwo", "5: 'two' stands where the dimension should be, an integer"},
  {"dimension\n2", "dimension\n2.0", "5: '2.0' stands where the dimension should be"},
  {"dimension\n2", "dimension\n3", "8: this zone is a quad (geometry 3), which is not supported here: only hexes"},
  {"dimension", "dimensions", "4: 'dimensions' stands where 'dimension' should be"},
  {"elements\n3", "elements\n-3", "7: the number of elements is -3"},
  {"elements\n3", "elements\n2", "10: '1' stands where 'boundary' should be"},
  {"elements\n3", "elements\n4", "11: 'boundary' stands where an attribute should be, an integer"},
  {"elements\n3", "elements\n170000000", "7: the number of elements is 170000000, more than the rest of the file"},
  {"elements\n3", "elements\n3000000000", "7: the number of elements is 3000000000, but must be from 0 to"},
  {"elements\n3", "elements\n9999999999999999999999", "7: the number of elements is 9999999999999999999999, but"},
  {"elements\n3\n1 3 0 1 5 4\n1 3 1 2 6 5\n1 3 2 3 7 6", "elements\n0", "24: the mesh has no zones"},
  {"1 3 1 2 6 5", "1 2 1 2 6", "9: this zone is a triangle (geometry 2), which is not supported here: only quads"},
  {"1 3 1 2 6 5", "1 4 1 2 6 5", "9: this zone is a tetrahedron (geometry 4)"},
  {"1 3 1 2 6 5", "1 9 1 2 6 5", "9: a geometry type is 9, but must be from 0 to 7"},
  {"1 3 1 2 6 5", "0 3 1 2 6 5", "9: an attribute is 0, but must be from 1"},
  {"1 3 1 2 6 5", "1 3 1 2 8 5", "9: this zone names vertex 8, but the mesh has 8, numbered from 0"},
  {"1 3 1 2 6 5", "1 3 1 -2 6 5", "9: a vertex number is -2"},
  {"1 3 1 2 6 5", "1 3 1 2 6 99999999999", "9: a vertex number is 99999999999"},
  {"1 3 1 2 6 5", "1 3 1 2 2 5", "9: this zone has the same vertex twice"},
  {"1 3 1 2 6 5", "1 3 5 6 2 1", "9: this zone is inverted or not convex: the Jacobian"},
  {"1 3 1 2 6 5", "1 3 1 2 5 6", "9: this zone is inverted"},
  {"1 3 1 2 6 5", "1 3 0 1 5 4", "9: this zone is listed for the second time"},
  {"1 3 2 3 7 6", "1 3 1 3 7 5", "10: this zone is the third at one of its faces"},
  {"boundary\n3", "boundary\n2", "15: '2' stands where 'vertices' should be"},
  {"boundary\n3", "boundary\n30000", "12: the number of boundary faces is 30000, more than the rest"},
  {"1 1 0 4", "0 1 0 4", "13: an attribute is 0"},
  {"1 1 0 4", "1 3 0 4", "13: this boundary face is a quad (geometry 3), which is not supported here: only segments"},
  {"1 1 0 4", "1 1 0 8", "13: this boundary face names vertex 8"},
  {"1 1 0 4", "1 1 0 0", "13: this boundary face has the same vertex twice"},
  {"1 1 0 4", "1 1 1 5", "13: this boundary face lies between two zones"},
  {"1 1 0 4", "1 1 0 5", "13: this boundary face is not a face of any zone"},
  {"1 1 0 4", "1 1 7 3", "14: this boundary face is listed for the second time"},
  {"vertices\n8", "vertices\n7", "26: '3.5' stands where the file should end"},
  {"vertices\n8", "vertices\n9", "27: the file ends where a coordinate should be; is it complete?"},
  {"vertices\n8", "vertices\n123456789", "17: the number of vertices is 123456789, more than"},
  {"vertices\n8", "vertices\n8x", "17: '8x' stands where the number of vertices should be"},
  {"vertices\n8\n2", "vertices\n8\n3", "18: the number of coordinates (it must be the dimension of the mesh) is 3"},
  {"vertices\n8\n2", "vertices\n8\nnode", "18: 'node' stands where"},
  {"1.5 0", "nan 0", "20: a coordinate is nan, but must be finite"},
  {"1.5 0", "1e999 0", "20: a coordinate is 1e999, but must be finite"},
  {"1.5 0", "-inf 0", "20: a coordinate is -inf"},
  {"1.5 0", "1.5,0", "20: '1.5,0' stands where a coordinate should be, a number"},
  {"1.5 0", "1.5 \001\377", "20: '?" "?' stands where a coordinate should be"},
  {"1.5 0", "0 0", "8: this zone is flat: the Jacobian determinant at one of its corners is 0"},
  {"1.5 0", "2.6 0", "9: this zone is inverted or not convex"},
  {"1.5 0", "-1e308 0\n", "8: this zone is"},
  {NULL, "extra\n", "27: 'extra' stands where the file should end"},
};

static const char nodes[] =
  "MFEM mesh v1.0\ndimension\n1\nelements\n1\n1 1 0 1\nboundary\n1\n1 0 1\nvertices\n2\n\nnodes\n"
  "FiniteElementSpace\n"
  "FiniteElementCollection: H1_1D_P1\n" // line 15
  "VDim: 1\n"
  "Ordering: 0\n"
  "\n"
  "0\n1\n";

static const refusal node_refusals[] = {
  {"FiniteElementSpace", "GridFunction", "14: 'GridFunction' stands where 'FiniteElementSpace' should be"},
  {"H1_1D_P1", "H1_1D_P2", "21: the file ends where a coordinate should be"},
  {"H1_1D_P1", "L2_1D_P1", "15: the nodes are of 'L2_1D_P1'"},
  {"H1_1D_P1", "L2_T2_1D_P1", "15: the nodes are of 'L2_T2_1D_P1'"},
  {"H1_1D_P1", "H1_2D_P1", "15: the nodes are of 'H1_2D_P1', but only those of Linear, Quadratic, H1_1D_P1 to P8"},
  {"H1_1D_P1", "Cubic", "15: the nodes are of 'Cubic'"},
  {"H1_1D_P1", "H1", "15: the nodes are of 'H1'"},
  {"H1_1D_P1", "_1D_P1", "15: the nodes are of '_1D_P1'"},
  {"H1_1D_P1", "H1_a_very_long_name_that_does_not_end_1D_P1", "15: the nodes are of 'H1_a_very_long_name_that_does_not_end_1D...'"},
  {"VDim: 1", "VDim: 2", "16: VDim (it must be the dimension of the mesh) is 2"},
  {"Ordering: 0", "Ordering: 2", "17: Ordering is 2, but must be from 0 to 1"},
  {"\n1 0 1\n", "\n1 1 0 1\n", "9: this boundary face is a segment"},
  {"\n0\n1\n", "\n0\n", "20: the file ends where a coordinate should be"},
  {"\n0\n1\n", "\n1\n0\n", "6: this zone is inverted"},
};

/* A hex of side 1 on a second one, the upper one listed first. */
static const char hexes[] =
  "MFEM mesh v1.0\ndimension\n3\nelements\n2\n"
  "1 5 4 5 6 7 8 9 10 11\n"  // line 6
  "1 5 0 1 2 3 4 5 6 7\n"
  "boundary\n1\n"
  "3 3 0 1 2 3\n"            // 10
  "vertices\n12\n3\n"
  "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n0 0 2\n1 0 2\n1 1 2\n0 1 2\n";

static const refusal hex_refusals[] = {
  {"1 5 0 1 2 3 4 5 6 7", "1 5 0 1 3 2 4 5 7 6", "7: this zone is inverted"},
  {"1 5 0 1 2 3 4 5 6 7", "1 5 4 5 6 7 0 1 2 3", "7: this zone is inverted"},
  {"1 5 0 1 2 3 4 5 6 7", "1 4 0 1 2 4", "7: this zone is a tetrahedron (geometry 4), which is not supported here: only hexes"},
  {"1 5 0 1 2 3 4 5 6 7", "1 5 4 5 6 7 8 9 10 11", "7: this zone is listed for the second time"},
  {"3 3 0 1 2 3", "3 3 0 1 3 2", "10: this boundary face is not a face of any zone"},
  {"3 3 0 1 2 3", "3 3 4 5 6 7", "10: this boundary face lies between two zones"},
  {"3 3 0 1 2 3", "3 2 0 1 2", "10: this boundary face is a triangle (geometry 2)"},
  {"1 1 2\n0 1 2", "1 1 1\n0 1 1", "6: this zone is flat"},
};

static const char old[] =
  "areamesh2\n\n"
  "1\n"               // line 3
  "2 1 2\n"
  "1\n"
  "1 4 1 2 3 4\n"     // 6
  "4\n"
  "0 0\n1 0\n1 1\n0 1\n";

static const refusal old_refusals[] = {
  {"areamesh2", "curved_areamesh2", "1: 'curved_areamesh2' does not begin a mesh"},
  {"2 1 2", "2 0 2", "4: a vertex number is 0, but must be from 1"},
  {"2 1 2", "2 1 9", "4: this boundary face names vertex 9, but the mesh has 4, numbered from 1"},
  {"2 1 2", "-2 1 2", "4: an attribute is -2"},
  {"1 4 1 2 3 4", "1 5 1 2 3 4", "6: a number of corners is 5"},
  {"1 4 1 2 3 4", "1 4 1 4 3 2", "6: this zone is inverted or not convex: the Jacobian determinant"},
  {"4\n0 0", "5\n0 0", "7: the number of vertices is 5, more than the rest"},
  {"4\n0 0", "50\n0 0", "7: the number of vertices is 50, more than the rest"},
};
// clang-format on

static void right_files_are_read(void **state)
{
  (void)state;
  const char *const right[] = {quads, nodes, hexes, old};
  for (int i = 0; i < 4; i++) {
    char message[500];
    assert_int_equal(parse_text(right[i], message), 0);
  }
}

static void wrong_files_are_refused(void **state)
{
  (void)state;
  int wrong = check_refusals(quads, TABLE(quad_refusals)) + check_refusals(nodes, TABLE(node_refusals)) +
              check_refusals(hexes, TABLE(hex_refusals)) + check_refusals(old, TABLE(old_refusals));
  assert_int_equal(wrong, 0);
}

static void third_zone_at_a_face(void **state)
{
  (void)state;
  char message[500];
  const char *text =
    "MFEM mesh v1.0\ndimension\n1\nelements\n3\n1 1 0 1\n1 1 1 2\n1 1 1 3\nboundary\n0\nvertices\n4\n1\n0 1 2 3\n";
  assert_int_equal(parse_text(text, message), 2);
  assert_string_equal(message, "8: this zone is the third at one of its faces; a face has at most two zones");
}

/* What else MFEM writes and this reader takes. */
static void variations(void **state)
{
  (void)state;
  const refusal good[] = {{"H1_1D_P1", "Linear", ""},
                          {"H1_1D_P1", "H1@G_1D_P1", ""},
                          {"Ordering: 0", "Ordering: 1", ""},
                          {"v1.0", "v1.2", ""},
                          {"v1.0", "v1.3", ""},
                          {"MFEM", "\xef\xbb\xbfMFEM", ""},
                          {NULL, "mfem_mesh_end\n", ""},
                          {NULL, "# the end", ""},
                          {"boundary\n1\n1 0 1", "boundary\n0", ""},
                          {"dimension\n", "dimension # of\r\n", ""}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    char message[500], *text = replace_first(nodes, good[i].find, good[i].with);
    assert_int_equal(parse_text(text, message), 0);
    free(text);
  }
}

/* A message longer than its room is cut, not written beyond it. */
static void short_messages(void **state)
{
  (void)state;
  char message[8] = "1234567";
  mesh_coarse *c;
  assert_int_equal(mesh_coarse_parse(&c, "sample", "no mesh", 7, message, 6), 2);
  assert_string_equal(message, "sampl");
  assert_int_equal(message[6], '7');
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(right_files_are_read), cmocka_unit_test(wrong_files_are_refused),
    cmocka_unit_test(third_zone_at_a_face), cmocka_unit_test(variations),
    cmocka_unit_test(short_messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
