/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a probe is, is found anew for every row, from the same first guess: what a row says depends on the state alone,
 * not on where the run was cut.
 */
#include "probes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "agree.h"
#include "csv_file.h"
#include "mesh/comm.h"

enum { DENSITY, PRESSURE, ENERGY, VELOCITY, VALUES = VELOCITY + 3 };

/* Numbers of zones are exact as doubles; this is above them all. */
#define NOWHERE 0x1p62

/* Where a probe is on this rank. */
typedef struct place {
  double id; // of the zone in the whole mesh
  int zone;  // on this rank
  double xi[3];
} place;

struct probes {
  csv_file file;
  int n;
  const double *at; // borrowed, [n][dim]
  fem_rule rule;    // owned: `dim` points a direction, the coordinates of one point; see pick()
  double *work;     // owned, [rule.n][dim][dim]
  double *rho;      // owned, [nt]
  double *values;   // owned, [n][VALUES]
  place *place;     // owned, [n]
};

/* ------------------------------------------------------------------ one point of a zone */

/* Takes the rule to the reference coordinates xi [dim]. */
static void aim(fem_rule *r, const fem_space *s, const double *xi)
{
  fem_lagrange(s->d1, s->nodes, s->dim, xi, r->b, r->g);
  fem_bernstein(s->t, s->dim, xi, r->bt);
}

/* Of the tensor points of the rule the one with coordinate d in direction d. */
static int pick(int dim)
{
  return dim == 1 ? 0 : dim == 2 ? 2 : 21;
}

/* One step of Newton's iteration for x(xi) = at; returns its length, or a negative number. */
static double improve(probes *p, const fem_space *s, const double *x, int zone, const double *at, double *xi)
{
  const int dim = s->dim, q = pick(dim);
  double j[9], miss[3], length = 0.0;
  aim(&p->rule, s, xi);
  fem_rule_values(&p->rule, s, zone, dim, x, p->work);
  for (int c = 0; c < dim; c++) miss[c] = at[c] - p->work[q * dim + c];
  fem_rule_gradients(&p->rule, s, zone, dim, x, p->work);
  for (int i = 0; i < dim * dim; i++) j[i] = p->work[q * dim * dim + i];
  if (!fem_invert(dim, j)) return -1.0;
  for (int g = 0; g < dim; g++) {
    double step = 0.0;
    for (int c = 0; c < dim; c++) step += j[g * dim + c] * miss[c];
    length = fmax(length, fabs(step));
    xi[g] = fmin(fmax(xi[g] + step, -0.25), 1.25); // polynomials run wild far outside
  }
  return isfinite(length) ? length : -1.0;
}

static bool is_inside(int dim, const double *xi)
{
  const double rounding = 1e-9;
  for (int d = 0; d < dim; d++)
    if (!(xi[d] >= -rounding && xi[d] <= 1.0 + rounding)) return false;
  return true;
}

/* Newton's iteration converges quadratically: after a step of 1e-10 no other is needed. */
static bool is_at(probes *p, const fem_space *s, const double *x, int zone, const double *at, double *xi)
{
  enum { MOST = 40 };
  double length = 1.0;
  for (int i = 0; i < MOST && length > 1e-10; i++) {
    length = improve(p, s, x, zone, at, xi);
    if (length < 0.0) return false;
  }
  return length <= 1e-10 && is_inside(s->dim, xi);
}

/* From the middle, and in a zone that is much curved from the node that is nearest. */
static bool find_in(probes *p, const fem_space *s, const double *x, int zone, const double *at, double *xi)
{
  const int *dofs = s->dofs + (int64_t)zone * s->nd;
  double least = HUGE_VAL;
  int nearest = 0;
  xi[0] = xi[1] = xi[2] = 0.5;
  if (is_at(p, s, x, zone, at, xi)) return true;
  for (int i = 0; i < s->nd; i++) {
    double square = 0.0;
    for (int c = 0; c < s->dim; c++) square += pow(x[(int64_t)c * s->ndofs + dofs[i]] - at[c], 2);
    if (square < least) least = square, nearest = i;
  }
  for (int d = 0; d < s->dim; d++, nearest /= s->d1) xi[d] = s->nodes[nearest % s->d1];
  return is_at(p, s, x, zone, at, xi);
}

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
      if (id >= p->place[i].id || !is_in_box(s->dim, at, lower, upper) || !find_in(p, s, x, z, at, xi)) continue;
      p->place[i] = (place){.id = id, .zone = z, .xi = {xi[0], xi[1], xi[2]}};
    }
  }
}

/* ------------------------------------------------------------------ rows */

/* The state at a place of this rank; false if memory is out, or the zone is inverted. */
static bool sample(probes *p, hydro *run, double *state, const place *there, double *value)
{
  const fem_space *s = run->space;
  const int q = pick(s->dim), zone = there->zone;
  if (fem_project_density_in(s, run->material, hydro_x(run, state), zone, p->rho)) return false;
  aim(&p->rule, s, there->xi);
  fem_rule_energies(&p->rule, s, p->rho, p->work);
  value[DENSITY] = p->work[q];
  fem_rule_energies(&p->rule, s, hydro_e(run, state) + (int64_t)zone * s->nt, p->work);
  value[ENERGY] = p->work[q];
  value[PRESSURE] = (run->material->gamma[zone] - 1.0) * value[DENSITY] * fmax(value[ENERGY], 0.0);
  fem_rule_values(&p->rule, s, zone, s->dim, hydro_v(run, state), p->work);
  for (int c = 0; c < s->dim; c++) value[VELOCITY + c] = p->work[q * s->dim + c];
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
  fem_rule_destroy(&(*p)->rule);
  free((*p)->work);
  free((*p)->rho);
  free((*p)->values);
  free((*p)->place);
  free(*p);
  *p = NULL;
}

static probes *create(const hydro *run)
{
  const fem_space *s = run->space;
  const double middle[3] = {0.5, 0.5, 0.5};
  probes *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->n = run->deck->output.probes.count / s->dim;
  p->at = run->deck->output.probes.number;
  const bool ruled = fem_rule_create(&p->rule, s, s->dim, middle, NULL) == 0;
  p->work = malloc(sizeof *p->work * (size_t)(p->rule.n * s->dim * s->dim));
  p->rho = malloc(sizeof *p->rho * (size_t)s->nt);
  p->values = malloc(sizeof *p->values * (size_t)(p->n * VALUES));
  p->place = malloc(sizeof *p->place * (size_t)p->n);
  if (!ruled || !p->work || !p->rho || !p->values || !p->place) discard(&p);
  return p;
}

int probes_open(probes **out, hydro *run, bool goes_on, char *message, size_t size)
{
  static const char *const heads[] = {"step,time,probe,x,density,pressure,energy,vx\n",
                                      "step,time,probe,x,y,density,pressure,energy,vx,vy\n",
                                      "step,time,probe,x,y,z,density,pressure,energy,vx,vy,vz\n"};
  probes *p = *out = create(run);
  snprintf(message, size, "out of memory for the probes");
  int status = agree(p ? 0 : 3, message, size);
  if (!status)
    status = csv_file_open(&p->file, run->deck->output.directory, "probes.csv", heads[run->space->dim - 1],
                           goes_on ? run->steps : -1, message, size);
  if (!status && !goes_on) status = probes_add(p, run, message, size);
  if (status) discard(out);
  return status;
}

int probes_add(probes *p, hydro *run, char *message, size_t size)
{
  double lowest[DECK_MAX_NUMBERS];
  if (run->steps % run->deck->output.history_every != 0 && !run->last) return 0;
  const bool good = sample_all(p, run, lowest);
  snprintf(message, size, "the probes could not be evaluated: out of memory, or a zone is inverted");
  const int status = agree(good ? 0 : 3, message, size);
  if (status) return status;
  for (int i = 0; p->file.file && i < p->n; i++) write_row(p, run, i, lowest[i] < NOWHERE);
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
