/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs in the hands of a test: from a deck in memory to a state that can be read and changed.  Include after cmocka.h.
 */
#ifndef TESTS_APP_RUNS_H
#define TESTS_APP_RUNS_H

#include <stdio.h>
#include <string.h>

#include "app/hydro.h"

/* The run of a deck, before hydro_start. */
static inline hydro *run_create(deck *d, const char *text)
{
  char message[1024] = "";
  hydro *h = NULL;
  if (deck_parse(d, "test", text, strlen(text), 0, NULL, message, sizeof message)) fail_msg("%s", message);
  if (hydro_create(&h, d, message, sizeof message)) fail_msg("%s", message);
  return h;
}

static inline void run_start(hydro *h)
{
  char message[1024] = "";
  if (hydro_start(h, message, sizeof message)) fail_msg("%s", message);
}

/* The next accepted step; returns how many attempts were rejected before it. */
static inline int run_step(hydro *h)
{
  for (int rejected = 0;; rejected++) {
    const hydro_outcome outcome = hydro_step(h);
    if (outcome == HYDRO_ACCEPTED) return rejected;
    if (outcome != HYDRO_REPEATED) fail_msg("step %lld failed", (long long)h->steps + 1);
  }
}

#endif
