/* SPDX-License-Identifier: BSD-3-Clause
 *
 * To be preloaded: a disk that fails.  Of the calls that write to files whose path holds FAIL_FOLDER (open, fopen,
 * write, pwrite, ftruncate, fflush, fsync, fclose, rename), the FAIL_AT-th of rank FAIL_RANK (0 by default) fails with
 * the errno FAIL_ERRNO, and with FAIL_ON all that follow, too.  The file FAIL_MARK is made when that happens.  With
 * FAIL_HANG it never returns.  With FAIL_KILL, which counts unlink, rmdir and mkdir, too, the process kills itself at
 * the call; with FAIL_KILL=half when half of what it was to write is written.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_my_rank(void)
{
  const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *wanted = getenv("FAIL_RANK");
  if (!rank) rank = getenv("PMI_RANK");
  return strcmp(rank ? rank : "0", wanted ? wanted : "0") == 0;
}

/* What is being written; at: -1 where the file is. */
static struct {
  int descriptor;
  const void *data;
  size_t bytes;
  off64_t at;
} writing;

static void die(const char *how)
{
  if (strcmp(how, "half") == 0 && writing.at < 0)
    syscall(SYS_write, writing.descriptor, writing.data, writing.bytes / 2);
  else if (strcmp(how, "half") == 0)
    syscall(SYS_pwrite64, writing.descriptor, writing.data, writing.bytes / 2, writing.at);
  kill(getpid(), SIGKILL);
}

/* Counts a call on `path`; is it one that fails? */
static bool fails(const char *path)
{
  static long calls;
  const char *folder = getenv("FAIL_FOLDER"), *at = getenv("FAIL_AT"), *mark = getenv("FAIL_MARK");
  if (!folder || !at || !path || !strstr(path, folder) || !is_my_rank()) return false;
  const long n = ++calls, wanted = atol(at);
  if (n < wanted || (n > wanted && !getenv("FAIL_ON"))) return false;
  if (mark) syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
  while (getenv("FAIL_HANG")) pause();
  if (getenv("FAIL_KILL")) die(getenv("FAIL_KILL"));
  errno = atoi(getenv("FAIL_ERRNO"));
  return true;
}

static bool fails_on(int descriptor)
{
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return false;
  path[n] = '\0';
  return fails(path);
}

static bool is_written(FILE *file)
{
  return file && (fcntl(fileno(file), F_GETFL) & O_ACCMODE) != O_RDONLY;
}

/* The function that this one hides. */
#define HIDDEN(type, name) ((type)dlsym(RTLD_NEXT, name))

typedef int open_function(const char *, int, ...);
typedef FILE *fopen_function(const char *, const char *);
typedef ssize_t write_function(int, const void *, size_t);
typedef ssize_t pwrite_function(int, const void *, size_t, off64_t);
typedef int truncate_function(int, off64_t);
typedef int descriptor_function(int);
typedef int file_function(FILE *);
typedef int rename_function(const char *, const char *);
typedef int path_function(const char *);
typedef int mkdir_function(const char *, mode_t);

static int open_as(const char *name, const char *path, int flags, va_list rest)
{
  const int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
  if ((flags & (O_CREAT | O_ACCMODE)) && fails(path)) return -1;
  return HIDDEN(open_function *, name)(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
  va_list rest;
  va_start(rest, flags);
  const int descriptor = open_as("open", path, flags, rest);
  va_end(rest);
  return descriptor;
}

int open64(const char *path, int flags, ...)
{
  va_list rest;
  va_start(rest, flags);
  const int descriptor = open_as("open64", path, flags, rest);
  va_end(rest);
  return descriptor;
}

FILE *fopen(const char *path, const char *mode)
{
  return strcmp(mode, "r") != 0 && strcmp(mode, "rb") != 0 && fails(path)
           ? NULL
           : HIDDEN(fopen_function *, "fopen")(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
  return fopen(path, mode);
}

/* A write, which may be cut in the middle. */
static bool write_fails(int descriptor, const void *data, size_t bytes, off64_t at)
{
  writing.descriptor = descriptor, writing.data = data, writing.bytes = bytes, writing.at = at;
  const bool fail = fails_on(descriptor);
  writing.bytes = 0;
  return fail;
}

ssize_t write(int descriptor, const void *data, size_t bytes)
{
  return write_fails(descriptor, data, bytes, -1) ? -1 : HIDDEN(write_function *, "write")(descriptor, data, bytes);
}

ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t at)
{
  return write_fails(descriptor, data, bytes, at) ? -1
                                                  : HIDDEN(pwrite_function *, "pwrite64")(descriptor, data, bytes, at);
}

ssize_t pwrite64(int descriptor, const void *data, size_t bytes, off64_t at)
{
  return write_fails(descriptor, data, bytes, at) ? -1
                                                  : HIDDEN(pwrite_function *, "pwrite64")(descriptor, data, bytes, at);
}

int ftruncate(int descriptor, off_t size)
{
  return fails_on(descriptor) ? -1 : HIDDEN(truncate_function *, "ftruncate64")(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size)
{
  return fails_on(descriptor) ? -1 : HIDDEN(truncate_function *, "ftruncate64")(descriptor, size);
}

int fsync(int descriptor)
{
  return fails_on(descriptor) ? -1 : HIDDEN(descriptor_function *, "fsync")(descriptor);
}

int fflush(FILE *file)
{
  const bool fail = is_written(file) && fails_on(fileno(file));
  const int reason = errno, status = HIDDEN(file_function *, "fflush")(file);
  if (fail) errno = reason;
  return fail ? EOF : status;
}

int fclose(FILE *file)
{
  const bool fail = is_written(file) && fails_on(fileno(file));
  const int reason = errno, status = HIDDEN(file_function *, "fclose")(file);
  if (fail) errno = reason;
  return fail ? EOF : status;
}

int rename(const char *from, const char *to)
{
  return fails(to) ? -1 : HIDDEN(rename_function *, "rename")(from, to);
}

/* Calls whose failure loses nothing: they count where the process is killed. */
static bool kills(const char *path)
{
  return getenv("FAIL_KILL") && fails(path);
}

int unlink(const char *path)
{
  return kills(path) ? -1 : HIDDEN(path_function *, "unlink")(path);
}

int rmdir(const char *path)
{
  return kills(path) ? -1 : HIDDEN(path_function *, "rmdir")(path);
}

int mkdir(const char *path, mode_t mode)
{
  return kills(path) ? -1 : HIDDEN(mkdir_function *, "mkdir")(path, mode);
}
