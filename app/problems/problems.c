/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The problems.  The first eight are those of the Laghos mini-app, with its comparisons to the letter: they decide the
 * value at a node that lies on an interface.
 */
#include <stdlib.h>
#include <string.h>

#include "app/problems/problem_rows.h"

const problem *const problems[] = {
  &problem_taylor_green,  &problem_sedov,
  &problem_shock_tube,    &problem_triple_point,
  &problem_gresho,        &problem_riemann_12,
  &problem_riemann_6,     &problem_rayleigh_taylor,
  &problem_sod,           &problem_noh,
  &problem_noh2,          &problem_saltzman,
  &problem_standing_wave, NULL,
};

const problem *problem_find(const char *name)
{
  for (const problem *const *row = problems; *row; row++)
    if (!strcmp((*row)->name, name)) return *row;
  return NULL;
}

void problem_prepare(const problem *p, problem_setting *s, double t)
{
  if (p->prepare) p->prepare(s, t);
}

void problem_release(problem_setting *s)
{
  free(s->blast);
  s->blast = NULL;
  s->ahead = 0;
}
