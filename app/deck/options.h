/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line.
 */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mesh/comm/exit_status.h"

typedef struct options {
  bool check, keys, variants, quiet, version, help;
  const char *report;  /* borrowed from argv, like the rest; NULL: not given */
  const char *restart; /* a checkpoint, or "latest"; NULL: not given */
  const char *deck;    /* NULL only with restart, keys, variants, version or help */
  int noverrides;
  char **overrides; /* "section.key=value" */
} options;

/* Sorts argv in place.  Returns STATUS_OK, or STATUS_INPUT with one sentence in message[size].  Prints nothing, so all
 * ranks may call it. */
int options_parse(options *o, int argc, char **argv, char *message, size_t size);

void options_print_help(FILE *to);

#endif
