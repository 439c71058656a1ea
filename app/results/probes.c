/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a probe is, is found anew for every row, from the same first guess: what a row says depends on the state alone,
 * not on where the run was cut.
 */
#include "app/results/probes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "app/machine/collective_status.h"
#include "app/results/zone_point.h"
#include "mesh/comm/comm.h"

enum { DENSITY, PRESSURE, ENERGY, VELOCITY, VALUES = VELOCITY + 3 };

/* Numbers of zones are exact as doubles; this is above them all. */
#define NOWHERE 0x1p62

/* Location of a probe on this rank. */
typedef struct place {
  double id; // of the zone in the whole mesh
  int zone;  // on this rank
  double xi[3];
} place;

struct probes {
  csv_file file;
  int n;
  const double *at; // borrowed, [n][dim]
  zone_point point;
  double *rho;    // owned, [nt]
  double *values; // owned, [n][VALUES]
  place *place;   // owned, [n]
};

/* ------------------------------------------------------------------ the zone of a probe */

/* Around the nodes, and somewhat larger: a curved zone may bulge. */
static void box_of(const fem_space *s, const double *x, int zone, double lower[3], double upper[3])
{
  const int *dofs = s->dofs + (int64_t)zone * s->nd;
  double margin = 0.0;
  for (int c = 0; c < s->dim; c++) {
    const double *component = x + (int64_t)c * s->ndofs;
    lower[c] = upper[c] = component[dofs[0]];
    for (int i = 1; i < s->nd; i++) {
      lower[c] = fmin(lower[c], component[dofs[i]]);
      upper[c] = fmax(upper[c], component[dofs[i]]);
    }
    margin = fmax(margin, 0.1 * (upper[c] - lower[c]));
  }
  for (int c = 0; c < s->dim; c++) lower[c] -= margin, upper[c] += margin;
}

static bool is_in_box(int dim, const double *at, const double *lower, const double *upper)
{
  for (int c = 0; c < dim; c++)
    if (!(at[c] >= lower[c] && at[c] <= upper[c])) return false;
  return true;
}

/* The lowest zone of this rank that holds each probe. */
static void find_all(probes *p, const hydro *run, const double *x)
{
  const fem_space *s = run->space;
  double lower[3], upper[3], xi[3];
  for (int i = 0; i < p->n; i++) p->place[i] = (place){.id = NOWHERE};
  for (int z = 0; z < s->nzones; z++) {
    const double id = (double)run->mesh->zone_ids[z];
    box_of(s, x, z, lower, upper);
    for (int i = 0; i < p->n; i++) {
      const double *at = p->at + i * s->dim;
      if (id >= p->place[i].id || !is_in_box(s->dim, at, lower, upper) || !zone_point_find(&p->point, z, x, at, xi))
        continue;
      p->place[i] = (place){.id = id, .zone = z, .xi = {xi[0], xi[1], xi[2]}};
    }
  }
}

/* ------------------------------------------------------------------ rows */

/* The state at a place of this rank; false if memory is out, or the zone is inverted. */
static bool sample(probes *p, hydro *run, double *state, const place *there, double *value)
{
  const fem_space *s = run->space;
  const int zone = there->zone;
  if (fem_project_density_in(s, run->material, hydro_x(run, state), zone, p->rho)) return false;
  zone_point_aim(&p->point, there->xi);
  value[DENSITY] = zone_point_scalar(&p->point, p->rho);
  value[ENERGY] = zone_point_scalar(&p->point, hydro_e(run, state) + (int64_t)zone * s->nt);
  value[PRESSURE] = (run->material->gamma[zone] - 1.0) * value[DENSITY] * fmax(value[ENERGY], 0.0);
  zone_point_vector(&p->point, zone, hydro_v(run, state), value + VELOCITY);
  return true;
}

/* Each probe's values on all ranks, from the one that has the zone. */
static bool sample_all(probes *p, hydro *run, double *lowest)
{
  double *state = hydro_fetch(run);
  bool good = true;
  find_all(p, run, hydro_x(run, state));
  for (int i = 0; i < p->n; i++) lowest[i] = p->place[i].id;
  comm_min(lowest, p->n);
  for (int i = 0; i < p->n; i++) {
    double mine[VALUES] = {0};
    if (lowest[i] < NOWHERE && p->place[i].id == lowest[i]) good = sample(p, run, state, &p->place[i], mine) && good;
    for (int c = 0; c < VALUES; c++) p->values[i * VALUES + c] = 0.0 + mine[c]; // -0 is 0, as in sums over more ranks
  }
  comm_sum(p->values, p->n * VALUES);
  return good;
}

static void write_row(const probes *p, const hydro *run, int i, bool found)
{
  const int dim = run->space->dim;
  FILE *to = p->file.file;
  fprintf(to, "%" PRId64 ",%.17g,%d", run->steps, run->time, i);
  for (int c = 0; c < dim; c++) fprintf(to, ",%.17g", p->at[i * dim + c]);
  for (int c = 0; c < VELOCITY + dim; c++) {
    putc(',', to);
    if (found) fprintf(to, "%.17g", p->values[i * VALUES + c]);
  }
  putc('\n', to);
}

/* ------------------------------------------------------------------ the file */

static void discard(probes **p)
{
  if (!*p) return;
  if ((*p)->file.file) fclose((*p)->file.file);
  zone_point_destroy(&(*p)->point);
  free((*p)->rho);
  free((*p)->values);
  free((*p)->place);
  free(*p);
  *p = NULL;
}

static probes *create(const hydro *run)
{
  const fem_space *s = run->space;
  probes *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->n = run->deck->output.probes.count / s->dim;
  p->at = run->deck->output.probes.number;
  const bool pointed = zone_point_create(&p->point, s);
  p->rho = malloc(sizeof *p->rho * (size_t)s->nt);
  p->values = malloc(sizeof *p->values * (size_t)(p->n * VALUES));
  p->place = malloc(sizeof *p->place * (size_t)p->n);
  if (!pointed || !p->rho || !p->values || !p->place) discard(&p);
  return p;
}

int probes_open(probes **out, hydro *run, csv_rows rows, char *message, size_t size)
{
  static const char *const heads[] = {"step,time,probe,x,density,pressure,energy,vx\n",
                                      "step,time,probe,x,y,density,pressure,energy,vx,vy\n",
                                      "step,time,probe,x,y,z,density,pressure,energy,vx,vy,vz\n"};
  probes *p = *out = create(run);
  snprintf(message, size, "out of memory for the probes");
  int status = collective_status(p ? STATUS_OK : STATUS_MACHINE, message, size);
  if (!status)
    status = csv_file_open(&p->file, run->deck->output.directory, "probes.csv", heads[run->space->dim - 1], rows,
                           message, size);
  if (!status && rows.last < 0) status = probes_add(p, run, message, size);
  if (status) discard(out);
  return status;
}

int probes_add(probes *p, hydro *run, char *message, size_t size)
{
  double lowest[DECK_MAX_NUMBERS];
  if (run->steps % run->deck->output.history_every != 0 && !run->last) return 0;
  const bool good = sample_all(p, run, lowest);
  snprintf(message, size, "the probes could not be evaluated: out of memory, or a zone is inverted");
  const int status = collective_status(good ? STATUS_OK : STATUS_MACHINE, message, size);
  if (status) return status;
  const bool wanted = csv_file_begin_rows(&p->file, run->steps);
  for (int i = 0; wanted && i < p->n; i++) write_row(p, run, i, lowest[i] < NOWHERE);
  return csv_file_flush(&p->file, message, size);
}

int probes_sync(probes *p, char *message, size_t size)
{
  return p ? csv_file_sync(&p->file, message, size) : 0;
}

int probes_close(probes **p, char *message, size_t size)
{
  if (!*p) return 0;
  const int status = csv_file_close(&(*p)->file, message, size);
  discard(p);
  return status;
}
