/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M_e of the energy: a dense block of nt x nt per zone.
 */
#include "fem/mass/mass.h"

int fem_energy_mass_create(batched_ctx *ctx, fem_mass **mass, const fem_space *s, const fem_material *material,
                           const fem_mass_options *options)
{
  const int64_t unknowns = (int64_t)s->nzones * s->nt;
  const fem_mass m = {.space = s,
                      .material = material,
                      .op = &fem_energy_solve_op,
                      .options = *options,
                      .matrix = {.ncomp = 1, .n = unknowns, .nowned = unknowns}};
  return fem_mass_set_up(ctx, mass, &m);
}
