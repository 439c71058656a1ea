/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/results/report_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/files/file_new.h"
#include "app/files/run_folder.h"
#include "mesh/comm/exit_status.h"

/* Tests for JSON as report.c writes it, or an empty file, as mktemp leaves it. */
static bool is_report(FILE *file)
{
  char head[4096];
  const size_t n = fread(head, 1, sizeof head - 1, file);
  head[n] = '\0';
  const char *first = head + strspn(head, " \t\r\n");
  return n == 0 || (*first == '{' && strstr(first, "\"status\"") && strstr(first, "\"version\""));
}

/* A regular file that is there is overwritten only where it is a report. */
static bool may_be_replaced(const char *path)
{
  struct stat is;
  if (stat(path, &is) || !S_ISREG(is.st_mode)) return true;
  FILE *file = file_open(path, true);
  const bool ours = file && is_report(file);
  if (file) fclose(file);
  return ours;
}

/* Steps over slashes and names that are "."; returns the length of the name behind them, 0 at the end. */
static size_t next_name(const char **path)
{
  size_t n;
  do {
    *path += strspn(*path, "/");
    n = strcspn(*path, "/");
    if (n != 1 || **path != '.') return n;
    *path += n;
  } while (true);
}

/* Tests whether two names of folders that are not there yet mean the same one. */
static bool are_alike(const char *a, const char *b)
{
  if ((*a == '/') != (*b == '/')) return false;
  size_t n = next_name(&a);
  while (n > 0 && n == next_name(&b) && strncmp(a, b, n) == 0) {
    a += n, b += n;
    n = next_name(&a);
  }
  return n == 0 && next_name(&b) == 0;
}

static bool is_in_folder(const char *path, const char *slash, const char *directory)
{
  char folder[FILE_REPLACE_PATH];
  struct stat a, b;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  if (slash == path) strcpy(folder, "/");
  if (stat(folder, &a) == 0 && stat(directory, &b) == 0) return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  return are_alike(folder, directory);
}

static int say(int reason, const char *path, char *message, size_t size)
{
  if (reason) snprintf(message, size, "%s: can't write the report: %s", path, file_explain(reason));
  return reason ? STATUS_MACHINE : STATUS_OK;
}

static int refuse(const char *path, const char *why, char *message, size_t size)
{
  snprintf(message, size, "%s: can't write the report: %s", path, why);
  return STATUS_INPUT;
}

int report_check(const char *path, const char *directory, char *message, size_t size)
{
  file_replace f;
  struct stat is;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const bool inside = is_in_folder(path, slash, directory);
  if (inside && run_folder_uses(name))
    return refuse(path, "a file of the run itself has this name; name another one", message, size);
  if (!may_be_replaced(path))
    return refuse(path, "another file is there, which is no report, and is not overwritten", message, size);
  if (stat(path, &is) == 0 && S_ISFIFO(is.st_mode)) // who reads it would take the end of this for that of the report
    return say(access(path, W_OK) ? errno : 0, path, message, size);
  int reason = !inside || file_make_folders(directory) ? 0 : errno;
  if (!reason) reason = file_replace_begin_named(&f, path);
  if (!reason) file_replace_cancel(&f);
  return say(reason, path, message, size);
}

/* NULL with errno set: nobody read it for a minute. */
static FILE *open_pipe(const char *path)
{
  enum { TRIES = 600 };
  int descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  for (int i = 0; descriptor < 0 && errno == ENXIO && i < TRIES; i++) {
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  }
  if (descriptor < 0) return NULL;
  fcntl(descriptor, F_SETFL, 0); // from here on it waits
  FILE *file = fdopen(descriptor, "w");
  if (!file) close(descriptor);
  return file;
}

int report_begin(file_replace *f, const char *path, char *message, size_t size)
{
  struct stat is;
  if (!may_be_replaced(path))
    return refuse(path, "another file is there, which is no report, and is not overwritten", message, size);
  if (stat(path, &is) || !S_ISFIFO(is.st_mode)) return say(file_replace_begin_named(f, path), path, message, size);
  f->part[0] = '\0';
  errno = 0;
  f->file = open_pipe(path);
  if (!f->file && errno == ENXIO) return refuse(path, "nobody reads the pipe", message, size);
  return say(f->file ? 0 : errno ? errno : EIO, path, message, size);
}
