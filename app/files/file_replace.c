/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Write beside, sync, rename, sync the folder.
 */
#include "app/files/file_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(FILE_REPLACE_PATH >= PATH_MAX, "realpath needs PATH_MAX bytes");

/* A link is followed, so that what it points to is replaced and not the link. */
static int find_target(file_replace *f, const char *path)
{
  struct stat status;
  f->part[0] = '\0';
  if (!*path) return ENOENT;
  if (strlen(path) + 32 >= sizeof f->path) return ENAMETOOLONG;
  bool exists = stat(path, &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return EISDIR;
  if (!exists || !realpath(path, f->path)) strcpy(f->path, path);
  if (exists && !S_ISREG(status.st_mode)) return 0;
  int n = snprintf(f->part, sizeof f->part, "%s.%ld.part", f->path, (long)getpid());
  return n < (int)sizeof f->part ? 0 : ENAMETOOLONG;
}

int file_replace_begin(file_replace *f, const char *path)
{
  int reason = find_target(f, path);
  if (reason) return reason;
  errno = 0;
  f->file = fopen(f->part[0] ? f->part : f->path, "w");
  return f->file ? 0 : errno ? errno : EIO;
}

static int sync_folder(const char *path)
{
  char folder[FILE_REPLACE_PATH];
  strcpy(folder, path);
  char *end = strrchr(folder, '/');
  if (end)
    end[end == folder ? 1 : 0] = '\0';
  else
    strcpy(folder, ".");
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return 0; /* a folder that may be written to but not read */
  int reason = fsync(descriptor) && errno != EINVAL && errno != ENOTSUP ? errno : 0;
  close(descriptor);
  return reason;
}

static int failure(int status, int reason)
{
  return reason ? reason : status ? (errno ? errno : EIO) : 0;
}

/* A stream remembers that a write failed, not why: a disk that was full then says so again. */
static int why_earlier_failed(FILE *file)
{
  if (!ferror(file)) return 0;
  errno = 0;
  fputc('\n', file);
  return failure(fflush(file) || ferror(file), 0);
}

int file_replace_commit(file_replace *f)
{
  int reason = why_earlier_failed(f->file);
  errno = 0;
  reason = failure(fflush(f->file), reason);
  if (f->part[0]) reason = failure(fsync(fileno(f->file)), reason);
  reason = failure(fclose(f->file), reason);
  f->file = NULL;
  if (!f->part[0]) return reason;
  if (!reason) reason = failure(rename(f->part, f->path), 0);
  if (reason) unlink(f->part);
  return reason ? reason : sync_folder(f->path);
}

void file_replace_cancel(file_replace *f)
{
  if (f->file) fclose(f->file);
  f->file = NULL;
  if (f->part[0]) unlink(f->part);
}

static int sync_file(const char *path)
{
  const int descriptor = open(path, O_RDONLY);
  if (descriptor < 0) return errno;
  int reason = fsync(descriptor) ? errno : 0;
  if (close(descriptor) && !reason) reason = errno;
  return reason;
}

int file_publish(const char *temporary, const char *path)
{
  int reason = sync_file(temporary);
  if (!reason && rename(temporary, path)) reason = errno;
  if (!reason) reason = sync_folder(path);
  errno = reason;
  return reason;
}

bool file_make_folders(const char *path)
{
  char part[FILE_REPLACE_PATH];
  struct stat is;
  snprintf(part, sizeof part, "%s", path);
  for (char *slash = part + 1; (slash = strchr(slash, '/')); ++slash) {
    *slash = '\0';
    if (mkdir(part, 0777) && errno != EEXIST) return false;
    *slash = '/';
  }
  if (mkdir(part, 0777) && errno != EEXIST) return false;
  if (stat(part, &is)) return false;
  errno = ENOTDIR;
  return S_ISDIR(is.st_mode);
}
