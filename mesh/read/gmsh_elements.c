/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "mesh/read/gmsh.h"

typedef struct element_type {
  int type, dim, nnodes;
  int order; // 0: not supported
  mesh_shape shape;
  const char *name;
} element_type;

static const element_type element_types[] = {
  {1, 1, 2, 1, MESH_TENSOR, "segment"},
  {2, 2, 3, 1, MESH_SIMPLEX, "triangle"},
  {3, 2, 4, 1, MESH_TENSOR, "quad"},
  {4, 3, 4, 1, MESH_SIMPLEX, "tetrahedron"},
  {5, 3, 8, 1, MESH_TENSOR, "hex"},
  {6, 3, 6, 0, MESH_TENSOR, "prism"},
  {7, 3, 5, 0, MESH_TENSOR, "pyramid"},
  {8, 1, 3, 2, MESH_TENSOR, "segment"},
  {9, 2, 6, 2, MESH_SIMPLEX, "triangle"},
  {10, 2, 9, 2, MESH_TENSOR, "quad"},
  {11, 3, 10, 2, MESH_SIMPLEX, "tetrahedron"},
  {12, 3, 27, 2, MESH_TENSOR, "hex"},
  {13, 3, 18, 0, MESH_TENSOR, "prism of order 2"},
  {14, 3, 14, 0, MESH_TENSOR, "pyramid of order 2"},
  {15, 0, 1, 1, MESH_TENSOR, "point"},
  {16, 2, 8, 0, MESH_TENSOR, "serendipity quad of order 2"},
  {17, 3, 20, 0, MESH_TENSOR, "serendipity hex of order 2"},
  {18, 3, 15, 0, MESH_TENSOR, "serendipity prism of order 2"},
  {19, 3, 13, 0, MESH_TENSOR, "serendipity pyramid of order 2"},
  {20, 2, 9, 0, MESH_TENSOR, "serendipity triangle of order 3"},
  {21, 2, 10, 3, MESH_SIMPLEX, "triangle"},
  {22, 2, 12, 0, MESH_TENSOR, "serendipity triangle of order 4"},
  {23, 2, 15, 4, MESH_SIMPLEX, "triangle"},
  {24, 2, 15, 0, MESH_TENSOR, "serendipity triangle of order 5"},
  {25, 2, 21, 5, MESH_SIMPLEX, "triangle"},
  {26, 1, 4, 3, MESH_TENSOR, "segment"},
  {27, 1, 5, 4, MESH_TENSOR, "segment"},
  {28, 1, 6, 5, MESH_TENSOR, "segment"},
  {29, 3, 20, 3, MESH_SIMPLEX, "tetrahedron"},
  {30, 3, 35, 4, MESH_SIMPLEX, "tetrahedron"},
  {31, 3, 56, 5, MESH_SIMPLEX, "tetrahedron"},
  {36, 2, 16, 3, MESH_TENSOR, "quad"},
  {37, 2, 25, 4, MESH_TENSOR, "quad"},
  {38, 2, 36, 5, MESH_TENSOR, "quad"},
  {92, 3, 64, 3, MESH_TENSOR, "hex"},
  {93, 3, 125, 4, MESH_TENSOR, "hex"},
  {94, 3, 216, 5, MESH_TENSOR, "hex"},
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
  return *type ||
         scan_fail(g->s, at,
                   "element type %d is not supported: only segments, triangles, quads, tetrahedra and hexes of "
                   "orders 1 to 5 that have all their nodes",
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

static bool add_tag(gmsh *g, gmsh_list *list, int64_t tag)
{
  if (list->ntags == list->tag_room) {
    const int64_t room = 2 * list->tag_room + 64;
    int64_t *more = realloc(list->tags, (size_t)room * sizeof *more);
    if (!more) return scan_fail_memory(g->s);
    list->tags = more;
    list->tag_room = room;
  }
  list->tags[list->ntags++] = tag;
  return true;
}

/* The nodes of one element, its corners first.  Tags of nodes are 4-byte in MSH 2.2. */
static bool read_element(gmsh *g, const element_type *type, int group, size_t at)
{
  gmsh_list *list = &g->elements[type->dim];
  gmsh_element element = {.at = at, .first = list->ntags, .shape = type->shape, .order = type->order, .group = group};
  const int ncorners = mesh_shape_corners(type->shape, type->dim);
  for (int i = 0; i < type->nnodes; i++) {
    int64_t tag;
    bool ok =
      g->version == 2 ? gmsh_int(g, "the tag of a node", 1, INT32_MAX, &tag) : gmsh_size(g, "the tag of a node", &tag);
    if (!ok) return false;
    if (i < ncorners)
      element.nodes[i] = tag;
    else if (type->order > 1 && !add_tag(g, list, tag))
      return false;
  }
  if (type->order > 0) return add_element(g, list, element);
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
