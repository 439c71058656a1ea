/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a deck to a run at its initial state.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/deck/operations.h"
#include "app/laghos.h"
#include "app/machine/collective_status.h"
#include "app/machine/memory.h"
#include "app/setup.h"
#include "batched/scratch.h"
#include "mesh/comm/share.h"

/* Turns the status of a call into an exit_status and a sentence: STATUS_MACHINE, or STATUS_INPUT for the
 * variants that the deck names. */
static int judge(const hydro *h, int status, char *message, size_t size)
{
  char why[256];
  const bool machine = status == BATCHED_NO_MEMORY || status == BATCHED_DEVICE_FAILED;
  if (status)
    snprintf(message, size, machine ? "while setting up the run: %s" : "kernels: %s",
             batched_explain(h->ctx, status, why, sizeof why));
  if (status == BATCHED_DOES_NOT_FIT) deck_add_variants(h->deck, message, size);
  if (status == BATCHED_NO_MEMORY && batched_get_space(h->ctx) == BATCHED_HOST) memory_add_limit(message, size);
  return !status ? STATUS_OK : machine ? STATUS_MACHINE : STATUS_INPUT;
}

/* The same for the worst that any rank was returned.  Collective. */
static int judge_all(const hydro *h, int status, char *message, size_t size)
{
  return collective_status(judge(h, status, message, size), message, size);
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

static size_t bytes_of_stages(const hydro *h)
{
  return sizeof(double) * ((size_t)h->nstate + 1) * (size_t)(h->rk ? h->rk->nstages : 1);
}

void hydro_give_stages(hydro *h)
{
  batched_scratch_give(h->ctx, h->stages, bytes_of_stages(h));
  h->stages = NULL;
}

static int allocate_state(hydro *h)
{
  const fem_space *s = h->space;
  h->nkinematic = (int64_t)s->dim * s->ndofs;
  h->nthermodynamic = (int64_t)s->nzones * s->nt;
  h->nstate = 2 * h->nkinematic + h->nthermodynamic;
  const size_t state = sizeof(double) * ((size_t)h->nstate + 1);
  const bool away = batched_get_space(h->ctx) != BATCHED_HOST;
  if (away) h->copy = comm_allocate_large(state);
  h->state = batched_allocate(h->ctx, state);
  h->before = batched_allocate(h->ctx, state);
  h->stages = batched_allocate(h->ctx, bytes_of_stages(h));
  h->force_one = batched_allocate(h->ctx, sizeof(double) * ((size_t)h->nkinematic + 1));
  h->power = batched_allocate(h->ctx, sizeof(double) * ((size_t)h->nthermodynamic + 1));
  h->results = batched_allocate(h->ctx, HYDRO_RESULTS * sizeof(double));
  h->note = batched_note_create(h->ctx, HYDRO_RESULTS * sizeof(double));
  if (s->places) h->origin = malloc(sizeof(double) * ((size_t)h->nkinematic + 1));
  if (!((h->origin || !s->places) && h->state && h->before && h->stages && h->force_one && h->power && h->results &&
        h->note && (h->copy || !away)))
    return BATCHED_NO_MEMORY;
  return batched_copy_from_host(h->ctx, h->results, (double[HYDRO_RESULTS]){INFINITY, 1.0},
                                HYDRO_RESULTS * sizeof(double));
}

/* The host array in which the initial state is made. */
static double *host_state(const hydro *h)
{
  return h->copy ? h->copy : h->state;
}

/* Says which zone is inverted, and where; nothing where none is.  Collective, as is the status. */
static int name_inverted(const hydro *h, char *message, size_t size)
{
  const fem_space *s = h->space;
  double x[3] = {0.0, 0.0, 0.0}, determinant = 0.0;
  char at[96] = "";
  const int zone = fem_first_inverted(s, hydro_x(h, host_state(h)), x, &determinant);
  for (int c = 0, n = 0; c < s->dim; c++) n += snprintf(at + n, sizeof at - (size_t)n, "%s%.6g", c ? ", " : "", x[c]);
  if (zone >= 0)
    snprintf(message, size,
             "mesh: zone %lld has no positive volume around (%s), where the determinant of its Jacobian is %.3g",
             (long long)h->mesh->zone_ids[zone], at, determinant);
  return collective_status(zone >= 0 ? STATUS_INPUT : STATUS_OK, message, size);
}

static int make_material(hydro *h, char *message, size_t size)
{
  const char *bad;
  const fem_function density = h->problem->uniform ? NULL : density_at;
  int status = fem_material_create(&h->material, h->space, hydro_x(h, host_state(h)), density, gamma_at, h, &bad);
  if (status == STATUS_MACHINE) return memory_refuse_setup(message, size);
  if (status) {
    if (name_inverted(h, message, size)) return STATUS_INPUT;
    snprintf(message, size, "%s", bad);
    return STATUS_INPUT;
  }
  fem_material *m = h->material;
  m->constants.cfl = h->deck->time.cfl;
  m->constants.viscosity = h->problem->viscosity || h->deck->problem.impose_viscosity;
  m->constants.vorticity = h->problem->vorticity;
  m->source = h->problem->source_dims >> h->setting.dim & 1 ? h->problem->source : POINT_NO_SOURCE;
  return 0;
}

/* A velocity that is not the same on both sides of a seam would have the value of one of them, which one depending on
 * the ranks.  Collective. */
static int check_seams(const hydro *h, const double *x, char *message, size_t size)
{
  enum { TEXT = 96 };
  const fem_space *s = h->space;
  fem_seam_gap gap;
  char at[2][TEXT] = {"", ""};
  int status = fem_compare_across_seams(s, h->mesh, x, velocity_at, h, &gap);
  if (status) return memory_refuse_setup(message, size);
  if (!(gap.difference > 1e-10 * gap.largest)) return STATUS_OK;
  for (int side = 0; side < 2; side++)
    for (int c = 0, n = 0; c < s->dim; c++)
      n += snprintf(at[side] + n, TEXT - (size_t)n, "%s%.6g", c ? ", " : "", gap.place[side][c]);
  snprintf(message, size,
           "%s: the initial velocity of %s does not repeat itself: v_%c is %.6g at (%s) and %.6g at (%s), a difference "
           "of %.3g; allowed: a box of whole periods of it",
           h->deck->mesh.file[0] ? h->deck->mesh.file : "mesh.periodic", h->problem->name, "xyz"[gap.component],
           gap.value[1], at[1], gap.value[0], at[0], gap.difference);
  return STATUS_INPUT;
}

/* The problem's velocity and energy at the initial positions.  Collective. */
static int make_state(hydro *h, char *message, size_t size)
{
  const fem_space *s = h->space;
  double *state = host_state(h), *x = hydro_x(h, state), *v = hydro_v(h, state), *e = hydro_e(h, state), distance;
  int status = fem_project_vector(s, h->mesh, x, velocity_at, h, v);
  if (!h->problem->driven) fem_constrain_host(s, v);
  if (!status && h->problem->energy) status = fem_project_scalar(s, x, energy_at, h, e);
  status = collective_status(status ? memory_refuse_setup(message, size) : 0, message, size);
  if (!status) status = check_seams(h, x, message, size);
  if (status || h->problem->energy) return status;
  status = fem_project_delta(s, x, h->setting.blast_energy, e, &distance);
  status = collective_status(status ? memory_refuse_setup(message, size) : 0, message, size);
  if (status || distance == 0.0) return status;
  snprintf(message, size, "problem.name: %s needs a vertex of the mesh at the origin; the nearest is %.3g away",
           h->problem->name, distance);
  return STATUS_INPUT;
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
    return STATUS_INPUT;
  }
  return 0;
}

/* M_v g, where there is gravity.  Collective. */
static int make_weight(hydro *h, char *message, size_t size)
{
  const double *g = h->problem->gravity;
  if (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0) return 0;
  const size_t bytes = sizeof(double) * (size_t)h->nkinematic;
  double *nodal = malloc(bytes + 1);
  h->weight = batched_allocate(h->ctx, bytes + sizeof(double));
  int status = judge_all(h, nodal && h->weight ? BATCHED_SUCCESS : BATCHED_NO_MEMORY, message, size);
  if (!status) {
    status =
      fem_project_vector(h->space, h->mesh, hydro_x(h, host_state(h)), gravity_at, h, nodal) ? BATCHED_NO_MEMORY : 0;
    if (!status) status = batched_copy_from_host(h->ctx, h->force_one, nodal, bytes);
    status = judge_all(h, status, message, size);
  }
  free(nodal);
  if (status) return status;
  return judge_all(h, fem_velocity_mass_apply(h->ctx, h->velocity_mass, h->force_one, h->weight), message, size);
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

static int place_halo(hydro *h, char *message, size_t size)
{
  const int status = judge_all(h, halo_place(h->ctx, h->space->halo), message, size);
  const bool nccl = strcmp(h->deck->run.messages, "nccl") == 0;
  comm_reduce_by_memory();
  if (!status && !nccl) halo_take_peers(h->space->halo);
  if (status || !nccl) return status;
  if (batched_get_space(h->ctx) == BATCHED_HOST) {
    snprintf(message, size, "run.messages=nccl: NCCL is for GPUs, and kernels.backend is host");
    return STATUS_INPUT;
  }
  const char *why = halo_take_nccl(h->ctx, h->space->halo);
  if (!why) return STATUS_OK;
  snprintf(message, size, "run.messages=nccl: %s", why);
  return STATUS_MACHINE;
}

/* One after the other, as each may wait for messages of the other ranks.  Collective. */
static int make_operators(hydro *h, char *message, size_t size)
{
  const deck *d = h->deck;
  int status = judge_all(h, place(h), message, size);
  if (!status) status = place_halo(h, message, size);
  parts_take(&h->parts, PART_PLACE);
  if (!status) status = judge_all(h, fem_force_create(h->ctx, &h->force, h->space, h->material), message, size);
  parts_take(&h->parts, PART_FORCE);
  if (status) return status;
  const fem_mass_options velocity = {
    .tolerance = d->solvers.velocity.tolerance,
    .max_iterations = d->solvers.velocity.max_iterations,
    .coupled = !laghos_is_matrix_free(h->space),
    .preconditioner = strcmp(d->solvers.velocity.preconditioner, "zone_inverse") == 0 ? FEM_ZONE_INVERSE : FEM_JACOBI,
    .late = true};
  status = fem_velocity_mass_create(h->ctx, &h->velocity_mass, h->space, h->material, &velocity);
  status = judge_all(h, status, message, size);
  parts_take(&h->parts, PART_VELOCITY);
  if (status) return status;
  const fem_mass_options energy = {.tolerance = d->solvers.energy.tolerance,
                                   .max_iterations = d->solvers.energy.max_iterations,
                                   .iterated = laghos_iterates_energy(h->space),
                                   .late = true};
  status = fem_energy_mass_create(h->ctx, &h->energy_mass, h->space, h->material, &energy);
  status = judge_all(h, status, message, size);
  parts_take(&h->parts, PART_ENERGY);
  if (!status) status = make_weight(h, message, size);
  if (!status) status = judge_all(h, balance_create(h), message, size);
  if (status || batched_get_space(h->ctx) == BATCHED_HOST) return status;
  return judge_all(h, hydro_rehearse(h), message, size);
}

/* ------------------------------------------------------------------ all of it */

static const solver_rk *const tableaux[] = {
  [RK_EULER] = &solver_rk_euler,   [RK_RK2] = &solver_rk_midpoint, [RK_RK3] = &solver_rk_ssp3,
  [RK_RK4] = &solver_rk_classical, [RK_RK6] = &solver_rk_verner,   [RK_RK2AVG] = NULL,
};

/* Ranks of one machine share what it has left in equal parts.  Collective. */
static void limit_memory(void)
{
  const int ranks = comm_local_size();
  double left = memory_left("");
  if (ranks == comm_size()) comm_min(&left, 1); // what is left changes while they look
  if (!getenv("SHOCKLET_NO_MEMORY_LIMIT")) memory_limit(left / ranks);
}

/* Checks that there is a rule for the deck's orders. */
static int check_simplices(const hydro *h, char *message, size_t size)
{
  const deck *d = h->deck;
  const int k = d->discretization.kinematic_order, t = d->discretization.thermodynamic_order;
  const int asked = d->discretization.quadrature_order, degree = asked > 0 ? asked : 3 * k + t - 1;
  if (h->mesh->shape == MESH_TENSOR || degree <= FEM_MAX_SIMPLEX_DEGREE) return STATUS_OK;
  snprintf(message, size,
           "discretization.quadrature_order: triangles and tetrahedra have rules up to degree %d, not %d%s",
           FEM_MAX_SIMPLEX_DEGREE, degree, asked > 0 ? "" : ", which these orders take by default");
  return STATUS_INPUT;
}

/* Checks that the variants that the deck names can do its mesh; one in a file is known by now. */
static int check_kernels(const hydro *h, char *message, size_t size)
{
  const char *key = deck_unfit_kernel(h->deck, h->mesh->shape == MESH_SIMPLEX);
  if (!key) return STATUS_OK;
  const char *variant = deck_variant(h->deck, key);
  snprintf(message, size, "kernels.%s: %s can't do this shape: it needs %s", key, variant,
           deck_row_needs(key, variant));
  return STATUS_INPUT;
}

static bool has_cuda(void)
{
  const batched_variant *cuda = fem_stress_op.variants[BATCHED_CUDA];
  return cuda && cuda->name;
}

static int open_device(hydro *h, char *message, size_t size)
{
  const int status = gpu_create_context(&h->ctx, &h->gpu, h->deck->kernels.backend, has_cuda(), message, size);
  if (!status && h->gpu.number < 0) limit_memory(); // a driver's unified addresses are no measure of what it uses
  parts_take(&h->parts, PART_DEVICE);
  return status;
}

/* A GPU wakes while the host makes mesh and space. */
static int set_up(hydro *h, deck *d, char *message, size_t size)
{
  h->deck = d;
  h->problem = d->problem.row;
  h->rk = tableaux[d->time.integrator];
  h->setting.blast_energy = d->problem.blast_energy;
  const bool wakes = gpu_wake(&h->gpu, d->kernels.backend, has_cuda());
  int status = wakes ? STATUS_OK : open_device(h, message, size);
  if (!status) status = setup_mesh(h, message, size);
  if (!status) status = check_simplices(h, message, size);
  if (!status) status = check_kernels(h, message, size);
  parts_take(&h->parts, PART_MESH);
  if (status) return status;
  const bool on_host = !wakes && batched_get_space(h->ctx) == BATCHED_HOST;
  status =
    fem_space_create(&h->space, h->mesh, d->discretization.kinematic_order, d->discretization.thermodynamic_order,
                     d->discretization.quadrature_order, on_host ? FEM_NODE_BY_NODE : FEM_ZONE_BY_ZONE);
  status = collective_status(status ? memory_refuse_setup(message, size) : STATUS_OK, message, size);
  parts_take(&h->parts, PART_SPACE);
  if (!status && wakes) status = open_device(h, message, size);
  if (!status) status = judge_all(h, allocate_state(h), message, size);
  parts_take(&h->parts, PART_SPACE);
  if (status) return status;
  h->space->blocking = !d->run.overlap;
  fem_space_positions(h->space, h->mesh, hydro_x(h, host_state(h)));
  if (h->origin) memcpy(h->origin, hydro_x(h, host_state(h)), sizeof(double) * (size_t)h->nkinematic);
  status = make_material(h, message, size);
  parts_take(&h->parts, PART_MATERIAL);
  if (!status) status = make_state(h, message, size);
  parts_take(&h->parts, PART_STATE);
  if (!status) status = collective_status(choose_variants(h, message, size), message, size);
  return status ? status : make_operators(h, message, size);
}

/* Where the state is small, an operation on it takes the device less than a look at its clock does, of which a step
 * would have fifty. */
static void sample_vectors(hydro *h)
{
  const int64_t small = 1 << 18;
  const batched_op *const on_vectors[] = {&solver_combine_op, &solver_checksum_op, &fem_constrain_op, &fem_energies_op};
  if (h->nstate >= small) return;
  for (size_t i = 0; i < sizeof on_vectors / sizeof *on_vectors; i++)
    batched_recording_sample(h->ctx, on_vectors[i]->name);
}

int hydro_create(hydro **run, deck *d, char *message, size_t size)
{
  hydro *h = *run = calloc(1, sizeof *h);
  int status = collective_status(h ? 0 : memory_refuse_setup(message, size), message, size);
  if (h) parts_begin(&h->parts);
  if (!status) status = collective_status(set_up(h, d, message, size), message, size); // a rank's limit is its own
  if (!status) status = judge_all(h, batched_time_device(h->ctx, true), message, size);
  if (!status) sample_vectors(h);
  if (!status) batched_reset_stats(h->ctx);
  if (status) hydro_destroy(run);
  return status;
}

void hydro_destroy(hydro **run)
{
  hydro *h = *run;
  if (!h) return;
  gpu_await(&h->gpu);
  for (int i = 0; i < SOLVER_MAX_STAGES; i++) batched_recording_destroy(&h->recordings[i]);
  if (h->ctx) {
    guard_destroy(h);
    batched_note_destroy(&h->note);
    balance_destroy(h);
    fem_mass_destroy(h->ctx, &h->velocity_mass);
    fem_mass_destroy(h->ctx, &h->energy_mass);
    fem_force_destroy(h->ctx, &h->force);
    double *vectors[] = {h->state, h->before, h->stages, h->force_one, h->power, h->weight, h->results};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) batched_release(h->ctx, vectors[i]);
  }
  free(h->copy);
  free(h->origin);
  fem_material_destroy(&h->material);
  fem_space_destroy(&h->space);
  mesh_destroy(&h->mesh);
  batched_destroy(&h->ctx);
  free(h);
  *run = NULL;
}
