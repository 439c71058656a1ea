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

#include "app/results/checkpoint.h"

int64_t checkpoint_step_of(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  int64_t step;
  int end = 0;
  if (sscanf(name, "checkpoint_%" SCNd64 ".h5%n", &step, &end) != 1 || !end || name[end] || step < 0) return -1;
  return step;
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

void checkpoint_prune(const char *directory, int64_t step, int keep)
{
  char path[CHECKPOINT_PATH];
  int n, kept = 0;
  int64_t *steps = list_steps(directory, &n);
  for (int i = 0; steps && i < n; i++) {
    if (steps[i] <= step && kept++ < keep) continue;
    checkpoint_path(directory, steps[i], path);
    unlink(path);
  }
  free(steps);
}

int checkpoint_latest(const char *directory, char path[CHECKPOINT_PATH], int *skipped, char *message, size_t size)
{
  int n = 0, status = STATUS_INPUT;
  char why[CHECKPOINT_PATH + 256];
  *skipped = 0;
  int64_t *steps = list_steps(directory, &n);
  snprintf(message, size, "--restart latest: %s: %s", directory, steps ? "no checkpoint is there" : strerror(errno));
  for (int i = 0; steps && i < n && status; i++) {
    checkpoint_path(directory, steps[i], path);
    char *text = checkpoint_deck(path, why, sizeof why);
    if (text)
      status = 0;
    else
      ++*skipped;
    free(text);
  }
  if (status && *skipped)
    snprintf(message, size, "--restart latest: %s: none of its %d checkpoints is whole", directory, *skipped);
  free(steps);
  return status;
}
