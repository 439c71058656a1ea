/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the time of a run's steps splits among computing and waiting, over the ranks.
 */
#ifndef APP_SPLIT_H
#define APP_SPLIT_H

#include "mesh/comm/traffic.h"

struct hydro;

/* Seconds that a rank computes: stress, F 1 and F^T v; M_v a = b; M_e p = b.  That it is in MPI: for shared nodes, for
 * sums over all ranks.  And the rest of the loop over the steps. */
typedef enum split_part {
  SPLIT_CORNER_FORCE,
  SPLIT_VELOCITY_SOLVE,
  SPLIT_ENERGY_SOLVE,
  SPLIT_HALO,
  SPLIT_REDUCTIONS,
  SPLIT_OTHER,
  SPLIT_PARTS
} split_part;

extern const char *const split_names[SPLIT_PARTS];

typedef struct split_spread {
  double min, mean, max; /* over the ranks */
} split_spread;

typedef struct run_split {
  split_spread seconds[SPLIT_PARTS];
  comm_traffic traffic; /* in the loop: messages and bytes of all ranks; reductions of each; seconds: means */
  int neighbours;       /* the most of any rank */
} run_split;

/* Split of a loop of `seconds` on this rank; `before`: the counters when it began.  Collective. */
void split_measure(const struct hydro *h, comm_traffic before, double loop, run_split *split);

#endif
