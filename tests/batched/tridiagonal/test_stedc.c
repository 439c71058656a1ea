/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues of tridiagonal matrices by divide and conquer: see steqr_case.h.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/tridiagonal/steqr_case.h"

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_stedc(ctx, jobs[c->flags], x[0], x[1], x[2], info);
}

static const sweep_family stedc = STEQR_FAMILY(stedc);

int main(int argc, char **argv)
{
  return sweep_main(argc, argv, &stedc, NULL, 0);
}
