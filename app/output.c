/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of a run's output.  Each is written under a temporary name by the ranks in turn, or all at once where HDF5 can,
 * synced and renamed: a file with its final name is complete.
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
#include "hdf.h"
#include "mesh/comm.h"
#include "vtkhdf.h"

enum {
  RANKS_PER_FILE = 64, // by turns, so the last one waits for all others
  WHOLE = -1,
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

/* The file of a step, or one of those that it refers to. */
static void file_name(const output_series *s, int64_t step, int file, char *name, size_t size)
{
  if (file == WHOLE)
    snprintf(name, size, "%s_%06" PRId64 ".vtkhdf", s->name, step);
  else
    snprintf(name, size, "%s_%06" PRId64 ".%04d.vtkhdf", s->name, step, file);
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
    file_name(s, s->entries[i].step, WHOLE, name, sizeof name);
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

/* The ranks that write a file: `each` of them, of which this rank is number `part`; `files` in all. */
typedef struct writers {
  int each, files, file;
} writers;

static writers writers_of(const output_series *s)
{
  const int most = s->run->ranks_per_file > 0 ? s->run->ranks_per_file : RANKS_PER_FILE, size = comm_size();
  const int each = size < most ? size : most;
  return (writers){.each = each, .files = (size + each - 1) / each, .file = comm_rank() / each};
}

static int parts_of(const writers *w, int file)
{
  const int left = comm_size() - file * w->each;
  return left < w->each ? left : w->each;
}

/* Zones of every file; NULL when memory is out on any rank. */
static int64_t *count_zones(const writers *w, int64_t mine)
{
  int64_t *zones = calloc((size_t)w->files, sizeof *zones);
  if (comm_worst(zones ? 0 : OUTPUT_FAILED)) {
    free(zones);
    return NULL;
  }
  zones[w->file] = mine;
  comm_sum_int64(zones, w->files);
  return zones;
}

static vtkhdf_place place_of(const writers *w, const int64_t *counts, int64_t nzones)
{
  vtkhdf_place place = {.part = comm_rank() % w->each, .nparts = parts_of(w, w->file), .nzones = counts[w->file]};
  place.first_zone = comm_exclusive_sum(nzones);
  for (int file = 0; file < w->file; file++) place.first_zone -= counts[file];
  return place;
}

/* All ranks of a file add their parts at once; the first makes it.  True everywhere, or nowhere. */
static bool write_at_once(const output_series *s, const vtkhdf_place *place, const char *path, int64_t step,
                          double time, const output_zones *zones, char *reason, size_t size)
{
  bool good = place->part > 0 || vtkhdf_create(path, zones, place, s->run, step, time, reason, size);
  if (comm_worst(good ? 0 : OUTPUT_FAILED)) return false;
  good = vtkhdf_append(path, true, zones, place, reason, size);
  return comm_worst(good ? 0 : OUTPUT_FAILED) == 0;
}

/* Each rank adds its part in turn; the first of a file makes it. */
static bool write_in_turn(const output_series *s, const writers *w, const vtkhdf_place *place, const char *path,
                          int64_t step, double time, const output_zones *zones, char *reason, size_t size)
{
  comm_turn_begin(w->each);
  bool good = place->part > 0 || vtkhdf_create(path, zones, place, s->run, step, time, reason, size);
  if (good) good = vtkhdf_append(path, false, zones, place, reason, size);
  comm_turn_end(w->each);
  return good;
}

/* What fails at once is tried in turn: MPI-IO does not say why, and may not be for this file system. */
static bool write_parts(const output_series *s, const writers *w, const int64_t *counts, const char *path, int64_t step,
                        double time, const output_zones *zones, char *reason, size_t size)
{
  const vtkhdf_place place = place_of(w, counts, zones->nzones);
  return (hdf_shares() && w->each > 1 && write_at_once(s, &place, path, step, time, zones, reason, size)) ||
         write_in_turn(s, w, &place, path, step, time, zones, reason, size);
}

/* The file that refers to those of all writers.  One rank's business. */
static bool write_master(const output_series *s, const writers *w, const int64_t *counts, const char *path,
                         int64_t step, double time, const output_zones *zones, char *reason, size_t size)
{
  vtkhdf_source *sources = malloc((size_t)w->files * sizeof *sources);
  if (!sources) {
    snprintf(reason, size, "out of memory");
    return false;
  }
  for (int i = 0; i < w->files; i++) {
    sources[i].nparts = parts_of(w, i);
    sources[i].nzones = counts[i];
    file_name(s, step, i, sources[i].name, sizeof sources[i].name);
  }
  const bool good = vtkhdf_create_of(path, zones, w->files, sources, s->run, step, time, reason, size);
  free(sources);
  return good;
}

/* Where a file is while it is written, and then. */
typedef struct file_paths {
  char path[PATH_SIZE], temporary[PATH_SIZE + 8];
} file_paths;

static file_paths paths_of(const output_series *s, int64_t step, int file)
{
  file_paths p;
  char name[NAME_SIZE + 32];
  file_name(s, step, file, name, sizeof name);
  snprintf(p.path, sizeof p.path, "%s/%s", s->directory, name);
  snprintf(p.temporary, sizeof p.temporary, "%s.tmp", p.path);
  return p;
}

/* A file that all of its ranks have written, `good` ones, gets its name from the one that `owns` it. */
static int complete(const file_paths *p, bool owns, bool good, const char *reason, char *message, size_t size)
{
  char sentence[SENTENCE_SIZE];
  snprintf(sentence, sizeof sentence, "cannot write the fields to '%s': %s", p->path, reason);
  int status = all_good(good, sentence, message, size);
  if (!status) {
    good = !owns || file_publish(p->temporary, p->path) == 0;
    snprintf(sentence, sizeof sentence, "cannot complete '%s': %s", p->path, strerror(errno));
    status = all_good(good, sentence, message, size);
  }
  if (status && owns) unlink(p->temporary);
  return status;
}

/* The files of all writers, and then the one that refers to them. */
static int write_files(const output_series *s, int64_t step, double time, const output_zones *zones, char *message,
                       size_t size)
{
  char reason[REASON_SIZE] = "out of memory";
  const writers w = writers_of(s);
  int64_t *counts = count_zones(&w, zones->nzones);
  file_paths p = paths_of(s, step, w.files > 1 ? w.file : WHOLE);
  bool good = counts && write_parts(s, &w, counts, p.temporary, step, time, zones, reason, sizeof reason);
  int status = complete(&p, comm_rank() % w.each == 0, good, reason, message, size);
  if (!status && w.files > 1) {
    const bool owns = comm_rank() == 0;
    p = paths_of(s, step, WHOLE);
    good = !owns || write_master(s, &w, counts, p.temporary, step, time, zones, reason, sizeof reason);
    status = complete(&p, owns, good, reason, message, size);
  }
  free(counts);
  return status;
}

int output_write(output_series *s, int64_t step, double time, const output_zones *zones, char *message, size_t size)
{
  char path[PATH_SIZE], sentence[SENTENCE_SIZE];
  int status = write_files(s, step, time, zones, message, size);
  if (status) return status;
  const bool listed = comm_rank() > 0 || (add_entry(s, (series_entry){step, time}) && write_series(s));
  const int error = errno;
  series_path(s, path, sizeof path);
  snprintf(sentence, sizeof sentence, "cannot complete '%s': %s", path, strerror(error));
  return all_good(listed, sentence, message, size);
}
