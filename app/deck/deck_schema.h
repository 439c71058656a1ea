/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The schema of a deck, and what its reader keeps: for the files deck_*.c and the report only.
 */
#ifndef APP_DECK_SCHEMA_H
#define APP_DECK_SCHEMA_H

#include "app/deck/deck.h"

typedef enum deck_type {
  DECK_BOOL,       /* bool */
  DECK_INT,        /* int */
  DECK_INT64,      /* int64_t */
  DECK_REAL,       /* double */
  DECK_INTS,       /* int[3] */
  DECK_REALS,      /* double[3] */
  DECK_POINTS,     /* deck_points */
  DECK_SHARE,      /* deck_share: an integer, or one for each axis */
  DECK_NAME,       /* char[size], one of choices */
  DECK_INTEGRATOR, /* deck_integrator, one of choices */
  DECK_PROBLEM,    /* char[size], one of problems[] */
  DECK_VARIANT,    /* char[size], see deck_kernels.c */
  DECK_TEXT,       /* char[size] */
} deck_type;

typedef struct deck_key {
  const char *name; /* with its sections: "solvers.energy.tolerance" */
  deck_type type;
  size_t offset, size;        /* in a deck */
  const char *fallback;       /* the default as a deck would write it */
  bool derived;               /* fallback only describes it, deck_resolve finds it */
  double low, high;           /* of each number; HUGE_VAL: no limit */
  bool above, below;          /* the limit itself is not allowed */
  const char *const *choices; /* ended by NULL */
  const char *help;           /* one line, with the unit if there is one */
} deck_key;

enum { DECK_MAX_KEYS = 44 + DECK_MAX_KERNELS };

typedef struct deck_schema {
  int n;
  deck_key key[DECK_MAX_KEYS];
  char kernel_names[DECK_MAX_KERNELS][64];
} deck_schema;

/* The fixed keys and one for every kernel. */
void deck_schema_fill(deck_schema *s);

/* Index of a key, or -1. */
int deck_schema_find(const deck_schema *s, const char *name);
bool deck_schema_is_section(const deck_schema *s, const char *name);

const char *deck_type_name(deck_type type);
deck_integrator deck_integrator_find(const char *name);
const char *deck_integrator_name(deck_integrator integrator);

/* "0 to 12", "euler, rk2, ..." */
void deck_allowed(const deck_key *k, char *text, size_t size);

/* "auto, host.sumfact, ...": what a kernel key may be in the backends that are wanted; NULL: in any. */
void deck_variant_names(const char *kernel, const bool *wanted, char *text, size_t size);

/* True where its value is a list. */
bool deck_is_list(deck_type type);

/* Number of entries of a list that are used: all points; the axes of a share, none if it is a number; else mesh.dim of
 * them, none if the mesh is a file. */
int deck_list_length(const deck_key *k, const deck *d);

/* The place in the deck where a key was given. */
typedef enum deck_level { DECK_DEFAULT, DECK_FILE, DECK_COMMAND_LINE } deck_level;

typedef struct deck_origin {
  deck_level level;
  int line;             /* in the file, from 1 */
  const char *argument; /* on the command line, borrowed */
  int count;            /* entries of a list */
} deck_origin;

typedef struct deck_reader {
  deck *d;
  deck_schema schema;
  deck_origin origin[DECK_MAX_KEYS];
  const char *name; /* of the file */
  char *message;
  size_t size;
} deck_reader;

/* A value as it was written. */
enum { DECK_MAX_ITEMS = DECK_MAX_NUMBERS };
typedef struct deck_value {
  bool list;
  bool quoted;
  int count;                        /* items of the list, may be more than are kept; 1 for a scalar */
  const char *item[DECK_MAX_ITEMS]; /* borrowed, ended by NUL */
} deck_value;

/* All of these return STATUS_OK, or STATUS_INPUT with the sentence in r->message. */
int deck_read_yaml(deck_reader *r, const char *text, size_t length);
/* True where a deck can hold this text. */
bool deck_is_printable(const char *text);

int deck_set(deck_reader *r, int key, const deck_value *v, const deck_origin *origin);
int deck_resolve(deck_reader *r);
int deck_resolve_mesh(deck_reader *r);
int deck_check_period(deck_reader *r);
int deck_resolve_kernels(deck_reader *r);
int deck_unknown(deck_reader *r, const deck_origin *origin, const char *name);

/* Whether a key was given, and where. */
const deck_origin *deck_origin_of(const deck_reader *r, const char *name);
bool deck_is_given(const deck_reader *r, const char *name);

/* Writes "where: key: sentence"; returns STATUS_INPUT. */
int deck_fail(deck_reader *r, const deck_origin *origin, const char *key, const char *format, ...)
  __attribute__((format(printf, 4, 5)));

/* A text from outside as it may stand in a message: short and without control characters. */
enum { DECK_CLIP = 64 };
typedef struct deck_clipped {
  char text[DECK_CLIP + 4];
} deck_clipped;
deck_clipped deck_clip(const char *text);

#endif
