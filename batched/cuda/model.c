/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The model of a machine: see model.h.  What of it was measured, and what is an estimate, stands at the table below.
 */
#include "batched/cuda/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "batched/context.h"
#include "batched/note.h"
#include "batched/recording.h"

enum { STORED = 1024 /* bytes that are copied, not only counted */, DEPTH = 16 };

/* Part of the machine's limit (bytes or flops, whichever takes longer) that an operation was measured to reach; it is
 * above 1 where data stays on the chip. */
typedef struct reach {
  const char *operation;
  double fraction;
} reach;

typedef struct machine {
  const char *key, *name;
  double bandwidth, flops; /* per second */
  double bus;              /* bytes per second between the device's memory and the host's */
  double launch;           /* seconds of the host to enqueue a kernel */
  double kernel;           /* seconds that the smallest kernel takes behind another one */
  double wait;             /* seconds from a kernel's end until the host goes on */
  reach reach[8];
} machine;

/* The first one is the default; SHOCKLET_MODEL names another.
 * h100: bandwidth, flops and reach are measured (docs/performance.md, "A step on a GPU", 3D Q2-Q1 64^3); so they are
 *   right for many zones.  bus, launch, kernel and wait are estimates, and with few zones they are most of the time.
 * core: the reach of stress and velocity_solve is measured ("A step on a host"); the rest are estimates. */
static const machine machines[] = {
  {.key = "h100",
   .name = "model of an NVIDIA H100",
   .bandwidth = 2.94e12,
   .flops = 64.7e12,
   .bus = 40e9,
   .launch = 2.0e-6,
   .kernel = 2.5e-6,
   .wait = 6.0e-6,
   .reach = {{"stress", .58}, {"force", 3.1}, {"power", .99}, {"velocity_solve", .65}, {"energy_solve", 2.1}}},
  {.key = "core",
   .name = "model of a core of an Intel Xeon",
   .bandwidth = 12e9,
   .flops = 64e9,
   .bus = 12e9,
   .reach = {{"stress", .12}, {"force", .25}, {"power", .22}, {"velocity_solve", .60}, {"energy_solve", .30}}},
};

typedef struct device {
  const machine *machine;
  double busy;  /* until then, by batched_seconds */
  double ahead; /* seconds that the host has spent enqueueing, and not yet slept */
  int depth;
  double begun[DEPTH]; /* when the operations began that are going on, each inside the one before */
} device;

static const machine *machine_of_environment(void)
{
  const char *key = getenv("SHOCKLET_MODEL");
  for (size_t i = 0; key && i < sizeof machines / sizeof *machines; i++)
    if (strcmp(machines[i].key, key) == 0) return &machines[i];
  return machines;
}

static void enqueue(const batched_ctx *ctx, double seconds)
{
  device *d = ctx->stream;
  d->ahead += d->machine->launch;
  d->busy = fmax(d->busy, batched_seconds() + d->ahead) + fmax(seconds, d->machine->kernel);
}

void batched_model_enqueue(batched_ctx *ctx, double bytes, double fraction)
{
  enqueue(ctx, bytes / (((const device *)ctx->stream)->machine->bandwidth * fraction));
}

void batched_model_enqueue_bus(batched_ctx *ctx, double bytes)
{
  enqueue(ctx, bytes / ((const device *)ctx->stream)->machine->bus);
}

double batched_model_mark(const batched_ctx *ctx)
{
  return ((const device *)ctx->stream)->busy;
}

void batched_model_wait(batched_ctx *ctx, double mark)
{
  device *d = ctx->stream;
  const double left = fmax(mark + d->machine->wait - batched_seconds(), d->ahead);
  d->ahead = 0.0;
  if (left <= 0.0) return;
  const time_t whole = (time_t)left;
  const struct timespec t = {.tv_sec = whole, .tv_nsec = (long)(1e9 * (left - (double)whole))};
  nanosleep(&t, NULL);
}

void batched_model_charge(batched_ctx *ctx, const batched_op *op, const void *args)
{
  const machine *m = ((const device *)ctx->stream)->machine;
  const batched_cost cost = op->cost ? op->cost(args) : (batched_cost){0};
  double fraction = 0.8; // of a kernel that streams
  for (const reach *r = m->reach; r->operation; r++)
    if (strcmp(r->operation, op->name) == 0) fraction = r->fraction;
  enqueue(ctx, fmax(cost.bytes / m->bandwidth, cost.flops / m->flops) / fraction);
}

/* ------------------------------------------------------------------ what context.h asks of a device */

int batched_cuda_open(batched_ctx *ctx)
{
  device *d = malloc(sizeof *d);
  if (!d) return BATCHED_NO_MEMORY;
  *d = (device){.machine = machine_of_environment(), .busy = batched_seconds()};
  ctx->stream = d;
  return BATCHED_SUCCESS;
}

void batched_cuda_close(batched_ctx *ctx)
{
  free(ctx->stream);
  ctx->stream = NULL;
}

bool batched_cuda_is_captured(const batched_ctx *ctx)
{
  (void)ctx;
  return false;
}

/* Nothing runs that could be left out. */
int batched_cuda_begin_discarded(batched_ctx *ctx)
{
  (void)ctx;
  return BATCHED_NO_DEVICE;
}

int batched_cuda_end_discarded(batched_ctx *ctx)
{
  (void)ctx;
  return BATCHED_NO_DEVICE;
}

/* Pages that nobody touches take no memory. */
void *batched_cuda_allocate(batched_ctx *ctx, size_t bytes)
{
  (void)ctx;
  return malloc(bytes);
}

void batched_cuda_release(batched_ctx *ctx, void *p)
{
  (void)ctx;
  free(p);
}

int batched_cuda_copy(batched_ctx *ctx, void *to, const void *from, size_t bytes)
{
  batched_model_enqueue_bus(ctx, (double)bytes);
  if (bytes <= STORED) memcpy(to, from, bytes);
  return BATCHED_SUCCESS;
}

int batched_cuda_stage(batched_ctx *ctx, void *to, const void *host, size_t bytes)
{
  return batched_cuda_copy(ctx, to, host, bytes);
}

int batched_cuda_fill_zero(batched_ctx *ctx, void *p, size_t bytes)
{
  batched_model_enqueue(ctx, (double)bytes, 0.8);
  if (bytes <= STORED) memset(p, 0, bytes);
  return BATCHED_SUCCESS;
}

int batched_cuda_synchronize(batched_ctx *ctx)
{
  batched_model_wait(ctx, batched_model_mark(ctx));
  return BATCHED_SUCCESS;
}

int batched_cuda_measure_limits(batched_ctx *ctx, batched_limits *limits)
{
  const machine *m = ((const device *)ctx->stream)->machine;
  *limits = (batched_limits){.triad = m->bandwidth, .copy = m->bandwidth, .vector = m->flops / 2, .matrix = m->flops};
  return BATCHED_SUCCESS;
}

int batched_cuda_device(char *name, int bytes, int *capability)
{
  strncpy(name, machine_of_environment()->name, (size_t)bytes - 1);
  name[bytes - 1] = 0;
  *capability = 0;
  return BATCHED_SUCCESS;
}

int batched_cuda_count(const char **why)
{
  (void)why;
  return 1;
}

int batched_cuda_get(int number, batched_device *about)
{
  if (number != 0) return BATCHED_NO_DEVICE;
  const int process = (int)getpid(); // each has a GPU of its own
  *about = (batched_device){.bus_id = "0000:00:00.0", .memory = (size_t)80 << 30};
  memcpy(about->uuid, &process, sizeof process);
  return batched_cuda_device(about->name, sizeof about->name, &about->capability);
}

int batched_cuda_use(int number)
{
  return number > 0 ? BATCHED_NO_DEVICE : BATCHED_SUCCESS;
}

void batched_cuda_memory(size_t *unused, size_t *all)
{
  *unused = *all = (size_t)80 << 30;
}

const char *batched_cuda_failure(void)
{
  return "";
}

int batched_cuda_span_begin(batched_ctx *ctx, const char *name)
{
  (void)name;
  device *d = ctx->stream;
  if (d->depth < DEPTH) d->begun[d->depth] = fmax(d->busy, batched_seconds());
  return d->depth++;
}

/* The device's time, as that of two events. */
bool batched_cuda_span_end(batched_ctx *ctx, int span, int row)
{
  device *d = ctx->stream;
  d->depth = span;
  if (span >= DEPTH) return false;
  if (row >= 0) ctx->stats[row].seconds += fmax(d->busy - d->begun[span], 0.0);
  return true;
}

bool batched_cuda_span_share(batched_ctx *ctx, int row)
{
  const device *d = ctx->stream;
  if (d->depth == 0 || d->depth > DEPTH) return false;
  ctx->stats[row].seconds += fmax(d->busy - d->begun[d->depth - 1], 0.0);
  return true;
}

int batched_cuda_trace_open(batched_ctx *ctx)
{
  (void)ctx;
  return BATCHED_SUCCESS;
}

void batched_cuda_trace_close(batched_ctx *ctx)
{
  (void)ctx;
}

void batched_cuda_trace_settle(batched_ctx *ctx, bool keep)
{
  (void)ctx, (void)keep;
}

bool batched_recording_begin(batched_ctx *ctx)
{
  (void)ctx;
  return false;
}

int batched_recording_run(batched_ctx *ctx, batched_recording **recording, int status)
{
  (void)ctx, (void)recording;
  return status;
}

void batched_recording_destroy(batched_recording **recording)
{
  (void)recording;
}

void batched_recording_sample(batched_ctx *ctx, const char *name)
{
  (void)ctx, (void)name;
}

void *batched_cuda_allocate_locked(size_t bytes)
{
  return malloc(bytes);
}

void batched_cuda_release_locked(void *p)
{
  free(p);
}

/* A time: seconds, in memory of its own. */
int batched_cuda_mark_set(batched_ctx *ctx, void **mark)
{
  if (!*mark) *mark = malloc(sizeof(double));
  if (!*mark) return BATCHED_NO_MEMORY;
  *(double *)*mark = batched_model_mark(ctx);
  return BATCHED_SUCCESS;
}

int batched_cuda_mark_await(batched_ctx *ctx, void *mark)
{
  batched_model_wait(ctx, *(const double *)mark);
  return BATCHED_SUCCESS;
}

void batched_cuda_mark_destroy(void *mark)
{
  free(mark);
}
