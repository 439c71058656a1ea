/* SPDX-License-Identifier: BSD-3-Clause
 *
 * $Periodic: sides of the mesh (points, curves, surfaces) that are another one, shifted, and pairs of their nodes.
 */
#include <math.h>
#include <stdlib.h>

#include "mesh/read/gmsh.h"
#include "mesh/read/seams.h"

static bool add_side(gmsh *g, gmsh_side side)
{
  if (g->nsides == g->side_room) {
    const int64_t room = 2 * g->side_room + 16;
    gmsh_side *more = realloc(g->sides, (size_t)room * sizeof *more);
    if (!more) return scan_fail_memory(g->s);
    g->sides = more;
    g->side_room = room;
  }
  g->sides[g->nsides++] = side;
  return true;
}

static bool add_pair(gmsh *g, gmsh_pair pair)
{
  if (g->npairs == g->pair_room) {
    const int64_t room = 2 * g->pair_room + 64;
    gmsh_pair *more = realloc(g->pairs, (size_t)room * sizeof *more);
    if (!more) return scan_fail_memory(g->s);
    g->pairs = more;
    g->pair_room = room;
  }
  g->pairs[g->npairs++] = pair;
  return true;
}

/* ------------------------------------------------------------------ reading */

static bool read_pairs(gmsh *g, int64_t n, bool (*read)(gmsh *g, const char *what, int64_t *tag))
{
  for (int64_t i = 0; i < n; i++) {
    gmsh_pair pair = {.side = (int)g->nsides - 1};
    if (!read(g, "the tag of a node on a periodic side", &pair.image) ||
        !read(g, "the tag of the node behind it", &pair.node) || !add_pair(g, pair))
      return false;
  }
  return true;
}

static bool read_text_tag(gmsh *g, const char *what, int64_t *tag)
{
  return scan_int(g->s, what, 0, INT64_MAX, tag);
}

/* Text, in binary files too: dimension, two tags, perhaps "Affine" and 16 numbers, and the pairs. */
static bool read_side_2(gmsh *g)
{
  int64_t dim, tag, n;
  double number;
  scan_at_end(g->s);
  const size_t at = g->s->at;
  if (!scan_int(g->s, "the dimension of a periodic side", 0, 2, &dim) ||
      !scan_int(g->s, "the entity of a periodic side", INT32_MIN, INT32_MAX, &tag) ||
      !scan_int(g->s, "the entity behind a periodic side", INT32_MIN, INT32_MAX, &tag))
    return false;
  for (int i = scan_accept(g->s, "Affine") ? 16 : 0; i > 0; i--)
    if (!scan_number(g->s, "a number of the map of a periodic side", &number)) return false;
  return add_side(g, (gmsh_side){.dim = (int)dim, .at = at}) &&
         scan_count(g->s, "the number of pairs of nodes", 4, &n) && read_pairs(g, n, read_text_tag);
}

static bool read_side_4(gmsh *g)
{
  int64_t dim, tag, n;
  double number;
  if (!g->binary) scan_at_end(g->s);
  const size_t at = g->s->at;
  if (!gmsh_int(g, "the dimension of a periodic side", 0, 2, &dim) ||
      !gmsh_int(g, "the entity of a periodic side", INT32_MIN, INT32_MAX, &tag) ||
      !gmsh_int(g, "the entity behind a periodic side", INT32_MIN, INT32_MAX, &tag) ||
      !gmsh_size(g, "the number of numbers of a map", &n))
    return false;
  for (int64_t i = 0; i < n; i++)
    if (!gmsh_double(g, "a number of the map of a periodic side", &number)) return false;
  return add_side(g, (gmsh_side){.dim = (int)dim, .at = at}) && gmsh_size(g, "the number of pairs of nodes", &n) &&
         read_pairs(g, n, gmsh_size);
}

bool gmsh_read_periodic(gmsh *g)
{
  int64_t n;
  g->periodic_read = true;
  if (g->version == 2) {
    if (!scan_count(g->s, "the number of periodic sides", 4, &n)) return false;
  } else if ((g->binary && !scan_line_end(g->s)) || !gmsh_size(g, "the number of periodic sides", &n)) {
    return false;
  }
  for (int64_t i = 0; i < n; i++)
    if (!(g->version == 2 ? read_side_2(g) : read_side_4(g))) return false;
  return true;
}

/* ------------------------------------------------------------------ seams */

static int compare_tags(const void *a, const void *b)
{
  const gmsh_node *x = a, *y = b;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

/* The vertex with a tag; -1: there is none. */
static int vertex_of(const gmsh *g, int64_t tag)
{
  const gmsh_node key = {.tag = tag};
  const gmsh_node *node = bsearch(&key, g->nodes, (size_t)g->nnodes, sizeof key, compare_tags);
  return node ? (int)(node - g->nodes) : -1;
}

static int compare_images(const void *a, const void *b)
{
  const mesh_vertex_pair *x = a, *y = b;
  return (x->image > y->image) - (x->image < y->image);
}

/* Tests whether the pair, of whatever side, is apart by this shift. */
static bool has_shift(const gmsh *g, mesh_vertex_pair p, const double *shift)
{
  double off = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    off += fabs(g->nodes[p.image].x[i] - g->nodes[p.vertex].x[i] - shift[i]);
    size += fabs(shift[i]);
  }
  return off <= 1e-6 * size;
}

/* The pairs of one side, with those of the sides of fewer dimensions that are shifted alike: corners of the side may be
 * listed there alone.  Returns how many, without repetitions, or -1 with a sentence. */
static int gather(gmsh *g, int side, mesh_vertex_pair *pairs)
{
  double shift[3] = {0};
  bool known = false;
  int n = 0, kept = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int64_t i = 0; i < g->npairs; i++) {
      const gmsh_pair *from = &g->pairs[i];
      const bool own = from->side == side;
      if (own != (pass == 0) || (!own && (!known || g->sides[from->side].dim >= g->sides[side].dim))) continue;
      const mesh_vertex_pair p = {vertex_of(g, from->image), vertex_of(g, from->node)};
      if (p.image < 0 || p.vertex < 0) {
        scan_fail(g->s, g->sides[from->side].at, "this periodic side pairs nodes %lld and %lld, not both in $Nodes",
                  (long long)from->image, (long long)from->node);
        return -1;
      }
      for (int d = 0; d < 3 && own && !known; d++) shift[d] = g->nodes[p.image].x[d] - g->nodes[p.vertex].x[d];
      known = known || own;
      if (own || has_shift(g, p, shift)) pairs[n++] = p;
    }
  if (n) qsort(pairs, (size_t)n, sizeof *pairs, compare_images);
  for (int i = 0; i < n; i++)
    if (i == 0 || pairs[i].image != pairs[kept - 1].image) pairs[kept++] = pairs[i];
  return kept;
}

bool gmsh_make_seams(gmsh *g, mesh_draft *d)
{
  mesh_vertex_pair *pairs = malloc(((size_t)g->npairs + 1) * sizeof *pairs);
  bool ok = pairs || scan_fail_memory(g->s);
  for (int side = 0; ok && side < g->nsides; side++) {
    int found;
    if (g->sides[side].dim != d->c->dim - 1) continue;
    const int n = gather(g, side, pairs);
    ok = n >= 0 && mesh_draft_add_seams(d, g->s, pairs, n, g->sides[side].at, &found) &&
         (found > 0 || scan_fail(g->s, g->sides[side].at,
                                 "this periodic side has no face of a zone, all of whose nodes "
                                 "are paired"));
  }
  free(pairs);
  return ok;
}
