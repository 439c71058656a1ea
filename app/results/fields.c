/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/results/fields.h"

#include <math.h>
#include <stdlib.h>

#include "app/machine/collective_status.h"
#include "app/results/measure.h"

/* The fields of this rank at n points of every zone. */
typedef struct sampled {
  int n;                               // points a zone
  double *position, *velocity;         // owned, [nzones][n][3]
  double *density, *energy, *pressure; // owned, [nzones][n]
  double *gamma, *viscosity;           // owned, [nzones]
  int64_t *material, *rank;            // owned, [nzones]
} sampled;

static void sampled_destroy(sampled *f)
{
  double *all[] = {f->position, f->velocity, f->density, f->energy, f->pressure, f->gamma, f->viscosity};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(f->material);
  free(f->rank);
}

/* Materials are told apart by gamma: 0 for the smallest of all ranks, and so on.  material has shape [n]. 
 * Collective. */
static void number_materials(int n, const double *gamma, int64_t *material)
{
  enum { MOST = 64 }; // a gamma that varies all over the mesh is one material from there on
  double last = -INFINITY;
  for (int number = 0; number < MOST; number++) {
    double next = INFINITY;
    for (int z = 0; z < n; z++)
      if (gamma[z] > last && gamma[z] < next) next = gamma[z];
    comm_min(&next, 1);
    if (next == INFINITY) return;
    for (int z = 0; z < n; z++)
      if (gamma[z] >= next) material[z] = number;
    last = next;
  }
}

/* [n][dim] to [n][3] */
static void widen(int n, int dim, const double *from, double *to)
{
  for (int q = 0; q < n; q++)
    for (int c = 0; c < 3; c++) to[q * 3 + c] = c < dim ? from[q * dim + c] : 0.0;
}

static bool sampled_create(sampled *f, const fem_space *s)
{
  const size_t zones = (size_t)s->nzones + 1, values = zones * (size_t)s->nd;
  *f = (sampled){.n = s->nd};
  f->position = malloc(sizeof(double) * 3 * values);
  f->velocity = malloc(sizeof(double) * 3 * values);
  f->density = malloc(sizeof(double) * values);
  f->energy = malloc(sizeof(double) * values);
  f->pressure = malloc(sizeof(double) * values);
  f->gamma = malloc(sizeof(double) * zones);
  f->viscosity = malloc(sizeof(double) * zones);
  f->material = malloc(sizeof(int64_t) * zones);
  f->rank = malloc(sizeof(int64_t) * zones);
  return f->position && f->velocity && f->density && f->energy && f->pressure && f->gamma && f->viscosity &&
         f->material && f->rank;
}

/* The fields of a zone at the points of a rule; rho: Bernstein coefficients of the density, all zones';
 * narrow: room for [n][dim] numbers. */
static void sample_zone(const hydro *h, double *state, const fem_rule *rule, int zone, const double *rho,
                        double *narrow, sampled *f)
{
  const fem_space *s = h->space;
  const int64_t at = (int64_t)zone * f->n, first = (int64_t)zone * s->nt;
  fem_rule_values(rule, s, zone, s->dim, hydro_x(h, state), narrow);
  widen(f->n, s->dim, narrow, f->position + 3 * at);
  fem_rule_values(rule, s, zone, s->dim, hydro_v(h, state), narrow);
  widen(f->n, s->dim, narrow, f->velocity + 3 * at);
  fem_rule_energies(rule, s, rho + first, f->density + at);
  fem_rule_energies(rule, s, hydro_e(h, state) + first, f->energy + at);
  f->gamma[zone] = h->material->gamma[zone];
  f->rank[zone] = comm_rank();
  for (int q = 0; q < f->n; q++)
    f->pressure[at + q] = (f->gamma[zone] - 1.0) * f->density[at + q] * fmax(f->energy[at + q], 0.0);
}

/* Values at the equispaced points of every zone, as many as it has nodes.  Collective; false on all ranks if on any of
 * them memory is out or a zone is inverted. */
static bool sample(hydro *h, sampled *f)
{
  const fem_space *s = h->space;
  double line[FEM_MAX_ORDER + 1];
  for (int i = 0; i <= s->k; i++) line[i] = (double)i / s->k;
  double *points = fem_space_lattice(s, s->k, line);
  fem_rule rule = {0};
  double *rho = malloc(sizeof(double) * ((size_t)h->nthermodynamic + 1));
  double *narrow = malloc(sizeof(double) * (size_t)(s->nd * s->dim));
  double *state = hydro_fetch(h), *x = hydro_x(h, state), *v = hydro_v(h, state), *e = hydro_e(h, state);
  const bool good = sampled_create(f, s) && points && rho && narrow &&
                    !fem_zone_viscosity(s, h->material, x, v, e, f->viscosity) &&
                    !fem_rule_create(&rule, s, s->d1, points, NULL) && !fem_project_density(s, h->material, x, rho);
  for (int z = 0; good && z < s->nzones; z++) sample_zone(h, state, &rule, z, rho, narrow, f);
  fem_rule_destroy(&rule);
  free(points);
  free(rho);
  free(narrow);
  if (comm_worst(!good)) return false;
  number_materials(s->nzones, f->gamma, f->material);
  return true;
}

int fields_write(hydro *h, output_series *series, char *message, size_t size)
{
  sampled f;
  int status = sample(h, &f) ? STATUS_OK : STATUS_MACHINE;
  if (status) {
    snprintf(message, size, "the fields could not be evaluated: out of memory, or a zone is inverted");
  } else {
    const output_point_field points[] = {
      {"density", 1, f.density}, {"pressure", 1, f.pressure}, {"energy", 1, f.energy}, {"velocity", 3, f.velocity}};
    const output_cell_field cells[] = {{.name = "gamma", .real = f.gamma},
                                       {.name = "viscosity", .real = f.viscosity},
                                       {.name = "material", .integer = f.material},
                                       {.name = "rank", .integer = f.rank}};
    const output_zones zones = {.shape = h->space->shape,
                                .dim = h->space->dim,
                                .order = h->space->k,
                                .nzones = h->space->nzones,
                                .points = f.position,
                                .npoint_fields = 4,
                                .point_fields = points,
                                .ncell_fields = 4,
                                .cell_fields = cells};
    status = output_write(series, h->steps, h->time, &zones, message, size);
  }
  sampled_destroy(&f);
  return status;
}

int fields_write_profile(hydro *h, const char *path, char *message, size_t size)
{
  const problem_profile over = h->space->dim == 1 ? PROFILE_X : h->problem->profile;
  if (over == PROFILE_NONE) return STATUS_OK;
  sampled f;
  problem_setting setting = h->setting;
  bool known = hydro_knows_exact(h);
  int status = sample(h, &f) ? STATUS_OK : STATUS_MACHINE;
  const int64_t n = (int64_t)h->space->nzones * h->space->nd;
  double *r = malloc(sizeof(double) * ((size_t)n + 1)), *exact = malloc(sizeof(double) * ((size_t)n + 1));
  if (!status && (!r || !exact)) status = STATUS_MACHINE;
  if (status)
    snprintf(message, size, "%s: the profile could not be evaluated: out of memory, or a zone is inverted", path);
  status = collective_status(status, message, size);
  if (known && !status) problem_prepare(h->problem, &setting, h->time);
  for (int64_t i = 0; !status && i < n; i++) {
    const double *x = f.position + 3 * i;
    problem_state state;
    r[i] = over == PROFILE_X ? x[0] : sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    known = known && h->problem->exact(&setting, h->time, x, &state);
    if (known) exact[i] = state.density;
  }
  known = comm_worst(!known) == 0;
  const char *const name = over == PROFILE_X ? "x" : "r";
  if (!status) status = output_profile(path, name, n, r, f.density, known ? exact : NULL, message, size);
  problem_release(&setting);
  sampled_destroy(&f);
  free(r);
  free(exact);
  return status;
}
