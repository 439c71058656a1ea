/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of field files share: a curved box of zones with polynomial fields, which every rank has a part of,
 * and a folder for the files.  Include after cmocka.h.
 */
#ifndef TESTS_APP_OUTPUT_SAMPLES_H
#define TESTS_APP_OUTPUT_SAMPLES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/output.h"
#include "mesh/comm/comm.h"

enum { MESSAGE = 5000, PATH = 300 };

static const output_run run = {.deck = "problem: {name: sedov}\n", .version = "1.2.3", .git = "abcdef"};

/* -- A curved box of zones, and fields that are polynomials in each; test_vtkhdf.py has the same formulas */

static const int lattice[4][3] = {{0}, {5, 1, 1}, {3, 2, 1}, {2, 2, 3}};

typedef struct sample {
  output_zones zones;
  double *points, *scalar, *vector, *mean;
  int64_t *ids;
  output_point_field point_fields[2];
  output_cell_field cell_fields[2];
} sample;

static inline int nodes_of(int dim, int order)
{
  int nodes = 1;
  for (int c = 0; c < dim; ++c) nodes *= order + 1;
  return nodes;
}

static inline void fill_node(sample *s, int64_t index, int64_t zone, const int cell[3], const double xi[3])
{
  const int dim = s->zones.dim, p = s->zones.order;
  double X[3] = {0};
  for (int c = 0; c < dim; ++c) X[c] = (cell[c] + xi[c]) / lattice[dim][c];
  double *x = &s->points[3 * index];
  x[0] = X[0] + 0.3 * X[0] * X[1];
  x[1] = dim > 1 ? X[1] + (p > 1 ? 0.2 * X[0] * X[0] : 0) : 0;
  x[2] = dim > 2 ? X[2] + 0.1 * X[0] * X[1] * X[2] : 0;
  s->scalar[index] = (double)zone + pow(xi[0], p) + 2 * xi[0] * pow(xi[1], p) + 3 * xi[1] * pow(xi[2], p);
  for (int c = 0; c < 3; ++c) s->vector[3 * index + c] = (c + 1) * pow(xi[c], p) - xi[(c + 1) % 3] * xi[c];
}

/* This rank's share: zones in order, rank by rank; ranks after the second get none. */
static inline sample make_sample(int dim, int order)
{
  const int *n = lattice[dim], nodes = nodes_of(dim, order), workers = comm_size() > 2 ? 2 : comm_size();
  const int64_t all = n[0] * n[1] * n[2], rank = comm_rank();
  const int64_t first = rank < workers ? all * rank / workers : all,
                end = rank < workers ? all * (rank + 1) / workers : all;
  sample s = {.zones = {.dim = dim, .order = order, .nzones = end - first}};
  const size_t count = (size_t)(end - first) * (size_t)nodes + 1; // never nothing
  s.points = calloc(count, 3 * sizeof *s.points), s.vector = calloc(count, 3 * sizeof *s.vector);
  s.scalar = calloc(count, sizeof *s.scalar), s.mean = calloc(count, sizeof *s.mean);
  s.ids = calloc(count, sizeof *s.ids);
  assert_true(s.points && s.vector && s.scalar && s.mean && s.ids);
  for (int64_t z = first; z < end; ++z) {
    const int cell[3] = {(int)(z % n[0]), (int)(z / n[0] % n[1]), (int)(z / n[0] / n[1])};
    s.ids[z - first] = z;
    s.mean[z - first] = 0.5 + (double)z;
    for (int i = 0; i < nodes; ++i) {
      double xi[3] = {0};
      for (int c = 0, rest = i; c < dim; ++c, rest /= order + 1) xi[c] = (double)(rest % (order + 1)) / order;
      fill_node(&s, (z - first) * nodes + i, z, cell, xi);
    }
  }
  return s;
}

static inline void attach(sample *s)
{
  s->point_fields[0] = (output_point_field){"scalar", 1, s->scalar};
  s->point_fields[1] = (output_point_field){"vector", 3, s->vector};
  s->cell_fields[0] = (output_cell_field){.name = "zone", .integer = s->ids};
  s->cell_fields[1] = (output_cell_field){.name = "mean", .real = s->mean};
  s->zones.points = s->points;
  s->zones.npoint_fields = s->zones.ncell_fields = 2;
  s->zones.point_fields = s->point_fields;
  s->zones.cell_fields = s->cell_fields;
}

static inline void free_sample(sample *s)
{
  free(s->points), free(s->scalar), free(s->vector), free(s->mean), free(s->ids);
}

/* -- What the ranks share: a folder, and the outcome of what only one of them looked at */

static char folder[] = "/tmp/shocklet-output-XXXXXX";

static inline int make_folder(void **unused)
{
  (void)unused;
  strcpy(folder, "/tmp/shocklet-output-XXXXXX");
  bool good = comm_rank() != 0 || mkdtemp(folder);
  comm_broadcast(folder, sizeof folder, 0);
  return !good;
}

static inline int remove_folder(void **unused)
{
  (void)unused;
  char command[200];
  comm_barrier();
  snprintf(command, sizeof command, "chmod -R u+w %s; rm -r %s", folder, folder);
  return comm_rank() == 0 && system(command) != 0;
}

static inline bool everywhere(bool good)
{
  double all = good;
  comm_min(&all, 1);
  return all != 0;
}

static inline void in_folder(char path[PATH], const char *name)
{
  snprintf(path, PATH, "%s/%s", folder, name);
}

static inline int write_sample(output_series *series, int dim, int order, int64_t step, char *message)
{
  sample s = make_sample(dim, order);
  attach(&s);
  const int status = output_write(series, step, 0.1 * (double)step, &s.zones, message, MESSAGE);
  free_sample(&s);
  return status;
}

static inline output_series *open_series(const char *directory, const char *name, int64_t resume)
{
  char message[MESSAGE] = "";
  output_series *series;
  if (output_create(&series, directory, name, &run, resume, message, sizeof message)) fail_msg("%s", message);
  return series;
}

static inline bool series_is(const char *name, const char *expected)
{
  char path[PATH], text[2000] = "";
  in_folder(path, name);
  FILE *from = fopen(path, "r");
  if (!from) return false;
  const size_t n = fread(text, 1, sizeof text - 1, from);
  fclose(from);
  text[n] = '\0';
  if (strcmp(text, expected) != 0) print_message("%s holds\n%s", name, text);
  return !strcmp(text, expected);
}

#endif
