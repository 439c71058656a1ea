/* SPDX-License-Identifier: BSD-3-Clause */
#include "history.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"
#include "file_replace.h"

enum { LONGEST_ROW = 512 };

typedef struct counters {
  int64_t attempts, velocity, energy;
} counters;

struct history {
  char path[DECK_PATH + 16];
  FILE *file; // owned, on rank 0
  counters before;
};

static const char head[] = "step,time,dt,internal,kinetic,total,attempts,velocity,energy\n";

static counters count(const hydro *run)
{
  return (counters){run->attempts, run->velocity_mass->iterations, run->energy_mass->iterations};
}

/* What is no whole row of a step up to `last` is left out: what a run wrote before it was killed, or after the checkpoint. */
static void copy_rows(FILE *from, FILE *to, int64_t last)
{
  char row[LONGEST_ROW];
  int64_t step;
  while (fgets(row, sizeof row, from)) {
    if (strchr(row, '\n') && sscanf(row, "%" SCNd64 ",", &step) == 1 && step <= last) fputs(row, to);
  }
}

/* Rank 0's part: a new file, with what is left of the old one, that rows are added to.  Returns errno. */
static int make_file(history *h, const char *directory, const hydro *run, bool goes_on)
{
  file_replace f;
  if (!file_make_folders(directory)) return errno;
  int reason = file_replace_begin(&f, h->path);
  if (reason) return reason;
  fputs(head, f.file);
  FILE *old = goes_on ? fopen(h->path, "r") : NULL;
  if (old) {
    copy_rows(old, f.file, run->steps);
    fclose(old);
  }
  reason = file_replace_commit(&f);
  if (reason) return reason;
  h->file = fopen(h->path, "a");
  return h->file ? 0 : errno;
}

/* Gives all ranks rank 0's failure. */
static int all_good(const history *h, int reason, char *message, size_t size)
{
  if (reason) snprintf(message, size, "cannot write '%s': %s", h->path, strerror(reason));
  return agree(reason ? 3 : 0, message, size);
}

static int write_row(history *h, const hydro *run, double dt, double internal, double kinetic)
{
  const counters now = count(run), then = h->before;
  errno = 0;
  fprintf(h->file, "%" PRId64 ",%.17g,%.17g,%.17g,%.17g,%.17g,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", run->steps,
          run->time, dt, internal, kinetic, internal + kinetic, now.attempts - then.attempts,
          now.velocity - then.velocity, now.energy - then.energy);
  return fflush(h->file) || ferror(h->file) ? (errno ? errno : EIO) : 0;
}

static void discard(history **h)
{
  if (*h && (*h)->file) fclose((*h)->file);
  free(*h);
  *h = NULL;
}

int history_open(history **out, hydro *run, bool goes_on, char *message, size_t size)
{
  const char *directory = run->deck->output.directory;
  history *h = *out = calloc(1, sizeof *h);
  snprintf(message, size, "out of memory for the history of the run");
  int status = agree(h ? 0 : 3, message, size);
  if (status) {
    discard(out);
    return status;
  }
  snprintf(h->path, sizeof h->path, "%s/history.csv", directory);
  h->before = count(run);
  status = all_good(h, comm_rank() == 0 ? make_file(h, directory, run, goes_on) : 0, message, size);
  if (!status && !goes_on) status = history_add(h, run, 0.0, message, size);
  if (status) discard(out);
  return status;
}

int history_add(history *h, hydro *run, double dt, char *message, size_t size)
{
  double internal, kinetic;
  int status = 0;
  if (run->steps % run->deck->output.history_every == 0 || run->last) {
    hydro_energies(run, &internal, &kinetic);
    status = all_good(h, h->file ? write_row(h, run, dt, internal, kinetic) : 0, message, size);
  }
  h->before = count(run);
  return status;
}

int history_sync(history *h, char *message, size_t size)
{
  if (!h) return 0;
  return all_good(h, h->file && fsync(fileno(h->file)) ? errno : 0, message, size);
}

int history_close(history **h, char *message, size_t size)
{
  if (!*h) return 0;
  const int status = all_good(*h, (*h)->file && fclose((*h)->file) ? errno : 0, message, size);
  (*h)->file = NULL;
  discard(h);
  return status;
}
