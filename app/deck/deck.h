/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A deck: what to run.  Every key is declared once, in deck_schema.c: name, type, default, range, help.  Defaults give
 * way to the deck, and the deck to the command line.
 */
#ifndef APP_DECK_H
#define APP_DECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "app/problems/problems.h"
#include "batched/variant.h"
#include "mesh/comm/exit_status.h"

enum { DECK_PATH = 4096, DECK_MAX_KERNELS = 64, DECK_MAX_NUMBERS = 96 };

/* Limits of a mesh, and of one axis: nodes have 64-bit numbers, along an axis 32-bit ones, at any order up to
 * 8. */
#define DECK_MAX_ZONES 1e15
#define DECK_MAX_ZONES_ALONG (1 << 27)
/* Limit of a rank, which counts corners of zones in an int. */
#define DECK_MAX_SHARE ((1 << 28) - 1)

typedef enum deck_integrator { RK_EULER, RK_RK2, RK_RK3, RK_RK4, RK_RK6, RK_RK2AVG } deck_integrator;

/* Points in space, mesh.dim numbers each, one after the other. */
typedef struct deck_points {
  double number[DECK_MAX_NUMBERS]; /* the first `count` mean something, the others are 0 */
  int count;
} deck_points;

/* The zones of a rank: a number, or so many along each axis. */
typedef struct deck_share {
  int64_t zones; /* of a rank, 0: no weak scaling */
  int along[3];  /* the first `axes` mean something, the others are 0 */
  int axes;      /* 0: a number was given */
} deck_share;

typedef struct deck {
  struct {
    const problem *row; /* borrowed, a row of problems[]; after a broadcast: problem_find(name) */
    char name[32];
    double blast_energy;
    bool impose_viscosity;
  } problem;
  struct {
    int dim; /* 0: as the file says, see deck_set_dim */
    int zones[3];
    double lower[3], upper[3];
    char file[DECK_PATH]; /* "" for a box; else absolute */
    int refine;
    deck_share zones_per_rank;
    char zone[16];      /* auto triangle tet: of a box */
    char periodic[16];  /* none x y z xy ...: of a box */
    char partition[16]; /* auto block hilbert rcb metis */
  } mesh;
  struct {
    int kinematic_order, thermodynamic_order; /* 1..8, 0..8; the default of the second is the first less one */
    int quadrature_order;                     /* -1: 3k + t - 1 */
  } discretization;
  struct {
    deck_integrator integrator;
    double final, cfl;
    int64_t max_steps; /* -1: none */
    int max_cuts;      /* of a step, before a zone that is still tangled, or a value that is no number, ends the run */
    double wall_limit; /* seconds; 0: none */
  } time;
  struct {
    struct {
      double tolerance;
      int max_iterations;
      char preconditioner[16]; /* jacobi zone_inverse */
    } velocity;
    struct {
      double tolerance;
      int max_iterations;
    } energy;
  } solvers;
  struct {
    char backend[16]; /* auto host cuda */
    /* in the order of deck_kernel_keys(); "auto" or a variant's name */
    char variant[DECK_MAX_KERNELS][64];
  } kernels;
  struct {
    char directory[DECK_PATH];
    int64_t fields_every, checkpoint_every; /* steps; 0: never */
    double checkpoint_seconds;              /* by the clock; 0: never */
    int64_t history_every;                  /* steps; 0: never */
    deck_points probes;                     /* rows as often as the history's */
    int keep;
    bool overwrite;    /* files of another run in the directory are taken away */
    char progress[16]; /* auto bar lines none */
  } output;
  struct {
    double silence; /* seconds without progress after which that is said; 0: never */
    bool silence_ends;
    bool overlap;
    char messages[16]; /* mpi nccl */
  } run;
} deck;

/* The keys under `kernels` besides backend: the distinct keys of all operations, in order.  Returns how many. */
int deck_kernel_keys(const char *keys[DECK_MAX_KERNELS]);

/* Says, as a phrase, what a row needs that can't do every run; NULL: nothing is known of it. */
const char *deck_row_needs(const char *key, const char *variant);

/* The key of a kernel whose variant is known not to do what the deck asks for, on a mesh of simplices or not; NULL:
 * there is none. */
const char *deck_unfit_kernel(const deck *d, bool simplices);

/* Adds the variants that the deck names to a text, those alone that can't do every run where there are some:
 * ": kernels.gemm=host.ref, kernels.gemv=host.ref", ": kernels.energies=host.sumfact needs quads or hexes". */
void deck_add_variants(const deck *d, char *text, size_t size);

/* Strips blanks and quotes from an override's value that is expected to be text.  Changes the text. */
char *deck_plain_text(char *text);

/* Reads the deck, then the overrides "section.key=value".  Where there is no file of that name, the name of a
 * problem is a deck: {problem: {name: NAME}}.  Returns STATUS_OK, or STATUS_INPUT with one sentence in
 * message[size]: file:line, the key, what is wrong and what is allowed; or STATUS_MACHINE when memory is out.  With
 * STATUS_OK the message is empty, or a warning.  Touches nothing but *d.  Not collective: rank 0 calls it, then all
 * call deck_broadcast. */
int deck_read(deck *d, const char *path, int noverrides, char *const *overrides, char *message, size_t size);

/* The same for a deck in memory; name is for the messages, and its folder is where relative paths start. */
int deck_parse(deck *d, const char *name, const char *text, size_t length, int noverrides, char *const *overrides,
               char *message, size_t size);

/* Collective: rank 0's deck on all ranks. */
void deck_broadcast(deck *d);

/* Zones that mesh.zone makes of each zone of the box: 1, 2 triangles or 6 tets. */
int deck_parts(const deck *d);

/* The mesh file turned out to have this dimension.  Returns STATUS_OK, or STATUS_INPUT with a sentence when the deck
 * asked for another or the problem does not exist in it. */
int deck_set_dim(deck *d, int dim, char *message, size_t size);

/* The whole deck as YAML that deck_read takes, every key with its value. */
void deck_print(const deck *d, FILE *to);

/* The same in memory, to be freed; NULL when memory is out. */
char *deck_text(const deck *d);

/* Calls differs(user, key, old, new) for every key whose value is not the same, in order; values as deck_print writes
 * them. */
typedef void deck_difference(void *user, const char *key, const char *before, const char *now);
void deck_compare(const deck *before, const deck *now, deck_difference *differs, void *user);

/* Every key: type, default, allowed values, help. */
void deck_print_keys(FILE *to);

/* The variant asked for under a kernel key ("auto" when there is no such key). */
const char *deck_variant(const deck *d, const char *key);

#endif
