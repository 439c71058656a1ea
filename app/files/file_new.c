/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/files/file_new.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void file_draw_tag(char tag[FILE_TAG])
{
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    bits = (uint64_t)getpid() << 40 ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec;
  }
  snprintf(tag, FILE_TAG, "%016" PRIx64, bits);
}

int file_temporary(char *name, size_t size, const char *path, const char *tag)
{
  const int n = snprintf(name, size, "%s.%s.part", path, tag);
  return n > 0 && (size_t)n < size ? 0 : ENAMETOOLONG;
}

static bool ends_with(const char *name, size_t length, const char *end)
{
  const size_t n = strlen(end);
  return length > n && strncmp(name + length - n, end, n) == 0;
}

/* Takes ".<digits>" off the end of the first `length` bytes of a name: how many are left; 0: there is none. */
static size_t take_tag(const char *name, size_t length, const char *digits)
{
  size_t n = length;
  while (n > 0 && strchr(digits, name[n - 1])) n--;
  return n > 1 && n < length && name[n - 1] == '.' ? n - 1 : 0;
}

bool file_is_temporary(const char *name)
{
  static const char *const ends[] = {".h5", ".vtkhdf", ".series", ".csv", ".lock"};
  size_t n = strlen(name);
  if (ends_with(name, n, ".part")) {
    n = take_tag(name, n - strlen(".part"), "0123456789abcdef");
  } else {
    n = ends_with(name, n, ".tmp") ? n - strlen(".tmp") : 0;
  }
  for (size_t i = 0; n && i < sizeof ends / sizeof *ends; i++)
    if (ends_with(name, n, ends[i])) return true;
  return false;
}

const char *file_explain(int reason)
{
  switch (reason) {
  case FILE_IS_LINK: return "a link has this name; a run writes regular files of its own only";
  case FILE_IS_DEVICE: return "a device has this name; a run writes regular files of its own only";
  case FILE_IS_PIPE: return "a pipe has this name; a run writes regular files of its own only";
  case FILE_IS_SOCKET: return "a socket has this name; a run writes regular files of its own only";
  default: return strerror(reason);
  }
}

static int judge(const struct stat *is)
{
  if (S_ISREG(is->st_mode)) return 0;
  if (S_ISDIR(is->st_mode)) return EISDIR;
  if (S_ISLNK(is->st_mode)) return FILE_IS_LINK;
  if (S_ISFIFO(is->st_mode)) return FILE_IS_PIPE;
  return S_ISSOCK(is->st_mode) ? FILE_IS_SOCKET : FILE_IS_DEVICE;
}

int file_look(const char *path)
{
  struct stat is;
  if (lstat(path, &is) == 0) return judge(&is);
  return errno == ENOENT ? 0 : errno;
}

FILE *file_create(const char *path)
{
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) return NULL;
  FILE *file = fdopen(descriptor, "w");
  if (file) return file;
  const int reason = errno;
  close(descriptor);
  unlink(path);
  errno = reason;
  return NULL;
}

static FILE *open_regular(const char *path, int flags, const char *mode)
{
  struct stat is;
  const int descriptor = open(path, flags | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ELOOP && flags & O_NOFOLLOW) errno = FILE_IS_LINK;
    if (errno == ENXIO) errno = FILE_IS_PIPE; // which nobody reads
    return NULL;
  }
  int reason = fstat(descriptor, &is) ? errno : judge(&is);
  FILE *file = reason ? NULL : fdopen(descriptor, mode);
  if (file) return file;
  if (!reason) reason = errno;
  close(descriptor);
  errno = reason;
  return NULL;
}

FILE *file_open(const char *path, bool follow)
{
  return open_regular(path, O_RDONLY | (follow ? 0 : O_NOFOLLOW), "r");
}

FILE *file_append(const char *path)
{
  return open_regular(path, O_WRONLY | O_APPEND | O_NOFOLLOW, "a");
}
