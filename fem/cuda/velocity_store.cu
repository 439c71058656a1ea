/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What cuda.sumfact keeps: its patches, their weights, and which slots each dof gathers.
 */
#include <cstdlib>
#include <new>

#include "../patches.h"
#include "velocity_sumfact.cuh"

namespace fem_cuda
{

/* A copy in the context's memory, never NULL unless memory is out. */
template <class T> static T *place(batched_ctx *ctx, const T *host, size_t n)
{
  void *p = batched_allocate(ctx, n ? n * sizeof(T) : 1);
  if (!p || batched_copy_from_host(ctx, p, host, n * sizeof(T)) == BATCHED_SUCCESS) return static_cast<T *>(p);
  batched_release(ctx, p);
  return nullptr;
}

/* The dofs that other ranks share, or the rest, as far as they have slots, and those in order; slot j belongs to dof[j]. */
static bool make_list(batched_ctx *ctx, const fem_space *s, bool shared, int nslots, const int *dof, gather_list *list)
{
  const size_t n = (size_t)s->ndofs;
  int *index = static_cast<int *>(calloc(n + 1, sizeof(int))); /* of a dof in the list, or -1 */
  int *target = static_cast<int *>(malloc((n + 1) * sizeof(int)));
  int *start = static_cast<int *>(calloc(n + 2, sizeof(int)));
  int *slot = static_cast<int *>(malloc(((size_t)nslots + 1) * sizeof(int)));
  bool ok = index && target && start && slot;
  if (ok) {
    const int *with_others;
    const int nshared = halo_shared(s->halo, &with_others);
    for (int i = 0; i < nshared; i++) index[with_others[i]] = 1;
    for (int j = 0; j < nslots; j++) index[dof[j]] |= 2;
    for (int i = 0; i < s->ndofs; i++) {
      const bool in = index[i] == (shared ? 3 : 2);
      index[i] = in ? list->count : -1;
      if (in) target[list->count++] = i;
    }
    for (int j = 0; j < nslots; j++)
      if (index[dof[j]] >= 0) start[index[dof[j]] + 2]++;
    for (int i = 0; i < list->count; i++) start[i + 2] += start[i + 1];
    for (int j = 0; j < nslots; j++)
      if (index[dof[j]] >= 0) slot[start[index[dof[j]] + 1]++] = j;
    list->target = place(ctx, target, (size_t)list->count);
    list->start = place(ctx, start, (size_t)list->count + 1);
    list->slot = place(ctx, slot, (size_t)start[list->count]);
    ok = list->target && list->start && list->slot;
  }
  free(index);
  free(target);
  free(start);
  free(slot);
  return ok;
}

void teardown_sumfact(batched_ctx *ctx, fem_mass *m)
{
  sumfact_store *store = static_cast<sumfact_store *>(m->store);
  patch_view &v = store->patches;
  void *all[] = {v.head,  v.zone,         v.node,       v.local,         v.place_start,
                 v.place, store->weights, store->slots, store->essential};
  for (void *p : all) batched_release(ctx, p);
  for (gather_list &list : store->lists) {
    batched_release(ctx, list.target);
    batched_release(ctx, list.start);
    batched_release(ctx, list.slot);
  }
  delete store;
  m->store = nullptr;
}

/* Of each patch. */
static patch_head *place_heads(batched_ctx *ctx, const fem_patches *p)
{
  patch_head *heads = static_cast<patch_head *>(calloc((size_t)p->npatches + 1, sizeof *heads));
  if (!heads) return nullptr;
  for (int k = 0; k < p->npatches; k++)
    heads[k] = {
      p->node_start[k], p->node_start[k + 1] - p->node_start[k], p->ninner[k], p->slot_start[k], p->numbering[k], {}};
  patch_head *placed = place(ctx, heads, (size_t)p->npatches);
  free(heads);
  return placed;
}

/* Takes the local numbers of nodes to their addresses. */
static bool place_patches(batched_ctx *ctx, const fem_space *s, fem_patches *p, patch_view *v)
{
  const size_t numberings = (size_t)p->nnumberings, nd = (size_t)s->nd, locals = numberings * nd * (size_t)p->stride;
  for (size_t i = 0; i < locals; i++) p->local[i] = (uint16_t)node_address(p->local[i]);
  v->size = p->size;
  v->most_nodes = p->most_nodes;
  v->places = s->nd * p->size;
  v->head = place_heads(ctx, p);
  v->zone = place(ctx, p->zone, (size_t)p->npatches * (size_t)p->size);
  v->node = place(ctx, p->node, (size_t)p->node_start[p->npatches]);
  v->local = place(ctx, p->local, locals);
  v->place_start = place(ctx, p->place_start, numberings * ((size_t)p->most_nodes + 1));
  v->place = place(ctx, p->place, numberings * nd * (size_t)p->size);
  return v->head && v->zone && v->node && v->local && v->place_start && v->place;
}

/* Weights [patch][nq][lanes], zero where there is no zone. */
static double *place_weights(batched_ctx *ctx, const fem_mass *m, const fem_patches *p, int lanes)
{
  const int64_t nq = m->space->nq;
  const size_t n = (size_t)p->npatches * (size_t)nq * (size_t)lanes;
  double *w = static_cast<double *>(calloc(n + 1, sizeof *w));
  if (!w) return nullptr;
  for (int64_t k = 0; k < p->npatches; k++)
    for (int z = 0; z < p->size && p->zone[k * p->size + z] >= 0; z++)
      for (int64_t q = 0; q < nq; q++)
        w[(k * nq + q) * lanes + z] = m->material->density[p->zone[k * p->size + z] * nq + q];
  double *placed = place(ctx, w, n);
  free(w);
  return placed;
}

/* The dofs of the slots, [nslots]. */
static int *dofs_of_slots(const fem_patches *p)
{
  int *dofs = static_cast<int *>(malloc(((size_t)p->slot_start[p->npatches] + 1) * sizeof *dofs)), n = 0;
  for (int k = 0; k < p->npatches && dofs; k++)
    for (int i = p->node_start[k] + p->ninner[k]; i < p->node_start[k + 1]; i++) dofs[n++] = p->node[i];
  return dofs;
}

static bool make_lists(batched_ctx *ctx, const fem_space *s, sumfact_store *store, int nslots, const int *dofs)
{
  store->nslots = nslots;
  store->slots = static_cast<double *>(batched_allocate(ctx, sizeof(double) * ((size_t)s->dim * (size_t)nslots + 1)));
  return store->slots && make_list(ctx, s, true, nslots, dofs, &store->lists[VELOCITY_SHARED]) &&
         make_list(ctx, s, false, nslots, dofs, &store->lists[VELOCITY_REST]);
}

/* The patches of a kernel; false: no memory. */
static bool make_patches(batched_ctx *ctx, const fem_mass *m, const patch_kernel *kernel, fem_patches *p,
                         sumfact_store *store)
{
  const fem_space *s = m->space;
  store->kernel = kernel;
  store->npatches = p->npatches;
  store->nfirst = p->nfirst;
  bool ok = place_patches(ctx, s, p, &store->patches);
  if (ok && kernel->lanes > 0) ok = (store->weights = place_weights(ctx, m, p, kernel->lanes));
  int *dofs = ok ? dofs_of_slots(p) : nullptr;
  ok = dofs && make_lists(ctx, s, store, p->slot_start[p->npatches], dofs);
  free(dofs);
  return ok;
}

/* Zones of a patch: as many as the kernel takes, or fewer where these would leave multiprocessors without a patch. */
static int patch_size(const patch_kernel *kernel, int nzones)
{
  enum { PROCESSORS = 100 }; /* most of an H100's 132 */
  int size = kernel->size;
  while (size > 1 && nzones / size < PROCESSORS) size /= 2;
  return size;
}

/* The kernel for the shape, if there is one and the GPU can hold its patches, else the one for any shape. */
static bool choose_kernel(batched_ctx *ctx, const fem_mass *m, sumfact_store *store)
{
  const fem_space *s = m->space;
  const patch_kernel *kernel = find_zone_kernel(s) ? find_zone_kernel(s) : find_row_kernel(s);
  fem_patches *p = nullptr;
  if (kernel && fem_patches_create(&p, s, patch_size(kernel, s->nzones), kernel->stride, kernel->nodes)) return false;
  if (p) store->blocks = kernel->blocks(p->most_nodes);
  if (p && store->blocks > p->npatches) store->blocks = p->npatches;
  const bool fits = p && (store->blocks > 0 || s->nzones == 0);
  const bool ok = fits ? make_patches(ctx, m, kernel, p, store) : make_lists(ctx, s, store, s->nzones * s->nd, s->dofs);
  fem_patches_destroy(&p);
  return ok;
}

int setup_sumfact(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  sumfact_store *store = new (std::nothrow) sumfact_store{};
  if (!store) return BATCHED_NO_MEMORY;
  m->store = store;
  store->essential = place(ctx, s->essential, (size_t)s->ndofs);
  if (store->essential && choose_kernel(ctx, m, store)) return BATCHED_SUCCESS;
  teardown_sumfact(ctx, m);
  return BATCHED_NO_MEMORY;
}

} // namespace fem_cuda
