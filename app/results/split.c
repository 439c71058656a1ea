/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/results/split.h"

#include <math.h>

#include "app/results/measure.h"

const char *const split_names[SPLIT_PARTS] = {
  [SPLIT_CORNER_FORCE] = "corner_force", [SPLIT_VELOCITY_SOLVE] = "velocity_solve",
  [SPLIT_ENERGY_SOLVE] = "energy_solve", [SPLIT_HALO] = "halo",
  [SPLIT_REDUCTIONS] = "reductions",     [SPLIT_OTHER] = "other",
};

static void own_seconds(const hydro *h, comm_traffic t, double loop, double own[SPLIT_PARTS])
{
  own[SPLIT_CORNER_FORCE] =
    hydro_seconds_of(h, &fem_stress_op) + hydro_seconds_of(h, &fem_force_op) + hydro_seconds_of(h, &fem_power_op);
  own[SPLIT_VELOCITY_SOLVE] = fmax(hydro_seconds_of(h, &fem_velocity_solve_op) - h->velocity_mass->waited, 0.0);
  own[SPLIT_ENERGY_SOLVE] = fmax(hydro_seconds_of(h, &fem_energy_solve_op) - h->energy_mass->waited, 0.0);
  own[SPLIT_HALO] = t.halo_seconds;
  own[SPLIT_REDUCTIONS] = t.reduction_seconds;
  own[SPLIT_OTHER] = loop;
  for (int i = 0; i < SPLIT_OTHER; i++) own[SPLIT_OTHER] -= own[i];
  own[SPLIT_OTHER] = fmax(own[SPLIT_OTHER], 0.0);
}

void split_measure(const hydro *h, comm_traffic before, double loop, run_split *split)
{
  const comm_traffic t = comm_traffic_since(before);
  const int ranks = comm_size();
  double own[SPLIT_PARTS], low[SPLIT_PARTS], high[SPLIT_PARTS];
  own_seconds(h, t, loop, own);
  for (int i = 0; i < SPLIT_PARTS; i++) low[i] = high[i] = own[i];
  comm_min(low, SPLIT_PARTS);
  comm_max(high, SPLIT_PARTS);
  comm_sum(own, SPLIT_PARTS);
  for (int i = 0; i < SPLIT_PARTS; i++) split->seconds[i] = (split_spread){low[i], own[i] / ranks, high[i]};

  int64_t sums[2] = {t.messages, t.bytes}, most[2] = {halo_neighbours(h->space->halo), t.reductions};
  comm_sum_int64(sums, 2);
  comm_max_int64(most, 2);
  split->neighbours = (int)most[0];
  split->traffic = (comm_traffic){.messages = sums[0],
                                  .bytes = sums[1],
                                  .reductions = most[1],
                                  .halo_seconds = split->seconds[SPLIT_HALO].mean,
                                  .reduction_seconds = split->seconds[SPLIT_REDUCTIONS].mean};
}
