/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of a run's output.  Each is written under a temporary name by the ranks in turn, or all at once where HDF5
 * can, synced and renamed: a file with its final name is complete.
 */
#include "app/files/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/files/file_new.h"
#include "app/files/file_replace.h"
#include "app/files/hdf.h"
#include "app/files/output_list.h"
#include "app/files/vtkhdf.h"
#include "app/machine/collective_status.h"
#include "mesh/comm/comm.h"

enum {
  RANKS_PER_FILE = 64, // by turns, so the last one waits for all others
  REASON_SIZE = 512,
  SENTENCE_SIZE = OUTPUT_PATH + REASON_SIZE + 64
};

struct output_series {
  char directory[4096], name[OUTPUT_NAME];
  const output_run *run; // borrowed
  output_list list;      // owned, on rank 0
};

/* Gives every rank the sentence of the first rank that failed; returns what the caller returns. */
static int all_good(bool good, const char *sentence, char *message, size_t size)
{
  if (!good) snprintf(message, size, "%s", sentence);
  return collective_status(good ? STATUS_OK : STATUS_MACHINE, message, size);
}

/* Rank 0's part: the folder, and the list of the files in it. */
static bool open_folder(output_series *s, int64_t resume, char *sentence, size_t size)
{
  if (!file_make_folders(s->directory)) {
    snprintf(sentence, size, "cannot make the directory '%s': %s", s->directory, strerror(errno));
    return false;
  }
  if (output_list_create(&s->list, s->directory, s->name, resume)) return true;
  snprintf(sentence, size, "out of memory for the list of output files");
  return false;
}

int output_create(output_series **series, const char *directory, const char *name, const output_run *run,
                  int64_t resume, char *message, size_t size)
{
  char sentence[SENTENCE_SIZE] = "out of memory for the list of output files";
  output_series *s = calloc(1, sizeof *s);
  bool good = s;
  if (good) {
    snprintf(s->directory, sizeof s->directory, "%s", directory);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->run = run;
    if (comm_rank() == 0) good = open_folder(s, resume, sentence, sizeof sentence);
  }
  const int status = all_good(good, sentence, message, size);
  if (status) output_destroy(&s);
  *series = s;
  return status;
}

void output_destroy(output_series **series)
{
  if (!*series) return;
  output_list_destroy(&(*series)->list);
  free(*series);
  *series = NULL;
}

/* -- Fields */

/* Who writes what: every `each` ranks in a row write one of `files` files, this rank number `file`. */
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
  if (comm_worst(zones ? STATUS_OK : STATUS_MACHINE)) {
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
  if (comm_worst(good ? STATUS_OK : STATUS_MACHINE)) return false;
  good = vtkhdf_append(path, true, zones, place, reason, size);
  return comm_worst(good ? STATUS_OK : STATUS_MACHINE) == 0;
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

/* Tries each way to write in turn: MPI-IO does not say why it failed, and may not support this file system. */
static bool write_parts(const output_series *s, const writers *w, const int64_t *counts, const char *path, int64_t step,
                        double time, const output_zones *zones, char *reason, size_t size)
{
  const vtkhdf_place place = place_of(w, counts, zones->nzones);
  if (hdf_shares() && w->each > 1) {
    if (write_at_once(s, &place, path, step, time, zones, reason, size)) return true;
    if (place.part == 0) unlink(path);
  }
  return write_in_turn(s, w, &place, path, step, time, zones, reason, size);
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
    output_file_name(s->name, step, i, sources[i].name, sizeof sources[i].name);
  }
  const bool good = vtkhdf_create_of(path, zones, w->files, sources, s->run, step, time, reason, size);
  free(sources);
  return good;
}

/* Temporary and final path of a file. */
typedef struct file_paths {
  char path[OUTPUT_PATH], temporary[OUTPUT_PATH + 32];
} file_paths;

static file_paths paths_of(const output_series *s, int64_t step, int file, const char *tag)
{
  file_paths p;
  char name[OUTPUT_NAME + 32];
  output_file_name(s->name, step, file, name, sizeof name);
  snprintf(p.path, sizeof p.path, "%s/%s", s->directory, name);
  file_temporary(p.temporary, sizeof p.temporary, p.path, tag);
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
    snprintf(sentence, sizeof sentence, "cannot complete '%s': %s", p->path, file_explain(errno));
    status = all_good(good, sentence, message, size);
  }
  if (status && owns) unlink(p->temporary);
  return status;
}

/* The files of all writers, and then the one that refers to them. */
static int write_files(const output_series *s, int64_t step, double time, const output_zones *zones, char *message,
                       size_t size)
{
  char reason[REASON_SIZE] = "out of memory", tag[FILE_TAG];
  const writers w = writers_of(s);
  if (comm_rank() == 0) file_draw_tag(tag);
  comm_broadcast(tag, sizeof tag, 0);
  int64_t *counts = count_zones(&w, zones->nzones);
  file_paths p = paths_of(s, step, w.files > 1 ? w.file : OUTPUT_WHOLE, tag);
  bool good = counts && write_parts(s, &w, counts, p.temporary, step, time, zones, reason, sizeof reason);
  int status = complete(&p, comm_rank() % w.each == 0, good, reason, message, size);
  if (!status && w.files > 1) {
    const bool owns = comm_rank() == 0;
    p = paths_of(s, step, OUTPUT_WHOLE, tag);
    good = !owns || write_master(s, &w, counts, p.temporary, step, time, zones, reason, sizeof reason);
    status = complete(&p, owns, good, reason, message, size);
  }
  free(counts);
  return status;
}

int output_write(output_series *s, int64_t step, double time, const output_zones *zones, char *message, size_t size)
{
  char sentence[SENTENCE_SIZE] = "";
  int status = write_files(s, step, time, zones, message, size);
  if (status) return status;
  const bool listed = comm_rank() > 0 || output_list_add(&s->list, (output_entry){step, time});
  if (!listed) snprintf(sentence, sizeof sentence, "cannot complete '%s': %s", s->list.path, file_explain(errno));
  return all_good(listed, sentence, message, size);
}
