/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The space: bases and points of a zone, and the numbers of its dofs.  fem/fem.h says what the vectors on it are, and
 * what functions return.
 */
#ifndef FEM_SPACE_SPACE_H
#define FEM_SPACE_SPACE_H

#include "batched/batched.h"
#include "mesh/comm/halo.h"
#include "mesh/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  FEM_MAX_ORDER = 8,
  FEM_MAX_POINTS = 64,     /* of a line */
  FEM_MAX_FUNCTIONS = 165, /* of a simplex: binomial(FEM_MAX_ORDER + 3, 3) */
  FEM_MAX_SIMPLEX_DEGREE = 20
};

/* ------------------------------------------------------------------ one dimension */

/* base to the power of an exponent from 0 to 3: entries of a tensor with as many directions */
static inline int fem_power(int base, int exponent)
{
  return exponent == 0 ? 1 : exponent == 1 ? base : exponent == 2 ? base * base : base * base * base;
}

/* n Gauss-Legendre points and weights on [0, 1], 1 <= n <= FEM_MAX_POINTS; exact for degree 2n - 1. */
void fem_gauss(int n, double *points, double *weights);
/* The k + 1 Gauss-Lobatto points on [0, 1], 1 <= k <= FEM_MAX_ORDER. */
void fem_gauss_lobatto(int k, double *points);
/* Lagrange basis on the n <= FEM_MAX_POINTS nodes at the nx positions x: b and g (derivatives; may be NULL) have shape
 * [nx][n]. */
void fem_lagrange(int n, const double *nodes, int nx, const double *x, double *b, double *g);
/* Bernstein basis of degree t at the nx positions x: b has shape [nx][t + 1]. */
void fem_bernstein(int t, int nx, const double *x, double *b);
/* Inverse of the n x n row-major matrix a, n <= FEM_MAX_FUNCTIONS, in place; false if it is singular. */
bool fem_invert(int n, double *a);

/* ------------------------------------------------------------------ the space */

/* A function of a zone's basis is a product of `factors` functions, of one factor each.  The factors of a tensor zone
 * are its directions; a simplex has one factor alone, which is the zone: its tables are dense.  "Per factor" below is
 * per direction or per zone, and a point of a factor is one number or dim. */

/* Device copies of a space's arrays, and the zones of each dof. */
typedef struct fem_device_space {
  batched_ctx *ctx; /* borrowed: whose memory it is */
  int *dofs;        /* owned, as all below; [nzones][nd] */
  int *constrained; /* [constrained_start[dim]] */
  int *dof_start;   /* [ndofs + 1] */
  /* [nzones * nd]: dof i is entry dof_entry[j] of an E-vector's component, zone * nd + node, for j from dof_start[i] up
   * to dof_start[i + 1], by ascending zones: the order in which sums over zones are taken */
  int *dof_entry;
  double *b, *g, *bt, *weight;
} fem_device_space;

typedef struct fem_space {
  int dim, k, t; /* orders: kinematic, thermodynamic */
  mesh_shape shape;
  int factors;         /* dim, or 1 of a simplex */
  int d1, t1, q1;      /* nodes, coefficients, points per factor */
  int nd, nt, nq;      /* the same per zone: powers of `factors` */
  int nzones, nshared; /* zones of this rank; the first nshared hold all dofs that it shares, or has images of */
  int64_t nzones_global;
  int threads;              /* that share out loops over zones, in set-up and results */
  int ndofs, nowned;        /* scalar kinematic dofs of this rank, with images; the nowned it owns come first */
  int64_t ndofs_global;     /* scalar kinematic dofs */
  int *dofs;                /* owned, [nzones][nd]: L-dof of each node */
  int nfirst;               /* owned dofs that the first zones (fem_first_zones) touch are below it; it is <= nowned */
  unsigned char *essential; /* owned, [ndofs]: bit c: component c does not move */
  int *constrained;         /* owned, [constrained_start[dim]]: the dofs that do not move, component by component */
  int constrained_start[4];
  double *nodes;            /* owned, [d1] points of a factor: Gauss-Lobatto */
  double *points, *weights; /* owned, [q1] points of a factor and their weights: Gauss */
  double *modal;            /* owned, [nd][nd]: inverse of the nodes' Bernstein values; NULL: not a simplex */
  double *b, *g;       /* owned, [q1][d1]: kinematic basis and derivative at the points; of a simplex g [dim][q1][d1] */
  double *bt;          /* owned, [q1][t1]: thermodynamic basis at the points */
  double *weight;      /* owned, [nq]: product weights */
  struct halo *halo;   /* owned */
  struct halo *places; /* owned: of positions, which images of a dof do not share; NULL: there are no seams */
  bool blocking;       /* messages are waited for where they are sent, and nothing is computed meanwhile */
  fem_device_space *device; /* owned; NULL: everything is done on the host */
} fem_space;

/* The order of a rank's dofs.  Node by node, those of node i of neighbouring zones mostly follow each other: what the
 * host's kernels, a zone a lane, read and write as one vector. */
typedef enum fem_numbering { FEM_ZONE_BY_ZONE, FEM_NODE_BY_NODE } fem_numbering;

/* Orders 1 <= k <= FEM_MAX_ORDER and 0 <= t <= FEM_MAX_ORDER; a Gauss rule exact for quadrature_order (<= 0: 3k + t -
 * 1), of at most FEM_MAX_POINTS points per direction; of simplices at most of degree FEM_MAX_SIMPLEX_DEGREE.
 * Collective; returns on every rank the same: STATUS_OK, or STATUS_MACHINE (out of memory). */
int fem_space_create(fem_space **s, const mesh *m, int k, int t, int quadrature_order, fem_numbering numbering);
void fem_space_destroy(fem_space **s);

/* Makes s->device in the memory of a CUDA context; nothing to do for one on the host.  BATCHED_NO_MEMORY when memory
 * is out. */
int fem_space_place(batched_ctx *ctx, fem_space *s);
void fem_space_unplace(fem_space *s); /* fem_space_destroy does it */

/* Initial positions of the nodes, x of shape [dim][ndofs]: the multilinear map of each zone's corners, or where zones
 * are curved their polynomials, interpolated at the nodes. */
void fem_space_positions(const fem_space *s, const mesh *m, double *x);

/* Zones that have to be done before the sums over ranks can start; the rest overlaps with them. */
int fem_first_zones(const fem_space *s);

/* The nodes of one zone of one component of an L-vector: ze [nd]. */
static inline void fem_gather(const fem_space *s, int zone, const double *component, double *ze)
{
  const int *dofs = s->dofs + (int64_t)zone * s->nd;
  for (int i = 0; i < s->nd; i++) ze[i] = component[dofs[i]];
}

/* Number of nodes of a factor on a lattice of this order. */
static inline int fem_per_factor(const fem_space *s, int order)
{
  return s->shape == MESH_SIMPLEX ? mesh_nodes_in_zone(s->shape, s->dim, order) : order + 1;
}

/* The derivative along direction g of a function of the zone has factor fem_slope_factor(g) from table
 * fem_slope_table(g) of the derivatives' tables. */
static inline int fem_slope_factor(int dim, int factors, int g)
{
  return factors == dim ? g : 0;
}

static inline int fem_slope_table(int dim, int factors, int g)
{
  return factors == dim ? 0 : g;
}

/* Function i of the basis of `table` [q1][n1] at point q of the space's rule; its derivative along direction g where g
 * >= 0, with `slopes` the derivatives of the table. */
static inline double fem_basis_at(const fem_space *s, int n1, const double *table, int g, const double *slopes, int i,
                                  int q)
{
  const int special = g < 0 ? -1 : fem_slope_factor(s->dim, s->factors, g);
  const double *other = g < 0 ? NULL : slopes + (int64_t)fem_slope_table(s->dim, s->factors, g) * s->q1 * n1;
  double value = 1.0;
  for (int d = 0; d < s->factors; d++, i /= n1, q /= s->q1)
    value *= (d == special ? other : table)[q % s->q1 * n1 + i % n1];
  return value;
}

/* The space's bases at n points of a factor: b [n][d1], g as s->g (NULL: not wanted), bt [n][t1]. */
void fem_space_tables(const fem_space *s, int n, const double *points, double *b, double *g, double *bt);

/* The points of a factor of the lattice of an order that the points line [order + 1] of [0, 1] give: to be freed; NULL:
 * out of memory. */
double *fem_space_lattice(const fem_space *s, int order, const double *line);

/* The node, and coefficient, of a corner of the zone in the lattice of an order. */
int fem_corner_node(const fem_space *s, int order, int corner);

/* Sets constrained entries of the L-vector u [dim][ndofs] to zero; u is on the host. */
void fem_constrain_host(const fem_space *s, double *u);

/* 2-norm over all ranks of an L-vector [ncomp][ndofs], shared dofs counted once; of vectors [n] that ranks share
 * nothing of.  Collective. */
double fem_norm_kinematic(const fem_space *s, int ncomp, const double *u);
double fem_norm_local(int64_t n, const double *u);

#ifdef __cplusplus
}
#endif

#endif
