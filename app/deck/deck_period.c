/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that the initial velocity is periodic in a periodic box.  The run compares all nodes (fem/space/seams.c); this
 * compares corners of zones, before there is a mesh, so that --check finds what it can.
 */
#include <math.h>
#include <string.h>

#include "app/deck/deck_schema.h"

enum { PARTS = 16 }; /* of a side between corners that are compared, at most */

typedef struct sample {
  double at[3], velocity[3];
} sample;

typedef struct gap {
  sample lower, upper;
  int component;
  double difference;
} gap;

static sample take(const deck *d, const double *at)
{
  const problem_setting setting = {.dim = d->mesh.dim, .blast_energy = d->problem.blast_energy};
  sample s = {.at = {at[0], at[1], at[2]}};
  d->problem.row->velocity(&setting, s.at, s.velocity);
  return s;
}

/* The largest component somewhere in the box, not only at its sides, where it may be zero but for rounding. */
static double largest_inside(const deck *d)
{
  int points = 1;
  double largest = 0.0;
  for (int c = 0; c < d->mesh.dim; c++) points *= PARTS;
  for (int i = 0; i < points; i++) {
    double at[3] = {0.0, 0.0, 0.0};
    for (int c = 0, rest = i; c < d->mesh.dim; c++, rest /= PARTS)
      at[c] = d->mesh.lower[c] + (rest % PARTS + 0.5) / PARTS * (d->mesh.upper[c] - d->mesh.lower[c]);
    const sample s = take(d, at);
    for (int c = 0; c < d->mesh.dim; c++) largest = fmax(largest, fabs(s.velocity[c]));
  }
  return largest;
}

/* Corner number i of n + 1 along an axis, evenly spread over those of the zones. */
static double corner(const deck *d, int axis, int64_t i, int64_t n)
{
  const int64_t zones = (int64_t)d->mesh.zones[axis] << d->mesh.refine;
  const int64_t before = i * zones / n;
  const double part = (double)before / (double)zones;
  return i == n ? d->mesh.upper[axis] : d->mesh.lower[axis] + part * (d->mesh.upper[axis] - d->mesh.lower[axis]);
}

/* Both sides across an axis. */
static void compare_sides(const deck *d, int axis, gap *most)
{
  int64_t n[3] = {0, 0, 0}, points = 1;
  for (int c = 0; c < d->mesh.dim; c++) {
    const int64_t zones = (int64_t)d->mesh.zones[c] << d->mesh.refine;
    if (c != axis) n[c] = zones < PARTS ? zones : PARTS, points *= n[c] + 1;
  }
  for (int64_t i = 0; i < points; i++) {
    double at[3] = {0.0, 0.0, 0.0};
    int64_t rest = i;
    for (int c = 0; c < d->mesh.dim; c++)
      if (c != axis) at[c] = corner(d, c, rest % (n[c] + 1), n[c]), rest /= n[c] + 1;
    at[axis] = d->mesh.lower[axis];
    const sample lower = take(d, at);
    at[axis] = d->mesh.upper[axis];
    const sample upper = take(d, at);
    for (int c = 0; c < d->mesh.dim; c++) {
      const double difference = fabs(upper.velocity[c] - lower.velocity[c]);
      if (difference > (1.0 + 1e-9) * most->difference) *most = (gap){lower, upper, c, difference};
    }
  }
}

static void write_place(const deck *d, const double *at, char *text, size_t size)
{
  for (int c = 0, n = 0; c < d->mesh.dim; c++)
    n += snprintf(text + n, size - (size_t)n, "%s%.6g", c ? ", " : "", at[c]);
}

int deck_check_period(deck_reader *r)
{
  const deck *d = r->d;
  gap most = {.difference = 0.0};
  char lower[96], upper[96];
  if (strcmp(d->mesh.periodic, "none") == 0 || d->mesh.file[0] || d->mesh.zones_per_rank.zones > 0) return STATUS_OK;
  for (int c = 0; c < d->mesh.dim; c++)
    if (strchr(d->mesh.periodic, "xyz"[c])) compare_sides(d, c, &most);
  if (!(most.difference > 2e-10 * largest_inside(d))) return STATUS_OK;
  write_place(d, most.lower.at, lower, sizeof lower);
  write_place(d, most.upper.at, upper, sizeof upper);
  return deck_fail(r, deck_origin_of(r, "mesh.periodic"), "mesh.periodic",
                   "the initial velocity of %s does not repeat itself: v_%c is %.6g at (%s) and %.6g at (%s), a "
                   "difference of %.3g; allowed: a box of whole periods of it",
                   d->problem.name, "xyz"[most.component], most.lower.velocity[most.component] + 0.0, lower,
                   most.upper.velocity[most.component] + 0.0, upper, most.difference);
}
