/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M_v a = b on the host: one matrix for all components, conjugate gradients for all of them at once.
 *   host.sumfact   matrix-free
 *   host.csr       assembled, compressed sparse rows
 *   host.ref       dense zone matrices, plain loops
 */
#include <stdlib.h>
#include <string.h>

#include "fem/tables.h"
#include "fem/space/assemble.h"
#include "fem/mass/host/mass.h"

/* y += M x by the zones (or rows) that touch what other ranks share, and by the rest. */
typedef enum part { SHARED, REST } part;
typedef int add_function(batched_ctx *ctx, const fem_mass *m, part which, const double *x, double *y);

typedef struct velocity_product {
  const fem_mass *mass;
  add_function *add;
} velocity_product;

/* y = M x, summed over ranks while the inner zones are being done. */
static int multiply(batched_ctx *ctx, const velocity_product *a, const double *x, double *y)
{
  const fem_space *s = a->mass->space;
  memset(y, 0, sizeof(double) * (size_t)s->dim * (size_t)s->ndofs);
  int status = a->add(ctx, a->mass, SHARED, x, y);
  halo_sum_begin(ctx, s->halo, s->dim, y);
  if (!status) status = a->add(ctx, a->mass, REST, x, y);
  halo_sum_end(ctx, s->halo, s->dim, y);
  return status;
}

static int multiply_constrained(batched_ctx *ctx, void *matrix, const double *x, double *y)
{
  const velocity_product *a = matrix;
  int status = multiply(ctx, a, x, y);
  return status ? status : fem_constrain(ctx, a->mass->space, y);
}

static int solve(batched_ctx *ctx, const fem_mass_args *args, add_function *add)
{
  fem_mass *m = args->mass;
  const fem_space *s = m->space;
  velocity_product product = {.mass = m, .add = add};
  int iterations[SOLVER_MAX_COMPONENTS];
  bool converged[SOLVER_MAX_COMPONENTS];
  solver_pcg_args pcg = {.ncomp = s->dim,
                         .coupled = !fem_is_standard(s),
                         .n = s->ndofs,
                         .nowned = s->nowned,
                         .apply = multiply_constrained,
                         .matrix = &product,
                         .inverse_diagonal = m->inverse_diagonal,
                         .b = args->b,
                         .x = args->x,
                         .work = m->work,
                         .tolerance = m->tolerance,
                         .max_iterations = m->max_iterations,
                         .iterations = iterations,
                         .converged = converged};
  int status = solver_pcg(ctx, &pcg);
  if (!status) count_iterations(m, s->dim, iterations, converged);
  return status;
}

static int run(batched_ctx *ctx, const fem_mass_args *args, add_function *add)
{
  if (args->task == FEM_MASS_SOLVE) return solve(ctx, args, add);
  velocity_product product = {.mass = args->mass, .add = add};
  return multiply(ctx, &product, args->b, args->x);
}

static void zones_of(const fem_space *s, part which, int *first, int *last)
{
  const int split = fem_first_zones(s);
  *first = which == SHARED ? 0 : split;
  *last = which == SHARED ? split : s->nzones;
}

/* ------------------------------------------------------------------ host.sumfact */

static int add_sumfact(batched_ctx *ctx, const fem_mass *m, part which, const double *x, double *y)
{
  (void)ctx;
  int first, last;
  zones_of(m->space, which, &first, &last);
  sumfact_mass_add(m->store, m->space, first, last, m->space->ndofs, x, y);
  return BATCHED_SUCCESS;
}

static int run_sumfact(batched_ctx *ctx, const void *p)
{
  const fem_mass_args *args = p;
  fem_mass *m = args->mass;
  const fem_space *s = m->space;
  if (args->task == FEM_MASS_TEARDOWN) {
    sumfact_mass_destroy(m->store);
    free(m->store);
    m->store = NULL;
    return BATCHED_SUCCESS;
  }
  if (args->task != FEM_MASS_SETUP) return run(ctx, args, add_sumfact);
  m->store = calloc(1, sizeof(sumfact_mass));
  return m->store ? sumfact_mass_create(m->store, s, m->material, s->dim, s->d1, s->b, s->dofs) : BATCHED_NO_MEMORY;
}

/* ------------------------------------------------------------------ host.csr */

/* Rows that other ranks share stand at both ends: owned ones below nfirst, the others' from nowned on. */
static int add_csr(batched_ctx *ctx, const fem_mass *m, part which, const double *x, double *y)
{
  const fem_space *s = m->space;
  solver_spmv_args args = {.a = m->store, .ncomp = s->dim, .stride = s->ndofs, .x = x, .y = y};
  if (which == REST) {
    args.first = s->nfirst, args.last = s->nowned;
    return solver_spmv(ctx, &args);
  }
  args.first = 0, args.last = s->nfirst;
  int status = solver_spmv(ctx, &args);
  args.first = s->nowned, args.last = s->ndofs;
  return status ? status : solver_spmv(ctx, &args);
}

static int assemble(fem_mass *m)
{
  solver_csr *a;
  int status = fem_assemble_velocity(m->space, m->material, &a);
  m->store = a;
  return status;
}

static int run_csr(batched_ctx *ctx, const void *p)
{
  const fem_mass_args *args = p;
  if (args->task == FEM_MASS_SETUP) return assemble(args->mass);
  if (args->task != FEM_MASS_TEARDOWN) return run(ctx, args, add_csr);
  solver_csr *a = args->mass->store;
  solver_csr_destroy(&a);
  args->mass->store = NULL;
  return BATCHED_SUCCESS;
}

/* ------------------------------------------------------------------ host.ref */

static int add_ref(batched_ctx *ctx, const fem_mass *m, part which, const double *x, double *y)
{
  (void)ctx;
  const fem_space *s = m->space;
  const double *matrices = m->store; // [nzones][nd][nd]
  int first, last;
  zones_of(s, which, &first, &last);
  for (int z = first; z < last; z++) {
    const double *a = matrices + (int64_t)z * s->nd * s->nd;
    const int *dofs = s->dofs + (int64_t)z * s->nd;
    for (int c = 0; c < s->dim; c++)
      for (int i = 0; i < s->nd; i++) {
        double sum = 0.0;
        for (int j = 0; j < s->nd; j++) sum += a[i * s->nd + j] * x[(int64_t)c * s->ndofs + dofs[j]];
        y[(int64_t)c * s->ndofs + dofs[i]] += sum;
      }
  }
  return BATCHED_SUCCESS;
}

/* The matrix [nd][nd] of a zone by its definition; basis: [nq][nd] */
static void define_zone(const fem_space *s, const double *density, const double *basis, double *matrix)
{
  for (int i = 0; i < s->nd * s->nd; i++) matrix[i] = 0.0;
  for (int q = 0; q < s->nq; q++, basis += s->nd)
    for (int i = 0; i < s->nd; i++)
      for (int j = 0; j < s->nd; j++) matrix[i * s->nd + j] += density[q] * basis[i] * basis[j];
}

static int run_ref(batched_ctx *ctx, const void *p)
{
  const fem_mass_args *args = p;
  fem_mass *m = args->mass;
  const fem_space *s = m->space;
  if (args->task == FEM_MASS_TEARDOWN) {
    free(m->store);
    m->store = NULL;
    return BATCHED_SUCCESS;
  }
  if (args->task != FEM_MASS_SETUP) return run(ctx, args, add_ref);
  const size_t size = (size_t)s->nd * (size_t)s->nd;
  double *matrices = m->store = malloc(sizeof(double) * (size * (size_t)s->nzones + 1)),
         *basis = fem_assemble_basis(s, s->d1, s->b);
  const bool ok = matrices && basis;
  for (int z = 0; ok && z < s->nzones; z++)
    define_zone(s, m->material->density + (int64_t)z * s->nq, basis, matrices + (size_t)z * size);
  free(basis);
  return ok ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

const batched_variant fem_host_velocity_mass[] = {
  {.name = "host.sumfact", .run = run_sumfact},
  {.name = "host.csr", .run = run_csr},
  {.name = "host.ref", .run = run_ref},
  {0},
};
