/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Spaces and fields for the tests, all functions of global numbers: the same whatever the ranks.
 */
#ifndef TESTS_FEM_SAMPLES_H
#define TESTS_FEM_SAMPLES_H

#include <float.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mesh/samples.h"
#include "fem/fem.h"

/* What the assertions below begin with: the row under test, and the shape of its space. */
static char sample_subject[96] = "computed";

static inline void sample_name_subject(const char *row, const fem_space *s)
{
  snprintf(sample_subject, sizeof sample_subject, "%s, %dD Q%d-Q%d, %d zones", row, s->dim, s->k, s->t, s->nzones);
}

/* assert_true(|a - exact| <= tolerance), with the numbers. */
static inline void assert_near(double a, double exact, double tolerance)
{
  if (!(fabs(a - exact) <= tolerance)) fail_msg("%s: %.17g is not %.17g to %.1g", sample_subject, a, exact, tolerance);
}

static inline double *sample_doubles(size_t n)
{
  double *x = calloc(n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

/* The box [0, 1.25] x [0, 1] x [0, 0.75], walls on all sides, n[d] zones a direction. */
static const double sample_size[3] = {1.25, 1.0, 0.75};

static inline mesh *sample_box_mesh(int dim, const int *n)
{
  mesh_coarse *c;
  mesh *m;
  int zones[3] = {1, 1, 1};
  for (int d = 0; d < dim; d++) zones[d] = n[d];
  assert_int_equal(mesh_coarse_box(&c, dim, (double[]){0, 0, 0}, sample_size, (int[]){1, 1, 2, 2, 3, 3}), 0);
  assert_int_equal(mesh_create(&m, &c, zones, MESH_AUTO, NULL), 0);
  return m;
}

static inline mesh *sample_mesh(mesh_coarse *c, int refine)
{
  mesh *m;
  assert_int_equal(mesh_create(&m, &c, (int[]){refine, refine, refine}, MESH_AUTO, NULL), 0);
  return m;
}

/* Of the spaces that follow: the host's, and FEM_ZONE_BY_ZONE for a GPU. */
static fem_numbering sample_numbering = FEM_NODE_BY_NODE;

static inline fem_space *sample_space(const mesh *m, int k, int t, int quadrature_order)
{
  fem_space *s;
  assert_int_equal(fem_space_create(&s, m, k, t, quadrature_order, sample_numbering), 0);
  return s;
}

static inline double *sample_positions(const fem_space *s, const mesh *m)
{
  double *x = sample_doubles((size_t)s->dim * (size_t)s->ndofs);
  fem_space_positions(s, m, x);
  return x;
}

/* A number in [-1, 1] of three others. */
static inline double sample_hash(int64_t a, int64_t b, int64_t c)
{
  uint64_t state = (uint64_t)(a * 1000003 + b * 7919 + c * 104729 + 12345);
  for (int i = 0; i < 4; i++) sample_random(&state);
  return sample_uniform(&state);
}

/* Global id of each L-dof: [ndofs]. */
static inline int64_t *sample_ids(const fem_space *s, const mesh *m)
{
  const size_t n = (size_t)s->nzones * (size_t)s->nd;
  int64_t *node_ids = malloc((n + 1) * sizeof *node_ids), *ids = malloc(((size_t)s->ndofs + 1) * sizeof *ids);
  assert_true(node_ids && ids);
  mesh_node_ids(m, s->k, node_ids);
  for (size_t i = 0; i < n; i++) ids[s->dofs[i]] = node_ids[i];
  free(node_ids);
  return ids;
}

/* u [dim][ndofs] += amplitude * random; the same at a node that several ranks have. */
static inline void sample_perturb(const fem_space *s, const mesh *m, double amplitude, int seed, double *u)
{
  int64_t *ids = sample_ids(s, m);
  for (int c = 0; c < s->dim; c++)
    for (int i = 0; i < s->ndofs; i++) u[(int64_t)c * s->ndofs + i] += amplitude * sample_hash(ids[i], c, seed);
  free(ids);
}

/* e [nzones][nt] = low + (high - low) * random in [0, 1] */
static inline void sample_energies(const fem_space *s, const mesh *m, double low, double high, int seed, double *e)
{
  for (int z = 0; z < s->nzones; z++)
    for (int j = 0; j < s->nt; j++)
      e[(int64_t)z * s->nt + j] = low + (high - low) * 0.5 * (1.0 + sample_hash(m->zone_ids[z], j, seed));
}

/* Sum over the owned dofs of all ranks of a . b, [ncomp][ndofs]. */
static inline double sample_dot(const fem_space *s, int ncomp, const double *a, const double *b)
{
  double sum = 0.0;
  for (int c = 0; c < ncomp; c++)
    for (int i = 0; i < s->nowned; i++) sum += a[(int64_t)c * s->ndofs + i] * b[(int64_t)c * s->ndofs + i];
  comm_sum(&sum, 1);
  return sum;
}

static inline double sample_dot_local(int64_t n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
  comm_sum(&sum, 1);
  return sum;
}

/* The largest |a - b| and |b| over all ranks. */
static inline double sample_largest(int64_t n, const double *a, const double *b)
{
  double largest = 0.0;
  for (int64_t i = 0; i < n; i++) {
    const double miss = fabs(a[i] - (b ? b[i] : 0.0));
    largest = miss <= largest ? largest : isnan(miss) ? INFINITY : miss;
  }
  comm_max(&largest, 1);
  return largest;
}

static inline void assert_vectors_near(int64_t n, const double *a, const double *exact, double relative)
{
  const double miss = sample_largest(n, a, exact), size = sample_largest(n, exact, NULL);
  if (!(miss <= relative * size))
    fail_msg("%s: off by %.3g of %.3g, more than %.1g", sample_subject, miss, size, relative);
}

/* Smooth material: a density that is no polynomial, a gamma that differs from zone to zone. */
static inline double sample_density(const void *user, const double *x)
{
  (void)user;
  return 1.0 + 0.4 * sin(2.0 * x[0] + 0.3);
}

static inline double sample_gamma(const void *user, const double *x)
{
  (void)user;
  return 1.3 + 0.1 * x[0];
}

static inline double sample_one(const void *user, const double *x)
{
  (void)user;
  (void)x;
  return 1.0;
}

/* A constant, *(double *)user. */
static inline double sample_constant(const void *user, const double *x)
{
  (void)x;
  return *(const double *)user;
}

static inline fem_material *sample_material(const fem_space *s, const double *x, fem_function density,
                                            fem_function gamma, const void *user)
{
  fem_material *m;
  const char *bad = "not looked at";
  assert_int_equal(fem_material_create(&m, s, x, density, gamma, user, &bad), 0);
  assert_null(bad);
  m->constants.cfl = 0.5;
  return m;
}

/* Kinetic energy of a velocity on the host. */
static inline double sample_kinetic_energy(const fem_space *s, const fem_material *m, const double *v)
{
  batched_ctx *ctx;
  double internal, kinetic, *e = sample_doubles((size_t)s->nzones * (size_t)s->nt);
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(fem_energies(ctx, s, m, v, e, &internal, &kinetic), 0);
  batched_destroy(&ctx);
  free(e);
  return kinetic;
}

#endif
