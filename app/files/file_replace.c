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

#include "app/files/file_new.h"

_Static_assert(FILE_REPLACE_PATH >= PATH_MAX, "realpath needs PATH_MAX bytes");

static int make_part(file_replace *f)
{
  char tag[FILE_TAG];
  file_draw_tag(tag);
  const int reason = file_temporary(f->part, sizeof f->part, f->path, tag);
  if (reason) return reason;
  f->file = file_create(f->part);
  return f->file ? 0 : errno;
}

int file_replace_begin(file_replace *f, const char *path)
{
  f->part[0] = '\0';
  if (!*path) return ENOENT;
  if (strlen(path) + 32 >= sizeof f->path) return ENAMETOOLONG;
  const int reason = file_look(path);
  if (reason) return reason;
  strcpy(f->path, path);
  return make_part(f);
}

/* Makes f->path the file itself, where `path` is a link to it.  *special: it is a device or a pipe. */
static int find_target(file_replace *f, const char *path, bool *special)
{
  struct stat status;
  f->part[0] = '\0';
  if (!*path) return ENOENT;
  if (strlen(path) + 32 >= sizeof f->path) return ENAMETOOLONG;
  const bool exists = stat(path, &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return EISDIR;
  if (!exists || !realpath(path, f->path)) strcpy(f->path, path);
  *special = exists && !S_ISREG(status.st_mode);
  return 0;
}

int file_replace_begin_named(file_replace *f, const char *path)
{
  bool special;
  const int reason = find_target(f, path, &special);
  if (reason) return reason;
  if (!special) return make_part(f);
  errno = 0;
  f->file = fopen(f->path, "w");
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
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

/* Gives the part its name, or takes it away after a failure. */
static int finish(file_replace *f, int reason)
{
  if (!f->part[0]) return reason;
  if (!reason) reason = file_look(f->path);
  if (!reason) reason = failure(rename(f->part, f->path), 0);
  if (reason) unlink(f->part);
  return reason ? reason : sync_folder(f->path);
}

int file_replace_commit_open(file_replace *f)
{
  int reason = why_earlier_failed(f->file);
  errno = 0;
  reason = failure(fflush(f->file), reason);
  if (f->part[0]) reason = failure(fsync(fileno(f->file)), reason);
  reason = finish(f, reason);
  if (!reason) return 0;
  fclose(f->file);
  f->file = NULL;
  return reason;
}

int file_replace_commit(file_replace *f)
{
  int reason = why_earlier_failed(f->file);
  errno = 0;
  reason = failure(fflush(f->file), reason);
  if (f->part[0]) reason = failure(fsync(fileno(f->file)), reason);
  reason = failure(fclose(f->file), reason);
  f->file = NULL;
  return finish(f, reason);
}

void file_replace_cancel(file_replace *f)
{
  if (f->file) fclose(f->file);
  f->file = NULL;
  if (f->part[0]) unlink(f->part);
}

static int sync_file(const char *path)
{
  const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int reason = fsync(descriptor) ? errno : 0;
  if (close(descriptor) && !reason) reason = errno;
  return reason;
}

int file_publish(const char *temporary, const char *path)
{
  int reason = file_look(path);
  if (!reason) reason = sync_file(temporary);
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
