/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run_claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/files/checksum.h"
#include "app/files/csv_file.h"
#include "app/machine/collective_status.h"

static bool wants_files(const deck *d)
{
  return d->output.fields_every > 0 || d->output.history_every > 0 || d->output.checkpoint_every > 0 ||
         d->output.checkpoint_seconds > 0.0 || d->time.wall_limit > 0.0;
}

/* ------------------------------------------------------------------ rank 0's part */

/* A number of the resolved deck; 0 when memory is out. */
static uint64_t number_of(const deck *d)
{
  char *text = deck_text(d);
  const uint64_t number = text ? checksum_add(0, text, strlen(text)) : 0;
  free(text);
  return number;
}

/* Tests whether the file is in this folder. */
static bool is_in(const char *path, const char *directory)
{
  char folder[CHECKPOINT_PATH];
  struct stat a, b;
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = '\0';
  else
    strcpy(folder, ".");
  return stat(folder, &a) == 0 && stat(directory, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool knows(const char *directory, const restart *from)
{
  char path[CHECKPOINT_PATH];
  snprintf(path, sizeof path, "%s/history.csv", directory);
  return csv_file_has(path, from->step, from->time);
}

/* A checkpoint's deck may say that its run took the place of another one; that is no word about what is there now. */
static run_folder_use use_of(const run_claim *c, const deck *d)
{
  if (c->from) return c->goes_on ? RUN_FOLDER_GOES_ON : RUN_FOLDER_SET_ASIDE;
  return d->output.overwrite ? RUN_FOLDER_OVERWRITE : RUN_FOLDER_NEW;
}

static int claim(run_claim *c, const deck *d, const char *directory, char *message, size_t size)
{
  c->goes_on = c->from && (is_in(c->from->path, directory) || knows(directory, c->from));
  return run_folder_claim(&c->folder, directory, number_of(d), use_of(c, d), message, size);
}

static void say_cleared(const run_folder *f, int files)
{
  char where[32] = "taken away";
  if (f->aside) snprintf(where, sizeof where, "moved to old-%d", f->aside);
  fprintf(stderr, "shocklet: warning: %d file%s of an earlier run in %s %s %s\n", files, files > 1 ? "s" : "", f->path,
          files > 1 ? "were" : "was", where);
}

static int clear(run_claim *c, char *message, size_t size)
{
  int files;
  const int status = run_folder_clear(&c->folder, &files, message, size);
  if (!status && files > 0) say_cleared(&c->folder, files);
  if (!status && c->goes_on) checkpoint_shelf_take(&c->shelf, c->folder.path, c->from->step);
  return status;
}

/* The folder of the deck, or else the first free one of those beside it. */
static int claim_somewhere(run_claim *c, deck *d, char *message, size_t size)
{
  enum { MOST = 100 };
  char other[DECK_PATH], reason[1024];
  int status = claim(c, d, d->output.directory, message, size);
  snprintf(reason, sizeof reason, "%s", message);
  for (int i = 2; status && i < MOST; i++) {
    if (snprintf(other, sizeof other, "%s-%d", d->output.directory, i) >= (int)sizeof other) return status;
    status = claim(c, d, other, message, size);
    if (status) continue;
    fprintf(stderr, "shocklet: warning: %s; this run's checkpoint goes to %s\n", reason, other);
    snprintf(d->output.directory, sizeof d->output.directory, "%s", other);
  }
  if (status) snprintf(message, size, "%s", reason);
  return status ? status : clear(c, message, size);
}

/* ------------------------------------------------------------------ all ranks */

int run_claim_begin(run_claim *c, const deck *d, const restart *from, char *message, size_t size)
{
  *c = (run_claim){.from = from, .folder = {.descriptor = -1}};
  if (!wants_files(d)) return STATUS_OK;
  const int status =
    collective_status(comm_rank() == 0 ? claim(c, d, d->output.directory, message, size) : STATUS_OK, message, size);
  c->held = status == STATUS_OK;
  return status;
}

int run_claim_clear(run_claim *c, char *message, size_t size)
{
  if (!c->held) return STATUS_OK;
  return collective_status(comm_rank() == 0 ? clear(c, message, size) : STATUS_OK, message, size);
}

int run_claim_check(run_claim *c, deck *d, char *message, size_t size)
{
  int status = STATUS_OK;
  if (comm_rank() == 0 && !c->held) status = claim_somewhere(c, d, message, size);
  if (comm_rank() == 0 && c->held && !run_folder_is_held(&c->folder)) {
    snprintf(message, size, "'%s' was removed or replaced while the run wrote to that folder", c->folder.lock);
    status = STATUS_MACHINE;
  }
  status = collective_status(status, message, size);
  if (status || c->held) return status;
  comm_broadcast(d->output.directory, sizeof d->output.directory, 0);
  c->held = true;
  return STATUS_OK;
}

int64_t run_claim_due(const run_claim *c, int64_t every)
{
  return c->goes_on && every > 0 ? c->from->step - c->from->step % every : -1;
}

void run_claim_destroy(run_claim *c, bool ended)
{
  if (comm_rank() == 0 && c->held) run_folder_release(&c->folder, ended);
  checkpoint_shelf_destroy(&c->shelf);
  c->held = false;
}
