/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The discretisation: Q_k continuous position and velocity (Gauss-Lobatto nodes), Q_t discontinuous specific internal
 * energy (Bernstein coefficients), one tensor Gauss rule for everything; on triangles and tetrahedra P_k, P_t and a
 * symmetric rule.
 *
 * Three kinds of arrays, all double, last index fastest:
 *   L-vector  per rank      kinematic [dim][ndofs]           thermodynamic [nzones][nt]
 *   E-vector  per zone      kinematic [nzones][dim][nd]      (thermodynamic: the L-vector is one)
 *   Q-vector  per point     [nzones][nq]
 * Nodes, coefficients and points of a zone are lexicographic, first reference direction fastest (but the points of a
 * simplex, which have no order).  Quantities have the units of the problem.  Set-up functions return STATUS_OK, or
 * STATUS_MACHINE where memory is out, unless they say otherwise; those that take a context, and operations, return a
 * batched_status.
 *
 * Source of the method: Dobrev, Kolev, Rieben, SIAM J. Sci. Comput. 34(5), 2012, B606-B641.
 */
#ifndef FEM_H
#define FEM_H

#include "batched/variant.h"
#include "mesh/comm/halo.h"
#include "mesh/mesh.h"
#include "fem/point/point_constants.h"
#include "solvers/solvers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  FEM_MAX_ORDER = 8,
  FEM_MAX_POINTS = 64,     /* of a line */
  FEM_MAX_FUNCTIONS = 165, /* of a simplex: binomial(FEM_MAX_ORDER + 3, 3) */
  FEM_MAX_SIMPLEX_DEGREE = 20
};

/* All operations of this layer, ended by NULL. */
extern const batched_op *const fem_operations[];

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

/* Orders 1 <= k <= FEM_MAX_ORDER and 0 <= t <= FEM_MAX_ORDER; a Gauss rule exact for quadrature_order (<= 0: 3k + t -
 * 1), of at most FEM_MAX_POINTS points per direction; of simplices at most of degree FEM_MAX_SIMPLEX_DEGREE.
 * Collective; returns on every rank the same: STATUS_OK, or STATUS_MACHINE (out of memory). */
int fem_space_create(fem_space **s, const mesh *m, int k, int t, int quadrature_order);
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

/* ------------------------------------------------------------------ evaluation, zone by zone, at any points
 *
 * A rule: n1 points per factor with their bases, for set-up, errors and output; a time step has kernels of its own. */
typedef struct fem_rule {
  int dim, factors, n1, n; /* points per factor, in all */
  int d1, t1;
  double *weights; /* owned, [n1]; zero unless the rule is a quadrature */
  double *b, *g;   /* owned, [n1][d1]; of a simplex g [dim][n1][d1] */
  double *bt;      /* owned, [n1][t1] */
  double *work;    /* owned, [3][max(n1, d1, t1)^factors] */
  int work_size;   /* of each of the three */
} fem_rule;

/* n1 points of a factor (a line: at most FEM_MAX_POINTS) and their weights (NULL: none); the space's own; or those of
 * Gauss that are exact for degree 2 n1 - 1 (of simplices for FEM_MAX_SIMPLEX_DEGREE at most), n1 per direction.
 * After a failure r may be destroyed, but need not. */
int fem_rule_create(fem_rule *r, const fem_space *s, int n1, const double *points, const double *weights);
int fem_rule_create_own(fem_rule *r, const fem_space *s);
int fem_rule_create_gauss(fem_rule *r, const fem_space *s, int n1);
/* The rule of one point, the middle of the zone. */
int fem_rule_create_middle(fem_rule *r, const fem_space *s);
void fem_rule_destroy(fem_rule *r);
/* The same rule with workspace of its own, for another thread; r stays the owner of all else. */
int fem_rule_borrow(fem_rule *mine, const fem_rule *r);
void fem_rule_give_back(fem_rule *mine);
/* weight of point q, 0 <= q < n, on the reference zone */
double fem_rule_weight(const fem_rule *r, int q);
/* u [ncomp][ndofs] at the points of a zone: value [n][ncomp] */
void fem_rule_values(const fem_rule *r, const fem_space *s, int zone, int ncomp, const double *u, double *value);
/* du_c/dxi_g of the same: gradient [n][ncomp][dim] */
void fem_rule_gradients(const fem_rule *r, const fem_space *s, int zone, int ncomp, const double *u, double *gradient);
/* coefficients e [nt] of one zone at the points: value [n] */
void fem_rule_energies(const fem_rule *r, const fem_space *s, const double *e, double *value);
/* determinant of a dim x dim row-major matrix */
double fem_determinant(int dim, const double *j);

/* ------------------------------------------------------------------ scalar functions and the material */

/* Functions of a position x [dim], with a number or a vector v [dim] as value. */
typedef double (*fem_function)(const void *user, const double *x);
typedef void (*fem_vector_function)(const void *user, const double *x, double *v);

/* Bernstein coefficients e [nzones][nt] of the polynomial that interpolates f at the (t+1)^dim Gauss points, or at the
 * points of the lattice of order t that these give. */
int fem_project_scalar(const fem_space *s, const double *x, fem_function f, const void *user, double *e);
/* u [dim][ndofs]: f at the nodes, whose positions are evaluated as those of any point are, in one zone of those that
 * share a node, the same on any number of ranks: f may jump there.  Collective; a rank's status is its own. */
int fem_project_vector(const fem_space *s, const mesh *m, const double *x, fem_vector_function f, const void *user,
                       double *u);
/* The largest difference of a vector function between places that are one node of a periodic mesh: the same on any
 * number of ranks, but for rounding. */
typedef struct fem_seam_gap {
  double difference, largest; /* of a component; of its values anywhere */
  int component;
  double place[2][3], value[2];
} fem_seam_gap;

/* All zero without seams.  Collective, as is the status. */
int fem_compare_across_seams(const fem_space *s, const mesh *m, const double *x, fem_vector_function f,
                             const void *user, fem_seam_gap *gap);
/* The delta of strength `energy` (an energy) at the vertices nearest to the origin, as specific energy e
 * [nzones][nt] where the density is 1: the start of a Sedov blast.  Each wall through these vertices leaves half of it,
 * the other half is its mirror image; beyond a seam it goes on.  *distance: of these vertices from the origin, 0 if it
 * is no more than coordinates are rounded by.  Collective, as is the status. */
int fem_project_delta(const fem_space *s, const double *x, double energy, double *e, double *distance);

/* The arrays of a material that kernels on a GPU read. */
typedef struct fem_device_material {
  batched_ctx *ctx;               /* borrowed: whose memory it is */
  double *mass, *density, *gamma; /* owned, shapes as in fem_material */
  double *initial_inverse;        /* of all points; NULL: nobody asked for it */
} fem_device_material;

/* The material of the zones, constant in time. */
typedef struct fem_material {
  point_constants constants;
  point_source source;
  double *mass;            /* owned, [nzones][nq]: interpolated density x det J0 x weight */
  double *density;         /* owned, [nzones][nq]: the density function x det J0 x weight, for the mass matrices */
  double *initial_inverse; /* owned, [nzones][nq][dim][dim]: J0^-1; of hexes J0^-T, as in Laghos: diagonal on boxes */
  bool affine; /* all zones of this rank were parallelepipeds, the same J0^-1 at all points but for rounding: then that
                  is [nzones][dim][dim], at the first point, and see fem_initial_inverse */
  double *gamma;               /* owned, [nzones] */
  double volume;               /* of the initial mesh, all ranks */
  fem_device_material *device; /* owned; NULL: everything is done on the host */
} fem_material;

/* x: initial positions.  Fills everything but constants.cfl, viscosity, vorticity and source.  Collective; returns on
 * every rank the same: STATUS_OK, STATUS_MACHINE (out of memory) or STATUS_INPUT (a mesh, density or gamma that makes
 * no sense: *bad says which). */
int fem_material_create(fem_material **m, const fem_space *s, const double *x, fem_function density, fem_function gamma,
                        const void *user, const char **bad);
void fem_material_destroy(fem_material **m);
/* The first of this rank's zones whose Jacobian has no positive determinant at a point of the rule; -1: there is none.
 * position [dim]: of the point. */
int fem_first_inverted(const fem_space *s, const double *x, double *position, double *determinant);
/* Makes m->device in the memory of a CUDA context; nothing to do for one on the host. */
int fem_material_place(batched_ctx *ctx, const fem_space *s, fem_material *m);
void fem_material_unplace(fem_material *m); /* fem_material_destroy does it */
/* Makes m->device->initial_inverse, by far the largest of its arrays, for rows that read it. */
int fem_material_place_inverse(const fem_space *s, const fem_material *m);
/* [dim][dim] at a point of the rule. */
static inline const double *fem_initial_inverse(const fem_space *s, const fem_material *m, int64_t zone, int q)
{
  return m->initial_inverse + (m->affine ? zone : zone * s->nq + q) * s->dim * s->dim;
}
/* Is the density of the mass matrices the same at all points of a zone but for their weights and rounding: that of a
 * parallelepiped of one density? */
bool fem_material_is_even(const fem_space *s, const fem_material *m);

/* Bernstein coefficients rho [nzones][nt] of the density, projected zone by zone: M rho = sum_q mass_q b_j, with M of
 * unit weight on the mesh at x.  Returns STATUS_OK, STATUS_MACHINE (out of memory) or STATUS_RUN: a zone is
 * inverted. */
int fem_project_density(const fem_space *s, const fem_material *m, const double *x, double *rho);
/* The same for one zone: rho [nt]. */
int fem_project_density_in(const fem_space *s, const fem_material *m, const double *x, int zone, double *rho);

/* ------------------------------------------------------------------ operations
 *
 * Vectors live in the memory of the context.
 *
 * An operator is an object that chooses its row at set-up, and keeps it with what the row needs between calls
 * (`store`); each call is counted and timed as an operation of its own name under one deck key.  Authors of rows:
 * force/force.h and mass/mass.h. */

typedef struct fem_force {
  const fem_space *space;       /* borrowed */
  const fem_material *material; /* borrowed */
  const batched_variant *row;
  const struct fem_force_functions *functions; /* of the row */
  void *store;                                 /* owned by the row */
} fem_force;

/* Arguments of a corner force's fits, likes and cost. */
typedef struct fem_force_args {
  const fem_force *force;
  int first, last; /* zones of the call; at set-up: all */
} fem_force_args;

extern const batched_op fem_stress_op, fem_force_op, fem_power_op; /* key "corner_force" */

int fem_force_create(batched_ctx *ctx, fem_force **f, const fem_space *s, const fem_material *m);
void fem_force_destroy(batched_ctx *ctx, fem_force **f);

/* Takes the state: stress at all points, kept for the next two calls; *time_step is lowered (this rank's minimum). */
int fem_force_update(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e,
                     double *time_step);
/* F 1, summed over ranks: out [dim][ndofs] */
int fem_force_apply(batched_ctx *ctx, fem_force *f, double *out);
/* F^T v: out [nzones][nt] */
int fem_force_power(batched_ctx *ctx, fem_force *f, const double *v, double *out);

/* Sets constrained entries of the L-vector u [dim][ndofs] to zero. */
typedef struct fem_constrain_args {
  const fem_space *space;
  double *u;
} fem_constrain_args;

extern const batched_op fem_constrain_op; /* key "constrain" */
int fem_constrain(batched_ctx *ctx, const fem_space *s, double *u);

/* Adds the energy source at the positions x: out_j += sum_q weight det J(x) s(x_q) b_j, out [nzones][nt]. */
typedef struct fem_source_args {
  const fem_space *space;
  const fem_material *material;
  const double *x;
  double *out;
} fem_source_args;

extern const batched_op fem_source_op; /* key "source" */
int fem_source_add(batched_ctx *ctx, const fem_space *s, const fem_material *m, const double *x, double *out);

/* The largest coefficient of the artificial viscosity at the points of each zone of a state in the host's memory:
 * out [nzones].  Returns STATUS_OK or STATUS_MACHINE (out of memory). */
int fem_zone_viscosity(const fem_space *s, const fem_material *m, const double *x, const double *v, const double *e,
                       double *out);

/* Internal and kinetic energy of this rank: sums over the points of mass e and mass v^2 / 2. */
typedef struct fem_energies_args {
  const fem_space *space;
  const fem_material *material;
  const double *v, *e;
  double *sums; // out, [2]: internal, kinetic
} fem_energies_args;

extern const batched_op fem_energies_op; /* key "energies" */
/* Over all ranks, on the host; not numbers if that fails.  Collective. */
int fem_energies(batched_ctx *ctx, const fem_space *s, const fem_material *m, const double *v, const double *e,
                 double *internal, double *kinetic);

/* Arrays that do not change after set-up, of which a run's results are made, in the memory of the context: to be
 * visited once each. */
typedef solver_constant_visit fem_constant_visit;
void fem_space_constants(const fem_space *s, fem_constant_visit *visit, void *user);
void fem_material_constants(const fem_space *s, const fem_material *m, fem_constant_visit *visit, void *user);
void fem_force_constants(const fem_force *f, fem_constant_visit *visit, void *user);

/* Parameters of conjugate gradients with the velocity's mass matrix. */
typedef enum fem_preconditioner {
  FEM_JACOBI,      /* its diagonal */
  FEM_ZONE_INVERSE /* inverses of the zones' matrices, scaled: fem/mass/precondition.h */
} fem_preconditioner;

/* Parameters of the solves with both mass matrices. */
typedef struct fem_mass_options {
  double tolerance;   /* of conjugate gradients, where a row has some; see solver_pcg_args */
  int max_iterations; /* likewise */
  bool coupled;       /* velocity: the components are one system: they stop together */
  bool iterated;      /* energy: `auto` takes conjugate gradients over all zones, not factors or inverses of blocks */
  fem_preconditioner preconditioner; /* velocity */
  bool late; /* a row on a GPU need not wait for a solve: what it came to is counted by fem_mass_settle */
} fem_mass_options;

/* Also what fits, likes and cost of a mass matrix see. */
typedef struct fem_mass {
  const fem_space *space;
  const fem_material *material;
  const batched_op *op;
  const batched_variant *row;
  const struct fem_mass_functions *functions; /* of the row */
  void *store;                                /* owned by the row */
  fem_mass_options options;
  solver_operator matrix; /* as conjugate gradients see it */
  /* In the context's memory: the inverse diagonal of the kinematic mass matrix, [ndofs] (NULL for the thermodynamic),
   * and the vectors of conjugate gradients. */
  double *inverse_diagonal, *work;         /* owned */
  struct fem_zone_inverse *zone_inverse;   /* owned: what FEM_ZONE_INVERSE keeps; NULL otherwise */
  int64_t iterations, solves, unconverged; /* sums so far; iterations: over components */
  int last_iterations;                     /* of the last solve, the most of any component */
  const solver_outcome *late[SOLVER_LATE]; /* borrowed, [nlate]: of solves that are not counted yet, oldest first */
  int nlate;
  int64_t rounds; /* of all solves by a row that refines: solver_pcg_args */
  double waited;  /* seconds of all solves in messages and reductions over ranks */
} fem_mass;

extern const batched_op fem_velocity_solve_op; /* key "velocity_mass" */
extern const batched_op fem_precondition_op;   /* key "zone_inverse" */
extern const batched_op fem_energy_solve_op;   /* key "energy_mass" */

/* M_v a = b for all components, constrained entries zero.  Vectors [dim][ndofs]. */
int fem_velocity_mass_create(batched_ctx *ctx, fem_mass **m, const fem_space *s, const fem_material *mat,
                             const fem_mass_options *options);
int fem_velocity_mass_solve(batched_ctx *ctx, fem_mass *m, const double *b, double *a);
/* y = M_v x, unconstrained. */
int fem_velocity_mass_apply(batched_ctx *ctx, fem_mass *m, const double *x, double *y);

/* M_e p = b.  Vectors [nzones][nt]. */
int fem_energy_mass_create(batched_ctx *ctx, fem_mass **m, const fem_space *s, const fem_material *mat,
                           const fem_mass_options *options);
int fem_energy_mass_solve(batched_ctx *ctx, fem_mass *m, const double *b, double *p);

/* Counts the solves that have not been, once the device is done with them. */
int fem_mass_settle(batched_ctx *ctx, fem_mass *m);

void fem_mass_destroy(batched_ctx *ctx, fem_mass **m);

/* As fem_force_constants. */
void fem_mass_constants(const fem_mass *m, fem_constant_visit *visit, void *user);

#ifdef __cplusplus
}
#endif

#endif
