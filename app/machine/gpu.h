/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which GPU a rank drives.
 */
#ifndef APP_GPU_H
#define APP_GPU_H

#include <pthread.h>

#include "batched/batched.h"

typedef struct gpu {
  batched_device about; /* this rank's */
  int number;           /* of this rank's, among those that it can use; -1: the rank works on the host */
  int distinct;         /* GPUs of the whole run */
  bool first;           /* no lower rank drives the same one */
  char text[512];       /* who drives what, one line */
  pthread_t waker;      /* see gpu_wake */
  bool is_waking;
} gpu;

/* Has the driver set up this rank's GPU, which takes it a third of a second, beside what is done until
 * gpu_create_context; false: there is nothing to wait for.  Collective. */
bool gpu_wake(gpu *g, const char *backend, bool built);
/* Waits for that. */
void gpu_await(gpu *g);

/* A context as kernels.backend says (auto, host, cuda): ranks of one machine take its GPUs in turn.  `auto` is the GPU
 * where `built`, the kernels of a step were built for it, and every rank has one; else the host, with a warning where a
 * GPU is there and can't be had.  Collective; all ranks get the same backend and status, STATUS_OK or STATUS_MACHINE
 * with a sentence in message[size]. */
int gpu_create_context(batched_ctx **ctx, gpu *g, const char *backend, bool built, char *message, size_t size);

#endif
