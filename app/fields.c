/* SPDX-License-Identifier: BSD-3-Clause */
#include "fields.h"

#include <math.h>
#include <stdlib.h>

#include "agree.h"

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

/* Values at the (k+1)^dim equispaced points of every zone. */
static bool sample(hydro *h, sampled *f)
{
  const fem_space *s = h->space;
  double points[FEM_MAX_ORDER + 1];
  for (int i = 0; i < s->d1; i++) points[i] = (double)i / s->k;
  fem_rule rule = {0};
  const size_t zones = (size_t)s->nzones + 1, values = zones * (size_t)s->nd;
  double *rho = malloc(sizeof(double) * zones * (size_t)s->nt),
         *narrow = malloc(sizeof(double) * (size_t)(s->nd * s->dim));
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
  double *state = hydro_fetch(h), *x = hydro_x(h, state), *v = hydro_v(h, state), *e = hydro_e(h, state);
  bool ok = rho && narrow && f->position && f->velocity && f->density && f->energy && f->pressure && f->gamma &&
            f->viscosity && f->material && f->rank && !fem_zone_viscosity(s, h->material, x, v, e, f->viscosity) &&
            !fem_rule_create(&rule, s, s->d1, points, NULL) && !fem_project_density(s, h->material, x, rho);
  for (int z = 0; ok && z < s->nzones; z++) {
    const int64_t at = (int64_t)z * f->n;
    fem_rule_values(&rule, s, z, s->dim, x, narrow);
    widen(f->n, s->dim, narrow, f->position + 3 * at);
    fem_rule_values(&rule, s, z, s->dim, v, narrow);
    widen(f->n, s->dim, narrow, f->velocity + 3 * at);
    fem_rule_energies(&rule, s, rho + (int64_t)z * s->nt, f->density + at);
    fem_rule_energies(&rule, s, e + (int64_t)z * s->nt, f->energy + at);
    f->gamma[z] = h->material->gamma[z];
    f->rank[z] = comm_rank();
    for (int q = 0; q < f->n; q++)
      f->pressure[at + q] = (f->gamma[z] - 1.0) * f->density[at + q] * fmax(f->energy[at + q], 0.0);
  }
  fem_rule_destroy(&rule);
  free(rho);
  free(narrow);
  if (comm_worst(!ok)) return false;
  number_materials(s->nzones, f->gamma, f->material);
  return true;
}

int fields_write(hydro *h, output_series *series, char *message, size_t size)
{
  sampled f;
  int status = sample(h, &f) ? 0 : 3;
  if (status) {
    snprintf(message, size, "the fields could not be evaluated: out of memory, or a zone is inverted");
  } else {
    const output_point_field points[] = {
      {"density", 1, f.density}, {"pressure", 1, f.pressure}, {"energy", 1, f.energy}, {"velocity", 3, f.velocity}};
    const output_cell_field cells[] = {{.name = "gamma", .real = f.gamma},
                                       {.name = "viscosity", .real = f.viscosity},
                                       {.name = "material", .integer = f.material},
                                       {.name = "rank", .integer = f.rank}};
    const output_zones zones = {.dim = h->space->dim,
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
  sampled f;
  bool known = h->problem->exact;
  int status = sample(h, &f) ? 0 : 3;
  const int64_t n = (int64_t)h->space->nzones * h->space->nd;
  double *r = malloc(sizeof(double) * ((size_t)n + 1)), *exact = malloc(sizeof(double) * ((size_t)n + 1));
  if (!status && (!r || !exact)) status = 3;
  if (status)
    snprintf(message, size, "%s: the profile could not be evaluated: out of memory, or a zone is inverted", path);
  status = agree(status, message, size);
  for (int64_t i = 0; !status && i < n; i++) {
    const double *x = f.position + 3 * i;
    problem_state state;
    r[i] = h->space->dim == 1 ? x[0] : sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    known = known && h->problem->exact(&h->setting, h->time, x, &state);
    if (known) exact[i] = state.density;
  }
  known = comm_worst(!known) == 0;
  if (!status) status = output_profile(path, n, r, f.density, known ? exact : NULL, message, size);
  sampled_destroy(&f);
  free(r);
  free(exact);
  return status;
}
