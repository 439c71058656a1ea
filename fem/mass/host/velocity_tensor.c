/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host.tensor: fem/mass/tensor_box.h.
 */
#include "fem/mass/host/mass.h"
#include "fem/mass/tensor_box.h"

static int permute(batched_ctx *ctx, const int *order, int ncomp, int64_t n, bool back, const double *from, double *to)
{
  (void)ctx;
  for (int c = 0; c < ncomp; c++, from += n, to += n)
    for (int64_t i = 0; i < n; i++)
      if (back)
        to[order[i]] = from[i];
      else
        to[i] = from[order[i]];
  return BATCHED_SUCCESS;
}

static int product(batched_ctx *ctx, fem_mass *m, fem_part part, const double *x, double *y)
{
  (void)part; /* there is one rank */
  return tensor_box_product(ctx, m, permute, x, y);
}

static int solve(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  return tensor_box_solve(ctx, m, permute, b, x);
}

const fem_mass_functions fem_host_velocity_tensor = {
  .setup = tensor_box_setup, .product = product, .solve = solve, .direct = true, .teardown = tensor_box_teardown};
