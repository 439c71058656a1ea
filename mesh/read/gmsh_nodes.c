/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "mesh/read/gmsh.h"

/* Counts and what follows them are separated by a line end that is not part of the raw data. */
static bool begin_raw(gmsh *g)
{
  return !g->binary || scan_line_end(g->s);
}

static bool add_entity(gmsh *g, gmsh_entity entity)
{
  if (g->nentities == g->entity_room) {
    int64_t room = 2 * g->entity_room + 16;
    gmsh_entity *more = realloc(g->entities, (size_t)room * sizeof *more);
    if (!more) return scan_fail_memory(g->s);
    g->entities = more;
    g->entity_room = room;
  }
  g->entities[g->nentities++] = entity;
  return true;
}

/* Tag, bounding box (of a point: its position), physical groups and (except for points) the entities around it. */
static bool read_entity(gmsh *g, int dim)
{
  int64_t tag, n, value;
  double x;
  gmsh_entity entity = {.dim = dim};
  if (!gmsh_int(g, "the tag of an entity", INT32_MIN, INT32_MAX, &tag)) return false;
  entity.tag = (int)tag;
  for (int i = 0; i < (dim == 0 ? 3 : 6); i++) {
    if (!gmsh_double(g, "a coordinate of an entity", &x)) return false;
  }
  if (!gmsh_size(g, "the number of physical groups of an entity", &n)) return false;
  for (int64_t i = 0; i < n; i++) {
    if (!gmsh_int(g, "the tag of a physical group", -INT32_MAX, INT32_MAX, &value)) return false;
    if (entity.ngroups++ == 0) entity.physical = abs((int)value);
  }
  if (dim > 0) {
    if (!gmsh_size(g, "the number of entities around an entity", &n)) return false;
    for (int64_t i = 0; i < n; i++) {
      if (!gmsh_int(g, "the tag of an entity", INT32_MIN, INT32_MAX, &value)) return false;
    }
  }
  return add_entity(g, entity);
}

bool gmsh_read_entities(gmsh *g)
{
  int64_t n[4];
  if (!begin_raw(g)) return false;
  for (int dim = 0; dim < 4; dim++) {
    if (!gmsh_size(g, "the number of entities", &n[dim])) return false;
  }
  for (int dim = 0; dim < 4; dim++) {
    for (int64_t i = 0; i < n[dim]; i++) {
      if (!read_entity(g, dim)) return false;
    }
  }
  return true;
}

static bool make_nodes(gmsh *g, size_t at, size_t bytes_each, int64_t n)
{
  if (n > INT32_MAX / 12) return scan_fail(g->s, at, "the number of nodes is %lld, too many", (long long)n);
  if (!scan_fits(g->s, at, "the number of nodes", bytes_each, n)) return false;
  g->nnodes = n;
  g->nodes = malloc(((size_t)n + 1) * sizeof *g->nodes);
  return g->nodes || scan_fail_memory(g->s);
}

static bool read_position(gmsh *g, gmsh_node *node)
{
  for (int i = 0; i < 3; i++) {
    if (!gmsh_double(g, "a coordinate", &node->x[i])) return false;
  }
  return true;
}

/* MSH 2.2: the number of nodes, then tag and position of each. */
static bool read_nodes_2(gmsh *g)
{
  int64_t n;
  scan_at_end(g->s); // to the number, whose place may be told
  size_t at = g->s->at;
  if (!scan_int(g->s, "the number of nodes", 0, INT32_MAX / 12, &n) || !begin_raw(g) ||
      !make_nodes(g, at, g->binary ? 28 : 8, n))
    return false;
  for (int64_t i = 0; i < n; i++) {
    if (!gmsh_int(g, "the tag of a node", 1, INT32_MAX, &g->nodes[i].tag) || !read_position(g, &g->nodes[i]))
      return false;
  }
  return true;
}

/* One block of MSH 4.1: its nodes' tags, then their positions, with dim more parameters where it is parametric. */
static bool read_block(gmsh *g, gmsh_node *nodes, int64_t most, int64_t *n)
{
  int64_t dim, tag, parametric;
  if (!g->binary) scan_at_end(g->s);
  size_t at = g->s->at;
  double parameter;
  if (!gmsh_int(g, "the dimension of a block", 0, 3, &dim) ||
      !gmsh_int(g, "the entity of a block", INT32_MIN, INT32_MAX, &tag) ||
      !gmsh_int(g, "whether a block is parametric", 0, 1, &parametric) ||
      !gmsh_size(g, "the number of nodes of a block", n))
    return false;
  if (*n > most)
    return scan_fail(g->s, at, "the blocks have more nodes than the %lld that $Nodes announces", (long long)g->nnodes);
  for (int64_t i = 0; i < *n; i++) {
    if (!gmsh_size(g, "the tag of a node", &nodes[i].tag)) return false;
  }
  for (int64_t i = 0; i < *n; i++) {
    if (!read_position(g, &nodes[i])) return false;
    for (int p = 0; p < dim * parametric; p++) {
      if (!gmsh_double(g, "a parameter of a node", &parameter)) return false;
    }
  }
  return true;
}

static bool read_nodes_4(gmsh *g)
{
  int64_t nblocks, n, lowest, highest, done = 0, block;
  if (!begin_raw(g)) return false;
  if (!g->binary) scan_at_end(g->s); // to the numbers, whose place may be told
  size_t at = g->s->at;
  if (!gmsh_size(g, "the number of blocks of nodes", &nblocks) || !gmsh_size(g, "the number of nodes", &n) ||
      !gmsh_size(g, "the lowest tag", &lowest) || !gmsh_size(g, "the highest tag", &highest) ||
      !make_nodes(g, at, g->binary ? 32 : 8, n))
    return false;
  for (int64_t b = 0; b < nblocks; b++, done += block) {
    if (!read_block(g, g->nodes + done, n - done, &block)) return false;
  }
  if (done == n) return true;
  return scan_fail(g->s, at, "$Nodes announces %lld nodes, but its blocks have %lld", (long long)n, (long long)done);
}

bool gmsh_read_nodes(gmsh *g)
{
  return g->version == 2 ? read_nodes_2(g) : read_nodes_4(g);
}
