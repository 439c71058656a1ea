/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/note.h"

#include <stdlib.h>

struct batched_note {
  batched_ctx *ctx; // borrowed
  char *data;       // owned, page-locked where the context is on a GPU
  void *mark;       // owned: the end; NULL: on the host, or there was none
};

static bool on_gpu(const batched_note *n)
{
  return batched_get_space(n->ctx) == BATCHED_CUDA;
}

batched_note *batched_note_create(batched_ctx *ctx, size_t bytes)
{
  batched_note *n = calloc(1, sizeof *n);
  if (!n) return NULL;
  n->ctx = ctx;
  n->data = on_gpu(n) ? batched_cuda_allocate_locked(bytes) : malloc(bytes);
  if (!n->data) batched_note_destroy(&n);
  return n;
}

void batched_note_destroy(batched_note **note)
{
  batched_note *n = *note;
  *note = NULL;
  if (!n) return;
  if (n->mark) batched_cuda_mark_destroy(n->mark);
  if (n->data && on_gpu(n))
    batched_cuda_release_locked(n->data);
  else
    free(n->data);
  free(n);
}

int batched_note_take(batched_note *n, size_t at, const void *p, size_t bytes)
{
  return batched_copy_within(n->ctx, n->data + at, p, bytes);
}

int batched_note_end(batched_note *n)
{
  return on_gpu(n) ? batched_cuda_mark_set(n->ctx, &n->mark) : BATCHED_SUCCESS;
}

int batched_note_await(const batched_note *n)
{
  return n->mark ? batched_cuda_mark_await(n->ctx, n->mark) : BATCHED_SUCCESS;
}

const void *batched_note_read(const batched_note *n)
{
  return n->data;
}
