/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of a position across the seams of a periodic mesh, whose two sides are one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/fem.h"

/* Values at places to compare.  Places that are one node are compared with one of them, the reference, which is the
 * same on any number of ranks. */
typedef struct comparison {
  int64_t *place, *node; /* owned, [ndofs]: numbers of the place and of the reference */
  bool *owned;           /* owned, [ndofs]: the place is this rank's */
  double *here;          /* owned, [2 * dim][ndofs]: values, then positions */
  double *there;         /* owned, the same of the reference */
} comparison;

static void destroy(comparison *c)
{
  free(c->place);
  free(c->node);
  free(c->owned);
  free(c->here);
  free(c->there);
}

static bool number_places(comparison *c, const fem_space *s, const mesh *m)
{
  const size_t n = (size_t)s->nzones * (size_t)s->nd, ndofs = (size_t)s->ndofs + 1;
  int64_t *ids = malloc((n + 1) * sizeof *ids);
  c->place = malloc(ndofs * sizeof *c->place);
  c->node = malloc(ndofs * sizeof *c->node);
  c->owned = malloc(ndofs * sizeof *c->owned);
  const bool ok = ids && c->place && c->node && c->owned;
  if (ok) {
    mesh_node_ids(m, s->k, ids);
    for (size_t i = 0; i < n; i++) c->place[s->dofs[i]] = ids[i];
    mesh_joint_ids(m, s->k, ids);
    for (size_t i = 0; i < n; i++) c->node[s->dofs[i]] = ids[i];
    halo_owned(s->places, c->owned);
  }
  free(ids);
  return ok;
}

/* `there` is what the owner of the reference adds to zeros. */
static bool evaluate(comparison *c, const fem_space *s, const double *x, fem_vector_function f, const void *user)
{
  const size_t n = (size_t)s->ndofs, entries = 2 * (size_t)s->dim * n;
  c->here = malloc((entries + 1) * sizeof *c->here);
  c->there = calloc(entries + 1, sizeof *c->there);
  if (!c->here || !c->there) return false;
  for (size_t i = 0; i < n; i++) {
    double at[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0};
    for (int d = 0; d < s->dim; d++) at[d] = x[(size_t)d * n + i];
    f(user, at, v);
    for (int d = 0; d < s->dim; d++) c->here[(size_t)d * n + i] = v[d], c->here[(size_t)(s->dim + d) * n + i] = at[d];
    if (c->owned[i] && c->place[i] == c->node[i])
      for (size_t d = i; d < entries; d += n) c->there[d] = c->here[d];
  }
  return true;
}

static double difference(const comparison *c, int64_t i)
{
  return fabs(c->here[i] - c->there[i]);
}

/* Finds the largest difference on any rank; of equal ones that of the lowest place, then of the lowest component. */
static void find_largest(const comparison *c, const fem_space *s, fem_seam_gap *gap)
{
  const int64_t n = s->ndofs;
  double most[2] = {0.0, 0.0}; /* difference, value */
  for (int64_t i = 0; i < s->dim * n; i++) {
    most[0] = fmax(most[0], difference(c, i));
    most[1] = fmax(most[1], fabs(c->here[i]));
  }
  comm_max(most, 2);
  int64_t key = INT64_MAX, found = -1;
  for (int64_t i = 0; i < s->dim * n; i++) {
    if (difference(c, i) < (1.0 - 1e-9) * most[0]) continue;
    const int64_t own = c->place[i % n] * s->dim + i / n;
    if (own < key) key = own, found = i;
  }
  int64_t first = -key;
  comm_max_int64(&first, 1);
  int64_t holder = found >= 0 && key == -first ? -comm_rank() : -comm_size();
  comm_max_int64(&holder, 1);
  *gap = (fem_seam_gap){.component = (int)(found / (n ? n : 1))};
  for (int side = 0; side < 2 && found >= 0; side++) {
    const double *values = side ? c->there : c->here;
    gap->value[side] = values[found];
    for (int d = 0; d < s->dim; d++) gap->place[side][d] = values[(s->dim + d) * n + found % n];
  }
  comm_broadcast(gap, sizeof *gap, (int)-holder);
  gap->difference = most[0], gap->largest = most[1];
}

int fem_compare_across_seams(const fem_space *s, const mesh *m, const double *x, fem_vector_function f,
                             const void *user, fem_seam_gap *gap)
{
  comparison c = {0};
  *gap = (fem_seam_gap){0};
  if (!s->places) return STATUS_OK;
  int status = comm_worst(number_places(&c, s, m) && evaluate(&c, s, x, f, user) ? STATUS_OK : STATUS_MACHINE);
  if (!status) {
    halo_sum_begin(NULL, s->halo, 2 * s->dim, c.there);
    halo_sum_end(NULL, s->halo, 2 * s->dim, c.there);
    find_largest(&c, s, gap);
  }
  destroy(&c);
  return status;
}
