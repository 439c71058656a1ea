/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing VTKHDF.  What readers insist on: Type is an ASCII string of fixed length; Types are bytes; ids are signed; ids
 * count from 0 in every part; every part has one more offset than cells; nothing in FieldData is a scalar or a string.
 */
#include "vtkhdf.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Files.  After the first failure nothing more is tried, and reason says what it was. */

typedef struct writer {
  hid_t file;
  bool good;
  char *reason; // borrowed, [size]
  size_t size;
  H5E_auto2_t report; // what HDF5 did with errors before
  void *report_data;
} writer;

/* Called by HDF5 for every error on its stack, innermost first. */
static herr_t keep_reason(unsigned n, const H5E_error2_t *error, void *data)
{
  (void)n;
  writer *w = data;
  if (w->reason[0] || !error->desc) return 0;
  const char *system = strstr(error->desc, "error message = '");
  if (system) {
    system += strlen("error message = '");
    snprintf(w->reason, w->size, "%.*s", (int)strcspn(system, "'"), system);
  } else {
    snprintf(w->reason, w->size, "%s", error->desc);
  }
  return 0;
}

static herr_t on_error(hid_t stack, void *data)
{
  return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_reason, data);
}

/* Notes whether a call of HDF5 worked: its result is negative if not. */
static bool worked(writer *w, int64_t result)
{
  if (result < 0) w->good = false;
  return result >= 0;
}

/* From here to silence() the errors of HDF5 go to w. */
static void listen(writer *w)
{
  H5dont_atexit(); // at exit HDF5 1.10 would close again, and crash on, a file that it could not write
  w->reason[0] = '\0';
  H5Eget_auto2(H5E_DEFAULT, &w->report, &w->report_data);
  H5Eset_auto2(H5E_DEFAULT, on_error, w);
}

static void silence(writer *w)
{
  H5Eset_auto2(H5E_DEFAULT, w->report, w->report_data);
}

static void make_group(writer *w, const char *path)
{
  if (!w->good) return;
  const hid_t group = H5Gcreate2(w->file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (worked(w, group)) worked(w, H5Gclose(group));
}

/* A dataset of [rows] (columns = 0) or [rows][columns], without times of creation: the same run writes the same bytes. */
static void make_dataset(writer *w, const char *path, hid_t type, int64_t rows, int columns)
{
  if (!w->good) return;
  const hsize_t shape[2] = {(hsize_t)rows, (hsize_t)columns};
  const hid_t space = H5Screate_simple(columns ? 2 : 1, shape, NULL);
  const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  if (worked(w, space) && worked(w, plan) && worked(w, H5Pset_obj_track_times(plan, false)) &&
      worked(w, H5Pset_fill_time(plan, H5D_FILL_TIME_NEVER))) {
    const hid_t set = H5Dcreate2(w->file, path, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    if (worked(w, set)) worked(w, H5Dclose(set));
  }
  if (plan >= 0) worked(w, H5Pclose(plan));
  if (space >= 0) worked(w, H5Sclose(space));
}

/* Writes the rows [first, first + rows) of a dataset. */
static void put_rows(writer *w, const char *path, hid_t type, int64_t first, int64_t rows, int columns,
                     const void *data)
{
  if (!w->good || rows == 0) return;
  const hsize_t start[2] = {(hsize_t)first, 0}, count[2] = {(hsize_t)rows, (hsize_t)columns};
  const hid_t set = H5Dopen2(w->file, path, H5P_DEFAULT);
  if (!worked(w, set)) return;
  const hid_t to = H5Dget_space(set), from = H5Screate_simple(columns ? 2 : 1, count, NULL);
  if (worked(w, to) && worked(w, from) && worked(w, H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, count, NULL)))
    worked(w, H5Dwrite(set, type, from, to, H5P_DEFAULT, data));
  if (from >= 0) worked(w, H5Sclose(from));
  if (to >= 0) worked(w, H5Sclose(to));
  worked(w, H5Dclose(set));
}

/* A scalar string of exactly the text's length, as an attribute of a group or (group NULL) as a dataset. */
static void put_text(writer *w, const char *group, const char *name, const char *text)
{
  if (!w->good) return;
  const size_t length = strlen(text);
  const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  if (worked(w, type) && worked(w, space) && worked(w, H5Tset_size(type, length ? length : 1)) &&
      worked(w, H5Tset_strpad(type, H5T_STR_NULLPAD)) && worked(w, H5Tset_cset(type, H5T_CSET_ASCII))) {
    if (group) {
      const hid_t at = H5Acreate_by_name(w->file, group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      if (worked(w, at)) worked(w, H5Awrite(at, type, text)), worked(w, H5Aclose(at));
    } else {
      const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
      worked(w, H5Pset_obj_track_times(plan, false));
      const hid_t set = H5Dcreate2(w->file, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
      if (worked(w, set)) worked(w, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text)), worked(w, H5Dclose(set));
      worked(w, H5Pclose(plan));
    }
  }
  if (type >= 0) worked(w, H5Tclose(type));
  if (space >= 0) worked(w, H5Sclose(space));
}

static void put_integers(writer *w, const char *group, const char *name, int n, const int64_t *values)
{
  if (!w->good) return;
  const hsize_t shape = (hsize_t)n;
  const hid_t space = H5Screate_simple(1, &shape, NULL);
  if (!worked(w, space)) return;
  const hid_t at = H5Acreate_by_name(w->file, group, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (worked(w, at)) worked(w, H5Awrite(at, H5T_NATIVE_INT64, values)), worked(w, H5Aclose(at));
  worked(w, H5Sclose(space));
}

/* -- Cells */

static int nodes_of(const output_zones *z)
{
  int n = 1;
  for (int c = 0; c < z->dim; ++c) n *= z->order + 1;
  return n;
}

/* The number that VTK 9 gives the node (i, j, k) of a cell of order p: corners, then edges, faces, inside. */
static int segment_number(int p, int i)
{
  if (i == 0) return 0;
  return i == p ? 1 : 1 + i;
}

static int corner_number(bool i, bool j, bool k)
{
  return (i ? (j ? 2 : 1) : (j ? 3 : 0)) + (k ? 4 : 0);
}

static int quad_number(int p, int i, int j)
{
  const int m = p - 1; // nodes inside an edge
  const bool on_i = i == 0 || i == p, on_j = j == 0 || j == p;
  if (on_i && on_j) return corner_number(i, j, false);
  if (on_j) return 4 + (j ? 2 * m : 0) + i - 1; // bottom is edge 0, top is edge 2
  if (on_i) return 4 + (i ? m : 3 * m) + j - 1; // right is edge 1, left is edge 3
  return 4 + 4 * m + (i - 1) + m * (j - 1);
}

static int hex_number(int p, int i, int j, int k)
{
  const int m = p - 1;
  const bool on_i = i == 0 || i == p, on_j = j == 0 || j == p, on_k = k == 0 || k == p;
  const int edges = 8, faces = edges + 12 * m, inside = faces + 6 * m * m;
  switch (on_i + on_j + on_k) {
  case 3: return corner_number(i, j, k);
  case 2:
    if (!on_k) return edges + 8 * m + corner_number(i, j, false) * m + k - 1;
    return edges + (k ? 4 * m : 0) + quad_number(p, i, j) - 4;
  case 1:
    if (on_i) return faces + (i ? m * m : 0) + (j - 1) + m * (k - 1);
    if (on_j) return faces + (j ? 3 : 2) * m * m + (i - 1) + m * (k - 1);
    return faces + (k ? 5 : 4) * m * m + (i - 1) + m * (j - 1);
  default: return inside + (i - 1) + m * ((j - 1) + m * (k - 1));
  }
}

void vtkhdf_node_order(int dim, int order, int *node)
{
  const int n = order + 1;
  for (int k = 0; k < (dim > 2 ? n : 1); ++k)
    for (int j = 0; j < (dim > 1 ? n : 1); ++j)
      for (int i = 0; i < n; ++i) {
        const int number = dim == 1   ? segment_number(order, i)
                           : dim == 2 ? quad_number(order, i, j)
                                      : hex_number(order, i, j, k);
        node[number] = i + n * (j + n * k);
      }
}

static unsigned char cell_type(int dim, int order)
{
  enum { LINE = 3, QUAD = 9, HEXAHEDRON = 12, LAGRANGE_CURVE = 68, LAGRANGE_QUAD = 70, LAGRANGE_HEXAHEDRON = 72 };
  static const unsigned char straight[4] = {0, LINE, QUAD, HEXAHEDRON};
  static const unsigned char curved[4] = {0, LAGRANGE_CURVE, LAGRANGE_QUAD, LAGRANGE_HEXAHEDRON};
  return order == 1 ? straight[dim] : curved[dim];
}

/* -- The file */

static const char *const counts[3] = {"/VTKHDF/NumberOfPoints", "/VTKHDF/NumberOfCells",
                                      "/VTKHDF/NumberOfConnectivityIds"};

static void field_path(char *path, size_t size, const char *group, const char *name)
{
  snprintf(path, size, "/VTKHDF/%s/%s", group, name);
}

static void make_fields(writer *w, const output_zones *z, int64_t nzones, int64_t npoints)
{
  char path[256];
  for (int f = 0; f < z->npoint_fields; ++f) {
    field_path(path, sizeof path, "PointData", z->point_fields[f].name);
    make_dataset(w, path, H5T_IEEE_F64LE, npoints, z->point_fields[f].ncomp > 1 ? z->point_fields[f].ncomp : 0);
  }
  for (int f = 0; f < z->ncell_fields; ++f) {
    field_path(path, sizeof path, "CellData", z->cell_fields[f].name);
    make_dataset(w, path, z->cell_fields[f].integer ? H5T_STD_I64LE : H5T_IEEE_F64LE, nzones, 0);
  }
}

static void put_run(writer *w, const output_run *run, int64_t step)
{
  make_group(w, "/run"); // readers of VTKHDF look at nothing outside /VTKHDF
  put_text(w, NULL, "/run/deck", run->deck);
  put_text(w, "/run", "version", run->version);
  put_text(w, "/run", "git", run->git);
  put_integers(w, "/run", "step", 1, &step);
}

static void make_grid(writer *w, const output_zones *z, const vtkhdf_place *place, double time)
{
  const int64_t version[2] = {1, 0}, npoints = place->nzones * nodes_of(z);
  make_group(w, "/VTKHDF");
  put_integers(w, "/VTKHDF", "Version", 2, version);
  put_text(w, "/VTKHDF", "Type", "UnstructuredGrid");
  for (int i = 0; i < 3; ++i) make_dataset(w, counts[i], H5T_STD_I64LE, place->nparts, 0);
  make_dataset(w, "/VTKHDF/Points", H5T_IEEE_F64LE, npoints, 3);
  make_dataset(w, "/VTKHDF/Connectivity", H5T_STD_I64LE, npoints, 0);
  make_dataset(w, "/VTKHDF/Offsets", H5T_STD_I64LE, place->nzones + place->nparts, 0);
  make_dataset(w, "/VTKHDF/Types", H5T_STD_U8LE, place->nzones, 0);
  make_group(w, "/VTKHDF/PointData");
  make_group(w, "/VTKHDF/CellData");
  make_group(w, "/VTKHDF/FieldData");
  make_fields(w, z, place->nzones, npoints);
  make_dataset(w, "/VTKHDF/FieldData/TimeValue", H5T_IEEE_F64LE, 1, 0);
  put_rows(w, "/VTKHDF/FieldData/TimeValue", H5T_NATIVE_DOUBLE, 0, 1, 0, &time);
}

bool vtkhdf_create(const char *path, const output_zones *zones, const vtkhdf_place *place, const output_run *run,
                   int64_t step, double time, char *reason, size_t size)
{
  writer w = {.good = true, .reason = reason, .size = size};
  listen(&w);
  w.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (worked(&w, w.file)) {
    make_grid(&w, zones, place, time);
    put_run(&w, run, step);
    worked(&w, H5Fclose(w.file));
  }
  silence(&w);
  return w.good;
}

/* The nodes stay in their own order; the ids of a cell put them into VTK's. */
static bool put_cells(writer *w, const output_zones *z, const vtkhdf_place *place)
{
  const int nodes = nodes_of(z);
  int *order = calloc((size_t)nodes, sizeof *order);
  int64_t *ids = malloc((size_t)(z->nzones * nodes + 1) * sizeof *ids);
  int64_t *offsets = malloc((size_t)(z->nzones + 1) * sizeof *offsets);
  unsigned char *types = malloc((size_t)z->nzones + 1);
  const bool enough = order && ids && offsets && types;
  if (enough) {
    vtkhdf_node_order(z->dim, z->order, order);
    for (int64_t e = 0; e <= z->nzones; ++e) offsets[e] = e * nodes;
    for (int64_t e = 0; e < z->nzones; ++e)
      for (int i = 0; i < nodes; ++i) ids[e * nodes + i] = e * nodes + order[i];
    memset(types, cell_type(z->dim, z->order), (size_t)z->nzones);
    put_rows(w, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, place->first_zone * nodes, z->nzones * nodes, 0, ids);
    put_rows(w, "/VTKHDF/Offsets", H5T_NATIVE_INT64, place->first_zone + place->part, z->nzones + 1, 0, offsets);
    put_rows(w, "/VTKHDF/Types", H5T_NATIVE_UCHAR, place->first_zone, z->nzones, 0, types);
  }
  free(order), free(ids), free(offsets), free(types);
  return enough;
}

static void put_fields(writer *w, const output_zones *z, const vtkhdf_place *place)
{
  char path[256];
  const int nodes = nodes_of(z);
  for (int f = 0; f < z->npoint_fields; ++f) {
    const output_point_field *field = &z->point_fields[f];
    field_path(path, sizeof path, "PointData", field->name);
    put_rows(w, path, H5T_NATIVE_DOUBLE, place->first_zone * nodes, z->nzones * nodes,
             field->ncomp > 1 ? field->ncomp : 0, field->data);
  }
  for (int f = 0; f < z->ncell_fields; ++f) {
    const output_cell_field *field = &z->cell_fields[f];
    field_path(path, sizeof path, "CellData", field->name);
    if (field->integer)
      put_rows(w, path, H5T_NATIVE_INT64, place->first_zone, z->nzones, 0, field->integer);
    else
      put_rows(w, path, H5T_NATIVE_DOUBLE, place->first_zone, z->nzones, 0, field->real);
  }
}

bool vtkhdf_append(const char *path, const output_zones *z, const vtkhdf_place *place, char *reason, size_t size)
{
  writer w = {.good = true, .reason = reason, .size = size};
  const int64_t npoints = z->nzones * nodes_of(z), count[3] = {npoints, z->nzones, npoints};
  bool enough = true;
  listen(&w);
  w.file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  if (worked(&w, w.file)) {
    for (int i = 0; i < 3; ++i) put_rows(&w, counts[i], H5T_NATIVE_INT64, place->part, 1, 0, &count[i]);
    put_rows(&w, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, place->first_zone * nodes_of(z), npoints, 3, z->points);
    enough = put_cells(&w, z, place);
    put_fields(&w, z, place);
    worked(&w, H5Fclose(w.file));
  }
  silence(&w);
  if (!enough) snprintf(reason, size, "out of memory");
  return w.good && enough;
}
