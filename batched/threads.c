/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that wait for tasks: for some microseconds awake, as calls often follow each other, then asleep.
 */
#include "batched/threads.h"

#include "batched/check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  GLANCES = 10000, /* at what is waited for, before a thread goes to sleep */
  GRAIN = 32768    /* bytes: to read so many takes about as long as to wake a thread */
};

typedef struct helper {
  struct batched_team *team; /* borrowed */
  int number;                /* 1, 2, ...: 0 is the caller's thread */
  batched_ctx *ctx;          /* owned */
  pthread_t thread;
  int status;
} helper;

typedef struct batched_team {
  int nhelpers;
  pid_t process; /* that has the threads: a child of fork has none of them */
  bool busy;     /* a task asks for one: it gets its own thread alone */
  double grain;
  pthread_mutex_t lock;
  pthread_cond_t wake, done;
  atomic_uint round;  /* of tasks; changes under the lock */
  atomic_int running; /* helpers that have not finished this round */
  bool over;
  batched_task *task; /* of this round */
  int n;
  void *data;
  helper helpers[]; /* [nhelpers] */
} batched_team;

static void wait_for_round(batched_team *team, unsigned last)
{
  for (int i = 0; i < GLANCES; i++)
    if (atomic_load(&team->round) != last) return;
  pthread_mutex_lock(&team->lock);
  while (atomic_load(&team->round) == last) pthread_cond_wait(&team->wake, &team->lock);
  pthread_mutex_unlock(&team->lock);
}

static void *help(void *argument)
{
  helper *h = argument;
  batched_team *team = h->team;
  for (unsigned last = 0;; last++) {
    wait_for_round(team, last);
    if (team->over) return NULL;
    h->status = h->number < team->n ? team->task(h->ctx, h->number, team->data) : BATCHED_SUCCESS;
    if (atomic_fetch_sub(&team->running, 1) > 1) continue;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->done);
    pthread_mutex_unlock(&team->lock);
  }
}

static void begin_round(batched_team *team)
{
  pthread_mutex_lock(&team->lock);
  atomic_store(&team->running, team->nhelpers);
  atomic_fetch_add(&team->round, 1);
  pthread_cond_broadcast(&team->wake);
  pthread_mutex_unlock(&team->lock);
}

static void end_round(batched_team *team)
{
  for (int i = 0; i < GLANCES; i++)
    if (atomic_load(&team->running) == 0) return;
  pthread_mutex_lock(&team->lock);
  while (atomic_load(&team->running) > 0) pthread_cond_wait(&team->done, &team->lock);
  pthread_mutex_unlock(&team->lock);
}

static bool is_here(const batched_team *team)
{
  return team->process == getpid();
}

int batched_team_size(const batched_ctx *ctx)
{
  return ctx->team && !ctx->team->busy && is_here(ctx->team) ? ctx->team->nhelpers + 1 : 1;
}

/* Copies the user's choices, and what is known of the calls around, from the caller's context to a thread's, so that
 * operations within others find them on every thread. */
static void pass_on(const batched_ctx *ctx, batched_ctx *to)
{
  to->refinements = ctx->refinements;
  to->refined_info = ctx->refined_info;
  to->depth = ctx->depth;
  to->portion = ctx->portion;
  to->nchoices = ctx->nchoices;
  memcpy(to->choices, ctx->choices, (size_t)ctx->nchoices * sizeof *ctx->choices);
}

int batched_team_do(batched_ctx *ctx, int n, batched_task *task, void *data)
{
  batched_team *team = ctx->team;
  if (n == 1) return task(ctx, 0, data);
  team->task = task;
  team->n = n;
  team->data = data;
  team->busy = true;
  for (int i = 0; i < n - 1; i++) pass_on(ctx, team->helpers[i].ctx);
  begin_round(team);
  int status = task(ctx, 0, data);
  end_round(team);
  team->busy = false;
  for (int i = 0; i < n - 1 && !status; i++) {
    status = team->helpers[i].status;
    if (status) ctx->refused = team->helpers[i].ctx->refused;
  }
  return status;
}

void batched_team_set_grain(batched_ctx *ctx, double bytes)
{
  if (ctx->team) ctx->team->grain = bytes;
}

double batched_team_grain(const batched_ctx *ctx)
{
  return ctx->team->grain;
}

size_t batched_team_workspace(const batched_ctx *ctx)
{
  size_t bytes = 0;
  for (int i = 0; ctx->team && i < ctx->team->nhelpers; i++) bytes += batched_workspace(ctx->team->helpers[i].ctx);
  return bytes;
}

void batched_team_close(batched_ctx *ctx)
{
  batched_team *team = ctx->team;
  if (!team) return;
  const bool here = is_here(team);
  team->over = true;
  if (here) begin_round(team);
  for (int i = 0; i < team->nhelpers; i++) {
    if (here) pthread_join(team->helpers[i].thread, NULL);
    batched_destroy(&team->helpers[i].ctx);
  }
  if (here) { /* else threads of another process wait for them */
    pthread_mutex_destroy(&team->lock);
    pthread_cond_destroy(&team->wake);
    pthread_cond_destroy(&team->done);
  }
  free(team);
  ctx->team = NULL;
}

/* One more; signals are the business of the program's own threads. */
static int add_helper(batched_team *team)
{
  helper *h = &team->helpers[team->nhelpers];
  sigset_t all, before;
  *h = (helper){.team = team, .number = team->nhelpers + 1};
  int status = batched_create(&h->ctx, BATCHED_HOST);
  if (status) return status;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&h->thread, NULL, help, h)) {
    batched_destroy(&h->ctx);
    status = BATCHED_NO_MEMORY;
  } else {
    team->nhelpers++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status;
}

int batched_set_threads(batched_ctx *ctx, int threads)
{
  if (!ctx) return -1;
  if (!batched_accept(threads >= 1, "threads %d < 1", threads)) return -2;
  if (ctx->space == BATCHED_CUDA) return BATCHED_SUCCESS;
  batched_team_close(ctx);
  if (threads == 1) return BATCHED_SUCCESS;
  batched_team *team = calloc(1, sizeof *team + (size_t)(threads - 1) * sizeof *team->helpers);
  if (!team) return BATCHED_NO_MEMORY;
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->wake, NULL);
  pthread_cond_init(&team->done, NULL);
  team->grain = GRAIN;
  team->process = getpid();
  ctx->team = team;
  int status = BATCHED_SUCCESS;
  for (int i = 1; i < threads && !status; i++) status = add_helper(team);
  if (status) batched_team_close(ctx);
  return status;
}
