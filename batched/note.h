/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A note of a stretch of work: what the host reads of it while the device goes on with the next one.  Its copies take
 * their turns among the work, and may be part of a recording; the host waits for the end of the note, not for what was
 * enqueued behind it.
 */
#ifndef BATCHED_NOTE_H
#define BATCHED_NOTE_H

#include "batched/batched.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_note batched_note;

/* Of so many bytes; NULL: no memory. */
batched_note *batched_note_create(batched_ctx *ctx, size_t bytes);
void batched_note_destroy(batched_note **note);

/* Copies p, in the context's memory, to the note, `at` bytes behind its begin.  A batched_status, as below. */
int batched_note_take(batched_note *note, size_t at, const void *p, size_t bytes);
/* Nothing is recorded now; the copies so far, and all work before them, are those that are awaited. */
int batched_note_end(batched_note *note);
int batched_note_await(const batched_note *note);
/* What was taken: good from when it was awaited until it is taken again. */
const void *batched_note_read(const batched_note *note);

/* For note.c: the CUDA backend's page-locked memory, and marks in its stream (cuda/recording.cu; cuda/none.c where CUDA
 * was not built).  set makes the mark where *mark is NULL. */
void *batched_cuda_allocate_locked(size_t bytes);
void batched_cuda_release_locked(void *p);
int batched_cuda_mark_set(batched_ctx *ctx, void **mark);
int batched_cuda_mark_await(batched_ctx *ctx, void *mark);
void batched_cuda_mark_destroy(void *mark);

#ifdef __cplusplus
}
#endif

#endif
