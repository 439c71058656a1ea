/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/machine/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mesh/comm/exit_status.h"

enum { PATH = 4096, LINE = 1024 };

/* The number behind a word at the start of a line, as in "MemAvailable:  123 kB"; -1: there is none. */
static double number_in(const char *path, const char *word)
{
  char line[LINE];
  double number = -1.0;
  FILE *file = fopen(path, "r");
  if (!file) return number;
  while (number < 0.0 && fgets(line, sizeof line, file))
    if (strncmp(line, word, strlen(word)) == 0 && sscanf(line + strlen(word), "%lf", &number) != 1) number = -1.0;
  fclose(file);
  return number;
}

/* The two versions of control groups: where their folders are, and the names of what is allowed and of what is used,
 * besides copies of files that the system can drop: by processes alone, and together. */
typedef struct group_kind {
  const char *mount, *limit, *used, *shared;
} group_kind;

static const group_kind version_1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "total_rss ", "total_shmem "};
static const group_kind version_2 = {"/sys/fs/cgroup", "memory.max", "anon ", "shmem "};

static double left_in_folder(const char *root, const group_kind *k, const char *group)
{
  char path[3 * PATH];
  snprintf(path, sizeof path, "%s%s%s/%s", root, k->mount, group, k->limit);
  const double limit = number_in(path, "");
  if (limit < 0.0) return INFINITY; // none, or "max"
  snprintf(path, sizeof path, "%s%s%s/memory.stat", root, k->mount, group);
  return fmax(limit - fmax(number_in(path, k->used), 0.0) - fmax(number_in(path, k->shared), 0.0), 0.0);
}

/* The least of a group and those that it is in.  In a container the group may have a name that only the machine around
 * it knows; what is mounted there is the container's own. */
static double left_in_groups(const char *root, const group_kind *k, char *group)
{
  double left = left_in_folder(root, k, group);
  for (char *end; (end = strrchr(group, '/'));) {
    *end = '\0';
    left = fmin(left, left_in_folder(root, k, group));
  }
  return left;
}

/* Least memory left in the groups of /proc/self/cgroup's lines, which are "4:memory:/a/b" or "0::/a/b". */
static double left_in_all_groups(const char *root)
{
  char path[PATH], line[PATH], kind[32], group[PATH - 64];
  double left = INFINITY;
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "r");
  if (!file) return left;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%*d:%31[^:]:%4031[^\n]", kind, group) == 2 && strcmp(kind, "memory") == 0)
      left = fmin(left, left_in_groups(root, &version_1, group));
    if (sscanf(line, "0::%4031[^\n]", group) == 1) left = fmin(left, left_in_groups(root, &version_2, group));
  }
  fclose(file);
  return left;
}

double memory_left(const char *root)
{
  char path[PATH];
  snprintf(path, sizeof path, "%s/proc/meminfo", root);
  const double available = number_in(path, "MemAvailable:"), swap = number_in(path, "SwapFree:");
  const double left = available < 0.0 ? INFINITY : 1024.0 * (available + fmax(swap, 0.0));
  return fmin(left, left_in_all_groups(root)); // a group need not be allowed to swap
}

/* Bytes of data and stack of this process; -1: unknown. */
static double bytes_in_use(void)
{
  double pages = -1.0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return pages;
  if (fscanf(file, "%*s %*s %*s %*s %*s %lf", &pages) != 1) pages = -1.0;
  fclose(file);
  return pages < 0.0 ? pages : pages * (double)sysconf(_SC_PAGESIZE);
}

void memory_limit(double bytes)
{
  struct rlimit limit;
  const double used = bytes_in_use();
  if (!isfinite(bytes) || used < 0.0 || getrlimit(RLIMIT_DATA, &limit)) return;
  if (limit.rlim_cur != RLIM_INFINITY && used + bytes >= (double)limit.rlim_cur) return;
  limit.rlim_cur = (rlim_t)(used + bytes);
  setrlimit(RLIMIT_DATA, &limit);
}

double memory_allowed(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_DATA, &limit) || limit.rlim_cur == RLIM_INFINITY ? INFINITY : (double)limit.rlim_cur;
}

void memory_add_limit(char *message, size_t size)
{
  const double bytes = memory_allowed();
  const size_t n = strlen(message);
  if (isfinite(bytes)) snprintf(message + n, size - n, "; a rank can have %.3g GB here", 1e-9 * bytes);
}

int memory_refuse_setup(char *message, size_t size)
{
  snprintf(message, size, "out of memory while setting up the run");
  memory_add_limit(message, size);
  return STATUS_MACHINE;
}

double memory_raise_stack(double bytes)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY) return INFINITY;
  if ((double)limit.rlim_cur >= bytes) return (double)limit.rlim_cur;
  struct rlimit raised = limit;
  raised.rlim_cur = limit.rlim_max == RLIM_INFINITY || (double)limit.rlim_max >= bytes ? (rlim_t)bytes : limit.rlim_max;
  return (double)(setrlimit(RLIMIT_STACK, &raised) ? limit.rlim_cur : raised.rlim_cur);
}
