/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/files/output_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/file_new.h"
#include "app/files/file_replace.h"

void output_file_name(const char *series, int64_t step, int file, char *name, size_t size)
{
  if (file == OUTPUT_WHOLE)
    snprintf(name, size, "%s_%06" PRId64 ".vtkhdf", series, step);
  else
    snprintf(name, size, "%s_%06" PRId64 ".%04d.vtkhdf", series, step, file);
}

static bool append(output_list *l, output_entry entry)
{
  if (l->count && l->entries[l->count - 1].step == entry.step) l->count--;
  if (l->count == l->room) {
    const int room = l->room ? 2 * l->room : 64;
    output_entry *more = realloc(l->entries, (size_t)room * sizeof *more);
    if (!more) return false;
    l->entries = more;
    l->room = room;
  }
  l->entries[l->count++] = entry;
  return true;
}

/* One file a line, as write_list writes them. */
static bool read_list(output_list *l, int64_t resume)
{
  char line[256], start[OUTPUT_NAME + 16];
  FILE *from = file_open(l->path, false);
  if (!from) return true;
  const int length = snprintf(start, sizeof start, "{\"name\":\"%s_", l->name);
  bool good = true;
  while (good && fgets(line, sizeof line, from)) {
    output_entry entry;
    if (strncmp(line, start, (size_t)length) != 0) continue;
    if (sscanf(line + length, "%" SCNd64 ".vtkhdf\",\"time\":%lf", &entry.step, &entry.time) != 2) continue;
    if (entry.step < resume) good = append(l, entry);
  }
  fclose(from);
  return good;
}

static bool write_list(const output_list *l)
{
  char name[OUTPUT_NAME + 32];
  file_replace made;
  errno = file_replace_begin(&made, l->path);
  if (errno) return false;
  fprintf(made.file, "{\"file-series-version\":\"1.0\",\"files\":[\n");
  for (int i = 0; i < l->count; ++i) {
    output_file_name(l->name, l->entries[i].step, OUTPUT_WHOLE, name, sizeof name);
    fprintf(made.file, "{\"name\":\"%s\",\"time\":%.17g}%s\n", name, l->entries[i].time, i + 1 < l->count ? "," : "");
  }
  fprintf(made.file, "]}\n");
  errno = file_replace_commit(&made);
  return errno == 0;
}

bool output_list_create(output_list *l, const char *directory, const char *name, int64_t resume)
{
  *l = (output_list){0};
  snprintf(l->path, sizeof l->path, "%s/%s.vtkhdf.series", directory, name);
  snprintf(l->name, sizeof l->name, "%s", name);
  return resume == 0 || read_list(l, resume);
}

void output_list_destroy(output_list *l)
{
  free(l->entries);
  *l = (output_list){0};
}

bool output_list_add(output_list *l, output_entry entry)
{
  return append(l, entry) && write_list(l);
}
