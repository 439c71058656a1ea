/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Coarse meshes for the tests: grids with moved vertices and turned zones, and stars of quads around one vertex.
 */
#ifndef TESTS_MESH_SAMPLES_H
#define TESTS_MESH_SAMPLES_H

#include <math.h>
#include <stdlib.h>

#include "mesh/coarse.h"

/* A linear congruential generator (Knuth's MMIX constants), the same on every machine. */
static inline uint32_t sample_random(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* in [-1, 1] */
static inline double sample_uniform(uint64_t *state)
{
  return sample_random(state) / (double)(1u << 30) - 1;
}

static inline void sample_shuffle(int *list, int n, uint64_t *state)
{
  for (int i = 0; i < n; i++) list[i] = i;
  for (int i = n - 1; i > 0; i--) {
    int j = (int)(sample_random(state) % (uint32_t)(i + 1)), t = list[i];
    list[i] = list[j];
    list[j] = t;
  }
}

/* Corners of a zone after a symmetry of the cube: direction d of the new zone is direction axes[d] of the old one,
 * reversed where bit d of flips is set. */
static inline void sample_turn(int dim, const int *axes, int flips, int *zone)
{
  int old[MESH_MAX_CORNERS];
  for (int i = 0; i < 1 << dim; i++) old[i] = zone[i];
  for (int i = 0; i < 1 << dim; i++) {
    int from = 0;
    for (int d = 0; d < dim; d++) from |= ((i ^ flips) >> d & 1) << axes[d];
    zone[i] = old[from];
  }
}

/* True where the symmetry keeps the sign of the Jacobian. */
static inline bool sample_keeps_sign(int dim, const int *axes, int flips)
{
  int odd = 0;
  for (int d = 0; d < dim; d++) {
    odd ^= flips >> d & 1;
    for (int e = 0; e < d; e++) odd ^= axes[e] > axes[d];
  }
  return !odd;
}

static inline void sample_turn_zones(mesh_coarse *c, bool reflect, uint64_t *state)
{
  for (int z = 0; z < c->nzones; z++) {
    int axes[3], flips;
    do {
      sample_shuffle(axes, c->dim, state);
      flips = (int)(sample_random(state) % 8) & ((1 << c->dim) - 1);
    } while (!reflect && !sample_keeps_sign(c->dim, axes, flips));
    sample_turn(c->dim, axes, flips, c->zones + ((int64_t)z << c->dim));
  }
}

/* The unit box in n[d] zones a direction.  Vertices move by up to `jitter` zone widths, but those of the boundary stay
 * on it; with a seed, vertices and zones are numbered at random and the zones are turned (and reflected).  The
 * attribute of a boundary face is 1 + 2*axis + side. */
static inline mesh_coarse *sample_grid(int dim, const int *n, double jitter, uint64_t seed, bool reflect)
{
  int size[3] = {1, 1, 1}, nvertices = 1, nzones = 1, nfaces = 0;
  for (int d = 0; d < dim; d++) size[d] = n[d], nvertices *= n[d] + 1, nzones *= n[d];
  for (int d = 0; d < dim; d++) nfaces += 2 * nzones / size[d];
  mesh_coarse *c = mesh_coarse_allocate(MESH_TENSOR, dim, nvertices, nzones, nfaces);
  int *vertex = malloc((size_t)nvertices * sizeof *vertex), *zone = malloc((size_t)nzones * sizeof *zone);
  uint64_t state = seed + 1;
  for (int v = 0; v < nvertices; v++) vertex[v] = v;
  for (int z = 0; z < nzones; z++) zone[z] = z;
  if (seed) sample_shuffle(vertex, nvertices, &state), sample_shuffle(zone, nzones, &state);
  for (int v = 0, rest; v < nvertices; v++) {
    rest = v;
    for (int d = 0; d < dim; d++, rest /= n[d - 1] + 1) {
      int i = rest % (n[d] + 1);
      double move = i > 0 && i < n[d] ? jitter * sample_uniform(&state) : 0;
      c->vertices[vertex[v] * dim + d] = (i + move) / n[d];
    }
  }
  int f = 0;
  for (int z = 0; z < nzones; z++) {
    int cell[3] = {z % size[0], z / size[0] % size[1], z / size[0] / size[1]};
    int *corners = c->zones + ((int64_t)zone[z] << dim);
    for (int i = 0; i < 1 << dim; i++) {
      int v = 0;
      for (int d = dim - 1; d >= 0; d--) v = v * (n[d] + 1) + cell[d] + (i >> d & 1);
      corners[i] = vertex[v];
    }
    for (int facet = 0; facet < 2 * dim; facet++) {
      int which[MESH_MAX_CORNERS];
      if (cell[facet / 2] != (facet % 2 ? size[facet / 2] - 1 : 0)) continue;
      int k = mesh_code_corners(MESH_TENSOR, dim, mesh_facet_code(MESH_TENSOR, dim, facet), which);
      for (int i = 0; i < k; i++) c->faces[f * k + i] = corners[which[i]];
      c->attributes[f++] = 1 + facet;
    }
  }
  if (seed) sample_turn_zones(c, reflect, &state);
  free(vertex);
  free(zone);
  return c;
}

/* `arms` quads around the origin (dim 2), or two layers of hexes (dim 3); boundary attribute 1 outside, 3 at z = 0. */
static inline mesh_coarse *sample_star(int dim, int arms, uint64_t seed)
{
  int layers = dim == 3 ? 2 : 1, levels = dim == 3 ? 3 : 1, ring = 2 * arms + 1;
  mesh_coarse *c = mesh_coarse_allocate(MESH_TENSOR, dim, levels * ring, layers * arms, dim == 3 ? arms : 2 * arms);
  for (int v = 0; v < levels * ring; v++) {
    int i = v % ring - 1;
    double angle = 2 * M_PI * i / (2 * arms), radius = i < 0 ? 0 : i % 2 ? 1.5 : 1;
    int level = v / ring;
    double x[3] = {radius * cos(angle), radius * sin(angle), 0.7 * level};
    for (int d = 0; d < dim; d++) c->vertices[v * dim + d] = x[d];
  }
  for (int z = 0; z < layers * arms; z++) {
    int a = z % arms, base = z / arms * ring;
    int quad[4] = {0, 1 + 2 * a, 1 + (2 * a + 2) % (2 * arms), 2 + 2 * a};
    for (int i = 0; i < 1 << dim; i++) c->zones[(z << dim) + i] = base + quad[i & 3] + (i >> 2) * ring;
    if (dim == 3 && z < arms) {
      for (int i = 0; i < 4; i++) c->faces[4 * z + i] = quad[i];
      c->attributes[z] = 3;
    } else if (dim == 2) {
      for (int side = 0; side < 2; side++) {
        c->faces[2 * (2 * z + side)] = quad[1 + side];
        c->faces[2 * (2 * z + side) + 1] = quad[3];
        c->attributes[2 * z + side] = 1;
      }
    }
  }
  uint64_t state = seed;
  if (seed) sample_turn_zones(c, false, &state);
  return c;
}

#endif
