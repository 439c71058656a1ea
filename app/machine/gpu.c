/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/machine/gpu.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/machine/collective_status.h"
#include "app/machine/memory.h"
#include "mesh/comm/comm.h"
#include "mesh/comm/sharing.h"

enum { NAMED_RANKS = 8 };

static int refuse(int status, int number, char *message, size_t size)
{
  char why[256];
  batched_device about;
  if (status == BATCHED_NO_KERNELS && batched_get_device(number, &about) == BATCHED_SUCCESS)
    snprintf(message, size,
             "kernels.backend: this program has no code for %s (compute capability %d.%d); build it with "
             "-DCMAKE_CUDA_ARCHITECTURES=%d",
             about.name, about.capability / 10, about.capability % 10, about.capability);
  else if (status == BATCHED_NO_MEMORY && batched_get_device(number, &about) == BATCHED_SUCCESS)
    snprintf(message, size, "kernels.backend: GPU %d: out of GPU memory: none of its %.3g GB are free", number,
             1e-9 * (double)about.memory);
  else
    snprintf(message, size, "kernels.backend: GPU %d: %s", number, batched_explain(NULL, status, why, sizeof why));
  return STATUS_MACHINE;
}

/* A context on this rank's GPU: STATUS_OK, or STATUS_MACHINE with a sentence. */
static int open_gpu(batched_ctx **ctx, gpu *g, bool built, char *message, size_t size)
{
  const char *why = "this build has no CUDA kernels for a time step";
  const int local = comm_local_rank(), devices = built ? batched_device_count(&why) : 0;
  if (devices == 0) {
    snprintf(message, size, "kernels.backend: cuda: %s; use host", why);
    return STATUS_MACHINE;
  }
  g->number = local % devices;
  int status = batched_create_on_device(ctx, g->number);
  if (!status) status = batched_get_device(g->number, &g->about);
  return status ? refuse(status, g->number, message, size) : 0;
}

/* The GPU's 16 bytes of uuid as one number. */
static int64_t identity(const gpu *g)
{
  uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
  for (size_t i = 0; i < sizeof g->about.uuid; i++) hash = (hash ^ g->about.uuid[i]) * 0x100000001b3u;
  return (int64_t)(hash >> 2); // ids are below the largest int64_t
}

/* Finds the ranks that drive the same GPU, as those that share a node are found.  False on all ranks: one is out of
 * memory. */
static bool find_sharers(gpu *g)
{
  const int64_t id = identity(g);
  sharing *others = NULL;
  int count = 0;
  const int status = comm_worst(sharing_find(1, &id, &others, &count));
  g->first = count == 0 || others[0].other > comm_rank();
  free(others);
  int64_t firsts = g->first;
  comm_sum_int64(&firsts, 1);
  g->distinct = (int)firsts;
  return !status;
}

/* "4 ranks on 2 GPUs, NVIDIA H100 80GB HBM3: rank 0 on 0000:41:00.0, rank 1 on ..." */
static void describe(gpu *g)
{
  const int size = comm_size();
  int used = snprintf(g->text, sizeof g->text, "%d %s on %d %s, %s:", size, size == 1 ? "rank" : "ranks", g->distinct,
                      g->distinct == 1 ? "GPU" : "GPUs", g->about.name);
  for (int r = 0; r < size && r < NAMED_RANKS; r++) {
    char bus_id[sizeof g->about.bus_id];
    memcpy(bus_id, g->about.bus_id, sizeof bus_id);
    comm_broadcast(bus_id, sizeof bus_id, r);
    if (used > 0 && (size_t)used < sizeof g->text)
      used += snprintf(g->text + used, sizeof g->text - (size_t)used, "%s rank %d on %s", r ? "," : "", r, bus_id);
  }
  if (size > NAMED_RANKS && used > 0 && (size_t)used < sizeof g->text)
    snprintf(g->text + used, sizeof g->text - (size_t)used, ", ...");
}

/* The number of the rank on its machine is in g->number.  What fails here fails again where somebody listens. */
static void *wake(void *data)
{
  const gpu *g = data;
  batched_ctx *ctx;
  const char *why;
  const int devices = batched_device_count(&why);
  if (devices > 0 && batched_create_on_device(&ctx, g->number % devices) == BATCHED_SUCCESS) batched_destroy(&ctx);
  return NULL;
}

bool gpu_wake(gpu *g, const char *backend, bool built)
{
  sigset_t every, before;
  *g = (gpu){.number = comm_local_rank()};
  if (!built || strcmp(backend, "host") == 0 || access("/dev/nvidiactl", F_OK) != 0) return false;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before); // requests are for the rank's own thread
  g->is_waking = pthread_create(&g->waker, NULL, wake, g) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return g->is_waking;
}

void gpu_await(gpu *g)
{
  if (g->is_waking) pthread_join(g->waker, NULL);
  g->is_waking = false;
}

int gpu_create_context(batched_ctx **ctx, gpu *g, const char *backend, bool built, char *message, size_t size)
{
  gpu_await(g);
  *ctx = NULL;
  *g = (gpu){.number = -1};
  if (strcmp(backend, "host") != 0) {
    const bool asked = strcmp(backend, "cuda") == 0;
    int status = open_gpu(ctx, g, built, message, size);
    const bool unusable = comm_worst(status && g->number >= 0); // there is one, and it can't be had
    status = collective_status(status, message, size);
    if (!status && !find_sharers(g)) return memory_refuse_setup(message, size);
    if (!status) describe(g);
    if (!status || asked) return status;
    if (unusable && comm_rank() == 0) fprintf(stderr, "shocklet: warning: %s; the run is on the host\n", message);
    batched_destroy(ctx);
    *g = (gpu){.number = -1};
  }
  const int status = batched_create(ctx, BATCHED_HOST) ? memory_refuse_setup(message, size) : STATUS_OK;
  return collective_status(status, message, size);
}
