/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order in which VTK numbers the nodes of a Lagrange cell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app/files/vtkhdf.h"

static void node_order_is_vtks(void **unused)
{
  (void)unused;
  // From the pictures of VTK's manual: corners around, edges, faces, inside.
  static const int quad2[9] = {0, 2, 8, 6, 1, 5, 7, 3, 4};
  static const int hex2[27] = {0,  2,  8, 6,  18, 20, 26, 24, 1,  5,  7, 3,  19, 23,
                               25, 21, 9, 11, 17, 15, 12, 14, 10, 16, 4, 22, 13};
  static const int quad3[16] = {0, 3, 15, 12, 1, 2, 7, 11, 13, 14, 4, 8, 5, 6, 9, 10};
  int node[729];
  vtkhdf_node_order(MESH_TENSOR, 2, 2, node);
  assert_memory_equal(node, quad2, sizeof quad2);
  vtkhdf_node_order(MESH_TENSOR, 2, 3, node);
  assert_memory_equal(node, quad3, sizeof quad3);
  vtkhdf_node_order(MESH_TENSOR, 3, 2, node);
  assert_memory_equal(node, hex2, sizeof hex2);
}

static void simplex_order_is_vtks(void **unused)
{
  (void)unused;
  // As vtkLagrangeTriangle and vtkLagrangeTetra number them: corners, edges, then what is inside as a smaller cell.
  static const int triangle3[10] = {0, 3, 9, 1, 2, 6, 8, 7, 4, 5};
  static const int tetrahedron2[10] = {0, 2, 5, 9, 1, 4, 3, 6, 7, 8};
  int node[729];
  vtkhdf_node_order(MESH_SIMPLEX, 2, 3, node);
  assert_memory_equal(node, triangle3, sizeof triangle3);
  vtkhdf_node_order(MESH_SIMPLEX, 3, 2, node);
  assert_memory_equal(node, tetrahedron2, sizeof tetrahedron2);
}

static void names_every_node_once(mesh_shape shape, int dim, int order)
{
  int node[729], times[729] = {0};
  const int nodes = mesh_nodes_in_zone(shape, dim, order);
  vtkhdf_node_order(shape, dim, order, node);
  for (int i = 0; i < nodes; ++i) {
    assert_true(node[i] >= 0 && node[i] < nodes);
    assert_int_equal(times[node[i]]++, 0);
  }
}

static void node_order_names_every_node_once(void **unused)
{
  (void)unused;
  for (int dim = 1; dim <= 3; ++dim)
    for (int order = 1; order <= 8; ++order) {
      names_every_node_once(MESH_TENSOR, dim, order);
      if (dim > 1) names_every_node_once(MESH_SIMPLEX, dim, order);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(node_order_is_vtks),
    cmocka_unit_test(simplex_order_is_vtks),
    cmocka_unit_test(node_order_names_every_node_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
