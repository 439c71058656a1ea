// SPDX-License-Identifier: BSD-3-Clause
//
// A program outside of this tree, in C++: factors a matrix on the host.
#include <cstdio>

#include <batched/batched.h>
#include <batched/variant.h>
#include <batched/operations.h>
#include <batched/tuning/tuning.h>

int main()
{
  double a[] = {4, 2, 0, 10};
  int info = -1;
  batched_ctx *ctx;
  int status = batched_create(&ctx, BATCHED_HOST);
  if (!status) status = batched_select(ctx, &batched_potrf_op, "ref");
  if (!status) status = batched_potrf(ctx, BATCHED_LOWER, batched_make_strided(BATCHED_D, a, 2, 2, 2, 4, 1), &info);
  if (status || info) return 1;
  std::printf("%g %g %g\n", a[0], a[1], a[3]);
  batched_destroy(&ctx);
}
