/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes coarse meshes in every form that can be read.
 */
#ifndef TESTS_MESH_WRITERS_H
#define TESTS_MESH_WRITERS_H

#include <stdio.h>

#include "tests/mesh/samples.h"

typedef enum file_form {
  MFEM_VERTICES,
  MFEM_NODES_BY_AXIS,
  MFEM_NODES_BY_VERTEX,
  NETGEN_QUADS,
  GMSH_2_TEXT,
  GMSH_2_BINARY,
  GMSH_4_TEXT,
  GMSH_4_BINARY,
  FILE_FORMS
} file_form;

static inline int around(const int *corners, int i)
{
  return corners[i & 2 ? i ^ 1 : i];
}

static inline void write_mfem_part(FILE *f, int attribute, int e, const int *corners)
{
  const int geometry[] = {0, 1, 3, 5};
  fprintf(f, "%d %d", attribute, geometry[e]);
  for (int i = 0; i < 1 << e; i++) fprintf(f, " %d", around(corners, i));
  fprintf(f, "\n");
}

static inline void write_mfem(FILE *f, const mesh_coarse *c, file_form form)
{
  int dim = c->dim;
  fprintf(f, "MFEM mesh v1.0\n\n# 7 comments\n#\ndimension\n%d\n\nelements\n%d\n", dim, c->nzones);
  for (int z = 0; z < c->nzones; z++) write_mfem_part(f, 1 + z % 2, dim, c->zones + (z << dim));
  fprintf(f, "\nboundary # faces\n%d\n", c->nfaces);
  for (int i = 0; i < c->nfaces; i++) write_mfem_part(f, c->attributes[i], dim - 1, c->faces + (i << (dim - 1)));
  fprintf(f, "\nvertices\n%d\n", c->nvertices);
  if (form == MFEM_VERTICES)
    fprintf(f, "%d\n", dim);
  else if (form == MFEM_NODES_BY_AXIS)
    fprintf(f, "\nnodes\nFiniteElementSpace\nFiniteElementCollection: Linear\nVDim: %d\nOrdering: 0\n\n", dim);
  else
    fprintf(f, "\nnodes\nFiniteElementSpace\nFiniteElementCollection: H1_%dD_P1\nVDim: %d\nOrdering: 1\n\n", dim, dim);
  for (int i = 0; i < c->nvertices * dim; i++) {
    int at = form == MFEM_NODES_BY_AXIS ? i % c->nvertices * dim + i / c->nvertices : i;
    fprintf(f, "%.17g%c", c->vertices[at], i % dim == dim - 1 ? '\n' : ' ');
  }
}

static inline void write_netgen(FILE *f, const mesh_coarse *c)
{
  fprintf(f, "areamesh2\n\n%d\n", c->nfaces);
  for (int i = 0; i < c->nfaces; i++)
    fprintf(f, "%d %d %d\n", c->attributes[i], c->faces[2 * i] + 1, c->faces[2 * i + 1] + 1);
  fprintf(f, "%d\n", c->nzones);
  for (int z = 0; z < c->nzones; z++) {
    fprintf(f, "1 4");
    for (int i = 0; i < 4; i++) fprintf(f, " %d", around(c->zones + 4 * z, i) + 1);
    fprintf(f, "\n");
  }
  fprintf(f, "%d\n", c->nvertices);
  for (int v = 0; v < c->nvertices; v++) fprintf(f, "%.17g %.17g\n", c->vertices[2 * v], c->vertices[2 * v + 1]);
}

/* One Gmsh number, as text or raw. */
static inline void put_int(FILE *f, bool binary, int value)
{
  if (binary)
    fwrite(&value, sizeof value, 1, f);
  else
    fprintf(f, "%d ", value);
}

static inline void put_size(FILE *f, bool binary, uint64_t value)
{
  if (binary)
    fwrite(&value, sizeof value, 1, f);
  else
    fprintf(f, "%llu ", (unsigned long long)value);
}

static inline void put_double(FILE *f, bool binary, double value)
{
  if (binary)
    fwrite(&value, sizeof value, 1, f);
  else
    fprintf(f, "%.17g ", value);
}

static inline void put_line_end(FILE *f, bool binary)
{
  if (!binary) fprintf(f, "\n");
}

/* Tags of nodes have gaps. */
static inline int node_tag(int vertex)
{
  return 10 + 3 * vertex;
}

static inline void put_position(FILE *f, bool binary, const mesh_coarse *c, int v)
{
  for (int d = 0; d < 3; d++) put_double(f, binary, d < c->dim ? c->vertices[v * c->dim + d] : 0.25);
}

static const int gmsh_type[] = {15, 1, 3, 5};

static inline void write_gmsh_2_element(FILE *f, bool binary, int number, int attribute, int e, const int *corners)
{
  if (binary) {
    put_int(f, true, gmsh_type[e]), put_int(f, true, 1), put_int(f, true, 2);
    put_int(f, true, number);
  } else {
    put_int(f, false, number), put_int(f, false, gmsh_type[e]), put_int(f, false, 2);
  }
  put_int(f, binary, attribute), put_int(f, binary, 77);
  for (int i = 0; i < 1 << e; i++) put_int(f, binary, node_tag(around(corners, i)));
  put_line_end(f, binary);
}

static inline void write_gmsh_2(FILE *f, const mesh_coarse *c, bool binary)
{
  int dim = c->dim;
  fprintf(f, "$Nodes\n%d\n", c->nvertices);
  for (int v = c->nvertices - 1; v >= 0; v--) {
    put_int(f, binary, node_tag(v));
    put_position(f, binary, c, v);
    put_line_end(f, binary);
  }
  fprintf(f, "\n$EndNodes\n$Elements\n%d\n", c->nzones + c->nfaces + (dim > 1));
  if (dim > 1) write_gmsh_2_element(f, binary, 1, 9, 0, c->zones); // a point, which is of no interest
  for (int i = 0; i < c->nfaces; i++)
    write_gmsh_2_element(f, binary, 2 + i, c->attributes[i], dim - 1, c->faces + (i << (dim - 1)));
  for (int z = 0; z < c->nzones; z++) write_gmsh_2_element(f, binary, 2 + c->nfaces + z, 7, dim, c->zones + (z << dim));
  fprintf(f, "\n$EndElements\n");
}

static inline void write_gmsh_4_entity(FILE *f, bool binary, int dim, int tag, int physical)
{
  put_int(f, binary, tag);
  for (int i = 0; i < (dim == 0 ? 3 : 6); i++) put_double(f, binary, 0.5 * i);
  put_size(f, binary, physical != 0);
  if (physical) put_int(f, binary, physical);
  if (dim > 0) put_size(f, binary, 2), put_int(f, binary, 1), put_int(f, binary, -2);
  put_line_end(f, binary);
}

static inline void write_gmsh_4_block(FILE *f, bool binary, int number, int entity, int e, const int *corners)
{
  put_int(f, binary, e), put_int(f, binary, entity), put_int(f, binary, gmsh_type[e]), put_size(f, binary, 1);
  put_line_end(f, binary);
  put_size(f, binary, (uint64_t)number);
  for (int i = 0; i < 1 << e; i++) put_size(f, binary, (uint64_t)node_tag(around(corners, i)));
  put_line_end(f, binary);
}

/* Attribute a is physical group -a (its sign is its direction) of entity 100 + a; entity 50 is in no group. */
static inline void write_gmsh_4(FILE *f, const mesh_coarse *c, bool binary)
{
  int dim = c->dim;
  fprintf(f, "$Entities\n");
  for (int e = 0; e < 4; e++) put_size(f, binary, e == dim ? 1 : e == dim - 1 ? 7 : 0);
  put_line_end(f, binary);
  for (int a = 0; a < 7; a++) write_gmsh_4_entity(f, binary, dim - 1, a ? 100 + a : 50, -a);
  write_gmsh_4_entity(f, binary, dim, 1, 7);
  fprintf(f, "\n$EndEntities\n$Nodes\n");
  put_size(f, binary, 2), put_size(f, binary, (uint64_t)c->nvertices);
  put_size(f, binary, (uint64_t)node_tag(0)), put_size(f, binary, (uint64_t)node_tag(c->nvertices - 1));
  put_line_end(f, binary);
  for (int half = 0; half < 2; half++) { // the second half is parametric
    int from = half ? c->nvertices / 2 : 0, to = half ? c->nvertices : c->nvertices / 2;
    put_int(f, binary, dim), put_int(f, binary, 1), put_int(f, binary, half),
      put_size(f, binary, (uint64_t)(to - from));
    put_line_end(f, binary);
    for (int v = to - 1; v >= from; v--) put_size(f, binary, (uint64_t)node_tag(v)), put_line_end(f, binary);
    for (int v = to - 1; v >= from; v--) {
      put_position(f, binary, c, v);
      for (int p = 0; p < half * dim; p++) put_double(f, binary, 0.125);
      put_line_end(f, binary);
    }
  }
  int n = c->nfaces + c->nzones + 1;
  fprintf(f, "\n$EndNodes\n$Elements\n");
  put_size(f, binary, (uint64_t)n), put_size(f, binary, (uint64_t)n), put_size(f, binary, 1);
  put_size(f, binary, (uint64_t)n), put_line_end(f, binary);
  for (int i = 0; i < c->nfaces; i++)
    write_gmsh_4_block(f, binary, 1 + i, 100 + c->attributes[i], dim - 1, c->faces + (i << (dim - 1)));
  write_gmsh_4_block(f, binary, 999, 50, dim - 1, c->zones); // in no physical group: not a boundary face
  for (int z = 0; z < c->nzones; z++) write_gmsh_4_block(f, binary, 1000 + z, 1, dim, c->zones + (z << dim));
  fprintf(f, "\n$EndElements\n");
}

static inline void write_gmsh(FILE *f, const mesh_coarse *c, file_form form)
{
  bool binary = form == GMSH_2_BINARY || form == GMSH_4_BINARY, second = form == GMSH_2_TEXT || form == GMSH_2_BINARY;
  fprintf(f, "$MeshFormat\n%s %d 8\n", second ? "2.2" : "4.1", binary);
  if (binary) put_int(f, true, 1), fprintf(f, "\n");
  fprintf(f, "$EndMeshFormat\n$PhysicalNames\n1\n1 1 \"$EndNodes is not here\"\n$EndPhysicalNames\n");
  if (second)
    write_gmsh_2(f, c, binary);
  else
    write_gmsh_4(f, c, binary);
}

/* The contents of a file; the caller frees them. */
static inline char *write_mesh(const mesh_coarse *c, file_form form, size_t *length)
{
  char *text;
  FILE *f = open_memstream(&text, length);
  if (form == NETGEN_QUADS)
    write_netgen(f, c);
  else if (form >= GMSH_2_TEXT)
    write_gmsh(f, c, form);
  else
    write_mfem(f, c, form);
  fclose(f);
  return text;
}

#endif
