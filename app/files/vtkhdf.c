/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing VTKHDF.  What readers insist on: Type is an ASCII string of fixed length; Types are bytes; ids are signed;
 * ids count from 0 in every part; every part has one more offset than cells; nothing in FieldData is a scalar or a
 * string.
 */
#include "app/files/vtkhdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/files/hdf.h"

/* -- Cells */

static int nodes_of(const output_zones *z)
{
  return mesh_nodes_in_zone(z->shape, z->dim, z->order);
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

void vtkhdf_node_order(mesh_shape shape, int dim, int order, int *node)
{
  const int n = order + 1;
  if (shape == MESH_SIMPLEX) return vtkhdf_simplex_order(dim, order, node);
  for (int k = 0; k < (dim > 2 ? n : 1); ++k)
    for (int j = 0; j < (dim > 1 ? n : 1); ++j)
      for (int i = 0; i < n; ++i) {
        const int number = dim == 1   ? segment_number(order, i)
                           : dim == 2 ? quad_number(order, i, j)
                                      : hex_number(order, i, j, k);
        node[number] = i + n * (j + n * k);
      }
}

static unsigned char cell_type(mesh_shape shape, int dim, int order)
{
  enum { LINE = 3, TRIANGLE = 5, QUAD = 9, TETRA = 10, HEXAHEDRON = 12, LAGRANGE_CURVE = 68 };
  enum { LAGRANGE_TRIANGLE = 69, LAGRANGE_QUAD, LAGRANGE_TETRAHEDRON, LAGRANGE_HEXAHEDRON };
  static const unsigned char straight[2][4] = {{0, LINE, QUAD, HEXAHEDRON}, {0, LINE, TRIANGLE, TETRA}};
  static const unsigned char curved[2][4] = {{0, LAGRANGE_CURVE, LAGRANGE_QUAD, LAGRANGE_HEXAHEDRON},
                                             {0, LAGRANGE_CURVE, LAGRANGE_TRIANGLE, LAGRANGE_TETRAHEDRON}};
  return (order == 1 ? straight : curved)[shape][dim];
}

/* -- The file */

static const char *const counts[3] = {"/VTKHDF/NumberOfPoints", "/VTKHDF/NumberOfCells",
                                      "/VTKHDF/NumberOfConnectivityIds"};

/* A file while it is made: of room for its parts, or of other files. */
typedef struct layout {
  hdf_file w;
  const output_zones *zones;
  int n; // files that it is made of; 0: none
  const vtkhdf_source *sources;
  hdf_source *rows; // owned, [n]
  int nparts;
  int64_t nzones;
} layout;

/* Unit of a dataset's rows. */
typedef enum row_of { A_PART, A_ZONE, A_POINT, AN_OFFSET } row_of;

static int64_t rows_of(const layout *l, row_of what, int nparts, int64_t nzones)
{
  switch (what) {
  case A_PART: return nparts;
  case A_ZONE: return nzones;
  case A_POINT: return nzones * nodes_of(l->zones);
  default: return nzones + nparts;
  }
}

static void make_dataset(layout *l, const char *path, hid_t type, row_of what, int columns)
{
  if (l->n == 0) {
    hdf_make_dataset(&l->w, path, type, rows_of(l, what, l->nparts, l->nzones), columns);
    return;
  }
  for (int i = 0; i < l->n; i++)
    l->rows[i] = (hdf_source){l->sources[i].name, rows_of(l, what, l->sources[i].nparts, l->sources[i].nzones)};
  hdf_make_virtual(&l->w, path, type, columns, l->n, l->rows);
}

static void field_path(char *path, size_t size, const char *group, const char *name)
{
  snprintf(path, size, "/VTKHDF/%s/%s", group, name);
}

static void make_fields(layout *l)
{
  char path[256];
  const output_zones *z = l->zones;
  for (int f = 0; f < z->npoint_fields; ++f) {
    const int ncomp = z->point_fields[f].ncomp;
    field_path(path, sizeof path, "PointData", z->point_fields[f].name);
    make_dataset(l, path, H5T_IEEE_F64LE, A_POINT, ncomp > 1 ? ncomp : 0);
  }
  for (int f = 0; f < z->ncell_fields; ++f) {
    field_path(path, sizeof path, "CellData", z->cell_fields[f].name);
    make_dataset(l, path, z->cell_fields[f].integer ? H5T_STD_I64LE : H5T_IEEE_F64LE, A_ZONE, 0);
  }
}

static void put_run(hdf_file *w, const output_run *run, int64_t step)
{
  hdf_make_group(w, "/run"); // readers of VTKHDF look at nothing outside /VTKHDF
  hdf_put_text(w, NULL, "/run/deck", run->deck);
  hdf_put_text(w, "/run", "version", run->version);
  hdf_put_text(w, "/run", "git", run->git);
  hdf_put_integers(w, "/run", "step", 1, &step);
}

static void make_grid(layout *l, double time)
{
  const int64_t version[2] = {1, 0};
  hdf_file *w = &l->w;
  hdf_make_group(w, "/VTKHDF");
  hdf_put_integers(w, "/VTKHDF", "Version", 2, version);
  hdf_put_text(w, "/VTKHDF", "Type", "UnstructuredGrid");
  for (int i = 0; i < 3; ++i) make_dataset(l, counts[i], H5T_STD_I64LE, A_PART, 0);
  make_dataset(l, "/VTKHDF/Points", H5T_IEEE_F64LE, A_POINT, 3);
  make_dataset(l, "/VTKHDF/Connectivity", H5T_STD_I64LE, A_POINT, 0);
  make_dataset(l, "/VTKHDF/Offsets", H5T_STD_I64LE, AN_OFFSET, 0);
  make_dataset(l, "/VTKHDF/Types", H5T_STD_U8LE, A_ZONE, 0);
  hdf_make_group(w, "/VTKHDF/PointData");
  hdf_make_group(w, "/VTKHDF/CellData");
  hdf_make_group(w, "/VTKHDF/FieldData");
  make_fields(l);
  hdf_make_dataset(w, "/VTKHDF/FieldData/TimeValue", H5T_IEEE_F64LE, 1, 0);
  hdf_put_rows(w, "/VTKHDF/FieldData/TimeValue", H5T_NATIVE_DOUBLE, 0, 1, 0, &time);
}

static bool create(layout *l, const char *path, const output_run *run, int64_t step, double time, char *reason,
                   size_t size)
{
  if (hdf_open(&l->w, path, HDF_CREATE, reason, size)) {
    make_grid(l, time);
    put_run(&l->w, run, step);
  }
  return hdf_close(&l->w);
}

bool vtkhdf_create(const char *path, const output_zones *zones, const vtkhdf_place *place, const output_run *run,
                   int64_t step, double time, char *reason, size_t size)
{
  layout l = {.zones = zones, .nparts = place->nparts, .nzones = place->nzones};
  return create(&l, path, run, step, time, reason, size);
}

bool vtkhdf_create_of(const char *path, const output_zones *zones, int n, const vtkhdf_source *sources,
                      const output_run *run, int64_t step, double time, char *reason, size_t size)
{
  layout l = {.zones = zones, .n = n, .sources = sources, .rows = malloc((size_t)n * sizeof *l.rows)};
  const bool good = l.rows && create(&l, path, run, step, time, reason, size);
  if (!l.rows) snprintf(reason, size, "out of memory");
  free(l.rows);
  return good;
}

/* The nodes stay in their own order; the ids of a cell put them into VTK's. */
static bool put_cells(hdf_file *w, const output_zones *z, const vtkhdf_place *place)
{
  const int nodes = nodes_of(z);
  int *order = calloc((size_t)nodes, sizeof *order);
  int64_t *ids = malloc((size_t)(z->nzones * nodes + 1) * sizeof *ids);
  int64_t *offsets = malloc((size_t)(z->nzones + 1) * sizeof *offsets);
  unsigned char *types = malloc((size_t)z->nzones + 1);
  const bool enough = order && ids && offsets && types;
  if (enough) {
    vtkhdf_node_order(z->shape, z->dim, z->order, order);
    for (int64_t e = 0; e <= z->nzones; ++e) offsets[e] = e * nodes;
    for (int64_t e = 0; e < z->nzones; ++e)
      for (int i = 0; i < nodes; ++i) ids[e * nodes + i] = e * nodes + order[i];
    memset(types, cell_type(z->shape, z->dim, z->order), (size_t)z->nzones);
    hdf_put_rows(w, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, place->first_zone * nodes, z->nzones * nodes, 0, ids);
    hdf_put_rows(w, "/VTKHDF/Offsets", H5T_NATIVE_INT64, place->first_zone + place->part, z->nzones + 1, 0, offsets);
    hdf_put_rows(w, "/VTKHDF/Types", H5T_NATIVE_UCHAR, place->first_zone, z->nzones, 0, types);
  }
  free(order), free(ids), free(offsets), free(types);
  return enough;
}

static void put_fields(hdf_file *w, const output_zones *z, const vtkhdf_place *place)
{
  char path[256];
  const int nodes = nodes_of(z);
  for (int f = 0; f < z->npoint_fields; ++f) {
    const output_point_field *field = &z->point_fields[f];
    field_path(path, sizeof path, "PointData", field->name);
    hdf_put_rows(w, path, H5T_NATIVE_DOUBLE, place->first_zone * nodes, z->nzones * nodes,
                 field->ncomp > 1 ? field->ncomp : 0, field->data);
  }
  for (int f = 0; f < z->ncell_fields; ++f) {
    const output_cell_field *field = &z->cell_fields[f];
    field_path(path, sizeof path, "CellData", field->name);
    if (field->integer)
      hdf_put_rows(w, path, H5T_NATIVE_INT64, place->first_zone, z->nzones, 0, field->integer);
    else
      hdf_put_rows(w, path, H5T_NATIVE_DOUBLE, place->first_zone, z->nzones, 0, field->real);
  }
}

bool vtkhdf_append(const char *path, bool shared, const output_zones *z, const vtkhdf_place *place, char *reason,
                   size_t size)
{
  const int64_t npoints = z->nzones * nodes_of(z), count[3] = {npoints, z->nzones, npoints};
  bool enough = true;
  hdf_file w;
  if (hdf_open(&w, path, shared ? HDF_SHARE : HDF_CHANGE, reason, size)) {
    for (int i = 0; i < 3; ++i) hdf_put_rows(&w, counts[i], H5T_NATIVE_INT64, place->part, 1, 0, &count[i]);
    hdf_put_rows(&w, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, place->first_zone * nodes_of(z), npoints, 3, z->points);
    enough = put_cells(&w, z, place);
    put_fields(&w, z, place);
  }
  const bool good = hdf_close(&w);
  if (!enough) snprintf(reason, size, "out of memory");
  return good && enough;
}
