/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's variants of the corner force, best first.  To add one: write functions like those of force_ref.c, give
 * them a row here, and name it in a deck: `kernels: {corner_force: host.mine}`.
 */
#include "fem/force/host/force.h"
#include "fem/tables.h"

static bool fits_sumfact(const void *p)
{
  return ((const fem_force_args *)p)->force->space->shape == MESH_TENSOR;
}

const batched_variant fem_host_force[] = {
  {.name = "host.sumfact", .fits = fits_sumfact, .functions = &fem_host_force_sumfact},
  {.name = "host.dense", .functions = &fem_host_force_dense},
  {.name = "host.batched", .functions = &fem_host_force_batched},
  {.name = "host.ref", .functions = &fem_host_force_ref},
  {0},
};
