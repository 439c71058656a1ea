/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Notices where a run makes no progress: a rank that is stopped, a file system that hangs.  Ranks say where they are as
 * they go; beside each a thread looks on.  The ranks of one machine see each other's places in shared memory, so that
 * the first of them that still runs can say which rank is stopped, and where the others wait.
 */
#ifndef APP_PULSE_H
#define APP_PULSE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum pulse_place {
  PULSE_SET_UP,
  PULSE_READ,
  PULSE_FORCES,
  PULSE_VELOCITY,
  PULSE_ENERGY,
  PULSE_BETWEEN,
  PULSE_TABLES,
  PULSE_FIELDS,
  PULSE_TURN,
  PULSE_CHECKPOINT,
  PULSE_REPORT,
  PULSE_PLACES
} pulse_place;

typedef struct pulse pulse;

/* From here on, a sentence on stderr after so many seconds without a beat of any rank of a machine, which with `ends`
 * also ends the program with STATUS_MACHINE; 0: never.  Collective.  NULL: there is nothing to do, or no memory. */
pulse *pulse_begin(double seconds, bool ends);
void pulse_end(pulse **p);

/* This rank is there, in step `step`.  Not collective; p may be NULL. */
void pulse_beat(pulse *p, pulse_place place, int64_t step);

#endif
