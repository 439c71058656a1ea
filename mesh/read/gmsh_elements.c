/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "mesh/read/gmsh.h"

typedef struct element_type {
  int type, dim, nnodes;
  bool supported;
  mesh_shape shape;
  const char *name;
} element_type;

static const element_type element_types[] = {
  {1, 1, 2, true, MESH_TENSOR, "segment"},
  {2, 2, 3, true, MESH_SIMPLEX, "triangle"},
  {3, 2, 4, true, MESH_TENSOR, "quad"},
  {4, 3, 4, true, MESH_SIMPLEX, "tetrahedron"},
  {5, 3, 8, true, MESH_TENSOR, "hex"},
  {6, 3, 6, false, MESH_TENSOR, "prism"},
  {7, 3, 5, false, MESH_TENSOR, "pyramid"},
  {8, 1, 3, false, MESH_TENSOR, "segment of order 2"},
  {9, 2, 6, false, MESH_TENSOR, "triangle of order 2"},
  {10, 2, 9, false, MESH_TENSOR, "quad of order 2"},
  {11, 3, 10, false, MESH_TENSOR, "tetrahedron of order 2"},
  {12, 3, 27, false, MESH_TENSOR, "hex of order 2"},
  {13, 3, 18, false, MESH_TENSOR, "prism of order 2"},
  {14, 3, 14, false, MESH_TENSOR, "pyramid of order 2"},
  {15, 0, 1, true, MESH_TENSOR, "point"},
  {16, 2, 8, false, MESH_TENSOR, "quad of order 2"},
  {17, 3, 20, false, MESH_TENSOR, "hex of order 2"},
  {18, 3, 15, false, MESH_TENSOR, "prism of order 2"},
  {19, 3, 13, false, MESH_TENSOR, "pyramid of order 2"},
  {20, 2, 9, false, MESH_TENSOR, "triangle of order 3"},
  {21, 2, 10, false, MESH_TENSOR, "triangle of order 3"},
  {26, 1, 4, false, MESH_TENSOR, "segment of order 3"},
  {27, 1, 5, false, MESH_TENSOR, "segment of order 4"},
  {29, 3, 20, false, MESH_TENSOR, "tetrahedron of order 3"},
  {36, 2, 16, false, MESH_TENSOR, "quad of order 3"},
  {37, 2, 25, false, MESH_TENSOR, "quad of order 4"},
  {92, 3, 64, false, MESH_TENSOR, "hex of order 3"},
  {93, 3, 125, false, MESH_TENSOR, "hex of order 4"},
};

static const element_type *find_type(int64_t type)
{
  for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++) {
    if (element_types[i].type == type) return &element_types[i];
  }
  return NULL;
}

static bool read_type(gmsh *g, const element_type **type)
{
  int64_t number;
  if (!g->binary) scan_at_end(g->s);
  size_t at = g->s->at;
  if (!gmsh_int(g, "an element type", 1, INT32_MAX, &number)) return false;
  *type = find_type(number);
  return *type || scan_fail(g->s, at,
                            "element type %d is not supported: only segments (1), triangles (2), quads (3), tetrahedra "
                            "(4) and hexes (5)",
                            (int)number);
}

static bool add_element(gmsh *g, gmsh_list *list, gmsh_element element)
{
  if (list->n >= INT32_MAX / 16) return scan_fail(g->s, element.at, "there are too many elements");
  if (list->n == list->room) {
    int64_t room = 2 * list->room + 16;
    gmsh_element *more = realloc(list->items, (size_t)room * sizeof *more);
    if (!more) return scan_fail_memory(g->s);
    list->items = more;
    list->room = room;
  }
  list->items[list->n++] = element;
  return true;
}

/* The nodes of one element.  Tags of nodes are 4-byte in MSH 2.2. */
static bool read_element(gmsh *g, const element_type *type, int group, size_t at)
{
  gmsh_list *list = &g->elements[type->dim];
  gmsh_element element = {.at = at, .shape = type->shape, .group = group};
  for (int i = 0; i < type->nnodes; i++) {
    int64_t tag;
    bool ok =
      g->version == 2 ? gmsh_int(g, "the tag of a node", 1, INT32_MAX, &tag) : gmsh_size(g, "the tag of a node", &tag);
    if (!ok) return false;
    if (i < MESH_MAX_CORNERS) element.nodes[i] = tag;
  }
  if (type->supported) return add_element(g, list, element);
  if (!list->unsupported) list->unsupported = type->name, list->unsupported_at = at;
  return true;
}

/* The first of an element's tags in MSH 2.2 is its physical group. */
static bool read_tags(gmsh *g, int64_t ntags, int *group)
{
  *group = 0;
  for (int64_t i = 0; i < ntags; i++) {
    int64_t tag;
    if (!gmsh_int(g, "a tag of an element", -INT32_MAX, INT32_MAX, &tag)) return false;
    if (i == 0) *group = abs((int)tag);
  }
  return true;
}

static bool read_line_2(gmsh *g)
{
  const element_type *type;
  int64_t number, ntags;
  int group;
  scan_at_end(g->s); // to the first word, whose place is the element's
  size_t at = g->s->at;
  return gmsh_int(g, "the tag of an element", 0, INT32_MAX, &number) && read_type(g, &type) &&
         gmsh_int(g, "the number of tags", 0, INT32_MAX, &ntags) && read_tags(g, ntags, &group) &&
         read_element(g, type, group, at);
}

/* MSH 2.2 binary: type, number and number of tags of some elements, then those. */
static bool read_raw_block_2(gmsh *g, int64_t most, int64_t *n)
{
  const element_type *type;
  int64_t number, ntags;
  int group;
  if (!read_type(g, &type) || !gmsh_int(g, "the number of elements of a block", 1, most, n) ||
      !gmsh_int(g, "the number of tags", 0, INT32_MAX, &ntags))
    return false;
  for (int64_t i = 0; i < *n; i++) {
    size_t at = g->s->at;
    if (!gmsh_int(g, "the tag of an element", 0, INT32_MAX, &number) || !read_tags(g, ntags, &group) ||
        !read_element(g, type, group, at))
      return false;
  }
  return true;
}

static bool read_elements_2(gmsh *g)
{
  int64_t n, done = 0, block = 1;
  if (!scan_count(g->s, "the number of elements", 8, &n) || (g->binary && !scan_line_end(g->s))) return false;
  for (; done < n; done += block) {
    if (!(g->binary ? read_raw_block_2(g, n - done, &block) : read_line_2(g))) return false;
  }
  return true;
}

static bool read_block_4(gmsh *g, int64_t *n)
{
  const element_type *type;
  int64_t dim, entity, number;
  if (!gmsh_int(g, "the dimension of a block", 0, 3, &dim) ||
      !gmsh_int(g, "the entity of a block", INT32_MIN, INT32_MAX, &entity) || !read_type(g, &type) ||
      !gmsh_size(g, "the number of elements of a block", n))
    return false;
  for (int64_t i = 0; i < *n; i++) {
    if (!g->binary) scan_at_end(g->s);
    size_t at = g->s->at;
    if (!gmsh_size(g, "the tag of an element", &number) || !read_element(g, type, (int)entity, at)) return false;
  }
  return true;
}

static bool read_elements_4(gmsh *g)
{
  int64_t nblocks, n, lowest, highest, done = 0, block;
  if (g->binary && !scan_line_end(g->s)) return false;
  if (!g->binary) scan_at_end(g->s);
  size_t at = g->s->at;
  if (!gmsh_size(g, "the number of blocks of elements", &nblocks) || !gmsh_size(g, "the number of elements", &n) ||
      !gmsh_size(g, "the lowest tag", &lowest) || !gmsh_size(g, "the highest tag", &highest))
    return false;
  for (int64_t b = 0; b < nblocks; b++, done += block) {
    if (!read_block_4(g, &block)) return false;
  }
  if (done == n) return true;
  return scan_fail(g->s, at, "$Elements announces %lld elements, but its blocks have %lld", (long long)n,
                   (long long)done);
}

bool gmsh_read_elements(gmsh *g)
{
  g->elements_read = true;
  return g->version == 2 ? read_elements_2(g) : read_elements_4(g);
}
