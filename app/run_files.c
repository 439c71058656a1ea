/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run_files.h"

#include <stdlib.h>

#include "app/machine/collective_status.h"
#include "app/results/fields.h"
#include "app/version.h"

enum { MESSAGE = 1024 };

/* The resolved deck as text; NULL when memory is out. */
static char *text_of(const deck *d)
{
  char *text = NULL;
  size_t size;
  FILE *memory = open_memstream(&text, &size);
  if (!memory) return NULL;
  deck_print(d, memory);
  const bool whole = !ferror(memory);
  if (fclose(memory) == 0 && whole) return text;
  free(text);
  return NULL;
}

static int open_tables(run_files *f, hydro *h, bool goes_on, char *message, size_t size)
{
  if (h->deck->output.history_every == 0) return 0;
  int status = history_open(&f->history, h, goes_on, message, size);
  if (status || h->deck->output.probes.count == 0) return status;
  return probes_open(&f->probes, h, goes_on, message, size);
}

int run_files_open(run_files *f, hydro *h, bool goes_on, char *message, size_t size)
{
  const deck *d = h->deck;
  f->deck_text = text_of(d);
  f->origin = (output_run){.deck = f->deck_text, .version = app_version, .git = app_git};
  snprintf(message, size, "out of memory for the text of the deck");
  int status = collective_status(f->deck_text ? STATUS_OK : STATUS_MACHINE, message, size);
  if (!status && d->output.fields_every > 0)
    status = output_create(&f->fields, d->output.directory, d->problem.row->name, &f->origin,
                           goes_on ? h->steps + 1 : 0, message, size);
  return status ? status : open_tables(f, h, goes_on, message, size);
}

int run_files_write_fields(run_files *f, hydro *h, char *message, size_t size)
{
  if (!f->fields) return 0;
  const double start = batched_seconds();
  const int status = fields_write(h, f->fields, message, size);
  f->seconds += batched_seconds() - start;
  return status;
}

static int add_rows(run_files *f, hydro *h, char *message, size_t size)
{
  if (!f->history) return 0;
  const double start = batched_seconds();
  int status = history_add(f->history, h, message, size);
  if (!status && f->probes) status = probes_add(f->probes, h, message, size);
  f->seconds += batched_seconds() - start;
  return status;
}

int run_files_add(run_files *f, hydro *h, char *message, size_t size)
{
  const int64_t every = h->deck->output.fields_every;
  const int status = add_rows(f, h, message, size);
  const bool fields = every > 0 && (h->last || h->steps % every == 0);
  return status || !fields ? status : run_files_write_fields(f, h, message, size);
}

int run_files_add_last(run_files *f, hydro *h, char *message, size_t size)
{
  const int64_t every = h->deck->output.fields_every;
  int status = f->history ? history_add_last(f->history, h, message, size) : 0;
  if (!status && f->probes && h->steps % h->deck->output.history_every != 0)
    status = probes_add(f->probes, h, message, size); // the run is at its end: there is a row
  return status || every <= 0 || h->steps % every == 0 ? status : run_files_write_fields(f, h, message, size);
}

int run_files_save(run_files *f, hydro *h, double energy_initial, char *message, size_t size)
{
  const double start = batched_seconds();
  int status = history_sync(f->history, message, size);
  if (!status) status = probes_sync(f->probes, message, size);
  if (!status) status = checkpoint_write(h, &f->origin, energy_initial, f->saved, message, size);
  f->seconds += batched_seconds() - start;
  return status;
}

static int close_tables(run_files *f, char *message, size_t size)
{
  const int status = history_close(&f->history, message, size);
  if (!status) return probes_close(&f->probes, message, size);
  char second[MESSAGE]; // the first failure is told of
  probes_close(&f->probes, second, sizeof second);
  return status;
}

static int write_profile(run_files *f, hydro *h, char *message, size_t size)
{
  char path[DECK_PATH + 16];
  if (!f->fields) return 0;
  snprintf(path, sizeof path, "%s/profile.csv", h->deck->output.directory);
  return fields_write_profile(h, path, message, size);
}

int run_files_finish(run_files *f, hydro *h, int status, char *message, size_t size)
{
  char ignored[MESSAGE];
  if (status) {
    close_tables(f, ignored, sizeof ignored);
    return status;
  }
  status = close_tables(f, message, size);
  return status ? status : write_profile(f, h, message, size);
}

void run_files_destroy(run_files *f)
{
  char ignored[MESSAGE];
  close_tables(f, ignored, sizeof ignored); // open still where the run did not begin
  output_destroy(&f->fields);
  free(f->deck_text);
}
