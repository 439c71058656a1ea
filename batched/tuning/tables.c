/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which table of measurements belongs to a GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/tuning/choice.h"
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

/* The rest of the line that starts so, one of the comments at the head of a table. */
static bool has_value(const char *table, const char *start, char value[256])
{
  const size_t skip = strlen(start);
  for (const char *line = table; *line == '#';) {
    const size_t length = strcspn(line, "\n"); /* sscanf would measure the whole table */
    if (strncmp(line, start, skip) == 0 && length > skip && length - skip <= 255) {
      memcpy(value, line + skip, length - skip);
      value[length - skip] = 0;
      return true;
    }
    line += length + (line[length] == '\n');
  }
  return false;
}

/* The table of this device, or that of the nearest compute capability with the same first number, or NULL. */
static const char *find_table(const char *const *tables, const char *device, int capability)
{
  const char *nearest = NULL;
  int best = 10;
  for (; *tables; tables++) {
    char value[256];
    if (has_value(*tables, "# device: ", value) && strcmp(value, device) == 0) return *tables;
    const int theirs = has_value(*tables, "# capability: ", value) ? atoi(value) : 0;
    const int distance = abs(theirs - capability);
    if (theirs / 10 != capability / 10 || theirs == 0 || distance >= best) continue;
    best = distance;
    nearest = *tables;
  }
  return nearest;
}

char *batched_read_tuning(bool *named)
{
  const char *path = getenv("BATCHED_TUNING");
  *named = path;
  return path ? read_file(path) : NULL;
}

const char *batched_find_tuning(const char *device, int capability)
{
  return find_table(batched_tuning_tables, device, capability);
}

const char *batched_find_choices(const char *device, int capability)
{
  const char *table = find_table(batched_choice_tables, device, capability);
  for (const char *const *other = batched_choice_tables; !table && *other; other++) {
    char value[256];
    if (has_value(*other, "# capability: ", value)) table = *other;
  }
  return table;
}
