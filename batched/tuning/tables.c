/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which table of measurements belongs to a GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/tuning/tuning.h"

enum { MOST_BYTES = 4 << 20 };

/* NULL if it can't be read. */
static char *read_file(const char *path)
{
  FILE *f = fopen(path, "r");
  if (!f) return NULL;
  char *text = malloc(MOST_BYTES + 1);
  if (text) text[fread(text, 1, MOST_BYTES, f)] = 0;
  fclose(f);
  return text;
}

/* The rest of the line "# <key>: " of a table. */
static bool has_value(const char *table, const char *key, char value[256])
{
  char start[64];
  snprintf(start, sizeof start, "# %s: ", key);
  const char *at = strstr(table, start);
  return at && sscanf(at + strlen(start), "%255[^\n]", value) == 1;
}

static char *copy(const char *text)
{
  char *c = malloc(strlen(text) + 1);
  return c ? strcpy(c, text) : NULL;
}

char *batched_find_tuning(const char *device, int capability)
{
  const char *path = getenv("BATCHED_TUNING"), *nearest = NULL;
  if (path) return read_file(path);
  int best = 10;
  for (const char *const *table = batched_tuning_tables; *table; table++) {
    char value[256];
    if (has_value(*table, "device", value) && strcmp(value, device) == 0) return copy(*table);
    const int theirs = has_value(*table, "capability", value) ? atoi(value) : 0;
    const int distance = abs(theirs - capability);
    if (theirs / 10 != capability / 10 || distance >= best) continue;
    best = distance;
    nearest = *table;
  }
  return nearest ? copy(nearest) : NULL;
}
