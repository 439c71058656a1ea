/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Space-filling curves: Hilbert's through the centroids of the coarse zones, and within each a generalisation to
 * lattices of any size (after J. Cerveny, "gilbert", and his splitting rules).
 */
#include <math.h>
#include <stdlib.h>

#include "mesh/coarse.h"
#include "mesh/partition/partition.h"

/* An edge of a sub-box of the lattice: length cells along axis, in direction sign. */
typedef struct edge {
  int axis, sign, length;
} edge;

typedef struct walk {
  const int *n;     /* cells of the lattice */
  int64_t from, to; /* the part of the curve that is wanted */
  int64_t at;       /* cells of the curve passed */
  int64_t *out;     /* next place to write */
  int64_t first_id; /* of the coarse zone */
} walk;

static edge back(edge e)
{
  e.sign = -e.sign;
  return e;
}

static edge of_length(edge e, int length)
{
  e.length = length;
  return e;
}

/* The first half of an edge, an even number of cells if there is one. */
static int half(edge e)
{
  int h = e.length / 2;
  return h % 2 && e.length > 2 ? h + 1 : h;
}

/* p + steps cells along e */
static void step(int p[3], edge e, int steps)
{
  p[e.axis] += e.sign * steps;
}

static void visit_line(walk *w, const int p[3], edge a)
{
  for (int i = 0; i < a.length; i++, w->at++) {
    if (w->at < w->from || w->at >= w->to) continue;
    int q[3] = {p[0], p[1], p[2]};
    step(q, a, i);
    *w->out++ = w->first_id + q[0] + (int64_t)w->n[0] * (q[1] + (int64_t)w->n[1] * q[2]);
  }
}

/* Walks the box with corner cell p and edges a, b, c from p to the cell at the far end of a.  The depth is
 * logarithmic. */
static void visit_box(walk *w, const int p[3], edge a, edge b, edge c)
{
  int64_t cells = (int64_t)a.length * b.length * c.length;
  if (cells == 0) return;
  if (w->at + cells <= w->from || w->at >= w->to) {
    w->at += cells;
    return;
  }
  if (b.length == 1 && c.length == 1) return visit_line(w, p, a);
  if (a.length == 1 && c.length == 1) return visit_line(w, p, b);
  if (a.length == 1 && b.length == 1) return visit_line(w, p, c);

  int64_t la = a.length, lb = b.length, lc = c.length;
  edge a1 = of_length(a, half(a)), a2 = of_length(a, a.length - a1.length);
  edge b1 = of_length(b, half(b)), b2 = of_length(b, b.length - b1.length);
  edge c1 = of_length(c, half(c)), c2 = of_length(c, c.length - c1.length);
  int q[3] = {p[0], p[1], p[2]};
  if (2 * la > 3 * lb && 2 * la > 3 * lc) { // long: cut along a only
    visit_box(w, q, a1, b, c);
    step(q, a, a1.length);
    visit_box(w, q, a2, b, c);
  } else if (3 * lb > 4 * lc) { // flat: a Hilbert curve over a and b
    visit_box(w, q, b1, c, a1);
    step(q, b, b1.length);
    visit_box(w, q, a, b2, c);
    step(q, b, -1), step(q, a, a.length - 1);
    visit_box(w, q, back(b1), c, back(a2));
  } else if (3 * lc > 4 * lb) { // over a and c
    visit_box(w, q, c1, a1, b);
    step(q, c, c1.length);
    visit_box(w, q, a, b, c2);
    step(q, c, -1), step(q, a, a.length - 1);
    visit_box(w, q, back(c1), back(a2), b);
  } else { // over all three
    visit_box(w, q, b1, c1, a1);
    step(q, b, b1.length);
    visit_box(w, q, c, a1, b2);
    step(q, b, -1), step(q, c, c.length - 1);
    visit_box(w, q, a, back(b1), back(c2));
    step(q, a, a.length - 1), step(q, b, 1);
    visit_box(w, q, back(c), back(a2), b2);
    step(q, b, -1), step(q, c, 1 - c.length);
    visit_box(w, q, back(b1), c1, back(a2));
  }
}

/* Cells from..to-1 of the curve through the lattice of one coarse zone, written to out. */
static int64_t *visit_lattice(const int n[3], int64_t first_id, int64_t from, int64_t to, int64_t *out)
{
  const int corner[3] = {0};
  edge e[3] = {{0, 1, n[0]}, {1, 1, n[1]}, {2, 1, n[2]}};
  int longest = 0;
  for (int d = 1; d < 3; d++) longest = n[d] > n[longest] ? d : longest;
  walk w = {.n = n, .from = from, .to = to, .out = out, .first_id = first_id};
  visit_box(&w, corner, e[longest], e[longest == 0 ? 1 : 0], e[longest == 2 ? 1 : 2]);
  return w.out;
}

enum { BITS = 20 };

typedef struct key {
  uint64_t place;
  int zone;
} key;

static int compare_keys(const void *a, const void *b)
{
  const key *x = a, *y = b;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  return (x->zone > y->zone) - (x->zone < y->zone);
}

/* Place along the Hilbert curve of the cell x[dim] of a grid of 2^BITS cells a side: Skilling's transform (AIP Conf.
 * Proc. 707, 381, 2004), which works on the bits of the coordinates in place. */
static uint64_t hilbert_place(int dim, uint32_t x[3])
{
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1) {
    for (int d = 0; d < dim; d++) {
      uint32_t t = (x[0] ^ x[d]) & (q - 1);
      if (x[d] & q)
        x[0] ^= q - 1;
      else
        x[0] ^= t, x[d] ^= t;
    }
  }
  for (int d = 1; d < dim; d++) x[d] ^= x[d - 1];
  uint32_t t = 0;
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1) {
    if (x[dim - 1] & q) t ^= q - 1;
  }
  uint64_t place = 0;
  for (int bit = BITS - 1; bit >= 0; bit--) {
    for (int d = 0; d < dim; d++) place = place << 1 | ((x[d] ^ t) >> bit & 1);
  }
  return place;
}

/* Sum of the corners of a coarse zone: its centroid, times their number. */
static void corner_sum(const mesh_coarse *c, int zone, double sum[3])
{
  for (int d = 0; d < c->dim; d++) sum[d] = 0;
  for (int i = 0; i < mesh_coarse_corners(c); i++) {
    const double *x = c->vertices + (int64_t)mesh_coarse_zone(c, zone)[i] * c->dim;
    for (int d = 0; d < c->dim; d++) sum[d] += x[d];
  }
}

/* The coarse zones in the order of the curve. */
static void sort_coarse(const mesh_coarse *c, key *keys)
{
  double low[3], high[3], sum[3], widest = 0;
  for (int z = 0; z < c->nzones; z++) {
    corner_sum(c, z, sum);
    for (int d = 0; d < c->dim; d++) {
      low[d] = z ? fmin(low[d], sum[d]) : sum[d];
      high[d] = z ? fmax(high[d], sum[d]) : sum[d];
      widest = fmax(widest, high[d] - low[d]);
    }
  }
  for (int z = 0; z < c->nzones; z++) {
    corner_sum(c, z, sum);
    uint32_t x[3] = {0};
    for (int d = 0; d < c->dim && widest > 0; d++) x[d] = (uint32_t)((sum[d] - low[d]) / widest * ((1 << BITS) - 1));
    keys[z] = (key){.place = hilbert_place(c->dim, x), .zone = z};
  }
  qsort(keys, (size_t)c->nzones, sizeof *keys, compare_keys);
}

int mesh_partition_hilbert(mesh_share *share, const mesh_coarse *c, const int subdivision[3], int nranks, int rank)
{
  int64_t cells = mesh_cells(subdivision), all = cells * c->nzones;
  int64_t from = mesh_piece(all, nranks, rank), to = mesh_piece(all, nranks, rank + 1);
  share->nzones = to - from;
  share->zone_ids = malloc(((size_t)share->nzones + 1) * sizeof *share->zone_ids);
  key *keys = malloc((size_t)c->nzones * sizeof *keys);
  if (!share->zone_ids || !keys) {
    free(keys);
    free(share->zone_ids);
    share->zone_ids = NULL;
    return STATUS_MACHINE;
  }
  sort_coarse(c, keys);
  int64_t *out = share->zone_ids;
  for (int64_t i = from / cells; i * cells < to && i < c->nzones; i++)
    out = visit_lattice(subdivision, keys[i].zone * cells, from - i * cells, to - i * cells, out);
  free(keys);
  return 0;
}
