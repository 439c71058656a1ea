/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What row cuda.sumfact of velocity_mass (velocity_sumfact.cu) keeps: its zone blocks, their weights, and which slots
 * each dof gathers.  The host makes the tables once and copies them; two kernels, a thread per number, arrange the
 * weights and round them to single precision.
 */
#include <cstdlib>
#include <new>

#include "fem/mass/zone_blocks.h"
#include "fem/mass/cuda/velocity_sumfact.cuh"

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

/* The dofs that a sum of the halo changes, or the rest, as far as they have slots, and those in order; slot j belongs
 * to dof[j]. */
static bool make_list(batched_ctx *ctx, const fem_space *s, bool shared, int nslots, const int *dof, gather_list *list)
{
  const size_t n = (size_t)s->ndofs;
  int *index = static_cast<int *>(calloc(n + 1, sizeof(int))); /* of a dof in the list, or -1 */
  int *target = static_cast<int *>(malloc((n + 1) * sizeof(int)));
  int *start = static_cast<int *>(calloc(n + 2, sizeof(int)));
  int *slot = static_cast<int *>(malloc(((size_t)nslots + 1) * sizeof(int)));
  bool ok = index && target && start && slot;
  if (ok) {
    halo_mark_summed(s->halo, index);
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

/* Of a zone: of its points, or one. */
static size_t weights_of_zone(const fem_space *s, const zone_block_kernel *kernel)
{
  return kernel->q > 0 ? (size_t)s->nq : 1;
}

static size_t count_weights(const fem_space *s, const sumfact_store *store)
{
  const size_t zones =
    store->kernel->lanes > 0 ? (size_t)store->nzone_blocks * (size_t)store->kernel->lanes : (size_t)s->nzones;
  return zones * weights_of_zone(s, store->kernel);
}

void constants_of_sumfact(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  const auto *store = static_cast<const sumfact_store *>(m->store);
  const size_t n = (size_t)m->space->ndofs;
  visit(user, "the density of a mass matrix", store->weights,
        store->weights ? sizeof(double) * count_weights(m->space, store) : 0);
  visit(user, "the order of conjugate gradients", store->order, store->order ? sizeof(int) * n : 0);
  visit(user, "the diagonal of a mass matrix", store->inverse_diagonal,
        store->inverse_diagonal ? sizeof(double) * n : 0);
  visit(user, "the list of walls", store->step_essential, store->step_essential ? n : 0);
}

void teardown_sumfact(batched_ctx *ctx, fem_mass *m)
{
  sumfact_store *store = static_cast<sumfact_store *>(m->store);
  zone_block_view &v = store->zone_blocks;
  void *all[] = {v.head,
                 v.zone,
                 v.node,
                 v.step_node,
                 v.local,
                 v.chunk_start,
                 v.place,
                 store->weights,
                 store->single_weights,
                 store->slots,
                 store->essential,
                 store->order,
                 store->inverse_diagonal,
                 store->step_essential,
                 store->slot_start,
                 store->slot_of_dof};
  for (void *p : all) batched_release(ctx, p);
  for (gather_list &list : store->lists) {
    batched_release(ctx, list.target);
    batched_release(ctx, list.start);
    batched_release(ctx, list.slot);
  }
  halo_peers_destroy(&store->peers);
  delete store;
  m->store = nullptr;
}

/* The heads of all zone blocks; place_order sets first_own. */
static zone_block_head *make_heads(const fem_zone_blocks *p)
{
  zone_block_head *heads = static_cast<zone_block_head *>(calloc((size_t)p->nzone_blocks + 1, sizeof *heads));
  for (int k = 0; k < p->nzone_blocks && heads; k++) {
    zone_block_head &h = heads[k];
    h.first_node = p->node_start[k];
    h.nnodes = p->node_start[k + 1] - p->node_start[k];
    h.ninner = p->ninner[k];
    h.first_slot = p->slot_start[k];
    h.numbering = p->numbering[k];
  }
  return heads;
}

/* The tables of the zone blocks; their heads and the order of conjugate gradients come later. */
static bool place_tables(batched_ctx *ctx, const fem_space *s, const fem_zone_blocks *p, zone_block_view *v)
{
  const size_t numberings = (size_t)p->nnumberings;
  v->size = p->size;
  v->most_nodes = p->most_nodes;
  v->nchunks = p->nchunks;
  v->most_rows = p->most_rows;
  v->zone = place(ctx, p->zone, (size_t)p->nzone_blocks * (size_t)p->size);
  v->node = place(ctx, p->node, (size_t)p->node_start[p->nzone_blocks]);
  v->local = place(ctx, p->local, numberings * (size_t)s->nd * (size_t)p->stride);
  v->chunk_start = place(ctx, p->chunk_start, numberings * ((size_t)p->nchunks + 1));
  v->place = place(ctx, p->place, numberings * (size_t)p->most_rows * FEM_CHUNK);
  return v->zone && v->node && v->local && v->chunk_start && v->place;
}

/* Weights [zone block][nq / each][lanes]: sums over `each` points, times `factor`; zero where there is no zone.  A
 * weight per thread; zone [zone block][size]. */
__global__ void __launch_bounds__(256) fill_weights(int64_t n, int lanes, int size, int nq, int each, double factor,
                                                    const int *zone, const double *density, double *weights)
{
  const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
  if (i >= n) return;
  const int lane = (int)(i % lanes), q = (int)(i / lanes % (nq / each));
  const int z = lane < size ? zone[i / lanes / (nq / each) * size + lane] : -1;
  const double *of_zone = density + (int64_t)z * nq;
  double sum = 0.0;
  for (int j = 0; j < each && z >= 0; j++) sum += of_zone[q * each + j];
  weights[i] = factor * sum;
}

static double *make_weights(batched_ctx *ctx, const fem_mass *m, const sumfact_store *store)
{
  const fem_space *s = m->space;
  const int64_t n = (int64_t)count_weights(s, store);
  double *w = static_cast<double *>(batched_allocate(ctx, (size_t)(n + 1) * sizeof(double))), all = 0.0;
  if (!w || n == 0) return w;
  for (int q = 0; q < s->nq; q++) all += s->weight[q];
  const bool even = store->kernel->q == 0;
  if (batched_cuda::launch(ctx, fill_weights, batched_cuda::ceil_div(n, 256), 256, 0, n, store->kernel->lanes,
                           store->zone_blocks.size, s->nq, even ? s->nq : 1, even ? 1.0 / all : 1.0,
                           store->zone_blocks.zone, m->material->device->density, w) == BATCHED_SUCCESS)
    return w;
  batched_release(ctx, w);
  return nullptr;
}

/* Rounds to single precision, a thread per number. */
__global__ void __launch_bounds__(256) narrow_numbers(int64_t n, const double *from, float *to)
{
  const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
  if (i < n) to[i] = (float)from[i];
}

int prepare_single(batched_ctx *ctx, const fem_mass *m, sumfact_store *store)
{
  if (store->single_weights) return BATCHED_SUCCESS;
  const int64_t n = (int64_t)count_weights(m->space, store);
  const int blocks = store->kernel->blocks_single(store->zone_blocks.most_nodes);
  store->single_blocks = blocks < store->nzone_blocks ? blocks : store->nzone_blocks;
  if (blocks < 1) return BATCHED_DOES_NOT_FIT;
  store->single_weights = static_cast<float *>(batched_allocate(ctx, sizeof(float) * ((size_t)n + 1)));
  if (!store->single_weights) return BATCHED_NO_MEMORY;
  if (n == 0) return BATCHED_SUCCESS;
  return batched_cuda::launch(ctx, narrow_numbers, batched_cuda::ceil_div(n, 256), 256, 0, n,
                              store->weights ? store->weights : m->material->device->density, store->single_weights);
}

/* The dofs of the slots, [nslots]. */
static int *dofs_of_slots(const fem_zone_blocks *p)
{
  int *dofs = static_cast<int *>(malloc(((size_t)p->slot_start[p->nzone_blocks] + 1) * sizeof *dofs)), n = 0;
  for (int k = 0; k < p->nzone_blocks && dofs; k++)
    for (int i = p->node_start[k] + p->ninner[k]; i < p->node_start[k + 1]; i++) dofs[n++] = p->node[i];
  return dofs;
}

/* The order of conjugate gradients while it is made, on the host; owned. */
struct dof_order {
  int *order, *position; /* [ndofs], inverse to each other */
  unsigned *node;        /* step_node */
  double *diagonal;      /* [ndofs], as the next */
  unsigned char *essential;
  int *slot_start, *slot;
};

static void free_order(dof_order *o)
{
  void *all[] = {o->order, o->position, o->node, o->diagonal, o->essential, o->slot_start, o->slot};
  for (void *p : all) free(p);
}

static bool allocate_order(const fem_space *s, const fem_zone_blocks *p, dof_order *o)
{
  const size_t n = (size_t)s->ndofs + 1;
  o->order = static_cast<int *>(malloc(n * sizeof(int)));
  o->position = static_cast<int *>(malloc(n * sizeof(int)));
  o->node = static_cast<unsigned *>(malloc(((size_t)p->node_start[p->nzone_blocks] + 1) * sizeof(unsigned)));
  o->diagonal = static_cast<double *>(malloc(n * 2 * sizeof(double)));
  o->essential = static_cast<unsigned char *>(malloc(n));
  o->slot_start = static_cast<int *>(calloc(n + 1, sizeof(int)));
  o->slot = static_cast<int *>(malloc(((size_t)p->slot_start[p->nzone_blocks] + 1) * sizeof(int)));
  return o->order && o->position && o->node && o->diagonal && o->essential && o->slot_start && o->slot;
}

/* Numbers the dofs zone block by zone block. */
static void number_dofs(const fem_space *s, const fem_zone_blocks *p, zone_block_head *heads, dof_order *o)
{
  int next = 0;
  for (int i = 0; i < s->ndofs; i++) o->position[i] = -1;
  for (int k = 0; k < p->nzone_blocks; k++) {
    heads[k].first_own = next;
    for (int i = p->node_start[k]; i < p->node_start[k + 1]; i++) {
      int &position = o->position[p->node[i]];
      const bool seen = position >= 0;
      if (!seen) o->order[position = next++] = p->node[i];
      o->node[i] = (unsigned)position | (seen ? NODE_OF_ANOTHER : 0);
    }
  }
}

static void list_slots(const fem_space *s, const dof_order *o, int nslots, const int *dofs)
{
  int *start = o->slot_start;
  for (int j = 0; j < nslots; j++) start[o->position[dofs[j]] + 2]++;
  for (int i = 0; i < s->ndofs; i++) start[i + 2] += start[i + 1];
  for (int j = 0; j < nslots; j++) o->slot[start[o->position[dofs[j]] + 1]++] = j;
}

/* The arrays of conjugate gradients, in their order of dofs; sets first_own of the heads. */
static bool place_order(batched_ctx *ctx, const fem_mass *m, const fem_zone_blocks *p, const int *dofs,
                        zone_block_head *heads, sumfact_store *store)
{
  const fem_space *s = m->space;
  const size_t n = (size_t)s->ndofs;
  dof_order o = {};
  bool ok = allocate_order(s, p, &o) &&
            batched_copy_to_host(ctx, o.diagonal + n, m->inverse_diagonal, n * sizeof(double)) == BATCHED_SUCCESS;
  if (ok) {
    number_dofs(s, p, heads, &o);
    list_slots(s, &o, store->nslots, dofs);
    for (size_t i = 0; i < n; i++) {
      o.diagonal[i] = o.diagonal[n + (size_t)o.order[i]];
      o.essential[i] = s->essential[o.order[i]];
      if (o.order[i] >= s->nowned) o.essential[i] |= DOF_OF_ANOTHER;
    }
    const int *shared;
    const int nshared = halo_shared(s->halo, &shared);
    for (int i = 0; i < nshared; i++) o.essential[o.position[shared[i]]] |= SHARED_DOF;
    store->zone_blocks.step_node = place(ctx, o.node, (size_t)p->node_start[p->nzone_blocks]);
    store->order = place(ctx, o.order, n);
    store->inverse_diagonal = place(ctx, o.diagonal, n);
    store->step_essential = place(ctx, o.essential, n);
    store->slot_start = place(ctx, o.slot_start, n + 1);
    store->slot_of_dof = place(ctx, o.slot, (size_t)store->nslots);
    ok = store->zone_blocks.step_node && store->order && store->inverse_diagonal && store->step_essential &&
         store->slot_start && store->slot_of_dof;
  }
  free_order(&o);
  return ok;
}

static bool make_lists(batched_ctx *ctx, const fem_space *s, sumfact_store *store, int nslots, const int *dofs)
{
  store->nslots = nslots;
  store->slots = static_cast<double *>(batched_allocate(ctx, sizeof(double) * ((size_t)s->dim * (size_t)nslots + 1)));
  return store->slots && make_list(ctx, s, true, nslots, dofs, &store->lists[FEM_SHARED]) &&
         make_list(ctx, s, false, nslots, dofs, &store->lists[FEM_REST]);
}

/* The zone blocks of a kernel; false: no memory. */
static bool make_zone_blocks(batched_ctx *ctx, const fem_mass *m, const zone_block_kernel *kernel,
                             const fem_zone_blocks *p, sumfact_store *store)
{
  const fem_space *s = m->space;
  store->kernel = kernel;
  store->nzone_blocks = p->nzone_blocks;
  store->nfirst = p->nfirst;
  bool ok = place_tables(ctx, s, p, &store->zone_blocks);
  if (ok && kernel->lanes > 0) ok = (store->weights = make_weights(ctx, m, store));
  int *dofs = ok ? dofs_of_slots(p) : nullptr;
  zone_block_head *heads = ok ? make_heads(p) : nullptr;
  ok = dofs && heads && make_lists(ctx, s, store, p->slot_start[p->nzone_blocks], dofs);
  if (ok) ok = place_order(ctx, m, p, dofs, heads, store);
  if (ok) ok = (store->zone_blocks.head = place(ctx, heads, (size_t)p->nzone_blocks));
  free(heads);
  free(dofs);
  return ok;
}

/* Zones of a zone block: as many as the kernel takes; fewer where a quarter of the multiprocessors would get none. */
static int zone_block_size(const zone_block_kernel *kernel, int nzones)
{
  const int64_t enough = multiprocessors() * 76 / 100;
  int size = kernel->size;
  while (size > 1 && nzones / size < enough) size /= 2;
  return size;
}

/* Zone blocks of zones that have to be done before messages can go.  Between peers none go while conjugate gradients
 * run: a layer of zones beside another rank would make flat zone blocks, with more nodes than cubes have. */
static int first_zones(const fem_space *s)
{
  return comm_size() > 1 && halo_apart(s->halo) && !s->places ? s->nzones : fem_first_zones(s);
}

/* The kernel for the shape, if there is one and the GPU can hold its zone blocks, else the one for any shape. */
static bool choose_kernel(batched_ctx *ctx, const fem_mass *m, sumfact_store *store)
{
  const fem_space *s = m->space;
  const zone_block_kernel *kernel = find_affine_kernel(s);
  if (kernel && !fem_material_is_even(s, m->material)) kernel = nullptr;
  if (!kernel) kernel = find_zone_kernel(s) ? find_zone_kernel(s) : find_row_kernel(s);
  fem_zone_blocks *p = nullptr;
  const int size = kernel ? zone_block_size(kernel, s->nzones) : 0;
  if (kernel && fem_zone_blocks_create(&p, s, first_zones(s), size, kernel->stride, kernel->nodes)) return false;
  if (p) store->blocks = kernel->blocks(p->most_nodes);
  if (p && store->blocks > p->nzone_blocks) store->blocks = p->nzone_blocks;
  const bool fits = p && (store->blocks > 0 || s->nzones == 0);
  const bool ok =
    fits ? make_zone_blocks(ctx, m, kernel, p, store) : make_lists(ctx, s, store, s->nzones * s->nd, s->dofs);
  fem_zone_blocks_destroy(&p);
  return ok;
}

/* The kernels of the other ranks as peers; collective.  store: NULL where memory is out. */
static void find_peers(batched_ctx *ctx, const fem_space *s, sumfact_store *store, bool ok)
{
  const size_t n = (size_t)s->ndofs;
  int *const position = static_cast<int *>(malloc(sizeof(int) * (n + 1)));
  int *const order = static_cast<int *>(malloc(sizeof(int) * (n + 1)));
  halo_peers *peers = nullptr;
  bool able = ok && store->kernel && store->blocks > 0 && position && order;
  if (able) able = batched_copy_to_host(ctx, order, store->order, n * sizeof(int)) == BATCHED_SUCCESS;
  for (size_t i = 0; i < n && able; i++) position[order[i]] = (int)i;
  halo_peers_create(&peers, ctx, s->halo, s->dim, position, 0, able);
  free(position);
  free(order);
  if (store) store->peers = peers;
}

int setup_sumfact(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  sumfact_store *store = new (std::nothrow) sumfact_store{};
  m->store = store;
  if (store) store->essential = place(ctx, s->essential, (size_t)s->ndofs);
  const bool ok = store && store->essential && choose_kernel(ctx, m, store);
  if (comm_size() > 1 && !s->places) find_peers(ctx, s, store, ok); // also if not ok, as the others wait
  if (ok) return BATCHED_SUCCESS;
  if (store) teardown_sumfact(ctx, m);
  return BATCHED_NO_MEMORY;
}

} // namespace fem_cuda
