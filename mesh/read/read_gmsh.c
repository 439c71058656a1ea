/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mesh/read/gmsh.h"

bool gmsh_int(gmsh *g, const char *what, int64_t low, int64_t high, int64_t *value)
{
  int32_t v;
  size_t at = g->s->at;
  if (!g->binary) return scan_int(g->s, what, low, high, value);
  if (!scan_raw(g->s, what, &v, sizeof v)) return false;
  *value = v;
  if (v >= low && v <= high) return true;
  return scan_fail(g->s, at, "%s is %d, but must be from %lld to %lld", what, v, (long long)low, (long long)high);
}

bool gmsh_size(gmsh *g, const char *what, int64_t *value)
{
  uint64_t v;
  size_t at = g->s->at;
  if (!g->binary) return scan_int(g->s, what, 0, INT64_MAX, value);
  if (!scan_raw(g->s, what, &v, sizeof v)) return false;
  *value = (int64_t)v;
  if (*value >= 0) return true;
  return scan_fail(g->s, at, "%s is %llu, but must be below 2^63", what, (unsigned long long)v);
}

bool gmsh_double(gmsh *g, const char *what, double *value)
{
  size_t at = g->s->at;
  if (!g->binary) return scan_number(g->s, what, value);
  if (!scan_raw(g->s, what, value, sizeof *value)) return false;
  return isfinite(*value) || scan_fail(g->s, at, "%s is %g, but must be finite", what, *value);
}

static bool read_format(gmsh *g)
{
  scan *s = g->s;
  scan_word word;
  int64_t binary, size;
  if (!scan_expect(s, "$MeshFormat") || !scan_next(s, "the version of the format", &word)) return false;
  if (!scan_is(word, "2.2") && !scan_is(word, "4.1"))
    return scan_fail(s, word.at, "this is Gmsh MSH %s; only MSH 2.2 and 4.1 can be read", scan_quoted(word).text);
  g->version = scan_is(word, "2.2") ? 2 : 4;
  if (!scan_int(s, "the file type (0: text, 1: binary)", 0, 1, &binary) ||
      !scan_int(s, "the size of numbers (8 bytes)", 8, 8, &size))
    return false;
  g->binary = s->binary = binary;
  if (!binary) return scan_expect(s, "$EndMeshFormat");
  int64_t one;
  return scan_line_end(s) && gmsh_int(g, "the 1 that tells the byte order (this machine's)", 1, 1, &one) &&
         scan_expect(s, "$EndMeshFormat");
}

/* Dimension, number and name of each physical group, as text in binary files, too. */
static bool read_names(gmsh *g)
{
  scan *s = g->s;
  int64_t n, dim, number;
  g->names_read = true;
  const size_t at = s->at;
  if (!scan_count(s, "the number of physical names", 7, &n)) return false;
  for (int64_t i = 0; i < n; i++) {
    scan_word name;
    int attribute;
    if (!scan_int(s, "the dimension of a physical group", 0, 3, &dim) ||
        !scan_int(s, "the number of a physical group", -INT32_MAX, INT32_MAX, &number) || !mesh_name_read(s, &name))
      return false;
    if (mesh_name_known(name, &attribute) && !mesh_names_add(&g->names[dim], s, abs((int)number), attribute))
      return false;
  }
  for (int e = 0; e < 4; e++)
    if (!mesh_names_sort(&g->names[e], s, at)) return false;
  return true;
}

static bool refuse_repeated(gmsh *g, scan_word section, bool seen)
{
  return !seen || scan_fail(g->s, section.at, "there is a second %s", scan_quoted(section).text);
}

static bool read_known(gmsh *g, scan_word section, bool *known)
{
  *known = true;
  if (g->version == 4 && scan_is(section, "$Entities"))
    return refuse_repeated(g, section, g->entities) && gmsh_read_entities(g);
  if (scan_is(section, "$PhysicalNames")) return refuse_repeated(g, section, g->names_read) && read_names(g);
  if (scan_is(section, "$Nodes")) return refuse_repeated(g, section, g->nodes) && gmsh_read_nodes(g);
  if (scan_is(section, "$Elements")) return refuse_repeated(g, section, g->elements_read) && gmsh_read_elements(g);
  if (scan_is(section, "$Periodic")) return refuse_repeated(g, section, g->periodic_read) && gmsh_read_periodic(g);
  *known = false;
  return true;
}

static bool read_section(gmsh *g)
{
  scan_word section;
  char end[64];
  bool known;
  if (!scan_next(g->s, "a section", &section)) return false;
  if (section.text[0] != '$' || section.length > 40)
    return scan_fail(g->s, section.at, "'%s' stands where a section ($Nodes, $Elements, ...) should begin",
                     scan_quoted(section).text);
  if (scan_is(section, "$PartitionedEntities"))
    return scan_fail(g->s, section.at, "this mesh is partitioned; save it without partitions");
  if (scan_is(section, "$ParametricNodes"))
    return scan_fail(g->s, section.at, "$ParametricNodes are not supported; save $Nodes, by Mesh.SaveParametric = 0");
  snprintf(end, sizeof end, "$End%.*s", (int)section.length - 1, section.text + 1);
  if (!read_known(g, section, &known)) return false;
  return known ? scan_expect(g->s, end) : scan_skip_to(g->s, end);
}

bool mesh_read_gmsh(scan *s, mesh_draft *d)
{
  gmsh g = {.s = s};
  bool ok = read_format(&g);
  while (ok && !scan_at_end(s)) ok = read_section(&g);
  ok = ok && gmsh_make_draft(&g, d);
  free(g.nodes);
  free(g.entities);
  free(g.sides);
  free(g.pairs);
  for (int e = 0; e < 4; e++) {
    free(g.elements[e].items);
    free(g.elements[e].tags);
    mesh_names_destroy(&g.names[e]);
  }
  return ok;
}
