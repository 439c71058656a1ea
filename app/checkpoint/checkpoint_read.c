/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/checkpoint/checkpoint_part.h"
#include "app/files/hdf.h"
#include "app/machine/collective_status.h"

static void take_counters(hydro *h, const int64_t c[CHECKPOINT_COUNTERS])
{
  fem_mass *v = h->velocity_mass, *e = h->energy_mass;
  h->steps = c[0], h->attempts = c[1], h->evaluations = c[2], h->last = c[3];
  v->iterations = c[4], v->solves = c[5], v->unconverged = c[6];
  e->iterations = c[7], e->solves = c[8], e->unconverged = c[9];
  h->effort.attempts = c[10], h->effort.velocity_iterations = c[11], h->effort.energy_iterations = c[12];
}

static void from_row(const fem_space *s, const double *row, int64_t i, double *u)
{
  for (int c = 0; c < s->dim; c++) u[c * (int64_t)s->ndofs + i] = row[c];
}

/* Looks up numbers in a list that was sorted with its places. */
typedef struct place {
  int64_t id, at;
} place;

static int by_id(const void *x, const void *y)
{
  const place *a = x, *b = y;
  return (a->id > b->id) - (a->id < b->id);
}

static place *index_of(const int64_t *ids, int64_t n)
{
  place *p = malloc(sizeof *p * (size_t)(n + 1));
  if (!p) return NULL;
  for (int64_t i = 0; i < n; i++) p[i] = (place){ids[i], i};
  qsort(p, (size_t)n, sizeof *p, by_id);
  return p;
}

/* One of the two lists of the file, and where its values go. */
typedef struct list {
  const char *id, *values[2];
  int nvalues, columns;
  checkpoint_extent wanted;
  const int64_t *ids; // [wanted.mine]
} list;

typedef void list_take(const hydro *h, double *state, int value, int64_t at, const double *row);

static void take_node(const hydro *h, double *state, int value, int64_t at, const double *row)
{
  from_row(h->space, row, at, state + value * h->nkinematic);
}

static void take_zone(const hydro *h, double *state, int value, int64_t at, const double *row)
{
  (void)value;
  memcpy(state + 2 * h->nkinematic + at * h->space->nt, row, sizeof *row * (size_t)h->space->nt);
}

/* Rows [first, first + n) of the file: those that this rank wants go into its state.  Returns how many were new;
 * *enough: whether there was memory. */
static int64_t take_rows(hdf_file *f, const hydro *h, const list *l, const place *places, int64_t all, int64_t first,
                         int64_t n, list_take *take, double *state, bool *seen, bool *enough)
{
  int64_t found = 0, *ids = malloc(sizeof *ids * (size_t)(n + 1));
  double *rows = malloc(sizeof *rows * (size_t)(n * l->columns + 1));
  bool *fresh = calloc((size_t)n + 1, sizeof *fresh);
  if (!ids || !rows || !fresh) f->good = *enough = false;
  hdf_get_rows(f, l->id, H5T_NATIVE_INT64, all, first, n, 0, ids);
  for (int v = 0; v < l->nvalues; v++) {
    hdf_get_rows(f, l->values[v], H5T_NATIVE_DOUBLE, all, first, n, l->columns, rows);
    for (int64_t i = 0; f->good && i < n; i++) {
      const place *p = bsearch(&(place){ids[i], 0}, places, (size_t)l->wanted.mine, sizeof *places, by_id);
      if (!p || (v == 0 && seen[p->at]) || (v > 0 && !fresh[i])) continue;
      if (v == 0) seen[p->at] = fresh[i] = true, found++;
      take(h, state, v, p->at, rows + i * l->columns);
    }
  }
  free(ids);
  free(rows);
  free(fresh);
  return found;
}

/* This rank's values from a list: from where a run on as many ranks put them, else from wherever they are. */
static bool take_list(hdf_file *f, const hydro *h, const list *l, list_take *take, double *state, bool *enough)
{
  enum { ROWS = 1 << 16 };
  const int64_t all = hdf_rows(f, l->id), mine = l->wanted.mine;
  place *places = index_of(l->ids, mine);
  bool *seen = calloc((size_t)mine + 1, sizeof *seen);
  int64_t found = 0;
  if (!places || !seen) f->good = *enough = false;
  if (f->good && l->wanted.first + mine <= all)
    found = take_rows(f, h, l, places, all, l->wanted.first, mine, take, state, seen, enough);
  for (int64_t first = 0; f->good && found < mine && first < all; first += ROWS)
    found += take_rows(f, h, l, places, all, first, all - first < ROWS ? all - first : ROWS, take, state, seen, enough);
  free(places);
  free(seen);
  return f->good && found == mine;
}

static bool read_state(hdf_file *f, const hydro *h, const checkpoint_part *p, double *state, bool *enough)
{
  const list nodes = {.id = "/nodes/id",
                      .values = {"/nodes/position", "/nodes/velocity"},
                      .nvalues = 2,
                      .columns = h->space->dim,
                      .wanted = p->nodes,
                      .ids = p->node};
  const list zones = {.id = "/zones/id",
                      .values = {"/zones/energy"},
                      .nvalues = 1,
                      .columns = h->space->nt,
                      .wanted = p->zones,
                      .ids = p->zone};
  return hdf_rows(f, "/zones/id") == p->zones.all && take_list(f, h, &nodes, take_node, state, enough) &&
         take_list(f, h, &zones, take_zone, state, enough);
}

static bool are_finite(int64_t n, const double *u)
{
  for (int64_t i = 0; i < n; i++)
    if (!isfinite(u[i])) return false;
  return true;
}

int checkpoint_read(hydro *h, const char *path, char *message, size_t size)
{
  double clock[CHECKPOINT_CLOCK] = {0};
  int64_t counters[CHECKPOINT_COUNTERS] = {0};
  char reason[CHECKPOINT_MESSAGE / 2] = "";
  hdf_file f;
  checkpoint_part p;
  double *state = malloc(sizeof *state * (size_t)(h->nstate + 1));
  bool enough = checkpoint_part_create(h, &p) && state;
  bool good = hdf_open(&f, path, HDF_READ, reason, sizeof reason) && enough;
  if (good) {
    hdf_get_rows(&f, "/run/clock", H5T_NATIVE_DOUBLE, CHECKPOINT_CLOCK, 0, CHECKPOINT_CLOCK, 0, clock);
    hdf_get_rows(&f, "/run/counters", H5T_NATIVE_INT64, CHECKPOINT_COUNTERS, 0, CHECKPOINT_COUNTERS, 0, counters);
    good = f.good && read_state(&f, h, &p, state, &enough);
    if (good && !are_finite(h->nstate, state)) snprintf(reason, sizeof reason, "holds values that are not finite");
    good = good && !reason[0];
  }
  good = hdf_close(&f) && good;
  snprintf(message, size, "%s: %s", path,
           !enough     ? "out of memory"
           : reason[0] ? reason
                       : "is a checkpoint of another mesh or order (a mesh with zones_per_rank needs as many ranks)");
  int status = collective_status(good ? STATUS_OK : enough ? STATUS_INPUT : STATUS_MACHINE, message, size);
  if (!status) {
    good = batched_copy_from_host(h->ctx, h->state, state, sizeof *state * (size_t)h->nstate) == BATCHED_SUCCESS;
    snprintf(message, size, "%s: can't be copied to the memory of the device", path);
    status = collective_status(good ? STATUS_OK : STATUS_MACHINE, message, size);
  }
  if (!status) {
    take_counters(h, counters);
    h->time = clock[0], h->dt = clock[1], h->balance.initial = clock[2], h->balance.work = clock[3];
    h->effort.dt = clock[4];
  }
  checkpoint_part_destroy(&p);
  free(state);
  return status;
}
