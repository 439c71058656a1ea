/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/results/history.h"
#include "app/results/measure.h"

#include <inttypes.h>
#include <stdlib.h>

#include "app/machine/collective_status.h"
#include "app/files/csv_file.h"

typedef struct counters {
  int64_t attempts, velocity, energy;
} counters;

struct history {
  csv_file file;
  counters before, earlier; // at the last step, and at the one before
  double dt;                // of the last step
};

static const char head[] = "step,time,dt,internal,kinetic,total,attempts,velocity,energy\n";

static counters count(const hydro *run)
{
  return (counters){run->attempts, run->velocity_mass->iterations, run->energy_mass->iterations};
}

static void write_row(const history *h, const hydro *run, double dt, double internal, double kinetic, counters then,
                      counters now)
{
  fprintf(h->file.file, "%" PRId64 ",%.17g,%.17g,%.17g,%.17g,%.17g,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", run->steps,
          run->time, dt, internal, kinetic, internal + kinetic, now.attempts - then.attempts,
          now.velocity - then.velocity, now.energy - then.energy);
}

static void discard(history **h)
{
  if (*h && (*h)->file.file) fclose((*h)->file.file);
  free(*h);
  *h = NULL;
}

int history_open(history **out, hydro *run, bool goes_on, int64_t due, char *message, size_t size)
{
  history *h = *out = calloc(1, sizeof *h);
  snprintf(message, size, "out of memory for the history of the run");
  int status = collective_status(h ? STATUS_OK : STATUS_MACHINE, message, size);
  if (status) {
    discard(out);
    return status;
  }
  h->before = count(run);
  const csv_rows rows = {.last = goes_on ? run->steps : -1, .due = due};
  status = csv_file_open(&h->file, run->deck->output.directory, "history.csv", head, rows, message, size);
  if (!status && !goes_on) status = history_add(h, run, message, size);
  if (status) discard(out);
  return status;
}

int history_add(history *h, hydro *run, char *message, size_t size)
{
  double internal, kinetic;
  int status = 0;
  if (run->steps % run->deck->output.history_every == 0 || run->last) {
    hydro_energies(run, &internal, &kinetic);
    if (h->file.file) write_row(h, run, run->dt_taken, internal, kinetic, h->before, count(run));
    status = csv_file_flush(&h->file, message, size);
  }
  h->earlier = h->before;
  h->before = count(run);
  h->dt = run->dt_taken;
  return status;
}

int history_add_last(history *h, hydro *run, char *message, size_t size)
{
  double internal, kinetic;
  if (run->steps % run->deck->output.history_every == 0) return 0;
  hydro_energies(run, &internal, &kinetic);
  if (h->file.file) write_row(h, run, h->dt, internal, kinetic, h->earlier, h->before);
  return csv_file_flush(&h->file, message, size);
}

int history_sync(history *h, char *message, size_t size)
{
  return h ? csv_file_sync(&h->file, message, size) : 0;
}

int history_close(history **h, char *message, size_t size)
{
  if (!*h) return 0;
  const int status = csv_file_close(&(*h)->file, message, size);
  discard(h);
  return status;
}
