/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the rows of operations, and writes which one to take for which size (batched/tuning/choice.h).
 */
#ifndef BATCHED_TUNE_ROWS_H
#define BATCHED_TUNE_ROWS_H

#include <stdio.h>

#include "batched/tuning/tune/problem.h"

enum { TUNE_MAX_ORDERS = 64 };

typedef struct tune_rows_options {
  const char *types;
  int norders, nrhs, nwidths;
  int orders[TUNE_MAX_ORDERS], rhs[TUNE_MAX_ORDERS], widths[TUNE_MAX_ORDERS]; /* ascending */
  size_t bytes;
  bool vendor; /* its rows, too */
} tune_rows_options;

/* In the context `mine`, compared with a second one on the host.  Returns 0 or a status. */
int tune_rows(FILE *out, const tune_call *call, batched_ctx *mine, batched_ctx *host, const tune_rows_options *o);

#endif
