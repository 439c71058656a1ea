/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/comm/images.h"

#include <stdlib.h>

typedef struct named {
  int64_t id;
  int node;
} named;

static int compare(const void *a, const void *b)
{
  const named *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static int compare_first(const void *a, const void *b)
{
  const named *const *x = a, *const *y = b;
  return ((*x)->node > (*y)->node) - ((*x)->node < (*y)->node);
}

/* The end of the nodes with the same id as the first. */
static const named *end_of(const named *first, const named *end)
{
  const named *p = first;
  while (p < end && p->id == first->id) p++;
  return p;
}

/* Firsts by number, each with its images. */
static void set_images(halo_images *m, const named *all, int n, const named **firsts)
{
  m->nfirsts = 0;
  for (const named *p = all, *next; p < all + n; p = next) {
    next = end_of(p, all + n);
    if (next - p > 1) firsts[m->nfirsts++] = p;
  }
  if (m->nfirsts) qsort(firsts, (size_t)m->nfirsts, sizeof *firsts, compare_first);
  m->start[0] = 0;
  for (int f = 0; f < m->nfirsts; f++) {
    const named *end = end_of(firsts[f], all + n);
    int at = m->start[f];
    m->first[f] = firsts[f]->node;
    for (const named *p = firsts[f] + 1; p < end; p++) m->image[at++] = p->node;
    m->start[f + 1] = at;
  }
}

/* is_image: [n], zeros */
static void set_kept(halo_images *m, int n, const int64_t *id, bool *is_image)
{
  for (int i = 0; i < m->start[m->nfirsts]; i++) is_image[m->image[i]] = true;
  for (int i = 0; i < n; i++) {
    if (is_image[i]) continue;
    m->kept[m->nkept] = i;
    m->kept_id[m->nkept++] = id[i];
  }
}

bool halo_images_find(halo_images *m, int n, const int64_t *id)
{
  const size_t most = (size_t)n + 1;
  *m = (halo_images){.first = malloc(most * sizeof(int)),
                     .start = malloc((most + 1) * sizeof(int)),
                     .image = malloc(most * sizeof(int)),
                     .kept = malloc(most * sizeof(int)),
                     .kept_id = malloc(most * sizeof(int64_t))};
  named *all = malloc(most * sizeof *all);
  const named **firsts = malloc(most * sizeof *firsts);
  bool *is_image = calloc(most, sizeof *is_image);
  const bool ok = m->first && m->start && m->image && m->kept && m->kept_id && all && firsts && is_image;
  if (ok) {
    for (int i = 0; i < n; i++) all[i] = (named){id[i], i};
    if (n) qsort(all, (size_t)n, sizeof *all, compare);
    set_images(m, all, n, firsts);
    set_kept(m, n, id, is_image);
  }
  free(all);
  free(firsts);
  free(is_image);
  return ok;
}

void halo_images_free(halo_images *m)
{
  free(m->first);
  free(m->start);
  free(m->image);
  free(m->kept);
  free(m->kept_id);
  *m = (halo_images){0};
}

void halo_images_fold(const halo_images *m, int ncomp, size_t n, double *x)
{
  for (int c = 0; c < ncomp; c++, x += n)
    for (int f = 0; f < m->nfirsts; f++)
      for (int i = m->start[f]; i < m->start[f + 1]; i++) x[m->first[f]] += x[m->image[i]];
}

void halo_images_spread(const halo_images *m, int ncomp, size_t n, double *x)
{
  for (int c = 0; c < ncomp; c++, x += n)
    for (int f = 0; f < m->nfirsts; f++)
      for (int i = m->start[f]; i < m->start[f + 1]; i++) x[m->image[i]] = x[m->first[f]];
}

void halo_images_max(const halo_images *m, double *x)
{
  for (int f = 0; f < m->nfirsts; f++)
    for (int i = m->start[f]; i < m->start[f + 1]; i++)
      if (x[m->image[i]] > x[m->first[f]]) x[m->first[f]] = x[m->image[i]];
}
