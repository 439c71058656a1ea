/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with M_v on the host; conjugate gradients around them: fem/mass/velocity_mass.c.
 *   host.sumfact   matrix-free; where every zone was a parallelepiped of one density at the start, a number times the
 *                  reference zone's matrix, a tensor product of one of order d1, without quadrature
 *   host.csr       assembled, compressed sparse rows
 *   host.ref       dense zone matrices, plain loops
 *   host.tensor    the exact inverse, of a box of uniform density on one rank: velocity_tensor.c
 */
#include <stdlib.h>

#include "fem/mass/host/mass.h"
#include "fem/mass/host/single.h"
#include "fem/mass/tensor_box.h"
#include "fem/space/assemble.h"
#include "fem/tables.h"

/* ------------------------------------------------------------------ host.sumfact */

static int multiply_single(batched_ctx *ctx, void *mass, const float *x, float *y)
{
  (void)ctx;
  fem_mass *m = mass;
  const fem_space *s = m->space;
  sumfact_mass *store = m->store;
  if (!store->single) {
    const int status = comm_worst(sumfact_mass_single(store, s, m->material) ? BATCHED_SUCCESS : BATCHED_NO_MEMORY);
    if (status) return status;
  }
  return single_zones_multiply(store->single, s, x, y);
}

static int setup_sumfact(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  const fem_space *s = m->space;
  m->store = calloc(1, sizeof(sumfact_mass));
  m->matrix.apply_single = multiply_single;
  return m->store ? sumfact_mass_create(m->store, s, m->material, s->dim, s->d1, s->b, s->dofs) : BATCHED_NO_MEMORY;
}

static int add_sumfact(batched_ctx *ctx, fem_mass *m, fem_part part, const double *x, double *y)
{
  (void)ctx;
  int first, last;
  fem_part_zones(m->space, part, &first, &last);
  sumfact_mass_add(m->store, m->space, first, last, m->space->ndofs, x, y);
  return BATCHED_SUCCESS;
}

static void teardown_sumfact(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  sumfact_mass_destroy(m->store);
  free(m->store);
  m->store = NULL;
}

static bool fits_sumfact(const void *mass)
{
  return ((const fem_mass *)mass)->space->shape == MESH_TENSOR;
}

static void constants_of_sumfact(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  sumfact_mass_constants(m->store, m->space, visit, user);
}

static const fem_mass_functions sumfact = {.setup = setup_sumfact,
                                           .product = add_sumfact,
                                           .adds = true,
                                           .teardown = teardown_sumfact,
                                           .constants = constants_of_sumfact};

/* ------------------------------------------------------------------ host.csr */

static int setup_csr(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  solver_csr *a;
  int status = fem_assemble_velocity(m->space, m->material, &a);
  m->store = a;
  return status;
}

/* Rows that other ranks share stand at both ends: owned ones below nfirst, the others' from nowned on. */
static int multiply_csr(batched_ctx *ctx, fem_mass *m, fem_part part, const double *x, double *y)
{
  const fem_space *s = m->space;
  solver_spmv_args args = {.a = m->store, .ncomp = s->dim, .stride = s->ndofs, .x = x, .y = y};
  if (part == FEM_REST) {
    args.first = s->nfirst, args.last = s->nowned;
    return solver_spmv(ctx, &args);
  }
  args.first = 0, args.last = s->nfirst;
  int status = solver_spmv(ctx, &args);
  args.first = s->nowned, args.last = s->ndofs;
  return status ? status : solver_spmv(ctx, &args);
}

static void teardown_csr(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  solver_csr *a = m->store;
  solver_csr_destroy(&a);
  m->store = NULL;
}

static void constants_of_csr(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  solver_csr_constants(m->store, visit, user);
}

static const fem_mass_functions csr = {
  .setup = setup_csr, .product = multiply_csr, .teardown = teardown_csr, .constants = constants_of_csr};

/* ------------------------------------------------------------------ host.ref */

static int add_ref(batched_ctx *ctx, fem_mass *m, fem_part part, const double *x, double *y)
{
  (void)ctx;
  const fem_space *s = m->space;
  const double *matrices = m->store; // [nzones][nd][nd]
  int first, last;
  fem_part_zones(s, part, &first, &last);
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

static int setup_ref(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  const fem_space *s = m->space;
  const size_t size = (size_t)s->nd * (size_t)s->nd;
  double *matrices = m->store = malloc(sizeof(double) * (size * (size_t)s->nzones + 1)),
         *basis = fem_assemble_basis(s, s->d1, s->b);
  const bool ok = matrices && basis;
  for (int z = 0; ok && z < s->nzones; z++)
    define_zone(s, m->material->density + (int64_t)z * s->nq, basis, matrices + (size_t)z * size);
  free(basis);
  return ok ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

static void teardown_ref(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  free(m->store);
  m->store = NULL;
}

static void constants_of_ref(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  const size_t entries = (size_t)m->space->nzones * (size_t)m->space->nd * (size_t)m->space->nd;
  visit(user, "a mass matrix", m->store, sizeof(double) * entries);
}

static const fem_mass_functions ref = {
  .setup = setup_ref, .product = add_ref, .adds = true, .teardown = teardown_ref, .constants = constants_of_ref};

const batched_variant fem_host_velocity_mass[] = {
  {.name = "host.sumfact", .fits = fits_sumfact, .functions = &sumfact},
  {.name = "host.csr", .functions = &csr},
  {.name = "host.ref", .functions = &ref},
  {.name = "host.tensor", .fits = tensor_box_fits, .functions = &fem_host_velocity_tensor},
  {0},
};
