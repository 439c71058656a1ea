/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "batched/batched_lowrank.h"
#include "batched/check.h"

enum { BITS = 20 };

typedef struct place {
  uint64_t key;
  int number;
} place;

static int compare(const void *x, const void *y)
{
  const place *a = x, *b = y;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* The bits of the coordinates in turn, highest first. */
static uint64_t interleave(int dim, const uint64_t *x)
{
  uint64_t key = 0;
  for (int bit = BITS - 1; bit >= 0; bit--)
    for (int c = 0; c < dim; c++) key = key << 1 | (x[c] >> bit & 1);
  return key;
}

int batched_morton_order(int dim, int n, const double *points, int *order)
{
  if (dim < 1 || dim > 3) return -1;
  if (!batched_accept(n >= 0, "n %d < 0", n)) return -2;
  if (!batched_is_given(points, "points", n > 0)) return -3;
  if (!batched_is_given(order, "order", n > 0)) return -4;
  place *places = malloc((n > 0 ? (size_t)n : 1) * sizeof *places);
  if (!places) return BATCHED_NO_MEMORY;
  double low[3] = {INFINITY, INFINITY, INFINITY}, extent = 0;
  for (int64_t i = 0; i < (int64_t)dim * n; i++) low[i % dim] = fmin(low[i % dim], points[i]);
  for (int64_t i = 0; i < (int64_t)dim * n; i++) extent = fmax(extent, points[i] - low[i % dim]);
  const double scale = extent > 0 ? ((1 << BITS) - 1) / extent : 0;
  for (int i = 0; i < n; i++) {
    uint64_t x[3] = {0};
    for (int c = 0; c < dim; c++) x[c] = (uint64_t)((points[(int64_t)dim * i + c] - low[c]) * scale);
    places[i] = (place){interleave(dim, x), i};
  }
  qsort(places, (size_t)n, sizeof *places, compare);
  for (int i = 0; i < n; i++) order[i] = places[i].number;
  free(places);
  return BATCHED_SUCCESS;
}
