/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // sched_getaffinity
#include "fem/space/share.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "mesh/comm/comm.h"

enum { MOST_THREADS = 64 };

typedef struct sharing_out {
  fem_chunk_task *task;
  void *data;
  int n, nchunks;
  atomic_int next, worst;
} sharing_out;

int fem_chunks(const fem_space *s)
{
  return (s->nzones + FEM_CHUNK - 1) / FEM_CHUNK;
}

/* Takes chunks until there are none. */
static void *work(void *argument)
{
  sharing_out *s = argument;
  for (int chunk = atomic_fetch_add(&s->next, 1); chunk < s->nchunks; chunk = atomic_fetch_add(&s->next, 1)) {
    const int first = chunk * FEM_CHUNK, end = s->n - first < FEM_CHUNK ? s->n : first + FEM_CHUNK;
    const int status = s->task(s->data, chunk, first, end);
    int worst = atomic_load(&s->worst);
    while (status > worst && !atomic_compare_exchange_weak(&s->worst, &worst, status)) continue;
  }
  return NULL;
}

int fem_share_cores(void)
{
  cpu_set_t mine;
  const int bound = sched_getaffinity(0, sizeof mine, &mine) ? 1 : CPU_COUNT(&mine);
  const int fair = (int)sysconf(_SC_NPROCESSORS_ONLN) / comm_local_size(), most = bound < fair ? bound : fair;
  return most < 1 ? 1 : most < MOST_THREADS ? most : MOST_THREADS;
}

int fem_for_chunks(const fem_space *s, fem_chunk_task *task, void *data)
{
  sharing_out all = {.task = task, .data = data, .n = s->nzones, .nchunks = fem_chunks(s)};
  pthread_t threads[MOST_THREADS];
  int helpers = 0, wanted = s->threads;
  sigset_t every, before;
  if (wanted > all.nchunks) wanted = all.nchunks;
  sigfillset(&every); // signals are the caller's
  pthread_sigmask(SIG_SETMASK, &every, &before);
  while (helpers + 1 < wanted && !pthread_create(&threads[helpers], NULL, work, &all)) helpers++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  work(&all);
  for (int i = 0; i < helpers; i++) pthread_join(threads[i], NULL);
  return atomic_load(&all.worst);
}
