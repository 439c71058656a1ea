/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Going on from a checkpoint: which step comes next.
 */
#ifndef APP_RESUME_H
#define APP_RESUME_H

#include "app/hydro.h"

/* As hydro_start, for a state and a clock that were read from a checkpoint of a run of the deck `then`: the next step
 * is the one that would have been next.  STATUS_INPUT also where a new time.final is over already. */
int hydro_resume(hydro *h, const deck *then, char *message, size_t size);

#endif
