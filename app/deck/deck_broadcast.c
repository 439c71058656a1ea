/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One rank reads the deck, all have it.
 */
#include "app/deck/deck.h"
#include "mesh/comm/comm.h"

void deck_broadcast(deck *d)
{
  comm_broadcast(d, sizeof *d, 0);
  d->problem.row = problem_find(d->problem.name); /* addresses differ from rank to rank */
}
