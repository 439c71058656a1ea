/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M_e p = b on the host; M_e is block diagonal, a dense block a zone.
 *   host.pcg     unpreconditioned conjugate gradients over all zones, matrix-free
 *   host.potrs   batched Cholesky factors, solved zone by zone
 *   host.spmv    the inverse as a sparse matrix (MAGMA Batched, section 7, kernel 11)
 *   host.ref     the inverse as dense blocks, plain loops
 * Only host.pcg multiplies by M_e; the others keep no more than its factors or inverse.
 */
#include <stdlib.h>
#include <string.h>

#include "fem/mass/host/mass.h"
#include "fem/space/assemble.h"
#include "fem/tables.h"

static int64_t unknowns(const fem_space *s)
{
  return (int64_t)s->nzones * s->nt;
}

/* The dense blocks [nzones][nt][nt], or NULL. */
static double *make_blocks(batched_ctx *ctx, const fem_mass *m)
{
  const fem_space *s = m->space;
  const size_t size = (size_t)s->nt * (size_t)s->nt;
  double *blocks = batched_allocate(ctx, sizeof(double) * (size * (size_t)s->nzones + 1));
  fem_assembly assembly;
  const int status = fem_assembly_create(&assembly, s, s->t1, s->bt);
  for (int z = 0; blocks && !status && z < s->nzones; z++)
    fem_assembly_zone(&assembly, m->material->density + (int64_t)z * s->nq, blocks + (size_t)z * size);
  fem_assembly_destroy(&assembly);
  if (!status) return blocks;
  batched_release(ctx, blocks);
  return NULL;
}

/* ------------------------------------------------------------------ host.pcg */

static int multiply(batched_ctx *ctx, void *mass, const double *x, double *y)
{
  (void)ctx;
  const fem_mass *m = mass;
  memset(y, 0, sizeof(double) * (size_t)unknowns(m->space));
  sumfact_mass_add(m->store, m->space, 0, m->space->nzones, unknowns(m->space), x, y);
  return BATCHED_SUCCESS;
}

/* Zone z of an energy vector holds its nt coefficients in place: the identity as dofs. */
static int setup_pcg(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  const fem_space *s = m->space;
  if (unknowns(s) > INT32_MAX) return BATCHED_NO_MEMORY; // more coefficients than an int counts
  m->matrix.apply = multiply;
  m->store = calloc(1, sizeof(sumfact_mass));
  int *dofs = malloc(sizeof *dofs * ((size_t)unknowns(s) + 1));
  for (int64_t i = 0; dofs && i < unknowns(s); i++) dofs[i] = (int)i;
  int status =
    m->store && dofs ? sumfact_mass_create(m->store, s, m->material, 1, s->t1, s->bt, dofs) : BATCHED_NO_MEMORY;
  free(dofs);
  return status;
}

static void teardown_pcg(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  sumfact_mass_destroy(m->store);
  free(m->store);
  m->store = NULL;
}

static void constants_of_pcg(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  sumfact_mass_constants(m->store, m->space, visit, user);
}

static const fem_mass_functions pcg = {.setup = setup_pcg, .teardown = teardown_pcg, .constants = constants_of_pcg};

static bool fits_pcg(const void *mass)
{
  return ((const fem_mass *)mass)->space->shape == MESH_TENSOR;
}

static bool likes_pcg(const void *mass)
{
  return ((const fem_mass *)mass)->options.iterated;
}

/* ------------------------------------------------------------------ host.potrs */

static batched_matrix blocks_of(const fem_space *s, double *blocks)
{
  return batched_strided(blocks, s->nt, s->nt, s->nt, (int64_t)s->nt * s->nt, s->nzones);
}

static batched_matrix vectors_of(const fem_space *s, double *x)
{
  return batched_strided(x, s->nt, 1, s->nt, s->nt, s->nzones);
}

/* Cholesky factors of all blocks; NO_MEMORY also if a block has none, which a positive density rules out. */
static int factorise(batched_ctx *ctx, const fem_space *s, double *blocks)
{
  int *info = batched_allocate(ctx, sizeof *info * ((size_t)s->nzones + 1));
  if (!info) return BATCHED_NO_MEMORY;
  int status = batched_potrf(ctx, BATCHED_LOWER, blocks_of(s, blocks), info);
  for (int z = 0; !status && z < s->nzones; z++)
    if (info[z]) status = BATCHED_NO_MEMORY;
  batched_release(ctx, info);
  return status;
}

/* Solves for nothing: a row of potrs that can't do this shape says so now. */
static int try_potrs(batched_ctx *ctx, const fem_space *s, double *factors)
{
  double *x = calloc((size_t)unknowns(s) + 1, sizeof *x);
  if (!x) return BATCHED_NO_MEMORY;
  const int status = batched_potrs(ctx, BATCHED_LOWER, blocks_of(s, factors), vectors_of(s, x));
  free(x);
  return status;
}

static int setup_potrs(batched_ctx *ctx, fem_mass *m)
{
  m->store = make_blocks(ctx, m);
  int status = m->store ? factorise(ctx, m->space, m->store) : BATCHED_NO_MEMORY;
  return status ? status : try_potrs(ctx, m->space, m->store);
}

static int solve_potrs(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  const fem_space *s = m->space;
  memcpy(x, b, sizeof(double) * (size_t)unknowns(s));
  return batched_potrs(ctx, BATCHED_LOWER, blocks_of(s, m->store), vectors_of(s, x));
}

static void release_store(batched_ctx *ctx, fem_mass *m)
{
  batched_release(ctx, m->store);
  m->store = NULL;
}

/* Factors, or inverses, of the blocks. */
static void constants_of_blocks(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  visit(user, "the mass matrix of the energy", m->store,
        sizeof(double) * (size_t)unknowns(m->space) * (size_t)m->space->nt);
}

static const fem_mass_functions potrs = {.setup = setup_potrs,
                                         .solve = solve_potrs,
                                         .direct = true,
                                         .teardown = release_store,
                                         .constants = constants_of_blocks};

/* ------------------------------------------------------------------ host.spmv and host.ref: the inverse */

/* blocks = M_e^-1, by Cholesky and the unit vectors as right-hand sides */
static int invert(batched_ctx *ctx, const fem_mass *m, double **inverse)
{
  const fem_space *s = m->space;
  const size_t size = (size_t)s->nt * (size_t)s->nt;
  double *blocks = make_blocks(ctx, m);
  *inverse = batched_allocate(ctx, sizeof(double) * (size * (size_t)s->nzones + 1));
  int status = blocks && *inverse ? factorise(ctx, s, blocks) : BATCHED_NO_MEMORY;
  if (!status) {
    memset(*inverse, 0, sizeof(double) * size * (size_t)s->nzones);
    for (int z = 0; z < s->nzones; z++)
      for (int i = 0; i < s->nt; i++) (*inverse)[(size_t)z * size + (size_t)(i * s->nt + i)] = 1.0;
    status = batched_potrs(ctx, BATCHED_LOWER, blocks_of(s, blocks), blocks_of(s, *inverse));
  }
  batched_release(ctx, blocks);
  if (status) {
    batched_release(ctx, *inverse);
    *inverse = NULL;
  }
  return status;
}

static int setup_spmv(batched_ctx *ctx, fem_mass *m)
{
  double *inverse;
  int status = invert(ctx, m, &inverse);
  if (status) return status;
  solver_csr *a = solver_csr_create_blocks(m->space->nzones, m->space->nt);
  if (a) memcpy(a->value, inverse, sizeof(double) * (size_t)a->start[a->nrows]);
  batched_release(ctx, inverse);
  m->store = a;
  return a ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

static int solve_spmv(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  const solver_csr *a = m->store;
  return solver_spmv(ctx,
                     &(solver_spmv_args){.a = a, .last = a->nrows, .ncomp = 1, .stride = a->nrows, .x = b, .y = x});
}

static void teardown_spmv(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  solver_csr *a = m->store;
  solver_csr_destroy(&a);
  m->store = NULL;
}

static void constants_of_spmv(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  solver_csr_constants(m->store, visit, user);
}

static const fem_mass_functions spmv = {
  .setup = setup_spmv, .solve = solve_spmv, .direct = true, .teardown = teardown_spmv, .constants = constants_of_spmv};

static int setup_ref(batched_ctx *ctx, fem_mass *m)
{
  return invert(ctx, m, (double **)&m->store);
}

static int solve_ref(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  (void)ctx;
  const double *inverse = m->store;
  const int nt = m->space->nt;
  for (int64_t row = 0; row < unknowns(m->space); row++) {
    const double *block = b + row / nt * nt;
    double sum = 0.0;
    for (int j = 0; j < nt; j++) sum += inverse[row * nt + j] * block[j];
    x[row] = sum;
  }
  return BATCHED_SUCCESS;
}

static const fem_mass_functions ref = {
  .setup = setup_ref, .solve = solve_ref, .direct = true, .teardown = release_store, .constants = constants_of_blocks};

const batched_variant fem_host_energy_mass[] = {
  {.name = "host.pcg", .fits = fits_pcg, .likes = likes_pcg, .functions = &pcg},
  {.name = "host.potrs", .functions = &potrs},
  {.name = "host.spmv", .functions = &spmv},
  {.name = "host.ref", .functions = &ref},
  {0},
};
