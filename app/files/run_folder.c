/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/files/run_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/files/file_new.h"
#include "app/files/file_replace.h"

enum { HOST = 64, LINE = HOST + 64, PATH = DECK_PATH + NAME_MAX + 2 };

/* ------------------------------------------------------------------ files of a run */

static bool ends_with(const char *name, const char *end)
{
  const size_t n = strlen(name), m = strlen(end);
  return n > m && strcmp(name + n - m, end) == 0;
}

/* As NAME_000010.vtkhdf and NAME_000010.0001.vtkhdf. */
static bool is_field_file(const char *name)
{
  if (ends_with(name, ".vtkhdf.series")) return true;
  const char *mark = strrchr(name, '_');
  if (!mark || !isdigit((unsigned char)mark[1]) || !ends_with(name, ".vtkhdf")) return false;
  const char *end = mark + 1 + strspn(mark + 1, "0123456789.");
  return strcmp(end, "vtkhdf") == 0;
}

/* The step in the name of a file of a state, which begins like this; -1 for other names. */
static long long step_of(const char *name, const char *begin)
{
  const size_t n = strlen(begin);
  const bool is_state = strncmp(name, begin, n) == 0 && isdigit((unsigned char)name[n]) && ends_with(name, ".h5");
  return is_state ? strtoll(name + n, NULL, 10) : -1;
}

static bool is_checkpoint(const char *name)
{
  return step_of(name, "checkpoint_") >= 0;
}

static bool is_fault(const char *name)
{
  return step_of(name, "fault_") >= 0;
}

static bool holds_state(const char *name)
{
  return is_checkpoint(name) || is_fault(name);
}

static bool is_of_run(const char *name)
{
  static const char *const tables[] = {"history.csv", "probes.csv", "profile.csv"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (strcmp(name, tables[i]) == 0) return true;
  return holds_state(name) || is_field_file(name);
}

bool run_folder_uses(const char *name)
{
  static const char *const others[] = {"run.lock", "stop", "checkpoint"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(name, others[i]) == 0) return true;
  return is_of_run(name);
}

/* Count of a folder's files that belong to runs. */
typedef struct contents {
  int files, states, checkpoints; // of a run; of them states; of these checkpoints
  char name[NAME_MAX + 1];        // of one of them: a checkpoint before the last state of a fault before others
} contents;

/* Counts a file, and keeps the best name. */
static void add_file(contents *c, const char *name)
{
  const bool first = c->files == 0 || (c->checkpoints == 0 && is_checkpoint(name));
  const bool later = c->checkpoints == 0 && is_fault(name) && step_of(name, "fault_") > step_of(c->name, "fault_");
  if (first || later) snprintf(c->name, sizeof c->name, "%s", name);
  c->files++;
  c->states += holds_state(name);
  c->checkpoints += is_checkpoint(name);
}

/* Returns 0, or the reason why a run can't write here, with the path in question in path[PATH]. */
static int look_around(const char *folder, contents *c, char *path)
{
  *c = (contents){0};
  snprintf(path, PATH, "%s", folder);
  DIR *opened = opendir(folder);
  if (!opened) return errno;
  int reason = 0;
  for (struct dirent *entry; !reason && (entry = readdir(opened));) {
    if (!is_of_run(entry->d_name)) continue;
    snprintf(path, PATH, "%s/%s", folder, entry->d_name);
    reason = file_look(path);
    add_file(c, entry->d_name);
  }
  closedir(opened);
  return reason;
}

/* ------------------------------------------------------------------ the lock */

static void host_name(char host[HOST])
{
  if (gethostname(host, HOST)) strcpy(host, "?");
  host[HOST - 1] = '\0';
  for (char *c = host; *c; c++)
    if (isspace((unsigned char)*c)) *c = '-';
}

typedef struct holder {
  char host[HOST];
  long process;
  uint64_t deck;
} holder;

static bool read_holder(int descriptor, holder *h)
{
  char line[LINE];
  *h = (holder){0};
  const ssize_t n = pread(descriptor, line, sizeof line - 1, 0);
  if (n <= 0) return false;
  line[n] = '\0';
  return sscanf(line, "%" SCNx64 " %63s %ld", &h->deck, h->host, &h->process) == 3;
}

/* The deck comes first, and the old line is never taken away before: a process that is killed here leaves it. */
static int write_holder(const run_folder *f, uint64_t deck)
{
  char line[LINE], host[HOST];
  host_name(host);
  const int n = snprintf(line, sizeof line, "%016" PRIx64 " %s %ld\n", deck, host, (long)getpid());
  errno = 0;
  if (pwrite(f->descriptor, line, (size_t)n, 0) == n && ftruncate(f->descriptor, n) == 0) return 0;
  return errno ? errno : EIO;
}

static bool is_named(int descriptor, const char *path)
{
  struct stat open, named;
  return fstat(descriptor, &open) == 0 && lstat(path, &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

/* Tests whether the process that the file names is alive. */
static bool seems_held(int descriptor)
{
  char host[HOST];
  holder h;
  host_name(host);
  if (!read_holder(descriptor, &h)) return false;
  return strcmp(h.host, host) != 0 || kill((pid_t)h.process, 0) == 0 || errno != ESRCH;
}

enum { HELD = -1 }; // a reason of our own

static int try_lock(int descriptor, bool *no_locks)
{
  *no_locks = false;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return 0;
  if (errno == EWOULDBLOCK || errno == EINTR) return HELD;
  *no_locks = true; // of this file system
  return seems_held(descriptor) ? HELD : 0;
}

/* The holder writes its name after it took the lock: gives it a second for that. */
static bool find_holder(int descriptor, holder *h)
{
  enum { TRIES = 100 };
  const struct timespec pause = {.tv_nsec = 1000000000 / TRIES};
  for (int i = 0; i < TRIES && !seems_held(descriptor); i++) nanosleep(&pause, NULL);
  return read_holder(descriptor, h);
}

static void say_who(const run_folder *f, int descriptor, bool no_locks, char *message, size_t size)
{
  struct stat is;
  char since[32] = "";
  holder h;
  const bool known = find_holder(descriptor, &h);
  if (fstat(descriptor, &is) == 0) strftime(since, sizeof since, ", since %Y-%m-%d %H:%M", localtime(&is.st_mtime));
  if (known)
    snprintf(message, size, "%s: another run writes here: process %ld on %s%s%s%s", f->path, h.process, h.host, since,
             no_locks ? "; if it is gone, remove " : "", no_locks ? f->lock : "");
  else
    snprintf(message, size, "%s: another run writes here%s", f->path, since);
}

/* The beginning of a line, by a process that was killed as it wrote it: no end, and at least half a deck's number. */
static bool is_cut_short(int descriptor)
{
  enum { DECK = 16 };
  char line[LINE];
  const ssize_t n = pread(descriptor, line, sizeof line - 1, 0);
  if (n < DECK / 2) return false;
  line[n] = '\0';
  const size_t digits = strspn(line, "0123456789abcdef");
  const bool deck = digits == DECK ? line[DECK] == ' ' || n == DECK : digits == (size_t)n && n < DECK;
  return deck && !strchr(line, '\n') && strlen(line) == (size_t)n;
}

/* A file that no run made is not written to, nor one that has another name elsewhere. */
static bool is_lock(int descriptor)
{
  struct stat is;
  holder h;
  if (fstat(descriptor, &is)) return false;
  return is.st_nlink <= 1 && (is.st_size == 0 || read_holder(descriptor, &h) || is_cut_short(descriptor));
}

/* Returns the descriptor; -1 with errno set, perhaps to a reason that file_explain knows. */
static int open_lock(const char *path)
{
  errno = file_look(path);
  if (errno) return -1;
  const int descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (descriptor < 0 || is_lock(descriptor)) return descriptor;
  close(descriptor);
  errno = EEXIST;
  return -1;
}

/* Takes the lock, of the file that has this name then: a run that ends takes its file away. */
static int take_lock(run_folder *f, char *message, size_t size)
{
  enum { TRIES = 100 };
  for (int i = 0; i < TRIES; i++) {
    bool no_locks;
    const int descriptor = open_lock(f->lock);
    if (descriptor < 0) {
      snprintf(message, size, "cannot write '%s': %s", f->lock, file_explain(errno));
      return STATUS_MACHINE;
    }
    if (try_lock(descriptor, &no_locks) == HELD) {
      say_who(f, descriptor, no_locks, message, size);
      close(descriptor);
      return STATUS_MACHINE;
    }
    f->descriptor = descriptor;
    if (is_named(descriptor, f->lock)) return STATUS_OK;
    close(descriptor);
    f->descriptor = -1;
  }
  snprintf(message, size, "%s: other runs come and go here", f->path);
  return STATUS_MACHINE;
}

/* ------------------------------------------------------------------ the claim */

/* Number of folders of a path that do not exist. */
static int count_missing(const char *path)
{
  char part[DECK_PATH];
  struct stat is;
  int n = 0;
  snprintf(part, sizeof part, "%s", path);
  while (part[0] && stat(part, &is)) {
    n++;
    char *slash = strrchr(part, '/');
    if (!slash) break;
    *slash = '\0';
  }
  return n;
}

static void remove_made(const run_folder *f)
{
  char part[DECK_PATH];
  snprintf(part, sizeof part, "%s", f->path);
  for (int i = 0; i < f->made && part[0] && rmdir(part) == 0; i++) {
    char *slash = strrchr(part, '/');
    if (!slash) break;
    *slash = '\0';
  }
}

static int refuse(const run_folder *f, const contents *c, char *message, size_t size)
{
  char more[32] = "", on[PATH + 64] = "";
  if (c->checkpoints > 0) snprintf(on, sizeof on, "--restart latest goes on with it, ");
  if (c->checkpoints == 0 && c->states > 0)
    snprintf(on, sizeof on, "--restart %s/%s goes on from before its fault, ", f->path, c->name);
  if (c->files > 1) snprintf(more, sizeof more, " and %d more", c->files - 1);
  snprintf(message, size,
           "%s: holds files of another run (%s%s); %soutput.overwrite=true takes their place, or name another "
           "output.directory",
           f->path, c->name, more, on);
  return STATUS_INPUT;
}

/* After the lock was taken. */
static int judge(run_folder *f, run_folder_use use, char *message, size_t size)
{
  contents c;
  holder before;
  char path[PATH];
  const int reason = look_around(f->path, &c, path);
  if (reason) {
    snprintf(message, size, "%s: %s", path, file_explain(reason));
    return STATUS_MACHINE;
  }
  if (read_holder(f->descriptor, &before)) f->left = before.deck;
  const bool try = f->left == f->deck && c.states == 0;
  f->use = use == RUN_FOLDER_NEW && try ? RUN_FOLDER_OVERWRITE : use;
  return f->use == RUN_FOLDER_NEW && c.files > 0 ? refuse(f, &c, message, size) : STATUS_OK;
}

int run_folder_claim(run_folder *f, const char *directory, uint64_t deck, run_folder_use use, char *message,
                     size_t size)
{
  *f = (run_folder){.deck = deck ? deck : 1, .descriptor = -1, .made = count_missing(directory)};
  snprintf(f->path, sizeof f->path, "%s", directory);
  snprintf(f->lock, sizeof f->lock, "%s/run.lock", directory);
  if (!file_make_folders(directory)) {
    snprintf(message, size, "cannot make the directory '%s': %s", directory, strerror(errno));
    return STATUS_MACHINE;
  }
  int status = take_lock(f, message, size);
  if (status) return status;
  status = judge(f, use, message, size);
  const int reason = status ? 0 : write_holder(f, f->left);
  if (reason) {
    snprintf(message, size, "cannot write '%s': %s", f->lock, strerror(reason));
    status = STATUS_MACHINE;
  }
  if (status) run_folder_release(f, false);
  return status;
}

int run_folder_set_aside(const char *directory, const char *name, int *number)
{
  char from[PATH], to[PATH + 32];
  for (int i = 1; *number == 0; i++) {
    snprintf(to, sizeof to, "%s/old-%d", directory, i);
    if (mkdir(to, 0777) == 0)
      *number = i;
    else if (errno != EEXIST || i == INT_MAX)
      return errno;
  }
  snprintf(from, sizeof from, "%s/%s", directory, name);
  snprintf(to, sizeof to, "%s/old-%d/%s", directory, *number, name);
  return rename(from, to) ? errno : 0;
}

/* Removes a file of an earlier run, or sets it aside; keeps it where the run goes on.  Returns 0, or errno. */
static int clear_file(run_folder *f, const char *name, const char *path, int *files)
{
  if (!is_of_run(name)) {
    if (file_is_temporary(name)) unlink(path);
    return 0;
  }
  if (f->use == RUN_FOLDER_GOES_ON) return 0;
  ++*files;
  if (f->use == RUN_FOLDER_SET_ASIDE) return run_folder_set_aside(f->path, name, &f->aside);
  return unlink(path) ? errno : 0;
}

int run_folder_clear(run_folder *f, int *files, char *message, size_t size)
{
  char path[PATH];
  int reason = 0;
  *files = 0;
  snprintf(path, sizeof path, "%s", f->path);
  DIR *opened = opendir(f->path);
  if (!opened) reason = errno;
  for (struct dirent *entry; !reason && (entry = readdir(opened));) {
    snprintf(path, sizeof path, "%s/%s", f->path, entry->d_name);
    reason = clear_file(f, entry->d_name, path, files);
  }
  if (opened) closedir(opened);
  if (!reason) {
    f->left = f->deck;
    snprintf(path, sizeof path, "%s", f->lock);
    reason = write_holder(f, f->deck);
  }
  if (reason) snprintf(message, size, "%s: %s", path, strerror(reason));
  return reason ? STATUS_MACHINE : STATUS_OK;
}

bool run_folder_is_held(const run_folder *f)
{
  return f->descriptor >= 0 && is_named(f->descriptor, f->lock);
}

void run_folder_release(run_folder *f, bool ended)
{
  if (f->descriptor < 0) return;
  const bool forgotten = ended || f->left == 0;
  if (forgotten && is_named(f->descriptor, f->lock)) unlink(f->lock);
  if (!ended && f->left == 0) remove_made(f);
  close(f->descriptor);
  f->descriptor = -1;
}
