/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The checkpoints of a folder.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/checkpoint/checkpoint.h"
#include "app/files/file_new.h"
#include "app/files/run_folder.h"

/* The step of a name such as BEGIN_000010.h5; -1 for any other. */
static int64_t step_after(const char *path, const char *begin)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const size_t n = strlen(begin);
  int64_t step;
  int end = 0;
  if (strncmp(name, begin, n) != 0 || sscanf(name + n, "_%" SCNd64 ".h5%n", &step, &end) != 1) return -1;
  return end && !name[n + (size_t)end] && step >= 0 ? step : -1;
}

int64_t checkpoint_step_of(const char *path)
{
  return step_after(path, "checkpoint");
}

void checkpoint_path(const char *directory, int64_t step, char path[CHECKPOINT_PATH])
{
  snprintf(path, CHECKPOINT_PATH, "%s/checkpoint_%06" PRId64 ".h5", directory, step);
}

/* The step of a file that has the name of its checkpoint to the letter; -1 for all others, such as copies that somebody
 * made under similar names. */
static int64_t step_of_entry(const char *name)
{
  char path[CHECKPOINT_PATH];
  const int64_t step = checkpoint_step_of(name);
  if (step < 0) return -1;
  checkpoint_path("", step, path);
  return strcmp(path + 1, name) == 0 ? step : -1;
}

static int newest_first(const void *x, const void *y)
{
  const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
  return (a < b) - (a > b);
}

/* The steps of the checkpoints in a folder, newest first; to be freed.  NULL with errno set. */
static int64_t *list_steps(const char *directory, int *n)
{
  int room = 16;
  DIR *folder = opendir(directory);
  if (!folder) return NULL;
  int64_t *steps = malloc(sizeof *steps * (size_t)room);
  *n = 0;
  for (struct dirent *entry; steps && (entry = readdir(folder));) {
    const int64_t step = step_of_entry(entry->d_name);
    if (step < 0) continue;
    if (*n == room) {
      int64_t *more = realloc(steps, sizeof *steps * (size_t)(room *= 2));
      if (!more) free(steps);
      steps = more;
    }
    if (steps) steps[(*n)++] = step;
  }
  closedir(folder);
  if (steps)
    qsort(steps, (size_t)*n, sizeof *steps, newest_first);
  else
    errno = ENOMEM;
  return steps;
}

/* ------------------------------------------------------------------ the shelf */

/* Adds a step to the list; out of memory, the step is left out, and its file stays. */
static void add(checkpoint_shelf *shelf, int64_t step)
{
  if (shelf->n > 0 && shelf->steps[shelf->n - 1] == step) return; // a run that went on from it wrote it again
  if (shelf->n == shelf->room) {
    const size_t room = shelf->room > 0 ? 2 * (size_t)shelf->room : 16;
    int64_t *more = realloc(shelf->steps, sizeof *more * room);
    if (!more) return;
    shelf->steps = more;
    shelf->room = (int)room;
  }
  shelf->steps[shelf->n++] = step;
}

void checkpoint_shelf_take(checkpoint_shelf *shelf, const char *directory, int64_t last)
{
  int n;
  int64_t *steps = list_steps(directory, &n);
  for (int i = steps ? n - 1 : -1; i >= 0; i--)
    if (steps[i] <= last) add(shelf, steps[i]);
  free(steps);
}

void checkpoint_shelf_destroy(checkpoint_shelf *shelf)
{
  free(shelf->steps);
  *shelf = (checkpoint_shelf){0};
}

static int set_aside(checkpoint_shelf *shelf, const char *directory, const char *path, char *message, size_t size)
{
  const int reason = run_folder_set_aside(directory, strrchr(path, '/') + 1, &shelf->aside);
  if (reason) {
    snprintf(message, size, "cannot move '%s' to a folder old-N beside it: %s", path, strerror(reason));
    return STATUS_MACHINE;
  }
  shelf->moved++;
  return STATUS_OK;
}

int checkpoint_shelf_make_way(checkpoint_shelf *shelf, const char *directory, int64_t step, char *message, size_t size)
{
  char path[CHECKPOINT_PATH];
  checkpoint_path(directory, step, path);
  // what is no file is refused when the checkpoint gets its name
  if (access(path, F_OK) || file_look(path)) return STATUS_OK;
  for (int i = 0; i < shelf->n; i++)
    if (shelf->steps[i] == step) return STATUS_OK;
  return set_aside(shelf, directory, path, message, size);
}

static int set_later_aside(checkpoint_shelf *shelf, const char *directory, int64_t step, char *message, size_t size)
{
  char path[CHECKPOINT_PATH];
  int n = 0, status = STATUS_OK;
  int64_t *steps = list_steps(directory, &n);
  if (!steps) {
    snprintf(message, size, "cannot list the checkpoints of '%s': %s", directory, strerror(errno));
    return STATUS_MACHINE;
  }
  for (int i = 0; !status && i < n && steps[i] > step; i++) {
    checkpoint_path(directory, steps[i], path);
    status = set_aside(shelf, directory, path, message, size);
  }
  free(steps);
  return status;
}

int checkpoint_shelf_put(checkpoint_shelf *shelf, const char *directory, int64_t step, int keep, char *message,
                         size_t size)
{
  char path[CHECKPOINT_PATH];
  const int status = set_later_aside(shelf, directory, step, message, size);
  if (status) return status;
  add(shelf, step);
  const int old = shelf->n > keep ? shelf->n - keep : 0;
  for (int i = 0; i < old; i++) {
    checkpoint_path(directory, shelf->steps[i], path);
    unlink(path);
  }
  shelf->n -= old;
  if (old > 0) memmove(shelf->steps, shelf->steps + old, sizeof *shelf->steps * (size_t)shelf->n);
  return STATUS_OK;
}

int checkpoint_before(const char *directory, int64_t below, char path[CHECKPOINT_PATH], char *message, size_t size)
{
  int n = 0, i = 0;
  int64_t *steps = list_steps(directory, &n);
  snprintf(message, size, "%s: %s", directory, steps ? "no checkpoint is there" : strerror(errno));
  while (steps && i < n && steps[i] >= below) i++;
  const bool found = steps && i < n;
  if (found) checkpoint_path(directory, steps[i], path);
  free(steps);
  return found ? STATUS_OK : STATUS_INPUT;
}

bool checkpoint_of_fault(const char *directory, char path[CHECKPOINT_PATH])
{
  int64_t newest = -1;
  DIR *folder = opendir(directory);
  if (!folder) return false;
  for (struct dirent *entry; (entry = readdir(folder));) {
    const int64_t step = step_after(entry->d_name, "fault");
    if (step <= newest) continue;
    newest = step;
    snprintf(path, CHECKPOINT_PATH, "%s/%s", directory, entry->d_name);
  }
  closedir(folder);
  return newest >= 0;
}
