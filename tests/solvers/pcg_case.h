/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of conjugate gradients share.
 */
#ifndef TESTS_SOLVERS_PCG_CASE_H
#define TESTS_SOLVERS_PCG_CASE_H

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mesh/samples.h"
#include "solvers/solvers.h"
#include "solvers/tables.h"
#include "tests/solvers/space.h"

/* Of all tests. */
static batched_ctx *ctx;

static inline void assert_near(double a, double exact, double tolerance)
{
  if (!(fabs(a - exact) <= tolerance)) fail_msg("%.17g is not %.17g to %.1g", a, exact, tolerance);
}

/* A copy in the context's memory. */
static inline double *place(const double *x, size_t n)
{
  double *p = batched_allocate(ctx, (n + 1) * sizeof *x);
  assert_non_null(p);
  assert_int_equal(batched_copy_from_host(ctx, p, x, n * sizeof *x), 0);
  return p;
}

/* What a solve is about, on the host; vectors [ncomp][n]. */
typedef struct linear_system {
  int ncomp, n, nowned;
  const double *diagonal; /* of the preconditioner; NULL: none */
  const double *b;
} linear_system;

typedef struct solution {
  double *x; /* [ncomp][n], given */
  int iterations[SOLVER_MAX_COMPONENTS];
  bool converged[SOLVER_MAX_COMPONENTS];
} solution;

/* Solves by one row; `a` and `how` have everything but what the system says.  What the vectors held before counts for
 * nothing. */
static inline int solve_system(const char *row, const linear_system *l, solver_operator a, solver_pcg_args how,
                               solution *s)
{
  const size_t size = (size_t)(l->ncomp * l->n), room = size + 1;
  double *nothing = malloc(sizeof *nothing * 4 * room), *inverse = malloc(sizeof *inverse * room);
  assert_true(nothing && inverse);
  memset(nothing, 0xff, sizeof *nothing * 4 * room);
  for (int i = 0; i < l->n && l->diagonal; i++) inverse[i] = 1.0 / l->diagonal[i];
  double *placed[] = {place(inverse, (size_t)l->n), place(l->b, size), place(nothing, room), place(nothing, 4 * room)};
  a.ncomp = l->ncomp, a.n = l->n, a.nowned = l->nowned;
  a.inverse_diagonal = l->diagonal ? placed[0] : NULL;
  how.matrix = &a, how.b = placed[1], how.x = placed[2], how.work = placed[3];
  how.iterations = s->iterations, how.converged = s->converged;
  assert_int_equal(batched_select(ctx, &solver_pcg_op, row), 0);
  const int status = solver_pcg(ctx, &how);
  assert_int_equal(batched_copy_to_host(ctx, s->x, how.x, sizeof *nothing * size), 0);
  solver_operator_forget(&a);
  for (int i = 0; i < 4; i++) batched_release(ctx, placed[i]);
  free(nothing);
  free(inverse);
  return status;
}

/* True where a row needs no more of an operator than its products. */
static inline bool takes_products(const batched_variant *row)
{
  return !row->fits || row->fits(&(solver_pcg_args){.matrix = &(solver_operator){.ncomp = 1}});
}

/* Not conjugate gradients: it takes other steps, and more of them. */
static inline bool is_chebyshev(const batched_variant *row)
{
  return strstr(row->name, ".chebyshev");
}

#define FOR_EACH_VARIANT(row) for (const batched_variant *row = solver_pcg_op.variants[space]; row->name; row++)

static inline int run_rows(int argc, char **argv, const struct CMUnitTest *tests, size_t ntests)
{
  comm_init(&argc, &argv);
  int status = space_choose(argc, argv) ? 77 : batched_create(&ctx, space);
  if (!status) status = _cmocka_run_group_tests("pcg", tests, ntests, NULL, NULL);
  batched_destroy(&ctx);
  comm_finalize();
  return status;
}

#endif
