/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wrong meshes of triangles, tetrahedra and curved zones, and periodic ones: each is refused with one sentence that
 * says where and what.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/mesh/read/refusals.h"

#define TABLE(t) t, sizeof t / sizeof *t

// clang-format off
/* Two triangles of order 2 beside each other, with a curved side. */
static const char curved[] =
  "MFEM mesh v1.0\n"
  "dimension\n"
  "2\n"
  "elements\n"
  "2\n"
  "1 2 0 1 2\n"
  "1 2 0 2 3\n"
  "boundary\n"
  "4\n"
  "2 1 0 1\n"
  "5 1 1 2\n"
  "6 1 2 3\n"
  "1 1 3 0\n"
  "vertices\n"
  "4\n"
  "nodes\n"
  "FiniteElementSpace\n"
  "FiniteElementCollection: H1_2D_P2\n"
  "VDim: 2\n"
  "Ordering: 1\n"
  "0 0\n"
  "1 0\n"
  "1 1\n"
  "0 1\n"
  "0.5 0\n"
  "1.1 0.5\n"
  "0.5 0.5\n"
  "0.5 1.1\n"
  "0 0.5\n";

static const refusal curved_refusals[] = {
  {"1 2 0 2 3\n", "1 3 0 2 3 1\n", "7: this zone is a quad (geometry 3), which is not supported here: only"},
  {"1 2 0 2 3\n", "1 6 0 1 2 3 0 1\n", "7: this zone is a prism (geometry 6), which is not supported here: only"},
  {"1 2 0 2 3\n", "1 7 0 1 2 3 0\n", "7: this zone is a pyramid (geometry 7), which is not supported here: only"},
  {"1 2 0 2 3\n", "1 2 0 2 7\n", "7: this zone names vertex 7, but the mesh has 4, numbered from 0"},
  {"1 2 0 2 3\n", "1 2 0 2 2\n", "7: this zone has the same vertex twice"},
  {"1 2 0 2 3\n", "1 2 0 2 1\n", "28: '0.5' stands where the file should end"},
  {"H1_2D_P2", "H1_2D_P9", "18: the nodes are of 'H1_2D_P9', but only those of Linear, Quadratic,"},
  {"H1_2D_P2", "H1_2D_P0", "18: the nodes are of 'H1_2D_P0', but only those of Linear, Quadratic,"},
  {"H1_2D_P2", "H1_2D_P3", "20: the number of nodes is 16, more than the rest of the file can hold; is it"},
  {"H1_2D_P2", "H1_2D_P1", "25: '0.5' stands where the file should end"},
  {"H1_2D_P2", "H1_3D_P2", "18: the nodes are of 'H1_3D_P2', but only those of Linear, Quadratic,"},
  {"H1_2D_P2", "H1Pos_2D_P2", "18: the nodes are of 'H1Pos_2D_P2', but only those of Linear, Quadratic,"},
  {"H1_2D_P2", "H1Ser_2D_P2", "18: the nodes are of 'H1Ser_2D_P2', but only those of Linear, Quadratic,"},
  {"H1_2D_P2", "NURBS2", "18: the nodes are of 'NURBS2', but only those of Linear, Quadratic, H1_2D_P1"},
  {"H1_2D_P2", "L2_2D_P2", "18: the nodes are of 'L2_2D_P2', but only those of Linear, Quadratic,"},
  {"H1_2D_P2", "L2_T0_2D_P2", "18: the nodes are of 'L2_T0_2D_P2', but only those of Linear, Quadratic,"},
  {"H1_2D_P2", "L2_T2_2D_P2", "18: the nodes are of 'L2_T2_2D_P2', but only those of Linear, Quadratic,"},
  {"H1_2D_P2", "H1@X_2D_P2", "18: the nodes are of 'H1@X_2D_P2', but only those of Linear, Quadratic,"},
  {"H1_2D_P2", "Cubic", "18: the nodes are of 'Cubic', but only those of Linear, Quadratic, H1_2D_P1"},
  {"H1_2D_P2", "ND_2D_P2", "18: the nodes are of 'ND_2D_P2', but only those of Linear, Quadratic,"},
  {"VDim: 2", "VDim: 3", "19: VDim (it must be the dimension of the mesh) is 3, but must be from 2 to 2"},
  {"VDim: 2", "VDim: 0", "19: VDim (it must be the dimension of the mesh) is 0, but must be from 2 to 2"},
  {"Ordering: 1", "Ordering: 2", "20: Ordering is 2, but must be from 0 to 1"},
  {"Ordering: 1", "Ordering: x", "20: 'x' stands where Ordering should be, an integer"},
  {"VDim", "Vdim", "19: 'Vdim:' stands where 'VDim:' should be"},
  {"0 0.5\n", "", "29: the file ends where a coordinate should be; is it complete?"},
  {"0.5 0.5\n", "0.5 nan\n", "27: a coordinate is nan, but must be finite"},
  {"0.5 0.5\n", "0.5 half\n", "27: 'half' stands where a coordinate should be, a number"},
  {"0.5 0\n", "0.5 0.2\n", "10: this boundary face is a wall of y, but curved: a wall is a plane y ="},
  {"0.5 0\n", "0.5 -0.1\n", "10: this boundary face is a wall of y, but curved: a wall is a plane y ="},
  {"0 0.5\n", "0.1 0.5\n", "13: this boundary face is a wall of x, but curved: a wall is a plane x ="},
  {"5 1 1 2", "1 1 1 2", "11: this boundary face is a wall of x, but curved: a wall is a plane x ="},
  {"5 1 1 2", "5 1 1 3", "11: this boundary face is not a face of any zone"},
  {"5 1 1 2", "5 1 0 2", "11: this boundary face lies between two zones, not on the boundary"},
  {"5 1 1 2", "5 1 0 1", "11: this boundary face is listed for the second time; each may have one"},
  {"5 1 1 2", "5 2 0 1 2", "11: this boundary face is a triangle (geometry 2), which is not supported"},
  {"1 1\n0 1\n", "0 0\n0 1\n", "6: this zone is flat: its Jacobian determinant is 0"},
  {"MFEM mesh v1.0", "MFEM NURBS mesh v1.0", "1: this is an MFEM NURBS mesh; only MFEM mesh v1.0, v1.2 and v1.3 can be read"},
  {"0.5 1.1\n", "0.5 1.1 0\n", "29: '0.5' stands where the file should end"},
};

/* Three quads in a row, the first behind the last. */
static const char periodic[] =
  "MFEM mesh v1.0\n"
  "dimension\n"
  "2\n"
  "elements\n"
  "3\n"
  "1 3 0 1 4 3\n"
  "1 3 1 2 5 4\n"
  "1 3 2 0 3 5\n"
  "boundary\n"
  "6\n"
  "2 1 0 1\n"
  "2 1 1 2\n"
  "2 1 2 0\n"
  "2 1 3 4\n"
  "2 1 4 5\n"
  "2 1 5 3\n"
  "vertices\n"
  "6\n"
  "nodes\n"
  "FiniteElementSpace\n"
  "FiniteElementCollection: L2_T1_2D_P1\n"
  "VDim: 2\n"
  "Ordering: 1\n"
  "0 0 1 0 0 1 1 1\n"
  "1 0 2 0 1 1 2 1\n"
  "2 0 3 0 2 1 3 1\n";

static const refusal periodic_refusals[] = {
  {"2 0 3 0 2 1 3 1", "2 0 3 0 2 1 3 1.5", "16: this boundary face is a wall of y, but curved: a wall is a plane y ="},
  {"2 0 3 0 2 1 3 1", "2 0 3 0.5 2 1 3 1.5", "13: this boundary face is a wall of y, but curved: a wall is a plane y ="},
  {"2 0 3 0 2 1 3 1", "2.1 0 3 0 2 1 3 1", "8: this zone has vertex 2 in another place than a neighbour, but apart by"},
  {"2 0 3 0 2 1 3 1", "2.1 0 3 0 2.1 1 3 1", "8: this zone has vertex 2 in another place than a neighbour, but apart by"},
  {"2 0 3 0 2 1 3 1", "2 0 1 0 2 1 1 1", "8: this zone has vertex 0 in another place than a neighbour, but apart by"},
  {"2 0 3 0 2 1 3 1", "2 0 3 0 2 1 3", "27: the file ends where a coordinate should be; is it complete?"},
  {"1 3 2 0 3 5", "1 3 2 1 4 5", "8: this zone is the third at one of its faces; a face has at most two zones"},
  {"2 1 2 0", "2 1 0 3", "13: this boundary face lies on a seam of the periodic mesh"},
  {"2 1 2 0", "2 1 1 4", "13: this boundary face is a wall of y, but curved: a wall is a plane y ="},
  {"2 1 2 0", "2 1 0 4", "13: this boundary face is not a face of any zone"},
  {"elements\n3\n1 3 0 1 4 3\n1 3 1 2 5 4\n1 3 2 0 3 5\n",
   "elements\n2\n1 3 0 1 4 3\n1 3 1 0 3 4\n", "7: this zone and a neighbour have some vertices of their common face at one"},
  {"elements\n3\n1 3 0 1 4 3\n1 3 1 2 5 4\n1 3 2 0 3 5\n",
   "elements\n1\n1 3 0 0 3 3\n", "6: this zone has the same vertex twice"},
  {"L2_T1_2D_P1", "L2_T1_2D_P2", "23: the number of nodes is 27, more than the rest of the file can hold; is it"},
  {"2 0 3 0 2 1 3 1", "2 0 3 0 2 inf 3 1", "26: a coordinate is inf, but must be finite"},
  {"2 0 3 0 2 1 3 1", "3 0 2 0 3 1 2 1", "8: this zone has vertex 2 in another place than a neighbour, but apart by"},
};

/* Two quads in a row, the left side behind the right one. */
static const char periodic_gmsh[] =
  "$MeshFormat\n"
  "2.2 0 8\n"
  "$EndMeshFormat\n"
  "$Nodes\n"
  "9\n"
  "1 0 0 0\n"
  "2 1 0 0\n"
  "3 2 0 0\n"
  "4 0 1 0\n"
  "5 1 1 0\n"
  "6 2 1 0\n"
  "7 0.5 0 0\n"
  "8 0.5 0.5 0\n"
  "9 0 0.5 0\n"
  "$EndNodes\n"
  "$Elements\n"
  "3\n"
  "1 1 2 2 8 1 2\n"
  "2 3 2 7 9 1 2 5 4\n"
  "3 3 2 7 9 2 3 6 5\n"
  "$EndElements\n"
  "$Periodic\n"
  "1\n"
  "1 2 4\n"
  "Affine 1 0 0 2 0 1 0 0 0 0 1 0 0 0 0 1\n"
  "2\n"
  "3 1\n"
  "6 4\n"
  "$EndPeriodic\n";

static const refusal periodic_gmsh_refusals[] = {
  {"3 1\n6 4", "3 1\n6 5", "24: no boundary face has the vertices that $Periodic pairs with those of"},
  {"3 1\n6 4", "3 1\n6 77", "24: this periodic side pairs nodes 6 and 77, not both in $Nodes"},
  {"3 1\n6 4", "33 1\n6 4", "24: this periodic side pairs nodes 33 and 1, not both in $Nodes"},
  {"3 1\n6 4", "3 1\n3 1", "24: this periodic side has no face of a zone, all of whose nodes are paired"},
  {"3 1\n6 4", "3 4\n6 1", "20: a face of this zone lies on a seam, but is not the other side's face"},
  {"\n2\n3 1\n6 4", "\n1\n3 1", "24: this periodic side has no face of a zone, all of whose nodes are paired"},
  {"\n2\n3 1\n6 4", "\n0", "24: this periodic side has no face of a zone, all of whose nodes are paired"},
  {"\n2\n3 1", "\n3\n3 1", "29: '$EndPeriodic' stands where the tag of a node on a periodic side should"},
  {"\n2\n3 1", "\n20000\n3 1", "26: the number of pairs of nodes is 20000, more than the rest of the file can"},
  {"1 2 4\nAffine", "3 2 4\nAffine", "24: the dimension of a periodic side is 3, but must be from 0 to 2"},
  {"1 2 4\nAffine", "x 2 4\nAffine", "24: 'x' stands where the dimension of a periodic side should be, an integer"},
  {"1 0 0 0 0 1\n2", "1 0 0 0 0\n2", "29: '$EndPeriodic' stands where the tag of the node behind it should be, an"},
  {"$EndPeriodic", "$EndPeriodics", "29: '$EndPeriodics' stands where '$EndPeriodic' should be"},
  {"3 2 0 0", "3 2 0.1 0", "20: a face of this zone lies on a seam, but is not the other side's face"},
  {"6 2 1 0", "6 2 1.5 0", "20: a face of this zone lies on a seam, but is not the other side's face"},
  {"$EndElements\n", "$EndElements\n$Periodic\n0\n$EndPeriodic\n", "25: there is a second $Periodic"},
  {"1 1 2 2 8 1 2", "1 1 2 1 8 1 4", "18: this boundary face is a wall of x, but lies on a seam of the periodic"},
  {"\n1\n1 2 4", "\n2\n1 2 4", "29: '$EndPeriodic' stands where the dimension of a periodic side should be,"},
  {"3\n1 1 2 2 8 1 2\n2 3 2 7 9 1 2 5 4\n3 3 2 7 9 2 3 6 5",
   "1\n2 3 2 7 9 1 3 6 4", "18: this zone is its own neighbour across a seam: at least two zones make a"},
  {"3 3 2 7 9 2 3 6 5", "3 2 2 7 9 2 3 6", "20: this is a triangle, where the first zone asks for a quad: zones of"},
  {"3 3 2 7 9 2 3 6 5",
   "3 10 2 7 9 2 3 6 5 7 7 7 7 7", "20: this element is of order 2, where the first zone is of order 1: they must"},
  {"2 3 2 7 9 1 2 5 4", "2 16 2 7 9 1 2 5 4 7 7 7 7", "19: this is a serendipity quad of order 2, which is not supported: only"},
};

/* Two triangles of order 2, with a curved side. */
static const char curved_gmsh[] =
  "$MeshFormat\n"
  "2.2 0 8\n"
  "$EndMeshFormat\n"
  "$Nodes\n"
  "9\n"
  "1 0 0 0\n"
  "2 1 0 0\n"
  "3 1 1 0\n"
  "4 0 1 0\n"
  "5 0.5 0 0\n"
  "6 1.1 0.5 0\n"
  "7 0.5 0.5 0\n"
  "8 0.5 1 0\n"
  "9 0 0.5 0\n"
  "$EndNodes\n"
  "$Elements\n"
  "3\n"
  "1 8 2 5 8 2 3 6\n"
  "2 9 2 7 9 1 2 3 5 6 7\n"
  "3 9 2 7 9 1 3 4 7 8 9\n"
  "$EndElements\n";

static const refusal curved_gmsh_refusals[] = {
  {"3 9 2 7 9 1 3 4 7 8 9", "3 2 2 7 9 1 3 4", "20: this element is of order 1, where the first zone is of order 2: they must"},
  {"3 9 2 7 9 1 3 4 7 8 9",
   "3 21 2 7 9 1 3 4 7 8 9 1 2 3 4", "20: this element is of order 3, where the first zone is of order 2: they must"},
  {"3 9 2 7 9 1 3 4 7 8 9",
   "3 20 2 7 9 1 3 4 7 8 9 1 2 3", "20: this is a serendipity triangle of order 3, which is not supported: only"},
  {"3 9 2 7 9 1 3 4 7 8 9", "3 9 2 7 9 1 3 4 7 8 99", "20: this element names node 99, which is not in $Nodes"},
  {"3 9 2 7 9 1 3 4 7 8 9", "3 9 2 7 9 1 3 4 7 8", "21: '$EndElements' stands where the tag of a node should be, an integer"},
  {"1 8 2 5 8 2 3 6", "1 1 2 5 8 2 3", "18: this element is of order 1, where the first zone is of order 2: they must"},
  {"1 8 2 5 8 2 3 6", "1 8 2 1 8 2 3 6", "18: this boundary face is a wall of x, but curved: a wall is a plane x ="},
  {"6 1.1 0.5 0", "6 1.1 0.5 1", "19: this zone leaves the plane of a 2-dimensional mesh: its z is 1, not 0"},
  {"6 1.1 0.5 0", "6 1.1 nan 0", "11: a coordinate is nan, but must be finite"},
  {"3 9 2", "3 22 2", "21: '$EndElements' stands where the tag of a node should be, an integer"},
  {"3 9 2 7 9 1 3 4 7 8 9", "3 9 2 7 9 1 1 4 7 8 9", "20: this zone has the same vertex twice"},
};

/* Two quads of order 2 in a row, the left side behind the right one, in MSH 4.1. */
static const char periodic_gmsh_4[] =
  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
  "$Entities\n"                                    // line 4
  "0 3 1 0\n"
  "8 0 0 0 2 0 0 1 2 0\n"                          // 6
  "3 2 0 0 2 1 0 0 0\n"
  "4 0 0 0 0 1 0 0 0\n"                            // 8
  "9 0 0 0 2 1 0 1 7 0\n"
  "$EndEntities\n"                                 // 10
  "$Nodes\n"
  "1 15 1 15\n"                                    // 12
  "2 9 0 15\n"
  "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n" // 14
  "0 0 0\n1 0 0\n2 0 0\n0 1 0\n1 1 0\n2 1 0\n"     // 29
  "0.5 0 0\n1.5 0 0\n0.1 0.5 0\n1 0.5 0\n2.1 0.5 0\n0.5 1 0\n1.5 1 0\n0.5 0.5 0\n1.5 0.5 0\n"
  "$EndNodes\n"                                    // 44
  "$Elements\n"
  "2 3 1 3\n"                                      // 46
  "1 8 8 1\n1 1 2 7\n"
  "2 9 10 2\n2 1 2 5 4 7 10 12 9 14\n3 2 3 6 5 8 11 13 10 15\n" // 49
  "$EndElements\n"
  "$Periodic\n"                                    // 53
  "1\n"
  "1 3 4\n"                                        // 55
  "16 1 0 0 2 0 1 0 0 0 0 1 0 0 0 0 1\n"
  "3\n"                                            // 57
  "3 1\n6 4\n11 9\n"
  "$EndPeriodic\n";                                // 61

static const refusal periodic_gmsh_4_refusals[] = {
  {"3\n3 1\n6 4\n11 9", "3\n3 1\n6 5\n11 9", "55: no boundary face has the vertices that $Periodic pairs with those of"},
  {"3\n3 1\n6 4\n11 9", "3\n3 1\n6 4\n11 99", "55: this periodic side pairs nodes 11 and 99, not both in $Nodes"},
  {"3\n3 1\n6 4\n11 9", "0", "55: this periodic side has no face of a zone, all of whose nodes are paired"},
  {"3\n3 1\n6 4\n11 9", "-3\n3 1\n6 4\n11 9", "57: the number of pairs of nodes is -3"},
  {"3\n3 1\n6 4\n11 9", "4000000000\n3 1\n6 4\n11 9", "61: '$EndPeriodic' stands where the tag of a node on a periodic side"},
  {"\n16 1 0 0 2", "\n17 1 0 0 2", "61: '$EndPeriodic' stands where the tag of the node behind it should be, an"},
  {"\n1 3 4\n", "\n3 3 4\n", "55: the dimension of a periodic side is 3, but must be from 0 to 2"},
  {"2.1 0.5 0", "2.2 0.5 0", "51: a face of this zone lies on a seam, but is not the other side's face"},
  {"2 9 10 2", "2 9 3 2", "51: '3' stands where '$EndElements' should be"},
  {"2 9 10 2\n2 1 2 5 4 7 10 12 9 14\n3 2 3 6 5 8 11 13 10 15", "2 9 16 2\n2 1 2 5 4 7 10 12 9\n3 2 3 6 5 8 11 13 10",
   "50: this is a serendipity quad of order 2, which is not supported: only"},
  {"2 3 1 3\n", "3 4 1 4\n2 9 9 1\n4 1 2 4 7 14 9\n", "52: this is a quad, where the first zone asks for a triangle: zones of"},
  {"1 1 2 7", "1 1 2", "49: the dimension of a block is 9, but must be from 0 to 3"},
  {"1 8 8 1", "1 8 1 1", "48: the dimension of a block is 7, but must be from 0 to 3"},
  {"0.5 0 0", "0.5 -0.1 0", "48: this boundary face is a wall of y, but curved: a wall is a plane y ="},
  {"1.5 0.5 0", "1.5 0.5 1", "51: this zone leaves the plane of a 2-dimensional mesh: its z is 1, not 0"},
  {"0 0 0 2 0 0 1 2 0", "0 0 0 2 0 0 2 1 2 0", "48: this boundary face is in 2 physical groups"},
};

/* A tetrahedron of order 2, whose side away from the origin is curved and free, as MFEM 1.3 has it. */
static const char curved_tetrahedron[] =
  "MFEM mesh v1.3\n"
  "dimension\n"
  "3\n"
  "elements\n"
  "1\n"
  "1 4 0 1 2 3\n"
  "attribute_sets\n"
  "0\n"
  "boundary\n"
  "4\n"
  "4 2 1 2 3\n"
  "1 2 0 3 2\n"
  "2 2 0 1 3\n"
  "3 2 0 2 1\n"
  "bdr_attribute_sets\n"
  "0\n"
  "vertices\n"
  "4\n"
  "nodes\n"
  "FiniteElementSpace\n"
  "FiniteElementCollection: H1_3D_P2\n"
  "VDim: 3\n"
  "Ordering: 1\n"
  "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
  "0.5 0 0\n0 0.5 0\n0 0 0.5\n0.7 0.7 0\n0.7 0 0.7\n0 0.7 0.7\n"
  "mfem_mesh_end\n";

static const refusal curved_tetrahedron_refusals[] = {
  {"1 4 0 1 2 3", "1 4 0 1 2 4", "6: this zone names vertex 4, but the mesh has 4, numbered from 0"},
  {"1 4 0 1 2 3", "1 7 0 1 2 3 0", "6: this zone is a pyramid (geometry 7)"},
  {"H1_3D_P2", "H1_2D_P2", "21: the nodes are of 'H1_2D_P2', but only those of Linear, Quadratic,"},
  {"H1_3D_P2", "L2_T1_3D_P3", "23: the number of nodes is 20, more than"},
  {"H1_3D_P2", "H1_3D_P3", "23: the number of nodes is 20, more than the rest of the file can hold; is it"},
  {"VDim: 3", "VDim: 2", "22: VDim (it must be the dimension of the mesh) is 2, but must be from 3 to 3"},
  {"0.5 0 0\n", "0.5 0.1 0\n", "13: this boundary face is a wall of y, but curved: a wall is a plane y ="},
  {"0 0.5 0\n", "0.1 0.5 0\n", "12: this boundary face is a wall of x, but curved: a wall is a plane x ="},
  {"0 0 0.5\n", "0 0.1 0.5\n", "13: this boundary face is a wall of y, but curved: a wall is a plane y ="},
  {"4 2 1 2 3", "1 2 1 2 3", "11: this boundary face is a wall of x, but curved: a wall is a plane x ="},
  {"4 2 1 2 3", "4 3 1 2 3 0", "11: this boundary face is a quad (geometry 3), which is not supported"},
  {"0 0.7 0.7\n", "0 0.7 inf\n", "33: a coordinate is inf, but must be finite"},
  {"0 0.7 0.7\n", "0 0.7\n", "34: 'mfem_mesh_end' stands where a coordinate should be"},
  {"0 0 1\n", "0 0 0\n", "6: this zone is flat"},
};

/* Two tetrahedra at a common face. */
static const char tetrahedra[] =
  "MFEM mesh v1.0\n"
  "dimension\n"
  "3\n"
  "elements\n"
  "2\n"
  "1 4 0 1 2 3\n"
  "1 4 1 2 3 4\n"
  "boundary\n"
  "2\n"
  "1 2 0 2 3\n"
  "2 2 0 1 3\n"
  "vertices\n"
  "5\n"
  "3\n"
  "0 0 0\n"
  "1 0 0\n"
  "0 1 0\n"
  "0 0 1\n"
  "1 1 1\n";

static const refusal tetrahedra_refusals[] = {
  {"1 4 1 2 3 4", "1 4 1 2 3 1", "7: this zone has the same vertex twice"},
  {"1 4 1 2 3 4", "1 4 0 1 2 3", "7: this zone is listed for the second time (MSH 2.2 lists it for each"},
  {"1 4 1 2 3 4", "1 5 0 1 2 3 4 0 1 2", "7: this zone is a hex (geometry 5), which is not supported here: only"},
  {"1 4 1 2 3 4", "1 6 0 1 2 3 4 0", "7: this zone is a prism (geometry 6), which is not supported here: only"},
  {"1 4 1 2 3 4", "1 7 0 1 2 3 4", "7: this zone is a pyramid (geometry 7), which is not supported here: only"},
  {"1 1 1\n", "0 0 1\n", "7: this zone is flat: its Jacobian determinant is 0"},
  {"1 1 1\n", "0.2 0.2 0.2\n", "7: this zone overlaps another: both lie on the same side of the face that"},
  {"1 2 0 2 3", "1 3 0 2 3 1", "10: this boundary face is a quad (geometry 3), which is not supported here:"},
  {"1 2 0 2 3", "1 2 1 2 3", "10: this boundary face lies between two zones, not on the boundary"},
  {"1 2 0 2 3", "1 2 0 1 4", "10: this boundary face is not a face of any zone"},
  {"0 0 1\n", "0 0 0\n", "6: this zone is flat: its Jacobian determinant is 0"},
  {"5\n3\n0 0 0", "5\n2\n0 0 0", "14: the number of coordinates (it must be the dimension of the mesh) is 2,"},
};

// clang-format on

static void right_files_are_read(void **state)
{
  (void)state;
  const char *const texts[] = {curved,      periodic,           periodic_gmsh, periodic_gmsh_4,
                               curved_gmsh, curved_tetrahedron, tetrahedra};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char message[500];
    if (parse_text(texts[i], message)) fail_msg("%s", message);
  }
}

static void wrong_files_are_refused(void **state)
{
  (void)state;
  int wrong = 0;
  wrong += check_refusals(curved, TABLE(curved_refusals));
  wrong += check_refusals(periodic, TABLE(periodic_refusals));
  wrong += check_refusals(periodic_gmsh, TABLE(periodic_gmsh_refusals));
  wrong += check_refusals(periodic_gmsh_4, TABLE(periodic_gmsh_4_refusals));
  wrong += check_refusals(curved_gmsh, TABLE(curved_gmsh_refusals));
  wrong += check_refusals(curved_tetrahedron, TABLE(curved_tetrahedron_refusals));
  wrong += check_refusals(tetrahedra, TABLE(tetrahedra_refusals));
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(right_files_are_read),
    cmocka_unit_test(wrong_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
