/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fem/host/tensor_nodes_case.h"

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(blocks_are_zones),
    cmocka_unit_test(lines_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
