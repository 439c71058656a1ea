/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks of zones between an L-vector and lanes, against one zone at a time.  For double; with LANES_SINGLE, float.
 */
#ifndef TESTS_FEM_TENSOR_NODES_CASE_H
#define TESTS_FEM_TENSOR_NODES_CASE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/host/tensor.h"

enum { MOST_ZONES = 100, MOST_DOFS = MOST_ZONES * TENSOR_MAX_ZONE };

typedef struct lattice {
  int n1, along, zones; /* nodes a line; zones a line of zones, which follow each other, and in all */
  int apart;            /* zones along whose first nodes have dofs of their own at the end, as another rank owns them */
  int shuffled;         /* dofs in no order */
  int dofs[MOST_DOFS];  /* [zones][n1^2] */
  int ndofs;
} lattice;

/* The number of a place that may have got one. */
static int number_at(int *place, int *count)
{
  if (*place < 0) *place = (*count)++;
  return *place;
}

/* Zones with n1 x n1 nodes in lines, numbered node by node as fem_space does: first nodes of all zones, then second. */
static void number_lattice(lattice *t)
{
  const int nd = t->n1 * t->n1, k = t->n1 - 1, wide = t->along * k + 1;
  static int place[MOST_DOFS];
  int count = 0;
  memset(place, 0xff, sizeof place); // -1
  for (int late = 0; late < 2; late++)
    for (int i = 0; i < nd; i++)
      for (int z = 0; z < t->zones; z++) {
        const int x = z % t->along * k + i % t->n1, y = z / t->along * k + i / t->n1;
        if ((x == 0 && t->apart) == late) t->dofs[z * nd + i] = number_at(&place[y * wide + x], &count);
      }
  t->ndofs = count;
  for (int i = 0; i < t->zones * nd && t->shuffled; i++) t->dofs[i] = t->dofs[i] * 7919 % count; // a prime
}

static number some_number(int i)
{
  return (number)(i * 37 % 101 - 50);
}

static const int *dofs_of(const lattice *t, int zone)
{
  return t->dofs + (zone < t->zones ? zone : t->zones - 1) * t->n1 * t->n1;
}

static void check_gather(const lattice *t, tensor_nodes nodes, const number *x)
{
  const int nd = t->n1 * t->n1;
  real u[TENSOR_MAX_ZONE];
  for (int b = 0; b < tensor_blocks(t->zones); b++) {
    tensor_gather(nd, t->n1, nodes, b, t->zones - b * LANES, x, u);
    for (int i = 0; i < nd; i++)
      for (int l = 0; l < LANES; l++) assert_true(u[i][l] == x[dofs_of(t, b * LANES + l)[i]]);
  }
}

/* Small whole numbers: sums are exact in any order.  Nothing else is written. */
static void check_scatter(const lattice *t, tensor_nodes nodes, const number *x)
{
  const int nd = t->n1 * t->n1;
  real u[TENSOR_MAX_ZONE];
  number *y = malloc(sizeof *y * (size_t)(t->ndofs + 2)), *exact = malloc(sizeof *y * (size_t)(t->ndofs + 2));
  for (int i = 0; i < t->ndofs + 2; i++) y[i] = exact[i] = x[i];
  for (int b = 0; b < tensor_blocks(t->zones); b++) {
    for (int i = 0; i < nd; i++)
      for (int l = 0; l < LANES; l++) u[i][l] = some_number((b * LANES + l) * nd + i);
    tensor_scatter(nd, t->n1, nodes, b, t->zones - b * LANES, u, y + 1);
  }
  for (int z = 0; z < t->zones; z++)
    for (int i = 0; i < nd; i++) exact[1 + dofs_of(t, z)[i]] += some_number(z * nd + i);
  for (int i = 0; i < t->ndofs + 2; i++) assert_true(y[i] == exact[i]);
  free(exact);
  free(y);
}

static int count_lines(const lattice *t, const int *runs)
{
  int lines = 0;
  for (int b = 0; b < tensor_blocks(t->zones); b++) lines += runs[b * tensor_runs(t->n1 * t->n1)] == TENSOR_LINES;
  return lines;
}

/* The arrays of tensor_nodes, for either number. */
static int check_lattice(lattice *t)
{
  const int nd = t->n1 * t->n1;
  const size_t blocks = (size_t)tensor_blocks(t->zones);
  number_lattice(t);
  int *dofs = malloc(sizeof *dofs * blocks * (size_t)nd * LANES),
      *runs = malloc(sizeof *runs * blocks * (size_t)tensor_runs(nd));
  number *x = malloc(sizeof *x * (size_t)(t->ndofs + 2));
  assert_true(dofs && runs && x);
  for (int at = 0; at < (int)blocks * LANES; at++)
    for (int i = 0; i < nd; i++) dofs[(at / LANES * nd + i) * LANES + at % LANES] = dofs_of(t, at)[i];
  tensor_find_runs(t->zones, t->n1, nd, dofs, runs);
  for (int i = 0; i < t->ndofs + 2; i++) x[i] = some_number(i);
  check_gather(t, (tensor_nodes){dofs, runs}, x);
  check_scatter(t, (tensor_nodes){dofs, runs}, x);
  const int lines = count_lines(t, runs);
  free(x);
  free(runs);
  free(dofs);
  return lines;
}

static lattice lattice_under_test;

/* Lines that end with a block, within one, and longer ones; the last block full or not; dofs apart, and in no order. */
static void blocks_are_zones(void **state)
{
  (void)state;
  const int alongs[] = {1, 3, 5, LANES, LANES + 1, 2 * LANES, 3 * LANES - 2},
            zones[] = {1, LANES, MOST_ZONES - 3, MOST_ZONES};
  for (int n1 = 1; n1 <= 5; n1++)
    for (size_t a = 0; a < sizeof alongs / sizeof *alongs; a++)
      for (size_t z = 0; z < sizeof zones / sizeof *zones; z++)
        for (int way = 0; way < 4; way++) {
          lattice *t = &lattice_under_test;
          *t = (lattice){.n1 = n1, .along = alongs[a], .zones = zones[z], .apart = way & 1, .shuffled = way >> 1};
          check_lattice(t);
        }
}

/* Blocks of lines are taken for such: all full ones where lines end with them, also with first nodes apart. */
static void lines_are_found(void **state)
{
  (void)state;
  for (int n1 = 2; n1 <= 5; n1++)
    for (int apart = 0; apart < 2; apart++) {
      lattice *t = &lattice_under_test;
      *t = (lattice){.n1 = n1, .along = 2 * LANES, .zones = 6 * LANES, .apart = apart};
      assert_int_equal(check_lattice(t), 6);
    }
}

#endif
