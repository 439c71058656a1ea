/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files for people and their tools: fields as VTKHDF, which ParaView opens, and profiles as CSV.
 */
#ifndef APP_OUTPUT_H
#define APP_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "mesh/mesh.h"

/* Provenance of a run; goes into every file. */
typedef struct output_run {
  const char *deck;    /* borrowed, the resolved deck as text */
  const char *version; /* borrowed */
  const char *git;     /* borrowed */
  int64_t number;      /* of the run: the same for the same deck, program, machine and ranks; in checkpoints */
  int ranks_per_file;  /* most ranks that write one file of fields; more ranks write several, at the same time; 0: 64 */
} output_run;

/* A field with a value at every node: data has shape [nzones][nodes][ncomp], ncomp is 1 or 3. */
typedef struct output_point_field {
  const char *name;
  int ncomp;
  const double *data;
} output_point_field;

/* A field with a value in every zone: one of the two arrays, of shape [nzones]. */
typedef struct output_cell_field {
  const char *name;
  const double *real;
  const int64_t *integer;
} output_cell_field;

/* This rank's zones.  All is borrowed.  Every zone has the nodes of its order, equispaced in its reference
 * coordinates, first direction fastest; zones do not share nodes, so fields may jump between them.  All ranks name the
 * same fields in the same order, those without zones too. */
typedef struct output_zones {
  mesh_shape shape;
  int dim, order; /* 1..3, >= 1 */
  int64_t nzones;
  const double *points; /* [nzones][nodes][3] */
  int npoint_fields;
  const output_point_field *point_fields;
  int ncell_fields;
  const output_cell_field *cell_fields;
} output_zones;

/* A series of field files directory/name_STEP.vtkhdf, with directory/name.vtkhdf.series beside them.  Where there are
 * more ranks than write one file, that file refers to name_STEP.0000.vtkhdf and so on, which hold the data. */
typedef struct output_series output_series;

/* Collective; creates the directory.  run and its strings must outlive the series.  A run that continues from step
 * `resume` > 0 keeps the earlier files of the series; 0 starts a new one.  Returns STATUS_OK, or STATUS_MACHINE with a
 * sentence in message[size] of every rank. */
int output_create(output_series **series, const char *directory, const char *name, const output_run *run,
                  int64_t resume, char *message, size_t size);
void output_destroy(output_series **series);

/* Collective; writes one file and brings the list of files up to date.  Returns as above; a file that could not be
 * completed leaves nothing behind. */
int output_write(output_series *series, int64_t step, double time, const output_zones *zones, char *message,
                 size_t size);

/* Collective; writes a CSV file with the columns `name` (of r), density and, unless exact is NULL, exact: n rows from
 * this rank.  Returns as above. */
int output_profile(const char *path, const char *name, int64_t n, const double *r, const double *density,
                   const double *exact, char *message, size_t size);

#endif
