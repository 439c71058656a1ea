/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wrong Gmsh files: each is refused with one sentence that says where and what.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mesh/simplex/lattice.h"
#include "tests/mesh/read/gmsh_nodes.h"
#include "tests/mesh/read/refusals.h"
#include "tests/mesh/read/writers.h"

#define TABLE(t) t, sizeof t / sizeof *t

// clang-format off
/* Two quads side by side; the left and the lower boundary are in groups 1 and 2. */
static const char second[] =
  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
  "$Nodes\n"                    // line 4
  "6\n"
  "1 0 0 0\n2 1 0 0\n3 2 0 0\n" // 6
  "4 0 1 0\n5 1 1 0\n6 2 1 0\n"
  "$EndNodes\n"                 // 12
  "$Elements\n"
  "5\n"                         // 14
  "1 1 2 1 11 1 4\n"
  "2 1 2 2 12 1 2\n"            // 16
  "3 1 0 2 5\n"
  "4 3 2 7 13 1 2 5 4\n"        // 18
  "5 3 2 7 13 2 3 6 5\n"
  "$EndElements\n";             // 20

static const refusal second_refusals[] = {
  {"$MeshFormat\n2.2", "$MeshFormats\n2.2", "1: '$MeshFormats' stands where '$MeshFormat' should be"},
  {"2.2 0 8", "2.1 0 8", "2: this is Gmsh MSH 2.1; only MSH 2.2 and 4.1 can be read"},
  {"2.2 0 8", "4 0 8", "2: this is Gmsh MSH 4;"},
  {"2.2 0 8", "2.2 2 8", "2: the file type (0: text, 1: binary) is 2"},
  {"2.2 0 8", "2.2 0 4", "2: the size of numbers (8 bytes) is 4"},
  {"$EndMeshFormat", "$EndNodes", "3: '$EndNodes' stands where '$EndMeshFormat' should be"},
  {"$Nodes", "Nodes", "4: 'Nodes' stands where a section ($Nodes, $Elements, ...) should begin"},
  {"$Nodes", "$Nodess", "4: there is no '$EndNodess' after this; is the file complete?"},
  {"$Nodes", "$PartitionedEntities", "4: this mesh is partitioned"},
  {"$Nodes", "$ParametricNodes", "4: $ParametricNodes are not supported; save $Nodes"},
  {"$Nodes\n6", "$Nodes\n5", "11: '6' stands where '$EndNodes' should be"},
  {"$Nodes\n6", "$Nodes\n7", "12: '$EndNodes' stands where the tag of a node should be"},
  {"$Nodes\n6", "$Nodes\n100000000", "5: the number of nodes is 100000000, more than the rest of the file"},
  {"$Nodes\n6", "$Nodes\n-6", "5: the number of nodes is -6"},
  {"2 1 0 0", "1 1 0 0", "21: two nodes have the tag 1"},
  {"2 1 0 0", "2 1 0 nan", "7: a coordinate is nan"},
  {"2 1 0 0", "2 1 0 zero", "7: 'zero' stands where a coordinate should be"},
  {"2 1 0 0", "0 1 0 0", "7: the tag of a node is 0"},
  {"2 1 0 0", "2 1 0 0.5", "18: this zone leaves the plane of a 2-dimensional mesh: its z is 0.5, not 0"},
  {"2 1 0 0", "9 1 0 0", "18: this element names node 2, which is not in $Nodes"},
  {"$Elements\n5", "$Elements\n4", "19: '5' stands where '$EndElements' should be"},
  {"$Elements\n5", "$Elements\n500000", "14: the number of elements is 500000, more than the rest"},
  {"$Elements", "$Nodes\n0\n$EndNodes\n$Elements", "13: there is a second $Nodes"},
  {NULL, "$Elements\n0\n$EndElements\n", "21: there is a second $Elements"},
  {"$Elements\n5\n1 1 2 1 11 1 4\n2 1 2 2 12 1 2\n3 1 0 2 5\n4 3 2 7 13 1 2 5 4\n5 3 2 7 13 2 3 6 5",
   "$Elements\n0", "16: the file has no segments, triangles, quads, tetrahedra or hexes"},
  {"4 3 2 7 13 1 2 5 4", "4 2 2 7 13 1 2 5", "19: this is a quad, where the first zone asks for a triangle: zones of"},
  {"4 3 2 7 13 1 2 5 4", "4 4 2 7 13 1 2 5 4", "19: this is a quad, where the first zone asks for a triangle"},
  {"4 3 2 7 13 1 2 5 4", "4 16 2 7 13 1 2 5 4 1 2 3 4", "18: this is a serendipity quad of order 2, which is not"},
  {"5 3 2 7 13 2 3 6 5", "5 10 2 7 13 2 3 6 5 1 2 3 4 5", "19: this element is of order 2, where the first zone is of order 1"},
  {"4 3 2 7 13 1 2 5 4", "4 98 2 7 13 1 2 5 4", "18: element type 98 is not supported"},
  {"4 3 2 7 13 1 2 5 4", "4 3 2 7 13 1 2 5 7", "18: this element names node 7, which is not in $Nodes"},
  {"4 3 2 7 13 1 2 5 4", "4 3 2 7 13 1 2 5 1", "18: this zone has the same vertex twice"},
  {"4 3 2 7 13 1 2 5 4", "4 3 2 7 13 4 5 2 1", "18: this zone is inverted"},
  {"4 3 2 7 13 1 2 5 4", "4 3 -2 7 13 1 2 5 4", "18: the number of tags is -2"},
  {"4 3 2 7 13 1 2 5 4", "4 3 2 7 13 2 3 6 5", "19: this zone is listed for the second time"},
  {"1 1 2 1 11 1 4", "1 8 2 1 11 1 4 3", "15: this element is of order 2, where the first zone is of"},
  {"1 1 2 1 11 1 4", "1 1 2 1 11 1 5", "15: this boundary face is not a face of any zone"},
  {"1 1 2 1 11 1 4", "1 1 2 1 11 2 5", "15: this boundary face lies between two zones"},
  {"1 1 2 1 11 1 4", "1 1 2 1 11 2 1", "16: this boundary face is listed for the second time"},
  {"$EndElements", "", "21: the file ends where '$EndElements' should be"},
  {NULL, "more\n", "21: 'more' stands where a section"},
  {NULL, "$Rest\n1 2 3\n", "21: there is no '$EndRest' after this"},
};

/* The same in MSH 4.1; the right boundary (curve 14) is in no group. */
static const char fourth[] =
  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
  "$Entities\n"                       // line 4
  "0 3 1 0\n"
  "11 0 0 0 0 1 0 1 1 0\n"            // 6
  "12 0 0 0 2 0 0 1 -2 2 5 6\n"
  "14 2 0 0 2 1 0 0 0\n"              // 8
  "13 0 0 0 2 1 0 1 7 3 11 12 14\n"
  "$EndEntities\n"                    // 10
  "$Nodes\n"
  "1 6 1 6\n"                         // 12
  "2 13 0 6\n"
  "1\n2\n3\n4\n5\n6\n"                // 14
  "0 0 0\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n" // 20
  "$EndNodes\n"
  "$Elements\n"                       // 27
  "4 5 1 5\n"
  "1 11 1 1\n1 1 4\n"                 // 29
  "1 12 1 1\n2 1 2\n"
  "1 14 1 1\n3 3 6\n"                 // 33
  "2 13 3 2\n4 1 2 5 4\n5 2 3 6 5\n"
  "$EndElements\n";                   // 38

static const refusal fourth_refusals[] = {
  {"0 3 1 0", "0 4 1 0", "10: '$EndEntities' stands where"},
  {"0 3 1 0", "0 3 1 -1", "5: the number of entities is -1"},
  {"0 3 1 0", "0 3 1 99999999999999999999", "5: the number of entities is 99999999999999999999"},
  {"0 3 1 0", "0 9223372036854775807 1 0", "10: '$EndEntities' stands where"},
  {"11 0 0 0 0 1 0 1 1", "11 0 0 0 0 1 0 2 1 2", "30: this boundary face is in 2 physical groups"},
  {"11 0 0 0 0 1 0 1 1", "15 0 0 0 0 1 0 1 1", "30: this element is on entity 11 of dimension 1, which is not in $Entities"},
  {"1 6 1 6\n", "1 5 1 6\n", "13: the blocks have more nodes than the 5 that $Nodes announces"},
  {"1 6 1 6\n", "1 7 1 6\n", "12: $Nodes announces 7 nodes, but its blocks have 6"},
  {"1 6 1 6\n", "2 6 1 6\n", "26: '$EndNodes' stands where the dimension of a block should be"},
  {"1 6 1 6\n", "1 600000000 1 6\n", "12: the number of nodes is 600000000, too many"},
  {"1 6 1 6\n", "1 6000000 1 6\n", "12: the number of nodes is 6000000, more than the rest of the file"},
  {"2 13 0 6", "2 13 2 6", "13: whether a block is parametric is 2"},
  {"2 13 0 6", "4 13 0 6", "13: the dimension of a block is 4"},
  {"2 13 0 6", "2 13 1 6", "26: '$EndNodes' stands where a parameter of a node should be"},
  {"4 5 1 5", "4 6 1 5", "28: $Elements announces 6 elements, but its blocks have 5"},
  {"4 5 1 5", "5 5 1 5", "38: '$EndElements' stands where the dimension of a block"},
  {"2 13 3 2\n4 1 2 5 4\n5 2 3 6 5", "2 13 2 2\n4 1 2 5\n5 2 3 6", "30: this boundary face is not a face of any zone"},
  {"2 13 3 2", "2 13 3 9223372036854775807", "38: '$EndElements' stands where the tag of an element"},
  {"4 1 2 5 4", "4 1 2 5 18446744073709551615", "36: the tag of a node is 18446744073709551615"},
  {"4 1 2 5 4", "4 1 2 5 9", "36: this element names node 9"},
};
// clang-format on

static void right_files_are_read(void **state)
{
  (void)state;
  char message[500];
  assert_int_equal(parse_text(second, message), 0);
  assert_int_equal(parse_text(fourth, message), 0);
}

static void wrong_files_are_refused(void **state)
{
  (void)state;
  int wrong = check_refusals(second, TABLE(second_refusals)) + check_refusals(fourth, TABLE(fourth_refusals));
  assert_int_equal(wrong, 0);
}

/* Replaces n bytes where the file has `find`, and returns the message. */
static void check_binary(file_form form, const char *find, int skip, const void *bytes, size_t n, const char *says)
{
  mesh_coarse *c = sample_grid(2, (int[]){2, 1}, 0, 0, false), *read;
  size_t length;
  char *text = write_mesh(c, form, &length), message[500] = "";
  char *at = memmem(text, length, find, strlen(find));
  assert_non_null(at);
  memcpy(at + strlen(find) + skip, bytes, n);
  assert_int_equal(mesh_coarse_parse(&read, "sample", text, length, message, sizeof message), 2);
  if (!strstr(message, says)) fail_msg("'%s' does not say '%s'", message, says);
  free(text);
  mesh_coarse_destroy(&c);
}

static void wrong_binaries_are_refused(void **state)
{
  (void)state;
  const int swapped = 1 << 24, many = 2000000000;
  const uint64_t huge = 1ull << 60, negative = ~0ull;
  const double nan = NAN;
  for (file_form form = GMSH_2_BINARY; form <= GMSH_4_BINARY; form += 2)
    check_binary(form, " 1 8\n", 0, &swapped, 4,
                 "sample:byte 20: the 1 that tells the byte order (this machine's) is 16777216");
  check_binary(GMSH_2_BINARY, " 1 8", 0, " x", 2, "the line should end here, before binary data");
  check_binary(GMSH_2_BINARY, "$Nodes\n6\n", 4, &nan, 8, "a coordinate is nan, but must be finite");
  check_binary(GMSH_2_BINARY, "$Elements\n9\n", 0, &many, 4, "element type 2000000000 is not supported");
  check_binary(GMSH_2_BINARY, "$Elements\n9\n", 4, &many, 4, "the number of elements of a block is 2000000000");
  check_binary(GMSH_2_BINARY, "$Elements\n9\n", 8, &many, 4, "the file ends where a tag of an element should be");
  check_binary(GMSH_4_BINARY, "$Entities\n", 8, &huge, 8, "the file ends where");
  check_binary(GMSH_4_BINARY, "$Entities\n", 8, &negative, 8, "the number of entities is 18446744073709551615");
  check_binary(GMSH_4_BINARY, "$EndEntities\n$Nodes\n", 8, &huge, 8,
               "the number of nodes is 1152921504606846976, too many");
  check_binary(GMSH_4_BINARY, "$EndNodes\n$Elements\n", 0, &huge, 8, "the dimension of a block");
}

/* ------------------------------------------------------------------ curved zones */

/* Number of the node with these digits on the lattice. */
static int number_of(const gmsh_nodes *t, const char *digits)
{
  int at[3] = {0};
  for (int d = 0; d < t->dim; d++) at[d] = digits[d] - '0';
  const int m[4] = {t->order - at[0] - at[1] - at[2], at[0], at[1], at[2]};
  if (t->shape == MESH_SIMPLEX) return simplex_place(t->dim, t->order, m);
  return at[0] + (t->order + 1) * (at[1] + (t->order + 1) * at[2]);
}

/* Coordinate d of a node, of a zone that is bent in all directions. */
static double bent(const gmsh_nodes *t, const char *digits, int d)
{
  double sum = 0;
  for (int i = 0; i < t->dim; i++)
    sum += 0.05 * (i + 1) * (digits[i] - '0') * (digits[(i + 1) % t->dim] - '0') / t->order;
  return digits[d] - '0' + 0.3 * sum / t->order;
}

static void write_coordinates(FILE *f, const gmsh_nodes *t, const char *digits)
{
  for (int d = 0; d < t->dim; d++) fprintf(f, " %.17g", bent(t, digits, d));
}

static char *write_bent_gmsh(const gmsh_nodes *t, size_t *length)
{
  char *text;
  FILE *f = open_memstream(&text, length);
  const int n = (int)strlen(t->digits) / t->dim;
  fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", n);
  for (int i = 0; i < n; i++) {
    fprintf(f, "%d", i + 1);
    write_coordinates(f, t, t->digits + i * t->dim);
    fprintf(f, "%s\n", t->dim == 1 ? " 0 0" : t->dim == 2 ? " 0" : "");
  }
  fprintf(f, "$EndNodes\n$Elements\n1\n1 %d 0", t->type);
  for (int i = 0; i < n; i++) fprintf(f, " %d", i + 1);
  fprintf(f, "\n$EndElements\n");
  fclose(f);
  return text;
}

/* The same zone, its nodes one after the other on the lattice. */
static char *write_bent_mfem(const gmsh_nodes *t, size_t *length)
{
  static const int geometry[2][4] = {{0, 1, 3, 5}, {0, 0, 2, 4}};
  char *text;
  FILE *f = open_memstream(&text, length);
  const int n = (int)strlen(t->digits) / t->dim, ncorners = mesh_shape_corners(t->shape, t->dim);
  fprintf(f, "MFEM mesh v1.0\ndimension\n%d\nelements\n1\n1 %d", t->dim, geometry[t->shape][t->dim]);
  for (int i = 0; i < ncorners; i++) fprintf(f, " %d", i);
  fprintf(f, "\nboundary\n0\nvertices\n%d\nnodes\nFiniteElementSpace\nFiniteElementCollection: L2_T4_%dD_P%d\n",
          ncorners, t->dim, t->order);
  fprintf(f, "VDim: %d\nOrdering: 1\n", t->dim);
  for (int node = 0; node < n; node++)
    for (int i = 0; i < n; i++)
      if (number_of(t, t->digits + i * t->dim) == node) write_coordinates(f, t, t->digits + i * t->dim);
  fclose(f);
  return text;
}

static void curved_zones_are_those_of_mfem(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof nodes_of_gmsh / sizeof *nodes_of_gmsh; i++) {
    const gmsh_nodes *t = &nodes_of_gmsh[i];
    char message[500] = "";
    size_t length[2];
    char *text[2] = {write_bent_gmsh(t, &length[0]), write_bent_mfem(t, &length[1])};
    mesh_coarse *c[2] = {NULL, NULL};
    for (int form = 0; form < 2; form++)
      if (mesh_coarse_parse(&c[form], "sample", text[form], length[form], message, sizeof message))
        fail_msg("dimension %d, order %d: %s", t->dim, t->order, message);
    assert_int_equal(c[0]->curve->order, t->order);
    assert_int_equal(c[0]->nvertices, c[1]->nvertices);
    assert_memory_equal(c[0]->curve->nodes, c[1]->curve->nodes, strlen(t->digits) * sizeof(double));
    assert_memory_equal(c[0]->vertices, c[1]->vertices, (size_t)(c[0]->nvertices * t->dim) * sizeof(double));
    for (int form = 0; form < 2; form++) mesh_coarse_destroy(&c[form]), free(text[form]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(right_files_are_read),
    cmocka_unit_test(wrong_files_are_refused),
    cmocka_unit_test(wrong_binaries_are_refused),
    cmocka_unit_test(curved_zones_are_those_of_mfem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
