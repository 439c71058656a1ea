/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run_files.h"

#include <stdlib.h>
#include <string.h>

#include "app/files/checksum.h"
#include "app/machine/collective_status.h"
#include "app/results/fault.h"
#include "app/results/fields.h"
#include "app/version.h"

enum { MESSAGE = 1024 };

/* The same for the same run: what two runs that write to one folder don't share. */
static int64_t number_of(const run_files *f, const hydro *h)
{
  const int ranks = comm_size(), backend = h->gpu.number >= 0;
  uint64_t sum = checksum_add(0, f->deck_text, strlen(f->deck_text));
  sum = checksum_add(sum, app_version, strlen(app_version));
  sum = checksum_add(sum, app_git, strlen(app_git));
  sum = checksum_add(sum, &h->mesh_checksum, sizeof h->mesh_checksum);
  sum = checksum_add(sum, &ranks, sizeof ranks);
  return (int64_t)checksum_add(sum, &backend, sizeof backend);
}

/* Fills in the provenance of every file.  Collective. */
static int tell_origin(run_files *f, const hydro *h, char *message, size_t size)
{
  free(f->deck_text);
  f->deck_text = deck_text(h->deck);
  snprintf(message, size, "out of memory for the text of the deck");
  const int status = collective_status(f->deck_text ? STATUS_OK : STATUS_MACHINE, message, size);
  if (status) return status;
  f->origin = (output_run){.deck = f->deck_text, .version = app_version, .git = app_git, .number = number_of(f, h)};
  return STATUS_OK;
}

/* The rows that are to be kept.  One that only the last step of a run has is none of a run that has more steps. */
static csv_rows kept_rows(const run_files *f, const hydro *h)
{
  const restart *from = f->claim.from;
  if (!from) return (csv_rows){-1, -1};
  const int64_t every = from->then.output.history_every;
  const bool regular = h->last || every == 0 || h->steps % every == 0;
  return (csv_rows){.last = regular ? h->steps : h->steps - 1, .due = run_claim_due(&f->claim, every)};
}

static int open_tables(run_files *f, hydro *h, char *message, size_t size)
{
  const restart *from = f->claim.from;
  csv_rows rows = kept_rows(f, h);
  if (h->deck->output.history_every == 0) return 0;
  const int status = history_open(&f->history, h, rows, message, size);
  if (status || h->deck->output.probes.count == 0) return status;
  if (from && from->then.output.probes.count == 0) rows.due = -1;
  return probes_open(&f->probes, h, rows, message, size);
}

int run_files_claim(run_files *f, const deck *d, const restart *from, char *message, size_t size)
{
  return run_claim_begin(&f->claim, d, from, message, size);
}

int run_files_open(run_files *f, hydro *h, char *message, size_t size)
{
  const deck *d = h->deck;
  int status = tell_origin(f, h, message, size);
  if (!status) status = run_claim_clear(&f->claim, message, size);
  if (!status && d->output.fields_every > 0)
    status = output_create(&f->fields, d->output.directory, d->problem.row->name, &f->origin,
                           f->claim.from ? h->steps + 1 : 0, message, size);
  return status ? status : open_tables(f, h, message, size);
}

/* Before a file is written.  Collective. */
static int check_folder(run_files *f, hydro *h, char *message, size_t size)
{
  const bool held = f->claim.held;
  const int status = run_claim_check(&f->claim, h->deck, message, size);
  return status || held ? status : tell_origin(f, h, message, size); // of a folder that it had not claimed before
}

int run_files_write_fields(run_files *f, hydro *h, char *message, size_t size)
{
  if (!f->fields) return 0;
  const double start = batched_seconds();
  pulse_beat(h->pulse, PULSE_FIELDS, h->steps);
  int status = check_folder(f, h, message, size);
  if (!status) status = fields_write(h, f->fields, message, size);
  f->seconds += batched_seconds() - start;
  return status;
}

static int add_rows(run_files *f, hydro *h, char *message, size_t size)
{
  if (!f->history) return 0;
  const double start = batched_seconds();
  pulse_beat(h->pulse, PULSE_TABLES, h->steps);
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
  const int status = add_rows(f, h, message, size);
  return status || every <= 0 || h->steps % every == 0 ? status : run_files_write_fields(f, h, message, size);
}

int run_files_save(run_files *f, hydro *h, char *message, size_t size)
{
  const double start = batched_seconds();
  pulse_beat(h->pulse, PULSE_TABLES, h->steps);
  int status = history_sync(f->history, message, size);
  if (!status) status = probes_sync(f->probes, message, size);
  if (!status) status = check_folder(f, h, message, size);
  if (!status) status = checkpoint_write(h, &f->origin, &f->claim.shelf, f->saved, message, size);
  f->seconds += batched_seconds() - start;
  return status;
}

int run_files_dump(run_files *f, hydro *h, char *message, size_t size)
{
  const int status = check_folder(f, h, message, size);
  return status ? status : fault_dump(h, &f->origin, message, size);
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
  const double start = batched_seconds();
  status = close_tables(f, message, size);
  if (!status) status = write_profile(f, h, message, size);
  f->seconds += batched_seconds() - start;
  return status;
}

void run_files_destroy(run_files *f, bool ended)
{
  char ignored[MESSAGE];
  close_tables(f, ignored, sizeof ignored); // open still where the run did not begin
  output_destroy(&f->fields);
  free(f->deck_text);
  run_claim_destroy(&f->claim, ended);
}
