/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "mesh/read/gmsh.h"

static int compare_nodes(const void *a, const void *b)
{
  const gmsh_node *x = a, *y = b;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static int compare_entities(const void *a, const void *b)
{
  const gmsh_entity *x = a, *y = b;
  if (x->dim != y->dim) return x->dim - y->dim;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static bool sort_nodes(gmsh *g)
{
  if (!g->nodes) return scan_fail(g->s, g->s->length, "the file has no $Nodes");
  qsort(g->nodes, (size_t)g->nnodes, sizeof *g->nodes, compare_nodes);
  for (int64_t i = 1; i < g->nnodes; i++) {
    if (g->nodes[i].tag == g->nodes[i - 1].tag)
      return scan_fail(g->s, g->s->length, "two nodes have the tag %lld", (long long)g->nodes[i].tag);
  }
  return true;
}

/* The dimension of the mesh is that of its highest elements; lower than those of their faces don't matter. */
static bool find_dim(gmsh *g, int *dim)
{
  *dim = 3;
  while (*dim > 0 && !g->elements[*dim].n && !g->elements[*dim].unsupported) --*dim;
  if (*dim == 0)
    return scan_fail(g->s, g->s->length, "the file has no segments, triangles, quads, tetrahedra or hexes");
  for (int e = *dim; e >= *dim - 1; e--) {
    const gmsh_list *list = &g->elements[e];
    if (list->unsupported)
      return scan_fail(
        g->s, list->unsupported_at,
        "this is a %s, which is not supported: only segments, triangles, quads, tetrahedra and hexes that have all "
        "nodes of their order",
        list->unsupported);
  }
  return true;
}

/* Name of a zone of d dimensions, 0 to 3. */
static const char *name_of(mesh_shape shape, int d)
{
  static const char *const names[2][4] = {[MESH_TENSOR] = {"point", "segment", "quad", "hex"},
                                          [MESH_SIMPLEX] = {"point", "segment", "triangle", "tetrahedron"}};
  return names[shape][d];
}

/* NULL, with a sentence: there is none. */
static const gmsh_node *find_node(gmsh *g, const gmsh_element *element, int64_t tag)
{
  const gmsh_node key = {.tag = tag};
  const gmsh_node *node = bsearch(&key, g->nodes, (size_t)g->nnodes, sizeof key, compare_nodes);
  if (!node) scan_fail(g->s, element->at, "this element names node %lld, which is not in $Nodes", (long long)tag);
  return node;
}

static bool check_order(gmsh *g, const gmsh_element *element, int order)
{
  return element->order == order ||
         scan_fail(g->s, element->at,
                   "this element is of order %d, where the first zone is of order %d: they must be the same",
                   element->order, order);
}

/* Elements of e dimensions of a mesh of this shape. */
static bool set_corners(gmsh *g, mesh_shape shape, int e, const gmsh_element *element, int *corners)
{
  const int ncorners = mesh_shape_corners(shape, e);
  int around[MESH_MAX_CORNERS];
  if (e > 1 && element->shape != shape)
    return scan_fail(g->s, element->at,
                     "this is a %s, where the first zone asks for a %s: zones of several shapes are "
                     "not supported",
                     name_of(element->shape, e), name_of(shape, e));
  for (int i = 0; i < ncorners; i++) {
    const gmsh_node *node = find_node(g, element, element->nodes[i]);
    if (!node) return false;
    around[i] = (int)(node - g->nodes);
  }
  mesh_draft_set(corners, shape, ncorners, around);
  return true;
}

static bool make_zones(gmsh *g, mesh_draft *d)
{
  int dim = d->c->dim;
  const gmsh_list *list = &g->elements[dim];
  if (!mesh_draft_make_zones(d, g->s, (int)list->n)) return false;
  for (int64_t z = 0; z < list->n; z++) {
    d->zone_at[z] = list->items[z].at;
    if (!check_order(g, &list->items[z], list->items[0].order)) return false;
    if (!set_corners(g, d->c->shape, dim, &list->items[z], mesh_coarse_zone(d->c, z))) return false;
  }
  return true;
}

/* Number of the physical group that a boundary face is in; 0: it is in none. */
static bool find_group(gmsh *g, int dim, const gmsh_element *element, int *group)
{
  *group = g->version == 2 ? element->group : 0;
  if (g->version == 2) return true;
  if (g->nentities == 0) return true;
  gmsh_entity key = {.dim = dim, .tag = element->group};
  const gmsh_entity *entity = bsearch(&key, g->entities, (size_t)g->nentities, sizeof key, compare_entities);
  if (!entity)
    return scan_fail(g->s, element->at, "this element is on entity %d of dimension %d, which is not in $Entities",
                     key.tag, dim);
  if (entity->ngroups > 1)
    return scan_fail(g->s, element->at, "this boundary face is in %d physical groups; it may be in one",
                     entity->ngroups);
  *group = entity->physical;
  return true;
}

/* Only elements in a physical group are boundary faces: others only draw the geometry.  The group's name says what a
 * face is; its number where the name is none of those known. */
static bool make_faces(gmsh *g, mesh_draft *d)
{
  int e = d->c->dim - 1, n = 0;
  const gmsh_list *list = &g->elements[e];
  if (!mesh_draft_make_faces(d, g->s, (int)list->n)) return false;
  if (g->nentities) qsort(g->entities, (size_t)g->nentities, sizeof *g->entities, compare_entities);
  for (int64_t f = 0; f < list->n; f++) {
    int group;
    if (!find_group(g, e, &list->items[f], &group)) return false;
    if (group == 0) continue;
    if (e > 0 && !check_order(g, &list->items[f], g->elements[d->c->dim].items[0].order)) return false;
    d->c->attributes[n] = mesh_names_find(&g->names[e], group);
    d->face_at[n] = list->items[f].at;
    if (!set_corners(g, d->c->shape, e, &list->items[f], mesh_coarse_face(d->c, n))) return false;
    n++;
  }
  d->c->nfaces = n;
  return true;
}

/* Gmsh's nodes have three coordinates; those beyond the dimension of the mesh must be the same for all zones. */
static bool check_plane(gmsh *g, const mesh_draft *d, int zone, const double *x)
{
  const double *first = g->nodes[d->c->zones[0]].x;
  for (int axis = d->c->dim; axis < 3; axis++) {
    if (x[axis] != first[axis])
      return scan_fail(g->s, d->zone_at[zone], "this zone leaves the %s of a %d-dimensional mesh: its %c is %g, not %g",
                       d->c->dim == 1 ? "line" : "plane", d->c->dim, "xyz"[axis], x[axis], first[axis]);
  }
  return true;
}

/* Zones above order 1 are curved: their nodes, on the lattice. */
static bool make_curve(gmsh *g, mesh_draft *d)
{
  mesh_coarse *c = d->c;
  const gmsh_list *list = &g->elements[c->dim];
  const int order = list->items[0].order, ncorners = mesh_coarse_corners(c);
  const int each = mesh_nodes_in_zone(c->shape, c->dim, order);
  int place[GMSH_MAX_NODES];
  if (order == 1) return true;
  c->curve = mesh_curve_allocate(c->shape, c->dim, c->nzones, order, MESH_EQUISPACED);
  if (!c->curve) return scan_fail_memory(g->s);
  gmsh_order(c->shape, c->dim, order, place);
  for (int z = 0; z < c->nzones; z++) {
    const gmsh_element *element = &list->items[z];
    for (int i = 0; i < each; i++) {
      const int64_t tag = i < ncorners ? element->nodes[i] : list->tags[element->first + i - ncorners];
      const gmsh_node *node = find_node(g, element, tag);
      if (!node || !check_plane(g, d, z, node->x)) return false;
      memcpy(c->curve->nodes + ((int64_t)z * each + place[i]) * c->dim, node->x, (size_t)c->dim * sizeof(double));
    }
  }
  return true;
}

static bool make_vertices(gmsh *g, mesh_draft *d)
{
  mesh_coarse *c = d->c;
  if (!mesh_draft_make_vertices(d, g->s, (int)g->nnodes)) return false;
  for (int64_t v = 0; v < g->nnodes; v++) {
    for (int i = 0; i < c->dim; i++) c->vertices[v * c->dim + i] = g->nodes[v].x[i];
  }
  for (int z = 0; z < c->nzones; z++) {
    for (int i = 0; i < mesh_coarse_corners(c); i++)
      if (!check_plane(g, d, z, g->nodes[mesh_coarse_zone(c, z)[i]].x)) return false;
  }
  return true;
}

bool gmsh_make_draft(gmsh *g, mesh_draft *d)
{
  int dim;
  return find_dim(g, &dim) && sort_nodes(g) && mesh_draft_create(d, g->s, g->elements[dim].items[0].shape, dim) &&
         make_zones(g, d) && make_faces(g, d) && make_vertices(g, d) && make_curve(g, d) && gmsh_make_seams(g, d);
}
