/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every key of a deck, declared once.
 */
#include <math.h>
#include <string.h>

#include "app/deck/deck_schema.h"
#include "app/deck/operations.h"

#define FIELD(f) .offset = offsetof(deck, f), .size = sizeof((deck *)0)->f
#define ANY .low = -HUGE_VAL, .high = HUGE_VAL
#define RANGE(a, b) .low = (a), .high = (b)
#define OF_PROBLEM .derived = true, .fallback = "of the problem"

static const char *const integrators[] = {"euler", "rk2", "rk3", "rk4", "rk6", "rk2avg", NULL};
static const char *const axes[] = {"none", "x", "y", "z", "xy", "xz", "yz", "xyz", NULL};
static const char *const zones[] = {"auto", "triangle", "tet", NULL};
static const char *const partitions[] = {"auto", "block", "hilbert", "rcb", "metis", NULL};
static const char *const preconditioners[] = {"jacobi", "zone_inverse", NULL};
static const char *const backends[] = {"auto", "host", "cuda", NULL};
static const char *const ways[] = {"mpi", "nccl", NULL};
static const char *const progresses[] = {"auto", "bar", "lines", "none", NULL};

static const deck_key fixed[] = {
  {"problem.name", DECK_PROBLEM, FIELD(problem.name), .derived = true, .fallback = "required",
   .help = "initial state, box, walls and materials"},
  {"problem.blast_energy", DECK_REAL, FIELD(problem.blast_energy), .fallback = "1.0", RANGE(0, 1e100), .above = true,
   .help = "energy of the blast of sedov in all of space; each wall through the origin leaves half"},
  {"problem.impose_viscosity", DECK_BOOL, FIELD(problem.impose_viscosity), .fallback = "false",
   .help = "artificial viscosity also where the problem has none"},
  {"mesh.dim", DECK_INT, FIELD(mesh.dim), OF_PROBLEM, RANGE(0, 3), .help = "space dimensions; 0: as mesh.file says"},
  {"mesh.zones", DECK_INTS, FIELD(mesh.zones), OF_PROBLEM, RANGE(1, 16777216),
   .help = "zones of the box along each axis, before refinement"},
  {"mesh.zone", DECK_NAME, FIELD(mesh.zone), .fallback = "auto", .choices = zones,
   .help = "zones of the box: auto (segments, quads, hexes), or 2 triangles or 6 tets in place of each"},
  {"mesh.lower", DECK_REALS, FIELD(mesh.lower), OF_PROBLEM, RANGE(-1e100, 1e100), .help = "lower corner of the box"},
  {"mesh.upper", DECK_REALS, FIELD(mesh.upper), OF_PROBLEM, RANGE(-1e100, 1e100), .help = "upper corner of the box"},
  {"mesh.periodic", DECK_NAME, FIELD(mesh.periodic), .fallback = "none", .choices = axes,
   .help = "axes along which the box repeats itself, in place of walls; a mesh file has seams of its own"},
  {"mesh.file", DECK_TEXT, FIELD(mesh.file), .fallback = "",
   .help = "a mesh instead of the box (of MFEM: v1.0, v1.2, v1.3; of Gmsh: .msh 2.2, 4.1); path relative to the deck"},
  {"mesh.refine", DECK_INT, FIELD(mesh.refine), .derived = true, .fallback = "of the problem, or 0", RANGE(0, 12),
   .help = "uniform refinements; 0 where zones, file or zones_per_rank are given"},
  {"mesh.zones_per_rank", DECK_SHARE, FIELD(mesh.zones_per_rank), .fallback = "0", RANGE(0, DECK_MAX_SHARE),
   .help = "weak scaling: a box of so many zones on every rank, or so many along each axis, in place of zones; 0: off"},
  {"mesh.partition", DECK_NAME, FIELD(mesh.partition), .fallback = "auto", .choices = partitions,
   .help = "how zones are dealt to ranks"},
  {"discretization.kinematic_order", DECK_INT, FIELD(discretization.kinematic_order), .fallback = "2", RANGE(1, 8),
   .help = "order of positions and velocities (continuous)"},
  {"discretization.thermodynamic_order", DECK_INT, FIELD(discretization.thermodynamic_order), .derived = true,
   .fallback = "kinematic - 1", RANGE(0, 8), .help = "order of the internal energy (discontinuous)"},
  {"discretization.quadrature_order", DECK_INT, FIELD(discretization.quadrature_order), .fallback = "-1", RANGE(-1, 64),
   .help = "order that is integrated exactly; -1 or 0: 3 kinematic + thermodynamic - 1"},
  {"time.integrator", DECK_INTEGRATOR, FIELD(time.integrator), .fallback = "rk4", .choices = integrators,
   .help = "Runge-Kutta scheme; rk2avg conserves the total energy"},
  {"time.final", DECK_REAL, FIELD(time.final), OF_PROBLEM, RANGE(0, 1e100), .above = true, .help = "final time"},
  {"time.cfl", DECK_REAL, FIELD(time.cfl), OF_PROBLEM, RANGE(0, 10), .above = true,
   .help = "time step as a fraction of the stable one"},
  {"time.max_steps", DECK_INT64, FIELD(time.max_steps), .fallback = "-1", RANGE(-1, 1e15),
   .help = "stop after so many attempts of a step and one more, as Laghos does; -1: no limit"},
  {"time.max_cuts", DECK_INT, FIELD(time.max_cuts), .fallback = "50", RANGE(0, 10000),
   .help = "how often a step that tangles a zone is repeated with 0.85 of its length; then the run fails"},
  {"time.wall_limit", DECK_REAL, FIELD(time.wall_limit), .fallback = "0", RANGE(0, 1e9),
   .help = "stop with a checkpoint before this time by the clock, s; 0: no limit"},
  {"solvers.velocity.tolerance", DECK_REAL, FIELD(solvers.velocity.tolerance), .fallback = "1e-8", RANGE(1e-30, 1),
   .below = true, .help = "of CG with the velocity mass matrix, relative"},
  {"solvers.velocity.max_iterations", DECK_INT, FIELD(solvers.velocity.max_iterations), .fallback = "300",
   RANGE(1, 1e9), .help = "of CG with the velocity mass matrix"},
  {"solvers.velocity.preconditioner", DECK_NAME, FIELD(solvers.velocity.preconditioner), .fallback = "jacobi",
   .choices = preconditioners,
   .help = "jacobi: the diagonal, as Laghos; zone_inverse: a third of the iterations, other rounding"},
  {"solvers.energy.tolerance", DECK_REAL, FIELD(solvers.energy.tolerance), .fallback = "1e-8", RANGE(1e-30, 1),
   .below = true, .help = "of CG with the energy mass matrix, relative"},
  {"solvers.energy.max_iterations", DECK_INT, FIELD(solvers.energy.max_iterations), .fallback = "300", RANGE(1, 1e9),
   .help = "of CG with the energy mass matrix"},
  {"kernels.backend", DECK_NAME, FIELD(kernels.backend), .fallback = "auto", .choices = backends,
   .help = "where the work is done; auto: cuda if it is built and there is a GPU"},
  {"output.directory", DECK_TEXT, FIELD(output.directory), .fallback = "results",
   .help = "folder of the output files, made when needed"},
  {"output.fields_every", DECK_INT64, FIELD(output.fields_every), .fallback = "0", RANGE(0, 1e15),
   .help = "steps between field files; 0: none"},
  {"output.checkpoint_every", DECK_INT64, FIELD(output.checkpoint_every), .fallback = "0", RANGE(0, 1e15),
   .help = "steps between checkpoints; 0: none"},
  {"output.checkpoint_seconds", DECK_REAL, FIELD(output.checkpoint_seconds), .fallback = "0", RANGE(0, 1e9),
   .help = "time between checkpoints by the clock, s; 0: none"},
  {"output.history_every", DECK_INT64, FIELD(output.history_every), .derived = true,
   .fallback = "1 with other files, or 0", RANGE(0, 1e15),
   .help = "steps between rows of history.csv (time, dt, energies, iterations) and probes.csv; 0: none"},
  {"output.probes", DECK_POINTS, FIELD(output.probes), .derived = true, .fallback = "[]", RANGE(-1e100, 1e100),
   .help = "points, mesh.dim numbers each, at which probes.csv has the state; at most 96 numbers"},
  {"output.keep", DECK_INT, FIELD(output.keep), .fallback = "2", RANGE(1, 1e6), .help = "checkpoints that are kept"},
  {"output.overwrite", DECK_BOOL, FIELD(output.overwrite), .fallback = "false",
   .help = "remove the files that another run left in output.directory; they are an error otherwise"},
  {"output.progress", DECK_NAME, FIELD(output.progress), .fallback = "auto", .choices = progresses,
   .help = "auto: a bar on a terminal, lines elsewhere"},
  {"run.silence", DECK_REAL, FIELD(run.silence), .fallback = "300", RANGE(0, 1e9),
   .help = "after so long without progress say on stderr where the ranks are, s; 0: never"},
  {"run.silence_ends", DECK_BOOL, FIELD(run.silence_ends), .fallback = "false",
   .help = "and end the run then, with exit status 3"},
  {"run.overlap", DECK_BOOL, FIELD(run.overlap), .fallback = "true",
   .help = "compute while messages travel and ranks agree on the time step; false: to compare"},
  {"run.messages", DECK_NAME, FIELD(run.messages), .fallback = "mpi", .choices = ways,
   .help = "between GPUs that don't write into each other's memory: by MPI, or by NCCL"},
};

enum { NFIXED = sizeof fixed / sizeof *fixed };
_Static_assert(NFIXED + DECK_MAX_KERNELS <= DECK_MAX_KEYS, "DECK_MAX_KEYS is too small");

int deck_kernel_keys(const char *keys[DECK_MAX_KERNELS])
{
  int n = 0;
  const batched_op *op;
  for (int i = 0; (op = app_operation(i)) && n < DECK_MAX_KERNELS; i++) {
    int j = 0;
    while (j < n && strcmp(keys[j], op->key) != 0) j++;
    if (j == n) keys[n++] = op->key;
  }
  return n;
}

static deck_key kernel_key(const char *name, int index)
{
  const size_t size = sizeof((deck *)0)->kernels.variant[0];
  return (deck_key){.name = name,
                    .type = DECK_VARIANT,
                    .offset = offsetof(deck, kernels.variant) + (size_t)index * size,
                    .size = size,
                    .fallback = "auto",
                    .help = "its variant"};
}

/* The kernels follow kernels.backend, so that a section is never split. */
void deck_schema_fill(deck_schema *s)
{
  const char *kernels[DECK_MAX_KERNELS];
  int nkernels = deck_kernel_keys(kernels);
  s->n = 0;
  for (int i = 0; i < NFIXED; i++) {
    s->key[s->n++] = fixed[i];
    if (strcmp(fixed[i].name, "kernels.backend") != 0) continue;
    for (int k = 0; k < nkernels; k++) {
      snprintf(s->kernel_names[k], sizeof s->kernel_names[k], "kernels.%s", kernels[k]);
      s->key[s->n++] = kernel_key(s->kernel_names[k], k);
    }
  }
}

int deck_schema_find(const deck_schema *s, const char *name)
{
  for (int i = 0; i < s->n; i++)
    if (strcmp(s->key[i].name, name) == 0) return i;
  return -1;
}

bool deck_schema_is_section(const deck_schema *s, const char *name)
{
  size_t n = strlen(name);
  for (int i = 0; i < s->n; i++)
    if (strncmp(s->key[i].name, name, n) == 0 && s->key[i].name[n] == '.') return n > 0;
  return false;
}

const char *deck_type_name(deck_type type)
{
  static const char *const names[] = {
    [DECK_BOOL] = "true/false", [DECK_INT] = "integer",     [DECK_INT64] = "integer",  [DECK_REAL] = "number",
    [DECK_INTS] = "integers",   [DECK_REALS] = "numbers",   [DECK_POINTS] = "numbers", [DECK_SHARE] = "integers",
    [DECK_NAME] = "name",       [DECK_INTEGRATOR] = "name", [DECK_PROBLEM] = "name",   [DECK_VARIANT] = "name",
    [DECK_TEXT] = "path",
  };
  return names[type];
}

deck_integrator deck_integrator_find(const char *name)
{
  int i = 0;
  while (strcmp(integrators[i], name) != 0) i++;
  return (deck_integrator)i;
}

const char *deck_integrator_name(deck_integrator integrator)
{
  return integrators[integrator];
}

bool deck_is_list(deck_type type)
{
  return type == DECK_INTS || type == DECK_REALS || type == DECK_POINTS;
}

int deck_list_length(const deck_key *k, const deck *d)
{
  const void *field = (const char *)d + k->offset;
  if (k->type == DECK_POINTS) return ((const deck_points *)field)->count;
  if (k->type == DECK_SHARE) return ((const deck_share *)field)->axes;
  return d->mesh.file[0] ? 0 : d->mesh.dim;
}

const char *deck_variant(const deck *d, const char *key)
{
  const char *keys[DECK_MAX_KERNELS];
  int n = deck_kernel_keys(keys);
  for (int i = 0; i < n; i++)
    if (strcmp(keys[i], key) == 0) return d->kernels.variant[i];
  return "auto";
}
