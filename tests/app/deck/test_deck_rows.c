/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every row of the layers above `batched`, on the host, that can't do every run says what it needs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "app/deck/deck.h"
#include "fem/fem.h"
#include "solvers/solvers.h"

static void rows_with_limits_name_them(void **state)
{
  (void)state;
  const batched_op *const *const layers[] = {fem_operations, solver_operations};
  int limited = 0;
  for (int layer = 0; layer < 2; layer++)
    for (const batched_op *const *op = layers[layer]; *op; op++)
      for (const batched_variant *v = (*op)->variants[BATCHED_HOST]; v && v->name; v++) {
        const char *needs = deck_row_needs((*op)->key, v->name);
        if (v->fits && !needs) fail_msg("nobody says what %s of %s needs", v->name, (*op)->name);
        limited += v->fits != NULL;
      }
  assert_true(limited > 6);
  assert_non_null(deck_row_needs("gesvd", "host.composed_qr"));
  assert_null(deck_row_needs("corner_force", "host.ref"));
  assert_null(deck_row_needs("corner_force", "auto"));
  assert_string_equal(deck_row_needs("energies", "sumfact"), deck_row_needs("energies", "host.sumfact"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_with_limits_name_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
