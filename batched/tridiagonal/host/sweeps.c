/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tridiagonal/host/sweeps.h"
#include "batched/host/rows.h"

#define BODY "batched/tridiagonal/host/sweeps_simd.h"
#include "batched/host/each_type.h"

/* The rotations of all groups, which stay in the second cache beside a strip. */
enum { ANGLE_BYTES = 256 << 10 };

#define FOR_REAL(q, f, ...) ((q)->single ? f##_s(__VA_ARGS__) : f##_d(__VA_ARGS__))

static size_t group_bytes(bool single, int n)
{
  return ((size_t)n + BATCHED_SWEEPS) * BATCHED_SWEEPS * 2 * (single ? sizeof(float) : sizeof(double));
}

static size_t vector_bytes(int n, int rows, bool single)
{
  const size_t line = SIMD_BYTES, bytes = (size_t)rows * (single ? sizeof(float) : sizeof(double));
  return (bytes + line - 1) / line * line * (size_t)n;
}

size_t batched_sweeps_bytes(bool single, int n, int rows)
{
  const size_t one = group_bytes(single, n);
  return (one > ANGLE_BYTES ? one : ANGLE_BYTES) + vector_bytes(n, rows, single);
}

void batched_lay_out_sweeps(batched_sweeps *q, bool single, int n, int rows, void *memory)
{
  const size_t most = ANGLE_BYTES / group_bytes(single, n);
  *q = (batched_sweeps){.single = single, .n = n, .rows = rows, .vectors = memory};
  q->most = most < 1 ? 1 : most > BATCHED_SWEEP_GROUPS ? BATCHED_SWEEP_GROUPS : (int)most;
  q->angles = (char *)memory + vector_bytes(n, rows, single);
}

void batched_load_vectors(const batched_sweeps *q, const batched_sweep_rows *r)
{
  FOR_REAL(q, move_vectors, q, r, true);
}

void batched_store_vectors(const batched_sweeps *q, const batched_sweep_rows *r)
{
  FOR_REAL(q, move_vectors, q, r, false);
}

void batched_exchange_vectors(const batched_sweeps *q, int i, int j)
{
  FOR_REAL(q, exchange_vectors, q, i, j);
}

void batched_negate_vector(const batched_sweeps *q, int j)
{
  FOR_REAL(q, negate_vector, q, j);
}

void batched_turn_vectors(batched_sweeps *q)
{
  FOR_REAL(q, turn_vectors, q);
  q->used = 0;
}

/* True where a sweep from .. to goes with those of the group, without more than as many rotations by nothing. */
static bool goes_with(const batched_sweep_group *g, int from, int to, bool backwards)
{
  int length = to - from;
  if (g->backwards != backwards || g->count == BATCHED_SWEEPS) return false;
  for (int k = 0; k < g->count; k++) length += g->to[k] - g->from[k];
  return (int64_t)(batched_max(g->hi, to) - batched_min(g->lo, from)) * (g->count + 1) <= 2 * (int64_t)length;
}

void batched_begin_sweep(batched_sweeps *q, int first, int steps, bool backwards)
{
  const int from = backwards ? q->n - 1 - first : first, to = from + steps;
  if (q->used == 0 || !goes_with(&q->groups[q->used - 1], from, to, backwards)) {
    if (q->used == q->most) batched_turn_vectors(q);
    q->groups[q->used++] = (batched_sweep_group){.backwards = backwards, .lo = from, .hi = to};
  }
  batched_sweep_group *const g = &q->groups[q->used - 1];
  const int k = g->count++;
  g->from[k] = from;
  g->to[k] = to;
  g->lo = batched_min(g->lo, from);
  g->hi = batched_max(g->hi, to);
  const size_t bytes = group_bytes(q->single, q->n), steps_before = (size_t)(from + k);
  q->next = (char *)q->angles + (size_t)(q->used - 1) * bytes +
            (steps_before * BATCHED_SWEEPS + (size_t)k) * 2 * (q->single ? sizeof(float) : sizeof(double));
}
