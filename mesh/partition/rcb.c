/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "mesh/coarse.h"
#include "mesh/partition/partition.h"

typedef struct centroid {
  double x[3];
  int64_t id;
} centroid;

static int compare(const centroid *a, const centroid *b, int axis)
{
  if (a->x[axis] != b->x[axis]) return a->x[axis] < b->x[axis] ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
}

static void exchange(centroid *a, centroid *b)
{
  centroid t = *a;
  *a = *b;
  *b = t;
}

/* Hoare's selection: afterwards the first k are no greater along the axis than the rest.  The ids make all
 * different. */
static void select_first(centroid *c, int64_t n, int64_t k, int axis)
{
  int64_t low = 0, high = n - 1;
  while (low < high) {
    centroid pivot = c[low + (high - low) / 2];
    int64_t i = low, j = high;
    while (i <= j) {
      while (compare(&c[i], &pivot, axis) < 0) i++;
      while (compare(&c[j], &pivot, axis) > 0) j--;
      if (i <= j) exchange(&c[i++], &c[j--]);
    }
    if (k <= j)
      high = j;
    else if (k >= i)
      low = i;
    else
      return;
  }
}

static int longest_axis(const centroid *c, int64_t n, int dim)
{
  int longest = 0;
  double length = -1;
  for (int d = 0; d < dim; d++) {
    double low = c[0].x[d], high = low;
    for (int64_t i = 1; i < n; i++) {
      if (c[i].x[d] < low) low = c[i].x[d];
      if (c[i].x[d] > high) high = c[i].x[d];
    }
    if (high - low > length) length = high - low, longest = d;
  }
  return longest;
}

static void set_centroids(centroid *out, const mesh_coarse *c, const int subdivision[3])
{
  int64_t cells = mesh_cells(subdivision);
  for (int64_t id = 0; id < cells * c->nzones; id++, out++) {
    *out = (centroid){.id = id};
    int64_t rest = id;
    double t[3];
    for (int d = 0; d < 3; d++) {
      t[d] = ((double)(rest % subdivision[d]) + 0.5) / subdivision[d];
      rest /= subdivision[d];
    }
    const int ncorners = mesh_coarse_corners(c);
    for (int i = 0; i < ncorners; i++) {
      double weight = c->shape == MESH_SIMPLEX ? 1.0 / ncorners : 1.0;
      for (int d = 0; d < c->dim && c->shape == MESH_TENSOR; d++) weight *= i >> d & 1 ? t[d] : 1 - t[d];
      const double *x = c->vertices + (int64_t)mesh_coarse_zone(c, rest)[i] * c->dim;
      for (int d = 0; d < c->dim; d++) out->x[d] += weight * x[d];
    }
  }
}

static int compare_ids(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int mesh_partition_rcb(mesh_share *share, const mesh_coarse *c, const int subdivision[3], int nranks, int rank)
{
  int64_t n = mesh_cells(subdivision) * c->nzones;
  *share = (mesh_share){0};
  centroid *all = malloc((size_t)n * sizeof *all), *mine = all;
  if (!all) return STATUS_MACHINE;
  set_centroids(all, c, subdivision);
  while (nranks > 1 && n > 0) { // follow the halves that hold this rank
    int lower_ranks = nranks / 2;
    int64_t lower = mesh_piece(n, nranks, lower_ranks);
    select_first(mine, n, lower, longest_axis(mine, n, c->dim));
    if (rank < lower_ranks) {
      nranks = lower_ranks, n = lower;
    } else {
      mine += lower, n -= lower, rank -= lower_ranks, nranks -= lower_ranks;
    }
  }
  share->zone_ids = malloc(((size_t)n + 1) * sizeof *share->zone_ids);
  if (share->zone_ids) {
    share->nzones = n;
    for (int64_t i = 0; i < n; i++) share->zone_ids[i] = mine[i].id;
    qsort(share->zone_ids, (size_t)n, sizeof *share->zone_ids, compare_ids);
  }
  free(all);
  return share->zone_ids ? STATUS_OK : STATUS_MACHINE;
}
