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

/* Where the nodes of blocks are in an L-vector. */
typedef struct tensor_nodes {
  const int *dofs; /* [block][nd][LANES] */
  /* [block][1 + 2 nd]: how many nodes are runs, their dofs following each other from lane to lane; then of those (node,
   * first dof), and behind them of the others.  Nodes of a line of the zone, which lanes may share, are far apart. */
  const int *runs;
} tensor_nodes;

/* ints of a block's runs */
POINT_FN int tensor_runs(int nd)
{
  return 1 + 2 * nd;
}

/* One component of an L-vector to block b, of so many zones. */
POINT_FN void tensor_gather(int nd, tensor_nodes nodes, int64_t b, int zones, const number *component, real *u)
{
  const int *dofs = nodes.dofs + b * nd * LANES, *runs = nodes.runs + b * tensor_runs(nd), count = *runs++;
  if (zones >= LANES)
    for (int k = 0; k < count; k++) u[runs[2 * k]] = real_load(component + runs[2 * k + 1], LANES);
  else
    for (int k = 0; k < count; k++) u[runs[2 * k]] = real_load(component + runs[2 * k + 1], zones);
  for (int k = count; k < nd; k++) u[runs[2 * k]] = real_gather(component, dofs + runs[2 * k] * LANES);
}

/* The transpose: adds the block to the L-vector. */
POINT_FN void tensor_scatter(int nd, tensor_nodes nodes, int64_t b, int zones, const real *u, number *component)
{
  const int *dofs = nodes.dofs + b * nd * LANES, *runs = nodes.runs + b * tensor_runs(nd), count = *runs++;
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

/* Is node i of a block, of so many zones, a run? */
static inline bool tensor_is_run(int i, int zones, const int *dofs)
{
  for (int l = 1; l < zones && l < LANES; l++)
    if (dofs[i * LANES + l] != dofs[i * LANES] + l) return false;
  return true;
}

/* The runs of all blocks from their dofs, of zones with n1 nodes per line. */
static inline void tensor_find_runs(int nzones, int n1, int n, const int *dofs, int *runs)
{
  for (int64_t b = 0; b < tensor_blocks(nzones); b++, dofs += n * LANES, runs += tensor_runs(n)) {
    int at = 1;
    runs[0] = 0;
    for (int run = 1; run >= 0; run--)
      for (int k = 0; k < n; k++) {
        const int i = k % (n / n1) * n1 + k / (n / n1);
        if (tensor_is_run(i, nzones - (int)b * LANES, dofs) != run) continue;
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
