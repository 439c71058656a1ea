/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of the model of a machine (batched/cuda/model.h): nothing is computed, so nothing moves, and every step has
 * the same length.
 */
#include <math.h>

#include "batched/cuda/model.h"
#include "fem/force/force.h"
#include "fem/mass/mass.h"
#include "fem/mass/precondition.h"
#include "fem/tables.h"

/* ------------------------------------------------------------------ the corner force */

static const double ESTIMATE = 1e-6; // of every time step

static int setup_force(batched_ctx *ctx, fem_force *f)
{
  (void)ctx, (void)f;
  return BATCHED_SUCCESS;
}

static int stress(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e, double *time_step)
{
  (void)x, (void)v, (void)e;
  batched_model_charge(ctx, &fem_stress_op, &(fem_force_args){.force = f, .last = f->space->nzones});
  *time_step = fmin(*time_step, ESTIMATE);
  return BATCHED_SUCCESS;
}

static int apply(batched_ctx *ctx, fem_force *f, int first, int last, double *out)
{
  (void)out;
  batched_model_charge(ctx, &fem_force_op, &(fem_force_args){.force = f, .first = first, .last = last});
  return BATCHED_SUCCESS;
}

static int power(batched_ctx *ctx, fem_force *f, const double *v, double *out)
{
  (void)v, (void)out;
  batched_model_charge(ctx, &fem_power_op, &(fem_force_args){.force = f, .last = f->space->nzones});
  return BATCHED_SUCCESS;
}

static void teardown_force(batched_ctx *ctx, fem_force *f)
{
  (void)ctx, (void)f;
}

static const fem_force_functions force = {
  .setup = setup_force, .stress = stress, .apply = apply, .power = power, .teardown = teardown_force};

const batched_variant fem_cuda_force[] = {{.name = "cuda.model", .functions = &force}, {0}};

/* ------------------------------------------------------------------ mass matrices */

static int setup_mass(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx, (void)m;
  return BATCHED_SUCCESS;
}

static void teardown_mass(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx, (void)m;
}

/* The zones of a part: density at the points, and four times the vectors. */
static int product(batched_ctx *ctx, fem_mass *m, fem_part part, const double *x, double *y)
{
  (void)x, (void)y;
  const fem_space *s = m->space;
  const int split = fem_first_zones(s), zones = part == FEM_SHARED ? split : s->nzones - split;
  const double vectors = 4.0 * s->dim * s->ndofs / s->nzones;
  if (zones > 0) batched_model_enqueue(ctx, 8.0 * zones * (s->nq + vectors), 0.65);
  return BATCHED_SUCCESS;
}

/* Both kernels of cuda.sumfact (fem/mass/cuda/precondition.cu), all zones with the first part: r, numbers and scale
 * twice; the zones' nodes are written and read again. */
static int invert(batched_ctx *ctx, fem_mass *m, fem_part part, const double *r, double *z)
{
  (void)r, (void)z;
  const fem_space *s = m->space;
  if (part == FEM_REST && !halo_alone(s->halo)) return BATCHED_SUCCESS;
  const double nodes = (double)s->nzones * s->nd, dim = s->dim;
  batched_model_enqueue(ctx, dim * nodes * 36.0, 0.65);
  batched_model_enqueue(ctx, dim * (8.0 * nodes + 8.0 * s->ndofs) + 4.0 * nodes, 0.65);
  return BATCHED_SUCCESS;
}

static const fem_precondition_functions zone_inverse = {
  .setup = setup_mass, .apply = invert, .teardown = teardown_mass};

static int solve_energy(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  (void)b, (void)x;
  batched_model_charge(ctx, &fem_energy_solve_op, m);
  return BATCHED_SUCCESS;
}

static const fem_mass_functions velocity = {.setup = setup_mass, .product = product, .teardown = teardown_mass};
static const fem_mass_functions energy = {
  .setup = setup_mass, .solve = solve_energy, .direct = true, .teardown = teardown_mass};

const batched_variant fem_cuda_velocity_mass[] = {{.name = "cuda.model", .functions = &velocity}, {0}};
const batched_variant fem_cuda_precondition[] = {{.name = "cuda.model", .functions = &zone_inverse}, {0}};
const batched_variant fem_cuda_energy_mass[] = {{.name = "cuda.model", .functions = &energy}, {0}};

/* ------------------------------------------------------------------ small operations */

static int constrain(batched_ctx *ctx, const void *args)
{
  batched_model_charge(ctx, &fem_constrain_op, args);
  return BATCHED_SUCCESS;
}

static int source(batched_ctx *ctx, const void *args)
{
  batched_model_charge(ctx, &fem_source_op, args);
  return BATCHED_SUCCESS;
}

static int energies(batched_ctx *ctx, const void *p)
{
  const fem_energies_args *args = p;
  batched_model_charge(ctx, &fem_energies_op, args);
  args->sums[0] = 1.0;
  args->sums[1] = 0.0;
  return BATCHED_SUCCESS;
}

const batched_variant fem_cuda_constrain[] = {{.name = "cuda.model", .run = constrain}, {0}};
const batched_variant fem_cuda_source[] = {{.name = "cuda.model", .run = source}, {0}};
const batched_variant fem_cuda_energies[] = {{.name = "cuda.model", .run = energies}, {0}};
