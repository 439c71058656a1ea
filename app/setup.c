/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a deck to a run at its initial state.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "operations.h"
#include "hydro.h"

static int say(char *message, size_t size, int status, const char *sentence)
{
  snprintf(message, size, "%s", sentence);
  return status;
}

static int out_of_memory(char *message, size_t size)
{
  return say(message, size, 3, "out of memory while setting up the run");
}

/* What a call through the context returned: 0, 3 (the machine) or 2 (the variants that the deck names), with a sentence. */
static int judge(const hydro *h, int status, char *message, size_t size)
{
  char why[256];
  const bool machine = status == BATCHED_NO_MEMORY || status == BATCHED_DEVICE_FAILED;
  if (status)
    snprintf(message, size, machine ? "while setting up the run: %s" : "kernels: %s",
             batched_explain(h->ctx, status, why, sizeof why));
  return !status ? 0 : machine ? 3 : 2;
}

/* ------------------------------------------------------------------ mesh */

static const struct {
  const char *name;
  mesh_partition how;
} partitions[] = {
  {"auto", MESH_AUTO}, {"block", MESH_BLOCK}, {"hilbert", MESH_HILBERT}, {"rcb", MESH_RCB}, {"metis", MESH_METIS},
};

static mesh_partition partition_of(const deck *d)
{
  for (size_t i = 0; i < sizeof partitions / sizeof *partitions; i++)
    if (strcmp(d->mesh.partition, partitions[i].name) == 0) return partitions[i].how;
  return MESH_AUTO;
}

/* Splits n into dim factors as equal as can be, the largest first. */
static void split_evenly(int64_t n, int dim, int *factors)
{
  for (int d = 0; d < 3; d++) factors[d] = 1;
  for (int d = dim - 1; d > 0; d--) {
    int64_t best = 1;
    for (int64_t f = 1; pow((double)f, d + 1) <= (double)n * (1.0 + 1e-12); f++)
      if (n % f == 0) best = f;
    factors[d] = (int)best;
    n /= best;
  }
  factors[0] = (int)n;
}

/* A box for weak scaling: the deck's box, with zones_per_rank zones in it, repeated for every rank. */
static void repeat_box(const deck *d, int *zones, int *blocks, double *upper)
{
  split_evenly(d->mesh.zones_per_rank, d->mesh.dim, zones);
  split_evenly(comm_size(), d->mesh.dim, blocks);
  for (int c = 0; c < d->mesh.dim; c++) {
    upper[c] = d->mesh.lower[c] + blocks[c] * (d->mesh.upper[c] - d->mesh.lower[c]);
    zones[c] *= blocks[c];
  }
}

/* Corners go where the problem's map takes them. */
static void map_corners(hydro *h)
{
  const int64_t n = (int64_t)h->mesh->nzones * h->mesh->ncorners;
  for (int64_t i = 0; i < n; i++) {
    double x[3] = {0.0, 0.0, 0.0};
    memcpy(x, h->mesh->corners + i * h->mesh->dim, sizeof(double) * (size_t)h->mesh->dim);
    h->problem->map(&h->setting, x);
    memcpy(h->mesh->corners + i * h->mesh->dim, x, sizeof(double) * (size_t)h->mesh->dim);
  }
}

static int make_mesh(hydro *h, char *message, size_t size)
{
  deck *d = h->deck;
  const bool from_file = d->mesh.file[0] != '\0', weak = d->mesh.zones_per_rank > 0;
  int zones[3] = {1, 1, 1}, blocks[3] = {1, 1, 1};
  double upper[3] = {d->mesh.upper[0], d->mesh.upper[1], d->mesh.upper[2]};
  mesh_coarse *coarse = NULL;
  if (from_file) {
    int status = mesh_coarse_read(&coarse, d->mesh.file, message, size);
    if (status) return status;
    if ((status = deck_set_dim(d, coarse->dim, message, size))) {
      mesh_coarse_destroy(&coarse);
      return status;
    }
  } else {
    for (int c = 0; c < d->mesh.dim; c++) zones[c] = d->mesh.zones[c];
    if (weak) repeat_box(d, zones, blocks, upper);
    if (mesh_coarse_box(&coarse, d->mesh.dim, d->mesh.lower, upper, h->problem->attributes))
      return out_of_memory(message, size);
  }
  const int dim = h->setting.dim = coarse->dim;
  double total = 1.0;
  for (int c = 0; c < dim; c++) {
    total *= ldexp(zones[c], d->mesh.refine);
    zones[c] = total < 1e15 && ldexp(zones[c], d->mesh.refine) < 1e9 ? zones[c] << d->mesh.refine : 0;
    if (zones[c] == 0) {
      mesh_coarse_destroy(&coarse);
      return say(message, size, 2, "mesh: more zones than can be numbered; use fewer zones or refinements");
    }
  }
  int status = mesh_create(&h->mesh, &coarse, zones, weak ? MESH_BLOCK : partition_of(d), weak ? blocks : NULL);
  if (status) return out_of_memory(message, size);
  if (h->problem->map && !from_file) map_corners(h);
  return 0;
}

/* ------------------------------------------------------------------ functions of the problem, as fem calls them */

static double density_at(const void *user, const double *x)
{
  const hydro *h = user;
  return h->problem->density(&h->setting, x);
}

static double gamma_at(const void *user, const double *x)
{
  const hydro *h = user;
  return h->problem->gamma(&h->setting, x);
}

static double energy_at(const void *user, const double *x)
{
  const hydro *h = user;
  return h->problem->energy(&h->setting, x);
}

static void velocity_at(const void *user, const double *x, double *v)
{
  const hydro *h = user;
  h->problem->velocity(&h->setting, x, v);
}

static void gravity_at(const void *user, const double *x, double *g)
{
  (void)x;
  memcpy(g, ((const hydro *)user)->problem->gravity, 3 * sizeof *g);
}

/* ------------------------------------------------------------------ material and state */

static int allocate_state(hydro *h)
{
  const fem_space *s = h->space;
  const int nstages =
    h->deck->time.integrator == RK_RK2AVG ? 1 : solver_rk_find((int)h->deck->time.integrator)->nstages;
  h->nkinematic = (int64_t)s->dim * s->ndofs;
  h->nthermodynamic = (int64_t)s->nzones * s->nt;
  h->nstate = 2 * h->nkinematic + h->nthermodynamic;
  const size_t state = sizeof(double) * ((size_t)h->nstate + 1);
  const bool away = batched_get_space(h->ctx) != BATCHED_HOST;
  if (away) h->copy = malloc(state);
  h->state = batched_allocate(h->ctx, state);
  h->before = batched_allocate(h->ctx, state);
  h->stages = batched_allocate(h->ctx, state * (size_t)nstages);
  h->force_one = batched_allocate(h->ctx, sizeof(double) * ((size_t)h->nkinematic + 1));
  h->power = batched_allocate(h->ctx, sizeof(double) * ((size_t)h->nthermodynamic + 1));
  h->estimate = batched_allocate(h->ctx, sizeof(double));
  return h->state && h->before && h->stages && h->force_one && h->power && h->estimate && (h->copy || !away)
           ? BATCHED_SUCCESS
           : BATCHED_NO_MEMORY;
}

/* Where the state is made. */
static double *host_state(const hydro *h)
{
  return h->copy ? h->copy : h->state;
}

static int make_material(hydro *h, char *message, size_t size)
{
  const char *bad;
  int status = fem_material_create(&h->material, h->space, hydro_x(h, host_state(h)), density_at, gamma_at, h, &bad);
  if (status == 3) return out_of_memory(message, size);
  if (status) return say(message, size, 2, bad);
  fem_material *m = h->material;
  m->constants.cfl = h->deck->time.cfl;
  m->constants.viscosity = h->problem->viscosity || h->deck->problem.impose_viscosity;
  m->constants.vorticity = h->problem->vorticity;
  m->source = h->problem->source_dims >> h->setting.dim & 1 ? h->problem->source : POINT_NO_SOURCE;
  return 0;
}

/* The problem's velocity and energy at the initial positions. */
static int make_state(hydro *h, char *message, size_t size)
{
  const fem_space *s = h->space;
  double *state = host_state(h), *x = hydro_x(h, state), *v = hydro_v(h, state), *e = hydro_e(h, state), distance;
  if (fem_project_vector(s, x, velocity_at, h, v)) return out_of_memory(message, size);
  if (!h->problem->driven) fem_constrain_host(s, v);
  if (h->problem->energy) return fem_project_scalar(s, x, energy_at, h, e) ? out_of_memory(message, size) : 0;
  if (fem_project_delta(s, x, ldexp(h->setting.blast_energy, -s->dim), e, &distance))
    return out_of_memory(message, size);
  if (distance <= 1e-12) return 0;
  snprintf(message, size, "problem.name: %s needs a vertex of the mesh at the origin; the nearest is %.3g away",
           h->problem->name, distance);
  return 2;
}

/* ------------------------------------------------------------------ operators */

/* The variants that the deck names, in every operation of that key. */
static int choose_variants(hydro *h, char *message, size_t size)
{
  const batched_op *op;
  for (int i = 0; (op = app_operation(i)); i++) {
    const char *variant = deck_variant(h->deck, op->key);
    if (batched_select(h->ctx, op, variant) == BATCHED_SUCCESS) continue;
    snprintf(message, size, "kernels.%s: %s is not a variant of this backend; --variants lists them", op->key, variant);
    return 2;
  }
  return 0;
}

static int make_weight(hydro *h)
{
  const double *g = h->problem->gravity;
  if (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0) return BATCHED_SUCCESS;
  h->weight = batched_allocate(h->ctx, sizeof(double) * ((size_t)h->nkinematic + 1));
  if (!h->weight) return BATCHED_NO_MEMORY;
  const size_t bytes = sizeof(double) * (size_t)h->nkinematic;
  double *nodal = malloc(bytes + 1);
  int status =
    nodal ? fem_project_vector(h->space, hydro_x(h, host_state(h)), gravity_at, h, nodal) : BATCHED_NO_MEMORY;
  if (!status) status = batched_copy_from_host(h->ctx, h->force_one, nodal, bytes);
  free(nodal);
  return status ? status : fem_velocity_mass_apply(h->ctx, h->velocity_mass, h->force_one, h->weight);
}

/* The state, and what the operators read, to where the work is done. */
static int place(hydro *h)
{
  int status = fem_space_place(h->ctx, h->space);
  if (!status) status = fem_material_place(h->ctx, h->space, h->material);
  if (h->copy && !status)
    status = batched_copy_from_host(h->ctx, h->state, h->copy, sizeof(double) * (size_t)h->nstate);
  return status;
}

/* One after the other, as each may wait for messages of the other ranks.  Collective. */
static int make_operators(hydro *h, char *message, size_t size)
{
  const deck *d = h->deck;
  int status = agree(judge(h, place(h), message, size), message, size);
  if (!status) status = agree(judge(h, halo_place(h->ctx, h->space->halo), message, size), message, size);
  if (!status) {
    status = fem_force_create(h->ctx, &h->force, h->space, h->material);
    status = agree(judge(h, status, message, size), message, size);
  }
  if (!status) {
    status = fem_velocity_mass_create(h->ctx, &h->velocity_mass, h->space, h->material, d->solvers.velocity.tolerance,
                                      d->solvers.velocity.max_iterations);
    status = agree(judge(h, status, message, size), message, size);
  }
  if (!status) {
    status = fem_energy_mass_create(h->ctx, &h->energy_mass, h->space, h->material, d->solvers.energy.tolerance,
                                    d->solvers.energy.max_iterations);
    status = agree(judge(h, status, message, size), message, size);
  }
  if (!status) status = agree(judge(h, make_weight(h), message, size), message, size);
  return status;
}

/* ------------------------------------------------------------------ all of it */

static int set_up(hydro *h, char *message, size_t size)
{
  const deck *d = h->deck;
  int status = agree(make_mesh(h, message, size), message, size);
  if (status) return status;
  if (agree(mesh_first_inverted(h->mesh) >= 0 ? 2 : 0, message, size))
    return say(message, size, 2, "mesh: a zone is inverted or has no volume");
  status = fem_space_create(&h->space, h->mesh, d->discretization.kinematic_order,
                            d->discretization.thermodynamic_order, d->discretization.quadrature_order);
  status = status ? out_of_memory(message, size) : judge(h, allocate_state(h), message, size);
  status = agree(status, message, size);
  if (status) return status;
  fem_space_positions(h->space, h->mesh, hydro_x(h, host_state(h)));
  status = make_material(h, message, size);
  if (!status) status = agree(make_state(h, message, size), message, size);
  if (!status) status = agree(choose_variants(h, message, size), message, size);
  return status ? status : make_operators(h, message, size);
}

int hydro_create(hydro **run, deck *d, char *message, size_t size)
{
  hydro *h = *run = calloc(1, sizeof *h);
  if (!h) return out_of_memory(message, size);
  h->deck = d;
  h->problem = d->problem.row;
  h->setting.blast_energy = d->problem.blast_energy;
  const batched_variant *cuda = fem_stress_op.variants[BATCHED_CUDA];
  int status = gpu_create_context(&h->ctx, &h->gpu, d->kernels.backend, cuda && cuda->name, message, size);
  if (!status) status = set_up(h, message, size);
  if (!status) status = agree(judge(h, batched_time_device(h->ctx, true), message, size), message, size);
  if (!status) batched_reset_stats(h->ctx);
  if (status) hydro_destroy(run);
  return status;
}

double *hydro_fetch(hydro *h)
{
  if (!h->copy) return h->state;
  if (batched_copy_to_host(h->ctx, h->copy, h->state, sizeof(double) * (size_t)h->nstate))
    for (int64_t i = 0; i < h->nstate; i++) h->copy[i] = NAN;
  return h->copy;
}

void hydro_destroy(hydro **run)
{
  hydro *h = *run;
  if (!h) return;
  if (h->ctx) {
    fem_mass_destroy(h->ctx, &fem_velocity_solve_op, &h->velocity_mass);
    fem_mass_destroy(h->ctx, &fem_energy_solve_op, &h->energy_mass);
    fem_force_destroy(h->ctx, &h->force);
    double *vectors[] = {h->state, h->before, h->stages, h->force_one, h->power, h->weight, h->estimate};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) batched_release(h->ctx, vectors[i]);
  }
  free(h->copy);
  fem_material_destroy(&h->material);
  fem_space_destroy(&h->space);
  mesh_destroy(&h->mesh);
  batched_destroy(&h->ctx);
  free(h);
  *run = NULL;
}
