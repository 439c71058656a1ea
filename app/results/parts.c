/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/results/parts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "batched/variant.h"

const char *const part_names[RUN_PARTS] = {
  [PART_LAUNCH] = "launch",     [PART_DEVICE] = "device",   [PART_MESH] = "mesh",     [PART_SPACE] = "space",
  [PART_MATERIAL] = "material", [PART_STATE] = "state",     [PART_PLACE] = "place",   [PART_FORCE] = "force",
  [PART_VELOCITY] = "velocity", [PART_ENERGY] = "energy",   [PART_START] = "start",   [PART_FILES] = "files",
  [PART_STEPS] = "steps",       [PART_RESULTS] = "results", [PART_LIMITS] = "limits",
};

/* Seconds since this process began: its start in ticks since the boot is field 22 of /proc/self/stat, the 20th after
 * the name in parentheses; 0: the system does not tell. */
static double age(void)
{
  char line[1024];
  FILE *file = fopen("/proc/self/stat", "r");
  if (!file) return 0.0;
  const char *at = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  fclose(file);
  for (int field = 0; at && field < 20; field++) at = strchr(at + 1, ' ');
  double ticks;
  struct timespec now;
  if (!at || sscanf(at, "%lf", &ticks) != 1 || clock_gettime(CLOCK_BOOTTIME, &now)) return 0.0;
  const double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - ticks / (double)sysconf(_SC_CLK_TCK);
  return seconds > 0.0 ? seconds : 0.0;
}

void parts_begin(run_parts *p)
{
  memset(p, 0, sizeof *p);
  p->last = batched_seconds();
  p->seconds[PART_LAUNCH] = age();
}

void parts_take(run_parts *p, run_part part)
{
  const double now = batched_seconds();
  p->seconds[part] += now - p->last;
  p->last = now;
}

double parts_sum(const run_parts *p, run_part first, run_part last)
{
  double sum = 0.0;
  for (int i = (int)first; i <= (int)last; i++) sum += p->seconds[i];
  return sum;
}
