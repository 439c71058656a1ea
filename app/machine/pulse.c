/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/machine/pulse.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "app/files/file_new.h"
#include "mesh/comm/comm.h"

/* One rank's entry in the shared memory of its node. */
typedef struct pulse_slot {
  _Alignas(64) _Atomic int64_t beats, step;
  _Atomic double seen; // when its thread last ran
  _Atomic int place, rank, process;
} pulse_slot;

struct pulse {
  pulse_slot *slots; // owned, [n], shared by the ranks of this machine
  int n, mine;
  double seconds, tick;
  bool ends;
  pthread_t thread;
  pthread_mutex_t lock; // of `over`
  pthread_cond_t wakes;
  bool over;
};

static const char *const places[PULSE_PLACES] = {
  [PULSE_SET_UP] = "in set-up",
  [PULSE_READ] = "reading a checkpoint",
  [PULSE_FORCES] = "in the forces",
  [PULSE_VELOCITY] = "in the solve for the velocity",
  [PULSE_ENERGY] = "in the solve for the energy",
  [PULSE_BETWEEN] = "between two steps",
  [PULSE_TABLES] = "writing rows of tables",
  [PULSE_FIELDS] = "writing fields",
  [PULSE_TURN] = "waiting for a turn to write",
  [PULSE_CHECKPOINT] = "writing a checkpoint",
  [PULSE_REPORT] = "making the report",
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t); // the same for all processes of a machine
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void pulse_beat(pulse *p, pulse_place place, int64_t step)
{
  if (!p) return;
  pulse_slot *s = &p->slots[p->mine];
  atomic_store_explicit(&s->place, place, memory_order_relaxed);
  atomic_store_explicit(&s->step, step, memory_order_relaxed);
  atomic_fetch_add_explicit(&s->beats, 1, memory_order_relaxed);
}

/* ------------------------------------------------------------------ what the thread does */

/* The state of a process as in /proc/PID/stat: R runs, S sleeps, D waits for a disk, T is stopped; X: it is gone. */
static char state_of(int process)
{
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  FILE *file = fopen(path, "r");
  if (!file) return 'X';
  const char *end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL; // number (name) state ...
  fclose(file);
  return end && end[1] ? end[2] : 'X';
}

static const char *trouble_of(char state)
{
  switch (state) {
  case 'T':
  case 't': return "is stopped";
  case 'D': return "waits for a disk";
  case 'Z':
  case 'X': return "is gone";
  default: return NULL;
  }
}

static void append(char *text, size_t size, const char *words)
{
  const size_t n = strlen(text);
  snprintf(text + n, size - n, "%s", words);
}

/* "rank 3 (process 4711) is stopped, in the forces": at most a few of those that are in trouble. */
static int list_troubles(const pulse *p, char *text, size_t size)
{
  enum { MOST = 4 };
  int found = 0;
  for (int i = 0; i < p->n; i++) {
    char words[160];
    pulse_slot *s = &p->slots[i];
    const char *trouble = trouble_of(state_of(s->process));
    if (!trouble || ++found > MOST) continue;
    snprintf(words, sizeof words, "%srank %d (process %d) %s, %s", found > 1 ? "; " : "", s->rank, s->process, trouble,
             places[s->place]);
    append(text, size, words);
  }
  return found;
}

/* "rank 0 is writing a checkpoint; rank 1 and 2 more are waiting for a turn to write": by places. */
static void list_places(const pulse *p, char *text, size_t size)
{
  bool first = true;
  for (int place = 0; place < PULSE_PLACES; place++) {
    char words[160];
    int count = 0, rank = 0;
    for (int i = 0; i < p->n; i++)
      if (p->slots[i].place == place && count++ == 0) rank = p->slots[i].rank;
    if (count == 0) continue;
    if (count == 1)
      snprintf(words, sizeof words, "%srank %d is %s", first ? "" : "; ", rank, places[place]);
    else
      snprintf(words, sizeof words, "%srank %d and %d more are %s", first ? "" : "; ", rank, count - 1, places[place]);
    append(text, size, words);
    first = false;
  }
}

static void say(const pulse *p, double silent)
{
  char text[1024] = "", host[64] = "?";
  int64_t step = 0;
  gethostname(host, sizeof host - 1);
  for (int i = 0; i < p->n; i++)
    if (p->slots[i].step > step) step = p->slots[i].step;
  if (list_troubles(p, text, sizeof text) == 0) list_places(p, text, sizeof text);
  fprintf(stderr, "shocklet: no progress on %s for %.3g s, in step %lld: %s%s\n", host, silent, (long long)step, text,
          p->ends ? "; the run ends" : "");
}

/* Tests whether the thread of a lower rank of this machine looks on. */
static bool is_watched(const pulse *p, double time)
{
  for (int i = 0; i < p->mine; i++)
    if (time - p->slots[i].seen < 4.0 * p->tick) return true;
  return false;
}

static int64_t count_beats(const pulse *p)
{
  int64_t sum = 0;
  for (int i = 0; i < p->n; i++) sum += p->slots[i].beats;
  return sum;
}

/* Sleeps for a tick; false: the run is over. */
static bool sleep_on(pulse *p)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  const double at = (double)until.tv_nsec * 1e-9 + p->tick;
  until.tv_sec += (time_t)at;
  until.tv_nsec = (long)(1e9 * (at - floor(at)));
  pthread_mutex_lock(&p->lock);
  if (!p->over) pthread_cond_timedwait(&p->wakes, &p->lock, &until);
  const bool on = !p->over;
  pthread_mutex_unlock(&p->lock);
  return on;
}

/* Says it after `seconds` of silence, and again each time that it has become twice as long. */
static void *look_on(void *user)
{
  pulse *p = user;
  int64_t beats = -1;
  double last = now(), next = p->seconds, before = last;
  while (sleep_on(p)) {
    const double time = now();
    const int64_t count = count_beats(p);
    const bool slept = time - before > 4.0 * p->tick; // this process was stopped itself, perhaps with all others
    p->slots[p->mine].seen = before = time;
    if (count != beats || slept) beats = count, last = time, next = p->seconds;
    if (time - last < next || is_watched(p, time)) continue;
    say(p, time - last);
    if (p->ends) _exit(STATUS_MACHINE); // mpiexec ends the others; the main thread may hang for ever
    next *= 2.0;
  }
  return NULL;
}

/* ------------------------------------------------------------------ begin and end */

/* Memory that the ranks of this machine share.  NULL: there is none. */
static pulse_slot *share(int n, bool makes, const char *tag)
{
  char name[64];
  const size_t bytes = (size_t)n * sizeof(pulse_slot);
  snprintf(name, sizeof name, "/shocklet-pulse-%s", tag);
  int file = makes ? shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600) : -1;
  const bool made = file >= 0 && posix_fallocate(file, 0, (off_t)bytes) == 0;
  comm_barrier();
  if (!makes) file = shm_open(name, O_RDWR, 0600);
  void *memory =
    file >= 0 && (made || !makes) ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (file >= 0) close(file);
  comm_barrier();
  if (makes) shm_unlink(name);
  return memory == MAP_FAILED ? NULL : memory;
}

static bool start_thread(pulse *p)
{
  pthread_attr_t small;
  sigset_t all, before;
  if (pthread_attr_init(&small)) return false;
  pthread_attr_setstacksize(&small, 1 << 20); // thread-local memory of all libraries is part of it
  sigfillset(&all);                           // requests are the main thread's
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&p->thread, &small, look_on, p) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&small);
  return started;
}

static void destroy(pulse *p)
{
  if (!p) return;
  if (p->slots) munmap(p->slots, (size_t)p->n * sizeof *p->slots);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->wakes);
  free(p);
}

pulse *pulse_begin(double seconds, bool ends)
{
  char tag[FILE_TAG];
  if (!(seconds > 0.0)) return NULL;
  const int n = comm_local_size(), mine = comm_local_rank();
  if (comm_rank() == 0) file_draw_tag(tag);
  comm_broadcast(tag, sizeof tag, 0);
  pulse_slot *slots = share(n, mine == 0, tag);
  pulse *p = calloc(1, sizeof *p);
  if (comm_worst(!slots || !p)) {
    if (slots) munmap(slots, (size_t)n * sizeof *slots);
    free(p);
    return NULL;
  }
  *p =
    (pulse){.slots = slots, .n = n, .mine = mine, .seconds = seconds, .ends = ends, .tick = fmin(seconds / 8.0, 5.0)};
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wakes, NULL);
  slots[mine].rank = comm_rank();
  slots[mine].process = (int)getpid();
  slots[mine].seen = now();
  comm_barrier();
  if (start_thread(p)) return p;
  destroy(p);
  return NULL;
}

void pulse_end(pulse **pulse)
{
  struct pulse *p = *pulse;
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->over = true;
  pthread_cond_signal(&p->wakes);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  destroy(p);
  *pulse = NULL;
}
