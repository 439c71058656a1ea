/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run says while it runs: lines with the time left, and on a terminal a bar.
 */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct progress {
  FILE *to; /* borrowed; NULL: says nothing */
  bool bar;
  double begin, final;           /* of the simulated time */
  int64_t first_step, max_steps; /* max_steps: -1: none */
  double started, drawn;         /* by the clock */
  bool head;                     /* the head of the lines is written */
} progress;

typedef struct progress_line {
  int64_t step;
  double time, dt, norm_e;
  int64_t iterations; /* of CG in this step, velocity and energy */
} progress_line;

/* how: auto bar lines none, as in output.progress; with `quiet` nothing is said.  Only the rank that prints has a
 * `to`. */
progress progress_begin(const char *how, bool quiet, FILE *to, int64_t step, double time, double final,
                        int64_t max_steps);

/* True if there is a line after this step: every step up to 10, every tenth up to 100, then every hundredth.  It
 * depends on the step alone, so that all ranks can compute |e| for it. */
bool progress_wants_line(int64_t step);

void progress_print_line(progress *p, const progress_line *line);

/* Draws the bar, at most ten times a second; after every step. */
void progress_draw(progress *p, int64_t step, double time);

/* Takes the bar away; before anything else is printed. */
void progress_end(progress *p);

/* The bar's text without the terminal's control: done in [0,1], seconds since the start. */
void progress_format_bar(char *text, size_t size, double done, double seconds);

#endif
