/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MFEM mesh v1.0, v1.2 (which only adds an end mark) and v1.3 (which adds names of attributes), and the older
 * areamesh2.  Formats: mfem.org/mesh-formats.
 */
#include <stdio.h>
#include <string.h>

#include "mesh/read/draft.h"
#include "mesh/read/names.h"

/* MFEM's geometry of zones of a shape in one, two and three dimensions is [shape][dim]; that of their faces
 * [shape][dim - 1]. */
static const int geometry[2][4] = {[MESH_TENSOR] = {0, 1, 3, 5}, [MESH_SIMPLEX] = {0, 1, 2, 4}};
static const char *const supported[2][4] = {[MESH_TENSOR] = {"points", "segments", "quads", "hexes"},
                                            [MESH_SIMPLEX] = {"points", "segments", "triangles", "tetrahedra"}};
static const char *const geometry_name[] = {"point",       "segment", "triangle", "quad",
                                            "tetrahedron", "hex",     "prism",    "pyramid"};

enum { LARGEST_VERTEX = INT32_MAX - 1, BYTES_PER_WORD = 2 };

/* Tests whether it is the geometry of a zone of another shape than the mesh's first. */
static bool is_mixed(mesh_shape shape, int e, int64_t kind)
{
  return kind == geometry[shape == MESH_TENSOR ? MESH_SIMPLEX : MESH_TENSOR][e];
}

/* One line "attribute geometry vertices..." of a part of e dimensions. */
static bool read_element(scan *s, const char *what, mesh_shape shape, int e, int *attribute, int *corners, size_t *at)
{
  int64_t value, kind;
  int around[MESH_MAX_CORNERS];
  scan_at_end(s); // to the first word, whose place is the element's
  *at = s->at;
  if (!scan_int(s, "an attribute", 1, INT32_MAX, &value)) return false;
  *attribute = (int)value;
  if (!scan_int(s, "a geometry type", 0, 7, &kind)) return false;
  if (kind != geometry[shape][e])
    return scan_fail(s, *at, "this %s is a %s (geometry %d), which is not supported here: only %s (geometry %d)%s",
                     what, geometry_name[kind], (int)kind, supported[shape][e], geometry[shape][e],
                     is_mixed(shape, e, kind) ? ", as the first zone's shape is that of all" : "");
  const int n = mesh_shape_corners(shape, e);
  for (int i = 0; i < n; i++) {
    if (!scan_int(s, "a vertex number", 0, LARGEST_VERTEX, &value)) return false;
    around[i] = (int)value;
  }
  mesh_draft_set(corners, shape, n, around);
  return true;
}

/* The shape of the mesh's zones is that of the first. */
static bool find_shape(scan *s, mesh_coarse *c)
{
  const size_t at = s->at;
  int64_t attribute, kind;
  if (!scan_int(s, "an attribute", 1, INT32_MAX, &attribute) || !scan_int(s, "a geometry type", 0, 7, &kind))
    return false;
  if (c->dim > 1 && kind == geometry[MESH_SIMPLEX][c->dim]) c->shape = MESH_SIMPLEX;
  s->at = at;
  return true;
}

static bool read_zones(scan *s, mesh_draft *d)
{
  int64_t n;
  int dim = d->c->dim, attribute;
  if (!scan_expect(s, "elements") || !scan_count(s, "the number of elements", 3 * BYTES_PER_WORD, &n)) return false;
  if (n > 0 && !find_shape(s, d->c)) return false;
  if (!mesh_draft_make_zones(d, s, (int)n)) return false;
  for (int z = 0; z < n; z++) {
    if (!read_element(s, "zone", d->c->shape, dim, &attribute, mesh_coarse_zone(d->c, z), &d->zone_at[z])) return false;
  }
  return true;
}

static bool read_boundary(scan *s, mesh_draft *d)
{
  int64_t n;
  int e = d->c->dim - 1;
  if (!scan_expect(s, "boundary") || !scan_count(s, "the number of boundary faces", 3 * BYTES_PER_WORD, &n))
    return false;
  if (!mesh_draft_make_faces(d, s, (int)n)) return false;
  for (int f = 0; f < n; f++) {
    if (!read_element(s, "boundary face", d->c->shape, e, &d->c->attributes[f], mesh_coarse_face(d->c, f),
                      &d->face_at[f]))
      return false;
  }
  return true;
}

/* The attributes of a set, which is one of the known names' or (names: NULL) of no interest. */
static bool read_set(scan *s, mesh_names *names, int attribute)
{
  int64_t n, number;
  if (!scan_count(s, "the number of attributes of a set", BYTES_PER_WORD, &n)) return false;
  for (int64_t i = 0; i < n; i++) {
    if (!scan_int(s, "an attribute", 1, INT32_MAX, &number)) return false;
    if (names && !mesh_names_add(names, s, (int)number, attribute)) return false;
  }
  return true;
}

/* The number of sets, then name, number of attributes and attributes of each. */
static bool read_sets(scan *s, mesh_names *names)
{
  int64_t n;
  if (!scan_count(s, "the number of attribute sets", 2 * BYTES_PER_WORD, &n)) return false;
  for (int64_t i = 0; i < n; i++) {
    scan_word name;
    int attribute;
    if (!mesh_name_read(s, &name)) return false;
    const bool known = mesh_name_known(name, &attribute);
    if (!read_set(s, known ? names : NULL, attribute)) return false;
  }
  return true;
}

/* Boundary faces whose attribute is in a set named wall_x, wall_y, wall_z or free are that. */
static bool name_boundary(scan *s, mesh_draft *d)
{
  mesh_names names = {0};
  const size_t at = s->at;
  const bool ok = read_sets(s, &names) && mesh_names_sort(&names, s, at);
  for (int f = 0; ok && f < d->c->nfaces; f++) d->c->attributes[f] = mesh_names_find(&names, d->c->attributes[f]);
  mesh_names_destroy(&names);
  return ok;
}

static bool read_coordinates(scan *s, mesh_coarse *c)
{
  const int64_t n = (int64_t)c->nvertices * c->dim;
  for (int64_t i = 0; i < n; i++)
    if (!scan_number(s, "a coordinate", &c->vertices[i])) return false;
  return true;
}

static bool read_vertices(scan *s, mesh_draft *d)
{
  int64_t n, vdim;
  if (!scan_expect(s, "vertices") || !scan_count(s, "the number of vertices", BYTES_PER_WORD * (size_t)d->c->dim, &n) ||
      !mesh_draft_make_vertices(d, s, (int)n))
    return false;
  if (scan_accept(s, "nodes")) return mesh_read_mfem_nodes(s, d);
  return scan_int(s, "the number of coordinates (it must be the dimension of the mesh)", d->c->dim, d->c->dim, &vdim) &&
         read_coordinates(s, d->c);
}

static bool read_end(scan *s)
{
  scan_word word;
  if (scan_at_end(s)) return true;
  return scan_next(s, "the end", &word) &&
         scan_fail(s, word.at, "'%s' stands where the file should end", scan_quoted(word).text);
}

/* The first line, "MFEM mesh v1.0", of which the first word has been read. */
static bool read_version(scan *s)
{
  scan_word word;
  if (!scan_next(s, "'mesh'", &word)) return false;
  if (!scan_is(word, "mesh"))
    return scan_fail(s, word.at, "this is an MFEM %s mesh; only MFEM mesh v1.0, v1.2 and v1.3 can be read",
                     scan_quoted(word).text);
  if (!scan_next(s, "the version v1.0", &word)) return false;
  if (scan_is(word, "v1.0") || scan_is(word, "v1.2") || scan_is(word, "v1.3")) return true;
  return scan_fail(s, word.at, "this is MFEM mesh %s; only MFEM mesh v1.0, v1.2 and v1.3 can be read",
                   scan_quoted(word).text);
}

bool mesh_read_mfem(scan *s, mesh_draft *d)
{
  int64_t dim;
  s->comment = '#';
  if (!read_version(s) || !scan_expect(s, "dimension") || !scan_int(s, "the dimension", 1, 3, &dim)) return false;
  if (!mesh_draft_create(d, s, MESH_TENSOR, (int)dim)) return false;
  if (!read_zones(s, d) || (scan_accept(s, "attribute_sets") && !read_sets(s, NULL))) return false;
  if (!read_boundary(s, d) || (scan_accept(s, "bdr_attribute_sets") && !name_boundary(s, d))) return false;
  if (!read_vertices(s, d)) return false;
  scan_accept(s, "mfem_mesh_end");
  return read_end(s);
}

static bool read_old_vertices(scan *s, int n, int *v)
{
  for (int i = 0; i < n; i++) {
    int64_t value;
    if (!scan_int(s, "a vertex number", 1, LARGEST_VERTEX, &value)) return false;
    v[i] = (int)value - 1;
  }
  return true;
}

static bool read_old_boundary(scan *s, mesh_draft *d)
{
  int64_t n, attribute;
  if (!scan_count(s, "the number of boundary segments", 3 * BYTES_PER_WORD, &n)) return false;
  if (!mesh_draft_make_faces(d, s, (int)n)) return false;
  for (int f = 0; f < n; f++) {
    scan_at_end(s);
    d->face_at[f] = s->at;
    if (!scan_int(s, "an attribute", 1, INT32_MAX, &attribute)) return false;
    d->c->attributes[f] = (int)attribute;
    if (!read_old_vertices(s, 2, d->c->faces + 2 * (int64_t)f)) return false;
  }
  return true;
}

static bool read_old_zones(scan *s, mesh_draft *d)
{
  int64_t n, attribute, ncorners;
  if (!scan_count(s, "the number of elements", 6 * BYTES_PER_WORD, &n)) return false;
  for (int z = 0; z < n; z++) {
    int around[4];
    scan_at_end(s);
    const size_t at = s->at;
    if (!scan_int(s, "an attribute", 1, INT32_MAX, &attribute) || !scan_int(s, "a number of corners", 3, 4, &ncorners))
      return false;
    if (z == 0) {
      d->c->shape = ncorners == 3 ? MESH_SIMPLEX : MESH_TENSOR;
      if (!mesh_draft_make_zones(d, s, (int)n)) return false;
    }
    d->zone_at[z] = at;
    if (ncorners != mesh_coarse_corners(d->c))
      return scan_fail(s, at,
                       "this zone is a %s, which is not supported here: only %s, as the first zone's shape is "
                       "that of all",
                       ncorners == 3 ? "triangle" : "quad", supported[d->c->shape][2]);
    if (!read_old_vertices(s, (int)ncorners, around)) return false;
    mesh_draft_set(mesh_coarse_zone(d->c, z), d->c->shape, (int)ncorners, around);
  }
  return true;
}

/* areamesh2: boundary segments, zones, vertices, each with a count before; vertices count from 1. */
bool mesh_read_netgen(scan *s, mesh_draft *d)
{
  int64_t n;
  if (!mesh_draft_create(d, s, MESH_TENSOR, 2)) return false;
  d->first_vertex = 1;
  return read_old_boundary(s, d) && read_old_zones(s, d) &&
         scan_count(s, "the number of vertices", 2 * BYTES_PER_WORD, &n) && mesh_draft_make_vertices(d, s, (int)n) &&
         read_coordinates(s, d->c) && read_end(s);
}
