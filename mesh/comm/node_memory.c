/* SPDX-License-Identifier: BSD-3-Clause
 *
 * POSIX shared memory: rank 0 makes it, the others open it, and once all have it its name is taken away, so that
 * nothing is left behind when a run dies.
 */
#include "mesh/comm/node_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "mesh/comm/comm.h"

/* Broadcast by rank 0, and written to the memory, too, so that another file of this name is not taken for it. */
typedef struct memory_name {
  char text[96];
} memory_name;

static memory_name new_name(void)
{
  static int count;
  struct timespec now;
  memory_name name = {{0}};
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(name.text, sizeof name.text, "/shocklet-%ld-%lld-%ld-%d", (long)getpid(), (long long)now.tv_sec, now.tv_nsec,
           count++);
  return name;
}

static char *map(int file, size_t bytes)
{
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return p == MAP_FAILED ? NULL : p;
}

/* All of its memory is taken at once: a machine that is short of it would end the run at the first write. */
static char *make(const memory_name *name, size_t bytes)
{
  const int file = shm_open(name->text, O_CREAT | O_EXCL | O_RDWR, 0600);
  if (file < 0) return NULL;
  int error;
  do error = posix_fallocate(file, 0, (off_t)bytes);
  while (error == EINTR); // by a request from outside
  char *base = error ? NULL : map(file, bytes);
  close(file);
  if (base) memcpy(base, name, sizeof *name);
  if (!base) shm_unlink(name->text);
  return base;
}

static char *find(const memory_name *name, size_t bytes)
{
  const int file = shm_open(name->text, O_RDWR, 0600);
  if (file < 0) return NULL;
  char *base = lseek(file, 0, SEEK_END) == (off_t)bytes ? map(file, bytes) : NULL;
  close(file);
  if (!base || memcmp(base, name, sizeof *name) == 0) return base;
  munmap(base, bytes);
  return NULL;
}

/* The first page has the name; the pieces follow. */
void node_memory_create(node_memory *b, size_t bytes)
{
  int64_t pages = (int64_t)((bytes + NODE_MEMORY_PAGE - 1) / NODE_MEMORY_PAGE);
  comm_max_int64(&pages, 1);
  *b = (node_memory){.piece = (size_t)pages * NODE_MEMORY_PAGE};
  b->bytes = b->piece * (size_t)comm_size() + NODE_MEMORY_PAGE;
  memory_name name = {{0}};
  char *all = NULL;
  if (comm_rank() == 0) {
    name = new_name();
    all = make(&name, b->bytes);
  }
  comm_broadcast(&name, sizeof name, 0);
  if (comm_rank() > 0) all = find(&name, b->bytes);
  const bool ok = !comm_worst(!all);
  if (comm_rank() == 0 && all) shm_unlink(name.text);
  if (!ok && all) munmap(all, b->bytes);
  b->base = ok ? all + NODE_MEMORY_PAGE : NULL;
}

void node_memory_destroy(node_memory *b)
{
  if (b->base) munmap(b->base - NODE_MEMORY_PAGE, b->bytes);
  b->base = NULL;
}

enum { LOOKS = 2000, YIELDS = 32 }; // before a rank that waits lets others have its core; between looks at MPI

static _Atomic uint64_t *number_of(const node_memory *b, int rank)
{
  return (_Atomic uint64_t *)(void *)(b->base + (size_t)rank * b->piece);
}

void node_memory_raise(const node_memory *b, int rank, uint64_t number)
{
  atomic_store_explicit(number_of(b, rank), number, memory_order_release);
}

/* Lets others have the core, and MPI go on with what is under way. */
static void pause_between_looks(unsigned looks)
{
  if (looks < LOOKS) return;
  sched_yield();
  if (looks % YIELDS == 0) comm_go_on();
}

void node_memory_await(const node_memory *b, int rank, uint64_t least)
{
  _Atomic uint64_t *number = number_of(b, rank);
  for (unsigned looks = 0; atomic_load_explicit(number, memory_order_acquire) < least; looks++)
    pause_between_looks(looks);
}

double *node_memory_room(const node_memory *b, int rank)
{
  return (double *)(void *)(b->base + (size_t)rank * b->piece + NODE_MEMORY_LINE);
}
