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
  vtkhdf_node_order(2, 2, node);
  assert_memory_equal(node, quad2, sizeof quad2);
  vtkhdf_node_order(2, 3, node);
  assert_memory_equal(node, quad3, sizeof quad3);
  vtkhdf_node_order(3, 2, node);
  assert_memory_equal(node, hex2, sizeof hex2);
}

static void node_order_names_every_node_once(void **unused)
{
  (void)unused;
  for (int dim = 1; dim <= 3; ++dim)
    for (int order = 1; order <= 8; ++order) {
      int node[729], times[729] = {0};
      int nodes = 1;
      for (int c = 0; c < dim; ++c) nodes *= order + 1;
      vtkhdf_node_order(dim, order, node);
      for (int i = 0; i < nodes; ++i) {
        assert_true(node[i] >= 0 && node[i] < nodes);
        assert_int_equal(times[node[i]]++, 0);
      }
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(node_order_is_vtks),
    cmocka_unit_test(node_order_names_every_node_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
