/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/results/history.h"
#include "app/results/measure.h"

#include <inttypes.h>
#include <stdlib.h>

#include "app/machine/collective_status.h"

struct history {
  csv_file file;
};

static const char head[] = "step,time,dt,internal,kinetic,total,attempts,velocity,energy\n";

static void write_row(csv_file *f, const hydro *run, double internal, double kinetic)
{
  const hydro_effort *took = &run->effort;
  if (!csv_file_begin_rows(f, run->steps)) return;
  fprintf(f->file, "%" PRId64 ",%.17g,%.17g,%.17g,%.17g,%.17g,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", run->steps,
          run->time, took->dt, internal, kinetic, internal + kinetic, took->attempts, took->velocity_iterations,
          took->energy_iterations);
}

static void discard(history **h)
{
  if (*h && (*h)->file.file) fclose((*h)->file.file);
  free(*h);
  *h = NULL;
}

int history_open(history **out, hydro *run, csv_rows rows, char *message, size_t size)
{
  history *h = *out = calloc(1, sizeof *h);
  snprintf(message, size, "out of memory for the history of the run");
  int status = collective_status(h ? STATUS_OK : STATUS_MACHINE, message, size);
  if (!status) status = csv_file_open(&h->file, run->deck->output.directory, "history.csv", head, rows, message, size);
  if (!status && rows.last < 0) status = history_add(h, run, message, size);
  if (status) discard(out);
  return status;
}

int history_add(history *h, hydro *run, char *message, size_t size)
{
  double internal, kinetic;
  if (run->steps % run->deck->output.history_every != 0 && !run->last) return 0;
  hydro_energies(run, &internal, &kinetic);
  write_row(&h->file, run, internal, kinetic);
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
