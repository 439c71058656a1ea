/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fem/space/number.h"

static void *allocate(size_t n, size_t size)
{
  return calloc(n ? n : 1, size);
}

/* Finds an id in the hash table [size], size a power of two: its place, or the free place (-1) for it.  Eight ids in a
 * row stay together, as they mostly come together; groups of them are scattered (Knuth, vol. 3, 6.4: multiplicative
 * hashing). */
static int64_t find_place(const int *table, int bits, const int64_t *ids, int64_t id)
{
  const uint64_t scattered = (uint64_t)(id >> 3) * UINT64_C(0x9e3779b97f4a7c15), mask = (UINT64_C(1) << bits) - 1;
  uint64_t at = (scattered >> (64 - bits) & ~UINT64_C(7)) | ((uint64_t)id & 7);
  while (table[at] >= 0 && ids[table[at]] != id) at = (at + 1) & mask;
  return (int64_t)at;
}

/* An empty table; NULL: out of memory. */
static int *make_table(size_t size)
{
  int *table = malloc(sizeof *table * size);
  if (table) memset(table, 0xff, sizeof *table * size); // -1
  return table;
}

/* The number at an id's place in the table.  A free place gets the next number, and ids [*count] the id; -1: an int
 * counts no further. */
static inline int number_at(int *place, int64_t id, int64_t *ids, int *count)
{
  if (*place < 0) {
    if (*count == INT_MAX) return -1;
    ids[*count] = id;
    *place = (*count)++;
  }
  return *place;
}

/* dofs [n]: the number of each of ids [n] among the distinct ones, in order of first touch.  ids is replaced by the
 * distinct ids in that order.  Returns how many these are; -1: out of memory, or more than an int counts. */
static int number_scattered(int64_t n, int64_t *ids, int *dofs)
{
  int bits = 4, count = 0;
  while ((INT64_C(1) << bits) < n + n / 2) bits++;
  int *table = make_table((size_t)1 << bits);
  bool ok = table;
  for (int64_t i = 0; i < n && ok; i++) { // count <= i: what is overwritten was read
    const int64_t id = ids[i];
    dofs[i] = number_at(table + find_place(table, bits, ids, id), id, ids, &count);
    ok = dofs[i] >= 0;
  }
  free(table);
  return ok ? count : -1;
}

/* The same for ids from `lowest` to lowest + range - 1, with a place of the table for each. */
static int number_dense(int64_t n, int64_t lowest, int64_t range, int64_t *ids, int *dofs)
{
  int *table = make_table((size_t)range), count = 0;
  bool ok = table;
  for (int64_t i = 0; i < n && ok; i++) {
    dofs[i] = number_at(table + (ids[i] - lowest), ids[i], ids, &count);
    ok = dofs[i] >= 0;
  }
  free(table);
  return ok ? count : -1;
}

static int number_by_first_touch(int64_t n, int64_t *ids, int *dofs)
{
  int64_t lowest = INT64_MAX, highest = INT64_MIN;
  for (int64_t i = 0; i < n; i++) {
    if (ids[i] < lowest) lowest = ids[i];
    if (ids[i] > highest) highest = ids[i];
  }
  const bool dense = n > 0 && highest - lowest < n;
  return dense ? number_dense(n, lowest, highest - lowest + 1, ids, dofs) : number_scattered(n, ids, dofs);
}

/* Gives dof i number[i], which it frees.  number NULL: no memory. */
static int renumber(fem_space *s, int64_t *ids, int *number)
{
  int64_t *old_ids = number ? allocate((size_t)s->ndofs, sizeof *old_ids) : NULL;
  if (old_ids) {
    memcpy(old_ids, ids, (size_t)s->ndofs * sizeof *ids);
    for (int i = 0; i < s->ndofs; i++) ids[number[i]] = old_ids[i];
    for (int64_t i = 0; i < (int64_t)s->nzones * s->nd; i++) s->dofs[i] = number[s->dofs[i]];
  }
  const int status = old_ids ? STATUS_OK : STATUS_MACHINE;
  free(number);
  free(old_ids);
  return status;
}

/* By first touch, where the first nodes of a chunk's zones come first, then their second ones. */
static int number_node_by_node(fem_space *s, int64_t *ids)
{
  enum { CHUNK = 512 }; /* zones whose nodes stay in a cache; a multiple of the lanes of the host's kernels */
  int *number = allocate((size_t)s->ndofs, sizeof *number), count = 0;
  if (number) memset(number, 0xff, sizeof *number * (size_t)s->ndofs); // -1
  for (int first = 0, end; number && first < s->nzones; first = end) {
    const int split = fem_first_zones(s), all = first < split ? split : s->nzones;
    end = all - first < CHUNK ? all : first + CHUNK;
    for (int i = 0; i < s->nd; i++)
      for (int64_t z = first; z < end; z++) {
        int *place = number + s->dofs[z * s->nd + i];
        if (*place < 0) *place = count++;
      }
  }
  return renumber(s, ids, number);
}

/* Renumbers the dofs so that owned ones come first, otherwise in the order they had. */
static int move_owned(fem_space *s, int64_t *ids, const bool *owned)
{
  int *number = allocate((size_t)s->ndofs, sizeof *number);
  int next[2] = {s->nowned, 0}; // of the others, of the owned
  for (int i = 0; number && i < s->ndofs; i++) number[i] = next[owned[i]]++;
  return renumber(s, ids, number);
}

static int owned_first(fem_space *s, int64_t *ids, const bool *owned)
{
  s->nowned = 0;
  for (int i = 0; i < s->ndofs; i++) s->nowned += owned[i];
  const int status = s->nowned < s->ndofs ? move_owned(s, ids, owned) : STATUS_OK;
  for (int64_t i = 0; i < (int64_t)fem_first_zones(s) * s->nd; i++)
    if (s->dofs[i] < s->nowned && s->dofs[i] >= s->nfirst) s->nfirst = s->dofs[i] + 1;
  return status;
}

/* Replaces ids [ndofs] by those that nodes share with their images across the seams. */
static bool join(const fem_space *s, const mesh *m, int64_t *ids)
{
  const int64_t n = (int64_t)s->nzones * s->nd;
  int64_t *joint = allocate((size_t)n, sizeof *joint);
  if (!joint) return false;
  mesh_joint_ids(m, s->k, joint);
  for (int64_t i = 0; i < n; i++) ids[s->dofs[i]] = joint[i];
  free(joint);
  return true;
}

/* Without seams only nodes of the first nshared zones can be shared; other nodes get no id. */
static int make_halo(const fem_space *s, const mesh *m, halo **h, const int64_t *ids)
{
  if (m->coarse->nseams > 0) return halo_create_joint(h, s->ndofs, ids);
  if (comm_size() == 1) return halo_create(h, s->ndofs, ids);
  int64_t *named = allocate((size_t)s->ndofs, sizeof *named);
  int status = comm_worst(named ? STATUS_OK : STATUS_MACHINE);
  if (!status) {
    memset(named, 0xff, sizeof *named * (size_t)s->ndofs); // -1
    for (int64_t i = 0; i < (int64_t)s->nshared * s->nd; i++) named[s->dofs[i]] = ids[s->dofs[i]];
    status = halo_create(h, s->ndofs, named);
  }
  free(named);
  return status;
}

/* Makes the halo of positions, in which images are nodes of their own: they stand at different places. */
static int make_places(fem_space *s, const mesh *m)
{
  const int64_t n = (int64_t)s->nzones * s->nd;
  int64_t *all = allocate((size_t)n, sizeof *all), *ids = allocate((size_t)s->ndofs, sizeof *ids);
  int status = comm_worst(all && ids ? STATUS_OK : STATUS_MACHINE);
  if (!status) {
    mesh_node_ids(m, s->k, all);
    for (int64_t i = 0; i < n; i++) ids[s->dofs[i]] = all[i];
    status = halo_create(&s->places, s->ndofs, ids);
  }
  free(all);
  free(ids);
  return status;
}

int fem_number_dofs(fem_space *s, const mesh *m, fem_numbering numbering)
{
  const int64_t n = (int64_t)s->nzones * s->nd;
  int64_t *ids = allocate((size_t)n, sizeof *ids);
  bool *owned = NULL;
  halo *h = NULL;
  s->dofs = allocate((size_t)n, sizeof *s->dofs);
  if (ids && s->dofs) {
    mesh_node_ids(m, s->k, ids);
    s->ndofs = number_by_first_touch(n, ids, s->dofs);
    bool numbered = s->ndofs >= 0;
    if (numbered && numbering == FEM_NODE_BY_NODE) numbered = !number_node_by_node(s, ids);
    if (numbered && (m->coarse->nseams == 0 || join(s, m, ids))) owned = allocate((size_t)s->ndofs, sizeof *owned);
  }
  int status = comm_worst(owned ? STATUS_OK : STATUS_MACHINE);
  if (!status) status = make_halo(s, m, &h, ids);
  if (!status) {
    halo_owned(h, owned);
    status = comm_worst(owned_first(s, ids, owned));
  }
  halo_destroy(&h);
  if (!status) status = make_halo(s, m, &s->halo, ids);
  if (!status && m->coarse->nseams > 0) {
    s->ndofs_global = s->nowned;
    comm_sum_int64(&s->ndofs_global, 1);
    status = make_places(s, m);
  }
  free(owned);
  free(ids);
  return status;
}

static int list_constrained(fem_space *s)
{
  int count = 0;
  for (int pass = 0; pass < 2; pass++) {
    count = 0;
    for (int c = 0; c < s->dim; c++) {
      s->constrained_start[c] = count;
      for (int i = 0; i < s->ndofs; i++) {
        if (!(s->essential[i] >> c & 1)) continue;
        if (pass == 1) s->constrained[count] = i;
        count++;
      }
    }
    if (pass == 0) s->constrained = allocate((size_t)count, sizeof *s->constrained);
    if (!s->constrained) return STATUS_MACHINE;
  }
  s->constrained_start[s->dim] = count;
  return 0;
}

/* Takes over the bits that other ranks have at shared nodes: a rank may touch a wall's edge without owning a zone at
 * the wall. */
static int share_essential(fem_space *s)
{
  if (halo_alone(s->halo)) return STATUS_OK;
  const int64_t n = s->ndofs;
  double *marks = allocate((size_t)s->dim * (size_t)n, sizeof *marks);
  const int status = comm_worst(marks ? STATUS_OK : STATUS_MACHINE);
  if (!status) {
    for (int c = 0; c < s->dim; c++)
      for (int64_t i = 0; i < n; i++) marks[c * n + i] = s->essential[i] >> c & 1;
    halo_sum_begin(NULL, s->halo, s->dim, marks);
    halo_sum_end(NULL, s->halo, s->dim, marks);
    for (int c = 0; c < s->dim; c++)
      for (int64_t i = 0; i < n; i++)
        if (marks[c * n + i] > 0.0) s->essential[i] |= (unsigned char)(1u << c);
  }
  free(marks);
  return status;
}

int fem_mark_essential(fem_space *s, const mesh *m)
{
  const int64_t n = (int64_t)s->nzones * s->nd;
  const unsigned char axes = (unsigned char)((1u << s->dim) - 1);
  unsigned char *bits = allocate((size_t)n, 1);
  s->essential = allocate((size_t)s->ndofs, 1);
  int status = comm_worst(bits && s->essential ? STATUS_OK : STATUS_MACHINE);
  if (!status) {
    mesh_node_attributes(m, s->k, bits);
    for (int64_t i = 0; i < n; i++) s->essential[s->dofs[i]] |= bits[i] & axes;
    status = share_essential(s);
  }
  if (!status) status = comm_worst(list_constrained(s));
  free(bits);
  return status;
}
