/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program outside of this tree: factors and solves two systems, in double precision, on the host.
 */
#include <math.h>
#include <stdio.h>

#include <batched/batched.h>
#include <batched/batched_blas.h>
#include <batched/variant.h>

int main(void)
{
  double a[2][4] = {{4, 2, 2, 10}, {9, 3, 3, 5}}, b[2][2] = {{8, 22}, {12, 8}};
  int info[2];
  batched_ctx *ctx;
  int status = batched_create(&ctx, BATCHED_HOST);
  if (!status) status = batched_potrf(ctx, BATCHED_LOWER, batched_strided(a[0], 2, 2, 2, 4, 2), info);
  if (!status) status = batched_dpotrs_strided(ctx, BATCHED_LOWER, 2, 1, a[0], 2, 4, b[0], 2, 2, 2);
  if (status) {
    fprintf(stderr, "%s\n", batched_strerror(status));
    return 1;
  }
  printf("%g %g  %g %g\n", b[0][0], b[0][1], b[1][0], b[1][1]);
  batched_destroy(&ctx);
  return fabs(b[0][0] - 1) + fabs(b[0][1] - 2) + fabs(b[1][0] - 1) + fabs(b[1][1] - 1) < 1e-14 ? 0 : 1;
}
