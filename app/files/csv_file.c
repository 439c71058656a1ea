/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/files/csv_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "app/machine/collective_status.h"
#include "app/files/file_replace.h"
#include "mesh/comm/comm.h"

enum { LONGEST_ROW = 512 };

/* Copies the rows of the steps up to `last` from the file that an earlier run left, if there is one.  Left out are its
 * head, the rows after the checkpoint, and a row that was cut off when the run was killed.  Returns errno. */
static int copy_rows(const char *path, FILE *to, int64_t last)
{
  char row[LONGEST_ROW];
  int64_t step;
  FILE *from = fopen(path, "r");
  if (!from) return errno == ENOENT ? 0 : errno;
  while (fgets(row, sizeof row, from)) {
    if (strchr(row, '\n') && sscanf(row, "%" SCNd64 ",", &step) == 1 && step <= last) fputs(row, to);
  }
  const int reason = ferror(from) ? errno : 0;
  fclose(from);
  return reason;
}

/* Rank 0's part: a new file, with what is left of the old one, that rows are added to.  Returns errno. */
static int make_file(csv_file *f, const char *directory, const char *head, int64_t last)
{
  file_replace made;
  if (!file_make_folders(directory)) return errno;
  int reason = file_replace_begin(&made, f->path);
  if (reason) return reason;
  fputs(head, made.file);
  if (last >= 0) reason = copy_rows(f->path, made.file, last);
  if (reason)
    file_replace_cancel(&made);
  else
    reason = file_replace_commit(&made);
  if (reason) return reason;
  f->file = fopen(f->path, "a");
  return f->file ? 0 : errno;
}

/* Gives all ranks rank 0's failure. */
static int all_good(const csv_file *f, int reason, char *message, size_t size)
{
  if (reason) snprintf(message, size, "cannot write '%s': %s", f->path, strerror(reason));
  return collective_status(reason ? STATUS_MACHINE : STATUS_OK, message, size);
}

int csv_file_open(csv_file *f, const char *directory, const char *name, const char *head, int64_t last, char *message,
                  size_t size)
{
  f->file = NULL;
  snprintf(f->path, sizeof f->path, "%s/%s", directory, name);
  return all_good(f, comm_rank() == 0 ? make_file(f, directory, head, last) : 0, message, size);
}

static int flush(FILE *file)
{
  errno = 0;
  return fflush(file) || ferror(file) ? (errno ? errno : EIO) : 0;
}

int csv_file_flush(csv_file *f, char *message, size_t size)
{
  return all_good(f, f->file ? flush(f->file) : 0, message, size);
}

int csv_file_sync(csv_file *f, char *message, size_t size)
{
  return all_good(f, f->file && fsync(fileno(f->file)) ? errno : 0, message, size);
}

int csv_file_close(csv_file *f, char *message, size_t size)
{
  const int status = all_good(f, f->file && fclose(f->file) ? errno : 0, message, size);
  f->file = NULL;
  return status;
}
