/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of a run's output.  Each is written under a temporary name by the ranks in turn, synced and renamed: a file
 * with its final name is complete.
 */
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"
#include "file_replace.h"
#include "mesh/comm.h"
#include "vtkhdf.h"

enum {
  OUTPUT_FAILED = 3,
  PATH_SIZE = 4096 + 128,
  NAME_SIZE = 64,
  REASON_SIZE = 512,
  SENTENCE_SIZE = PATH_SIZE + REASON_SIZE + 64
};

typedef struct series_entry {
  int64_t step;
  double time;
} series_entry;

struct output_series {
  char directory[4096], name[NAME_SIZE];
  const output_run *run; // borrowed
  int count, room;
  series_entry *entries; // owned, [room], on rank 0
};

/* Gives every rank the sentence of the first rank that failed; returns what the caller returns. */
static int all_good(bool good, const char *sentence, char *message, size_t size)
{
  if (!good) snprintf(message, size, "%s", sentence);
  return agree(good ? 0 : OUTPUT_FAILED, message, size);
}

/* -- The list of files */

static void file_name(const output_series *s, int64_t step, char *name, size_t size)
{
  snprintf(name, size, "%s_%06" PRId64 ".vtkhdf", s->name, step);
}

/* A step that is written again, after a restart, replaces its entry. */
static bool add_entry(output_series *s, series_entry entry)
{
  if (s->count && s->entries[s->count - 1].step == entry.step) s->count--;
  if (s->count == s->room) {
    const int room = s->room ? 2 * s->room : 64;
    series_entry *more = realloc(s->entries, (size_t)room * sizeof *more);
    if (!more) return false;
    s->entries = more;
    s->room = room;
  }
  s->entries[s->count++] = entry;
  return true;
}

static void series_path(const output_series *s, char *path, size_t size)
{
  snprintf(path, size, "%s/%s.vtkhdf.series", s->directory, s->name);
}

/* Takes over the files of the steps before `resume` from the list that an earlier run left, one file a line; a list
 * that is missing or not ours counts as empty. */
static bool read_series(output_series *s, int64_t resume)
{
  char path[PATH_SIZE], line[256], start[NAME_SIZE + 16];
  series_path(s, path, sizeof path);
  FILE *from = resume > 0 ? fopen(path, "r") : NULL;
  if (!from) return true;
  const int length = snprintf(start, sizeof start, "{\"name\":\"%s_", s->name);
  bool good = true;
  while (good && fgets(line, sizeof line, from)) {
    series_entry entry;
    if (strncmp(line, start, (size_t)length) != 0) continue;
    if (sscanf(line + length, "%" SCNd64 ".vtkhdf\",\"time\":%lf", &entry.step, &entry.time) != 2) continue;
    if (entry.step < resume) good = add_entry(s, entry);
  }
  fclose(from);
  return good;
}

static bool write_series(const output_series *s)
{
  char path[PATH_SIZE], temporary[PATH_SIZE + 8], name[NAME_SIZE + 32];
  series_path(s, path, sizeof path);
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  FILE *to = fopen(temporary, "w");
  if (!to) return false;
  fprintf(to, "{\"file-series-version\":\"1.0\",\"files\":[\n");
  for (int i = 0; i < s->count; ++i) {
    file_name(s, s->entries[i].step, name, sizeof name);
    fprintf(to, "{\"name\":\"%s\",\"time\":%.17g}%s\n", name, s->entries[i].time, i + 1 < s->count ? "," : "");
  }
  fprintf(to, "]}\n");
  const bool written = !ferror(to);
  if (fclose(to) == 0 && written && file_publish(temporary, path) == 0) return true;
  const int error = errno;
  unlink(temporary);
  errno = error;
  return false;
}

int output_create(output_series **series, const char *directory, const char *name, const output_run *run,
                  int64_t resume, char *message, size_t size)
{
  char sentence[SENTENCE_SIZE] = "";
  output_series *s = calloc(1, sizeof *s);
  bool good = s;
  if (!good) snprintf(sentence, sizeof sentence, "out of memory for the list of output files");
  if (good) {
    snprintf(s->directory, sizeof s->directory, "%s", directory);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->run = run;
  }
  if (good && comm_rank() == 0) {
    good = file_make_folders(directory);
    if (!good) snprintf(sentence, sizeof sentence, "cannot make the directory '%s': %s", directory, strerror(errno));
  }
  if (good && comm_rank() == 0 && !read_series(s, resume)) {
    good = false;
    snprintf(sentence, sizeof sentence, "out of memory for the list of output files");
  }
  const int status = all_good(good, sentence, message, size);
  if (status) output_destroy(&s);
  *series = s;
  return status;
}

void output_destroy(output_series **series)
{
  if (!*series) return;
  free((*series)->entries);
  free(*series);
  *series = NULL;
}

/* -- Fields */

/* Each rank adds its part in turn; rank 0 makes the file first. */
static bool write_parts(const output_series *s, const char *path, int64_t step, double time, const output_zones *zones,
                        char *reason, size_t size)
{
  vtkhdf_place place = {.part = comm_rank(), .nparts = comm_size(), .nzones = zones->nzones};
  place.first_zone = comm_exclusive_sum(zones->nzones);
  comm_sum_int64(&place.nzones, 1);
  bool good = true;
  comm_turn_begin();
  if (place.part == 0) good = vtkhdf_create(path, zones, &place, s->run, step, time, reason, size);
  if (good) good = vtkhdf_append(path, zones, &place, reason, size);
  comm_turn_end();
  return good;
}

int output_write(output_series *s, int64_t step, double time, const output_zones *zones, char *message, size_t size)
{
  char name[NAME_SIZE + 32], path[PATH_SIZE], temporary[PATH_SIZE + 8];
  char reason[REASON_SIZE] = "", sentence[SENTENCE_SIZE] = "";
  file_name(s, step, name, sizeof name);
  snprintf(path, sizeof path, "%s/%s", s->directory, name);
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  const bool written = write_parts(s, temporary, step, time, zones, reason, sizeof reason);
  snprintf(sentence, sizeof sentence, "cannot write the fields to '%s': %s", path, reason);
  int status = all_good(written, sentence, message, size);
  bool listed = true;
  if (!status && comm_rank() == 0) {
    listed = add_entry(s, (series_entry){step, time}) && file_publish(temporary, path) == 0 && write_series(s);
    snprintf(sentence, sizeof sentence, "cannot complete '%s': %s", path, strerror(errno));
  }
  if (!status) status = all_good(listed, sentence, message, size);
  if (status && comm_rank() == 0) unlink(temporary);
  return status;
}

/* -- Profiles */

static bool write_rows(const char *path, int64_t n, const double *r, const double *density, const double *exact)
{
  FILE *to = fopen(path, comm_rank() == 0 ? "w" : "a");
  if (!to) return false;
  if (comm_rank() == 0) fprintf(to, exact ? "r,density,exact\n" : "r,density\n");
  for (int64_t i = 0; i < n; ++i)
    if (exact)
      fprintf(to, "%.17g,%.17g,%.17g\n", r[i], density[i], exact[i]);
    else
      fprintf(to, "%.17g,%.17g\n", r[i], density[i]);
  const bool written = !ferror(to);
  return fclose(to) == 0 && written;
}

int output_profile(const char *path, int64_t n, const double *r, const double *density, const double *exact,
                   char *message, size_t size)
{
  char temporary[PATH_SIZE + 8], sentence[SENTENCE_SIZE];
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  comm_turn_begin();
  bool good = write_rows(temporary, n, r, density, exact);
  int error = errno;
  comm_turn_end();
  snprintf(sentence, sizeof sentence, "cannot write the profile '%s': %s", path, strerror(error));
  int status = all_good(good, sentence, message, size);
  if (!status && comm_rank() == 0) {
    good = file_publish(temporary, path) == 0;
    snprintf(sentence, sizeof sentence, "cannot write the profile '%s': %s", path, strerror(errno));
  }
  if (!status) status = all_good(good, sentence, message, size);
  if (status && comm_rank() == 0) unlink(temporary);
  return status;
}
