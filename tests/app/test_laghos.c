/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which solvers are taken where, as the Laghos mini-app does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "app/laghos.h"

static fem_space shape(int dim, int k, int t, int q1)
{
  return (fem_space){.dim = dim, .k = k, .t = t, .q1 = q1};
}

/* Kernels up to order 5 in 2D and 4 in 3D, for Q_k-Q_(k-1) with 2k points a direction. */
static void matrix_free_where_it_should(void **state)
{
  (void)state;
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= 8; k++)
      for (int t = k - 1; t <= k; t++)
        for (int q1 = 2 * k - 1; q1 <= 2 * k + 1; q1++) {
          const fem_space s = shape(dim, k, t, q1);
          const int highest = dim == 1 ? 0 : dim == 2 ? 5 : 4;
          assert_int_equal(laghos_is_matrix_free(&s), t == k - 1 && q1 == 2 * k && k <= highest);
        }
}

/* For blocks of a condition below 2000: of 10^3 in 3D and 35^2 in 2D, not of 35^3 or 126^2. */
static void iterated_where_it_should(void **state)
{
  (void)state;
  static const int highest[] = {0, 0, 4, 3}; // kinematic order, by dimension
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 1; k <= 5; k++)
      for (int t = k - 1; t <= k; t++) {
        const fem_space s = shape(dim, k, t, 2 * k);
        assert_int_equal(laghos_iterates_energy(&s), t == k - 1 && k <= highest[dim]);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(matrix_free_where_it_should),
    cmocka_unit_test(iterated_where_it_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
