/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small things that the host rows share.
 */
#ifndef BATCHED_HOST_ROWS_H
#define BATCHED_HOST_ROWS_H

#include "batched/tuning/choice.h"

/* f_s(...), f_d(...), f_c(...) or f_z(...). */
#define FOR_TYPE(type, f, ...) \
  ((type) == BATCHED_S   ? f##_s(__VA_ARGS__) \
   : (type) == BATCHED_D ? f##_d(__VA_ARGS__) \
   : (type) == BATCHED_C ? f##_c(__VA_ARGS__) \
                         : f##_z(__VA_ARGS__))

/* `likes` of the rows that run only when asked for, or when nothing else fits. */
static inline bool batched_never(const void *args)
{
  (void)args;
  return false;
}

/* Matrices first .. first + count - 1 of a batch. */
static inline batched_matrix batched_part(batched_matrix a, int64_t first, int64_t count)
{
  if (a.array)
    a.array += first;
  else if (a.data)
    a.data = (char *)a.data + first * a.stride * (int64_t)batched_element_bytes(a.type);
  if (a.ms) a.ms += first;
  if (a.ns) a.ns += first;
  if (a.lds) a.lds += first;
  a.count = count;
  return a;
}

/* The next run of matrices without a failure, [*begin, *end), of a batch of `count`; false if there is none.  Both
 * start at 0. */
static inline bool batched_next_sound(const int *info, int64_t count, int64_t *begin, int64_t *end)
{
  *begin = *end;
  while (*begin < count && info[*begin] != 0) ++*begin;
  for (*end = *begin; *end < count && info[*end] == 0;) ++*end;
  return *begin < *end;
}

/* Takes the scratch memory that rows with a matrix in each lane will ask for, and gives it back: without it nothing
 * must be touched.  They have two pieces: an order of the matrices, and a group of them in lanes of at most 128 bytes
 * an element. */
static inline bool batched_has_lane_scratch(batched_ctx *ctx, int order, int64_t count)
{
  const size_t n = (size_t)order, lanes = (n + 40) * (n + 1) * 128, indices = (size_t)count * sizeof(int64_t);
  const bool first = batched_scratch_push(ctx, lanes > indices ? lanes : indices) != NULL;
  const bool second = first && batched_scratch_push(ctx, lanes) != NULL;
  if (second) batched_scratch_pop(ctx);
  if (first) batched_scratch_pop(ctx);
  return second;
}

static inline int batched_min(int x, int y)
{
  return x < y ? x : y;
}

static inline int batched_max(int x, int y)
{
  return x > y ? x : y;
}

#endif
