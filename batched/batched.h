/* SPDX-License-Identifier: BSD-3-Clause
 *
 * batched: dense linear algebra on many small matrices at once, on the host and on CUDA GPUs, in s, d, c, z.
 *
 * A batch is a plain view (batched_matrix).  One function per operation serves the four precisions, strided and
 * pointer-array batches, uniform and variable sizes.  Work goes through a context, which owns a stream, the scratch
 * memory and the choice of variants.  Nothing here prints or aborts: a call returns 0, -i for a bad i-th argument, or a
 * positive batched_status; what is wrong with one matrix goes into info[b].
 */
#ifndef BATCHED_H
#define BATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum batched_type { BATCHED_S, BATCHED_D, BATCHED_C, BATCHED_Z } batched_type;

/* Where the data of a context lives, and where its work is done. */
typedef enum batched_space { BATCHED_HOST, BATCHED_CUDA } batched_space;

typedef enum batched_status {
  BATCHED_SUCCESS = 0,
  BATCHED_NO_MEMORY,      /* the host or the device is out of memory */
  BATCHED_NO_VARIANT,     /* no such variant, or it was not built */
  BATCHED_DOES_NOT_FIT,   /* the variant asked for can't do this shape */
  BATCHED_NO_DEVICE,      /* no driver or no device; or CUDA was not built */
  BATCHED_DEVICE_FAILED,  /* a CUDA call failed; the context can't be used any more */
} batched_status;

/* One sentence for what a call returned: a status, or -i. */
const char *batched_strerror(int status);

/* ------------------------------------------------------------------ context */

typedef struct batched_ctx batched_ctx;

/* A context for work in `space`.  Contexts are independent of each other; one context serves one thread at a time.
 * Returns BATCHED_NO_DEVICE when `space` is BATCHED_CUDA and there is none; *ctx is NULL then. */
int batched_create(batched_ctx **ctx, batched_space space);
/* The same on a stream of the caller's (a cudaStream_t; it outlives the context). */
int batched_create_on_stream(batched_ctx **ctx, void *stream);
void batched_destroy(batched_ctx **ctx);

batched_space batched_get_space(const batched_ctx *ctx);

/* Waits for all work of the context; returns BATCHED_DEVICE_FAILED if any of it failed. */
int batched_synchronize(batched_ctx *ctx);

/* ------------------------------------------------------------------ memory in the context's space */

/* 64-byte aligned (host) or 256-byte aligned (CUDA); 0 bytes give NULL.  NULL on failure. */
void *batched_allocate(batched_ctx *ctx, size_t bytes);
void batched_release(batched_ctx *ctx, void *p);

/* Ordered on the context's stream; to_host and from_host return when the host's memory may be used again. */
int batched_copy_to_host(batched_ctx *ctx, void *host, const void *p, size_t bytes);
int batched_copy_from_host(batched_ctx *ctx, void *p, const void *host, size_t bytes);
int batched_copy_within(batched_ctx *ctx, void *to, const void *from, size_t bytes);
int batched_fill_zero(batched_ctx *ctx, void *p, size_t bytes);

/* Largest number of bytes that were allocated at the same time through any context of this space. */
size_t batched_peak_bytes(batched_space space);

/* Tests only: the n-th allocation from now on fails, through any context (0: the next one; -1: none). */
void batched_fail_allocation(int64_t n);

/* ------------------------------------------------------------------ batches */

/* A batch of `count` matrices, column-major.  A view: owns nothing.
 *   strided:        data = first matrix, array = NULL, matrix b starts `stride` elements after matrix b-1
 *   pointer array:  array[b] = matrix b (the array lives in the space of the data), data = NULL
 *   variable size:  ms, ns, lds give the shape of each matrix (NULL: uniform); m, n, ld are then upper bounds */
typedef struct batched_matrix {
  void *data;
  void *const *array;
  batched_type type;
  int m, n, ld;
  int64_t stride;
  int64_t count;
  const int *ms, *ns, *lds;
} batched_matrix;

/* A number of any of the four types. */
typedef struct batched_scalar {
  double re, im;
} batched_scalar;

static inline batched_scalar batched_real(double re)
{
  batched_scalar a = {re, 0.0};
  return a;
}

#ifdef __cplusplus
}
#endif

#endif
