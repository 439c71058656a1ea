/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sum factorisation on blocks of LANES zones, one zone a lane.
 *
 * A field on a block is u[z][y][x] of `real`, x fastest.  Work goes plane by plane (fixed point in z) and row by row
 * (fixed point in y and z), so that a row of points stays in registers and a plane in the first-level cache.  In 2D
 * there is one plane, in 1D one row.  Tables are [points][functions].
 */
#ifndef FEM_HOST_TENSOR_H
#define FEM_HOST_TENSOR_H

#include "fem/host/lanes.h"
#include "fem/fem.h"

/* The most functions of a basis: along a line, in a plane, of a zone. */
enum {
  TENSOR_MAX_1D = 1 + FEM_MAX_ORDER,
  TENSOR_MAX_PLANE = TENSOR_MAX_1D * TENSOR_MAX_1D,
  TENSOR_MAX_ZONE = TENSOR_MAX_PLANE * TENSOR_MAX_1D
};

POINT_FN int tensor_planes(int dim, int q1)
{
  return dim == 3 ? q1 : 1;
}

POINT_FN int tensor_rows(int dim, int q1)
{
  return dim >= 2 ? q1 : 1;
}

/* out[j] = sum_i a[i] u[i][j], j < inner */
POINT_FN void tensor_sum(int n, int inner, const number *a, const real *u, real *out)
{
  for (int j = 0; j < inner; j++) {
    real sum = a[0] * u[j];
    for (int i = 1; i < n; i++) sum += a[i] * u[i * inner + j];
    out[j] = sum;
  }
}

/* out[i][j] += a[i] t[j] */
POINT_FN void tensor_spread(int n, int inner, const number *a, const real *t, real *out)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < inner; j++) out[i * inner + j] += a[i] * t[j];
}

POINT_FN void tensor_zero(int n, real *out)
{
  for (int i = 0; i < n; i++) out[i] = real_of(0.0);
}

/* out[q] = sum_i table[q][i] row[i] */
POINT_FN void tensor_row(int q1, int n1, const number *table, const real *row, real *out)
{
  for (int q = 0; q < q1; q++) {
    real sum = table[q * n1] * row[0];
    for (int i = 1; i < n1; i++) sum += table[q * n1 + i] * row[i];
    out[q] = sum;
  }
}

/* out[i] = sum_q table[q][i] row[q] */
POINT_FN void tensor_row_transposed(int q1, int n1, const number *table, const real *row, real *out)
{
  for (int i = 0; i < n1; i++) {
    real sum = table[i] * row[0];
    for (int q = 1; q < q1; q++) sum += table[q * n1 + i] * row[q];
    out[i] = sum;
  }
}

/* Where the nodes of blocks are in an L-vector.  A run is a node whose dofs follow each other from lane to lane. */
typedef struct tensor_nodes {
  const int *dofs; /* [block][nd][LANES] */
  /* [block][1 + 2 nd].  How many nodes are runs; then of those (node, first dof), and behind them of the others.  Nodes
   * of a line of the zone, which lanes may share, are far apart.
   * Or, where zones follow each other along lines and all nodes but the lines' last are runs: TENSOR_LINES; the lanes,
   * as bits, whose last nodes are the next lane's first; whether the first nodes of lane 0 are apart from those runs;
   * then the first dof of each node, and of a line's last node the dof of the last lane. */
  const int *runs;
} tensor_nodes;

enum { TENSOR_LINES = -1, TENSOR_LINES_HEAD = 3 };

/* ints of a block's runs */
POINT_FN int tensor_runs(int nd)
{
  return 1 + 2 * nd;
}

/* Lanes but the last whose last node is not the next one's first, as bits. */
POINT_FN unsigned tensor_line_ends(unsigned joined)
{
  return ~joined & ((1u << (LANES - 1)) - 1);
}

/* A block of lines: last nodes come from the next lane's first. */
POINT_FN void tensor_gather_lines(int nd, int n1, bool apart, const int *dofs, const int *runs, const number *component,
                                  real *u)
{
  const int *start = runs + TENSOR_LINES_HEAD;
  const unsigned line_ends = tensor_line_ends((unsigned)runs[1]);
#pragma GCC unroll 4
  for (int i = 0; i < nd; i += n1) {
    u[i] = apart ? real_load_behind(component[dofs[i * LANES]], component + start[i])
                 : real_load(component + start[i], LANES);
    for (int j = 1; j < n1 - 1; j++) u[i + j] = real_load(component + start[i + j], LANES);
    real last = real_shift_down(u[i], component[start[i + n1 - 1]]);
    for (unsigned ends = line_ends; ends; ends &= ends - 1) {
      const int lane = __builtin_ctz(ends);
      last = real_with(last, lane, component[dofs[(i + n1 - 1) * LANES + lane]]);
    }
    u[i + n1 - 1] = last;
  }
}

/* The transpose: what two lanes add to a node is summed first, so that no vector waits for one that overlaps it. */
POINT_FN void tensor_scatter_lines(int nd, int n1, bool apart, const int *dofs, const int *runs, const real *u,
                                   number *component)
{
  const int *start = runs + TENSOR_LINES_HEAD;
  const unsigned joined = (unsigned)runs[1], line_ends = tensor_line_ends(joined);
#pragma GCC unroll 4
  for (int i = 0; i < nd; i += n1) {
    const real last = u[i + n1 - 1], first = u[i] + real_shift_up(last, joined);
    if (apart) {
      real_add_behind(component + start[i], first);
      component[dofs[i * LANES]] += first[0];
    } else
      real_add_to(component + start[i], LANES, first);
    for (int j = 1; j < n1 - 1; j++) real_add_to(component + start[i + j], LANES, u[i + j]);
    component[start[i + n1 - 1]] += last[LANES - 1];
    for (unsigned ends = line_ends; ends; ends &= ends - 1) {
      const int lane = __builtin_ctz(ends);
      component[dofs[(i + n1 - 1) * LANES + lane]] += last[lane];
    }
  }
}

/* One component of an L-vector to block b, of so many zones with n1 nodes per line. */
POINT_FN void tensor_gather(int nd, int n1, tensor_nodes nodes, int64_t b, int zones, const number *component, real *u)
{
  const int *dofs = nodes.dofs + b * nd * LANES, *runs = nodes.runs + b * tensor_runs(nd), count = *runs;
  if (count == TENSOR_LINES) {
    if (runs[2])
      tensor_gather_lines(nd, n1, true, dofs, runs, component, u);
    else
      tensor_gather_lines(nd, n1, false, dofs, runs, component, u);
    return;
  }
  runs++;
  if (zones >= LANES)
    for (int k = 0; k < count; k++) u[runs[2 * k]] = real_load(component + runs[2 * k + 1], LANES);
  else
    for (int k = 0; k < count; k++) u[runs[2 * k]] = real_load(component + runs[2 * k + 1], zones);
  for (int k = count; k < nd; k++) u[runs[2 * k]] = real_gather(component, dofs + runs[2 * k] * LANES);
}

/* The transpose: adds the block to the L-vector. */
POINT_FN void tensor_scatter(int nd, int n1, tensor_nodes nodes, int64_t b, int zones, const real *u, number *component)
{
  const int *dofs = nodes.dofs + b * nd * LANES, *runs = nodes.runs + b * tensor_runs(nd), count = *runs;
  if (count == TENSOR_LINES) {
    if (runs[2])
      tensor_scatter_lines(nd, n1, true, dofs, runs, u, component);
    else
      tensor_scatter_lines(nd, n1, false, dofs, runs, u, component);
    return;
  }
  runs++;
  if (zones >= LANES) {
    for (int k = 0; k < count; k++) real_add_to(component + runs[2 * k + 1], LANES, u[runs[2 * k]]);
    for (int k = count; k < nd; k++)
      for (int i = runs[2 * k], l = 0; l < LANES; l++) component[dofs[i * LANES + l]] += u[i][l];
  } else {
    for (int k = 0; k < count; k++) real_add_to(component + runs[2 * k + 1], zones, u[runs[2 * k]]);
    for (int k = count; k < nd; k++)
      for (int i = runs[2 * k], l = 0; l < zones; l++) component[dofs[i * LANES + l]] += u[i][l];
  }
}

/* Blocks: LANES zones each, the last one filled up with copies of the last zone. */
static inline int tensor_blocks(int nzones)
{
  return (nzones + LANES - 1) / LANES;
}

/* True if the dofs [LANES] of a node, from lane `from` on, of so many zones, are consecutive. */
static inline bool tensor_is_run(int from, int zones, const int *dofs)
{
  for (int l = from + 1; l < zones && l < LANES; l++)
    if (dofs[l] != dofs[from] + l - from) return false;
  return true;
}

/* The lanes whose last node of a line, dofs [n1][LANES], is the next lane's first, as bits. */
static inline int tensor_joined(int n1, const int *dofs)
{
  int joined = 0;
  for (int l = 0; l < LANES - 1; l++)
    if (dofs[(n1 - 1) * LANES + l] == dofs[l + 1]) joined |= 1 << l;
  return joined;
}

/* Sets a block's runs if it is one of lines. */
static inline bool tensor_set_lines(int zones, int n1, int n, const int *dofs, int *runs)
{
  const int joined = n1 > 1 && n % n1 == 0 && zones >= LANES ? tensor_joined(n1, dofs) : 0;
  const bool apart = !tensor_is_run(0, zones, dofs);
  bool lines = joined != 0;
  runs[0] = TENSOR_LINES, runs[1] = joined, runs[2] = apart;
  for (int i = 0; i < n && lines; i++) {
    const int *node = dofs + i * LANES;
    if (i % n1 == 0)
      lines =
        tensor_is_run(0, zones, node) != apart && tensor_is_run(1, zones, node) && tensor_joined(n1, node) == joined;
    else if (i % n1 < n1 - 1)
      lines = tensor_is_run(0, zones, node);
    runs[TENSOR_LINES_HEAD + i] = i % n1 == 0 ? node[1] - 1 : i % n1 < n1 - 1 ? node[0] : node[LANES - 1];
  }
  return lines;
}

/* The runs of all blocks from their dofs, of zones with n1 nodes per line. */
static inline void tensor_find_runs(int nzones, int n1, int n, const int *dofs, int *runs)
{
  for (int64_t b = 0; b < tensor_blocks(nzones); b++, dofs += n * LANES, runs += tensor_runs(n)) {
    const int zones = nzones - (int)b * LANES;
    if (tensor_set_lines(zones, n1, n, dofs, runs)) continue;
    int at = 1;
    runs[0] = 0;
    for (int run = 1; run >= 0; run--)
      for (int k = 0; k < n; k++) {
        const int i = k % (n / n1) * n1 + k / (n / n1);
        if (tensor_is_run(0, zones, dofs + i * LANES) != run) continue;
        runs[0] += run;
        runs[at++] = i, runs[at++] = dofs[i * LANES];
      }
  }
}

#ifndef LANES_SINGLE
/* tensor.c: the arrays of tensor_nodes from the dofs of zones [nzones][n] with n1 nodes per line.  false: no memory. */
bool tensor_nodes_create(int nzones, int n1, int n, const int *zone_dofs, int **dofs, int **runs);
/* tensor.c: [block][n][LANES] from [nzones][n].  NULL: no memory. */
double *tensor_block_data(int threads, int nzones, int n, const double *data);
#endif

#endif
