/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues of tridiagonal matrices by QR: see steqr_case.h.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/tridiagonal/steqr_case.h"

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_steqr(ctx, jobs[c->flags], x[0], x[1], x[2], info);
}

static const sweep_family steqr = STEQR_FAMILY(steqr);

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[4], y[2], v[8];
  int info[2];
  batched_matrix d = batched_strided(x, 2, 1, 2, 2, 2), e = batched_strided(y, 1, 1, 1, 1, 2);
  batched_matrix z = batched_strided(v, 2, 2, 2, 4, 2), none = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_steqr(NULL, BATCHED_VECTORS, d, e, z, info), -1);
  assert_int_equal(batched_steqr(ctx, BATCHED_SIGNED_VECTORS, d, e, z, info), -2);
  assert_int_equal(batched_steqr(ctx, BATCHED_VECTORS, SWEEP_CHANGED(d, type, BATCHED_Z), e, z, info), -3);
  assert_int_equal(batched_steqr(ctx, BATCHED_VECTORS, d, d, z, info), -4);
  assert_int_equal(batched_steqr(ctx, BATCHED_VECTORS, d, e, none, info), -5);
  assert_int_equal(batched_steqr(ctx, BATCHED_VECTORS, d, e, SWEEP_CHANGED(z, m, 1), info), -5);
  assert_int_equal(batched_steqr(ctx, BATCHED_VALUES, d, e, none, NULL), -6);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &steqr, extra, 1);
}
