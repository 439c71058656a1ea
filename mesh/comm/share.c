/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // sched_getaffinity
#include "mesh/comm/share.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mesh/comm/comm.h"

enum { MOST_THREADS = 64, ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

typedef struct sharing_out {
  comm_share_task *task;
  void *data;
  int n, each, nchunks;
  atomic_int next, worst;
} sharing_out;

/* Takes chunks until there are none. */
static void *work(void *argument)
{
  sharing_out *s = argument;
  for (int chunk = atomic_fetch_add(&s->next, 1); chunk < s->nchunks; chunk = atomic_fetch_add(&s->next, 1)) {
    const int first = chunk * s->each, end = s->n - first < s->each ? s->n : first + s->each;
    const int status = s->task(s->data, chunk, first, end);
    int worst = atomic_load(&s->worst);
    while (status > worst && !atomic_compare_exchange_weak(&s->worst, &worst, status)) continue;
  }
  return NULL;
}

/* Open MPI's mpirun binds a rank, but not itself: to one core, unless it was told otherwise. */
static bool is_bound_by_default(void)
{
  return getenv("OMPI_MCA_orte_bound_at_launch") && !getenv("OMPI_MCA_hwloc_base_binding_policy");
}

/* The cores that helpers may run on; false: the system does not tell. */
static bool find_cores(cpu_set_t *cores)
{
  const pid_t whose = is_bound_by_default() ? getppid() : 0; // 0: this process
  return sched_getaffinity(whose, sizeof *cores, cores) == 0;
}

int comm_share_cores(void)
{
  cpu_set_t cores;
  const int here = comm_local_size(), all = find_cores(&cores) ? CPU_COUNT(&cores) : 1;
  const int mine = is_bound_by_default() ? all / here : all, fair = (int)sysconf(_SC_NPROCESSORS_ONLN) / here,
            most = mine < fair ? mine : fair;
  return most < 1 ? 1 : most < MOST_THREADS ? most : MOST_THREADS;
}

/* Starts a helper on any of the cores; signals are the caller's. */
static bool start_helper(pthread_t *thread, sharing_out *all, const cpu_set_t *cores)
{
  pthread_attr_t how;
  if (pthread_attr_init(&how)) return false;
  bool started = !cores || !pthread_attr_setaffinity_np(&how, sizeof *cores, cores);
  started = started && !pthread_create(thread, &how, work, all);
  pthread_attr_destroy(&how);
  return started;
}

int comm_share_out(int most, int n, int each, comm_share_task *task, void *data)
{
  sharing_out all = {.task = task, .data = data, .n = n, .each = each, .nchunks = (n + each - 1) / each};
  pthread_t threads[MOST_THREADS];
  int helpers = 0, wanted = most < MOST_THREADS ? most : MOST_THREADS;
  sigset_t every, before;
  cpu_set_t cores;
  const cpu_set_t *others = is_bound_by_default() && find_cores(&cores) ? &cores : NULL;
  if (wanted > all.nchunks) wanted = all.nchunks;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  while (helpers + 1 < wanted && start_helper(&threads[helpers], &all, others)) helpers++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  work(&all);
  for (int i = 0; i < helpers; i++) pthread_join(threads[i], NULL);
  return atomic_load(&all.worst);
}

void *comm_allocate_large(size_t bytes)
{
  const bool large = bytes >= HUGE_PAGE;
  void *block;
#ifdef SMPI_HELPERS_H /* SimGrid's malloc may be told to give all ranks the same pages: thousands have no room else */
  block = large ? malloc(bytes) : NULL;
  if (block && (uintptr_t)block % ALIGNMENT == 0) return block;
  free(block);
#endif
  if (posix_memalign(&block, large ? HUGE_PAGE : ALIGNMENT, bytes ? bytes : 1)) return NULL;
#ifdef MADV_HUGEPAGE
  if (large) madvise(block, bytes, MADV_HUGEPAGE);
#endif
  return block;
}
