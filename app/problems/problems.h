/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The problems: one row a problem, nothing about a problem anywhere else.
 */
#ifndef APP_PROBLEMS_H
#define APP_PROBLEMS_H

#include <stdbool.h>

#include "fem/point/point_constants.h" /* point_source */

/* The box that a deck gets which says nothing of its mesh. */
typedef struct problem_box {
  int zones[3];
  int refine;
  double lower[3], upper[3];
} problem_box;

/* Parameters of a problem's functions, besides the position. */
typedef struct problem_setting {
  int dim;
  double blast_energy;
  struct exact_sedov *blast; /* of problem_prepare; NULL: the exact state of a blast takes its time */
  double time, shock;        /* that it was prepared for, and the radius of the shock then */
  /* Where the square of the distance from the origin is larger than this, the exact state then is gas of density 1 at
   * rest; 0: not known. */
  double ahead;
} problem_setting;

/* A state that is known exactly. */
typedef struct problem_state {
  double density, pressure, energy; /* energy: specific internal */
  double velocity[3];
} problem_state;

/* The coordinate that the solution, and so a profile, depends on. */
typedef enum problem_profile {
  PROFILE_NONE,
  PROFILE_X,     /* it changes along x alone */
  PROFILE_RADIUS /* the distance from the origin */
} problem_profile;

typedef struct problem {
  const char *name;     /* in decks */
  const char *summary;  /* one line */
  unsigned dims;        /* bit d: exists in d dimensions */
  int dim;              /* default dimension */
  double final;         /* default final time */
  double cfl;           /* default */
  problem_box box[4];   /* [dim] */
  int attributes[6];    /* of the box's faces: x below, x above, y below, ... (c+1: wall normal to axis c; 0: free) */
  bool uniform;         /* the density at the start is 1 everywhere */
  bool viscosity;       /* artificial viscosity on */
  bool vorticity;       /* vorticity switch on */
  bool driven;          /* walls keep the initial velocity as their own (pistons); else they stand still */
  bool steady;          /* the initial velocity is the exact one for all times: velocity errors are reported */
  unsigned source_dims; /* bit d: the energy source acts in d dimensions */
  point_source source;
  double gravity[3];
  problem_profile profile; /* in 1D it is over x always */

  double (*density)(const problem_setting *s, const double *x);
  double (*gamma)(const problem_setting *s, const double *x);
  double (*energy)(const problem_setting *s, const double *x); /* NULL: the blast, a delta at the origin */
  void (*velocity)(const problem_setting *s, const double *x, double *v);
  void (*map)(const problem_setting *s, double *x); /* NULL, or moves a corner of the box to its place in the mesh */
  /* NULL, or the exact state at time t and position x; false where it is not defined */
  bool (*exact)(const problem_setting *s, double t, const double *x, problem_state *state);
  void (*prepare)(problem_setting *s, double t); /* NULL, or see problem_prepare */
} problem;

/* All problems, ended by NULL.  Each is a row of its family, problems_<family>.c. */
extern const problem *const problems[];

const problem *problem_find(const char *name);

/* Makes `exact` fast at many places and time t, if memory allows; problem_release frees what that took. */
void problem_prepare(const problem *p, problem_setting *s, double t);
void problem_release(problem_setting *s);

#endif
