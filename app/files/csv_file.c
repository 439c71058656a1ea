/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/files/csv_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/files/file_new.h"
#include "app/files/file_replace.h"
#include "app/machine/collective_status.h"
#include "mesh/comm/comm.h"

enum { LONGEST_ROW = 512 };

/* Copies the rows of the steps up to `last` from the file that an earlier run left, if there is one.  Left out are its
 * head, the rows after the checkpoint, and a row that was cut off when the run was killed.  *end: the last step that
 * was copied.  Returns errno, or another reason that file_explain knows. */
static int copy_rows(const char *path, FILE *to, int64_t last, int64_t *end)
{
  char row[LONGEST_ROW];
  int64_t step;
  FILE *from = file_open(path, false);
  if (!from) return errno == ENOENT ? 0 : errno;
  while (fgets(row, sizeof row, from)) {
    if (!strchr(row, '\n') || sscanf(row, "%" SCNd64 ",", &step) != 1 || step > last) continue;
    fputs(row, to);
    *end = step;
  }
  const int reason = ferror(from) ? errno : 0;
  fclose(from);
  return reason;
}

static void warn_of_gap(const csv_file *f, csv_rows rows)
{
  char text[64] = "has no rows";
  if (f->last >= rows.due) return;
  if (f->last >= 0) snprintf(text, sizeof text, "ends with step %" PRId64, f->last);
  fprintf(stderr, "shocklet: warning: %s %s, but rows up to step %" PRId64 " were written: the others are lost\n",
          f->path, text, rows.due);
}

/* Rank 0's part: a new file, with what is left of the old one, that rows are added to.  Returns a reason. */
static int make_file(csv_file *f, const char *directory, const char *head, csv_rows rows)
{
  file_replace made;
  if (!file_make_folders(directory)) return errno;
  int reason = file_replace_begin(&made, f->path);
  if (reason) return reason;
  fputs(head, made.file);
  if (rows.last >= 0) reason = copy_rows(f->path, made.file, rows.last, &f->last);
  if (reason)
    file_replace_cancel(&made);
  else
    reason = file_replace_commit_open(&made);
  if (reason) return reason;
  f->file = made.file;
  f->looked = batched_seconds();
  warn_of_gap(f, rows);
  return 0;
}

/* Tests whether the file still has its name; else somebody has removed it, or its folder, and what is written is
 * lost. */
static bool is_there(csv_file *f)
{
  struct stat open, named;
  f->looked = batched_seconds();
  return fstat(fileno(f->file), &open) == 0 && lstat(f->path, &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

enum { LOST = -1 }; // a reason of our own: see is_there

/* Passes rank 0's failure on to all ranks. */
static int all_good(const csv_file *f, int reason, char *message, size_t size)
{
  if (reason == LOST)
    snprintf(message, size, "'%s' was removed or replaced while the run wrote it", f->path);
  else if (reason)
    snprintf(message, size, "cannot write '%s': %s", f->path, file_explain(reason));
  return collective_status(reason ? STATUS_MACHINE : STATUS_OK, message, size);
}

int csv_file_open(csv_file *f, const char *directory, const char *name, const char *head, csv_rows rows, char *message,
                  size_t size)
{
  f->file = NULL;
  f->last = -1;
  snprintf(f->path, sizeof f->path, "%s/%s", directory, name);
  return all_good(f, comm_rank() == 0 ? make_file(f, directory, head, rows) : 0, message, size);
}

bool csv_file_has(const char *path, int64_t step, double time)
{
  char row[LONGEST_ROW];
  int64_t its_step;
  double its_time;
  bool found = false;
  FILE *from = file_open(path, false);
  while (from && !found && fgets(row, sizeof row, from))
    found = sscanf(row, "%" SCNd64 ",%lf,", &its_step, &its_time) == 2 && its_step == step && its_time == time;
  if (from) fclose(from);
  return found;
}

bool csv_file_begin_rows(csv_file *f, int64_t step)
{
  const bool wanted = f->file && f->last < step;
  if (wanted) f->last = step;
  return wanted;
}

static int flush(FILE *file)
{
  errno = 0;
  return fflush(file) || ferror(file) ? (errno ? errno : EIO) : 0;
}

int csv_file_flush(csv_file *f, char *message, size_t size)
{
  int reason = f->file ? flush(f->file) : 0;
  if (f->file && !reason && batched_seconds() - f->looked > 1.0 && !is_there(f)) reason = LOST;
  return all_good(f, reason, message, size);
}

static int sync_rows(csv_file *f)
{
  if (fsync(fileno(f->file))) return errno;
  return is_there(f) ? 0 : LOST;
}

int csv_file_sync(csv_file *f, char *message, size_t size)
{
  return all_good(f, f->file ? sync_rows(f) : 0, message, size);
}

static int close_file(csv_file *f)
{
  const bool there = is_there(f);
  if (fclose(f->file)) return errno;
  return there ? 0 : LOST;
}

int csv_file_close(csv_file *f, char *message, size_t size)
{
  const int status = all_good(f, f->file ? close_file(f) : 0, message, size);
  f->file = NULL;
  return status;
}
